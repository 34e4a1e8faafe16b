"""Overall progress: one bar over all stages, that only grows."""

from pathlib import Path

import pytest

from anastylosis.executors import run_serial
from anastylosis.survey import write_survey
from anastylosis.web.findings import reconstruct
from anastylosis.web.jobs import WAITING
from anastylosis.web.observing import VisitorFacts
from anastylosis.web.progress import OverallProgress, weigh_stages
from anastylosis.web.uploads import EXAMPLES, InputFile
from support.heaps import small_fall, survey_of


@pytest.mark.parametrize("hypotheses", [0, 2])
def test_the_share_of_a_whole_reconstruction_never_falls_and_ends_at_one(tmp_path: Path, hypotheses: int) -> None:
    path = tmp_path / "survey.csv"
    write_survey(path, survey_of(small_fall())[0])
    given, told = InputFile(path, "survey", "six.csv"), VisitorFacts(layers=6, hypotheses=hypotheses)
    stages = weigh_stages(given, told, 2)
    overall, heard, shares = OverallProgress(stages), [], []

    def progress(what: str, done: int, total: int) -> None:
        heard.append(what)
        shares.append(overall.reach(what, done, total))

    reconstruct(given, told, 2, run_serial, progress)
    assert list(dict.fromkeys(heard)) == [name for name, weight in stages.items() if weight]  # every stage, in its order
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert len(set(shares)) > len(stages)  # it grows within stages, too


def test_a_stage_goes_as_far_as_what_it_takes() -> None:
    overall = OverallProgress({"blocks": 1.0, "moves": 3.0, "fall": 4.0})
    assert overall.reach(WAITING, 2, 5) == 0.0
    assert overall.reach("blocks", 0, 1) == 0.0
    assert overall.reach("moves", 0, 3) == 1 / 8
    assert overall.reach("moves", 2, 3) == 3 / 8
    assert overall.reach("blocks", 0, 1) == 3 / 8  # whatever is heard late
    assert overall.reach("fall", 1, 1) == 1.0


def test_pictures_are_looked_at_for_longer_than_surveys_are_read() -> None:
    stages = {name: weigh_stages(given, VisitorFacts(), 12) for name, given in EXAMPLES.items()}
    assert stages["picture"]["blocks"] > stages["survey"]["blocks"]
