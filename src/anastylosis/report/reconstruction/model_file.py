"""Model files: a tower as glTF 2.0 binary (.glb), one named node a block. Every 3-D program opens them.

One box of unit size is shared by all blocks; nodes turn, move and scale it. glTF has y up and metres: a root node turns the
ground frame, whose z is up. Khronos Group, glTF 2.0 specification, sections 3 and 4.4 (GLB).
"""

import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis import __version__
from anastylosis.arrays import Colour
from anastylosis.assignment import UNASSIGNED
from anastylosis.reconstruction import Hypothesis, Reconstruction
from anastylosis.rendering import srgb_to_linear
from anastylosis.report.reconstruction.shades import shade_tower
from anastylosis.whole_file import write_whole

MAGIC, VERSION, JSON_CHUNK, BINARY_CHUNK = 0x46546C67, 2, 0x4E4F534A, 0x004E4942
FLOAT, UNSIGNED_SHORT = 5126, 5123  # component types
VERTICES, INDICES = 34962, 34963  # targets of buffer views
Z_UP = (-np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))  # xyzw: a quarter turn about x, z to y
SIDES = ((0, 1, 2), (1, 2, 0), (2, 0, 1))  # normal, and the two axes of a face


class ModelBlock(NamedTuple):
    """One node."""

    name: str
    size: NDArray[np.float64]  # (3,) [m]
    position: NDArray[np.float64]  # (3,) [m]
    orientation: NDArray[np.float64]  # (4,) wxyz
    colour: Colour
    extras: Mapping[str, Any]  # what else is known of it


def write_tower(path: Path, found: Reconstruction, hypothesis: Hypothesis, about: Mapping[str, Any]) -> None:
    """Write the tower of a proposal; there whole or not at all. `about`: of the scene as a whole."""
    write_model(path, list_blocks(found, hypothesis), about)


def list_blocks(found: Reconstruction, hypothesis: Hypothesis) -> list[ModelBlock]:
    """List a node for every block of a proposal, named by its slot."""
    colours, tower = shade_tower(found, hypothesis), found.structure
    rows = {slot: int(row) for slot, row in zip(hypothesis.state.slot.tolist(), found.rows, strict=True) if slot != UNASSIGNED}
    return [
        ModelBlock(
            tower.ids[slot],
            tower.blocks.size[slot],
            tower.position[slot],
            tower.orientation[slot],
            colours[slot],
            {
                "block": found.survey.ids[rows[slot]] if slot in rows else None,
                "slot_filled": float(found.filled[slot]),
            },
        )
        for slot in np.flatnonzero(hypothesis.state.filled).tolist()
    ]


def write_model(path: Path, blocks: Sequence[ModelBlock], about: Mapping[str, Any]) -> None:
    """Write a file; there whole or not at all."""
    with write_whole(path) as part:
        part.write_bytes(pack_model(blocks, about))


def pack_model(blocks: Sequence[ModelBlock], about: Mapping[str, Any]) -> bytes:
    """Return the bytes of a .glb file. `about`: of the scene as a whole."""
    corners, normals, indices = make_box()
    parts = [corners.astype("<f4").tobytes(), normals.astype("<f4").tobytes(), indices.astype("<u2").tobytes()]
    colours = list(dict.fromkeys(block.colour for block in blocks))
    document = {
        "asset": {"version": "2.0", "generator": f"Anastylosis {__version__}"},
        "scene": 0,
        "scenes": [{"name": "tower", "nodes": [0], "extras": dict(about)}],
        "nodes": [
            {"name": "ground", "rotation": list(Z_UP), "children": list(range(1, len(blocks) + 1))},
            *(describe_node(block, colours.index(block.colour)) for block in blocks),
        ],
        "meshes": [
            {"primitives": [{"attributes": {"POSITION": 0, "NORMAL": 1}, "indices": 2, "material": number}]}
            for number in range(len(colours))
        ],
        "materials": [describe_material(colour) for colour in colours],
        "accessors": [
            {"bufferView": 0, "componentType": FLOAT, "count": 24, "type": "VEC3", "min": [-0.5] * 3, "max": [0.5] * 3},
            {"bufferView": 1, "componentType": FLOAT, "count": 24, "type": "VEC3"},
            {"bufferView": 2, "componentType": UNSIGNED_SHORT, "count": 36, "type": "SCALAR"},
        ],
        "bufferViews": list_views(parts),
        "buffers": [{"byteLength": sum(map(len, parts))}],
    }
    text = pad(json.dumps(document, allow_nan=False).encode(), b" ")
    data = pad(b"".join(parts), b"\0")
    chunks = struct.pack("<II", len(text), JSON_CHUNK) + text + struct.pack("<II", len(data), BINARY_CHUNK) + data
    return struct.pack("<III", MAGIC, VERSION, 12 + len(chunks)) + chunks


def describe_node(block: ModelBlock, mesh: int) -> dict[str, Any]:
    w, x, y, z = (float(part) for part in block.orientation)
    return {
        "name": block.name, "mesh": mesh, "translation": [float(part) for part in block.position], "rotation": [x, y, z, w],
        "scale": [float(part) for part in block.size], "extras": dict(block.extras),
    }  # fmt: skip


def describe_material(colour: Colour) -> dict[str, Any]:
    """Describe a matt surface; glTF has linear colours."""
    linear = srgb_to_linear(colour).tolist()
    return {"pbrMetallicRoughness": {"baseColorFactor": [*linear, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.9}}


def list_views(parts: Sequence[bytes]) -> list[dict[str, int]]:
    starts = np.cumsum([0, *(len(part) for part in parts)]).tolist()
    targets = (VERTICES, VERTICES, INDICES)
    return [
        {"buffer": 0, "byteOffset": start, "byteLength": len(part), "target": target}
        for part, start, target in zip(parts, starts, targets, strict=False)
    ]


def make_box() -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Make a unit box with flat sides: (24, 3) corners, (24, 3) normals, (36,) indices, counter-clockwise seen from outside."""
    corners: list[NDArray[np.float64]] = []
    normals: list[NDArray[np.float64]] = []
    indices: list[int] = []
    for normal, across, along in SIDES:
        for sign in (-1, 1):
            first = len(corners)
            for u, v in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
                corner, out = np.zeros(3), np.zeros(3)
                corner[normal], corner[across], corner[along] = sign / 2, u / 2 * sign, v / 2
                out[normal] = sign
                corners.append(corner)
                normals.append(out)
            indices += [first, first + 1, first + 2, first, first + 2, first + 3]
    return np.array(corners), np.array(normals), np.array(indices)


def pad(content: bytes, filler: bytes) -> bytes:
    """Pad a chunk to a multiple of four bytes."""
    return content + filler * (-len(content) % 4)
