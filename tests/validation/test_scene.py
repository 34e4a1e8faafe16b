"""The benchmark scenes: what stands in them, how it moves, and that seeds make them the same again."""

import numpy as np
import pytest

from anastylosis.errors import InvalidConfig, InvalidStructure
from anastylosis.structure import jenga_tower
from anastylosis.validation.penetration import overlapping_pair
from anastylosis.validation.scene import (
    SCENES,
    BenchScene,
    batch_scenes,
    collapse_scenes,
    field_2000,
    start_scenes,
    tower_36,
    tower_collapse,
    tower_rest,
)


@pytest.mark.parametrize(("name", "blocks", "seconds"), [
    ("tower_rest", 54, 2.0), ("tower_collapse", 52, 2.0), ("tower_36", 108, 1.0), ("field_2000", 2000, 0.5),
])  # fmt: skip
def test_scenes_have_their_blocks_and_no_overlap(name, blocks, seconds) -> None:
    scene = SCENES[name]()
    assert (scene.name, len(scene.structure), scene.seconds) == (name, blocks, seconds)
    structure = scene.structure
    assert overlapping_pair(structure.position, structure.orientation, structure.blocks.size)[0] < 1e-12


@pytest.mark.parametrize("build", [tower_rest, tower_36, field_2000])
def test_still_scenes_do_not_move(build) -> None:
    scene = build()
    assert not scene.velocity.any()
    assert not scene.angular_velocity.any()


def test_columns_of_the_field_are_at_least_5_mm_apart() -> None:
    structure = field_2000().structure
    x, y = np.unique(structure.position[:, 0].round(9)), np.unique(structure.position[:, 1].round(9))
    assert (len(x), len(y)) == (40, 25)
    assert np.diff(x).min() - 0.081 >= 0.005
    assert np.diff(y).min() - 0.026 >= 0.005


def test_collapse_kicks_what_is_above_as_one_rigid_body() -> None:
    scene = tower_collapse(seed=4)
    above = scene.structure.course > 4
    assert not scene.velocity[~above].any()
    assert not scene.angular_velocity[~above].any()
    assert np.ptp(scene.angular_velocity[above], axis=0).max() == 0
    # v = kick + w x r: rigid motion keeps every distance, (v_i - v_j) . (r_i - r_j) = 0
    r, v = scene.structure.position[above], scene.velocity[above]
    assert ((v[:, None] - v) * (r[:, None] - r)).sum(axis=2) == pytest.approx(0, abs=1e-15)
    assert np.linalg.norm(v.mean(axis=0)) == pytest.approx(0.3)  # full courses: the spin averages out
    assert not scene.velocity[:, 2].any()


def test_what_is_above_the_weak_layer_has_no_support_under_its_centre() -> None:
    structure = tower_collapse().structure
    left = structure.position[structure.course == 4]
    assert len(left) == 1  # one side block stays, and the weight is beside it
    assert np.abs(left[0, :2]).max() - 0.013 > 0.01


def test_seeds_repeat_and_differ() -> None:
    assert np.array_equal(tower_collapse(1).velocity, tower_collapse(1).velocity)
    assert not np.array_equal(tower_collapse(1).velocity, tower_collapse(2).velocity)


def test_collapse_scenes_vary_and_do_not_depend_on_their_number() -> None:
    few, many = collapse_scenes(3), collapse_scenes(30)
    for a, b in zip(few, many, strict=False):
        assert a.name == b.name
        assert a.structure.ids == b.structure.ids
        assert np.array_equal(a.velocity, b.velocity)
    assert len({scene.structure.ids for scene in many}) > 25
    assert {float(scene.structure.blocks.friction[0]) for scene in many} == {0.25, 0.40, 0.60}
    assert all(scene.structure.floor.friction == scene.structure.blocks.friction[0] for scene in many)
    assert all(50 <= len(scene.structure) <= 52 for scene in many)


def test_every_scene_starts_in_a_world_of_its_own() -> None:
    scenes = batch_scenes(2)
    simulation = start_scenes(scenes, threads=1)
    assert simulation.threads == 1
    for world, scene in enumerate(scenes):
        assert simulation.structures[world] is scene.structure
        assert np.array_equal(simulation.state.velocity[world], scene.velocity)
        assert np.array_equal(simulation.state.angular_velocity[world], scene.angular_velocity)


def test_bad_scenes_are_refused() -> None:
    still = np.zeros((3, 3))
    with pytest.raises(InvalidConfig, match="above 0 s"):
        BenchScene(name="x", structure=jenga_tower(1), velocity=still, angular_velocity=still, seconds=0.0)
    with pytest.raises(InvalidStructure, match="velocity"):
        BenchScene(name="x", structure=jenga_tower(2), velocity=still, angular_velocity=still, seconds=1.0)
    for scenes in (collapse_scenes, batch_scenes):
        with pytest.raises(InvalidConfig, match="count"):
            scenes(-1)
