"""Write what was found about the model that ships into docs/explanation/what-the-model-learns.md; a test keeps it current.

    anastylosis explain MODEL DATASET --out DIR
    python tools/write_findings.py DIR     take numbers and figures from there, and write the page
    python tools/write_findings.py         write the page from the numbers that are committed

What is between the markers is written anew, in words that follow the numbers; the words around it are written by people and stay.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image

from anastylosis.validation.insight.embedding import CLUSTERED, VERDICTS
from anastylosis.whole_file import write_whole
from write_claims_table import render_table, replace_between

PROJECT = Path(__file__).parents[1]
PAGE = PROJECT / "docs" / "explanation" / "what-the-model-learns.md"
NUMBERS = PROJECT / "benchmarks" / "learn" / "findings.json"
FIGURES = ("explain", "heatmap", "reliability", "saliency", "learning", "filters")

NOT_YET = "*Not measured yet: there is no model with this version of the program to measure.*\n"
NO_EMBEDDING = "The model has no such numbers: this was left out.\n"
Numbers = dict[str, Any]
Found = dict[str, float | None]


def render_page(page: str, numbers: Numbers | None, figures: Path = PAGE.parent) -> str:
    """`page` with every part between its two markers written anew; `figures`: the folder in which they are, if they are."""
    for name, render in PARTS.items():
        page = replace_between(page, name, NOT_YET if numbers is None else render(numbers))
    for name, words in CAPTIONS.items():
        path = figures / figure_name(name)
        page = replace_between(page, f"figure {name}", f"![{words}]({path.name})\n" if path.exists() else "")
    return page


def render_made(numbers: Numbers) -> str:
    model, learned = numbers["model"], numbers.get("learned_from", {}).get("episodes", {})
    epochs = f", {numbers['epochs']} epochs" if "epochs" in numbers else ""
    from_what = f", learned from {learned['train']:,} collapses" if "train" in learned else ""
    left = "".join(f" Left out: {name}, {why}." for name, why in numbers.get("left_out", {}).items())
    return (
        f"The model is `{model['file']}` ({model['kind']}, preset `{model['preset']}`{epochs}{from_what}), tested on "
        f"{numbers['episodes']:,} collapses of {numbers['towers']:,} towers in the test split of `{numbers['dataset']}`. "
        f"Anastylosis {numbers['version']}.{left}\n"
    )


def render_filters(numbers: Numbers) -> str:
    found = numbers.get("filters")
    if found is None:
        return "The model has no such layer: this was left out.\n"
    count, oriented, by_chance = found["count"], found["oriented"], found["chance"] * found["count"]
    much = "far more than" if oriented > 3 * by_chance + 2 else "no more than" if oriented <= by_chance + 1 else "more than"
    return (
        f"Filters of the first layer: {count}. Those that prefer one direction more than 95 in 100 filters of random numbers do: "
        f"{oriented}, {much} chance would give (about {by_chance:.1f}).\n"
    )


def render_middle(numbers: Numbers) -> str:
    areas = numbers["areas"]
    lines = [
        ("all slots", show(areas["auc"])),
        ("slots of layers that still stand", show(areas["auc_standing"])),
        ("slots of layers that fell", show(areas["auc_collapsed"])),
        ("the same, within one episode", show(areas["auc_within_collapsed"])),
    ]
    standing, fell = (tell_above(areas[name], 0.5) for name in ("auc_standing", "auc_collapsed"))
    return (
        render_table(("the model told empty slots from filled ones", "AUC (0.5 is a guess, 1 is never wrong)"), lines)
        + f"\nIn layers that still stand it is {standing}; in layers that fell it is {fell}.\n"
    )


def render_embedding(numbers: Numbers) -> str:
    found = numbers.get("silhouette")
    if found is None or found["value"] is None:
        return NO_EMBEDDING
    said = {"separate": "They do.", "lean": "Hardly.", "mixed": "They do not.", "none": ""}[found["verdict"]]
    lines = [(name, show(each)) for name, each in numbers["neighbours"].items()]
    known = {name: each["value"] for name, each in numbers["neighbours"].items() if each["value"] is not None}
    best = max(known, key=lambda name: known[name]) if known else ""
    most = f" Most is known of the {best}." if best and (numbers["neighbours"][best]["low"] or 0) > 0 else ""
    return (
        f"**Do the levels of friction separate? {said}** In all {numbers['model']['embedding']} dimensions the silhouette of the "
        f"three levels is {found['value']:.3f} (1: tight, distant clusters; 0: no order; up to {CLUSTERED:g} is held to be no "
        f"substantial structure). With shuffled labels it is {found['chance_low']:.3f} to {found['chance_high']:.3f}, "
        f"p = {found['p']:.2g}: {VERDICTS[found['verdict']]}.\n\n"
        "The numbers do hold this: the ten nearest neighbours of an episode, other towers only, are asked for their mean, and it "
        f"is compared with the episode's own value.{most}\n\n"
        + render_table(("of this", "neighbours and self agree: rank correlation"), lines)
    )


def render_compact(numbers: Numbers) -> str:
    spread = numbers["dispersal"]
    lines = [(name, show(scale(found, 1e3), 0) + " mm") for name, found in spread.items()]
    table = render_table(("friction", "how far blocks lie from the middle, root mean square"), lines)
    if not {"low", "high"} <= set(spread):
        return table
    low, high = spread["low"], spread["high"]
    if high["high"] is not None and low["low"] is not None and high["high"] < low["low"]:
        words = "Collapses at high friction are more compact than at low friction, as the paper says."
    elif high["low"] is not None and low["high"] is not None and high["low"] > low["high"]:
        words = "Collapses at high friction are *less* compact than at low friction: the reverse of what the paper says."
    else:
        words = "Whether collapses at high friction are more compact cannot be told from these episodes: the intervals meet."
    return f"{table}\n{words}\n"


def render_count(numbers: Numbers) -> str:
    return list_relations(numbers, {
        "The count that is said and the true count": "num_removed: said and true",
        "The same, the friction that it was told allowed for": "num_removed: said and true, beyond friction",
        "The count that is said and the dispersal": "count and dispersal: said",
        "The true count and the dispersal": "count and dispersal: true",
    })  # fmt: skip


def render_places(numbers: Numbers) -> str:
    places = numbers["places"]
    lines = []
    for what in dict.fromkeys(key.rpartition(":")[0] for key in places):
        cells = [f"{show(scale(places[f'{what}: {name}'], 100), 1)} points" for name in ("true", "said")]
        lines.append((what, *cells))
    words = []
    for what, blocks in (("lower half - upper half", "Lower"), ("side - centre", "Side")):
        true, said = (tell_often(places[f"{what}, all layers: {name}"]) for name in ("true", "said"))
        words.append(f"{blocks} blocks are gone, in truth: {true}; as the model says: {said}.")
    agreement = numbers["map_agreement"]
    if agreement is not None:
        words.append(f"The rank correlation of the mean map that is said with the true one is {agreement:.2f}.")
    return render_table(("difference of rates", "true", "said by the model"), lines) + f"\n{' '.join(words)}\n"


def render_imbalance(numbers: Numbers) -> str:
    return list_relations(numbers, {"The imbalance that is said and the true one": "imbalance: said and true"})


def render_torque(numbers: Numbers) -> str:
    relations = {
        "The torque risk that is said and the true number": "torque_risk: said and true",
        "What is said of torque and what is said of the count (the paper's figure, c)": "torque and count: said",
        "The same, the friction that it was told allowed for": "torque and count: said, beyond friction",
        "The true number of such moves and the true count": "torque and count: true",
        "The same, friction allowed for": "torque and count: true, beyond friction",
        "The torque risk that is said and the true number, the count that is said allowed for": (
            "torque: said and true, beyond the count said"
        ),
    }
    return list_relations(numbers, relations) + (
        "\nA longer game has more moves of every kind, so that torque and count grow together needs no signature in the debris; "
        "only the last line would show one.\n"
    )


def render_belief(numbers: Numbers) -> str:
    lines = [
        (name, f"{found['slots']:,}", f"{show(scale(found['error'], 100), 1)} points")
        for name, found in numbers["calibration"].items()
    ]
    return render_table(("slots", "how many", "mean distance of what was said from what happened"), lines)


def render_looks(numbers: Numbers) -> str:
    found = numbers["saliency"]
    count, slots = (found[name]["on_blocks"] for name in ("count", "slots"))
    if count is None or slots is None:
        return "Hiding places of the picture changed nothing: the answer does not come from the picture.\n"
    area = found["count"]["places_with_blocks"]
    return (
        f"In the episode that is shown, `{numbers['episode']}`, {100 * area:.0f} % of the places have a block in them. From "
        f"those comes {100 * count:.0f} % of all change of the count, and {100 * slots:.0f} % of that of the slots' "
        f"probabilities. Were all places alike, it would be {100 * area:.0f} %.\n"
    )


PARTS: dict[str, Callable[[Numbers], str]] = {
    "made": render_made,
    "filters": render_filters,
    "middle": render_middle,
    "embedding": render_embedding,
    "compact": render_compact,
    "count": render_count,
    "places": render_places,
    "imbalance": render_imbalance,
    "torque": render_torque,
    "belief": render_belief,
    "looks": render_looks,
}
CAPTIONS = {
    "explain": "The paper's figure: the map of one episode, the embedding, torque risk against count",
    "heatmap": "Which blocks were gone: one episode, the mean of what is said, the truth, their difference",
    "reliability": "What was said beside what happened, for all slots, standing layers and layers that fell",
    "saliency": "The places of the picture that change the answer when they are hidden",
    "learning": "The loss, epoch by epoch, whole and by head",
    "filters": "The filters of the first layer, those with the clearest direction first",
}


def show(found: Found, decimals: int = 2) -> str:
    value, low, high = (found[name] for name in ("value", "low", "high"))
    if value is None:
        return "-"
    return (
        f"{value:.{decimals}f}"
        if low is None or high is None
        else f"{value:.{decimals}f} ({low:.{decimals}f} to {high:.{decimals}f})"
    )


def scale(found: Found, factor: float) -> Found:
    return {name: None if value is None else factor * value for name, value in found.items()}


def tell_above(found: Found, guess: float) -> str:
    if found["low"] is None or found["high"] is None:
        return "not known to be better than a guess"
    better = "better than" if found["low"] > guess else "worse than" if found["high"] < guess else "not known to be better than"
    return f"{better} a guess"


def tell_often(found: Found) -> str:
    """How a difference of rates reads; one whose interval has 0 in it is not told from none."""
    if found["low"] is None or found["high"] is None:
        return "nothing to compare"
    return "more often" if found["low"] > 0 else "less often" if found["high"] < 0 else "no difference that could not be chance"


def list_relations(numbers: Numbers, relations: dict[str, str]) -> str:
    """One line a pair of things, and how they go together."""
    return "".join(f"- {words}: {tell_relation(numbers['correlations'][name])}.\n" for words, name in relations.items())


def tell_relation(found: Found) -> str:
    """How a correlation reads."""
    if found["value"] is None or found["low"] is None or found["high"] is None:
        return "nothing to compare, one of them does not change"
    if found["low"] <= 0 <= found["high"]:
        return f"no relation that could not be chance, ρ = {show(found)}"
    return f"they {'grow together' if found['low'] > 0 else 'go against each other'}, ρ = {show(found)}"


def figure_name(name: str) -> str:
    return f"learned-{name}.png"


def take_from(folder: Path, numbers: Path = NUMBERS, figures: Path = PAGE.parent) -> None:
    """The numbers of a run of `anastylosis explain`, and its figures in 256 colours: a third of the bytes."""
    found = (folder / "findings.json").read_text(encoding="utf-8")
    numbers.parent.mkdir(parents=True, exist_ok=True)
    numbers.write_text(found, encoding="utf-8")
    for name in FIGURES:
        (figures / figure_name(name)).unlink(missing_ok=True)
        if (folder / f"{name}.png").exists():
            with Image.open(folder / f"{name}.png") as picture, write_whole(figures / figure_name(name)) as part:
                small = picture.convert("RGB").quantize(256, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
                small.save(part, format="png", optimize=True)


def read_numbers(path: Path = NUMBERS) -> Numbers | None:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


if __name__ == "__main__":
    if len(sys.argv) > 2:
        raise SystemExit("usage: python tools/write_findings.py [DIR]")
    if len(sys.argv) == 2:
        take_from(Path(sys.argv[1]))
    PAGE.write_text(render_page(PAGE.read_text(encoding="utf-8"), read_numbers()), encoding="utf-8")
