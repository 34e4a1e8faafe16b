"""Commands whose help and whose mistakes are told in our words, whichever version of typer reads the line."""

from enum import Enum
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand

from anastylosis.errors import InvalidInput

KINDS = {int: "a whole number", float: "a number"}


class PlainCommand(TyperCommand):
    """A command whose usage line has arguments as they are: new versions of typer put them in braces, `{DATASET}`."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return [piece.replace("{", "").replace("}", "") for piece in super().collect_usage_pieces(ctx)]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse as typer does, but reword invalid values, for which new versions use their validator's words."""
        given = list(args)
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as error:
            values, *_ = self.make_parser(ctx).parse_args(args=given)
            name = (error.param.name if error.param is not None else None) or ""
            value, wanted = values.get(name), describe_wanted(self.callback, name)
            if value is None or not wanted:  # nothing was given: typer says so plainly
                raise
            raise InvalidInput(f"{name_option(error.param)} is {show_value(value)}; give {wanted}") from None


def describe_wanted(command: Any, name: str) -> str:
    """Describe the values a parameter accepts, from the annotation of the command's function; "" for any text."""
    annotation: Any = get_type_hints(command, include_extras=True).get(name)
    limits: Any = None
    while get_origin(annotation) in (Annotated, Union, UnionType, list):
        if get_origin(annotation) is Annotated:
            limits = annotation.__metadata__[0]
        annotation = next(each for each in get_args(annotation) if each is not type(None))
    if get_origin(annotation) is Literal:
        return list_choices(get_args(annotation))
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return list_choices([each.value for each in annotation])
    kind = KINDS.get(annotation, "") if isinstance(annotation, type) else ""
    return kind + describe_limits(getattr(limits, "min", None), getattr(limits, "max", None)) if kind else ""


def list_choices(names: Any) -> str:
    *others, last = map(str, names)
    return f"{', '.join(others)} or {last}" if others else last


def describe_limits(least: float | None, most: float | None) -> str:
    if least is not None and most is not None:
        return f", {least} to {most}"
    if least is not None:
        return f", {least} or more"
    return "" if most is None else f", {most} or less"


def name_option(param: Any) -> str:
    """Name an option: `--layers`, or INPUT where it has no dashes."""
    return next((each for each in param.opts if each.startswith("--")), param.metavar or param.name)


def show_value(value: Any) -> str:
    return ", ".join(map(repr, value)) if isinstance(value, list | tuple) else repr(value)
