"""Naming: lists of slots in words, and what is said where there are too many."""

from collections.abc import Sequence
from textwrap import fill

from anastylosis.assignment import Assignment

SLOTS_NAMED = 12  # slots in a caption
CHARACTERS = 58  # of a line in a film: so many stay beside the bar

WHOLE_WORDS = (
    "The map of the slots tells of each slot by itself; a proposal is a whole tower that must stand, so even the first may fill "
    "a slot that was more probably empty, or the other way round."
)

NONE_WORDS = "it was none of these, but a tower that was drawn and not proposed"


def name_some(names: Sequence[str], most: int) -> str:
    """Join the first names, and say how many more there are; a single one more is named, too."""
    more = len(names) - most
    return ", ".join(names) if more <= 1 else f"{', '.join(names[:most])} and {more} more"


def count(number: int, thing: str) -> str:
    """Count a thing: `1 layer`, `18 layers`."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def describe_height(assignment: Assignment) -> str:
    """Describe how the height is known: told or inferred, and beside it what the blocks alone say."""
    likely, chance = assignment.courses_ranked[0]
    if assignment.courses_given:
        return f"told; by the blocks alone {likely}, {chance:.0%}"
    return f"inferred, {assignment.courses_probability:.0%}"


def break_lines(words: str) -> str:
    """Break words of a film into lines that end before the bar, where colours are explained."""
    return "\n".join(fill(line, CHARACTERS, break_long_words=False) for line in words.splitlines())
