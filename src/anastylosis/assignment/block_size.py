"""Block size: the size of which the slots of a tower are built, and surveys scaled to the blocks that the nets know."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Floats, Vector
from anastylosis.errors import InvalidInput, InvalidStructure
from anastylosis.structure import BLOCK_SIZE, check_block_size, space_places
from anastylosis.survey import Survey, check_survey
from anastylosis.units import metres_to_millimetres

FITS = 0.25  # a block fits a slot when no side differs by a larger share
ALIKE = 0.03  # share by which usual sides may differ from those of the nets' blocks and be these blocks, measured
# Proportions may differ from those of the nets' blocks by this share: of 75 x 25 x 15 mm it is 0.08, and those were measured
# (`anastylosis evaluate`, split test-shop).
PROPORTIONS_MEASURED = 0.09


def choose_block_size(survey: Survey, given: Vector | None = None) -> Vector:
    """Return the size of the blocks that a tower was built of: the given one, else the usual one of the surveyed blocks.

    Raises if crossed courses cannot be built of such blocks.
    """
    if given is not None:
        size = check_size(given)
        if not find_fitting(survey.size, size).any():
            raise InvalidInput(describe_misfit(survey, size), kind="blocks_misfit")
        return size
    usual = np.median(survey.size, axis=0)
    if (np.abs(usual / np.array(BLOCK_SIZE) - 1) <= ALIKE).all():
        return BLOCK_SIZE
    if measure_proportions(usual) <= FITS and not find_mixed_units(survey):
        try:
            return check_block_size(tuple(usual.tolist()))
        except InvalidStructure:
            pass
    if find_fitting(survey.size, BLOCK_SIZE).any():  # a few blocks of a tower among many other stones
        return BLOCK_SIZE
    raise InvalidInput(describe_misfit(survey, BLOCK_SIZE), kind="blocks_misfit")


def check_size(given: Vector) -> Vector:
    """Return the size that the user gave; raise unless the nets know towers of such blocks."""
    try:
        size = check_block_size(given)
    except InvalidStructure as problem:
        raise InvalidInput(str(problem)) from problem
    if measure_proportions(size) > FITS:
        raise InvalidInput(
            f"blocks of {format_size(size)} are too unlike those that are known, {format_size(BLOCK_SIZE)}: after scaling, a "
            f"side differs by {measure_proportions(size):.0%}, and up to {FITS:.0%} is allowed"
        )
    return size


def find_fitting(size: Floats, slot: Vector | Floats = BLOCK_SIZE) -> NDArray[np.bool_]:
    """Return a mask (...) of the block sizes, (..., 3), that fit slots of these sizes, (..., 3)."""
    fits: NDArray[np.bool_] = (np.abs(size / np.asarray(slot) - 1) <= FITS).all(axis=-1)
    return fits


def measure_proportions(size: Vector | Floats) -> float:
    """Measure by what share, at most, a side differs from the nets' blocks when the block is scaled to their volume."""
    ratio = np.asarray(size) / np.array(BLOCK_SIZE)
    return float(np.abs(ratio / np.cbrt(ratio.prod()) - 1).max())


def scale_survey(survey: Survey, block: Vector) -> Survey:
    """Scale a survey of blocks of this size to the nets' blocks, so that slots become slots.

    Heights and horizontal places are scaled by a factor of their own; directions stay.
    """
    if block == BLOCK_SIZE:
        return survey
    across, up = space_places(*BLOCK_SIZE[:2]) / space_places(*block[:2]), BLOCK_SIZE[2] / block[2]
    scale = np.array((across, across, up))
    return replace(
        survey,
        size=survey.size / np.array(block) * np.array(BLOCK_SIZE),
        position=survey.position * scale,
        position_sd=survey.position_sd * np.cbrt(scale.prod()),
    )


def find_mixed_units(survey: Survey) -> list[str]:
    """List findings of sizes that are in another unit than the rest of the survey, or than it seems."""
    return [finding.message for finding in check_survey(survey) if finding.kind == "units"]


def describe_misfit(survey: Survey, block: Vector) -> str:
    """Describe why no block fits a slot; most often the units are mixed up."""
    seen = " x ".join(f"{side:g}" for side in np.median(survey.size, axis=0))
    wanted = " x ".join(f"{side:g}" for side in block)
    message = f"no block fits a slot: the slots are of {wanted} m, and the blocks of the survey about {seen} m"
    mixed = find_mixed_units(survey)
    return (
        f"{message}. {mixed[0]}; give the unit of its lengths (--units), or the size of a block (--block)" if mixed else message
    )


def format_size(block: Vector | Floats) -> str:
    """Return a size as text: 75 x 25 x 15 mm."""
    return " x ".join(f"{metres_to_millimetres(side):g}" for side in block) + " mm"
