"""Errors that this package raises on purpose; the page has one more, `Refused` in `web/trouble.py`, an InvalidInput.

AnastylosisError
├── InvalidInput            a value the user gave cannot be right
│   ├── InvalidStructure    sizes, masses, poses, overlaps of blocks
│   └── InvalidConfig       a setting outside its range
├── SimulationDiverged      a state became NaN or infinite
├── CapacityExceeded        a preallocated buffer was too small
├── FolderBusy              another process writes to the same folder
├── WorkerDied              processes that did a job died at it, again and again, or their scheduler did
├── DeviceMissing           a GPU was asked for, and there is none that can be used
└── MissingExtra            an optional dependency is not installed
"""

from typing import Literal, Self, get_args

from anastylosis.machine import install_line

__all__ = [
    "AnastylosisError",
    "CapacityExceeded",
    "DeviceMissing",
    "FolderBusy",
    "InvalidConfig",
    "InvalidInput",
    "InvalidStructure",
    "MissingExtra",
    "SimulationDiverged",
    "WorkerDied",
]

# Names of problems that the page says in words of its own: each has a row in `web/problems.py`.
Kind = Literal[
    "",  # it has none
    "file_empty", "file_large", "not_text",
    "picture", "picture_format", "picture_broken", "picture_large", "picture_small", "picture_strip", "picture_cropped",
    "picture_twice",
    "survey", "survey_json", "survey_columns", "survey_rows", "survey_empty", "survey_many", "survey_number", "survey_units",
    "survey_ids", "survey_rotation", "survey_value", "survey_far",
    "blocks_misfit", "blocks_many", "blocks_nowhere", "blocks_packed", "no_blocks",
    "frame_contradicted",
    "no_camera", "target_unread", "target_unclear", "foot_missing", "not_in_view", "too_near", "too_far", "two_scenes",
    "block_unknown",
    "points_line", "points_mirrored", "points_steep", "points_loose", "points_wrong",
    "corners_few", "corners_wrong", "corners_unclear", "corners_small",
    "engine", "worker", "extra",
]  # fmt: skip
KINDS = frozenset(get_args(Kind))


class AnastylosisError(Exception):
    """Base of every error raised on purpose; its message says what to do.

    `what` is wrong, and a `remedy` where that depends on who asks: a page has no files to name. `kind`: one of `KINDS`,
    for those who say it in words of their own.
    """

    kind: Kind = ""
    joint = ". "  # between what is wrong and the remedy

    def __init__(self, what: str, *, kind: Kind = "", remedy: str = "") -> None:
        super().__init__(f"{what}{self.joint}{remedy}" if remedy else what)
        self.what, self.remedy = what, remedy
        self.kind = kind or self.kind
        if self.kind not in KINDS:
            raise LookupError(f"{self.kind!r} is no kind of problem; add it to KINDS, and a row for it to web/problems.py")


class InvalidInput(AnastylosisError, ValueError):
    """A value given by the user is impossible or out of range."""

    def reword(self, what: str, kind: Kind = "") -> Self:
        """Return the problem in other words, such as with its file's name; of this kind, if it has none."""
        return type(self)(what, kind=self.kind or kind, remedy=self.remedy)


class InvalidStructure(InvalidInput):
    """Blocks that cannot exist or cannot stand where they are said to stand."""


class InvalidConfig(InvalidInput):
    """A setting outside the range in which it means something."""


class SimulationDiverged(AnastylosisError):
    """A position or velocity stopped being a finite number."""

    kind = "engine"

    def __init__(self, world: int, step: int, block: int, block_id: str):
        self.world, self.step, self.block, self.block_id = world, step, block, block_id
        super().__init__(
            f"the state of block {block_id!r} (world {world}) is no longer finite after step {step}: "
            "check forces, initial velocities and the time step"
        )

    def __reduce__(self) -> tuple[type, tuple[int, int, int, str]]:  # a worker process sends it home
        return type(self), (self.world, self.step, self.block, self.block_id)


class CapacityExceeded(AnastylosisError):
    """A preallocated buffer ran full."""

    kind = "engine"


class FolderBusy(AnastylosisError):
    """A dataset, or the folder of a reconstruction, has one writer at a time."""


class WorkerDied(AnastylosisError):
    """A job took its worker down each time it was tried, or the scheduler of all workers is gone."""

    kind = "worker"


class DeviceMissing(AnastylosisError):
    """A GPU was asked for; `reason` says what keeps it from being used, and what helps."""

    def __init__(self, reason: str):
        self.reason = reason
        super().__init__(f"there is no GPU to work on: {reason}; without one, leave out --device cuda, or say --device cpu")

    def __reduce__(self) -> tuple[type, tuple[str]]:  # a worker process sends it home
        return type(self), (self.reason,)


class MissingExtra(AnastylosisError):
    """An optional dependency is needed and not installed."""

    kind, joint = "extra", "; "

    def __init__(self, package: str, extra: str):
        self.package, self.extra = package, extra
        super().__init__(f"{package} is not installed", remedy=f"run: {install_line(extra)}")

    def __reduce__(self) -> tuple[type, tuple[str, str]]:  # a worker process sends it home
        return type(self), (self.package, self.extra)
