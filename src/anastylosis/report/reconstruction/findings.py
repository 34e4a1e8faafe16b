"""Findings: what a reconstruction says, in lines for a screen."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from anastylosis.reconstruction import Reconstruction
from anastylosis.report.reconstruction.fates import describe_fate
from anastylosis.report.reconstruction.naming import NONE_WORDS, WHOLE_WORDS, count, describe_height, name_some
from anastylosis.report.reconstruction.pulls import describe_pulls
from anastylosis.report.reconstruction.retrieved import describe_retrieval
from anastylosis.report.reconstruction.standing import describe_standing

SHOWN = 5  # proposals on the screen
SLOTS_SHOWN = 8  # of those that differ; more empty ones than that are told apart from those of all proposals


def list_findings(found: Reconstruction, document: Mapping[str, Any]) -> Iterator[str]:
    """List all findings, line by line; `document`: that of reconstruction.json."""
    assignment, blocks = found.assignment, document["blocks"]
    back, left = (sum(block["basis"] == kind for block in blocks) for kind in ("inference", "left out"))
    yield f"  blocks        {len(blocks)}: {describe_standing(blocks)}, {back} are put back, {left} left out"
    yield f"  tower         {count(assignment.courses, 'layer')} ({describe_height(assignment)})"
    yield f"  gave way      layer {assignment.failure_course} ({assignment.failure[assignment.failure_course]:.0%})"
    yield from list_proposals(document["hypotheses"][:SHOWN], document["fallen"])
    yield from list_others(document)
    if len(document["hypotheses"]) > 1:
        sure = f"{len(document['agree_standing'])} slots filled, {len(document['agree_empty'])} empty"
        yield f"  95 % sure     {sure}"
        yield f"  less sure     {name_some(document['differ'], SLOTS_SHOWN) or 'of none'}"
        yield f"  mind          {WHOLE_WORDS}"
    if document["moves"]:
        yield f"  fatal pull    {describe_pulls(document)}"
    yield from describe_assembly(document)
    if document["check_next"]:
        first = document["check_next"][0]
        slots = ", ".join(f"{each['slot']} {each['probability']:.0%}" for each in first["alternatives"])
        yield f"  check next    {first['id']}: {slots}"
    yield f"  retrieved     {describe_retrieval(document)}"


def list_proposals(proposals: Sequence[Mapping[str, Any]], fallen: int) -> Iterator[str]:
    """Give a line for each proposal. If lists of empty slots are long, the slots common to all come first."""
    shared: set[str] = set()
    if len(proposals) > 1 and max(len(each["removed"]) for each in proposals) > SLOTS_SHOWN:
        shared = set.intersection(*(set(each["removed"]) for each in proposals))
    if shared:
        yield f"  these {len(proposals)}       empty: {', '.join(slot for slot in proposals[0]['removed'] if slot in shared)}"
    for rank, each in enumerate(proposals, 1):
        own = ", ".join(slot for slot in each["removed"] if slot not in shared)
        yield describe_proposal(rank, each, f"and empty: {own or 'no other'}" if shared else f"empty: {own or 'none'}", fallen)


def list_others(document: Mapping[str, Any]) -> Iterator[str]:
    """Give a line for the proposals that are not listed, and one for all other towers; none without re-simulation."""
    others, other = document["hypotheses"][SHOWN:], document["probability_other"]
    if other is None:
        return
    if others:
        chance = sum(each["probability"] for each in others)
        yield f"  + {chance:9.0%}   {count(len(others), 'proposal')} more, in reconstruction.json"
    yield f"  - {other:9.0%}   {NONE_WORDS}"


def describe_proposal(rank: int, proposal: Mapping[str, Any], empty: str, fallen: int) -> str:
    if proposal["pull"] is None:
        return f"  {rank}.            {empty}"
    pull = f"pulled {proposal['pull']['slot']} along {proposal['pull']['axis']}"
    return f"  {rank}. {proposal['probability']:8.0%}   {empty}; {pull}, {describe_fate(proposal, fallen)}"


def describe_assembly(document: Mapping[str, Any]) -> Iterator[str]:
    """Describe how the best proposal is built, in one line; in none where nothing is built."""
    steps = [step for step in document["assembly"] if step["slot"]]
    if not steps:
        return
    loose = sum(not step["stands"] for step in steps)
    least = min(steps, key=lambda step: (step["stands"], step["safety_g"] or 0.0))
    held = f"{count(loose, 'step')} of them with a prop" if loose else "every step stands"
    safety = f"{least['safety_g'] or 0:.3f} g"
    rubs = f"at friction {document['assembly_friction']:.2f}"
    yield f"  building      {count(len(steps), 'block')}; {held}, the least safe with {least['slot']}: {safety} {rubs}"
