"""Debris made up: towers whose blocks lie scattered, each of known slot; and what a model that knows all would say of them."""

import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from anastylosis.assignment.model import (
    COURSES_MORE,
    AssignmentCalibration,
    AssignmentCard,
    AssignmentOutput,
    write_assignment_card,
)
from anastylosis.structure import jenga_tower
from anastylosis.survey import Noise
from anastylosis.training.assignment.batches import SurveyCase, collect, open_survey_case
from anastylosis.training.assignment.debris import Debris
from anastylosis.training.assignment.scores import SurveyAnswers, join_answers

__all__ = ["make_assignment_card", "make_debris", "open_cases", "perfect_findings", "perfect_verdict", "write_assigner"]

TALLEST = 5


def make_debris(count: int, seed: int = 0) -> Debris:
    """Towers of 3 to 5 layers with up to two blocks removed, whose upper layers lie beside them in a row, in order."""
    rng = np.random.default_rng(seed)
    blocks = 3 * TALLEST
    courses = rng.integers(3, TALLEST + 1, count)
    size, position = np.full((count, blocks, 3), np.nan), np.full((count, blocks, 3), np.nan)
    orientation = np.full((count, blocks, 4), np.nan)
    slot, fell = np.full((count, blocks), -1), np.zeros((count, blocks), bool)
    removed, failure = np.zeros((count, blocks), bool), rng.integers(1, 3, count)
    for row in range(count):
        tower = jenga_tower(int(courses[row]))
        kept = np.ones(len(tower), bool)
        kept[rng.choice(3 * (int(courses[row]) - 1), rng.integers(3), replace=False)] = False
        removed[row, : len(tower)] = ~kept
        own = np.flatnonzero(kept)
        size[row, own], slot[row, own] = tower.blocks.size[own], own
        down = own[tower.course[own] >= failure[row]]
        position[row, own], orientation[row, own] = tower.position[own], tower.orientation[own]
        position[row, down] += np.array([0.2, 0.0, 0.0]) + rng.normal(0, 1e-4, (len(down), 3))
        fell[row, down] = True
    angle = rng.uniform(0, 2 * math.pi, count)
    return Debris(
        courses=courses, friction=rng.uniform(0.2, 0.7, count), failure_layer=failure,
        direction=np.stack([np.cos(angle), np.sin(angle)], axis=1), size=size,
        position=position, orientation=orientation, slot=slot, fell=fell, removed=removed,
    )  # fmt: skip


def open_cases(debris: Debris, noise: Noise | None = None, *, with_friction: bool = False) -> list[SurveyCase]:
    rows = range(len(debris))
    return [
        open_survey_case(debris, row, noise or Noise(), np.random.default_rng((1, row)), with_friction=with_friction)
        for row in rows
    ]


def perfect_findings(case: SurveyCase) -> AssignmentOutput:
    """What a model says that knows the truth of one case."""
    slots = case.sheet.slot_there.shape[1]
    placed = (case.slot[:, None] == np.arange(slots)).astype(np.float32)
    removed = case.debris.removed[case.row, :slots].astype(np.float32)
    failure = (np.arange(slots) // 3 == case.debris.failure_layer[case.row]) / 3
    more = int(case.debris.courses[case.row]) - math.ceil(len(case.slot) / 3)
    parts = (
        placed, 1 - placed.sum(axis=1), 1 - placed.sum(axis=0), removed, failure, np.arange(COURSES_MORE) == more,
        case.debris.friction[case.row], case.debris.direction[case.row],
    )  # fmt: skip
    return AssignmentOutput._make(np.asarray(part, np.float32)[None] for part in parts)


def perfect_verdict(debris: Debris, noise: Noise | None = None) -> SurveyAnswers:
    return join_answers([SurveyAnswers.of(collect([case]), perfect_findings(case)) for case in open_cases(debris, noise)])


def make_assignment_card(**changes: Any) -> AssignmentCard:
    """A card of a model that was never trained; `changes` are other fields of it."""
    calibration = AssignmentCalibration(
        sharpness=1.0, slope=1.0, offset=0.0, half_width={"num_removed": 1.5, "friction": 0.1}, examples=10
    )
    fields: dict[str, Any] = {
        "preset": "of-tests",
        "fewest_courses": 3,
        "most_courses": 24,
        "friction": (0.2, 0.7),
        "frictions": {"low": 0.25, "nominal": 0.4, "high": 0.6},
        "position_sd": 0.015,
        "orientation_sd": math.radians(15),
        "config": {},
        "dataset": {"episodes": {"train": 100, "val": 10}},
        "calibration": calibration,
        "metrics": {},
        "version": "0.1.0",
    }
    return AssignmentCard(**(fields | changes))


def write_assigner(path: Path, *, card: str | None = None, history: list[dict[str, Any]] | None = None) -> None:
    """A small, real model that puts each block where it is: nothing counts but how near a slot is. What it says of all else is
    the same for every survey: no course more than the blocks fill, friction 0.45."""
    from anastylosis.training.model_file import store_model

    store_model(path, build_assigner(), write_assignment_card(make_assignment_card()) if card is None else card, history or [])


@cache
def build_assigner() -> Any:
    """Its graph; to export it takes seconds."""
    import torch

    from anastylosis.training.assignment.config import AssignmentNetConfig
    from anastylosis.training.assignment.export import CalibratedAssignmentNet, Sharpening, export_assignment_net
    from anastylosis.training.assignment.net import AssignmentNet

    net = AssignmentNet(AssignmentNetConfig(features=32, block_layers=1, joint_layers=1))
    with torch.no_grad():
        for part in (net.block_key, net.slot_key, net.near, net.block_out, net.slot_out, net.courses, net.whole_out):
            part.weight.zero_()
            part.bias.zero_()
        net.near.weight[0, 1], net.near.bias[0] = 15.0, -5.0  # within a centimetre
        net.slot_out.bias[1] = 3.0  # what has no block was removed
        net.courses.bias[0] = 5.0
    return export_assignment_net(CalibratedAssignmentNet(net, Sharpening()), collect(open_cases(make_debris(2))).sheet)
