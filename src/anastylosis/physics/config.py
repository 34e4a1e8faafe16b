"""Settings of the engine: one frozen dataclass, two presets, and the tuple of numbers the kernels read."""

from dataclasses import dataclass
from math import inf, isfinite
from typing import Literal, NamedTuple

from anastylosis.errors import InvalidConfig

BLOCK_SOLVER, POINT_SOLVER = 0, 1  # values of Settings.solver


@dataclass(frozen=True, kw_only=True)
class EngineConfig:
    """Time step and contact solver of the engine. Lengths in metres, times in seconds."""

    solver: Literal["block", "pgs"] = "block"  # docs/decisions/0003
    timestep: float = 1 / 240  # [s] Paper, appendix A
    substeps: int = 8  # collide, solve and move once in each
    iterations: int = 4  # solver passes in each
    impact_iterations: int = 1  # more of them in a substep in which something strikes; fewer let blocks sink in
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)  # [m/s^2]

    pair_margin: float = 2e-3  # broadphase: blocks this near are a pair. Paper Eq. (10)
    contact_margin: float = 8e-4  # narrowphase: points this near are kept, before they touch
    skin: float = 5e-5  # [m] a gap below this counts as touching: an uneven tower trembles with less
    slop: float = 3e-5  # [m] penetration left alone, so that resting contacts are not pushed to and fro
    push_speed: float = 1.0  # fastest removal of penetration [m/s]; higher throws blocks
    push_passes: int = 4  # passes that push penetration out
    bias_rate: float = 900.0  # [1/s] share of penetration pushed out a second
    leak: float = 0.03  # share of an impulse's distance from its slow mean given up in a substep: damps ringing
    blow_ratio: float = 3.0  # an impulse above this many times its slow mean is a blow
    blow_leak: float = 0.3  # share of a blow's excess given up at once: it must not be felt again in the next substep
    reference_rate: float = 30.0  # [1/s] how fast the reference impulse follows; higher lets tall towers ring
    rebuild_normal: float = 2e-4  # relative motion along the normal after which a manifold is rebuilt
    rebuild_tangent: float = 2e-3  # the same across it
    bounce_speed: float = 0.1  # [m/s] slower impacts do not bounce

    baumgarte: float = 0.35  # share of penetration removed a substep (pgs). Paper Eq. (16)
    pgs_slop: float = 4e-4  # penetration allowed (pgs). Paper Eq. (16)

    seed_passes: int = 5000  # static passes that find the resting forces before time starts; 0: none
    sleep: bool = False  # put islands at rest to sleep
    sleep_after: float = 0.5  # [s] of quiet
    sleep_speed: float = 2e-3  # [m/s], of the fastest point of a block

    def __post_init__(self) -> None:
        if self.solver not in ("block", "pgs"):
            raise InvalidConfig(f"solver is {self.solver!r}; choose 'block' or 'pgs'")
        for name in ("timestep", "push_speed", "pair_margin", "contact_margin", "rebuild_normal", "rebuild_tangent"):
            if not 0 < getattr(self, name) < inf:
                raise InvalidConfig(f"{name} is {getattr(self, name)}; it must be a finite number above 0")
        for name in (
            "skin",
            "slop",
            "bias_rate",
            "leak",
            "reference_rate",
            "bounce_speed",
            "baumgarte",
            "pgs_slop",
            "sleep_after",
        ):
            if not 0 <= getattr(self, name) < inf:
                raise InvalidConfig(f"{name} is {getattr(self, name)}; it must be a finite number, 0 or above")
        for name in ("leak", "blow_leak", "baumgarte"):
            if not 0 <= getattr(self, name) <= 1:
                raise InvalidConfig(f"{name} is {getattr(self, name)}; it is a share, 0..1")
        if not self.blow_ratio >= 1:
            raise InvalidConfig(f"blow_ratio is {self.blow_ratio}; it must be at least 1")
        for name, least in (("substeps", 1), ("iterations", 1), ("impact_iterations", 0), ("push_passes", 0), ("seed_passes", 0)):
            value = getattr(self, name)
            if not isfinite(value) or value != int(value) or value < least:
                raise InvalidConfig(f"{name} is {value}; it must be a whole number, at least {least}")
        if len(self.gravity) != 3 or not all(isfinite(part) for part in self.gravity):
            raise InvalidConfig(f"gravity is {self.gravity}; it must be three finite numbers [m/s^2]")

    @property
    def substep(self) -> float:
        """Length of a substep [s]."""
        return self.timestep / self.substeps

    def settings(self) -> "Settings":
        """Return the numbers that kernels read, each of its declared type: another type would compile the kernels anew."""
        x, y, z = self.gravity
        derived = {
            "solver": BLOCK_SOLVER if self.solver == "block" else POINT_SOLVER,
            "h": self.substep,
            "gravity_x": x,
            "gravity_y": y,
            "gravity_z": z,
            "reference_gain": min(1.0, self.reference_rate * self.substep),
        }
        return Settings(**{
            name: kind(derived[name] if name in derived else getattr(self, name))
            for name, kind in Settings.__annotations__.items()
        })  # fmt: skip


class Settings(NamedTuple):
    """`EngineConfig` as plain numbers; fields mean the same there."""

    solver: int
    substeps: int
    iterations: int
    impact_iterations: int
    timestep: float
    h: float  # substep [s]
    gravity_x: float
    gravity_y: float
    gravity_z: float
    pair_margin: float
    contact_margin: float
    skin: float
    slop: float
    push_speed: float
    push_passes: int
    leak: float  # share of the impulse's distance from its reference given up in a substep
    bias_rate: float  # [1/s] share of penetration removed a second
    blow_leak: float
    blow_ratio: float
    reference_gain: float  # share of the distance the reference follows in a substep
    rebuild_normal: float
    rebuild_tangent: float
    bounce_speed: float
    baumgarte: float
    pgs_slop: float
    seed_passes: int
    sleep: bool
    sleep_after: float
    sleep_speed: float


def default_config() -> EngineConfig:
    """Return the best accuracy for the time: face manifolds solved as blocks. docs/decisions/0003."""
    return EngineConfig()


def paper_config() -> EngineConfig:
    """Return the paper's solver and numbers: 1/240 s, 3 substeps, 14 iterations of PGS; warm start, skin and seed are ours."""
    return EngineConfig(solver="pgs", substeps=3, iterations=14)
