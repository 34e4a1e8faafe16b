"""The page of an evaluation of reconstructions: what is shown, and what it is called."""

from collections.abc import Sequence
from pathlib import Path

from anastylosis.report.score_page import ScorePage, write_page
from anastylosis.validation import ScoreRow

RECONSTRUCTION_PAGE = ScorePage(
    title="How well towers are reconstructed",
    about="**Bold**: better than every baseline with intervals apart. Baselines: *prior* takes any tower of the height from the "
    "library, blocks in any order; *paper* the fall whose number of removed blocks is nearest; *neighbour* the nearest by all "
    "that is known. A gain *fall by fall* is a difference on the same falls, so what is hard for both does not widen its "
    "interval. *assignment* is the net's best complete assignment; *physics* the first of the ranked proposals. All know "
    "the height. Parts are all blocks that lie there, found or not. A part is right within half a block's width of where it "
    "stood, the right way round; blocks had drifted further than that from their slots before some of the falls, which no "
    "proposal of slots can know.",
    shown={
        "empty": (("f1", "slots that were empty, F1", 3, True),),
        "parts": (
            ("accuracy_fell", "parts in their place, blocks that fell", 3, True),
            ("accuracy_stands", "parts in their place, blocks that still stand", 3, True),
            ("accuracy", "parts in their place, all blocks", 3, True),
            ("error_mm", "from where they stood, mean [mm]", 1, False),
        ),
        "standing": (
            ("f1", "slots that were filled, F1", 3, True),
            ("f1_gain", "the same, above *paper*, fall by fall", 3, True),
        ),
        "proposals": (
            ("top5", "nearest to the truth is among the first five", 3, True),
            ("top1", "it is the first", 3, True),
            ("rank", "its mean rank", 2, False),
            ("number", "proposals that differ", 1, True),
            ("best_wrong", "slots wrong in the nearest proposal", 2, False),
            ("stands", "proposals that stand by statics, share", 3, True),
            ("fell", "proposals that fell when re-simulated, share", 3, True),
        ),
        "first": (
            ("true", "slots of the first proposal all right, share", 3, True),
            ("claimed", "its probability, mean", 3, True),
            ("true_any", "slots of one proposal all right, share", 3, True),
            ("claimed_all", "probability of all proposals together, mean", 3, True),
            ("by_number", "probability of a tower, changed by how many were tried", 3, False),
            ("fell", "the first proposal fell again, share", 3, True),
            ("stays_though_others_fell", "it did not, though others did", 3, False),
        ),
        "sets": (
            ("coverage", "true slot in the set of nine in ten, fallen blocks", 3, True),
            ("size", "slots in such a set, mean", 2, False),
        ),
    },
    trials={
        "test": "The test split",
        "val": "The validation split",
        "test-mujoco": "Debris made by MuJoCo",
        "test-picture": "The test split, from one picture",
    },
    baselines=("prior", "paper", "neighbour"),
    counted="standing",
)


def write_comparison(path: Path, rows: Sequence[ScoreRow], command: Sequence[str]) -> None:
    """Write the page of reconstructions compared with retrieval and the prior; `command`: the words that made it."""
    write_page(path, RECONSTRUCTION_PAGE, rows, {}, command)
