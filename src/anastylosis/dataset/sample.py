"""One episode of a dataset as arrays: its picture, its poses before and after the fall, its labels. Read and drawn when asked."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Floats
from anastylosis.errors import InvalidInput
from anastylosis.structure import BLOCKS_PER_COURSE

if TYPE_CHECKING:  # rendering takes 0.3 s to load, and tables of a dataset are read without it
    from anastylosis.dataset.reader import Dataset
    from anastylosis.episode import EpisodeFrames
    from anastylosis.rendering import Camera, Image, Look

PICTURE_SIZE = 512  # sides of `rgb`, `block_ids` and `depth` [pixels]

LABEL_COLUMNS = {
    "friction": "friction",
    "layers": "layers",
    "policy": "policy",
    "rule": "rule",
    "ending": "ending",
    "collapsed": "collapsed",
    "removed_count": "removed_count",
    "imbalance": "imbalance",
    "interface_imbalance": "interface_imbalance",
    "offset": "offset",
    "torque_risk": "torque_moves",
    "failure_layer": "failure_course",
    "fatal_block": "fatal_block",
    "direction": "direction",
    "blocks_on_floor": "blocks_on_floor",
}  # of a sample -> column of the table of episodes, which has the unit and the meaning


@dataclass(frozen=True, eq=False)
class Sample:
    """One episode of B blocks. Lengths are in metres, orientations are quaternions wxyz, the floor is z = 0.

    What is read or drawn stays with the sample, and goes with it: the dataset keeps no samples.
    """

    dataset: "Dataset"
    name: str

    def __repr__(self) -> str:
        return f"Sample({self.name!r})"

    @cached_property
    def row(self) -> dict[str, Any]:
        """The row of the episode in the table of episodes, read from its own row group alone."""
        return self.dataset.read_row(self.name)

    @property
    def split(self) -> str:
        """The split that the episode's seed put it in: train, val, test, or a test of its own."""
        return str(self.row["split"])

    @property
    def seed(self) -> int:
        """The seed of the episode."""
        return int(self.row["seed"])

    @property
    def labels(self) -> dict[str, Any]:
        """Numbers and words about the episode: friction, layers, ending, removed_count, imbalance, failure_layer and more."""
        return {name: self.row[column] for name, column in LABEL_COLUMNS.items()}

    @cached_property
    def size(self) -> Floats:
        """Length, width and height (B, 3) of each block [m]."""
        return self._stack("sizes", 3)

    @cached_property
    def poses_before(self) -> Floats:
        """Position [m] and orientation wxyz (B, 7) just before the fatal pull; NaN: the block was gone."""
        return self._read_poses("stood")

    @cached_property
    def poses_after(self) -> Floats:
        """Position [m] and orientation wxyz (B, 7) at the end; NaN: the block was gone."""
        return self._read_poses("lies")

    @cached_property
    def slots(self) -> NDArray[np.int64]:
        """Slot (B,) of each block just before the fatal pull, 3 * layer + place; -1: the block was gone."""
        course, place = (self._list(name, np.int64) for name in ("course", "place"))
        there = np.isfinite(self.poses_before[:, 0]) & (course >= 0) & (place >= 0)
        return np.where(there, BLOCKS_PER_COURSE * course + place, -1)

    @cached_property
    def removed(self) -> NDArray[np.bool_]:
        """Mask (P,) of the slots of the tower as it was built that were empty just before the fatal pull."""
        return self._list("removed", np.bool_, like=None)

    @property
    def standing(self) -> NDArray[np.bool_]:
        """Mask (P,) of the slots of the tower as it was built that were filled just before the fatal pull.

        Where blocks go on top (the rule *stack*), `slots` has those above, too.
        """
        return ~self.removed

    @cached_property
    def camera(self) -> "Camera":
        """The still camera of `rgb`, `block_ids` and `depth`: one for all samples, the paper's."""
        from anastylosis.rendering import still_camera

        return still_camera(PICTURE_SIZE)

    @property
    def rgb(self) -> NDArray[np.uint8]:
        """Picture (512, 512, 3) of the blocks as they lie, in sRGB."""
        return self._image.rgb

    @property
    def block_ids(self) -> NDArray[np.int32]:
        """Row (512, 512) of the block that each pixel shows; -1: the floor."""
        ids = self._image.ids
        assert ids is not None
        return ids

    @property
    def depth(self) -> NDArray[np.float32]:
        """Distance (512, 512) of what each pixel shows, along the viewing axis [m]; infinite: nothing."""
        depth = self._image.depth
        assert depth is not None
        return depth

    @cached_property
    def _image(self) -> "Image":
        return self.draw(camera=self.camera)

    def draw(
        self,
        size: int = PICTURE_SIZE,
        *,
        camera: "Camera | None" = None,
        look: "Look | str" = "wood",
        antialias: int = 2,
        shadows: str = "hard",
    ) -> "Image":
        """Draw the blocks as they lie; the image has `rgb`, `grey`, the block `ids` and the `depth` of every pixel.

        `size`: sides of the picture [pixels], seen by the still camera, unless there is a `camera`, which has a size of its
        own. `look`: wood, stone or paper, with tones that the episode's seed decides, or a `Look`. In grey, the picture of
        128 pixels is the one that models learn from.
        """
        from anastylosis.rendering import make_look, render_image, still_camera

        there = np.isfinite(self.poses_after[:, 0])
        blocks = np.where(there[:, None], self.size, 0.01)
        lies = np.where(there[:, None], self.poses_after, (0, 0, 0, 1, 0, 0, 0))
        paint = make_look(look, self.seed) if isinstance(look, str) else look
        return render_image(
            blocks, lies[:, :3], lies[:, 3:], camera or still_camera(size), paint,
            present=there, antialias=antialias, shadows=shadows, ids=True, depth=True,
        )  # fmt: skip

    @cached_property
    def document(self) -> dict[str, Any]:
        """Return the whole annotation of the episode: settings, every round with its forces, labels."""
        return self.dataset.document(self.name)

    @cached_property
    def frames(self) -> "EpisodeFrames":
        """Return time, position, orientation and presence of every block in every frame, 30 a second."""
        return self.dataset.read_frames(self.name, len(self.size))

    def _read_poses(self, when: str) -> Floats:
        poses = np.concatenate([self._stack(f"{when}_positions", 3), self._stack(f"{when}_quaternions", 4)], axis=1)
        whole = np.isfinite(poses).all(axis=1)
        if (whole != np.isfinite(poses).any(axis=1)).any():
            raise self._broken(f"{when}_positions and {when}_quaternions are not of the same blocks")
        return poses

    def _stack(self, column: str, width: int) -> Floats:
        """Return (B, width) of a column with a list a block; NaN where it is null."""
        items, gone = self.row[column], [np.nan] * width
        try:
            stacked = np.array([gone if item is None else item for item in items], np.float64)
        except (TypeError, ValueError) as error:
            raise self._broken(f"{column} does not hold {width} numbers a block") from error
        if stacked.shape != (len(self.row["blocks"] or ()), width):
            raise self._broken(f"{column} does not hold {width} numbers a block")
        return stacked

    def _list(self, column: str, kind: type[Any], like: str | None = "blocks") -> NDArray[Any]:
        """Return a column with a number or truth an item, as long as the column `like`."""
        items = self.row[column]
        if items is None or None in items or (like and len(items) != len(self.row[like] or ())):
            raise self._broken(f"{column} does not hold one item a block")
        return np.array(items, kind)

    def _broken(self, problem: str) -> InvalidInput:
        return self.dataset.explain_broken(self.name, problem)
