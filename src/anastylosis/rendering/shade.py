"""Shading of a sample: Lambert's law for the sun, a sky that near blocks hide, and the material.

All in linear light; `table` turns it into the bytes of a picture.
"""

import math

from anastylosis.kernel import entry, inlined, kernel
from anastylosis.rendering.cast import FLOOR, SKY, TILE, cast_tile, list_boxes
from anastylosis.rendering.grain import texture
from anastylosis.rendering.sun import SETS, see_sun


@inlined
def in_body(s, x, y, z):
    """Return R^T v: a world vector in the axes of the box `s`."""
    return s[6] * x + s[9] * y + s[12] * z, s[7] * x + s[10] * y + s[13] * z, s[8] * x + s[11] * y + s[14] * z


@inlined
def normal(s, face):
    """Return the outward normal of a face of the box `s`, in world axes."""
    axis = face // 2
    sign = 2.0 * (face - 2 * axis) - 1.0
    return sign * s[6 + axis], sign * s[9 + axis], sign * s[12 + axis]


@kernel
def see_sky(boxes, found, count, own, reach, strength, px, py, pz, nx, ny, nz):
    """Return the share of the sky that near blocks leave at a point with this normal: each hides more, the nearer it is.

    Looked at is a core of the block, 60 % of its half height inside: the face that a neighbour stands flush
    with is not darkened, a floor beside it is.
    """
    share = 1.0
    for n in range(count):
        k = found[n]
        if k == own:
            continue
        s = boxes.solid[k]
        x, y, z = px - s[0], py - s[1], pz - s[2]
        limit = s[15] + reach
        if x * x + y * y + z * z > limit * limit:
            continue
        bx, by, bz = in_body(s, x, y, z)
        inset = 0.6 * min(s[3], s[4], s[5])
        vx = min(max(bx, inset - s[3]), s[3] - inset) - bx
        vy = min(max(by, inset - s[4]), s[4] - inset) - by
        vz = min(max(bz, inset - s[5]), s[5] - inset) - bz
        away = math.sqrt(vx * vx + vy * vy + vz * vz)
        near = 1.0 - (away - inset) / reach
        if near <= 0.0 or away == 0.0:
            continue
        mx, my, mz = in_body(s, nx, ny, nz)
        facing = (mx * vx + my * vy + mz * vz) / away
        if facing > 0.0:
            near = min(near, 1.0)
            share *= 1.0 - strength * facing * near * near
    return share


@kernel
def block_colour(boxes, paint, k, face, px, py, pz, pixel):
    """Return the linear RGB of a block's surface at a world point: its tone, its grain, its darker edges."""
    s = boxes.solid[k]
    bx, by, bz = in_body(s, px - s[0], py - s[1], pz - s[2])
    fine = paint.fineness
    tone = 1.0 - paint.grain[k] * texture(paint.material, fine * bx, fine * by, fine * bz, paint.seed[k], fine * pixel)
    if paint.edge > 0.0:
        to_x, to_y, to_z = s[3] - abs(bx), s[4] - abs(by), s[5] - abs(bz)
        axis = face // 2
        if axis == 0:
            edge = min(to_y, to_z)
        elif axis == 1:
            edge = min(to_x, to_z)
        else:
            edge = min(to_x, to_y)
        # An edge narrower than a pixel is drawn as wide as one and so much fainter.
        width = max(paint.edge_width, 0.75 * pixel)
        rim = 1.0 - max(edge, 0.0) / width
        if rim > 0.0:
            tone *= 1.0 - paint.edge * paint.edge_width / width * rim
    return paint.tone[k, 0] * tone, paint.tone[k, 1] * tone, paint.tone[k, 2] * tone


@inlined
def shade(view, boxes, sun, paint, surface, px, py, pz, depth, lit, found, count):
    """Return the linear RGB of a surface at a world point that sees the share `lit` of the sun."""
    if surface == SKY:
        return paint.backdrop[0], paint.backdrop[1], paint.backdrop[2]
    d = sun.direction
    own, nx, ny, nz = -1, 0.0, 0.0, 1.0
    red, green, blue = paint.floor[0], paint.floor[1], paint.floor[2]
    if surface != FLOOR:
        own = surface // 6
        face = surface - 6 * own
        nx, ny, nz = normal(boxes.solid[own], face)
        red, green, blue = block_colour(boxes, paint, own, face, px, py, pz, depth * view.pixel)
    strength = paint.sunlight * lit * max(0.0, nx * d[0, 0] + ny * d[0, 1] + nz * d[0, 2])
    openness = 1.0
    if count > 0:
        openness = see_sky(boxes, found, count, own, paint.nearness, paint.occlusion, px, py, pz, nx, ny, nz)
    above, below = openness * (0.5 + 0.5 * nz), openness * (0.5 - 0.5 * nz)
    red *= strength * paint.sun[0] + above * paint.sky[0] + below * paint.bounce[0]
    green *= strength * paint.sun[1] + above * paint.sky[1] + below * paint.bounce[1]
    blue *= strength * paint.sun[2] + above * paint.sky[2] + below * paint.bounce[2]
    if surface == FLOOR:
        # Far away the floor bends up into the backdrop, as in a photographer's studio: no hard horizon.
        x, y = px - paint.middle[0], py - paint.middle[1]
        haze = min(1.0, max(0.0, (math.sqrt(x * x + y * y) - paint.fade) / (3.0 * paint.fade)))
        haze = haze * haze * (3.0 - 2.0 * haze)
        red += haze * (paint.backdrop[0] - red)
        green += haze * (paint.backdrop[1] - green)
        blue += haze * (paint.backdrop[2] - blue)
    return red, green, blue


@inlined
def look_at_sun(boxes, sun, surface, turn, px, py, pz):
    """Return the share of the sun seen from a point of a surface; 0 where the surface is turned away."""
    if surface < 0:
        return see_sun(boxes, sun, -1, turn, px, py, pz)
    own, d = surface // 6, sun.direction
    nx, ny, nz = normal(boxes.solid[own], surface - 6 * own)
    if nx * d[0, 0] + ny * d[0, 1] + nz * d[0, 2] <= 0.0:
        return 0.0
    return see_sun(boxes, sun, own, turn, px, py, pz)


@inlined
def to_byte(value, table):
    """Return the byte of a linear value, from a table of the sRGB curve."""
    last = table.shape[0] - 1
    return table[int(min(max(value, 0.0), 1.0) * last + 0.5)]


@inlined
def mix_pixel(view, boxes, sun, paint, shadows, samples, left, top, i, j, wide, found, count, depth, surface):
    """Return the linear RGB of pixel (i, j) of a tile: the mean of its samples.

    Where all samples are on one surface only their shadows are looked at one by one: the rest is smooth there.
    """
    step = 1.0 / samples
    share = step * step
    first = surface[j * samples * wide + i * samples]
    same = True
    for b in range(samples):
        for a in range(samples):
            same = same and surface[(j * samples + b) * wide + i * samples + a] == first
    if same and first == SKY:
        return paint.backdrop[0], paint.backdrop[1], paint.backdrop[2]
    red = green = blue = 0.0
    sum_x = sum_y = sum_z = sum_depth = sum_lit = 0.0
    last = samples - 1
    for b in range(samples):
        y = top + j + (b + 0.5) * step
        for a in range(samples):
            n = (j * samples + b) * wide + i * samples + a
            here = surface[n]
            if here == SKY:
                red, green, blue = red + paint.backdrop[0], green + paint.backdrop[1], blue + paint.backdrop[2]
                continue
            x, t = left + i + (a + 0.5) * step, depth[n]
            px = view.eye[0] + t * (view.corner[0] + x * view.across[0] + y * view.down[0])
            py = view.eye[1] + t * (view.corner[1] + x * view.across[1] + y * view.down[1])
            pz = view.eye[2] + t * (view.corner[2] + x * view.across[2] + y * view.down[2])
            lit = 1.0
            if shadows:
                turn = (left + i + a + 2 * (top + j + b)) & (SETS - 1)
                lit = look_at_sun(boxes, sun, here, turn, px, py, pz)
            if same:
                sum_x, sum_y, sum_z, sum_depth, sum_lit = sum_x + px, sum_y + py, sum_z + pz, sum_depth + t, sum_lit + lit
                if a < last or b < last:
                    continue
                px, py, pz, t, lit = share * sum_x, share * sum_y, share * sum_z, share * sum_depth, share * sum_lit
            more_red, more_green, more_blue = shade(view, boxes, sun, paint, here, px, py, pz, t, lit, found, count)
            red, green, blue = red + more_red, green + more_green, blue + more_blue
    if same:
        return red, green, blue
    return share * red, share * green, share * blue


@kernel
def keep_near(boxes, reach, depth, samples, found, count):
    """Keep the boxes that are near something seen in the tile, by their depths; return how many."""
    low, high = math.inf, 0.0
    for n in range(samples):
        t = depth[n]
        if t < math.inf:
            low, high = min(low, t), max(high, t)
    kept = 0
    for n in range(count):
        k = found[n]
        limit = boxes.solid[k, 15] + reach
        if boxes.depth[k] + limit > low and boxes.depth[k] - limit < high:
            found[kept] = k
            kept += 1
    return kept


@entry
def draw(view, boxes, sun, paint, shadows, samples, table, stale, found, depth, surface, rgb):
    """Fill the `stale` tiles (rows, columns) of `rgb` (H, W, 3) with bytes, from `samples` x `samples` rays a pixel."""
    for top in range(0, view.height, TILE):
        for left in range(0, view.width, TILE):
            if not stale[top // TILE, left // TILE]:
                continue
            columns, rows = min(TILE, view.width - left), min(TILE, view.height - top)
            draw_tile(
                view, boxes, sun, paint, shadows, samples, table, left, top, columns, rows, found, depth, surface, rgb
            )  # fmt: skip


@entry
def draw_tile(view, boxes, sun, paint, shadows, samples, table, left, top, columns, rows, found, depth, surface, rgb):
    """Draw the `columns` x `rows` pixels of `draw` from (left, top) on. A pixel is equal in any tile: what a tile leaves out, it
    does not see.
    """
    wide, high = columns * samples, rows * samples
    cast_tile(view, boxes, samples, left, top, wide, high, found, depth, surface)
    count = 0
    if paint.occlusion > 0.0:
        count = list_boxes(boxes.reach, left, top, left + columns, top + rows, found)
        count = keep_near(boxes, paint.nearness, depth, wide * high, found, count)
    for j in range(rows):
        for i in range(columns):
            red, green, blue = mix_pixel(
                view, boxes, sun, paint, shadows, samples, left, top, i, j, wide, found, count, depth, surface
            )
            rgb[top + j, left + i, 0] = to_byte(red * paint.exposure, table)
            rgb[top + j, left + i, 1] = to_byte(green * paint.exposure, table)
            rgb[top + j, left + i, 2] = to_byte(blue * paint.exposure, table)
