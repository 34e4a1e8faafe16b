"""Separating axes of two oriented boxes. Paper §6.2.

Axis codes: 0..2 the faces of a, 3..5 the faces of b, 6 + 3 i + j the edge pair a_i x b_j.
"""

import math

from anastylosis.kernel import inlined, kernel

# An edge axis, or a change of axis, must win by this much [m]: parallel faces would flicker otherwise.
PREFERENCE = 5e-5
# Edge pairs with |cos| above this are parallel; their cross product is noise, and a face axis serves.
PARALLEL = 0.9995
# cos^2 of the angle within which an edge axis counts as a face's normal: 15 degrees. Blocks that rock on their rims
# would otherwise change between one point and four, and lose their warm start each time.
LEAN = 0.933
NEVER = -1e30


@inlined
def edge_separation(t_1, t_2, c_1, c_2, a_1, a_2, d_1, d_2, b_1, b_2, cosine):
    """Compute the gap along a_i x b_j. c: column j of the relative rotation, d: its row i, at the two other indices."""
    if abs(cosine) > PARALLEL:
        return NEVER
    radii = a_1 * abs(c_2) + a_2 * abs(c_1) + b_1 * abs(d_2) + b_2 * abs(d_1)
    return (abs(t_2 * c_1 - t_1 * c_2) - radii) / math.sqrt(1.0 - cosine * cosine)


@inlined
def leans_to_face(r, a, b, i, j, face):
    """Return True when edge axis a_i x b_j is nearly the normal of a face: clipping that face gives more points, as deep."""
    nx = r[a, 3 + i] * r[b, 6 + j] - r[a, 6 + i] * r[b, 3 + j]
    ny = r[a, 6 + i] * r[b, j] - r[a, i] * r[b, 6 + j]
    nz = r[a, i] * r[b, 3 + j] - r[a, 3 + i] * r[b, j]
    body, axis = (a, face) if face < 3 else (b, face - 3)
    along = nx * r[body, axis] + ny * r[body, 3 + axis] + nz * r[body, 6 + axis]
    return along * along > LEAN * (nx * nx + ny * ny + nz * nz)


@kernel
def separate_boxes(position, rotation, half, a, b, margin, previous):
    """Return the largest gap of all axes, its axis code, the gap of the best edge axis, and its code or -1.

    The last two say that an edge axis is better still, but that the face's normal is so near that its manifold serves.

    delta = -gap is the paper's penetration. `previous` is the code found last time (-1: none). A gap
    above `margin` only bounds the distance from below.
    """
    r = rotation
    # Relative rotation C = R_a^T R_b and offset t = R_a^T d, in locals: much faster than a small array.
    dx, dy, dz = position[b, 0] - position[a, 0], position[b, 1] - position[a, 1], position[b, 2] - position[a, 2]
    c00 = r[a, 0] * r[b, 0] + r[a, 3] * r[b, 3] + r[a, 6] * r[b, 6]
    c01 = r[a, 0] * r[b, 1] + r[a, 3] * r[b, 4] + r[a, 6] * r[b, 7]
    c02 = r[a, 0] * r[b, 2] + r[a, 3] * r[b, 5] + r[a, 6] * r[b, 8]
    c10 = r[a, 1] * r[b, 0] + r[a, 4] * r[b, 3] + r[a, 7] * r[b, 6]
    c11 = r[a, 1] * r[b, 1] + r[a, 4] * r[b, 4] + r[a, 7] * r[b, 7]
    c12 = r[a, 1] * r[b, 2] + r[a, 4] * r[b, 5] + r[a, 7] * r[b, 8]
    c20 = r[a, 2] * r[b, 0] + r[a, 5] * r[b, 3] + r[a, 8] * r[b, 6]
    c21 = r[a, 2] * r[b, 1] + r[a, 5] * r[b, 4] + r[a, 8] * r[b, 7]
    c22 = r[a, 2] * r[b, 2] + r[a, 5] * r[b, 5] + r[a, 8] * r[b, 8]
    t0 = r[a, 0] * dx + r[a, 3] * dy + r[a, 6] * dz
    t1 = r[a, 1] * dx + r[a, 4] * dy + r[a, 7] * dz
    t2 = r[a, 2] * dx + r[a, 5] * dy + r[a, 8] * dz
    a0, a1, a2 = half[a, 0], half[a, 1], half[a, 2]
    b0, b1, b2 = half[b, 0], half[b, 1], half[b, 2]

    best, axis, prize = NEVER, 0, NEVER  # prize: the gap plus the preference for keeping the axis
    for code in range(6):
        if code == 0:
            s = abs(t0) - (a0 + b0 * abs(c00) + b1 * abs(c01) + b2 * abs(c02))
        elif code == 1:
            s = abs(t1) - (a1 + b0 * abs(c10) + b1 * abs(c11) + b2 * abs(c12))
        elif code == 2:
            s = abs(t2) - (a2 + b0 * abs(c20) + b1 * abs(c21) + b2 * abs(c22))
        elif code == 3:
            s = abs(t0 * c00 + t1 * c10 + t2 * c20) - (b0 + a0 * abs(c00) + a1 * abs(c10) + a2 * abs(c20))
        elif code == 4:
            s = abs(t0 * c01 + t1 * c11 + t2 * c21) - (b1 + a0 * abs(c01) + a1 * abs(c11) + a2 * abs(c21))
        else:
            s = abs(t0 * c02 + t1 * c12 + t2 * c22) - (b2 + a0 * abs(c02) + a1 * abs(c12) + a2 * abs(c22))
        value = s + PREFERENCE if code == previous else s
        if value > prize:
            best, axis, prize = s, code, value

    if best > margin:
        return best, axis, best, -1
    edge, edge_axis = NEVER, 6
    for code in range(6, 15):
        if code == 6:
            s = edge_separation(t1, t2, c10, c20, a1, a2, c01, c02, b1, b2, c00)
        elif code == 7:
            s = edge_separation(t1, t2, c11, c21, a1, a2, c02, c00, b2, b0, c01)
        elif code == 8:
            s = edge_separation(t1, t2, c12, c22, a1, a2, c00, c01, b0, b1, c02)
        elif code == 9:
            s = edge_separation(t2, t0, c20, c00, a2, a0, c11, c12, b1, b2, c10)
        elif code == 10:
            s = edge_separation(t2, t0, c21, c01, a2, a0, c12, c10, b2, b0, c11)
        elif code == 11:
            s = edge_separation(t2, t0, c22, c02, a2, a0, c10, c11, b0, b1, c12)
        elif code == 12:
            s = edge_separation(t0, t1, c00, c10, a0, a1, c21, c22, b1, b2, c20)
        elif code == 13:
            s = edge_separation(t0, t1, c01, c11, a0, a1, c22, c20, b2, b0, c21)
        else:
            s = edge_separation(t0, t1, c02, c12, a0, a1, c20, c21, b0, b1, c22)
        if s > margin:
            return s, code, s, -1
        if s > edge:
            edge, edge_axis = s, code
    if edge <= prize + PREFERENCE:
        return best, axis, edge, -1
    if leans_to_face(rotation, a, b, (edge_axis - 6) // 3, (edge_axis - 6) % 3, axis):
        return best, axis, edge, edge_axis
    return edge, edge_axis, edge, -1
