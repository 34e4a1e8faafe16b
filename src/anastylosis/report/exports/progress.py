"""Progress of an export, and the settings that all formats share."""

from dataclasses import dataclass
from typing import NamedTuple

from anastylosis.errors import InvalidConfig

__all__ = ["ExportProgress", "ExportSettings"]


class ExportProgress(NamedTuple):
    """Progress of an export."""

    done: int  # episodes, those that were there included
    total: int
    written: int


@dataclass(frozen=True, kw_only=True)
class ExportSettings:
    """Settings of the formats that hold pictures."""

    size: int = 512  # sides of the pictures [pixels]
    look: str = "wood"  # wood, stone or paper
    workers: int = 1  # processes that draw

    def __post_init__(self) -> None:
        if not 16 <= self.size <= 2048:
            raise InvalidConfig(f"size is {self.size}; the pictures of an export have sides of 16..2048 pixels")
