"""Griffe extension: the fields of a class become a table in its docstring, with the comment behind each field.

The house writes a field on one line, with its unit, range and source behind it. So the reference shows what the code says.
"""

import re
from typing import Any

from griffe import Attribute, Class, Docstring, Extension

__all__ = ["FieldComments"]

COMMENT = re.compile(r"#\s+(.*\S)\s*$")


class FieldComments(Extension):
    """Append a table of public fields to the docstring of a class."""

    def on_class_members(self, *, cls: Class, **_: Any) -> None:
        """Collect the annotated fields of a class, each with its type and its comment."""
        rows = [describe_field(member) for member in cls.members.values() if isinstance(member, Attribute) and is_field(member)]
        if rows:
            table = "\n".join(["| field | type | |", "|---|---|---|", *rows])
            said = cls.docstring.value if cls.docstring else ""
            cls.docstring = Docstring(f"{said}\n\n{table}".strip(), parent=cls)


def is_field(member: Attribute) -> bool:
    """Tell fields from properties, class variables and private names."""
    public = not member.name.startswith("_") and member.annotation is not None and not member.docstring
    return public and "property" not in member.labels and "ClassVar" not in str(member.annotation)


def describe_field(member: Attribute) -> str:
    """Return a row of the table."""
    comment = COMMENT.search(member.lines[-1]) if member.lines else None
    meaning = comment.group(1).replace("|", "\\|") if comment else ""
    kind = str(member.annotation).replace("NDArray[np.", "NDArray[")
    return f"| `{member.name}` | `{kind}` | {meaning} |"
