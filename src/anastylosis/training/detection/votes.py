"""Training of the vote net: crops of pictures, the vote of each pixel, the net and its losses.

A U-Net (Ronneberger et al. 2015): every pixel of a block votes for the pose of its block.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from anastylosis.dataset import Examples
from anastylosis.detection.view import HEIGHT_UNIT, make_frames
from anastylosis.detection.votes import (
    RAY_CHANNELS,
    SHIFT_UNIT,
    STRIDE,
    VOTE_OUTPUTS,
    encode_view,
    vote_pixels,
)
from anastylosis.geometry import SYMMETRIC_ENTRIES
from anastylosis.rendering import Camera
from anastylosis.training.detection.pool import count_batches, mix_batches
from anastylosis.training.detection.random_streams import random_stream
from anastylosis.training.detection.residual import Residual, convolve
from anastylosis.training.detection.scenes import (
    DebrisScene,
    LabelledView,
    SceneRecipe,
    draw_camera,
    draw_scene,
    draw_shot,
    thin_out,
)

HEAD, FACES = 96, 3  # features before the last layer; faces across length, width and height
INPUTS = 3 + RAY_CHANNELS  # red, green, blue; what is known of each ray
STEM = 24
WIDTHS, DEPTHS = (48, 64, 96, 128), (1, 3, 3, 2)  # at 4, 8, 16 and 32 pixels
AROUND, DIM = 9, 0.1  # [pixels] within which grey is compared; spread below which it is not drawn out further
TRAINING_CROP = 160  # [pixels]
BATCH, CROPS, POOL = 16, 6, 24  # crops a batch; crops a picture; pictures mixed at a time
MANY, TRIES = 8, 4  # fallen blocks from which on a scene is always taken; scenes of which one is taken
ANYWHERE = 1  # crops a picture that are about no block: floors and things get no votes
STANDING = 0.05  # how often a crop is about a block that stands, beside one that fell: no votes are wanted there
EVEN = 10  # votes of a block that counts as one; of two of twice as many each vote counts less
VALUES = 15  # shift, height, axes


class VoteNet(nn.Module):
    """Net (N, INPUTS, H, W) -> (N, OUTPUTS, H / STRIDE, W / STRIDE)."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(convolve(1 + INPUTS, STEM, 5, 2), convolve(STEM, WIDTHS[0], 3, 2))
        self.down = nn.ModuleList(convolve(a, b, 3, 2) for a, b in pairwise(WIDTHS))
        self.stages = nn.ModuleList(
            nn.Sequential(*(Residual(width) for _ in range(depth))) for width, depth in zip(WIDTHS, DEPTHS, strict=True)
        )
        self.up = nn.ModuleList(nn.Sequential(nn.Conv2d(b, a, 1, bias=False), nn.BatchNorm2d(a)) for a, b in pairwise(WIDTHS))
        self.joined = nn.ModuleList(Residual(width) for width in WIDTHS[:-1])
        self.mix = convolve(WIDTHS[0], HEAD, 1)
        self.out = nn.Conv2d(HEAD, VOTE_OUTPUTS, 1)
        self.aside = nn.Conv2d(HEAD, FACES + 1, 1)  # used in training alone: what a pixel shows helps to know where its block is

    def forward(self, picture: Tensor, learn: bool = False) -> Tensor | tuple[Tensor, Tensor, Tensor]:
        """Return votes; with `learn`, also logits of the face that each pixel shows (N, FACES, h, w), and of an edge there (N, h,
        w).
        """
        seen = self.see(picture)
        votes: Tensor = self.out(seen)
        if not learn:
            return votes
        aside = self.aside(seen)
        return votes, aside[:, :FACES], aside[:, FACES]

    def see(self, picture: Tensor) -> Tensor:
        x = self.stages[0](self.stem(torch.cat([stretch_contrast(picture[:, :3]), picture], 1)))
        kept = [x]
        for down, stage in zip(self.down, self.stages[1:], strict=True):
            x = stage(down(x))
            kept.append(x)
        for number in reversed(range(len(self.down))):
            x = functional.interpolate(self.up[number](x), scale_factor=2.0, mode="nearest")
            x = self.joined[number](torch.relu(x + kept[number]))
        mixed: Tensor = self.mix(x)
        return mixed


class VoteBatch(NamedTuple):
    """Crops of pictures, and the true votes of their pixels."""

    picture: Tensor  # (N, INPUTS, CROP, CROP)
    block: Tensor  # (N, h, w) float: 1 where a block is seen that fell
    values: Tensor  # (N, VALUES, h, w)
    weight: Tensor  # (N, h, w) of these values
    face: Tensor  # (N, h, w) across which axis of its block a face is; used in training alone
    edge: Tensor  # (N, h, w) float: 1 where a block ends, at another or at the floor; the same

    def to(self, device: torch.device) -> "VoteBatch":
        return VoteBatch(*(part.to(device, non_blocking=True) for part in self))


class VoteBatches:
    """Batches drawn on the fly; the same epoch gives the same ones."""

    def __init__(self, examples: Examples, *, pictures: int, recipe: SceneRecipe, seed: int) -> None:
        self.examples, self.pictures, self.recipe, self.seed = examples, pictures, recipe, seed

    def __len__(self) -> int:
        return count_batches(self.pictures, POOL, BATCH, CROPS)

    def shuffled(self, epoch: int) -> Iterator[VoteBatch]:
        yield from self.draw(np.random.default_rng((self.seed, random_stream("vote_net"), epoch)), epoch)

    def in_order(self) -> Iterator[VoteBatch]:
        yield from self.draw(np.random.default_rng((self.seed, random_stream("vote_net"))), None)

    def draw(self, rng: np.random.Generator, epoch: int | None) -> Iterator[VoteBatch]:
        thinned = self.recipe.thin_share(epoch)
        for parts in mix_batches(lambda: self.draw_picture(rng, thinned), self.pictures, POOL, BATCH, rng):
            picture, *votes = (torch.from_numpy(part) for part in parts)
            yield VoteBatch(picture.contiguous(memory_format=torch.channels_last), *votes)  # a fifth faster

    def draw_picture(self, rng: np.random.Generator, thinned: float) -> tuple[NDArray[np.float32], ...]:
        scene = self.draw_scene(rng)
        if rng.random() < thinned:
            scene = thin_out(scene, rng)
        shot = draw_shot(scene, draw_camera(scene, self.recipe, rng), self.recipe, rng)
        votes = label_votes(scene, shot)
        picture = encode_view(shot.view)
        corners = pick_corners(scene, shot, rng)
        cells = TRAINING_CROP // STRIDE
        labels: list[tuple[NDArray[Any], int, int]] = [(picture, STRIDE, TRAINING_CROP)]
        labels += [(part, 1, cells) for part in votes]
        return tuple(
            np.stack([part[..., y * k : y * k + side, x * k : x * k + side] for x, y in corners]).astype(np.float32)
            for part, k, side in labels
        )

    def draw_scene(self, rng: np.random.Generator) -> DebrisScene:
        """Draw a scene, preferably one with many fallen blocks."""
        for _ in range(TRIES):
            scene = draw_scene(self.examples, self.recipe, rng)
            if rng.random() < np.count_nonzero(scene.fell) / MANY:
                break
        return scene


def stretch_contrast(colours: Tensor) -> Tensor:
    """Return (N, 1, H, W) grey relative to its surroundings: edges in shadow are as clear as those in light."""
    grey = colours.mean(1, keepdim=True)
    mean = functional.avg_pool2d(grey, AROUND, 1, AROUND // 2)
    square = functional.avg_pool2d(grey * grey, AROUND, 1, AROUND // 2)
    return (grey - mean) / (torch.sqrt(torch.clamp(square - mean * mean, min=1e-4)) + DIM)


def pick_corners(scene: DebrisScene, shot: LabelledView, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return (CROPS, 2) upper left corners of crops around blocks, most of them fallen ones, in units of STRIDE."""
    pixels, _ = shot.view.camera.project(scene.blocks.position)
    seen = np.isin(np.arange(len(scene.fell)), shot.ids)
    weight = np.where(scene.fell, 1.0, STANDING) * seen + 1e-6
    rows = rng.choice(len(weight), CROPS, replace=len(weight) < CROPS, p=weight / weight.sum())
    pixels = pixels[rows]
    pixels[:ANYWHERE] = rng.uniform(0, shot.view.camera.width, (ANYWHERE, 2))
    corner = (pixels + rng.uniform(-0.3, 0.3, (CROPS, 2)) * TRAINING_CROP - TRAINING_CROP / 2) / STRIDE
    return np.clip(np.rint(corner), 0, (shot.view.camera.width - TRAINING_CROP) // STRIDE).astype(np.int64)


def find_faces(scene: DebrisScene, camera: Camera, at: NDArray[np.float64], row: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return (h, w) the axis of its block (h, w) across which the face is that each pixel (h, w, 2) shows."""
    blocks = scene.blocks.take(row.ravel())
    eye = np.einsum("nij,ni->nj", blocks.axes, np.asarray(camera.eye) - blocks.position)
    ray = np.einsum("nij,ni->nj", blocks.axes, camera.rays(at).reshape(-1, 3))
    slope = 1 / np.where(np.abs(ray) < 1e-9, 1e-9, ray)
    entry = -eye * slope - np.abs(slope) * blocks.size / 2
    return entry.argmax(axis=1).reshape(row.shape)


def label_votes(scene: DebrisScene, shot: LabelledView) -> tuple[NDArray[np.float64], ...]:
    """Return the true votes of pixels.

    A block or none (h, w), the values (VALUES, h, w), their weight, the face, and whether a block ends there.
    """
    camera = shot.view.camera
    ids = shot.ids[STRIDE // 2 :: STRIDE, STRIDE // 2 :: STRIDE]
    block = ids >= 0
    at = vote_pixels(camera)
    row = np.where(block, ids, 0)
    centre, _ = camera.project(scene.blocks.position)
    axes = make_frames(camera.rays(at)) @ scene.blocks.axes[row]
    outer = [np.stack([axes[..., i, k] * axes[..., j, k] for i, j in SYMMETRIC_ENTRIES]) for k in (0, 2)]
    values = np.concatenate(
        [
            np.moveaxis(centre[row] - at, -1, 0) / SHIFT_UNIT,
            scene.blocks.position[row, 2][None] / HEIGHT_UNIT,
            *outer,
        ]
    )
    pixels = np.bincount(ids[block], minlength=len(scene.fell))
    fallen = block & scene.fell[row]  # those that stand are looked for where they stood
    weight = np.where(fallen, np.sqrt(EVEN / np.maximum(pixels, 2))[row], 0.0)
    face, edge = find_faces(scene, camera, at, row), find_edges(shot.ids)
    return fallen.astype(float), values, weight, face.astype(float), edge.astype(float)


def find_edges(ids: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return (h, w) whether the pixels around each voting pixel, and the next to the right and below, show different blocks, or a
    block and none.
    """
    about = sliding_window_view(np.pad(ids, (0, 1), mode="edge"), (STRIDE + 1, STRIDE + 1))[::STRIDE, ::STRIDE]
    return np.asarray(about.max(axis=(2, 3)) != about.min(axis=(2, 3)))


def measure_vote_losses(net: torch.nn.Module, batch: VoteBatch) -> dict[str, Tensor]:
    """Return the loss terms: values by their absolute errors where a block is visible; deviations by the likelihood of those
    errors.
    """
    outputs, faces, edges = net(batch.picture, learn=True)
    total = batch.weight.sum().clamp(min=1e-6)
    wrong = (outputs[:, 1:16] - batch.values).abs()
    place, turn = wrong[:, :3].sum(1), wrong[:, 3:].sum(1)
    scale = outputs[:, 16:18].clamp(-6, 6)
    errors = torch.stack([place / 3, turn / 12], 1).detach()
    log_deviation = (errors * torch.exp(-scale) + scale).sum(1)
    return {
        "block": functional.binary_cross_entropy_with_logits(outputs[:, 0], batch.block),
        "place": (place * batch.weight).sum() / total,
        "turn": 0.5 * (turn * batch.weight).sum() / total,
        "log_deviation": 0.05 * (log_deviation * batch.weight).sum() / total,
        "face": 0.5 * (functional.cross_entropy(faces, batch.face.long(), reduction="none") * batch.weight).sum() / total,
        "edge": 0.5 * functional.binary_cross_entropy_with_logits(edges, batch.edge),
    }
