"""Quaternions (w, x, y, z) and rotation matrices, as scalar kernels. Paper §4.1.

A rotation matrix lives in a row of nine, `r[3 * i + j] = R_ij`; it takes body to world coordinates.
"""

import math

from anastylosis.kernel import kernel


@kernel
def rotation_matrix(q, r):
    """Fill `r` (9,) with R(q) of the unit quaternion `q` (4,). Paper Eq. (1)."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    r[0] = 1.0 - 2.0 * (y * y + z * z)
    r[1] = 2.0 * (x * y - z * w)
    r[2] = 2.0 * (x * z + y * w)
    r[3] = 2.0 * (x * y + z * w)
    r[4] = 1.0 - 2.0 * (x * x + z * z)
    r[5] = 2.0 * (y * z - x * w)
    r[6] = 2.0 * (x * z - y * w)
    r[7] = 2.0 * (y * z + x * w)
    r[8] = 1.0 - 2.0 * (x * x + y * y)


@kernel
def rotate(r, x, y, z):
    """Return R v: a body-frame vector in world coordinates."""
    return (
        r[0] * x + r[1] * y + r[2] * z,
        r[3] * x + r[4] * y + r[5] * z,
        r[6] * x + r[7] * y + r[8] * z,
    )


@kernel
def unrotate(r, x, y, z):
    """Return R^T v: a world vector in body coordinates."""
    return (
        r[0] * x + r[3] * y + r[6] * z,
        r[1] * x + r[4] * y + r[7] * z,
        r[2] * x + r[5] * y + r[8] * z,
    )


@kernel
def world_inverse_inertia(r, ix, iy, iz, out):
    """Fill `out` (6,) = xx, xy, xz, yy, yz, zz of R I_body^-1 R^T. Paper §4.1."""
    out[0] = ix * r[0] * r[0] + iy * r[1] * r[1] + iz * r[2] * r[2]
    out[1] = ix * r[0] * r[3] + iy * r[1] * r[4] + iz * r[2] * r[5]
    out[2] = ix * r[0] * r[6] + iy * r[1] * r[7] + iz * r[2] * r[8]
    out[3] = ix * r[3] * r[3] + iy * r[4] * r[4] + iz * r[5] * r[5]
    out[4] = ix * r[3] * r[6] + iy * r[4] * r[7] + iz * r[5] * r[8]
    out[5] = ix * r[6] * r[6] + iy * r[7] * r[7] + iz * r[8] * r[8]


@kernel
def integrate_orientation(q, wx, wy, wz, dt, out):
    """Fill `out` with q turned by the world-frame angular velocity for `dt`, renormalised.

    Departs from Eq. (2): with world-frame omega the rate is 1/2 [0, omega] (x) q (erratum).
    """
    w, x, y, z = q[0], q[1], q[2], q[3]
    half = 0.5 * dt
    a = w - half * (wx * x + wy * y + wz * z)
    b = x + half * (wx * w + wy * z - wz * y)
    c = y + half * (wy * w + wz * x - wx * z)
    d = z + half * (wz * w + wx * y - wy * x)
    scale = 1.0 / math.sqrt(a * a + b * b + c * c + d * d)
    out[0] = a * scale
    out[1] = b * scale
    out[2] = c * scale
    out[3] = d * scale
