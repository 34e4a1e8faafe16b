"""Opening: what a visitor sees who has given nothing yet: the survey that ships, reconstructed."""

from dataclasses import replace
from functools import cache
from pathlib import Path

from anastylosis.web.findings import Finding
from anastylosis.web.stored_finding import read_finding
from anastylosis.web.uploads import EXAMPLES

SHIPPED = Path(__file__).with_name("opening.npz")  # written by tools/write_opening.py


def open_example() -> Finding:
    """Return the example for one visitor; what is large in it is shared by all."""
    shared = read_shipped()
    return replace(shared, stories=dict(shared.stories), plans=dict(shared.plans))


@cache
def read_shipped() -> Finding:
    return read_finding(SHIPPED, EXAMPLES["survey"])
