"""Findings: one reconstruction as the page keeps it, and how it is made."""

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from anastylosis.errors import CapacityExceeded, SimulationDiverged
from anastylosis.models import Prediction
from anastylosis.progress import Execute, Progress
from anastylosis.reconstruction import (
    Hypothesis,
    Reconstruction,
    ReconstructionConfig,
    Toolset,
    order_building,
    run_pipeline,
)
from anastylosis.rendering import Picture
from anastylosis.report import Story, build_story, draw_survey
from anastylosis.web.observing import VisitorFacts, choose_source
from anastylosis.web.thumbnails import draw_thumbnails
from anastylosis.web.uploads import InputFile, naming

PROPOSALS = 8  # that a visitor can choose from, the most probable
SIGHT = 760  # [pixels] of the longer side of the picture with detected blocks: enough for screens with fine dots


@dataclass(frozen=True, kw_only=True, eq=False)
class Finding:
    """A reconstruction from one file, as a visitor looks at it."""

    given: InputFile
    found: Reconstruction
    document: dict[str, Any]
    stories: dict[int, Story | None] = field(default_factory=dict)  # by rank, 0 the first; told when they are asked for
    plans: dict[int, Reconstruction] = field(default_factory=dict)  # by rank: that proposal first, with steps of its own
    thumbnails: tuple[Picture, ...] = ()  # of the proposals that can be chosen

    @cached_property
    def prediction(self) -> Prediction:
        """Return the answer of the paper's picture net."""
        return self.found.predict_by_picture()

    def choose(self, rank: int) -> Hypothesis:
        return self.found.hypotheses[rank]

    @property
    def proposals(self) -> tuple[Hypothesis, ...]:
        """List the proposals that can be chosen, the most probable first."""
        return self.found.hypotheses[:PROPOSALS]

    def find_falling(self) -> int | None:
        """Find the first of these that fell again; None: none did."""
        return next((rank for rank, each in enumerate(self.proposals) if each.fell and each.trial is not None), None)

    @cached_property
    def sight(self) -> Picture | None:
        """Return the detected blocks, drawn over the picture; None: they were measured."""
        photos = self.found.photos
        return draw_survey(photos, self.found.survey, sides=(SIGHT, SIGHT), legend=False) if photos else None

    def find_story(self, rank: int) -> Story | None:
        """Find how a proposal falls when it is let fall again; without re-simulation a fall that looks alike, if any does."""
        if rank not in self.stories:
            chosen = self.choose(rank)
            try:
                self.stories[rank] = build_story(self.found, 0 if chosen.trial is None else rank + 1)
            except (CapacityExceeded, SimulationDiverged):  # the engine gives up as it did before: there is nothing to show
                self.stories[rank] = None
        return self.stories[rank]

    def plan_rebuilding(self, rank: int, execute: Execute, progress: Progress) -> Reconstruction:
        """Put this proposal first, with the order in which it can be built."""
        if rank not in self.plans:
            others = tuple(each for number, each in enumerate(self.found.hypotheses) if number != rank)
            self.plans[rank] = order_building(replace(self.found, hypotheses=(self.choose(rank), *others)), execute, progress)
        return self.plans[rank]


def stays_up(proposal: Hypothesis) -> bool:
    """Return whether a proposal was let fall again, and did not."""
    return proposal.trial is not None and not proposal.fell and math.isfinite(proposal.distance)


def reconstruct(given: InputFile, facts: VisitorFacts, moves: int, execute: Execute, progress: Progress) -> Finding:
    """Reconstruct from one file; the first fall is ready to be shown."""
    config = ReconstructionConfig(hypotheses=facts.hypotheses, moves=moves, lookup=False)
    with naming(given):
        source = choose_source(given, facts)
        found = run_pipeline(
            source, facts.knowledge, config, Toolset(), options=facts.options, execute=execute, progress=progress
        )
    progress("fall", 0, 1)
    thumbnails = draw_thumbnails(found, PROPOSALS)
    finding = Finding(given=given, found=found, document=found.as_document(), thumbnails=thumbnails)
    finding.plans[0] = found
    finding.find_story(0)
    progress("fall", 1, 1)
    return finding
