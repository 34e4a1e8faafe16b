"""Write benchmarks/learn/limits.json into the table of docs/explanation/limits-and-ethics.md; a test keeps it current.

python tools/write_limits_table.py [--measure DATASET... [--reconstruction FILE]]

With --measure the numbers are taken anew from the test splits of datasets (preset learn) and MuJoCo's debris. FILE is what
`anastylosis evaluate-reconstruction DATASET --json` printed. `anastylosis evaluate` has the same rows, beside baselines.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from write_claims_table import render_table, replace_between

PROJECT = Path(__file__).parents[1]
PAGE = PROJECT / "docs" / "explanation" / "limits-and-ethics.md"
NUMBERS = PROJECT / "benchmarks" / "learn" / "limits.json"
DEBRIS = PROJECT / "benchmarks" / "mujoco_debris.parquet"
SHARES, ERRORS = (0, 6, 15, 30), (0, 15)

Key = tuple[str, str, str, str]  # split, head, metric, model


class Limit(NamedTuple):
    """A row of the table."""

    case: str
    says: str  # by the program, where the answer is read
    measured: tuple[tuple[str, Key], ...]  # words with {} for the number


def doubt(split: str, metric: str) -> Key:
    return (split, "doubt", metric, "assign")


def refused(split: str) -> tuple[tuple[str, Key], ...]:
    return (("refused {}", doubt(split, "refused")),)


def placed(split: str, metric: str) -> Key:
    return (split, "placed", metric, "assign")


def frame(split: str) -> tuple[tuple[str, Key], ...]:
    return (
        ("refused or named {}", doubt(split, "said")),
        ("said to be unconfirmed {}", doubt(split, "unchecked")),
        ("fallen blocks right where it is not named {}", doubt(split, "silent_right")),
    )


def first(metric: str) -> Key:
    return ("test", "first", metric, "physics")


LIMITS = (
    Limit(
        "nothing wrong, exact survey",
        "the answer; where next to nothing stands, that nothing confirms origin and heading",
        (
            ("fallen blocks right {}", doubt("doubt-none", "right")),
            ("as probable as it says {}", doubt("doubt-none", "claimed")),
            ("refused {}", doubt("doubt-none", "refused")),
            ("doubted for nothing {}", doubt("doubt-none", "said")),
        ),
    ),
    Limit(
        "nothing wrong, field survey",
        "the answer",
        (
            ("fallen blocks right {}", doubt("doubt-none-field", "right")),
            ("refused {}", doubt("doubt-none-field", "refused")),
            ("doubted for nothing {}", doubt("doubt-none-field", "said")),
        ),
    ),
    Limit(
        "blocks of 75 x 25 x 15 mm",
        "slots are built of the blocks' own size; other proportions are warned of",
        (
            ("standing blocks right {}", placed("test-shop", "standing")),
            ("fallen blocks right {}", placed("test-shop", "top1")),
            ("number gone in its nine-in-ten range {}", ("test-shop", "num_removed", "coverage", "assign")),
        ),
    ),
    Limit("heading 90 degrees off", "error with the angle that fits, or a warning", frame("doubt-heading-90")),
    Limit("heading 30 degrees off", "error with the angle that fits, or a warning", frame("doubt-heading-30")),
    Limit("origin 2.2 m off", "error with the origin that fits", refused("doubt-origin-2m")),
    Limit("ground told 0.5 m too low", "error with the origin that fits", refused("doubt-z-up")),
    Limit("ground told 0.2 m too high", "error with the origin that fits", refused("doubt-z-down")),
    Limit(
        "two thirds of the true height told",
        "the likely height beside the told one, always; a warning where it is contradicted",
        (
            ("warned or refused {}", doubt("doubt-height-low", "said")),
            ("fallen blocks right {}", doubt("doubt-height-low", "right")),
        ),
    ),
    Limit(
        "four thirds of the true height told",
        "the same",
        (("warned {}", doubt("doubt-height-high", "said")), ("fallen blocks right {}", doubt("doubt-height-high", "right"))),
    ),
    Limit("places in mm read as m: all in one point", "error that asks for the unit", refused("doubt-one-point")),
    Limit(
        "eight fallen blocks laid in a row beside the heap",
        "warning: laid out, not fallen; they are put back nowhere",
        (("said {}", doubt("doubt-row", "said")), ("put into slots {}", doubt("doubt-row", "row_placed"))),
    ),
    *(
        Limit(
            f"{share} % of the blocks hidden, errors of {error} mm and {error} degrees",
            "a wider range of the number gone",
            (
                (
                    "number gone in its nine-in-ten range {}",
                    (f"test-hidden-{share}-{error}mm", "num_removed", "coverage", "assign"),
                ),
                ("fallen blocks right {}", placed(f"test-hidden-{share}-{error}mm", "top1")),
            ),
        )
        for share in SHARES
        for error in ERRORS
    ),
    Limit(
        "debris of another engine, friction below 0.30",
        "warning where the range of friction goes below what the model knows",
        (
            ("said {}", doubt("doubt-slippery", "said")),
            ("of the test split {}", doubt("doubt-friction", "said")),
            ("fallen blocks right {}", placed("test-mujoco-slippery", "top1")),
            ("as probable as it says {}", placed("test-mujoco-slippery", "said")),
            ("friction in its nine-in-ten range {}", ("test-mujoco-slippery", "friction", "coverage", "assign")),
        ),
    ),
    Limit(
        "the same tower among 4 and among all proposals",
        "a share of all draws; what was not proposed is a row of its own",
        (("its probability differs by {}", first("by_number")),),
    ),
    Limit(
        "the first proposal",
        "whether it fell again; one that did not is first only where none did",
        (
            ("fell again {}", first("fell")),
            ("did not though another did {}", first("stays_though_others_fell")),
            ("its slots all right {}", first("true")),
            ("its probability {}", first("claimed")),
        ),
    ),
    Limit(
        "which slots were empty, F1",
        "probabilities of every slot",
        (
            ("first proposal {}", ("test", "empty", "f1", "physics")),
            ("any tower of that height {}", ("test", "empty", "f1", "prior")),
            ("the paper's retrieval {}", ("test", "empty", "f1", "paper")),
        ),
    ),
)


def render_page(page: str) -> str:
    """Return the page with the table written anew."""
    return replace_between(page, "limits", render_limits(json.loads(NUMBERS.read_text(encoding="utf-8"))))


def render_limits(numbers: dict[str, Any]) -> str:
    found = {tuple(row[name] for name in ("split", "head", "metric", "model")): row for row in numbers["rows"]}
    lines = [(each.case, each.says, "; ".join(render_measured(each, found))) for each in LIMITS]
    counts = {row["split"]: row["count"] for row in numbers["rows"] if row["head"] != "placed"}  # those are blocks
    surveys = f"{counts['doubt-none']} falls of the test split, {counts['test-shop']} of shop blocks, "
    other = f"{counts['test-mujoco-slippery']} of MuJoCo's; proposals: {counts['test']} falls"
    head = f"Measured by `python tools/write_limits_table.py --measure DATASET`, shares with 95 % intervals: {surveys}{other}.\n"
    return f"{head}\n{render_table(('case', 'what the program says', 'measured'), lines)}"


def render_measured(limit: Limit, found: dict[Any, Any]) -> Iterator[str]:
    for words, key in limit.measured:
        if key in found:
            row = found[key]
            yield words.format(
                f"{row['value']:.2f} ({row['low']:.2f}-{row['high']:.2f})" if row["low"] == row["low"] else f"{row['value']:.2f}"
            )


def measure(datasets: Sequence[Path]) -> Iterator[dict[str, Any]]:
    """Measure the rows about surveys."""
    from anastylosis.assignment import Assigner
    from anastylosis.assignment.model import AssignmentModel
    from anastylosis.dataset import Dataset, read_examples
    from anastylosis.models.shipped import SHIPPED_ASSIGNMENT
    from anastylosis.training.assignment.doubt_evaluation import DoubtTest
    from anastylosis.training.assignment.evaluation import SLIPPERY, SurveyTest, SurveyTrial, answer_trial, list_hidden
    from anastylosis.training.assignment.scores import score_answers
    from anastylosis.validation import ScoreRow

    model = AssignmentModel.from_file(SHIPPED_ASSIGNMENT, 1)
    several = [read_examples(Dataset(folder)) for folder in datasets]
    test, shop = (next(each.of(split) for each in several if split in each.split) for split in ("test", "test-shop"))
    debris = read_examples(DEBRIS)
    slippery = debris.take(debris.friction < SLIPPERY)
    trials = [SurveyTrial(name="test-shop", examples=shop), SurveyTrial(name="test-mujoco-slippery", examples=slippery)]
    trials += [SurveyTrial(name=name, examples=test, noise=noise) for name, noise in list_hidden()]
    survey_test = SurveyTest(models={"assign": model}, picture_models={}, prior=None, cache=Path())  # type: ignore[arg-type]
    for trial in trials:
        answers = answer_trial(model.run, trial.open_cases())
        scores = [ScoreRow(trial.name, score.head, score.metric, "assign", *score[2:]) for score in score_answers(answers)]
        for row in (*scores, *survey_test.cover(trial.name, "assign", answers)):
            yield row._asdict()
    for tried in (DoubtTest(examples=test), DoubtTest(examples=slippery, mistakes=DoubtTest.SLIPPERY)):
        for part in tried.evaluate("assign", Assigner(model=model)):
            yield from (row._asdict() for row in part)


def keep(rows: Sequence[dict[str, Any]]) -> None:
    """Keep the rows of the table."""
    wanted = {key for limit in LIMITS for _, key in limit.measured}
    kept = [row for row in rows if tuple(row[name] for name in ("split", "head", "metric", "model")) in wanted]
    NUMBERS.write_text(json.dumps({"rows": kept}, indent=1) + "\n", encoding="utf-8")


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", type=Path, nargs="+", default=())
    parser.add_argument("--reconstruction", type=Path)
    asked = parser.parse_args(words)
    if asked.measure:
        rows = list(measure(asked.measure))
        if asked.reconstruction:
            rows += json.loads(asked.reconstruction.read_text(encoding="utf-8"))["rows"]
        keep(rows)
    PAGE.write_text(render_page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
