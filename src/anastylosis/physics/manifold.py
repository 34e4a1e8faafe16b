"""Manifolds, where two bodies touch: face clipping, edge contacts, floor contacts, at most four points. Paper §6.2.

A fresh manifold replaces the pair's old one; a point made by the same features keeps its impulse.
"""

import math

from anastylosis.kernel import inlined, kernel
from anastylosis.physics.box_box import separate_boxes
from anastylosis.physics.rotation import rotate, unrotate

SUBSTEPS_AHEAD = 2.0  # points that may meet within this many substeps at the present speeds are kept
# Clipped points of a face that stands in for an edge axis may be this much deeper than the edges are.
LEAN_DEPTH, LEAN_SLACK = 1.1, 5e-4  # factor, [m]
FLOOR_FACE = 15  # stands for the axis code in the features of floor contacts


@inlined
def closing_speed(model, bodies, a, b):
    """Bound how fast points of a and b near each other can approach [m/s]; 0 for two that move as one body.

    Taken at the middle m between the centres: v_b + w_b x (m - x_b) - v_a - w_a x (m - x_a), and from there
    |w_b - w_a| times the larger radius.
    """
    if b == bodies.motion.shape[0] - 1:
        return bodies.speed[a]
    v, x = bodies.motion, bodies.seen
    rx, ry, rz = 0.5 * (x[b, 0] - x[a, 0]), 0.5 * (x[b, 1] - x[a, 1]), 0.5 * (x[b, 2] - x[a, 2])
    sx, sy, sz = v[a, 3] + v[b, 3], v[a, 4] + v[b, 4], v[a, 5] + v[b, 5]
    ux = v[b, 0] - v[a, 0] - (sy * rz - sz * ry)
    uy = v[b, 1] - v[a, 1] - (sz * rx - sx * rz)
    uz = v[b, 2] - v[a, 2] - (sx * ry - sy * rx)
    wx, wy, wz = v[b, 3] - v[a, 3], v[b, 4] - v[a, 4], v[b, 5] - v[a, 5]
    turn = math.sqrt(wx * wx + wy * wy + wz * wz)
    return math.sqrt(ux * ux + uy * uy + uz * uz) + turn * max(model.radius[a], model.radius[b])


@inlined
def contact_margin(model, bodies, a, b, settings):
    """Return the distance within which points are kept: they may meet before the manifold is rebuilt [m]."""
    return settings.contact_margin + SUBSTEPS_AHEAD * settings.h * closing_speed(model, bodies, a, b)


@inlined
def find_gap(model, state, bodies, a, b, margin, previous):
    """Separate a block from another block or the floor, like `separate_boxes`."""
    if b == bodies.motion.shape[0] - 1:
        gap = floor_gap(model, state, bodies, a)
        return gap, FLOOR_FACE, gap, -1
    return separate_boxes(state.position, bodies.rotation, model.half, a, b, margin, previous)


@inlined
def rebuild_manifold(model, state, bodies, contacts, slot, a, b, settings):
    """Collide bodies a and b anew; return the number of contact points (0: apart)."""
    margin = contact_margin(model, bodies, a, b, settings)
    gap, axis, edge_gap, edge_axis = find_gap(model, state, bodies, a, b, margin, contacts.axis[slot])
    if gap > margin:
        contacts.axis[slot] = -1
        contacts.points[slot] = 0
        contacts.check_at[slot] = bodies.travel[a] + bodies.travel[b] + gap - margin
        return 0

    tilt, count = 0.0, 0  # corners on the floor slide without a change of gap
    if axis == FLOOR_FACE:
        count = collide_floor(state.position, bodies.rotation, model.half, contacts, a, margin)
    elif axis < 6:
        reference, incident = (a, b) if axis < 3 else (b, a)
        count, tilt = clip_face(state.position, bodies.rotation, model.half, contacts, reference, incident, axis % 3, margin)
        # The boxes are no deeper in each other than along the edge axis: points far deeper lie behind a thin body.
        if edge_axis >= 0 and (count == 0 or deepest_gap(contacts.polygon, count) < LEAN_DEPTH * edge_gap - LEAN_SLACK):
            gap, axis = edge_gap, edge_axis
    if axis >= 6 and axis != FLOOR_FACE:
        tilt = 1.0
        count = cross_edges(state.position, bodies.rotation, model.half, contacts, a, b, (axis - 6) // 3, (axis - 6) % 3, gap)
    # A clipped point keeps its gap only while it stays where it was clipped: a slide s along a tilted face errs by s tilt.
    contacts.slip_limit[slot] = min(settings.rebuild_tangent, settings.rebuild_normal / max(tilt, 1e-3))
    replace_manifold(bodies, contacts, slot, a, b, axis, count)
    return contacts.points[slot]


@inlined
def floor_gap(model, state, bodies, a):
    """Measure the height of the lowest point of block a above the floor [m]."""
    r, half = bodies.rotation, model.half
    return state.position[a, 2] - (abs(r[a, 6]) * half[a, 0] + abs(r[a, 7]) * half[a, 1] + abs(r[a, 8]) * half[a, 2])


# The functions below leave their points in `polygon`: u, v, gap and feature, in the `plane` that they set.
# They index whole arrays instead of taking views of rows: a view costs more here than the arithmetic.


@inlined
def set_plane(plane, ox, oy, oz, ux, uy, uz, vx, vy, vz, nx, ny, nz):
    """Set origin, u axis, v axis and normal (out of the reference body), world frame."""
    plane[0, 0], plane[0, 1], plane[0, 2] = ox, oy, oz
    plane[1, 0], plane[1, 1], plane[1, 2] = ux, uy, uz
    plane[2, 0], plane[2, 1], plane[2, 2] = vx, vy, vz
    plane[3, 0], plane[3, 1], plane[3, 2] = nx, ny, nz


@inlined
def place_incident_face(position, rotation, half, plane, polygon, body):
    """Put the corners of the face of `body` that looks most against the plane's normal into `polygon`.

    Returns the number of the face and the sine of its tilt against the plane.
    """
    nx, ny, nz = plane[3, 0], plane[3, 1], plane[3, 2]
    face, facing = 0, 0.0
    for k in range(3):
        along = rotation[body, k] * nx + rotation[body, 3 + k] * ny + rotation[body, 6 + k] * nz
        if abs(along) > abs(facing):
            face, facing = k, along
    side = -half[body, face] if facing > 0.0 else half[body, face]
    p, q = (face + 1) % 3, (face + 2) % 3
    # Centre of the face and its two half edges, in the plane's coordinates.
    x = position[body, 0] - plane[0, 0] + side * rotation[body, face]
    y = position[body, 1] - plane[0, 1] + side * rotation[body, 3 + face]
    z = position[body, 2] - plane[0, 2] + side * rotation[body, 6 + face]
    for k in range(3):
        ax, ay, az = plane[k + 1, 0], plane[k + 1, 1], plane[k + 1, 2]
        centre = x * ax + y * ay + z * az
        along_p = half[body, p] * (rotation[body, p] * ax + rotation[body, 3 + p] * ay + rotation[body, 6 + p] * az)
        along_q = half[body, q] * (rotation[body, q] * ax + rotation[body, 3 + q] * ay + rotation[body, 6 + q] * az)
        polygon[0, k] = centre + along_p + along_q
        polygon[1, k] = centre - along_p + along_q
        polygon[2, k] = centre - along_p - along_q
        polygon[3, k] = centre + along_p - along_q
    for corner in range(4):
        polygon[corner, 3] = corner  # the name of the edge that leaves this corner
    return 2 * face + (1 if side > 0.0 else 0), math.sqrt(max(0.0, 1.0 - facing * facing))


@inlined
def clip_face(position, rotation, half, contacts, reference, incident, axis, margin):
    """Clip the incident face against the sides of the reference face (Sutherland-Hodgman, any orientation).

    Polygon edges carry names (0..3 the incident face's, 4..7 the reference sides); a corner is named by the two
    edges that meet in it, so its name survives small motions.
    """
    polygon, clipped, r = contacts.polygon, contacts.clipped, rotation
    x, y, z = position[reference, 0], position[reference, 1], position[reference, 2]
    dx, dy, dz = position[incident, 0] - x, position[incident, 1] - y, position[incident, 2] - z
    u, v = (axis + 1) % 3, (axis + 2) % 3
    nx, ny, nz = r[reference, axis], r[reference, 3 + axis], r[reference, 6 + axis]
    if nx * dx + ny * dy + nz * dz < 0.0:
        nx, ny, nz = -nx, -ny, -nz
    depth, half_u, half_v = half[reference, axis], half[reference, u], half[reference, v]
    set_plane(
        contacts.plane, x + depth * nx, y + depth * ny, z + depth * nz,
        r[reference, u], r[reference, 3 + u], r[reference, 6 + u],
        r[reference, v], r[reference, 3 + v], r[reference, 6 + v], nx, ny, nz,
    )  # fmt: skip
    face, tilt = place_incident_face(position, rotation, half, contacts.plane, polygon, incident)

    count = clip_side(polygon, clipped, 4, 0, 1.0, half_u, 4)
    count = clip_side(clipped, polygon, count, 0, -1.0, half_u, 5)
    count = clip_side(polygon, clipped, count, 1, 1.0, half_v, 6)
    count = clip_side(clipped, polygon, count, 1, -1.0, half_v, 7)
    name_before = polygon[count - 1, 3] if count > 0 else 0.0
    kept = 0
    for i in range(count):
        name = polygon[i, 3]
        if polygon[i, 2] <= margin:
            polygon[kept, 0], polygon[kept, 1], polygon[kept, 2] = polygon[i, 0], polygon[i, 1], polygon[i, 2]
            polygon[kept, 3] = (face * 8.0 + name_before) * 8.0 + name
            kept += 1
        name_before = name
    return kept, tilt


@kernel
def clip_side(source, target, count, along, sign, limit, name):
    """Keep the part of a polygon with sign * coordinate <= limit; return the number of corners."""
    kept = 0
    outside = sign * source[0, along] - limit
    for i in range(count):
        after = i + 1 if i + 1 < count else 0
        outside_after = sign * source[after, along] - limit
        if outside <= 0.0:
            for k in range(4):
                target[kept, k] = source[i, k]
            kept += 1
        if (outside <= 0.0) != (outside_after <= 0.0):
            share = outside / (outside - outside_after)
            for k in range(3):
                target[kept, k] = source[i, k] + share * (source[after, k] - source[i, k])
            target[kept, 3] = name if outside <= 0.0 else source[i, 3]
            kept += 1
        outside = outside_after
    return kept


@inlined
def collide_floor(position, rotation, half, contacts, a, margin):
    """Find the corners of the lowest face of block a that are near the floor."""
    polygon = contacts.polygon
    set_plane(contacts.plane, position[a, 0], position[a, 1], 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    face, _ = place_incident_face(position, rotation, half, contacts.plane, polygon, a)
    kept = 0
    for i in range(4):
        if polygon[i, 2] <= margin:
            polygon[kept, 0], polygon[kept, 1], polygon[kept, 2] = polygon[i, 0], polygon[i, 1], polygon[i, 2]
            polygon[kept, 3] = face * 64.0 + i
            kept += 1
    return kept


@inlined
def cross_edges(position, rotation, half, contacts, a, b, i, j, gap):
    """Find the one point where edge i of a and edge j of b pass each other."""
    r = rotation
    ax, ay, az = r[a, i], r[a, 3 + i], r[a, 6 + i]
    bx, by, bz = r[b, j], r[b, 3 + j], r[b, 6 + j]
    nx, ny, nz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    scale = 1.0 / math.sqrt(nx * nx + ny * ny + nz * nz)
    px, py, pz = position[a, 0], position[a, 1], position[a, 2]
    qx, qy, qz = position[b, 0], position[b, 1], position[b, 2]
    if nx * (qx - px) + ny * (qy - py) + nz * (qz - pz) < 0.0:
        scale = -scale
    nx, ny, nz = nx * scale, ny * scale, nz * scale
    # Middle of the supporting edge of each box: as far as it goes towards the other one.
    feature = 0
    for k in range(3):
        if k != i:
            s = half[a, k] if r[a, k] * nx + r[a, 3 + k] * ny + r[a, 6 + k] * nz > 0.0 else -half[a, k]
            px, py, pz = px + s * r[a, k], py + s * r[a, 3 + k], pz + s * r[a, 6 + k]
            feature = 2 * feature + (1 if s > 0.0 else 0)
        if k != j:
            s = half[b, k] if r[b, k] * nx + r[b, 3 + k] * ny + r[b, 6 + k] * nz < 0.0 else -half[b, k]
            qx, qy, qz = qx + s * r[b, k], qy + s * r[b, 3 + k], qz + s * r[b, 6 + k]
            feature = 2 * feature + (1 if s > 0.0 else 0)
    # The point of edge a nearest to the line of edge b.
    dx, dy, dz = qx - px, qy - py, qz - pz
    c = ax * bx + ay * by + az * bz
    along = ((ax - c * bx) * dx + (ay - c * by) * dy + (az - c * bz) * dz) / (1.0 - c * c)
    along = max(-half[a, i], min(half[a, i], along))
    set_plane(contacts.plane, px + along * ax, py + along * ay, pz + along * az, ax, ay, az, bx, by, bz, nx, ny, nz)
    polygon = contacts.polygon
    polygon[0, 0], polygon[0, 1], polygon[0, 2], polygon[0, 3] = 0.0, 0.0, gap, feature
    return 1


@inlined
def deepest_gap(polygon, count):
    """Return the smallest gap of the points of a polygon [m]."""
    gap = polygon[0, 2]
    for i in range(1, count):
        gap = min(gap, polygon[i, 2])
    return gap


@inlined
def reduce_points(polygon, count):
    """Keep four of `count` corners: the deepest, the one furthest from it, and the widest on either side."""
    deepest = 0
    for i in range(1, count):
        if polygon[i, 2] < polygon[deepest, 2]:
            deepest = i
    far, distance = deepest, -1.0
    for i in range(count):
        x, y = polygon[i, 0] - polygon[deepest, 0], polygon[i, 1] - polygon[deepest, 1]
        if x * x + y * y > distance:
            far, distance = i, x * x + y * y
    x, y = polygon[far, 0] - polygon[deepest, 0], polygon[far, 1] - polygon[deepest, 1]
    left, right, most, least = -1, -1, 0.0, 0.0
    for i in range(count):
        area = x * (polygon[i, 1] - polygon[deepest, 1]) - y * (polygon[i, 0] - polygon[deepest, 0])
        if area > most:
            left, most = i, area
        if area < least:
            right, least = i, area
    kept = 0
    for i in range(count):  # polygon order is kept
        if i == deepest or i == far or i == left or i == right:
            for k in range(4):
                polygon[kept, k] = polygon[i, k]
            kept += 1
    return kept


@inlined
def any_tangent(x, y, z):
    """Return a unit vector square to (x, y, z) and to the axis that is least along it."""
    if abs(x) <= abs(y) and abs(x) <= abs(z):
        scale = 1.0 / math.sqrt(y * y + z * z)
        return 0.0, z * scale, -y * scale
    if abs(y) <= abs(z):
        scale = 1.0 / math.sqrt(x * x + z * z)
        return -z * scale, 0.0, x * scale
    scale = 1.0 / math.sqrt(x * x + y * y)
    return y * scale, -x * scale, 0.0


@inlined
def replace_manifold(bodies, contacts, slot, a, b, axis, count):
    """Write the fresh points of `polygon` into the slot, with the impulses of the points they continue."""
    polygon, plane, old, frame, anchor = contacts.polygon, contacts.plane, contacts.old, contacts.frame, contacts.anchor
    if count > 4:
        count = reduce_points(polygon, count)
    before = contacts.points[slot]
    for i in range(before):
        old[i, 0], old[i, 1], old[i, 2] = contacts.feature[slot, i], contacts.impulse[slot, i], contacts.reference[slot, i]
        for k in range(3):
            old[i, 3 + k] = contacts.friction[slot, i, k]
    if before == 0:
        contacts.twist[slot] = 0.0
        for k in range(3):
            contacts.friction[slot, 4, k] = 0.0
    contacts.points[slot] = count
    contacts.axis[slot] = axis

    # Points lie on the reference body's face; the other body's point is `gap` further along the normal.
    from_a = axis < 3 or (axis >= 6 and axis != FLOOR_FACE)
    sign = 1.0 if from_a else -1.0
    nx, ny, nz = plane[3, 0], plane[3, 1], plane[3, 2]
    r_a, r_b = bodies.rotation[a], bodies.rotation[b]
    ux, uy, uz = unrotate(r_a, sign * nx, sign * ny, sign * nz)
    vx, vy, vz = any_tangent(ux, uy, uz)
    tx, ty, tz = rotate(r_a, vx, vy, vz)
    frame[slot, 0], frame[slot, 1], frame[slot, 2] = ux, uy, uz
    frame[slot, 3], frame[slot, 4], frame[slot, 5] = vx, vy, vz
    frame[slot, 6], frame[slot, 7], frame[slot, 8] = unrotate(r_b, sign * nx, sign * ny, sign * nz)
    frame[slot, 9], frame[slot, 10], frame[slot, 11] = unrotate(r_b, tx, ty, tz)

    ax, ay, az = bodies.seen[a, 0], bodies.seen[a, 1], bodies.seen[a, 2]
    bx, by, bz = bodies.seen[b, 0], bodies.seen[b, 1], bodies.seen[b, 2]
    for i in range(count):
        u, v, gap = polygon[i, 0], polygon[i, 1], polygon[i, 2]
        x = plane[0, 0] + u * plane[1, 0] + v * plane[2, 0]
        y = plane[0, 1] + u * plane[1, 1] + v * plane[2, 1]
        z = plane[0, 2] + u * plane[1, 2] + v * plane[2, 2]
        on_a = 0.0 if from_a else gap
        on_b = gap if from_a else 0.0
        ux, uy, uz = unrotate(r_a, x + on_a * nx - ax, y + on_a * ny - ay, z + on_a * nz - az)
        vx, vy, vz = unrotate(r_b, x + on_b * nx - bx, y + on_b * ny - by, z + on_b * nz - bz)
        anchor[slot, i, 0], anchor[slot, i, 1], anchor[slot, i, 2] = ux, uy, uz
        anchor[slot, i, 3], anchor[slot, i, 4], anchor[slot, i, 5] = vx, vy, vz
        contacts.gap[slot, i] = gap
        contacts.feature[slot, i] = int(polygon[i, 3]) * 16 + axis
    carry_impulses(contacts, slot, before, count)


@inlined
def carry_impulses(contacts, slot, before, count):
    """Carry impulses over: points made by the same features keep theirs; new points share the load of lost ones."""
    old, feature = contacts.old, contacts.feature
    left = left_reference = 0.0
    for k in range(before):
        left += old[k, 1]
        left_reference += old[k, 2]
    strangers = 0
    for i in range(count):
        match = -1
        for k in range(before):
            if old[k, 0] == feature[slot, i]:
                match = k
        contacts.impulse[slot, i] = old[match, 1] if match >= 0 else -1.0
        contacts.reference[slot, i] = old[match, 2] if match >= 0 else 0.0
        for k in range(3):
            contacts.friction[slot, i, k] = old[match, 3 + k] if match >= 0 else 0.0
        if match >= 0:
            left -= old[match, 1]
            left_reference -= old[match, 2]
        else:
            strangers += 1
    for i in range(count):
        if contacts.impulse[slot, i] < 0.0:
            contacts.impulse[slot, i] = max(0.0, left) / strangers
            contacts.reference[slot, i] = max(0.0, left_reference) / strangers
