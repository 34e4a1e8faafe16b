"""Findings: one reconstruction as the page keeps it, and how it is made."""

import math
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

from anastylosis.errors import CapacityExceeded, SimulationDiverged
from anastylosis.models.prediction import Prediction
from anastylosis.models.shipped import choose_assigner, list_detector
from anastylosis.reconstruction.case import Execute, ReconstructionConfig, Tell
from anastylosis.reconstruction.library import SHIPPED_LIBRARY
from anastylosis.reconstruction.observation import Observation
from anastylosis.reconstruction.opened import open_reconstructor
from anastylosis.reconstruction.paradata import describe_making
from anastylosis.reconstruction.reconstruction import Hypothesis, Reconstruction
from anastylosis.reconstruction.reconstructor import plan_assembly
from anastylosis.rendering.picture import Picture
from anastylosis.report.detection_overlay import draw_found
from anastylosis.report.reconstruction.results import ask_picture_net
from anastylosis.report.reconstruction.story import Story, build_proposal_story, build_story
from anastylosis.web.observing import Told, observe
from anastylosis.web.uploads import InputFile

__all__ = ["Finding", "reconstruct", "stays_up"]

PROPOSALS = 8  # that a visitor can choose from, the most probable
SIGHT = 760  # [pixels] of the longer side of what the eye found: twice as many as the panel has, for screens with fine dots


@dataclass(frozen=True, kw_only=True, eq=False)
class Finding:
    """What was found from one file."""

    given: InputFile
    observation: Observation
    found: Reconstruction
    prediction: Prediction
    document: dict[str, Any]
    stories: dict[int, Story | None] = field(default_factory=dict)  # by rank, 0 the first; told when they are asked for
    plans: dict[int, Reconstruction] = field(default_factory=dict)  # by rank: that proposal first, with steps of its own

    def choose(self, rank: int) -> Hypothesis:
        return self.found.hypotheses[rank]

    @property
    def proposals(self) -> tuple[Hypothesis, ...]:
        """That can be chosen, the most probable first."""
        return self.found.hypotheses[:PROPOSALS]

    def find_falling(self) -> int | None:
        """The first of these that fell again; None: none did."""
        return next((rank for rank, each in enumerate(self.proposals) if each.fell and each.trial is not None), None)

    @cached_property
    def sight(self) -> Picture | None:
        """The blocks that the eye found, drawn over the picture; None: they were measured."""
        photos = self.observation.photos
        return draw_found(photos, self.observation.survey, (SIGHT, SIGHT)) if photos else None

    def tell_fall(self, rank: int) -> Story | None:
        """How a proposal falls when it is let fall again; without re-simulation, a fall that looks alike, if there is one."""
        if rank not in self.stories:
            chosen = self.choose(rank)
            try:
                self.stories[rank] = (
                    build_story(self.found) if chosen.trial is None else build_proposal_story(self.found, rank + 1, chosen)
                )
            except (CapacityExceeded, SimulationDiverged):  # the engine gives up as it did before: there is nothing to show
                self.stories[rank] = None
        return self.stories[rank]

    def plan_rebuilding(self, rank: int, execute: Execute, tell: Tell) -> Reconstruction:
        """The same reconstruction with this proposal first, and the order in which it can be built."""
        if rank not in self.plans:
            others = tuple(each for number, each in enumerate(self.found.hypotheses) if number != rank)
            first = replace(self.found, hypotheses=(self.choose(rank), *others))
            self.plans[rank] = replace(first, steps=plan_assembly(first, execute, tell))
        return self.plans[rank]


def stays_up(proposal: Hypothesis) -> bool:
    """Whether it was let fall again, and did not."""
    return proposal.trial is not None and not proposal.fell and math.isfinite(proposal.distance)


def reconstruct(given: InputFile, told: Told, moves: int, execute: Execute, tell: Tell) -> Finding:
    """All that is said about one file; the first fall is ready to be shown."""
    tell("blocks", 0, 1)
    observation = observe(given, told)
    model = choose_assigner(observation.survey)
    worker = open_reconstructor(model, SHIPPED_LIBRARY)
    found = worker.reconstruct(
        observation.survey,
        layers=told.layers,
        friction=told.friction,
        complete=told.complete,
        config=ReconstructionConfig(hypotheses=told.hypotheses, moves=moves),
        execute=execute,
        tell=tell,
    )
    tell("fall", 0, 1)
    eye = list_detector() if observation.photos else ()
    making = describe_making([given.path], asdict(told), worker, model=model, eye=eye, photos=observation.photos)
    prediction = ask_picture_net(found.survey)
    document = making | found.as_document() | {"picture_net": prediction.as_document()}
    finding = Finding(given=given, observation=observation, found=found, prediction=prediction, document=document)
    finding.plans[0] = found
    finding.tell_fall(0)
    tell("fall", 1, 1)
    return finding
