"""Overall progress: how far a reconstruction is, as one share of all of its work."""

from collections.abc import Mapping

from anastylosis.web.observing import VisitorFacts
from anastylosis.web.uploads import InputFile

# [s] of each stage, or of each thing in it, measured of the examples: towers of 18 layers, on two cores. Only how they compare
# matters; another machine is slower in all of them.
LOOK, READ = 3.0, 0.5  # the blocks of a picture, of a survey
MOVE, PROPOSAL = 0.4, 0.45  # a pull that is tried, a tower that is let fall again
STEPS = 9.0  # the order of building
FALL = 0.6  # the first tower, to be shown


def weigh_stages(given: InputFile, facts: VisitorFacts, moves: int) -> dict[str, float]:
    """Estimate the work of each stage, in the order in which they run; 0: the stage does not run."""
    return {
        "blocks": LOOK if given.kind == "picture" else READ,
        "moves": MOVE * moves if facts.hypotheses else 0.0,
        "hypotheses": PROPOSAL * facts.hypotheses,
        "steps": STEPS,
        "fall": FALL,
    }


class OverallProgress:
    """Progress from 0 to 1, never back: a stage that takes longer than was thought makes the others no less done."""

    def __init__(self, stages: Mapping[str, float]) -> None:
        """Begin at 0. `stages`: what each takes, in the order in which they come."""
        self.stages, self.share = dict(stages), 0.0

    def reach(self, what: str, done: int, total: int) -> float:
        """Return the share of all work that is done, after `done` of `total` in a stage; an unknown stage adds nothing."""
        names = list(self.stages)
        if what in names:
            before = sum(self.stages[name] for name in names[: names.index(what)])
            now = before + self.stages[what] * (done / total if total else 0.0)
            self.share = max(self.share, min(now / sum(self.stages.values()), 1.0))
        return self.share
