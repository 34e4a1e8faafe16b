"""Report: one self-contained HTML file for the archive of a site.

It has question, evidence, proposals, method, limits, and everything needed to check them. The Venice charter asks for such
documentation; the London charter calls it paradata.
"""

import base64
import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from anastylosis.models import SLOT_WORDS
from anastylosis.report.film import WAYS
from anastylosis.report.reconstruction.fates import describe_fate
from anastylosis.report.reconstruction.lines import Line
from anastylosis.report.reconstruction.naming import NONE_WORDS, WHOLE_WORDS, name_some
from anastylosis.report.reconstruction.pulls import describe_pulls
from anastylosis.report.reconstruction.retrieved import describe_retrieval
from anastylosis.report.reconstruction.standing import describe_standing
from anastylosis.translation import Language, translate_page

STYLE = """
body{font:16px/1.5 system-ui,sans-serif;color:#222;max-width:60rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.7rem;margin-bottom:.2rem}
h2{font-size:1.2rem;margin-top:2rem;border-bottom:1px solid #ddd}
table{border-collapse:collapse;font-size:.9rem}
th,td{text-align:left;padding:.25rem .6rem;border-bottom:1px solid #eee;vertical-align:top}
th{color:#666;font-weight:600}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
figure{margin:1rem 0}
img{max-width:100%;height:auto;border:1px solid #ddd}
pre{font-size:.75rem;overflow-x:auto;background:#f7f7f6;padding:.6rem}
.note{color:#666;font-size:.9rem}
.wide{overflow-x:auto}
.evidence{color:#2a6ea8;font-weight:600}
.inference{color:#6a2c91;font-weight:600}
h1,p,li,td{overflow-wrap:break-word}
.first{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(22rem,100%),1fr));gap:.8rem;margin:1.2rem 0}
.first section{border:1px solid #ddd;border-top:3px solid #964c14;border-radius:.3rem;padding:.2rem .8rem .6rem}
.first h2{border:0;margin:.4rem 0 .2rem;font-size:1rem}
.first p,.first ul{margin:.3rem 0}
.first ul{padding-left:1.1rem}
summary{cursor:pointer;color:#704018;padding:.3rem 0}
@page{size:A4;margin:16mm}
@media print{
body{font-size:10pt;margin:0;max-width:none;padding:0}
h2{break-after:avoid}
figure,.first section,tr{break-inside:avoid}
summary{list-style:none}
.first{grid-template-columns:1fr 1fr}
.wide{overflow:visible}
}
@media (max-width:44rem){
body{margin:1rem auto;padding:0 .8rem}
tr.head{display:none}
table,tbody,tr,td{display:block}
tr{padding:.4rem 0;border-bottom:1px solid #ddd}
td,td.n{display:flex;gap:.6rem;padding:.1rem 0;border:0;text-align:left}
td::before{content:attr(data-head);flex:0 0 7.5rem;color:#666}
td[data-head=""]::before{content:none}
td[data-head=""]{font-weight:600}
}
"""
UNFOLD = "addEventListener('beforeprint',()=>document.querySelectorAll('details').forEach((each)=>each.open=true))"
FEW = 12  # rows of a table that is not folded at first
SHOWN = 10  # proposals in the table; the document has all
SHOWN_MIN = 0.005  # a probability that does not round to 0 %
BITS = (
    "Blocks whose true slot would tell most about which proposal is right, the most telling first. One bit would halve the "
    "proposals that are left, 0 bits would leave them as they are."
)
PARADATA = "Inputs, models, options and versions (JSON)"
NUMBER = ' class="n"'
BASES = ("evidence", "inference")
METHOD = (
    "Blocks that are in a slot on others that are still stand: that is evidence, and nothing moves them.",
    "A trained net says of every other block in which slots it may have stood, with probabilities.",
    "Complete towers are drawn from these probabilities; those that rigid-block statics rules out are dropped.",
    "The fatal pull is proposed from a model of fatal pulls, and the likeliest are tried.",
    "Each proposed tower is built in the simulator, pulled at, and left to fall. Its heap is compared with the surveyed one.",
    "A proposal is as probable as its share of the draws. Those that fall again come first, then the more probable ones.",
    "How near its heap is counts for next to nothing: where truth was known, heaps of wrong towers came as near as those of "
    "right ones. It shows whether and how a proposal falls.",
)


def render_report(
    document: Mapping[str, Any],
    lines: Sequence[Line],
    pictures: Mapping[str, Path],
    films: Sequence[str],
    language: Language = "en",
) -> str:
    """Render the page as HTML. `document`: of reconstruction.json; `lines`: of the panel; `pictures`: title -> PNG file."""
    blocks = document["blocks"]
    by_basis = {kind: sum(block["basis"] == kind for block in blocks) for kind in ("evidence", "inference", "left out")}
    names = ", ".join(given["file"] for given in document["inputs"])
    parts = [
        f"<h1>How it stood: {escape(names)}</h1>",
        f'<p class="note">Written by Anastylosis {escape(document["version"])}. '
        "A proposal, not a finding: every statement below says how sure it is.</p>",
        show_first(document),
        head("The question"),
        paragraph(
            "These blocks lie where a structure fell. Which block stood where, which places were empty already, what gave way?"
        ),
        head("The evidence"),
        paragraph(
            f'{len(blocks)} blocks: <span class="evidence">{escape(describe_standing(blocks))}</span> in their slots; '
            f'<span class="inference">{by_basis["inference"]} fell and are put back by inference</span>; '
            f"{by_basis['left out'] or 'none'} left out.",
            raw=True,
        ),
        *(show_picture(title, path) for title, path in pictures.items()),
        listing(document["warnings"]) if document["warnings"] else "",
        head("What is predicted"),
        table(
            ("", "value (nine in ten)", "typical, in the paper", "meaning"),
            [(line.label, line.value, line.typical, line.meaning) for line in lines],
            unfolded=True,
        ),
        head("The proposals, and how sure they are"),
        paragraph(SLOT_WORDS),
        *show_proposals(document),
        head("What would change the answer, and what to check next"),
        *show_advice(document),
        head("How to build it"),
        *show_assembly(document),
        head("Block by block"),
        show_blocks(blocks),
        head("A fall that looks like it"),
        paragraph(f"Retrieved: {describe_retrieval(document)}. A story to compare with; it changes no probability."),
        head("Method"),
        listing(METHOD),
        head("What this cannot tell"),
        listing(document["limits"]),
        head("What was assumed"),
        listing(document["assumed"]),
        head("Parameters and versions"),
        paragraph(f"Films beside this page: {', '.join(films)}." if films else "There is no film beside this page."),
        show_paradata(document),
    ]
    body = "\n".join(part for part in parts if part)
    page = (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>How it stood: {escape(names)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head>\n<body>\n{body}\n'
        f"<script>{UNFOLD}</script></body></html>\n"
    )
    return translate_page(page, language)


def show_first(document: Mapping[str, Any]) -> str:
    """Show the first screen: the answer, how sure it is, what speaks against it, and what to check next."""
    first, prediction = document["hypotheses"][0], document["prediction"]
    removed = ", ".join(first["removed"])
    answer = [
        f"Before the last pull these slots were empty: {removed}." if removed else "Before the last pull no slot was empty."
    ]
    answer.append(f"The tower had {prediction['layers']} layers; most probably layer {prediction['failure_layer']} gave way.")
    if first["pull"]:
        answer.append(f"Most probably {first['pull']['slot']} was pulled last, {WAYS[first['pull']['axis']]}.")
    against = list(document["warnings"])
    if first["pull"] and not first["fell"]:
        against.insert(0, f"Simulated, it {describe_fate(first, document['fallen'])}.")
    checks = [f"{each['id']}: it may have stood in {name_slots(each['alternatives'])}." for each in document["check_next"][:3]]
    boxes = (
        ("The answer", answer),
        ("How sure it is", describe_sureness(document)),
        ("What speaks against it", against or ["Nothing that was found."]),
        ("What to check next", checks or ["Every block is as sure as it can be."]),
    )
    return f'<div class="first">{"".join(f"<section>{head(name)}{listing(items)}</section>" for name, items in boxes)}</div>'


def describe_sureness(document: Mapping[str, Any]) -> list[str]:
    """Say how probable the first proposal is, of what, and what is left for others."""
    proposals, rest = document["hypotheses"], document["probability_other"]
    chance = proposals[0]["probability"]
    if chance is None or rest is None:
        return ["No tower was let fall again, so there is no probability."]
    share = f"{percent(chance)} of all towers that agree with what lies there"
    if len(proposals) == 1:
        said = f"{share}; all other towers {percent(rest)}."
    else:
        most = max(each["probability"] for each in proposals[1:])
        said = f"{share}; the next proposal has {percent(most)}, all other towers {percent(1 - chance - most)}."
    return [said, *([f"Simulated, it {describe_fate(proposals[0], document['fallen'])}."] if proposals[0]["fell"] else [])]


def head(words: str) -> str:
    return f"<h2>{escape(words)}</h2>"


def paragraph(words: str, *, raw: bool = False) -> str:
    return f"<p>{words if raw else escape(words)}</p>"


def listing(items: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape(str(item))}</li>" for item in items) + "</ul>"


def table(heads: Sequence[str], rows: Iterable[Sequence[Any]], *, unfolded: bool = False) -> str:
    """Return a table as HTML that folds; cells that are numbers are set to the right."""
    rows = list(rows)
    right = [is_number(each) for each in rows[0]] if rows else [False] * len(heads)
    top = "".join(f"<th{NUMBER * flag}>{escape(each)}</th>" for each, flag in zip(heads, right, strict=True))
    lines = "".join(f"<tr>{''.join(map(cell, row, heads))}</tr>" for row in rows)
    whole = f'<div class="wide"><table><tr class="head">{top}</tr>{lines}</table></div>'
    return f"<details{' open' * (unfolded or len(rows) <= FEW)}><summary>Table, {len(rows)} rows</summary>{whole}</details>"


def cell(value: Any, head: str) -> str:
    """Return a cell with the head of its column: on a narrow screen each row is a list of these."""
    about = f' data-head="{escape(head)}"'
    if value in BASES:
        return f'<td class="{value}"{about}>{value}</td>'
    return f"<td{NUMBER * is_number(value)}{about}>{escape(show(value))}</td>"


class Digits(str):
    """A number as it is written."""

    __slots__ = ()


def fix(value: float | None, decimals: int) -> Digits:
    """Format a number with as many decimals as the others of its column."""
    return Digits("-" if value is None else f"{value:.{decimals}f}")


def is_number(value: Any) -> bool:
    return isinstance(value, int | float | Digits) and not isinstance(value, bool)


def show(value: Any) -> str:
    if value in (None, ""):
        return "-"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.0%}"


def show_picture(title: str, path: Path) -> str:
    source, words = base64.b64encode(path.read_bytes()).decode(), escape(title)
    image = f'<img alt="{words}" src="data:image/png;base64,{source}">'
    return f'<figure>{image}<figcaption class="note">{words}</figcaption></figure>'


def show_proposals(document: Mapping[str, Any]) -> list[str]:
    rows = []
    for each in document["hypotheses"][:SHOWN]:
        pull = each["pull"]["slot"] if each["pull"] else "-"
        fate = describe_fate(each, document["fallen"])
        rows.append((each["rank"], percent(each["probability"]), ", ".join(each["removed"]) or "none", pull, fate))
    others = document["hypotheses"][SHOWN:]
    if others:
        chance = sum(each["probability"] for each in others)
        rows.append(("", percent(chance), f"{len(others)} more proposals, in reconstruction.json", "", ""))
    if document["probability_other"] is not None:
        rows.append(("", percent(document["probability_other"]), NONE_WORDS, "", ""))
    compared = len(document["hypotheses"]) > 1
    words = (
        f"{len(document['agree_standing'])} slots were filled and {len(document['agree_empty'])} empty with at least 95 %; "
        f"{'the proposals differ' if compared else 'the net is less sure'} about {', '.join(document['differ']) or 'none'}."
    )
    return [
        table(("rank", "probability, of all towers", "empty slots", "pulled", "let fall again, it"), rows),
        paragraph(f"The fatal pull: {describe_pulls(document)}.") if document["moves"] else "",
        paragraph(WHOLE_WORDS),
        paragraph(words),
    ]


def show_advice(document: Mapping[str, Any]) -> list[str]:
    rows = [(each["id"], fix(each["bits"], 2), name_slots(each["alternatives"])) for each in document["check_next"]]
    prediction = document["prediction"]
    others = [f"{each['layers']} layers, {each['probability']:.0%}" for each in prediction["layers_ranked"][:4]]
    parts = [f"The height was inferred: {'; '.join(others)}. Another one changes every slot above it."] if others else []
    parts += describe_friction(document["friction_told"], document["friction_tried"])
    if document["differ"]:
        parts.append(
            f"Anything that tells whether {name_some(document['differ'], 24)} were filled: marks of load, dust, photographs."
        )
    shown = [paragraph(BITS), table(("look at", "tells, bits", "it may have stood in"), rows)] if rows else []
    return [*shown, listing(parts)]


def describe_friction(known_range: Sequence[float] | None, tried: Sequence[float] | None) -> list[str]:
    """Describe the known and the tried range of friction; nothing if it is known exactly."""
    if known_range and known_range[0] == known_range[1]:
        return []
    known = f"Friction was told as {known_range[0]:.2f} to {known_range[1]:.2f}" if known_range else "Friction was not told"
    trials = f"{tried[0]:.2f} to {tried[1]:.2f} were tried" if tried else "none was tried"
    return [f"{known}; {trials}. {'An exact' if known_range else 'A measured'} one narrows what falls how."]


def show_assembly(document: Mapping[str, Any]) -> list[str]:
    steps = document["assembly"]
    if not steps:
        return [paragraph("No order of building was asked for.")]
    blocks = {block["slot"]: block["id"] for block in document["blocks"]}
    rows = [
        (
            step["step"],
            step["slot"] or "what stands",
            blocks.get(step["slot"], "not found") if step["slot"] else "",
            "yes" if step["stands"] else "with a prop",
            fix(step["safety_g"], 3),
            fix(step["margin_mm"], 1),
        )
        for step in steps
    ]
    words = (
        "Every step of the first proposal is checked for equilibrium, with a friction of "
        f"{document['assembly_friction']:.2f}, {describe_friction_source(document['friction_told'])}. "
        "Bears: the largest level shaking, in shares of g; "
        "margin: how far the weight above the weakest joint is from tipping. "
        "A block that was not found has to be found, or made."
    )
    return [paragraph(words), table(("step", "slot", "block", "stands", "bears, g", "margin, mm"), rows)]


def describe_friction_source(known_range: Sequence[float] | None) -> str:
    """Name the source of the friction used to check the building; `known_range`: of the coefficient."""
    if known_range is None:
        return "the lower end of what the net says"
    return "as told" if known_range[0] == known_range[1] else "the lower end of what was told"


def show_blocks(blocks: Sequence[Mapping[str, Any]]) -> str:
    """Show a row a block; how sure it is there at all has a column where some are not certain."""
    doubted = any(block["certainty"] < 1 for block in blocks)
    rows = []
    for block in blocks:
        others = [each for each in block["alternatives"] if each["slot"] != block["slot"]]
        there = (percent(block["certainty"]),) * doubted
        parts = (block["slot"], percent(block["probability"]), block["basis"], name_slots(others), block["reason"])
        rows.append((block["id"], *there, *parts))
    return table(("block", *("is there",) * doubted, "slot", "stood there", "basis", "or else", "why"), rows)


def name_slots(ranked: Sequence[Mapping[str, Any]]) -> str:
    """Name slots with their probabilities, but for those that round to nothing."""
    return ", ".join(f"{each['slot']} {each['probability']:.0%}" for each in ranked if each["probability"] >= SHOWN_MIN)


def show_paradata(document: Mapping[str, Any]) -> str:
    names = (
        "schema", "version", "code", "sources", "packages", "inputs", "cameras", "camera_files", "model", "eye", "library",
        "options", "units", "calibration", "reference",
    )  # fmt: skip
    facts = {name: document[name] for name in names if document.get(name) is not None}
    source = base64.b64encode(json.dumps(facts, indent=1, ensure_ascii=False).encode()).decode()
    link = f'<a download="paradata.json" href="data:application/json;base64,{source}">{PARADATA}</a>'
    return f"<p>{link}</p><p>All results, for programs: reconstruction.json beside this page.</p>"
