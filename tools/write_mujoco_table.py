"""Write benchmarks/mujoco_debris.json into the tables of docs/explanation/mujoco-debris.md; a test keeps them current."""

import json
from pathlib import Path
from typing import Any

from anastylosis.validation.interval import Interval

PROJECT = Path(__file__).parents[1]
PAGE = PROJECT / "docs" / "explanation" / "mujoco-debris.md"
NUMBERS = PROJECT / "benchmarks" / "mujoco_debris.json"

MEASURES = {"drift": ("median", "95", "max"), "penetration": ("median", "max")}
OUTCOMES = {
    "collapse": "fell at the pull: in the file",
    "out": "the block came out, the tower stands",
    "stuck": "the block was stuck",
    "untouched": "fell before the pull",
}
LINES = {
    "ours_spread_mm": "spread of the centres, RMS, ours [mm]",
    "spread_mm": "spread, the other [mm]",
    "ours_on_floor": "blocks that came down to the floor, ours",
    "on_floor": "blocks that came down, the other",
    "on_floor_difference": "their difference, each episode",
    "apart_mm": "the same block, from ours to the other, mean [mm]",
    "apart_median_mm": "the same, median [mm]",
    "same_failure_course": "share with the same lowest layer that gave way",
    "failure_course_difference": "its difference [layers]",
    "direction_median_deg": "between the directions of the fall, median [degrees]",
}


def render_page(page: str) -> str:
    """`page` with every table between its two markers written anew."""
    numbers = json.loads(NUMBERS.read_text(encoding="utf-8"))
    for name, table in (("shares", render_shares(numbers)), ("differences", render_differences(numbers))):
        begin, end = f"<!-- {name}: generated, do not edit -->\n", f"<!-- end of {name} -->\n"
        before, rest = page.split(begin)
        page = f"{before}{begin}\n{table}\n{end}{rest.split(end)[1]}"
    return page


def render_shares(numbers: dict[str, Any]) -> str:
    """What came of the pulls."""
    counts, quality = numbers["counts"], numbers["quality"]
    lines = ["| in MuJoCo | towers | share, 95 % |", "|---|---|---|"]
    for name, meaning in OUTCOMES.items():
        found = counts["outcomes"].get(name, 0)
        _, low, high = Interval.wilson(found, counts["pulled"])
        lines.append(f"| {meaning} | {found} | {100 * found / counts['pulled']:.0f} % ({100 * low:.0f}-{100 * high:.0f}) |")
    lines += ["", describe(counts, quality), ""]
    return "\n".join(lines)


def describe(counts: dict[str, Any], quality: dict[str, float]) -> str:
    """How good the debris is, in words."""
    drift, depth = ([quality[f"{name}_{which}_mm"] for which in whiches] for name, whiches in MEASURES.items())
    return (
        f"Of {counts['episodes']} test episodes {counts['pulled']} have a fatal pull. Of the debris of "
        f"{counts['outcomes']['collapse']} falls {quality['at_rest']} came to rest within 15 s; a game in MuJoCo took "
        f"{quality['seconds']:.1f} s of simulated time. Before the pull the farthest block of a tower moved {drift[0]:.1f} mm "
        f"(median; 95 %: {drift[1]:.1f} mm, most: {drift[2]:.1f} mm). The deepest overlap in a heap is {depth[0]:.2f} mm "
        f"(median; most: {depth[1]:.2f} mm)."
    )


def render_differences(numbers: dict[str, Any]) -> str:
    """Ours beside MuJoCo's, and beside ours again."""
    every, again, same = (numbers[name] for name in ("mujoco", "jittered_ours", "jittered_mujoco"))
    heads = (
        f"all {every['episodes']}: MuJoCo",
        f"{same['episodes']} of them: MuJoCo",
        f"the same {again['episodes']}: ours, jittered",
    )
    lines = [f"| | {' | '.join(heads)} |", "|---|---|---|---|"]
    lines += [
        f"| {text} | {' | '.join(f'{column[name]:g}' for column in (every, same, again))} |" for name, text in LINES.items()
    ]
    jittered = numbers["jittered"]
    lines += ["", f"With the jitter {jittered['fell']} of {jittered['replayed']} towers fell again in our own engine.", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(render_page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
