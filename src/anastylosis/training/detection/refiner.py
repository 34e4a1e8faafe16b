"""Training of the refiner: proposals of a trained vote net, the true poses, the net and its losses."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from anastylosis.arrays import Floats
from anastylosis.dataset import Examples
from anastylosis.detection.detections import BoxProposals
from anastylosis.detection.refiner import (
    EVIDENCE,
    IMAGE_CHANNELS,
    LOG_DEVIATION_RANGE,
    LOG_DEVIATIONS,
    PLACE_UNIT,
    REFINED_LOGIT,
    REFINER_OUTPUTS,
    SHIFT,
    TURN,
    TURN_UNIT,
    VOTE_CHANNELS,
    VOTE_CROP,
    Crops,
    RefinerFunction,
    aim_frames,
    cut_crops,
    lay_samples,
    measure_evidence,
)
from anastylosis.detection.votes import VotedProposals, VoteNetFunction, propose_by_votes
from anastylosis.errors import InvalidInput
from anastylosis.training.detection.pool import count_batches, mix_batches
from anastylosis.training.detection.random_streams import random_stream
from anastylosis.training.detection.residual import Residual, convolve
from anastylosis.training.detection.scenes import DebrisScene, LabelledView, SceneRecipe, draw_camera, draw_scene, draw_shot
from anastylosis.training.detection.scores import PLACE_NEAR, TURN_NEAR, measure_pairs
from anastylosis.training.detection.votes import STEM, WIDTHS, stretch_contrast

NEAR, FAR, LAST = *WIDTHS[:2], 32  # features at 4 and 8 samples; those of the last that are weighed
DEPTHS = (1, 2)  # at 4 and 8 samples
HIDDEN, DROPPED = 128, 0.1
USUAL = (0.0, -5.0, -2.0, *(0.0 for _ in range(REFINER_OUTPUTS - 3)))  # even logit, 7 mm, 8 degrees, where it is proposed
COLOURS = 4  # grey, red, green, blue: what vote net and refiner see alike
BATCH, ROWS, POOL = 128, 96, 16  # proposals a batch; proposals a scene; pictures mixed at a time
TRIES = 20  # scenes without a proposal, in a row
VIEWS = (1, 1, 1, 2)  # pictures of a scene, one number or the other
PLACE_FAR, TURN_FAR = 0.03, np.radians(40)  # [m], [rad] a proposal so near to a block can be moved there
CLOSEST = 5e-4  # [m], [rad] errors below which none is counted as better
KINK = 0.2  # of the units: errors above count by their size, below by their square
Parts = tuple[NDArray[np.float32], ...]


class RefinerNet(nn.Module):
    """Net (N, IMAGE_CHANNELS, *CROP), (N, VOTE_CHANNELS, *VOTE_CROP), (N, EVIDENCE) -> (N, outputs).

    Its first stages are the vote net's.
    """

    mean: Tensor
    spread: Tensor
    usual: Tensor

    def __init__(self, mean: Tensor | None = None, spread: Tensor | None = None) -> None:
        super().__init__()
        count, cells = len(EVIDENCE), -(-VOTE_CROP[0] // 2) * -(-VOTE_CROP[1] // 2)
        self.register_buffer("mean", torch.zeros(count) if mean is None else mean)
        self.register_buffer("spread", torch.ones(count) if spread is None else spread)
        self.register_buffer("usual", torch.tensor(USUAL))
        self.stem = nn.Sequential(convolve(1 + IMAGE_CHANNELS, STEM, 5, 2), convolve(STEM, NEAR, 3, 2))
        # Names of layers are those in the files that ship, which `restore_weights` reads.
        self.hear = nn.Sequential(nn.Conv2d(VOTE_CHANNELS, NEAR, 1, bias=False), nn.BatchNorm2d(NEAR))
        self.down = nn.ModuleList([convolve(NEAR, FAR, 3, 2)])
        self.stages = nn.ModuleList(
            nn.Sequential(*(Residual(width) for _ in range(depth))) for width, depth in zip((NEAR, FAR), DEPTHS, strict=True)
        )
        self.last = convolve(FAR, LAST, 1)
        self.weigh = nn.Sequential(
            nn.Linear(LAST * cells + count, HIDDEN), nn.GELU(), nn.Dropout(DROPPED),
            nn.Linear(HIDDEN, HIDDEN), nn.GELU(), nn.Linear(HIDDEN, REFINER_OUTPUTS),
        )  # fmt: skip
        self.own = nn.Conv2d(NEAR, 1, 1)  # used in training alone: which pixels are of the block that it should be

    def forward(self, picture: Tensor, votes: Tensor, traits: Tensor, learn: bool = False) -> Tensor | tuple[Tensor, Tensor]:
        """Return the outputs; with `learn`, also (N, *VOTE_CROP) logits that a cell shows the nearest block."""
        seen = self.stem(torch.cat([stretch_contrast(picture[:, :3]), picture], 1))
        near = self.stages[0](seen + self.hear(votes))
        far = self.last(self.stages[1](self.down[0](near))).flatten(1)
        outputs = self.weigh(torch.cat([far, (traits - self.mean) / self.spread], 1)) + self.usual
        return (outputs, self.own(near)[:, 0]) if learn else outputs

    def start(self, vote_net: Mapping[str, Tensor]) -> None:
        """Start with the first stages of a vote net: it was trained on blocks, though not turned into the frame of a proposal."""
        own = self.state_dict()
        first = "stem.0.0.weight"
        begun = {name: value for name, value in vote_net.items() if name in own and value.shape == own[name].shape}
        begun[first] = own[first].clone()
        begun[first][:, :COLOURS] = vote_net[first][:, :COLOURS]
        begun[first][:, COLOURS:] = 0
        self.load_state_dict(begun, strict=False)


class RefinerScene(NamedTuple):
    """A scene, its pictures, and the proposals of the vote net."""

    scene: DebrisScene
    shots: list[LabelledView]
    voted: VotedProposals


class RefinerBatch(NamedTuple):
    """Proposals, each in one view."""

    picture: Tensor  # (N, SEEN, *CLOSE)
    votes: Tensor  # (N, VOTE_CHANNELS, *VOTE_CROP)
    traits: Tensor  # (N, TRAITS)
    away: Tensor  # (N, 6) shift and turn to the nearest block, as the refiner should say them
    near: Tensor  # (N,) 1 if there is one
    own: Tensor  # (N, *VOTE_CROP) 1 where that block is seen; used in training alone

    def to(self, device: torch.device) -> "RefinerBatch":
        return RefinerBatch(*(part.to(device, non_blocking=True) for part in self))


class RefinerBatches:
    """Batches drawn on the fly; the same epoch gives the same ones."""

    def __init__(self, examples: Examples, vote_net: VoteNetFunction, *, pictures: int, recipe: SceneRecipe, seed: int) -> None:
        self.examples, self.vote_net, self.pictures, self.recipe, self.seed = examples, vote_net, pictures, recipe, seed

    def __len__(self) -> int:
        return count_batches(self.pictures, POOL, BATCH, ROWS)

    def shuffled(self, epoch: int) -> Iterator[RefinerBatch]:
        yield from self.draw(np.random.default_rng((self.seed, random_stream("refiner"), epoch)))

    def in_order(self) -> Iterator[RefinerBatch]:
        yield from self.draw(np.random.default_rng((self.seed, random_stream("refiner"))))

    def draw(self, rng: np.random.Generator) -> Iterator[RefinerBatch]:
        for parts in mix_batches(lambda: self.draw_rows(rng), self.pictures, POOL, BATCH, rng):
            close_up, *others = (torch.from_numpy(part) for part in parts)
            yield RefinerBatch(close_up.contiguous(memory_format=torch.channels_last), *others)

    def draw_rows(self, rng: np.random.Generator) -> Parts:
        """Draw ROWS proposals of one scene, in one of its views."""
        for _ in range(TRIES):
            sight = draw_refiner_scene(self.examples, self.vote_net, int(rng.choice(VIEWS)), self.recipe, rng)
            if len(sight.voted.votes):
                return describe_refiner_scene(sight, rng)
        raise InvalidInput(f"the vote net proposes no block in {TRIES} scenes in a row; train it longer")


def draw_refiner_scene(
    examples: Examples, vote_net: VoteNetFunction, views: int, recipe: SceneRecipe, rng: np.random.Generator
) -> RefinerScene:
    """Draw so many pictures of a scene, and propose blocks in them."""
    scene = draw_scene(examples, recipe, rng)
    shots = [draw_shot(scene, draw_camera(scene, recipe, rng), recipe, rng) for _ in range(views)]
    return RefinerScene(scene, shots, propose_by_votes([shot.view for shot in shots], vote_net, scene.size))


def describe_refiner_scene(sight: RefinerScene, rng: np.random.Generator) -> Parts:
    """Return some proposals as parts of a batch."""
    views, vote_maps, proposals, votes = sight.voted
    evidence = measure_evidence(vote_maps, proposals, votes)
    rows = rng.choice(len(evidence), ROWS, replace=len(evidence) < ROWS)
    number = int(rng.integers(len(views)))
    some, shot = proposals.take(rows), sight.shots[number]
    frames = aim_frames(np.asarray(shot.view.camera.eye), some)
    away, near, block = label_proposals(some, sight.scene.blocks, frames)
    own = near[:, None, None] * (look_up(shot, lay_samples(shot.view.camera, some, frames, VOTE_CROP)) == block[:, None, None])
    crops = cut_crops(shot.view, vote_maps[number], some, frames)
    return (*crops, evidence[rows], *(part.astype(np.float32) for part in (away, near, own)))


def label_proposals(
    proposals: BoxProposals, true: BoxProposals, frames: Floats
) -> tuple[Floats, NDArray[np.bool_], NDArray[np.int64]]:
    """Return (N, 6) shift and turn from each proposal to the nearest block, along its frame; (N,) whether that is near; (N,) its
    row.
    """
    place, turn = measure_pairs(proposals, true)
    angle = np.linalg.norm(turn, axis=-1)
    best = ((place / PLACE_UNIT) ** 2 + (angle / TURN_UNIT) ** 2).argmin(axis=1)
    rows = np.arange(len(best))
    near = (place[rows, best] < PLACE_FAR) & (angle[rows, best] < TURN_FAR)
    shift = (true.position[best] - proposals.position) / PLACE_UNIT
    away = np.concatenate([np.einsum("nij,nj->ni", frames, part) for part in (shift, turn[rows, best] / TURN_UNIT)], axis=1)
    return np.where(near[:, None], away, 0), near, best


def look_up(shot: LabelledView, pixels: NDArray[np.float32]) -> NDArray[np.int32]:
    """Return (...) the block that pixels (..., 2) show; -1: none."""
    height, width = shot.ids.shape
    column, row = np.moveaxis(np.floor(pixels).astype(np.int64), -1, 0)
    inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)
    return np.where(inside, shot.ids[np.clip(row, 0, height - 1), np.clip(column, 0, width - 1)], -1)


def run_refiner(net: nn.Module) -> RefinerFunction:
    """Return the net, with its weights at the time of each call, as a refiner."""

    def refiner(crops: Crops, traits: NDArray[np.float32]) -> NDArray[np.float32]:
        training, device = net.training, next(net.parameters()).device
        net.eval()
        with torch.no_grad():
            inputs = [torch.from_numpy(np.ascontiguousarray(part)).to(device) for part in (*crops, traits)]
            outputs: NDArray[np.float32] = net(*inputs).cpu().numpy()
        net.train(training)
        return outputs

    return refiner


def measure_refiner_losses(net: nn.Module, batch: RefinerBatch) -> dict[str, Tensor]:
    """Return the loss terms.

    Places and turns by their errors after the move; logits by whether the block is near enough; deviations by the likelihood of
    the errors that are left.
    """
    outputs, own = net(batch.picture, batch.votes, batch.traits, learn=True)
    moved = torch.cat([outputs[:, SHIFT], outputs[:, TURN]], 1)
    off = moved - batch.away
    errors = torch.stack([PLACE_UNIT * off[:, :3].norm(dim=1), TURN_UNIT * off[:, 3:].norm(dim=1)], 1).detach()
    right = batch.near * (errors[:, 0] <= PLACE_NEAR) * (errors[:, 1] <= TURN_NEAR)
    size = functional.smooth_l1_loss(moved, batch.away, reduction="none", beta=KINK).sum(1)
    scale = outputs[:, LOG_DEVIATIONS].clamp(*LOG_DEVIATION_RANGE)
    log_deviation = (scale + errors.clamp(min=CLOSEST) ** 2 * torch.exp(-2 * scale) / 2).sum(1)
    mask = functional.binary_cross_entropy_with_logits(own, batch.own, reduction="none").mean((1, 2))
    return {
        "right": functional.binary_cross_entropy_with_logits(outputs[:, REFINED_LOGIT], right),
        "away": 0.5 * (size * batch.near).sum() / batch.near.sum().clamp(min=1),
        "log_deviation": 0.05 * (log_deviation * right).sum() / right.sum().clamp(min=1),
        "own": (mask * batch.near).sum() / batch.near.sum().clamp(min=1),
    }
