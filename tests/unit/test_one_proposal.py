"""Where one tower was proposed there is nothing that it could agree with, on the screen and in the report."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from anastylosis.cli.findings import show_findings
from anastylosis.report.reconstruction.page import show_alternatives

FOUND = SimpleNamespace(assignment=SimpleNamespace(courses=6, courses_given=True, failure_course=0, failure=[1.0]))


def propose(number: int) -> dict:
    """A document with so many proposals, each let fall again."""
    proposal = {
        "probability": 1 / number, "removed": ["L01_0"], "pull": {"slot": "L00_1", "axis": "y"}, "fell": True,
        "distance_mm": 10.0, "came_down": 9, "contradicts": [],
    }  # fmt: skip
    return {
        "blocks": [], "fallen": 10, "hypotheses": [proposal | {"rank": rank + 1} for rank in range(number)], "assembly": [],
        "agree_standing": ["L00_0"], "agree_empty": [], "differ": ["L01_0"], "check_next": [], "reference": None,
    }  # fmt: skip


@pytest.mark.parametrize(("number", "several"), [(1, False), (2, True)])
def test_proposals_agree_and_differ_where_there_are_several(number: int, several: bool, capsys) -> None:
    document = propose(number)
    show_findings([Path("heap.csv")], FOUND, document)
    printed, page = capsys.readouterr().out, "".join(show_alternatives(document))
    assert ("all agree" in printed) == ("they differ" in printed) == ("the proposals differ" in page) == several
    assert ("the net is less sure" in page) != several
