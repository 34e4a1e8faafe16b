"""Unlikeness: how far a picture is from all that a picture net has learned from. A Mahalanobis distance; Lee et al. (2018).

A net answers any picture, and is as sure of a page of text as of debris. Its file also measures the distance of a picture from
the pictures of its training, in parts: the means of its feature maps, and the picture itself at a few pixels a side. The score is
the largest distance, each as a share of its limit. `training/picture/unlikeness.py` fits it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from anastylosis.arrays import Reals
from anastylosis.models.card import ModelCard

OUTPUT = "unlikeness"  # of the file: the mean square of each part's whitened features, (N, parts)
PARTS_MAX = 8
SLACK = 1e-3  # by which a square may be below 0: rounding
UNTOLD = (
    "this net has no score of unlikeness, so it cannot tell whether it knows this kind of picture; train it again to give it one"
)


@dataclass(frozen=True, kw_only=True)
class Unlikeness:
    """Parts of the score, and the distances at which it is 1."""

    parts: tuple[str, ...]
    limits: tuple[float, ...]  # [deviations] distance of each part that makes a score of 1
    share: float  # of known pictures that are below 1
    examples: int  # known pictures that told the limits, of the validation split

    def score(self, squares: Reals) -> Reals:
        """Return the scores (N,) of mean squares (N, parts); above 1 is unlike what was learned from."""
        return (np.sqrt(np.maximum(squares, 0)) / np.asarray(self.limits, np.float32)).max(axis=1)

    def describe(self, score: float) -> str:
        """Return the warning about a picture with a score above 1."""
        return (
            f"this picture is unlike any that the net has learned from (score {score:.3g}; {100 * self.share:.3g} in 100 known "
            "ones are below 1): do not trust what follows"
        )


def build_unlikeness(document: Mapping[str, Any] | None) -> Unlikeness | None:
    """Build the part of a card; None for a net without it. Raise for what cannot be right."""
    if document is None:
        return None
    found = Unlikeness(**{**document, "parts": tuple(document["parts"]), "limits": tuple(document["limits"])})
    ModelCard.check_whole("number of parts of the unlikeness", len(found.parts), PARTS_MAX)
    ModelCard.check_names(**{f"part {number} of the unlikeness": name for number, name in enumerate(found.parts)})
    ModelCard.check_numbers("unlikeness", [*found.limits, found.share])
    if len(found.limits) != len(found.parts) or min(found.limits) <= 0 or not 0 < found.share <= 1:
        raise ValueError("the limits of the unlikeness are none")
    ModelCard.check_whole("examples of the unlikeness", found.examples, 10**9)
    return found
