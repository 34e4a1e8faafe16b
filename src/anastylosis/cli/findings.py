"""Findings: what a reconstruction says, as people read it on a screen."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anastylosis.cli.words import count

if TYPE_CHECKING:
    from anastylosis.reconstruction import Reconstruction

SHOWN = 5  # proposals on the screen
SLOTS_SHOWN = 8  # of those that differ; more empty ones than that are told apart from those of all proposals


def show_findings(inputs: Sequence[Path], found: "Reconstruction", document: Mapping[str, Any]) -> None:
    """Print all findings; `document`: that of reconstruction.json."""
    from anastylosis.reconstruction import WHOLE_WORDS
    from anastylosis.report import describe_pulls, describe_retrieval, describe_standing, name_some

    assignment, blocks = found.assignment, document["blocks"]
    back, left = (sum(block["basis"] == kind for block in blocks) for kind in ("inference", "left out"))
    print(*inputs)
    print(f"  blocks        {len(blocks)}: {describe_standing(blocks)}, {back} are put back, {left} left out")
    print(f"  tower         {count(assignment.courses, 'layer')} ({'told' if assignment.courses_given else 'inferred'})")
    print(f"  gave way      layer {assignment.failure_course} ({assignment.failure[assignment.failure_course]:.0%})")
    show_proposals(document["hypotheses"][:SHOWN], document["fallen"])
    if len(document["hypotheses"]) > 1:
        sure = f"{len(document['agree_standing'])} slots filled, {len(document['agree_empty'])} empty"
        print(f"  95 % sure     {sure}")
        print(f"  less sure     {name_some(document['differ'], SLOTS_SHOWN) or 'of none'}")
        print(f"  mind          {WHOLE_WORDS}")
    if document["moves"]:
        print(f"  fatal pull    {describe_pulls(document)}")
    show_assembly(document)
    if document["check_next"]:
        first = document["check_next"][0]
        slots = ", ".join(f"{each['slot']} {each['probability']:.0%}" for each in first["alternatives"])
        print(f"  check next    {first['id']}: {slots}")
    print(f"  retrieved     {describe_retrieval(document)}")


def show_proposals(proposals: Sequence[Mapping[str, Any]], fallen: int) -> None:
    """Print a line for each proposal. If lists of empty slots are long, the slots common to all come first."""
    shared: set[str] = set()
    if len(proposals) > 1 and max(len(each["removed"]) for each in proposals) > SLOTS_SHOWN:
        shared = set.intersection(*(set(each["removed"]) for each in proposals))
    if shared:
        print(f"  these {len(proposals)}       empty: {', '.join(slot for slot in proposals[0]['removed'] if slot in shared)}")
    for rank, each in enumerate(proposals, 1):
        own = ", ".join(slot for slot in each["removed"] if slot not in shared)
        show_proposal(rank, each, f"and empty: {own or 'no other'}" if shared else f"empty: {own or 'none'}", fallen)


def show_proposal(rank: int, proposal: Mapping[str, Any], empty: str, fallen: int) -> None:
    from anastylosis.report import describe_fate

    if proposal["pull"] is None:
        print(f"  {rank}.            {empty}")
        return
    pull = f"pulled {proposal['pull']['slot']} along {proposal['pull']['axis']}"
    print(f"  {rank}. {proposal['probability']:8.0%}   {empty}; {pull}, {describe_fate(proposal, fallen)}")


def show_assembly(document: Mapping[str, Any]) -> None:
    """Print how the best proposal is built."""
    steps = [step for step in document["assembly"] if step["slot"]]
    if not steps:
        return
    loose = sum(not step["stands"] for step in steps)
    least = min(steps, key=lambda step: (step["stands"], step["safety_g"] or 0.0))
    held = f"{count(loose, 'step')} of them with a prop" if loose else "every step stands"
    safety = f"{least['safety_g'] or 0:.3f} g"
    rubs = f"at friction {document['assembly_friction']:.2f}"
    print(f"  building      {count(len(steps), 'block')}; {held}, the least safe with {least['slot']}: {safety} {rubs}")
