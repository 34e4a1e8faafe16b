"""The exception tree, and messages that say what to do."""

import pickle
import re
from pathlib import Path

import pytest

from anastylosis import errors
from anastylosis.errors import AnastylosisError, InvalidInput, InvalidStructure, MissingExtra, SimulationDiverged
from anastylosis.machine import install_line


def test_all_is_sorted_and_complete() -> None:
    defined = [name for name, value in vars(errors).items() if isinstance(value, type)]
    assert errors.__all__ == sorted(defined)


@pytest.mark.parametrize("name", errors.__all__)
def test_every_error_is_drawn_in_the_tree(name: str) -> None:
    assert issubclass(getattr(errors, name), AnastylosisError)
    assert name in (errors.__doc__ or "")


def test_errors_that_live_elsewhere_are_named_with_the_others() -> None:
    sources = {path: path.read_text(encoding="utf-8") for path in Path(errors.__file__).parent.rglob("*.py")}
    heads = "|".join(errors.__all__)
    others = {name for text in sources.values() for name in re.findall(rf"^class (\w+)\((?:{heads})\b", text, re.M)}
    assert "Refused" in others
    assert [name for name in others if name not in (errors.__doc__ or "")] == []


def test_bad_input_is_a_value_error() -> None:
    assert issubclass(InvalidStructure, InvalidInput)
    assert issubclass(InvalidInput, ValueError)


def test_a_kind_that_is_not_declared_is_noticed_where_it_is_raised() -> None:
    with pytest.raises(LookupError, match="'survy' is no kind of problem"):
        InvalidInput("no", kind="survy")


def test_a_problem_in_other_words_keeps_its_kind_and_its_remedy() -> None:
    named, loose = InvalidInput("no", kind="survey_ids", remedy="Mend it"), InvalidInput("no")
    assert (str(named.reword("never", "survey")), named.reword("never", "survey").kind) == ("never. Mend it", "survey_ids")
    assert loose.reword("never", "survey").kind == "survey"


def test_divergence_names_world_step_and_block() -> None:
    error = SimulationDiverged(world=2, step=17, block=5, block_id="L01_2")
    assert (error.world, error.step, error.block, error.block_id) == (2, 17, 5, "L01_2")
    for part in ("block 'L01_2'", "world 2", "step 17"):
        assert part in str(error)


def test_missing_extra_gives_the_install_line() -> None:
    error = MissingExtra("torch", "train")
    assert str(error) == f"torch is not installed; run: {install_line('train')}"
    assert (error.what, error.remedy) == ("torch is not installed", f"run: {install_line('train')}")


@pytest.mark.parametrize("error", [SimulationDiverged(2, 17, 5, "L01_2"), MissingExtra("torch", "train"), InvalidInput("no")])
def test_errors_come_home_from_a_worker_process(error: AnastylosisError) -> None:
    home = pickle.loads(pickle.dumps(error))
    assert (type(home), str(home), vars(home)) == (type(error), str(error), vars(error))
