"""Play one game and tell its story.

    python examples/01_one_episode.py [SEED]

Blocks are pulled out of an 18-layer tower, one after the other, until it falls. Forces are in millinewtons: what the
closed form expects for the load above, and what the hand felt. The margin is that of the weakest interface: how far the
centre of mass of all that stands on it is from tipping over its edge.
"""

import math
import sys

from anastylosis.episode import EpisodeConfig, Round, run_episode
from anastylosis.units import metres_to_millimetres, newtons_to_millinewtons

WAYS = {"x": "across", "y": "along its length"}
OUTCOMES = {"out": "it is out", "stuck": "it is stuck, and stays", "collapse": "the tower falls"}


def tell_round(played: Round, *, intact: bool) -> None:
    expected, felt = (newtons_to_millinewtons(force) for force in (played.move.force_loaded, played.extraction.peak_force))
    margin = metres_to_millimetres(played.before.interface_margin)
    where = "everywhere" if intact else f"under layer {played.before.weakest_course}"
    print(
        f"{played.number + 1:2}. {played.pull.block} {WAYS[played.pull.axis]:16}  risk {played.move.risk:6}  "
        f"expected {expected:5.0f} mN, felt {felt:5.0f} mN  margin {margin:5.1f} mm {where:14}  {OUTCOMES[played.outcome]}"
    )


def main(seed: int) -> None:
    print(f"An 18-layer tower, friction 0.40, a random player, seed {seed}.")
    told: list[Round] = []

    def tell(played: Round) -> None:
        tell_round(played, intact=not any(earlier.outcome == "out" for earlier in told))
        told.append(played)

    episode = run_episode(EpisodeConfig(), seed, on_round=tell)
    labels = episode.labels
    if episode.collapsed:
        towards = f"{math.degrees(labels.direction):.0f} degrees (0 is x, 90 is y)"
        print(
            f"It stood with {labels.removed_count} blocks missing and fell at layer {labels.failure_course}, "
            f"towards {towards}; {labels.blocks_on_floor} blocks came down to the floor."
        )
    moved = metres_to_millimetres(max(math.hypot(*way) for way in labels.displacement[labels.lies.present]))
    print(f"The block that went furthest lies {moved:.0f} mm from where it stood.")
    print(f"{episode.seconds:.1f} s of simulated time, {len(episode.frames.time)} frames, fingerprint {episode.fingerprint()}.")
    if episode.collapsed and told and told[-1].move.risk == "low" and told[-1].after.interface_margin > 0:
        print("The last move was of low risk, and without the block the margin was still positive: statics gave no warning.")
        print("What brings towers down here: docs/explanation/claims.md")


def read_seed(words: list[str]) -> int:
    if len(words) > 1 or not all(word.isdecimal() for word in words):
        sys.exit("usage: python examples/01_one_episode.py [SEED]   (a whole number, 0 or above; 0 when left out)")
    return int(words[0]) if words else 0


if __name__ == "__main__":
    main(read_seed(sys.argv[1:]))
