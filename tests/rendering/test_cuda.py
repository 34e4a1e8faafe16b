"""Pictures of many worlds: on the CPU, in the CUDA simulator, which runs kernels in Python, and on a real GPU where there is one
(marked `gpu`)."""

import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from anastylosis.errors import DeviceMissing, InvalidInput, InvalidStructure
from anastylosis.gpu import reason_without_gpu
from anastylosis.gpu.poses import DevicePoses, send_poses
from anastylosis.kernel import entry
from anastylosis.physics import Simulation
from anastylosis.rendering import Camera, Look, Sensor, image, paper_camera, random_domain, render_image, render_worlds
from anastylosis.rendering.look import wood_look
from anastylosis.rendering.shade import draw_tile
from anastylosis.structure import jenga_tower
from support.cuda_simulator import run_simulated
from support.scenes import pile
from support.simulated_pictures import photograph_two_towers
from support.worlds import kick

MISSING = reason_without_gpu()
on_gpu = pytest.mark.skipif(MISSING is not None, reason=f"no GPU to test on: {MISSING}")


def poses_of(layers: int, worlds: int) -> DevicePoses:
    return Simulation([jenga_tower(layers)] * worlds, threads=1).poses()


def test_the_simulator_draws_the_bits_of_the_cpu(project: Path) -> None:
    """Launches, layout, present blocks, what is read where it is and what is sent: all but the arithmetic of a real GPU."""
    there, here = run_simulated(project, "simulated_pictures.py"), json.loads(json.dumps(photograph_two_towers("cpu")))
    assert (there.pop("device"), here.pop("device")) == ("cuda", "cpu")
    assert here["refused"] == "world 1: no block is present; a picture needs at least one"
    for picture in here["pictures"]:
        assert np.unique(picture[0]).size > 50  # there is something to compare
        assert np.unique(picture[1]).size == 4  # the floor and three blocks
    assert there == here


@entry
def draw_pixel_by_pixel(view, boxes, sun, paint, shadows, samples, table, stale, found, depth, surface, rgb):
    for top in range(view.height):
        for left in range(view.width):
            draw_tile(view, boxes, sun, paint, shadows, samples, table, left, top, 1, 1, found, depth, surface, rgb)


@pytest.mark.parametrize("shadows", ["hard", "soft"])
def test_a_pixel_is_the_same_in_a_tile_of_its_own(monkeypatch: pytest.MonkeyPatch, shadows: str) -> None:
    """A GPU draws each pixel alone, the CPU tiles of 16 x 16: with that, the CPU's own kernels give the same bytes."""
    for seed in range(8):
        camera, look, _ = random_domain(np.random.default_rng(seed), 71, 53, layers=6, reach=0.3)
        scene, samples = pile(seed, [3, 25, 60, 120][seed % 4]), 1 + seed % 3
        monkeypatch.undo()
        tiles = render_image(*scene, camera, look, antialias=samples, shadows=shadows).rgb
        monkeypatch.setattr(image, "draw", draw_pixel_by_pixel)
        assert np.array_equal(render_image(*scene, camera, look, antialias=samples, shadows=shadows).rgb, tiles)


def test_pictures_of_worlds_are_those_of_each() -> None:
    poses = poses_of(2, 2)
    poses.present[1, 3] = False
    domains = [random_domain(np.random.default_rng(seed), 20, 14, layers=2, reach=0.2) for seed in (1, 2)]
    cameras, looks, sensors = zip(*domains, strict=True)
    batch = render_worlds(poses, cameras, looks, antialias=2, shadows="soft", sensors=sensors, ids=True, depth=True)
    for w, (camera, look, sensor) in enumerate(domains):
        size, position, orientation, present = (array[w] for array in poses[:4])
        alone = render_image(
            size, position, orientation, camera, look, present=present, antialias=2, shadows="soft", sensor=sensor, ids=True,
            depth=True,
        )  # fmt: skip
        for part, mine in zip(batch, alone, strict=True):
            assert np.array_equal(part[w], mine)
    assert batch.grey.shape == (2, 14, 20)
    assert render_worlds(poses, cameras, looks)[1:] == (None, None)


@pytest.mark.parametrize(
    ("cameras", "looks", "more", "said"),
    [
        ([paper_camera()], wood_look(0), {}, "cameras: give one Camera for all worlds, or a list with one for each of the 2"),
        (paper_camera(), [wood_look(0)] * 3, {}, "looks: give one Look for all worlds, or a list with one for each of the 2"),
        ([paper_camera(8, 8), paper_camera(9, 8)], wood_look(0), {}, "those of one call have one width and height"),
        (paper_camera(), wood_look(0), {"sensors": [Sensor(seed=0), None]}, "sensors: give one Sensor"),
        (paper_camera(), wood_look(0), {"antialias": 9}, "antialias is 9"),
        (paper_camera(), wood_look(0), {"shadows": "dark"}, "shadows is 'dark'"),
    ],
)
def test_what_is_refused(cameras: object, looks: object, more: dict[str, object], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        render_worlds(poses_of(1, 2), cameras, looks, **more)


def test_a_world_that_cannot_be_drawn_is_named() -> None:
    poses = poses_of(1, 2)
    poses.orientation[1, 2] *= 1.1
    with pytest.raises(InvalidStructure, match=r"world 1: length of the orientation of block 2 is 1\.1"):
        render_worlds(poses, paper_camera(8, 8), wood_look(0))


@pytest.mark.skipif(MISSING is None, reason="there is a GPU")
def test_without_a_gpu_it_is_said_what_is_missing() -> None:
    with pytest.raises(DeviceMissing, match="there is no GPU to work on"):
        send_poses(poses_of(1, 1))


def test_nothing_of_cuda_is_loaded_by_pictures_on_the_cpu() -> None:
    code = (
        "import sys; from anastylosis.physics import Simulation; from anastylosis.structure import jenga_tower; "
        "from anastylosis.rendering import make_look, paper_camera, render_worlds; "
        "render_worlds(Simulation(jenga_tower(1)).poses(), paper_camera(8, 8), make_look('wood', 0)); "
        "print([name for name in sys.modules if name.startswith(('numba_cuda', 'numba.cuda.cudadrv', 'cuda.'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def views(count: int, side: int) -> tuple[list[Camera], list[Look]]:
    domains = [random_domain(np.random.default_rng(seed), side, side, layers=6, reach=0.3) for seed in range(count)]
    return [domain.camera for domain in domains], [domain.look for domain in domains]


@pytest.mark.gpu
@on_gpu
@pytest.mark.parametrize("shadows", ["hard", "soft", "none"])
def test_a_gpu_draws_the_picture_of_the_cpu(shadows: str) -> None:
    """Same operations in the same order, each rounded as IEEE 754 says: the same bytes, ids and depths, of debris in mid-air."""
    worlds = 12
    simulation = kick(Simulation([jenga_tower(6)] * worlds, device="cuda"), range(worlds), 0.3)
    simulation.run(0.5)
    there = simulation.poses()
    state = simulation.state
    here = DevicePoses(there.size, state.position, state.orientation, state.present)
    drawn = [
        render_worlds(poses, *views(worlds, 64), antialias=2, shadows=shadows, ids=True, depth=True) for poses in (there, here)
    ]
    for name, gpu, cpu in zip(drawn[0]._fields, *drawn, strict=True):
        assert np.array_equal(gpu, cpu), f"{name}: {np.count_nonzero(gpu != cpu)} of {gpu.size} differ"


@pytest.mark.gpu
@on_gpu
def test_a_gpu_draws_faster_than_a_core() -> None:
    """Pictures a second, compiled before; printed, and at least those of one core when there are many."""
    rates = {}
    for device, worlds in (("cpu", 20), ("cuda", 2048)):
        poses = poses_of(18, worlds)
        poses = send_poses(poses) if device == "cuda" else poses
        cameras, looks = views(worlds, 128)
        render_worlds(poses, cameras, looks, antialias=2, shadows="soft")
        begin = time.perf_counter()
        render_worlds(poses, cameras, looks, antialias=2, shadows="soft")
        rates[device] = worlds / (time.perf_counter() - begin)
    print(f"pictures a second: one core {rates['cpu']:.0f}, GPU {rates['cuda']:.0f}")
    assert rates["cuda"] > rates["cpu"]
