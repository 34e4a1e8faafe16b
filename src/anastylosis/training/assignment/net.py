"""The assignment net: attention over blocks as they lie and slots as they were built, as one set of boxes with poses.

A set transformer (Vaswani et al. 2017; Lee et al. 2019). Neither blocks nor slots have a number, so the order in which they come
changes nothing. Attention is turned by the places of both sides (rotary, Su et al. 2021, along x, y and z), so that it depends on
the way from one box to the other. Directions enter as outer products of the axes, which a half turn of a box leaves as they are.
"""

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from anastylosis.assignment.model import COURSES_MORE
from anastylosis.geometry import SYMMETRIC_ENTRIES
from anastylosis.structure import BLOCK_SIZE
from anastylosis.training.assignment.config import HEAD, AssignmentNetConfig
from anastylosis.training.assignment.sinkhorn import match_softly

FAR_AWAY = -1e4  # added to the attention to what only fills a row
WAVES = (0.036, 0.072, 0.15, 0.3, 0.6, 1.2)  # [m] wavelengths of places: from two layers to a whole heap
TURNS = (0.03, 0.08, 0.2, 0.5, 1.3)  # [m] of the attention; 3 axes x 5 turn 15 of the 16 pairs of a head's features
POSITION_UNIT, ANGLE_UNIT = 0.015, math.radians(15)  # deviations of a poor survey
COURSES_UNIT, BLOCKS_UNIT = 24.0, 54.0
NEAR = (0.003, 0.010, 0.030)  # [m] a block so near to a slot still stands in it
FRICTION_MIDDLE, FRICTION_UNIT = 0.45, 0.15
DOUBTS = 2  # numbers that tell how doubtful a block is
BOX_FEATURES = 3 + 3 + 6 * len(WAVES) + 2 * len(SYMMETRIC_ENTRIES) + 3 + 2


class SheetTensors(NamedTuple):
    """`Sheet` as tensors."""

    block_position: Tensor
    block_axes: Tensor
    block_size: Tensor
    block_sd: Tensor
    block_doubt: Tensor
    block_there: Tensor
    slot_position: Tensor
    slot_axes: Tensor
    slot_size: Tensor
    slot_course: Tensor
    slot_there: Tensor
    told_friction: Tensor


class Logits(NamedTuple):
    """Raw outputs, as the loss wants them."""

    pairs: Tensor  # (N, B, S) log probability that this block stood in this slot
    unplaced: Tensor  # (N, B) log probability that it stood in none
    empty: Tensor  # (N, S) log probability that none of the blocks stood here
    removed: Tensor  # (N, S) logit that a slot without a block had none before the fall either
    failure: Tensor  # (N, S) logit; softmax over all slots
    courses: Tensor  # (N, COURSES_MORE) logit
    friction: Tensor  # (N,) in units of FRICTION_UNIT from the middle
    direction: Tensor  # (N, 2)


class AssignmentNet(nn.Module):
    """The net with all its weights."""

    def __init__(self, config: AssignmentNetConfig) -> None:
        super().__init__()
        width, self.rounds, self.direct = config.features, config.rounds, config.direct
        self.block_in = nn.Sequential(nn.Linear(BOX_FEATURES, width), nn.GELU(), nn.Linear(width, width))
        self.doubt = nn.Parameter(torch.zeros(DOUBTS, width))  # 0: older nets, trained without it, answer as before
        self.slot_in = nn.Sequential(nn.Linear(BOX_FEATURES + 3, width), nn.GELU(), nn.Linear(width, width))
        self.whole_in = nn.Linear(3, width)
        self.block_layers = nn.ModuleList(Layer(width, config.widening) for _ in range(config.block_layers))
        self.joint_layers = nn.ModuleList(Layer(width, config.widening) for _ in range(config.joint_layers))
        self.block_norm, self.slot_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.block_key, self.slot_key = nn.Linear(width, 2 * width), nn.Linear(width, 2 * width)
        self.near = nn.Linear(2 * len(NEAR) + 2, 1)
        self.block_out, self.slot_out = nn.Linear(width, 1), nn.Linear(width, 3)
        self.courses, self.whole_out = nn.Linear(width, COURSES_MORE), nn.Linear(width, 3)

    def forward(self, sheet: SheetTensors, sharpness: float = 1.0) -> Logits:
        """Return logits. `sharpness` multiplies the scores before they are made into probabilities: calibration."""
        blocks = sheet.block_position.shape[1]
        whole = self.whole_in(describe_whole(sheet))[:, None]
        there = torch.cat([torch.ones_like(sheet.block_there[:, :1]), sheet.block_there, sheet.slot_there], 1)
        unseen = ((1 - there) * FAR_AWAY)[:, None, None]  # (N, 1, 1, 1 + B + S)
        middle = torch.zeros_like(sheet.block_position[:, :1])
        turns = find_turns(torch.cat([middle, sheet.block_position, sheet.slot_position], 1))

        doubt = (describe_doubt(sheet)[..., None] * self.doubt).sum(-2)  # as `@`, `restore_weights` would take it for a layer
        x = torch.cat([whole, self.block_in(describe_blocks(sheet)) + doubt], 1)
        for layer in self.block_layers:
            x = layer(x, turns[..., : 1 + blocks, :], unseen[..., : 1 + blocks])
        courses = self.courses(x[:, 0])  # before slots are seen: their number gives it away
        x = torch.cat([x, self.slot_in(describe_slots(sheet))], 1)
        for layer in self.joint_layers:
            x = layer(x, turns, unseen)

        block, slot = self.block_norm(x[:, 1 : 1 + blocks]), self.slot_norm(x[:, 1 + blocks :])
        scores = self.block_key(block) @ self.slot_key(slot).transpose(1, 2) / math.sqrt(block.shape[-1])
        scores = scores + self.near(describe_pairs(sheet))[..., 0]
        empty, removed, failure = self.slot_out(slot).float().unbind(-1)
        unplaced = self.block_out(block)[..., 0].float()
        can_be = sheet.block_there[:, :, None] * sheet.slot_there[:, None]
        pairs, alone_block, alone_slot = match_softly(
            sharpness * scores.float(), sharpness * unplaced, sharpness * empty, can_be, self.rounds
        )
        if self.direct:  # every slot counts as one without a block, and `removed` has to tell them apart
            alone_slot = torch.zeros_like(alone_slot)
        courses, answers = courses.float(), self.whole_out(x[:, 0]).float()
        return Logits(
            pairs=pairs, unplaced=alone_block, empty=alone_slot, removed=removed,
            failure=failure + (1 - sheet.slot_there) * FAR_AWAY, courses=courses, friction=answers[:, 0],
            direction=answers[:, 1:],
        )  # fmt: skip


class Layer(nn.Module):
    """Attention and two linear layers, each added to what came in."""

    def __init__(self, width: int, widening: int) -> None:
        super().__init__()
        self.heads = width // HEAD
        self.before, self.after = nn.LayerNorm(width), nn.LayerNorm(width)
        self.ask, self.answer = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mix = nn.Sequential(nn.Linear(width, widening * width), nn.GELU(), nn.Linear(widening * width, width))

    def forward(self, x: Tensor, turns: Tensor, unseen: Tensor) -> Tensor:
        asked = self.ask(self.before(x)).unflatten(2, (3, self.heads, HEAD)).permute(2, 0, 3, 1, 4)  # (3, N, heads, T, HEAD)
        query, key, value = asked.unbind(0)
        seen = functional.scaled_dot_product_attention(turn(query, turns), turn(key, turns), value, attn_mask=unseen)
        x = x + self.answer(seen.transpose(1, 2).flatten(2))
        return x + self.mix(self.after(x))


def find_turns(position: Tensor) -> Tensor:
    """Return (2, N, 1, T, HEAD / 2) cosine and sine of the angles by which features of boxes at these places are turned."""
    angle = (position[..., None] * position.new_tensor([2 * math.pi / wave for wave in TURNS])).flatten(2)
    angle = functional.pad(angle, (0, HEAD // 2 - angle.shape[-1]))[:, None]
    return torch.stack([angle.cos(), angle.sin()])


def turn(x: Tensor, turns: Tensor) -> Tensor:
    """Turn features (N, heads, T, HEAD), as pairs of the first half and the second."""
    (first, second), (cos, sin) = x.chunk(2, -1), turns.unbind(0)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], -1)


def describe_blocks(sheet: SheetTensors) -> Tensor:
    sd = sheet.block_sd / sheet.block_sd.new_tensor([POSITION_UNIT, ANGLE_UNIT])
    return torch.cat([describe_boxes(sheet.block_position, sheet.block_axes, sheet.block_size), sd], -1)


def describe_doubt(sheet: SheetTensors) -> Tensor:
    """Return (N, B, DOUBTS) the probability that a block is not there, and its variance."""
    return torch.stack([sheet.block_doubt, sheet.block_doubt * (1 - sheet.block_doubt)], -1)


def describe_slots(sheet: SheetTensors) -> Tensor:
    """Return features of slots: those of boxes, the course, the courses to the top, and the height; `BOX_FEATURES` + 3."""
    course = sheet.slot_course[..., None]
    top = (course * sheet.slot_there[..., None]).amax(1, keepdim=True)
    heights = torch.cat([course, top - course, (top + 1).expand_as(course)], -1) / COURSES_UNIT
    exact = torch.zeros_like(heights[..., :2])
    return torch.cat([describe_boxes(sheet.slot_position, sheet.slot_axes, sheet.slot_size), exact, heights], -1)


def describe_boxes(position: Tensor, axes: Tensor, size: Tensor) -> Tensor:
    """Return place, direction and size of boxes as numbers of about 1."""
    unit = position.new_tensor(BLOCK_SIZE)
    near = position / unit[0]
    phase = (position[..., None] * position.new_tensor([2 * math.pi / wave for wave in WAVES])).flatten(2)
    rows, columns = zip(*SYMMETRIC_ENTRIES, strict=True)
    outer = torch.stack([axes[..., :2, row] * axes[..., :2, column] for row, column in zip(rows, columns, strict=True)], -1)
    sides = (5 * (size / unit - 1)).clamp(-3, 3)
    far = torch.sign(near) * torch.log1p(near.abs())
    return torch.cat([near.clamp(-10, 10) / 3, far, phase.sin(), phase.cos(), outer.flatten(2), sides], -1)


def describe_pairs(sheet: SheetTensors) -> Tensor:
    """Return (N, B, S, 2 NEAR + 2) how near each block lies to each slot, and whether along it."""
    apart = (sheet.block_position[:, :, None] - sheet.slot_position[:, None]).square().sum(-1)
    along = (sheet.block_axes[:, :, None, 0] * sheet.slot_axes[:, None, :, 0]).sum(-1).square()
    near = [torch.exp(-apart / (2 * reach**2)) for reach in NEAR]
    return torch.stack([*near, *(each * along for each in near), torch.log1p(apart / NEAR[1] ** 2), along], -1)


def describe_whole(sheet: SheetTensors) -> Tensor:
    """Return (N, 3) friction, whether it is told, and the number of blocks."""
    known = (sheet.told_friction > 0).to(sheet.told_friction.dtype)
    friction = known * (sheet.told_friction - FRICTION_MIDDLE) / FRICTION_UNIT
    return torch.stack([friction, known, sheet.block_there.sum(1) / BLOCKS_UNIT], 1)
