"""Words: numbers with their nouns, as people say them."""

__all__ = ["count"]


def count(number: int, thing: str) -> str:
    """`1 episode`, `2,000 episodes`."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
