"""Where one tower was proposed there is nothing that it could agree with, on the screen and in the report."""

from types import SimpleNamespace

import pytest

from anastylosis.report.reconstruction.findings import list_findings
from anastylosis.report.reconstruction.page import show_assembly, show_proposals

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
        "probability_other": 0.0,
        "moves": [{"slot": "L00_1", "axis": "y", "probability": 0.62}, {"slot": "L02_0", "axis": "x", "probability": 0.38}],
    }  # fmt: skip


@pytest.mark.parametrize(("number", "several"), [(1, False), (2, True)])
def test_proposals_agree_and_differ_where_there_are_several(number: int, several: bool) -> None:
    document = propose(number)
    printed, page = "\n".join(list_findings(FOUND, document)), "".join(show_proposals(document))
    assert ("95 % sure" in printed) == ("less sure" in printed) == ("the proposals differ" in page) == several
    assert ("the net is less sure" in page) != several
    pulls = "L00_1 along its length 62%, L02_0 across 38%; of 2 that were tried"
    assert f"fatal pull    {pulls}" in printed
    assert f"The fatal pull: {pulls}." in page


def test_nothing_is_said_of_pulls_where_none_was_tried() -> None:
    document = propose(1) | {"moves": []}
    assert "fatal pull" not in "".join([*list_findings(FOUND, document), *show_proposals(document)])


def test_steps_of_building_name_the_block_or_say_that_it_was_not_found() -> None:
    step = {"stands": True, "safety_g": 0.1, "margin_mm": 5.0}
    steps = [step | {"step": number, "slot": slot} for number, slot in enumerate(("", "L01_0", "L01_1"))]
    blocks = [{"id": "stone-7", "slot": "L01_0"}, {"id": "stone-8", "slot": None}]
    document = propose(1) | {"blocks": blocks, "assembly": steps, "assembly_friction": 0.3, "friction_told": None}
    rows = "".join(show_assembly(document)).split("<tr>")
    assert "stone-7" in rows[-2]
    assert "not found" in rows[-1]
    assert "not found" not in rows[-3]  # what stands already
