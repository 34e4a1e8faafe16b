"""Surveys of a dataset: every collapse once, exact when no noise is asked for, and the truth beside."""

import csv
from pathlib import Path

import numpy as np
import pytest

from anastylosis.dataset.schema import TABLES
from anastylosis.errors import InvalidInput
from anastylosis.report import export_surveys
from anastylosis.survey import Noise, check_survey, read_survey
from support.games import FALLS, STANDS, played
from support.played_datasets import write_dataset


@pytest.fixture(scope="module")
def games(tmp_path_factory) -> Path:
    return write_dataset(tmp_path_factory.mktemp("dataset") / "games", played(6, FALLS), played(4, STANDS), shard=1)


def read_truth(folder: Path) -> list[dict[str, str]]:
    with (folder / "surveys" / "truth.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_an_exact_survey_is_the_debris(games: Path, tmp_path: Path) -> None:
    assert [tuple(each) for each in export_surveys(games, tmp_path, Noise())] == [(1, 2, 1), (2, 2, 1)]
    survey, truth = read_survey(tmp_path / "surveys" / "nominal_exp_0000.csv"), read_truth(tmp_path)
    assert {line["episode"] for line in truth} == {"nominal_exp_0000"}  # the other one did not fall
    assert [line["stone"] for line in truth] == list(survey.ids)
    episode = played(6, FALLS)
    labels, ids = episode.labels, list(episode.structure.ids)
    rows = [ids.index(line["slot"]) for line in truth]  # blocks were taken away, not put on top: their ids are their slots
    assert sorted(rows) == np.flatnonzero(labels.lies.present).tolist()
    np.testing.assert_array_equal(survey.position, labels.lies.position[rows])
    assert survey.source == "simulated, nominal_exp_0000"
    assert check_survey(survey) == []


def test_foreign_stones_are_foreign_in_the_truth_alone(games: Path, tmp_path: Path) -> None:
    list(export_surveys(games, tmp_path, Noise(foreign=3)))
    truth = read_truth(tmp_path)
    assert sum(line["slot"] == "foreign" for line in truth) == 3
    assert "foreign" not in (tmp_path / "surveys" / "nominal_exp_0000.csv").read_text()


def test_names_within_a_shard_are_no_names_of_files(games: Path, tmp_path: Path) -> None:
    bad = write_dataset(tmp_path / "bad", played(6, FALLS))
    for table in TABLES:
        (bad / table / "nominal_000001-000001.parquet").write_bytes((bad / table / "nominal_000000-000000.parquet").read_bytes())
    with pytest.raises(InvalidInput, match="it does not hold nominal_exp_0001 once; run `anastylosis verify "):
        list(export_surveys(bad, tmp_path / "data", Noise()))
