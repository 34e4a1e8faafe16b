"""Play one game and tell its story.

    python examples/01_one_episode.py [SEED]

Blocks are pulled out of an 18-layer tower, one after the other, until it falls. Forces are in millinewtons: what the
closed form expects for the load above, and what the hand felt. The margin is that of the weakest interface: how far the
centre of mass of all that stands on it is from tipping over its edge. What brings towers down: docs/explanation/claims.md
"""

import math
import sys

from anastylosis import EpisodeConfig, run_episode
from anastylosis.episode import Round

WAYS = {"x": "across", "y": "along its length"}
OUTCOMES = {"out": "it is out", "stuck": "it is stuck, and stays", "collapse": "the tower falls"}


def tell_round(played: Round) -> None:
    expected, felt = (1e3 * force for force in (played.move.force_loaded, played.extraction.peak_force))
    margin = 1e3 * played.before.interface_margin
    what = f"{played.number + 1:2}. {played.pull.block} {WAYS[played.pull.axis]:16}  risk {played.move.risk:6}"
    forces = f"expected {expected:5.0f} mN, felt {felt:5.0f} mN"
    print(f"{what}  {forces}  margin {margin:5.1f} mm under layer {played.before.weakest_course:2}  {OUTCOMES[played.outcome]}")


def main(seed: int) -> None:
    print(f"An 18-layer tower, friction 0.40, a random player, seed {seed}.")
    episode = run_episode(EpisodeConfig(), seed, on_round=tell_round)
    labels = episode.labels
    if episode.collapsed:
        way = math.degrees(labels.direction)
        print(f"It stood with {labels.removed_count} blocks missing and fell at layer {labels.failure_course}, towards")
        print(f"{way:.0f} degrees (0 is x, 90 is y); {labels.blocks_on_floor} blocks came to the floor.")
    moved = 1e3 * max(math.hypot(*way) for way in labels.displacement[labels.lies.present])
    print(f"The block that went furthest lies {moved:.0f} mm from where it stood.")
    print(f"{episode.seconds:.1f} s of simulated time, {len(episode.frames.time)} frames, fingerprint {episode.fingerprint()}.")


if __name__ == "__main__":
    words = sys.argv[1:]
    if len(words) > 1 or not all(word.isdecimal() for word in words):
        sys.exit("usage: python examples/01_one_episode.py [SEED]   (a whole number, 0 or above; 0 when left out)")
    main(int(words[0]) if words else 0)
