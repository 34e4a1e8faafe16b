"""Evaluation of the score of unlikeness: the share of pictures of each kind that a net says it does not know.

Of known kinds this is the rate of false alarms, and should be small; of far ones it should be near 1. Near ones are debris in
another camera, or altered pictures of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anastylosis.dataset import Examples, Recipe, draw_pictures
from anastylosis.models.picture_model import PictureModel
from anastylosis.training.picture.strange_pictures import ALTERED, FAR, HARMLESS, Change
from anastylosis.validation import Interval, ScoreRow

HEAD = "unlike"
DRAWN = 200  # pictures of each far kind
EXAMPLES_MAX = 600  # falls of the test split that are drawn


@dataclass(frozen=True, kw_only=True, eq=False)
class UnlikenessTest:
    """Debris that no training has seen, and where its pictures are kept."""

    examples: Examples
    cache: Path | None = None
    workers: int | None = None
    seed: int = 0

    def evaluate(self, name: str, model: PictureModel, others: Mapping[str, NDArray[np.uint8]] | None = None) -> list[ScoreRow]:
        """Return a row for each kind of pictures; none for a net without the score.

        `others`: more pictures (N, S, S) that show no debris, by kind.
        """
        if model.card.unlikeness is None:
            return []
        groups = {
            "unlike-known": self.draw_known(model),
            "unlike-near": self.draw_near(model),
            "unlike-far": self.draw_far(model.card.size) | dict(others or {}),
        }
        return [self.score(split, kind, name, model, grey) for split, kinds in groups.items() for kind, grey in kinds.items()]

    @staticmethod
    def score(split: str, kind: str, name: str, model: PictureModel, grey: NDArray[np.uint8]) -> ScoreRow:
        """Return the share of pictures (N, S, S) that are said to be unlike."""
        scores = model.measure_unlikeness(grey)
        unlike = 0 if scores is None else int((scores > 1).sum())
        return ScoreRow(split, HEAD, kind, name, *Interval.wilson(unlike, len(grey)), len(grey))

    def draw_known(self, model: PictureModel) -> dict[str, NDArray[np.uint8]]:
        """Draw what the net should know: plain pictures, those of its training, and what no picture is the worse for."""
        plain = self.draw(model, camera="still", domain=0.0, mirror=False, plain_first=True)
        config = model.card.config.get("pictures", {})
        return {
            "plain": plain,
            "trained": self.draw(model, number=1, **({"plain_first": False} | config)),
            **{kind: self.alter(change, plain) for kind, change in HARMLESS.items()},
        }

    def draw_near(self, model: PictureModel) -> dict[str, NDArray[np.uint8]]:
        """Draw debris from other cameras and in other light, and altered pictures; not every net has learned from such light."""
        plain = self.draw(model, camera="still", domain=0.0, mirror=False, plain_first=True)
        return {
            "light": self.draw(model, domain=1.0, plain_first=False),
            "camera-near": self.draw(model, camera="near", plain_first=False),
            "camera-any": self.draw(model, camera="any", plain_first=False),
            "camera-any-light": self.draw(model, camera="any", domain=1.0, plain_first=False),
            **{kind: self.alter(change, plain) for kind, change in ALTERED.items()},
        }

    def draw_far(self, size: int) -> dict[str, NDArray[np.uint8]]:
        """Draw pictures that show no debris at all."""
        rng = np.random.default_rng(self.seed)
        return {kind: np.stack([draw(rng, size) for _ in range(DRAWN)]) for kind, draw in FAR.items()}

    def draw(self, model: PictureModel, number: int = 0, **settings: Any) -> NDArray[np.uint8]:
        """Draw the debris (N, S, S) with these settings of the recipe."""
        card = model.card
        plain = {"size": card.size, "layers": card.view.layers, "reach": card.view.reach} | settings
        recipe = Recipe(**plain)
        examples = self.examples.take(slice(0, EXAMPLES_MAX))
        return draw_pictures(examples, recipe, number, cache=self.cache, workers=self.workers).grey

    def alter(self, change: Change, pictures: NDArray[np.uint8]) -> NDArray[np.uint8]:
        rng = np.random.default_rng(self.seed)
        return np.stack([change(rng, each) for each in pictures])
