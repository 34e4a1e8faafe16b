"""Block detector: pictures of one scene in, a survey of the blocks in them out."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from anastylosis.arrays import Floats, Vector
from anastylosis.detection.block_size import check_proportions
from anastylosis.detection.consistency import check_debris, check_slots
from anastylosis.detection.detections import (
    Detections,
    calibrate,
    calibrate_logits,
    join_detections,
    make_survey,
    mirror_proposals,
    scale_detections,
    tower_slots,
)
from anastylosis.detection.nets import ProposalNets, RescorerModel, SlotClassifierModel
from anastylosis.detection.overlaps import resolve_overlaps, suppress_overlaps
from anastylosis.detection.refiner import RefinerFunction, refine
from anastylosis.detection.rescorer import LOGIT_MIN, rescore
from anastylosis.detection.slot_classifier import average_logits, classify_slots
from anastylosis.detection.view import Photo, View, check_photos, level_photo, mirror_view, scale_photo
from anastylosis.detection.votes import VoteNetFunction, propose_by_votes
from anastylosis.survey import SEEN, Ground, Survey


@dataclass(frozen=True, kw_only=True, eq=False)
class BlockDetector:
    """Four nets: slot classifier for what stands, vote net and refiner for what fell, rescorer for all of it."""

    proposal_nets: ProposalNets
    rescorer: RescorerModel

    @classmethod
    def from_files(
        cls, vote_net: str | Path, slot_classifier: str | Path, refiner: str | Path, rescorer: str | Path, threads: int = 1
    ) -> "BlockDetector":
        """Open files that `train detector` has written."""
        nets = ProposalNets.from_files(vote_net, slot_classifier, refiner, threads)
        return cls(proposal_nets=nets, rescorer=RescorerModel.from_file(rescorer, threads))

    def survey(self, photos: Sequence[Photo], *, block: Vector | None = None, ground: Ground | None = None) -> Survey:
        """Survey the blocks that are probable enough. `ground`: where the tower stood, in the coordinates of the site."""
        source = f"{SEEN}{len(photos)} picture{'s' * (len(photos) > 1)}"
        return make_survey(self.detect(photos, block=block), ground=ground, source=source)

    def detect(self, photos: Sequence[Photo], *, block: Vector | None = None) -> Detections:
        """Detect blocks, also improbable ones, each with a calibrated logit and deviations.

        `block`: length, width and height [m] (default: those that the nets were trained with). The nets know blocks of one
        length: cameras are moved so that these seem as long, and what is found is moved back.
        """
        check_photos(photos)
        usual = self.proposal_nets.slot_classifier.card.size
        size = check_proportions(block or usual)
        share = size[0] / usual[0]
        views = [level_photo(scale_photo(photo, 1 / share)) for photo in photos]
        found = self.detect_in_views(views, np.array(size) / share)
        return scale_detections(found, share)

    def detect_in_views(self, views: Sequence[View], size: Floats | None = None) -> Detections:
        """Detect blocks of a size (3,) in pictures already levelled and scaled so that they are as long as the nets know them."""
        known = np.array(self.proposal_nets.slot_classifier.card.size)
        proposed = propose_blocks(views, self.proposal_nets, known if size is None else size)
        rescored = rescore(proposed, [view.camera.eye for view in views], self.rescorer)
        found = calibrate(rescored, self.rescorer.card.calibration, len(views))
        return resolve_overlaps(found.take(suppress_overlaps(found)))


def propose_blocks(views: Sequence[View], nets: ProposalNets, size: Floats) -> Detections:
    """Propose blocks that stand and blocks that fell, each scored by itself; most that fell are there twice."""
    standing = detect_standing(views, nets.slot_classifier, size)
    fallen = detect_fallen(views, nets.vote_net, nets.refiner, size)
    found = join_detections([standing, calibrate(fallen, nets.refiner.card.calibration, len(views))])
    return found.take(np.flatnonzero(found.logit > LOGIT_MIN))


def detect_standing(views: Sequence[View], slot_classifier: SlotClassifierModel, size: Floats) -> Detections:
    """Detect blocks of a size (3,) that still stand in their slots. Raises when the views contradict each other."""
    calibration = slot_classifier.card.calibration
    slots = tower_slots(size)
    logits = classify_slots(views, slot_classifier, slots)
    check_slots(logits)
    logit = calibrate_logits(average_logits(logits), calibration, len(views))
    place, turn, stands = (np.full(len(logit), value) for value in (*calibration.slot_deviations, True))
    return Detections(slots, logit, place, turn, stands).take(np.flatnonzero(logit > 0))


def detect_fallen(views: Sequence[View], vote_net: VoteNetFunction, refiner: RefinerFunction, size: Floats) -> Detections:
    """Detect fallen blocks of a size (3,) in the views and in their mirror images, where nets err differently.

    Most blocks are found twice. Raises when the views are not of one scene.
    """
    seen = propose_by_votes(views, vote_net, size)
    check_debris(seen.vote_maps, seen.proposals)
    found = refine(seen, refiner)
    mirrored = refine(propose_by_votes([mirror_view(view) for view in views], vote_net, size), refiner)
    return join_detections([found, mirrored._replace(blocks=mirror_proposals(mirrored.blocks))])
