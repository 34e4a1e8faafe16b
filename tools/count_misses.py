"""Count what the detector misses and what it invents: the numbers of "What the misses are" in docs/notebook/detection.md.

python tools/count_misses.py DATASET [--split val] [--episodes 102]
"""

import argparse
from collections import Counter
from pathlib import Path

import numpy as np
from scipy.special import expit

from anastylosis.arrays import Floats
from anastylosis.dataset import Dataset
from anastylosis.dataset.examples import Examples, read_examples
from anastylosis.detection.detections import PROBABILITY_MIN, BoxProposals
from anastylosis.detection.detector import BlockDetector, detect_fallen
from anastylosis.detection.view import level_photo
from anastylosis.models.shipped import list_detector
from anastylosis.training.detection.photos import take_photos
from anastylosis.training.detection.scenes import open_scene
from anastylosis.training.detection.scores import PLACE_NEAR, TURN_NEAR, match_blocks, measure_pairs

NEARLY = 0.035, np.radians(35)  # [m], [rad] from a block: nearly right
NEAR_MISS = 0.030, np.radians(30)  # the same, of what was found beside a block that was missed


def measure_distances(found: BoxProposals, true: BoxProposals) -> tuple[Floats, Floats]:
    """(N, M) [m] and [rad] from each block to each other."""
    place, turns = measure_pairs(found, true)
    return place, np.linalg.norm(turns, axis=-1)


def count_scene(detector: BlockDetector, examples: Examples, row: int) -> tuple[Counter[str], list[Floats]]:
    """Of one picture: blocks by what became of them, and by how much near misses are off along the line of sight, and in all."""
    scene = open_scene(examples, row)
    photos, visible = take_photos(scene, 1, np.random.default_rng((0, row)))
    nets, views = detector.proposal_nets, [level_photo(photo) for photo in photos]
    proposed, found = (
        detect_fallen(views, nets.vote_net, nets.refiner, np.array(nets.slot_classifier.card.size)),
        detector.detect_in_views(views),
    )
    kept = found.take(np.flatnonzero(~found.stands & (expit(found.logit) >= PROBABILITY_MIN))).blocks
    fallen = np.flatnonzero(scene.fell)
    matches = match_blocks(kept, scene.blocks.take(fallen))
    lost = np.setdiff1d(fallen, fallen[matches.true])
    missed, wrong = lost[visible[lost]], np.setdiff1d(np.arange(len(kept.size)), matches.found)
    counts = Counter({"in sight": int(visible[fallen].sum()), "missed": len(missed), "wrong": len(wrong)})
    place, turn = measure_distances(proposed.blocks, scene.blocks.take(missed))
    right = ((place <= PLACE_NEAR) & (turn <= TURN_NEAR)).any(axis=0)
    nearly = ((place <= NEARLY[0]) & (turn <= NEARLY[1])).any(axis=0) & ~right
    counts |= Counter({"missed, right proposal": int(right.sum()), "missed, nearly right one": int(nearly.sum())})
    place, turn = measure_distances(kept.take(wrong), scene.blocks.take(lost))
    near = (place <= NEAR_MISS[0]) & (turn <= NEAR_MISS[1])
    counts["wrong, near a missed block"] = int(near.any(axis=1).sum())
    return counts, [
        measure_off(kept.position[wrong[number]], scene.blocks.position[lost[place[number].argmin()]], photos[0].camera.eye)
        for number in np.flatnonzero(near.any(axis=1))
    ]


def measure_off(here: Floats, there: Floats, camera: tuple[float, float, float]) -> Floats:
    """(2,) [m] from one place to the other, along the line of sight and in all."""
    ray = here - np.asarray(camera)
    return np.array([(there - here) @ ray / np.linalg.norm(ray), np.linalg.norm(there - here)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--split", default="val")
    parser.add_argument("--episodes", type=int, default=102)
    told = parser.parse_args()
    examples = read_examples(Dataset(told.dataset)).of(told.split).take(slice(0, told.episodes))
    detector = BlockDetector.from_files(*list_detector())
    counts: Counter[str] = Counter()
    offs: list[Floats] = []
    for row in range(len(examples)):
        one, off = count_scene(detector, examples, row)
        counts, offs = counts + one, offs + off
    for name, count in counts.items():
        print(f"{name}\t{count}")
    along, total = 1e3 * np.sqrt((np.array(offs) ** 2).mean(axis=0))
    print(f"near misses are off by {along:.0f} mm along the line of sight, {total:.0f} mm in all (root mean squares)")


if __name__ == "__main__":
    main()
