"""Detection by nets that know the truth: what is left to test are geometry, evidence and suppression."""

import numpy as np
import pytest

from anastylosis.detection import slot_classifier
from anastylosis.detection.detections import BoxProposals, Detections, join_proposals
from anastylosis.detection.detector import detect_fallen
from anastylosis.detection.overlaps import measure_overlaps, suppress_overlaps
from anastylosis.detection.refiner import EVIDENCE, REFINER_OUTPUTS, Crops, measure_evidence, refine
from anastylosis.detection.slot_classifier import SlotCrops, classify_slots
from anastylosis.detection.view import mirror_view
from anastylosis.detection.votes import cluster_votes, decode_votes, join_votes, propose_by_votes
from anastylosis.training.detection.scenes import mirror
from anastylosis.training.detection.scores import match_blocks
from support.drawn_debris import BLOCK, SLOTS, know_votes, make_scene, photograph, say_filled, say_votes, shake


def trust_votes(crops: Crops, traits: np.ndarray) -> np.ndarray:
    """A refiner that goes by how many votes agree, and by nothing else, and moves nothing."""
    said = np.zeros((len(traits), REFINER_OUTPUTS), np.float32)
    said[:, 0], said[:, 1:3] = traits[:, EVIDENCE.index("votes")], -5.0
    return said


@pytest.mark.parametrize("pictures", [1, 2])
def test_every_block_that_fell_is_found_once_where_it_is(pictures: int) -> None:
    scene = make_scene(seed=1)
    shots = [photograph(scene, seed=10 + number) for number in range(pictures)]
    views, vote_net = [shot.view for shot in shots], know_votes(scene, shots)
    found = refine(propose_by_votes(views, vote_net, BLOCK), trust_votes)
    fallen = scene.blocks.take(scene.fell)
    matches = match_blocks(found.blocks, fallen)
    assert len(matches.true) == len(fallen.size) == len(found.logit)
    assert matches.place.max() < 0.003
    assert matches.turn.max() < 0.05


def test_what_is_found_in_a_mirror_is_where_it_is() -> None:
    scene = make_scene(seed=1)
    shot = photograph(scene, seed=10)
    other = mirror(scene)
    mirrored = shot._replace(view=mirror_view(shot.view), ids=shot.ids[:, ::-1])
    says = iter([say_votes(scene, shot), say_votes(other, mirrored)])
    found = detect_fallen([shot.view], lambda picture: next(says), trust_votes, BLOCK)
    fallen = scene.blocks.take(scene.fell)
    assert len(found.logit) == 2 * len(fallen.size)
    for half in np.split(np.arange(len(found.logit)), 2):
        matches = match_blocks(found.blocks.take(half), fallen)
        assert len(matches.true) == len(fallen.size)
        assert matches.place.max() < 0.003
        assert matches.turn.max() < 0.05


def test_evidence_tells_a_block_from_none() -> None:
    scene = make_scene(seed=2)
    shot = photograph(scene, seed=2)
    vote_map = [decode_votes(shot.view.camera, say_votes(scene, shot)[0])]
    fallen = scene.blocks.take(scene.fell)
    away = fallen._replace(position=fallen.position + np.array([0.05, 0.05, 0.03]))
    traits = measure_evidence(vote_map, join_proposals([fallen, away]), np.ones(18))
    assert traits.shape == (18, len(EVIDENCE))
    assert np.isfinite(traits).all()
    agree, block = (traits[:, EVIDENCE.index(name)] for name in ("agree", "block"))
    assert agree[:9].min() > 0.8  # all cells in which it should be seen vote for it
    assert agree[9:].max() < 0.2
    assert block[:9].min() > 0.8


def test_what_is_hidden_is_not_held_against_a_block() -> None:
    scene = make_scene(seed=3)
    shot = photograph(scene, seed=3)
    vote_map = [decode_votes(shot.view.camera, say_votes(scene, shot)[0])]
    fallen = scene.blocks.take(scene.fell)
    toward = 0.04 * (np.asarray(shot.view.camera.eye) - fallen.position)
    before = fallen._replace(position=fallen.position + toward)  # one in front of each
    traits = measure_evidence(vote_map, join_proposals([fallen, before]), np.ones(18))
    seen = traits[:, EVIDENCE.index("seen")]
    assert seen[:9].max() < 0.6
    assert seen[9:].min() > 0.9


def test_nothing_seen_is_nothing_found() -> None:
    view = photograph(make_scene()).view
    empty = np.full((1, 18, view.camera.height // 4, view.camera.width // 4), -9.0, np.float32)
    found = detect_fallen([view], lambda picture: empty, trust_votes, BLOCK)
    assert len(found.logit) == 0
    assert len(suppress_overlaps(found)) == 0


def test_votes_of_two_views_are_one_count() -> None:
    scene = make_scene(seed=4)
    shots = [photograph(scene, seed=seed) for seed in (4, 5)]
    vote_map = [decode_votes(shot.view.camera, say_votes(scene, shot)[0]).votes for shot in shots]
    one, both = cluster_votes(vote_map[0], BLOCK)[1], cluster_votes(join_votes(vote_map), BLOCK)[1]
    assert both.sum() == pytest.approx(sum(len(votes.weight) for votes in vote_map), rel=0.1)
    assert both.sum() > 1.5 * one.sum()


def test_of_two_that_collide_the_surer_stays() -> None:
    scene = make_scene()
    twice = join_proposals([scene.blocks, shake(scene.blocks, 0.001, 0.01)])
    logit = np.concatenate([np.full(12, 1.0), np.full(12, 2.0)])
    kept = suppress_overlaps(Detections(twice, logit, np.ones(24), np.ones(24), np.zeros(24, bool)))
    assert sorted(kept) == list(range(12, 24))


def test_two_that_reach_into_each_other_may_both_be_there() -> None:
    blocks = SLOTS.take(np.arange(2))
    sunk = blocks._replace(position=blocks.position[[0, 0]] + [[0, 0, 0], [0, 0, 0.006]], axes=blocks.axes[[0, 0]])  # 12 mm deep
    found = Detections(sunk, np.ones(2), np.ones(2), np.ones(2), np.zeros(2, bool))
    assert len(suppress_overlaps(found)) == 2
    assert len(suppress_overlaps(found, deep=0.009)) == 1


def test_blocks_that_rest_on_each_other_do_not_collide() -> None:
    overlap, _, _ = measure_overlaps(SLOTS)
    assert overlap.max(initial=0) < 1e-6


def test_slots_are_read_from_the_floor_up_to_where_none_is_filled(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = make_scene()
    view = photograph(scene).view
    truth = say_filled(scene)
    asked: list[int] = []

    def cut(view, slots: BoxProposals) -> SlotCrops:
        rows = np.flatnonzero((SLOTS.position[:, None] == slots.position).all(axis=2).any(axis=1))
        asked.extend(rows)
        return SlotCrops(truth[rows].astype(np.float32)[:, None], np.zeros((len(rows), 1), np.float32))

    monkeypatch.setattr(slot_classifier, "cut_slot_crops", cut)
    logit = classify_slots([view], lambda crops: crops.picture[:, 0], SLOTS)
    assert logit.shape == (1, len(SLOTS.size))
    assert (logit[:, :3] > 0).all()
    assert not (logit[:, 3:] > 0).any()
    assert max(asked) < 24  # it does not climb on where nothing stands


def test_slots_out_of_the_picture_have_no_logit() -> None:
    view = photograph(make_scene()).view
    far = SLOTS._replace(position=SLOTS.position + np.array([50.0, 0, 0]))
    logit = slot_classifier.classify_in_view(view, lambda crops: np.full(len(crops.about), 5.0, np.float32), far)
    assert np.isnan(logit).all()
    joined = slot_classifier.average_logits(np.array([[np.nan, 2.0, np.nan], [3.0, 4.0, np.nan]]))
    assert joined[:2].tolist() == [3.0, 3.0]
    assert joined[2] < -10  # what no picture shows is not taken to stand
