"""Scene view: the 3-D scene of one visitor."""

from collections.abc import Callable
from typing import Any

import numpy as np
import viser
from numpy.typing import NDArray

from anastylosis.arrays import Flags, Floats, Integers, Singles
from anastylosis.geometry import find_corners, make_matrices
from anastylosis.rendering import srgb_to_linear
from anastylosis.report import BlockScene
from anastylosis.web.grain import make_coat

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
RESHAPED = 0.05  # change of the aspect beyond which all is framed anew
NEAR = 0.6  # [m] least distance of the eye
FIELD_OF_VIEW = 0.6  # vertical [rad]: little perspective, as in drawings
RED = (217, 26, 26)
BLUE = (20, 80, 190)  # of slots in which a proposal differs from the first
# Around the block that is picked, a line in a broader one, so that it is seen on any colour; and in no legend: colour, breadth,
# and how much larger than the block it is, which has the inner one before the other.
MARKS = (((0, 0, 0), 7.0, 1.01), ((255, 255, 255), 3.0, 1.03))
SIDES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))  # corners, seen from outside
CORNERS = find_corners(np.zeros((1, 3)), np.ones((1, 3)), np.eye(3)[None])[0]  # of the unit cube
FACES = np.array([(side[0], side[first], side[first + 1]) for side in SIDES for first in (1, 2)])
EDGES = np.array([(a, b) for a in range(8) for b in range(a + 1, 8) if np.abs(CORNERS[a] - CORNERS[b]).sum() == 1])


def place_lights(scene: Any) -> None:
    """Place the lights and the floor that all visitors share."""
    scene.world_axes.visible = False
    scene.set_up_direction("+z")
    scene.configure_default_lights(enabled=False)
    scene.add_light_hemisphere("/light/sky", sky_color=(255, 252, 246), ground_color=(196, 182, 164), intensity=1.7)
    scene.add_light_directional("/light/sun", color=(255, 244, 226), intensity=2.0, position=(5.0, -6.0, 9.0), cast_shadow=True)
    scene.add_grid(
        "/floor", 30.0, 30.0, cell_size=1.0, section_size=5.0, cell_color=(232, 230, 224), section_color=(218, 215, 207),
        plane_color=(244, 242, 236), plane_opacity=1.0, shadow_opacity=0.3, position=(0.0, 0.0, -0.01),
    )  # fmt: skip


class SceneView:
    """Blocks as one batch of boxes, their edges, and outlines of empty slots."""

    def __init__(self, client: viser.ClientHandle, on_pick: Callable[[int], None]) -> None:
        self.client, self.on_pick = client, on_pick
        self.boxes: viser.BatchedMeshHandle | None = None
        self.coat: viser.BatchedGlbHandle | None = None  # grain over the boxes
        self.edges: viser.LineSegmentsHandle | None = None
        self.outlines: viser.LineSegmentsHandle | None = None
        self.outlined: tuple[int, ...] = ()
        self.differing: viser.LineSegmentsHandle | None = None
        self.points = CORNERS * (0.2, 0.2, 0.33) + np.array((0.0, 0.0, 0.165))  # a tower
        self.marks: list[viser.LineSegmentsHandle] = []  # around the block that is picked
        # Share of the height that no controls are over, from the top. A visitor who has just come sees the scene in the whole
        # window; later, panels beside it make it narrow in large windows, too.
        self.preset, self.aspect = "corner", client.camera.aspect  # that the camera was last turned to, and for
        client.camera.on_update(lambda camera: self.fit(camera.aspect))
        self.clear = CLEAR if is_phone(client.camera) else 1.0

    def show(self, scene: BlockScene, colours: Floats, shown: Flags, picked: int | None = None) -> None:
        """Show a moment: colours (N, 3), which blocks are visible (N,), and the block that is picked."""
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
                assert self.coat is not None
                for handle in (self.boxes, self.coat):
                    handle.batched_positions, handle.batched_wxyzs, handle.batched_scales = position, turn, size
                self.boxes.batched_colors = paint
                self.edges.points = lines
            self.outline(scene)
            self.mark(scene, picked if picked is not None and there[picked] else None)

    def build(self, position: Singles, turn: Singles, size: Singles, paint: NDArray[np.uint8], lines: Singles) -> None:
        """Build a batch for another number of blocks."""
        scene = self.client.scene
        for handle in (self.boxes, self.coat, self.edges):
            if handle is not None:
                handle.remove()
        self.boxes = scene.add_batched_meshes_simple(
            "/blocks", CORNERS, FACES, turn, position, batched_scales=size, batched_colors=paint, flat_shading=True, lod="off"
        )
        long = int(size.mean(axis=0).argmax())
        self.coat = scene.add_batched_glb(
            "/grain", make_coat(long), turn, position, batched_scales=size, lod="off", cast_shadow=False, receive_shadow=False
        )
        self.edges = scene.add_line_segments("/edges", lines, (96, 70, 50), thickness=1.0, thickness_units="screen")
        for handle in (self.boxes, self.coat):

            @handle.on_click
            def _(event: viser.SceneNodePointerEvent) -> None:
                if event.instance_index is not None:
                    self.on_pick(int(event.instance_index))

    def outline(self, scene: BlockScene) -> None:
        """Outline slots that are empty."""
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

    def show_differences(self, scene: BlockScene, rows: Integers) -> None:
        """Outline the blocks (rows of the scene) in which a proposal differs from the first; none: there are no outlines."""
        if self.differing is not None:
            self.differing.remove()
            self.differing = None
        if len(rows):
            there = np.ones(len(rows), bool)
            lines = SCALE * trace_edges(1.02 * scene.size[rows], scene.position[rows], scene.orientation[rows], there)
            self.differing = self.client.scene.add_line_segments(
                "/differing", lines.astype(np.float32), BLUE, thickness=3.5, thickness_units="screen"
            )

    def mark(self, scene: BlockScene, picked: int | None) -> None:
        """Mark the block that is picked; None: none is."""
        if picked is None:
            for handle in self.marks:
                handle.remove()
            self.marks = []
            return
        row, there = slice(picked, picked + 1), np.ones(1, bool)
        for number, (colour, breadth, larger) in enumerate(MARKS):
            lines = SCALE * trace_edges(larger * scene.size[row], scene.position[row], scene.orientation[row], there)
            if number < len(self.marks):
                self.marks[number].points = lines.astype(np.float32)
            else:
                self.marks.append(
                    self.client.scene.add_line_segments(
                        f"/picked/{number}", lines.astype(np.float32), colour, thickness=breadth, thickness_units="screen"
                    )
                )

    def measure(self, *points: Floats) -> None:
        """Note the points (N, 3) [m] that have to be seen, for the presets of the camera."""
        self.points = np.concatenate(points)

    def look(self, preset: str) -> None:
        """Move the camera of this visitor to where it sees all that was measured."""
        self.preset, self.aspect = preset, self.client.camera.aspect
        back = np.array(PRESETS[preset]) / np.linalg.norm(PRESETS[preset])
        eye, deep = self.find_eye(back)
        with self.client.atomic():
            self.client.camera.up_direction = (0.0, 0.0, 1.0)
            self.client.camera.fov = FIELD_OF_VIEW
            self.client.camera.position = SCALE * eye
            self.client.camera.look_at = SCALE * (eye - deep * back)

    def fit(self, aspect: float) -> None:
        """Turn the camera again when the window has another shape, as after the panels came beside the scene."""
        if self.boxes is not None and abs(aspect / self.aspect - 1) > RESHAPED:
            self.look(self.preset)

    def find_eye(self, back: Floats) -> tuple[Floats, float]:
        """Find the nearest eye (3,) that sees all points in the free part of the window, and its distance to their middle [m].

        It looks against `back`, a unit vector (3,).
        With an eye at (a, b, c) to the right, up and ahead, a point (x, y, z) is in where low (z - c) <= x - a <= high (z - c),
        and likewise in y: c is at most (min(x - low z) - max(x - high z)) / (high - low), and a between the two.
        """
        up = find_up(back)
        axes = np.stack([np.cross(up, back), up, -back])
        sides, deep = (self.points @ axes[:2].T), self.points @ axes[2]
        half = np.tan(FIELD_OF_VIEW / 2)
        wide = FULL * half * self.client.camera.aspect
        low = np.array([-wide, half * (1 - (1 + FULL) * self.clear)])
        high = np.array([wide, half * (1 - (1 - FULL) * self.clear)])
        most, least = (sides - np.outer(deep, low)).min(axis=0), (sides - np.outer(deep, high)).max(axis=0)
        middle = float(deep.min() + deep.max()) / 2
        ahead = min(float(((most - least) / (high - low)).min()), middle - NEAR)
        aside, above = ((most + ahead * low) + (least + ahead * high)) / 2
        return np.array([aside, above, ahead]) @ axes, middle - ahead

    def empty(self) -> None:
        for handle in (self.boxes, self.coat, self.edges, self.outlines, self.differing, *self.marks):
            if handle is not None:
                handle.remove()
        self.marks = []
        self.boxes = self.coat = self.edges = self.outlines = self.differing = None
        self.outlined = ()


def is_phone(camera: Any) -> bool:
    """Return whether the window that this camera fills is that of a telephone."""
    return bool(camera.image_width <= PHONE or camera.aspect <= UPRIGHT)


def find_up(away: Floats) -> Floats:
    """Find the up direction (3,) of a picture seen from the direction `away`."""
    up = np.array((0.0, 0.0, 1.0)) - away[2] * away / (away @ away)
    return up / np.linalg.norm(up)


def trace_edges(size: Floats, position: Floats, orientation: Floats, there: Flags) -> Floats:
    """Return the edges of boxes, (12 N, 2, 3); those that are not there are points."""
    corners = CORNERS[None] * size[:, None]
    corners = np.einsum("nij,nkj->nki", make_matrices(orientation), corners) + position[:, None]
    corners[~there] = 0.0
    return corners[:, EDGES].reshape(-1, 2, 3)
