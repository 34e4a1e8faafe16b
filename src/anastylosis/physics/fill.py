"""Fill: brings the rows up to date with the poses, and rebuilds the manifolds that have moved too far."""

from anastylosis.kernel import inlined, kernel
from anastylosis.physics.contacts import GROUPS, REPACK
from anastylosis.physics.manifold import rebuild_manifold
from anastylosis.physics.rows import (
    ARM_A,
    ARM_B,
    BUILT_GAP,
    GAP,
    INERTIA_A,
    INERTIA_B,
    LANES,
    LIVE,
    NORMAL,
    NORMAL_IN_A,
    NORMAL_IN_B,
    POINT_IN_A,
    POINT_IN_B,
    POSE_A,
    POSE_B,
    RADIUS,
    SHARE,
    SLIP_LIMIT,
    STALE,
    TANGENT_1,
    TANGENT_2,
    TANGENT_IN_A,
    TANGENT_IN_B,
    X,
    Y,
    load_lane,
    store_lane,
)  # fmt: skip


@kernel
def fill_rows(model, state, bodies, contacts, rows, settings, everything):
    """Fill the groups in which a body has moved (or all). A manifold that came apart idles until rows are packed."""
    for group in range(contacts.number[GROUPS]):
        d, body, slot = rows.data[group], rows.body[group], rows.slot[group]
        moved = everything
        for k in range(2 * LANES):
            moved = moved or bodies.moved[body[k]]
        if not moved:
            continue
        rows.dirty[group] = True
        gather_poses(bodies.seen, bodies.rotation, bodies.inverse_inertia, d, body)
        if fill_group(d, settings.rebuild_normal) == 0.0:
            continue
        for lane in range(rows.fill[group]):
            if d[STALE * LANES + lane] > 0.0:
                a, b = body[lane], body[LANES + lane]
                store_lane(contacts, d, lane, slot[lane])
                if rebuild_manifold(model, state, bodies, contacts, slot[lane], a, b, settings) == 0:
                    contacts.number[REPACK] = 1
                load_lane(model, contacts, d, lane, slot[lane], a, b)
        fill_group(d, settings.rebuild_normal)


@inlined
def gather_poses(seen, rotation, inertia, d, body):
    """Copy pose and inertia of a group's bodies into its lanes."""
    for lane in range(LANES):
        a, b = body[lane], body[LANES + lane]
        for k in range(3):
            d[(POSE_A + k) * LANES + lane] = seen[a, k]
            d[(POSE_B + k) * LANES + lane] = seen[b, k]
        for k in range(9):
            d[(POSE_A + 3 + k) * LANES + lane] = rotation[a, k]
            d[(POSE_B + 3 + k) * LANES + lane] = rotation[b, k]
        for k in range(6):
            d[(INERTIA_A + k) * LANES + lane] = inertia[a, k]
            d[(INERTIA_B + k) * LANES + lane] = inertia[b, k]


@inlined
def turn(d, lane, pose, vector):
    """Turn a vector of the body frame into the world frame."""
    x, y, z = d[vector * LANES + lane], d[(vector + 1) * LANES + lane], d[(vector + 2) * LANES + lane]
    return (
        d[(pose + 3) * LANES + lane] * x + d[(pose + 4) * LANES + lane] * y + d[(pose + 5) * LANES + lane] * z,
        d[(pose + 6) * LANES + lane] * x + d[(pose + 7) * LANES + lane] * y + d[(pose + 8) * LANES + lane] * z,
        d[(pose + 9) * LANES + lane] * x + d[(pose + 10) * LANES + lane] * y + d[(pose + 11) * LANES + lane] * z,
    )


@inlined
def put_vector(d, lane, field, x, y, z):
    """Write three consecutive fields of a lane."""
    d[field * LANES + lane] = x
    d[(field + 1) * LANES + lane] = y
    d[(field + 2) * LANES + lane] = z


@inlined
def fill_point(d, lane, p, bx, by, bz, nx, ny, nz):
    """Update the distance of point p; return its place half-way between the bodies, from a's centre, and how far it moved."""
    ax, ay, az = turn(d, lane, POSE_A, POINT_IN_A + 3 * p)
    qx, qy, qz = turn(d, lane, POSE_B, POINT_IN_B + 3 * p)
    dx, dy, dz = bx + qx - ax, by + qy - ay, bz + qz - az
    gap, live = dx * nx + dy * ny + dz * nz, d[(LIVE + p) * LANES + lane]
    d[(GAP + p) * LANES + lane] = gap
    drift = square(gap - d[(BUILT_GAP + p) * LANES + lane]) * live
    slip = (dx * dx + dy * dy + dz * dz - gap * gap) * live
    return (ax + 0.5 * dx) * live, (ay + 0.5 * dy) * live, (az + 0.5 * dz) * live, drift, slip


@inlined
def square(x):
    """Return x * x: the power operator is a call of pow on CUDA."""
    return x * x


@inlined
def larger(p, q):
    """Return the larger of two numbers, without a branch."""
    return p if p > q else q


@kernel
def fill_group(d, rebuild_normal):
    """Fill contact frames, arms, points and distances of a group; return how many of its manifolds are stale."""
    for lane in range(LANES):
        nx, ny, nz = turn(d, lane, POSE_A, NORMAL_IN_A)
        sx, sy, sz = turn(d, lane, POSE_A, TANGENT_IN_A)
        tx, ty, tz = ny * sz - nz * sy, nz * sx - nx * sz, nx * sy - ny * sx
        bx = d[POSE_B * LANES + lane] - d[POSE_A * LANES + lane]
        by = d[(POSE_B + 1) * LANES + lane] - d[(POSE_A + 1) * LANES + lane]
        bz = d[(POSE_B + 2) * LANES + lane] - d[(POSE_A + 2) * LANES + lane]
        x0, y0, z0, drift0, slip0 = fill_point(d, lane, 0, bx, by, bz, nx, ny, nz)
        x1, y1, z1, drift1, slip1 = fill_point(d, lane, 1, bx, by, bz, nx, ny, nz)
        x2, y2, z2, drift2, slip2 = fill_point(d, lane, 2, bx, by, bz, nx, ny, nz)
        x3, y3, z3, drift3, slip3 = fill_point(d, lane, 3, bx, by, bz, nx, ny, nz)
        share = d[SHARE * LANES + lane]
        cx, cy, cz = (x0 + x1 + x2 + x3) * share, (y0 + y1 + y2 + y3) * share, (z0 + z1 + z2 + z3) * share
        put_vector(d, lane, NORMAL, nx, ny, nz)
        put_vector(d, lane, TANGENT_1, sx, sy, sz)
        put_vector(d, lane, TANGENT_2, tx, ty, tz)
        put_vector(d, lane, ARM_A, cx, cy, cz)
        put_vector(d, lane, ARM_B, cx - bx, cy - by, cz - bz)
        d[X * LANES + lane] = (x0 - cx) * sx + (y0 - cy) * sy + (z0 - cz) * sz
        d[(X + 1) * LANES + lane] = (x1 - cx) * sx + (y1 - cy) * sy + (z1 - cz) * sz
        d[(X + 2) * LANES + lane] = (x2 - cx) * sx + (y2 - cy) * sy + (z2 - cz) * sz
        d[(X + 3) * LANES + lane] = (x3 - cx) * sx + (y3 - cy) * sy + (z3 - cz) * sz
        d[Y * LANES + lane] = (x0 - cx) * tx + (y0 - cy) * ty + (z0 - cz) * tz
        d[(Y + 1) * LANES + lane] = (x1 - cx) * tx + (y1 - cy) * ty + (z1 - cz) * tz
        d[(Y + 2) * LANES + lane] = (x2 - cx) * tx + (y2 - cy) * ty + (z2 - cz) * tz
        d[(Y + 3) * LANES + lane] = (x3 - cx) * tx + (y3 - cy) * ty + (z3 - cz) * tz
        # A manifold of one or two points may turn about them without a point moving: look at the frames too.
        reach = square(d[RADIUS * LANES + lane])
        ux, uy, uz = turn(d, lane, POSE_B, NORMAL_IN_B)
        tilt = (square(ux - nx) + square(uy - ny) + square(uz - nz)) * reach
        ux, uy, uz = turn(d, lane, POSE_B, TANGENT_IN_B)
        spin = (square(ux - sx) + square(uy - sy) + square(uz - sz)) * reach
        drift = larger(larger(larger(drift0, drift1), larger(drift2, drift3)), tilt)
        slip = larger(larger(larger(slip0, slip1), larger(slip2, slip3)), spin)
        stale = 1.0 if drift > rebuild_normal * rebuild_normal else 0.0
        stale = 1.0 if slip > square(d[SLIP_LIMIT * LANES + lane]) else stale
        d[STALE * LANES + lane] = stale * d[LIVE * LANES + lane]
    total = 0.0
    for lane in range(LANES):
        total += d[STALE * LANES + lane]
    return total
