"""The tower as an environment: Gymnasium's own checks, the game's rules, seeds, and what is refused."""

import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

from anastylosis.environment import TowerEnvironment
from anastylosis.environment.registration import TOWER_ID, register_tower
from anastylosis.environment.tower import WAYS
from anastylosis.episode import EpisodeConfig, learning_variation, run_episode
from anastylosis.errors import InvalidConfig, InvalidInput, MissingExtra
from support.games import FALLS, STANDS, played

ID = f"anastylosis.environment:{TOWER_ID}"  # as a user writes it


def replay(env: TowerEnvironment, seed: int, pulls: list) -> list[tuple]:
    """Play these pulls; what each step returned."""
    env.reset(seed=seed)
    return [env.step(env.encode(pull)) for pull in pulls]


@pytest.mark.parametrize("observation", ["state", "rgb"])
def test_gymnasiums_own_checker_passes(observation: str) -> None:
    env = gymnasium.make(ID, layers=4, observation=observation, size=32, render_mode="rgb_array")
    check_env(env.unwrapped)  # warnings are errors in these tests


@pytest.mark.parametrize(("layers", "seed", "last"), [(6, FALLS, -1.0), (4, STANDS, 1.0)])
def test_a_game_is_the_episode_of_its_seed(layers: int, seed: int, last: float) -> None:
    """The same pulls give the blocks the same poses, to the last bit of an observation, and the same end."""
    episode = played(layers, seed)
    env = TowerEnvironment(layers=layers, protected_layers=2)
    steps = replay(env, seed, [round_.pull for round_ in episode.rounds])
    seen, reward, terminated, truncated, info = steps[-1]
    lies = episode.labels.lies
    assert np.array_equal(seen["position"][lies.present], lies.position[lies.present].astype(np.float32))
    assert np.array_equal(seen["present"].astype(bool), lies.present)
    assert (reward, terminated, truncated) == (last, True, False)
    assert not info["action_mask"].any()
    assert [info["outcome"] for *_, info in steps] == [round_.outcome for round_ in episode.rounds]
    assert [reward for _, reward, *_ in steps[:-1]] == [float(round_.outcome == "out") for round_ in episode.rounds[:-1]]
    assert [info["peak_force"] for *_, info in steps] == [round_.extraction.peak_force for round_ in episode.rounds]
    with pytest.raises(ResetNeeded, match="over"):
        env.step(0)


def test_a_pull_that_is_not_allowed_changes_nothing_and_is_a_round() -> None:
    env = TowerEnvironment(layers=4, rounds=2)
    before, info = env.reset(seed=3)
    top = WAYS * (len(env.game.tower) - 1)
    assert info["action_mask"][top : top + WAYS].sum() == 0
    for cut in (False, True):
        after, reward, terminated, truncated, info = env.step(top)
        assert (info["outcome"], reward, terminated, truncated) == ("not allowed", 0.0, False, cut)
    assert all(np.array_equal(before[name], after[name]) for name in before)


def test_the_mask_allows_what_the_players_of_episodes_may_pull() -> None:
    env = TowerEnvironment(layers=3)
    _, info = env.reset(seed=0)
    # one free layer: two side blocks with three ways each, a centre block with two
    assert info["action_mask"].tolist() == [1, 1, 1, 1, 1, 0, 1, 1, 1] + [0] * 18
    env.action_space.seed(0)
    assert all(info["action_mask"][env.action_space.sample(info["action_mask"])] for _ in range(20))


def test_seeds_decide_the_tower_and_the_ones_after_it() -> None:
    varied = EpisodeConfig(layers=3, variation=learning_variation(), rounds=0)

    def towers(seed: int) -> list[bytes]:
        env = gymnasium.make(ID, config=varied)
        return [env.reset(seed=seed)[0]["position"].tobytes(), *(env.reset()[0]["position"].tobytes() for _ in range(2))]

    first = towers(5)
    assert first == towers(5)
    assert len({*first, *towers(6)}) == 6
    assert first[0] == run_episode(varied, 5).labels.lies.position.astype(np.float32).tobytes()


def test_pictures_show_what_is_there() -> None:
    env = TowerEnvironment(layers=4, observation="rgb", size=64, render_mode="rgb_array")
    seen, info = env.reset(seed=1)
    assert (seen.shape, seen.dtype) == ((64, 64, 3), np.uint8)
    assert env.render().shape == (480, 480, 3)
    after, *_ = env.step(int(np.flatnonzero(info["action_mask"])[0]))
    assert (seen != after).any()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (dict(observation="depth"), "choose state or rgb"),
        (dict(observation="rgb", size=4), "16 to 2048"),
        (dict(render_mode="human"), "choose rgb_array"),
        (dict(look="gold"), "choose one of"),
        (dict(height=3), "height is no setting"),
        (dict(config=EpisodeConfig(), layers=3), "layers beside it"),
    ],
)
def test_wrong_settings_are_refused_in_words(wrong: dict, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        TowerEnvironment(**wrong)


def test_wrong_calls_are_refused_in_words() -> None:
    with pytest.raises(InvalidConfig, match="layers is 1"):
        TowerEnvironment(layers=1)
    env = TowerEnvironment(layers=3, render_mode="rgb_array")
    with pytest.raises(ResetNeeded):
        env.step(0)
    with pytest.raises(ResetNeeded):
        env.render()
    env.reset(seed=0)
    with pytest.raises(InvalidInput, match="0 to 26"):
        env.step(27)


def test_registering_twice_is_no_warning() -> None:
    register_tower()
    assert TOWER_ID in gymnasium.registry


def test_only_who_asks_for_the_environment_loads_gymnasium() -> None:
    code = "import anastylosis, anastylosis.episode, sys; print('gymnasium' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
    code = "import anastylosis.environment, sys; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_without_gymnasium_the_line_that_installs_it_is_told(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    for name in [name for name in sys.modules if name.startswith("anastylosis.environment")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(MissingExtra, match=r"install .*\[gym\]"):
        import anastylosis.environment  # noqa: F401
