"""Evaluation: how well falls are reconstructed, by every method, with intervals over falls."""

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Floats
from anastylosis.reconstruction.comparison import METHODS, Record
from anastylosis.reconstruction.weighing import read_calibration, weigh_states
from anastylosis.validation import Interval, ScoreRow

OWN, RIVAL = ("assignment", "physics"), "paper"  # methods that are compared with another, fall by fall
TOP_RANKS = 5  # proposals among which the one nearest to the truth should be
FEW = 4  # proposals that are tried, beside all
# Sums over a fall whose ratio is a metric: head, metric, tops, bottoms. F1 is twice what both say, over what each says.
RATIOS: tuple[tuple[str, str, dict[str, float], dict[str, float]], ...] = (
    ("standing", "f1", {"standing_right": 2}, {"standing_said": 1, "standing": 1}),
    ("empty", "f1", {"empty_right": 2}, {"empty_said": 1, "empty": 1}),
    ("parts", "accuracy", {"parts_right": 1}, {"parts": 1}),
    ("parts", "accuracy_stands", {"parts_right": 1, "fell_right": -1}, {"parts": 1, "fell": -1}),
    ("parts", "accuracy_fell", {"fell_right": 1}, {"fell": 1}),
    ("parts", "error_mm", {"way": 1e3}, {"placed": 1}),
)


def score_records(records: Sequence[Record]) -> list[ScoreRow]:
    """Compute every metric of every method, split by split."""
    rows: list[ScoreRow] = []
    for split in dict.fromkeys(record["split"] for record in records):
        own = [record for record in records if record["split"] == split]
        scores = [*score_methods(own), *score_proposals(own), *score_first(own), *score_sets(own)]
        rows += [ScoreRow(split, *name, *interval, len(own)) for name, interval in scores]
    return rows


Score = tuple[tuple[str, str, str], Interval]


def score_methods(records: Sequence[Record]) -> Iterator[Score]:
    """Score what each method proposes, slot by slot and block by block, and its gain over the rival."""
    for head, metric, tops, bottoms in RATIOS:
        sums = {}
        for method in METHODS:
            counts = [record["methods"][method] for record in records]
            sums[method] = add(counts, tops), add(counts, bottoms)
            yield (head, metric, method), Interval.bootstrap_ratio(*sums[method])
        for method in OWN:
            yield (head, f"{metric}_gain", method), Interval.bootstrap_gain(sums[method], sums[RIVAL])


def add(counts: Sequence[Mapping[str, float]], weights: Mapping[str, float]) -> Floats:
    """Return weighed sums (N,) of the counts of each fall."""
    return np.array([sum(weight * each[name] for name, weight in weights.items()) for each in counts], float)


def score_proposals(records: Sequence[Record]) -> Iterator[Score]:
    """Score where the proposal that is nearest to the truth is ranked: by the net alone, with physics, and by chance.

    A fall without proposals has it nowhere.
    """
    orders, falls = {"assignment": "share", "physics": "probability"}, len(records)
    records = [record for record in records if record["proposals"]]
    if not records:
        return
    for method, key in orders.items():
        ranks = [rank_of_nearest(record, key) for record in records]
        yield ("proposals", "top5", method), Interval.wilson(sum(rank <= TOP_RANKS for rank in ranks), falls)
        yield ("proposals", "top1", method), Interval.wilson(sum(rank == 1 for rank in ranks), falls)
        yield ("proposals", "rank", method), Interval.bootstrap_ratio(ranks, np.ones(len(ranks)))
    chances = [chance_in_top(len(record["proposals"]), int(find_nearest(record).sum())) for record in records]
    yield ("proposals", "top5", "chance"), Interval.bootstrap_ratio(chances, np.ones(len(chances)))
    for name, metric in (("slots", "best_wrong"), ("fell", "fell"), ("stands", "stands")):
        values = [[float(each[name]) for each in record["proposals"]] for record in records]
        of_each = [min(own) if metric == "best_wrong" else float(np.mean(own)) for own in values]
        yield ("proposals", metric, "physics"), Interval.bootstrap_ratio(of_each, np.ones(len(of_each)))
    counts = [len(record["proposals"]) for record in records]
    yield ("proposals", "number", "physics"), Interval.bootstrap_ratio(counts, np.ones(len(counts)))


def score_first(records: Sequence[Record]) -> Iterator[Score]:
    """Score the first proposal, and how far probabilities of proposals keep what they say.

    `claimed` is its probability, `true` how often its slots are all right; `claimed_all` what all proposals get together, and
    `true_any` how often one of them is right. `by_number` is by how much the probability of the same tower differs where only
    the first `FEW` had been tried, the mean of those.
    """
    known = [
        record["proposals"] for record in records if record["proposals"] and np.isfinite(record["proposals"][0]["probability"])
    ]
    if not known:
        return
    ones = np.ones(len(known))
    firsts = [proposals[0] for proposals in known]
    yield ("first", "fell", "physics"), Interval.wilson(sum(bool(each["fell"]) for each in firsts), len(firsts))
    refused = sum(not first["fell"] and any(each["fell"] for each in own) for first, own in zip(firsts, known, strict=True))
    yield ("first", "stays_though_others_fell", "physics"), Interval.wilson(refused, len(firsts))
    yield ("first", "claimed", "physics"), Interval.bootstrap_ratio([each["probability"] for each in firsts], ones)
    yield ("first", "true", "physics"), Interval.wilson(sum(each["slots"] == 0 for each in firsts), len(firsts))
    together = [sum(each["probability"] for each in own) for own in known]
    yield ("first", "claimed_all", "physics"), Interval.bootstrap_ratio(together, ones)
    hits = sum(any(each["slots"] == 0 for each in own) for own in known)
    yield ("first", "true_any", "physics"), Interval.wilson(hits, len(known))
    many = [own for own in known if len(own) > FEW]
    if many:
        yield (
            ("first", "by_number", "physics"),
            Interval.bootstrap_ratio([compare_numbers(own) for own in many], np.ones(len(many))),
        )


def compare_numbers(proposals: Sequence[Record]) -> float:
    """Return by how much, on average, probabilities of the likeliest draws differ where no others had been tried."""
    drawn = sorted(proposals, key=lambda each: -each["share"])
    share, distance, said = (np.array([each[name] for each in drawn], float) for name in ("share", "distance", "probability"))
    alone = weigh_states(share[:FEW], distance[:FEW], read_calibration())
    return float(np.abs(alone - said[:FEW]).mean())


def find_nearest(record: Record) -> NDArray[np.bool_]:
    """Mark proposals (H,) with the fewest slots wrongly filled or empty; of these, with the fewest blocks in a wrong slot."""
    wrong = [(each["slots"], each["wrong"]) for each in record["proposals"]]
    return np.array([each == min(wrong) for each in wrong])


def rank_of_nearest(record: Record, key: str) -> int:
    """Return the rank of the nearest proposal when all are sorted by `key`; the best rank where several are as near."""
    scores = np.array([each[key] for each in record["proposals"]], float)
    order = np.argsort(-np.nan_to_num(scores), kind="stable")
    return int(np.flatnonzero(find_nearest(record)[order])[0]) + 1


def chance_in_top(proposals: int, nearest: int, top: int = TOP_RANKS) -> float:
    """Return the probability that one of so many nearest is among the first when proposals are shuffled."""
    if proposals <= top:
        return 1.0
    return 1 - math.comb(proposals - nearest, top) / math.comb(proposals, top)


def score_sets(records: Sequence[Record]) -> Iterator[Score]:
    """Score how often the slot of a fallen block is in the set that should hold it nine times in ten, and how large these are."""
    hits = [sum(block["true"] in block["set"] for block in record["blocks"]) for record in records]
    sizes = [sum(len(block["set"]) for block in record["blocks"]) for record in records]
    blocks = [len(record["blocks"]) for record in records]
    yield ("sets", "coverage", "physics"), Interval.bootstrap_ratio(hits, blocks)
    yield ("sets", "size", "physics"), Interval.bootstrap_ratio(sizes, blocks)
