"""Model files, read back byte by byte as the glTF 2.0 specification says."""

import json
import struct
from pathlib import Path

import numpy as np

from anastylosis.geometry import make_matrices
from anastylosis.report.reconstruction.model_file import ModelBlock, make_box, pack_model, write_model
from anastylosis.structure import jenga_tower

TOWER = jenga_tower(3)
BLOCKS = [
    ModelBlock(
        name,
        TOWER.blocks.size[row],
        TOWER.position[row],
        TOWER.orientation[row],
        ((0.2, 0.5, 0.8), (0.9, 0.4, 0.2))[row % 2],
        {"block": f"stone-{row}"},
    )
    for row, name in enumerate(TOWER.ids)
]


def unpack(content: bytes) -> tuple[dict, bytes]:
    magic, version, length = struct.unpack_from("<4sII", content)
    assert (magic, version, length) == (b"glTF", 2, len(content))
    size, kind = struct.unpack_from("<I4s", content, 12)
    assert (kind, size % 4) == (b"JSON", 0)
    document = json.loads(content[20 : 20 + size])
    more, kind = struct.unpack_from("<I4s", content, 20 + size)
    assert (kind, more % 4, 28 + size + more) == (b"BIN\0", 0, length)
    return document, content[28 + size :]


def read_accessor(document: dict, data: bytes, number: int) -> np.ndarray:
    accessor = document["accessors"][number]
    view = document["bufferViews"][accessor["bufferView"]]
    kind, width = {5126: "<f4", 5123: "<u2"}[accessor["componentType"]], {"VEC3": 3, "SCALAR": 1}[accessor["type"]]
    values = np.frombuffer(data, kind, accessor["count"] * width, view["byteOffset"])
    assert view["byteLength"] == values.nbytes
    assert view["byteOffset"] % 4 == 0
    return values.reshape(-1, width)


def test_every_block_is_a_named_node_where_it_stands() -> None:
    document, data = unpack(pack_model(BLOCKS, {"rank": 1}))
    ground, *nodes = document["nodes"]
    assert document["scenes"][document["scene"]]["nodes"] == [0]
    assert document["scenes"][0]["extras"] == {"rank": 1}
    assert ground["children"] == list(range(1, len(BLOCKS) + 1))
    assert [node["name"] for node in nodes] == list(TOWER.ids)
    assert [node["extras"]["block"] for node in nodes] == [f"stone-{row}" for row in range(9)]
    box = read_accessor(document, data, 0)
    x, y, z, w = ground["rotation"]
    up = make_matrices(np.array([w, x, y, z]))
    np.testing.assert_allclose(up @ [0, 0, 1], [0, 1, 0], atol=1e-12)  # z up becomes y up
    for row, node in enumerate(nodes):
        x, y, z, w = node["rotation"]
        corners = box * node["scale"] @ make_matrices(np.array([w, x, y, z])).T + node["translation"]
        half = np.abs(make_matrices(TOWER.orientation[row])) @ TOWER.blocks.size[row] / 2
        np.testing.assert_allclose([corners.min(axis=0), corners.max(axis=0)], TOWER.position[row] + np.array([-half, half]))


def test_colours_are_materials_that_meshes_share() -> None:
    document, _ = unpack(pack_model(BLOCKS, {}))
    assert len(document["materials"]) == len(document["meshes"]) == 2
    assert [node["mesh"] for node in document["nodes"][1:]] == [row % 2 for row in range(9)]
    assert document["buffers"][0]["byteLength"] == sum(view["byteLength"] for view in document["bufferViews"])


def test_the_sides_of_the_box_face_outwards() -> None:
    corners, normals, indices = make_box()
    assert (np.abs(corners) == 0.5).all()
    for a, b, c in indices.reshape(-1, 3):
        across = np.cross(corners[b] - corners[a], corners[c] - corners[a])
        assert across @ normals[a] > 0
        assert across @ corners[a] > 0


def test_a_file_is_written(tmp_path: Path) -> None:
    write_model(tmp_path / "tower.glb", BLOCKS, {})
    document, _ = unpack((tmp_path / "tower.glb").read_bytes())
    assert document["asset"]["version"] == "2.0"
