"""The benchmark of `anastylosis bench`: scenes that are simulated, peers beside the engine, and statics."""

from collections.abc import Callable, Sequence

from anastylosis.errors import InvalidInput
from anastylosis.validation.bench import BENCH_SCENES, Comparison, Row, compare_rows, run_bench
from anastylosis.validation.peers import missing_peers
from anastylosis.validation.statics import StaticRow, time_statics

STATICS = "statics"


class Benchmark:
    """Scenes to simulate and whether to time statics; all of it, if no name is given."""

    def __init__(self, names: Sequence[str], *, peers: bool, repeats: int) -> None:
        known = (*BENCH_SCENES, STATICS)
        for name in names:
            if name not in known:
                raise InvalidInput(f"there is no scene {name!r}; choose from {', '.join(known)}")
        self.scenes = [name for name in names or BENCH_SCENES if name != STATICS]
        self.statics = not names or STATICS in names
        self.peers, self.repeats = peers, repeats

    def list_missing(self) -> list[str]:
        """List the peers that would run if they were installed, by name."""
        return [peer.NAME for peer in missing_peers()] if self.scenes and self.peers else []

    def run_scenes(self, progress: Callable[[str], None]) -> list[Row]:
        """Simulate the scenes; a row for each engine at each scene."""
        return run_bench(self.scenes, self.peers, self.repeats, progress) if self.scenes else []

    def time_statics(self, progress: Callable[[str], None]) -> list[StaticRow]:
        """Time the statics; a row for each task."""
        return time_statics(self.repeats, progress) if self.statics else []

    @staticmethod
    def compare(rows: Sequence[Row]) -> list[Comparison]:
        """Return the ratios that are asked for, as far as the rows hold both sides of them."""
        return compare_rows(rows)
