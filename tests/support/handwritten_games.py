"""Games written by hand: what came of each pull, and nothing else of interest."""

from collections.abc import Sequence

import numpy as np

from anastylosis.report.games import Games

Pull = tuple[str, str, float]  # kind, outcome, force [N]


def make_games(*played: Sequence[Pull], level: str = "low", friction: float = 0.4, layers: int = 6) -> Games:
    """The games of one level; a list of pulls each."""
    pulls = [(row, *pull) for row, game in enumerate(played) for pull in game]
    count, fell = len(played), [bool(game) and game[-1][1] == "collapse" for game in played]
    fatal = np.array([outcome == "collapse" for _, _, outcome, _ in pulls], dtype=bool)
    return Games(
        level=level,
        friction=np.full(count, friction),
        mass=np.full(count, 0.0196),
        layers=np.full(count, float(layers)),
        blocks_on_floor=np.where(fell, 7.0, 0.0),
        fell=np.array(fell),
        episode=np.array([row for row, *_ in pulls], dtype=int),
        outcome=np.array([outcome for _, _, outcome, _ in pulls], dtype=object),
        kind=np.array([kind for _, kind, _, _ in pulls], dtype=object),
        risk=np.array(["low"] * len(pulls), dtype=object),
        layer=np.arange(len(pulls)) % (layers - 2),
        force=np.array([force for *_, force in pulls], dtype=float),
        energy=np.where(fatal, 0.5, 1e-5),
        displacement=np.where(fatal, 0.4, 1e-3),
        angle=np.where(fatal, 3.1, 0.01),
        margin=np.full(len(pulls), 0.040),
        interface_margin=np.full(len(pulls), 0.012),
    )


CENTRE, ALONG, ACROSS = "center_xaxis", "side_yaxis", "side_xaxis"
FALLS = ((CENTRE, "out", 0.5), (ACROSS, "out", 1.0), (CENTRE, "stuck", 3.0), (ACROSS, "collapse", 2.0))
STANDS = ((ALONG, "out", 0.3),)
