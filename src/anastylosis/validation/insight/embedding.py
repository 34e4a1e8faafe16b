"""Embedding: whether similar episodes lie together in it, and in which quantity. Distances are Euclidean, in all dimensions."""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anastylosis.arrays import Floats, Integers

PERMUTATIONS = 500
CLUSTERED = 0.25  # Kaufman and Rousseeuw (1990): a silhouette up to here is no substantial structure
NEIGHBOURS = 10
MOST = 1500  # points of a map
FEWEST = 6  # episodes of a map
PERPLEXITY = 30.0  # of t-SNE; less where there are few points
VERDICTS: Mapping[str, str] = {
    "separate": "the levels are clusters",
    "lean": "more alike within a level than by chance, yet the levels overlap",
    "mixed": "no more alike within a level than by chance",
    "none": "nothing to compare",
}


class Separation(NamedTuple):
    """Silhouette of groups, and of the same groups with shuffled labels."""

    value: float  # mean silhouette, -1..1
    chance_low: float  # 95 % of the permutations are in here
    chance_high: float
    p: float  # share of permutations that reach the value, itself one of them
    episodes: int

    @property
    def verdict(self) -> str:
        """Return `separate`, `lean`, `mixed` or `none`: keys of VERDICTS."""
        if not math.isfinite(self.value):
            return "none"
        if self.value <= self.chance_high:
            return "mixed"
        return "separate" if self.value > CLUSTERED else "lean"

    @property
    def words(self) -> str:
        return VERDICTS[self.verdict]


def measure_distances(embedding: NDArray[np.floating]) -> Floats:
    """Return (N, N) distances between all pairs."""
    points = embedding.astype(float) - embedding.mean(axis=0, dtype=float)
    squares = (points**2).sum(axis=1)
    distances = np.sqrt(np.maximum(squares[:, None] + squares - 2 * points @ points.T, 0))
    np.fill_diagonal(distances, 0)
    return np.asarray(distances)


def silhouette(distances: Floats, labels: ArrayLike) -> float:
    """Return the mean of (b - a) / max(a, b): a to one's own group, b to the nearest other one. Rousseeuw (1987). NaN of one
    group.
    """
    names, label = np.unique(np.asarray(labels), return_inverse=True)
    if len(names) < 2:
        return math.nan
    rows = np.arange(len(label))
    member = np.eye(len(names))[label]
    count, sums = member.sum(axis=0), distances @ member
    own = count[label]
    inside = sums[rows, label] / np.maximum(own - 1, 1)
    outside = sums / count
    outside[rows, label] = np.inf
    nearest = outside.min(axis=1)
    larger = np.maximum(inside, nearest)
    scores = np.divide(nearest - inside, larger, out=np.zeros(len(label)), where=(own > 1) & (larger > 0))
    return float(scores.mean())


def measure_separation(distances: Floats, labels: ArrayLike, seed: int = 0) -> Separation:
    """Measure the silhouette of groups beside that of the same labels shuffled."""
    label = np.asarray(labels)
    value = silhouette(distances, label)
    if not math.isfinite(value) or not distances.any():
        return Separation(math.nan, math.nan, math.nan, math.nan, len(label))
    rng = np.random.default_rng(seed)
    chance = np.array([silhouette(distances, rng.permutation(label)) for _ in range(PERMUTATIONS)])
    low, high = (float(edge) for edge in np.quantile(chance, (0.025, 0.975)))
    return Separation(value, low, high, (1 + int((chance >= value).sum())) / (1 + PERMUTATIONS), len(label))


def average_neighbours(distances: Floats, values: ArrayLike, towers: Integers, k: int = NEIGHBOURS) -> Floats:
    """Return (N,) the mean value of each one's nearest neighbours; those of the same tower are left out, as they look alike
    anyway.
    """
    value = np.asarray(values, float)
    apart = np.where(towers[:, None] == towers, np.inf, distances)
    near = np.argsort(apart, axis=1, kind="stable")[:, :k]
    asked = np.isfinite(np.take_along_axis(apart, near, axis=1))
    return np.asarray((value[near] * asked).sum(axis=1) / np.maximum(asked.sum(axis=1), 1))


def project(embedding: NDArray[np.floating], seed: int = 0) -> tuple[Integers, Floats] | None:
    """Return the rows that are shown and their places (M, 2) on a map: t-SNE, started from the two main axes.

    None where there is nothing to map: few episodes, or all at one point. Needs scikit-learn.
    """
    from sklearn.manifold import TSNE

    rng = np.random.default_rng(seed)
    rows = np.arange(len(embedding))
    if len(rows) > MOST:
        rows = np.sort(rng.choice(rows, MOST, replace=False))
    points = embedding[rows].astype(np.float64)
    if len(rows) < FEWEST or points.shape[1] < 2 or not (points.std(axis=0) > 0).sum() > 1:
        return None
    method = TSNE(init="pca", learning_rate="auto", perplexity=min(PERPLEXITY, (len(rows) - 1) / 3), random_state=seed)
    return rows, np.asarray(method.fit_transform(points), float)
