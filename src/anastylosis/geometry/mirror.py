"""Mirror images in the planes x = 0 and y = 0. A box has no handedness, so its mirror image is a box turned in another way.

`along_x` and `along_y` are -1 where that coordinate changes its sign, and 1 where it stays.
"""

import numpy as np

from anastylosis.arrays import Floats


def mirror_poses(poses: Floats, along_x: int, along_y: int) -> Floats:
    """Mirror poses (..., 7): position, quaternion.

    The axis of a turn keeps its part along the mirrored direction; the other parts change their signs.
    """
    w, x, y, z = 1, along_y, along_x, along_x * along_y
    return np.asarray(poses * np.array([along_x, along_y, 1, w, x, y, z]))
