"""Wrench: the relative motion of a manifold in six degrees of freedom, and its response to a wrench.

Scalar functions of one lane; the loops over lanes that call them vectorise.
"""

from anastylosis.kernel import inlined, kernel
from anastylosis.physics.rows import (
    ARM_A,
    ARM_B,
    INERTIA_A,
    INERTIA_B,
    LANES,
    MASS_A,
    MASS_B,
    NORMAL,
    TANGENT_1,
    TANGENT_2,
    VELOCITY_A,
    VELOCITY_B,
)  # fmt: skip


@kernel
def gather(motion, d, body):
    """Copy the velocities of a group's bodies into its lanes."""
    for lane in range(LANES):
        v, u = motion[body[lane]], motion[body[LANES + lane]]
        for k in range(6):
            d[(VELOCITY_A + k) * LANES + lane] = v[k]
            d[(VELOCITY_B + k) * LANES + lane] = u[k]


@kernel
def scatter(motion, d, body):
    """Add the changes of velocity left in the lanes to the bodies."""
    for lane in range(LANES):
        v, u = motion[body[lane]], motion[body[LANES + lane]]
        for k in range(6):
            v[k] += d[(VELOCITY_A + k) * LANES + lane]
            u[k] += d[(VELOCITY_B + k) * LANES + lane]


@inlined
def relative_motion(d, lane):
    """Return (v_n, w_1, w_2, slide 1, slide 2, twist) of b against a at the manifold's centre, in its frame."""
    ax, ay, az = d[VELOCITY_A * LANES + lane], d[(VELOCITY_A + 1) * LANES + lane], d[(VELOCITY_A + 2) * LANES + lane]
    px, py, pz = d[(VELOCITY_A + 3) * LANES + lane], d[(VELOCITY_A + 4) * LANES + lane], d[(VELOCITY_A + 5) * LANES + lane]
    bx, by, bz = d[VELOCITY_B * LANES + lane], d[(VELOCITY_B + 1) * LANES + lane], d[(VELOCITY_B + 2) * LANES + lane]
    qx, qy, qz = d[(VELOCITY_B + 3) * LANES + lane], d[(VELOCITY_B + 4) * LANES + lane], d[(VELOCITY_B + 5) * LANES + lane]
    rx, ry, rz = d[ARM_A * LANES + lane], d[(ARM_A + 1) * LANES + lane], d[(ARM_A + 2) * LANES + lane]
    sx, sy, sz = d[ARM_B * LANES + lane], d[(ARM_B + 1) * LANES + lane], d[(ARM_B + 2) * LANES + lane]
    vx = bx + qy * sz - qz * sy - ax - py * rz + pz * ry
    vy = by + qz * sx - qx * sz - ay - pz * rx + px * rz
    vz = bz + qx * sy - qy * sx - az - px * ry + py * rx
    wx, wy, wz = qx - px, qy - py, qz - pz
    nx, ny, nz = d[NORMAL * LANES + lane], d[(NORMAL + 1) * LANES + lane], d[(NORMAL + 2) * LANES + lane]
    ux, uy, uz = d[TANGENT_1 * LANES + lane], d[(TANGENT_1 + 1) * LANES + lane], d[(TANGENT_1 + 2) * LANES + lane]
    tx, ty, tz = d[TANGENT_2 * LANES + lane], d[(TANGENT_2 + 1) * LANES + lane], d[(TANGENT_2 + 2) * LANES + lane]
    return (
        vx * nx + vy * ny + vz * nz,
        wx * ux + wy * uy + wz * uz,
        wx * tx + wy * ty + wz * tz,
        vx * ux + vy * uy + vz * uz,
        vx * tx + vy * ty + vz * tz,
        wx * nx + wy * ny + wz * nz,
    )


@inlined
def apply_wrench(d, lane, f_n, f_1, f_2, m_1, m_2, m_n):
    """Leave in the lane the change of velocity that a wrench at the centre gives: + on b, - on a."""
    nx, ny, nz = d[NORMAL * LANES + lane], d[(NORMAL + 1) * LANES + lane], d[(NORMAL + 2) * LANES + lane]
    ux, uy, uz = d[TANGENT_1 * LANES + lane], d[(TANGENT_1 + 1) * LANES + lane], d[(TANGENT_1 + 2) * LANES + lane]
    tx, ty, tz = d[TANGENT_2 * LANES + lane], d[(TANGENT_2 + 1) * LANES + lane], d[(TANGENT_2 + 2) * LANES + lane]
    fx, fy, fz = f_n * nx + f_1 * ux + f_2 * tx, f_n * ny + f_1 * uy + f_2 * ty, f_n * nz + f_1 * uz + f_2 * tz
    mx, my, mz = m_n * nx + m_1 * ux + m_2 * tx, m_n * ny + m_1 * uy + m_2 * ty, m_n * nz + m_1 * uz + m_2 * tz
    rx, ry, rz = d[ARM_A * LANES + lane], d[(ARM_A + 1) * LANES + lane], d[(ARM_A + 2) * LANES + lane]
    sx, sy, sz = d[ARM_B * LANES + lane], d[(ARM_B + 1) * LANES + lane], d[(ARM_B + 2) * LANES + lane]
    ax, ay, az = mx + ry * fz - rz * fy, my + rz * fx - rx * fz, mz + rx * fy - ry * fx
    bx, by, bz = mx + sy * fz - sz * fy, my + sz * fx - sx * fz, mz + sx * fy - sy * fx
    mass_a, mass_b = d[MASS_A * LANES + lane], d[MASS_B * LANES + lane]
    a0, a1, a2 = d[INERTIA_A * LANES + lane], d[(INERTIA_A + 1) * LANES + lane], d[(INERTIA_A + 2) * LANES + lane]
    a3, a4, a5 = d[(INERTIA_A + 3) * LANES + lane], d[(INERTIA_A + 4) * LANES + lane], d[(INERTIA_A + 5) * LANES + lane]
    b0, b1, b2 = d[INERTIA_B * LANES + lane], d[(INERTIA_B + 1) * LANES + lane], d[(INERTIA_B + 2) * LANES + lane]
    b3, b4, b5 = d[(INERTIA_B + 3) * LANES + lane], d[(INERTIA_B + 4) * LANES + lane], d[(INERTIA_B + 5) * LANES + lane]
    d[VELOCITY_A * LANES + lane] = -mass_a * fx
    d[(VELOCITY_A + 1) * LANES + lane] = -mass_a * fy
    d[(VELOCITY_A + 2) * LANES + lane] = -mass_a * fz
    d[(VELOCITY_A + 3) * LANES + lane] = -(a0 * ax + a1 * ay + a2 * az)
    d[(VELOCITY_A + 4) * LANES + lane] = -(a1 * ax + a3 * ay + a4 * az)
    d[(VELOCITY_A + 5) * LANES + lane] = -(a2 * ax + a4 * ay + a5 * az)
    d[VELOCITY_B * LANES + lane] = mass_b * fx
    d[(VELOCITY_B + 1) * LANES + lane] = mass_b * fy
    d[(VELOCITY_B + 2) * LANES + lane] = mass_b * fz
    d[(VELOCITY_B + 3) * LANES + lane] = b0 * bx + b1 * by + b2 * bz
    d[(VELOCITY_B + 4) * LANES + lane] = b1 * bx + b3 * by + b4 * bz
    d[(VELOCITY_B + 5) * LANES + lane] = b2 * bx + b4 * by + b5 * bz


@inlined
def body_response(d, lane, arm, inertia, inverse_mass):
    """Return the 21 entries of one body's K, over (f_n, m_1, m_2, f_1, f_2, m_n): response of the motion to each wrench."""
    nx, ny, nz = d[NORMAL * LANES + lane], d[(NORMAL + 1) * LANES + lane], d[(NORMAL + 2) * LANES + lane]
    ux, uy, uz = d[TANGENT_1 * LANES + lane], d[(TANGENT_1 + 1) * LANES + lane], d[(TANGENT_1 + 2) * LANES + lane]
    tx, ty, tz = d[TANGENT_2 * LANES + lane], d[(TANGENT_2 + 1) * LANES + lane], d[(TANGENT_2 + 2) * LANES + lane]
    rx, ry, rz = d[arm * LANES + lane], d[(arm + 1) * LANES + lane], d[(arm + 2) * LANES + lane]
    j0, j1, j2 = d[inertia * LANES + lane], d[(inertia + 1) * LANES + lane], d[(inertia + 2) * LANES + lane]
    j3, j4, j5 = d[(inertia + 3) * LANES + lane], d[(inertia + 4) * LANES + lane], d[(inertia + 5) * LANES + lane]
    # Torque arms of the three forces: r x direction.
    nx_, ny_, nz_ = ry * nz - rz * ny, rz * nx - rx * nz, rx * ny - ry * nx
    ux_, uy_, uz_ = ry * uz - rz * uy, rz * ux - rx * uz, rx * uy - ry * ux
    tx_, ty_, tz_ = ry * tz - rz * ty, rz * tx - rx * tz, rx * ty - ry * tx
    # Inverse inertia times each arm or axis.
    ex, ey, ez = j0 * nx_ + j1 * ny_ + j2 * nz_, j1 * nx_ + j3 * ny_ + j4 * nz_, j2 * nx_ + j4 * ny_ + j5 * nz_
    gx, gy, gz = j0 * ux_ + j1 * uy_ + j2 * uz_, j1 * ux_ + j3 * uy_ + j4 * uz_, j2 * ux_ + j4 * uy_ + j5 * uz_
    hx, hy, hz = j0 * tx_ + j1 * ty_ + j2 * tz_, j1 * tx_ + j3 * ty_ + j4 * tz_, j2 * tx_ + j4 * ty_ + j5 * tz_
    kx, ky, kz = j0 * ux + j1 * uy + j2 * uz, j1 * ux + j3 * uy + j4 * uz, j2 * ux + j4 * uy + j5 * uz
    lx, ly, lz = j0 * tx + j1 * ty + j2 * tz, j1 * tx + j3 * ty + j4 * tz, j2 * tx + j4 * ty + j5 * tz
    mx, my, mz = j0 * nx + j1 * ny + j2 * nz, j1 * nx + j3 * ny + j4 * nz, j2 * nx + j4 * ny + j5 * nz
    return (
        inverse_mass + ex * nx_ + ey * ny_ + ez * nz_,  # f_n on v_n
        ex * ux + ey * uy + ez * uz,  # f_n on w_1
        ex * tx + ey * ty + ez * tz,  # f_n on w_2
        kx * ux + ky * uy + kz * uz,  # m_1 on w_1
        kx * tx + ky * ty + kz * tz,  # m_1 on w_2
        lx * tx + ly * ty + lz * tz,  # m_2 on w_2
        inverse_mass + gx * ux_ + gy * uy_ + gz * uz_,  # f_1 on slide 1
        gx * tx_ + gy * ty_ + gz * tz_,  # f_1 on slide 2
        inverse_mass + hx * tx_ + hy * ty_ + hz * tz_,  # f_2 on slide 2
        ex * ux_ + ey * uy_ + ez * uz_,  # f_n on slide 1
        kx * ux_ + ky * uy_ + kz * uz_,  # m_1 on slide 1
        lx * ux_ + ly * uy_ + lz * uz_,  # m_2 on slide 1
        ex * tx_ + ey * ty_ + ez * tz_,  # f_n on slide 2
        kx * tx_ + ky * ty_ + kz * tz_,  # m_1 on slide 2
        lx * tx_ + ly * ty_ + lz * tz_,  # m_2 on slide 2
        mx * nx + my * ny + mz * nz,  # m_n on twist
        mx * nx_ + my * ny_ + mz * nz_,  # f_n on twist
        mx * ux + my * uy + mz * uz,  # m_1 on twist
        mx * tx + my * ty + mz * tz,  # m_2 on twist
        mx * ux_ + my * uy_ + mz * uz_,  # f_1 on twist
        mx * tx_ + my * ty_ + mz * tz_,  # f_2 on twist
    )
