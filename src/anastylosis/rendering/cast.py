"""Ray casting: the surface that a ray meets first, tile by tile. Exact: every box whose pixels a ray may be in is tested.

A surface is one number: 6 * box + face for a face of a box, FLOOR, or SKY for a ray that meets nothing. Face
2 * axis + 1 looks along the positive body axis, 2 * axis against it.
"""

import math

from anastylosis.kernel import entry, inlined, kernel

FLOOR = -1
SKY = -2
# Pixels of a side of a tile: its samples stay in the nearest caches, and few boxes are near it.
TILE = 16


@inlined
def slab(low, high, origin, inverse):
    """Return where a ray (origin, 1 / direction) enters and leaves low <= x <= high."""
    first = (low - origin) * inverse
    second = (high - origin) * inverse
    if first < second:
        return first, second
    return second, first


@kernel
def list_boxes(bounds, left, top, right, bottom, found):
    """Fill `found` with the boxes whose pixel bounds meet the tile; return how many there are."""
    count = 0
    for k in range(bounds.shape[0]):
        if bounds[k, 0] < right and bounds[k, 2] > left and bounds[k, 1] < bottom and bounds[k, 3] > top:
            found[count] = k
            count += 1
    return count


@kernel
def cast_floor(view, samples, left, top, wide, high, depth, surface):
    """Fill a tile with the background of all boxes: the floor, or nothing."""
    step = 1.0 / samples
    for j in range(high):
        y = (top * samples + j + 0.5) * step
        rise = view.corner[2] + y * view.down[2]
        for i in range(wide):
            fall = rise + (left * samples + i + 0.5) * step * view.across[2]
            n = j * wide + i
            if fall < 0.0:
                depth[n] = -view.eye[2] / fall
                surface[n] = FLOOR
            else:
                depth[n] = math.inf
                surface[n] = SKY


@kernel
def cast_box(boxes, k, samples, left, top, wide, high, depth, surface):
    """Draw a box into a tile: it takes the samples where it is nearest."""
    step = 1.0 / samples
    solid, ray, bounds = boxes.solid[k], boxes.ray[k], boxes.bounds[k]
    hx, hy, hz = solid[3], solid[4], solid[5]
    ox, oy, oz = ray[0], ray[1], ray[2]
    begin = max(0, (bounds[0] - left) * samples)
    end = min(wide, (bounds[2] - left) * samples)
    for j in range(max(0, (bounds[1] - top) * samples), min(high, (bounds[3] - top) * samples)):
        y = (top * samples + j + 0.5) * step
        rx, ry, rz = ray[3] + y * ray[9], ray[4] + y * ray[10], ray[5] + y * ray[11]
        for i in range(begin, end):
            x = (left * samples + i + 0.5) * step
            dx, dy, dz = rx + x * ray[6], ry + x * ray[7], rz + x * ray[8]
            near_x, far_x = slab(-hx, hx, ox, 1.0 / dx)
            near_y, far_y = slab(-hy, hy, oy, 1.0 / dy)
            near_z, far_z = slab(-hz, hz, oz, 1.0 / dz)
            near, face = near_x, 0
            if dx < 0.0:
                face = 1
            if near_y > near:
                near, face = near_y, 2
                if dy < 0.0:
                    face = 3
            if near_z > near:
                near, face = near_z, 4
                if dz < 0.0:
                    face = 5
            n = j * wide + i
            if near <= far_x and near <= far_y and near <= far_z and near > 0.0 and near < depth[n]:
                depth[n] = near
                surface[n] = 6 * k + face


@kernel
def cast_tile(view, boxes, samples, left, top, wide, high, found, depth, surface):
    """Fill depth [m] and surface of `wide` x `high` samples, `samples` a pixel side, from pixel (left, top) on."""
    right, bottom = left + wide // samples, top + high // samples
    cast_floor(view, samples, left, top, wide, high, depth, surface)
    for n in range(list_boxes(boxes.bounds, left, top, right, bottom, found)):
        cast_box(boxes, found[n], samples, left, top, wide, high, depth, surface)


@entry
def map_ids(view, boxes, found, tile_depth, tile_surface, ids, depth):
    """Fill the row of the block at every pixel's centre (-1: none), and its depth [m] (infinite: nothing there)."""
    for top in range(0, view.height, TILE):
        for left in range(0, view.width, TILE):
            wide, high = min(TILE, view.width - left), min(TILE, view.height - top)
            map_tile(view, boxes, left, top, wide, high, found, tile_depth, tile_surface, ids, depth)


@kernel
def map_tile(view, boxes, left, top, wide, high, found, tile_depth, tile_surface, ids, depth):
    """Fill the `wide` x `high` pixels of `map_ids` from (left, top) on."""
    cast_tile(view, boxes, 1, left, top, wide, high, found, tile_depth, tile_surface)
    for j in range(high):
        for i in range(wide):
            surface = tile_surface[j * wide + i]
            ids[top + j, left + i] = boxes.row[surface // 6] if surface >= 0 else -1
            depth[top + j, left + i] = tile_depth[j * wide + i]
