"""The room behind the table in a photograph: patches of walls and furniture, by the direction in which one looks."""

from anastylosis.kernel import kernel
from anastylosis.rendering.grain import lattice, smooth_noise

CUTS = 9  # of a rectangle in two, at most
WIDE, HIGH = 4.0, 2.5  # azimuth [rad] and slope to both sides of the middle


@kernel
def room_patch(azimuth, slope, seed):
    """Return the tone and the colour, 0..1 both, of the patch seen at this azimuth [rad] and slope.

    Rectangles are cut in two again and again, where the cuts before decide: shelves, frames, doors, skirting boards.
    """
    left, right, low, high, code = -WIDE, WIDE, -HIGH, HIGH, seed
    for step in range(CUTS):
        if step > 3 and lattice(code, step, 3) > 0.72:
            break
        share = 0.25 + 0.5 * lattice(code, step, 1)
        if right - left > (high - low) * (0.6 + 1.2 * lattice(code, step, 2)):
            cut = left + share * (right - left)
            if azimuth < cut:
                right, code = cut, 4 * code + 1
            else:
                left, code = cut, 4 * code + 2
        else:
            cut = low + share * (high - low)
            if slope < cut:
                high, code = cut, 4 * code + 3
            else:
                low, code = cut, 4 * code + 4
        code &= 0xFFFFFF
    tone = lattice(code, 11, seed) + 0.25 * (smooth_noise(9 * azimuth, 9 * slope, float(code % 97)) - 0.5)
    return min(1.0, max(0.0, tone)), lattice(code, 12, seed)
