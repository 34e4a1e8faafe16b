"""Stage: the 3-D scene of one visitor."""

from collections.abc import Callable
from typing import Any

import numpy as np
import viser
from numpy.typing import NDArray

from anastylosis.render.look import srgb_to_linear
from anastylosis.report.reconstruction.scene import Scene
from anastylosis.survey.rotation import make_matrices

__all__ = ["FIELD_OF_VIEW", "PRESETS", "Stage", "place_lights"]

SCALE = 10.0  # of the scene to metres: near planes and shadows of 3-D engines are made for things larger than blocks
PRESETS = {  # direction that the eye is in, from the middle of things
    "corner": (1.0, -1.25, 0.75),
    "front": (0.0, -1.0, 0.18),
    "side": (1.0, 0.0, 0.18),
    "top": (0.0, -0.02, 1.0),
}
FULL = 0.85  # of the picture's width and height that things may take
# viser has its controls in a sheet over the lower part of the scene in windows of up to 576 points. It tells dots of the
# screen, of which a phone has two or three in a point; so a window that is so much higher than wide is a phone's, too.
PHONE, UPRIGHT = 576, 0.65
CLEAR = 0.4  # of the height that the sheet leaves free
NEAR = 0.6  # [m] least distance of the eye
FIELD_OF_VIEW = 0.6  # vertical [rad]: little perspective, as in drawings
RED = (217, 26, 26)
CORNERS = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
SIDES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))  # corners, seen from outside
FACES = np.array([(side[0], side[first], side[first + 1]) for side in SIDES for first in (1, 2)])
EDGES = np.array([(a, b) for a in range(8) for b in range(a + 1, 8) if np.abs(CORNERS[a] - CORNERS[b]).sum() == 1])
Floats = NDArray[np.float64]
Singles = NDArray[np.float32]  # what a browser takes
Flags = NDArray[np.bool_]


def place_lights(scene: Any) -> None:
    """What all visitors see alike: light and floor."""
    scene.world_axes.visible = False
    scene.set_up_direction("+z")
    scene.configure_default_lights(enabled=False)
    scene.add_light_ambient("/light/all", intensity=0.9)
    scene.add_light_directional("/light/sun", intensity=1.5, position=(4.0, -7.0, 10.0), cast_shadow=True)
    scene.add_grid(
        "/floor", 30.0, 30.0, cell_size=1.0, section_size=5.0, cell_color=(222, 222, 218), section_color=(200, 200, 195),
        plane_color=(244, 243, 239), plane_opacity=1.0, shadow_opacity=0.25, position=(0.0, 0.0, -0.01),
    )  # fmt: skip


class Stage:
    """Blocks as one batch of boxes, their edges, and outlines of empty slots."""

    def __init__(self, client: viser.ClientHandle, on_pick: Callable[[int], None]) -> None:
        self.client, self.on_pick = client, on_pick
        self.boxes: viser.BatchedMeshHandle | None = None
        self.edges: viser.LineSegmentsHandle | None = None
        self.outlines: viser.LineSegmentsHandle | None = None
        self.outlined: tuple[int, ...] = ()
        self.reach = np.array([[-0.1, -0.1, 0.0], [0.1, 0.1, 0.33]])
        # Share of the height that no controls are over, from the top. A visitor who has just come sees the scene in the whole
        # window; later, panels beside it make it narrow in large windows, too.
        phone = client.camera.image_width <= PHONE or client.camera.aspect <= UPRIGHT
        self.clear = CLEAR if phone else 1.0

    def show(self, scene: Scene, colours: Floats, shown: Flags) -> None:
        """Show a moment: (N, 3) colours, and (N,) which of its blocks are to be seen."""
        there = scene.present & shown
        size = np.where(there[:, None], SCALE * scene.size, 1e-6).astype(np.float32)
        position = (SCALE * scene.position).astype(np.float32)
        turn = scene.orientation.astype(np.float32)
        paint = np.rint(255 * srgb_to_linear(colours)).astype(np.uint8)  # viser takes colours of batches for linear light
        lines = (SCALE * trace_edges(scene.size, scene.position, scene.orientation, there)).astype(np.float32)
        with self.client.atomic():
            if self.boxes is None or len(self.boxes.batched_positions) != len(position):
                self.build(position, turn, size, paint, lines)
            else:
                assert self.edges is not None
                self.boxes.batched_positions, self.boxes.batched_wxyzs = position, turn
                self.boxes.batched_scales, self.boxes.batched_colors = size, paint
                self.edges.points = lines
            self.outline(scene)

    def build(self, position: Singles, turn: Singles, size: Singles, paint: NDArray[np.uint8], lines: Singles) -> None:
        """Another number of blocks: another batch."""
        scene = self.client.scene
        for handle in (self.boxes, self.edges):
            if handle is not None:
                handle.remove()
        self.boxes = scene.add_batched_meshes_simple(
            "/blocks", CORNERS, FACES, turn, position, batched_scales=size, batched_colors=paint, flat_shading=True, lod="off"
        )
        self.edges = scene.add_line_segments("/edges", lines, (70, 50, 40), thickness=1.2, thickness_units="screen")

        @self.boxes.on_click
        def _(event: viser.SceneNodePointerEvent) -> None:
            if event.instance_index is not None:
                self.on_pick(int(event.instance_index))

    def outline(self, scene: Scene) -> None:
        """Slots that are empty."""
        if scene.outlines == self.outlined:
            return
        self.outlined = scene.outlines
        if self.outlines is not None:
            self.outlines.remove()
            self.outlines = None
        if scene.outlines and scene.slots is not None:
            slots, rows = scene.slots, list(scene.outlines)
            there = np.ones(len(rows), bool)
            lines = SCALE * trace_edges(slots.blocks.size[rows], slots.position[rows], slots.orientation[rows], there)
            self.outlines = self.client.scene.add_line_segments(
                "/outlines", lines.astype(np.float32), RED, thickness=2.0, thickness_units="screen"
            )

    def measure(self, *places: Floats) -> None:
        """Note how far blocks at these places reach, for the presets of the camera; the few that roll far away do not count."""
        ends = np.array([np.quantile(each, (0.03, 0.97), axis=0) for each in places])
        low, high = ends[:, 0].min(axis=0), ends[:, 1].max(axis=0)
        self.reach = np.array([np.minimum(low, (-0.08, -0.08, 0.0)), np.maximum(high, 0.08)])

    def look(self, preset: str) -> None:
        """Move the camera of this visitor."""
        middle = self.reach.mean(axis=0)
        away = np.array(PRESETS[preset]) / np.linalg.norm(PRESETS[preset])
        away *= self.find_distance(away)
        # What is looked at is so far below the middle of things that these are in the middle of what is free.
        middle = middle - (1 - self.clear) * np.tan(FIELD_OF_VIEW / 2) * find_up(away) * np.linalg.norm(away)
        with self.client.atomic():
            self.client.camera.up_direction = (0.0, 0.0, 1.0)
            self.client.camera.fov = FIELD_OF_VIEW
            self.client.camera.position = SCALE * (middle + away)
            self.client.camera.look_at = SCALE * middle

    def find_distance(self, away: Floats) -> float:
        """Of an eye in this direction (3,) from which all is seen in the window, wide or narrow [m]."""
        up = find_up(away)
        right = np.cross(up, away)
        corners = CORNERS * (self.reach[1] - self.reach[0])
        aside, above, nearer = corners @ right, corners @ up, corners @ away
        half = np.tan(FIELD_OF_VIEW / 2)
        # A corner is seen at (above + (1 - clear) half distance) / (distance - nearer): between these shares of `half`.
        top, bottom = 1 - (1 - FULL) * self.clear, 1 - (1 + FULL) * self.clear
        wide = np.abs(aside) / (FULL * half * self.client.camera.aspect) + nearer
        high = np.maximum(above / half + top * nearer, -above / half - bottom * nearer) / (FULL * self.clear)
        return max(float(np.maximum(wide, high).max()), NEAR)

    def empty(self) -> None:
        for handle in (self.boxes, self.edges, self.outlines):
            if handle is not None:
                handle.remove()
        self.boxes = self.edges = self.outlines = None
        self.outlined = ()


def find_up(away: Floats) -> Floats:
    """What is up in a picture that is seen from this direction (3,)."""
    up = np.array((0.0, 0.0, 1.0)) - away[2] * away / (away @ away)
    return up / np.linalg.norm(up)


def trace_edges(size: Floats, position: Floats, orientation: Floats, there: Flags) -> Floats:
    """(12 N, 2, 3) the edges of boxes; those that are not there are points."""
    corners = CORNERS[None] * size[:, None]
    corners = np.einsum("nij,nkj->nki", make_matrices(orientation), corners) + position[:, None]
    corners[~there] = 0.0
    return corners[:, EDGES].reshape(-1, 2, 3)
