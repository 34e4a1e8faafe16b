"""Weights of a model file: back in a net, which then says what the file says, and learns from there."""

from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from torch import Tensor, nn

from anastylosis.detection.nets import DETECTOR_MODELS
from anastylosis.errors import InvalidInput
from anastylosis.models.shipped import SHIPPED_ASSIGNMENT, list_detector
from anastylosis.training.detection.export import FORMS, export_detector_net
from anastylosis.training.detection.refiner import RefinerNet
from anastylosis.training.detection.rescorer import RescorerNet
from anastylosis.training.detection.slot_classifier import SlotClassifierNet
from anastylosis.training.detection.votes import VoteNet
from anastylosis.training.weights import restore_weights

NETS: dict[str, type[nn.Module]] = {
    "vote_net": VoteNet,
    "slot_classifier": SlotClassifierNet,
    "refiner": RefinerNet,
    "rescorer": RescorerNet,
}
SHIPPED = dict(zip(NETS, list_detector(), strict=True))


def draw(kind: str, count: int = 8) -> tuple[Tensor, ...]:
    return tuple(torch.rand(count, *shape[1:]) for shape in FORMS[kind][0])


def answer(path: Path, kind: str, given: tuple[Tensor, ...]) -> np.ndarray:
    session = DETECTOR_MODELS[kind].from_file(path).session
    return np.asarray(session.run(None, {name: part.numpy() for name, part in zip(FORMS[kind][1], given, strict=True)})[0])


@pytest.mark.parametrize("kind", NETS)
def test_a_net_says_what_its_file_says(kind: str) -> None:
    torch.manual_seed(1)
    net, examples = NETS[kind](), [draw(kind) for _ in range(2)]
    restore_weights(net, SHIPPED[kind], examples)
    given = draw(kind, 3)
    with torch.no_grad():
        said = net.eval()(*given).numpy()
    np.testing.assert_allclose(said, answer(SHIPPED[kind], kind, given), rtol=1e-4, atol=1e-4)


def test_norms_have_what_comes_to_them() -> None:
    """So that a net that learns, whose norms go by its batches, begins with what the file says, too."""
    torch.manual_seed(2)
    net, example = SlotClassifierNet(), draw("slot_classifier", 64)
    restore_weights(net, SHIPPED["slot_classifier"], [example])
    with torch.no_grad():
        still, learning = net.eval()(*example), net.train()(*example)
    np.testing.assert_allclose(learning.numpy(), still.numpy(), rtol=1e-3, atol=2e-3)


def test_what_a_file_does_not_have_stays(tmp_path: Path) -> None:
    torch.manual_seed(3)
    net = VoteNet()
    faces = net.aside.weight.clone()
    restore_weights(net, SHIPPED["vote_net"], [draw("vote_net", 2)])
    assert net.aside.weight.equal(faces)
    assert not net.out.weight.equal(VoteNet().out.weight)


@pytest.mark.parametrize(
    ("kind", "path"),
    [("vote_net", SHIPPED["slot_classifier"]), ("slot_classifier", SHIPPED["vote_net"]), ("refiner", SHIPPED_ASSIGNMENT)],
)
def test_the_file_of_another_net_is_refused(kind: str, path: Path) -> None:
    with pytest.raises(InvalidInput, match="is of another net than this one"):
        restore_weights(NETS[kind](), path, [draw(kind, 2)])


def test_files_that_are_none_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.onnx"
    with pytest.raises(InvalidInput, match="there is no model"):
        restore_weights(SlotClassifierNet(), path, [draw("slot_classifier")])
    path.write_bytes(b"\xff words")
    with pytest.raises(InvalidInput, match="is not an ONNX file"):
        restore_weights(SlotClassifierNet(), path, [draw("slot_classifier")])
    graph = export_detector_net(SlotClassifierNet(), "slot_classifier")
    onnx.save(graph, path, save_as_external_data=True, location="elsewhere", size_threshold=0)
    with pytest.raises(InvalidInput, match="keeps its weights in another file"):
        restore_weights(SlotClassifierNet(), path, [draw("slot_classifier")])
