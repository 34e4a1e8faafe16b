"""A submission to the benchmark: scored as a model with the same answers would be, and refused by row and column."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from anastylosis.dataset import Dataset
from anastylosis.errors import InvalidInput
from anastylosis.models.answers import name_slots
from anastylosis.training.picture.evaluation import BASELINES, PictureTest, PictureTrial
from anastylosis.training.picture.submission import Submission


@pytest.fixture(scope="module")
def test(debris: Path) -> PictureTest:
    return PictureTest.open({}, Dataset(debris), workers=1, progress=lambda *_: None)


@pytest.fixture(scope="module")
def trial(debris: Path) -> PictureTrial:
    return PictureTest.list_trials(Dataset(debris))[0]


def write_answers(path: Path, names: list[str], removed: np.ndarray, number: np.ndarray | None = None) -> Path:
    """Write a submission; slots that are NaN stay blank."""
    slots = name_slots(removed.shape[1] // 3)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["episode", *(["num_removed"] if number is not None else []), *slots])
        for row, name in enumerate(names):
            cells = ["" if np.isnan(value) else repr(float(value)) for value in removed[row]]
            writer.writerow([name, *([number[row]] if number is not None else []), *cells])
    return path


def true_answers(trial: PictureTrial) -> tuple[list[str], np.ndarray]:
    """The names, and the truth as probabilities; NaN where the tower had no slot."""
    examples = trial.examples
    removed = examples.removed[:, : 3 * examples.layers.max()].astype(float)
    removed[np.arange(removed.shape[1]) >= 3 * examples.layers[:, None]] = np.nan
    return [str(name) for name in examples.name], removed


def rows_of(submission: Submission, test: PictureTest, trial: PictureTrial) -> dict[tuple[str, str, str], float]:
    rows = [row for part in submission.score(test, trial, resamples=20) for row in part]
    return {(row.model, row.head, row.metric): row.value for row in rows}


def test_the_truth_is_a_perfect_submission(test: PictureTest, trial: PictureTrial, tmp_path: Path) -> None:
    names, removed = true_answers(trial)
    path = write_answers(tmp_path / "oracle.csv", names[::-1], removed[::-1])  # rows in any order
    found = rows_of(Submission.from_file(path, trial.examples), test, trial)
    assert {model for model, *_ in found} == {*BASELINES, "oracle"}
    assert found["oracle", "removed_locs", "auc"] == 1
    assert found["oracle", "removed_locs", "brier"] == 0
    assert found["oracle", "num_removed", "mae"] == 0
    assert 0 < found["prior", "removed_locs", "brier"] < 1


def test_the_answers_of_the_prior_score_as_the_prior_does(test: PictureTest, trial: PictureTrial, tmp_path: Path) -> None:
    ((name, _, answers), *_) = test.answer(trial)
    assert name == "prior"
    names, removed = true_answers(trial)
    said = np.where(np.isnan(removed), np.nan, answers.removed_locs[:, : removed.shape[1]])
    path = write_answers(tmp_path / "same.csv", names, said, answers.num_removed)
    found = rows_of(Submission.from_file(path, trial.examples), test, trial)
    for (model, head, metric), value in found.items():
        if model == "same":
            assert value == pytest.approx(found["prior", head, metric], rel=1e-5, nan_ok=True)


def test_without_a_number_the_probabilities_are_summed(trial: PictureTrial, tmp_path: Path) -> None:
    names, removed = true_answers(trial)
    halves = np.where(np.isnan(removed), np.nan, 0.5)
    submission = Submission.from_file(write_answers(tmp_path / "half.csv", names, halves), trial.examples)
    np.testing.assert_array_equal(submission.num_removed, 1.5 * trial.examples.layers)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("episode,", "name,", "no column 'episode'"),
        ("L00_1,", "L00_0,", "'L00_0' is there twice"),
        ("L00_1,", "L99_1,", "'L99_1' is not known"),
        (",L00_0,", ",", "column L00_0 is missing"),
        ("FIRST,", "nobody,", "'nobody' is not asked for"),
        ("FIRST,", "SECOND,", "row 3: episode .* is there twice"),
        ("FIRSTROW", "", "1 of 8 episodes are not answered"),
        ("FIRST,0.0", "FIRST,1.5", r"episode .*: column L00_0: 1.5 is no probability"),
        ("FIRST,0.0", "FIRST,much", "column L00_0: 'much' is not a number"),
        ("FIRST,0.0", "FIRST", "row 2 has"),
        ("FIRST,", '"FIRST,', "not CSV"),
    ],
)
def test_what_is_wrong_is_said(trial: PictureTrial, tmp_path: Path, old: str, new: str, words: str) -> None:
    names, removed = true_answers(trial)
    text = write_answers(tmp_path / "mine.csv", names, np.where(np.isnan(removed), np.nan, 0.0)).read_text().replace("\r", "")
    first_row = text.splitlines()[1] + "\n"
    old, new = (part.replace("FIRSTROW", first_row).replace("FIRST", names[0]).replace("SECOND", names[1]) for part in (old, new))
    assert old in text
    header, rest = text.split("\n", 1)
    changed = header.replace(old, new, 1) + "\n" + rest if old in header else text.replace(old, new, 1)
    if words == "column L00_0 is missing":
        changed = "\n".join(",".join(line.split(",")[:1] + line.split(",")[2:]) for line in text.splitlines())
    (tmp_path / "mine.csv").write_text(changed)
    with pytest.raises(InvalidInput, match=words):
        Submission.from_file(tmp_path / "mine.csv", trial.examples)


def test_more_blocks_than_the_tower_has_cannot_be_gone(trial: PictureTrial, tmp_path: Path) -> None:
    names, removed = true_answers(trial)
    path = write_answers(tmp_path / "many.csv", names, removed, np.full(len(names), 99.0))
    with pytest.raises(InvalidInput, match=r"column num_removed: 99.* slots are empty; the tower has"):
        Submission.from_file(path, trial.examples)


def test_the_command_scores_a_file_of_answers(debris: Path, trial: PictureTrial, tmp_path: Path, call_main, capsys) -> None:
    names, removed = true_answers(trial)
    path = write_answers(tmp_path / "oracle.csv", names, removed)
    assert call_main(f"evaluate {path} {debris} --workers 1 --json") == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {row["model"] for row in rows} == {*BASELINES, "oracle"}
    assert {row["split"] for row in rows} == {"test"}
    assert next(row["value"] for row in rows if (row["model"], row["metric"]) == ("oracle", "mae")) == 0
    assert call_main(f"evaluate {path} {debris} --quick") == 2
    assert "--quick is for models" in capsys.readouterr().err
    path.write_text("episode\n")
    assert call_main(f"evaluate {path} {debris}") == 2
    assert "oracle.csv: column L00_0 is missing" in capsys.readouterr().err
