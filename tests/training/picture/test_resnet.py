"""ResNet-18: the numbers and names of torchvision's, and files of weights that are not trusted."""

import pickle
from pathlib import Path

import pytest
import torch

from anastylosis.errors import InvalidInput
from anastylosis.training.picture.resnet import ResNet18, load_imagenet
from anastylosis.training.tensors import read_tensors, write_tensors


def torchvision_shapes() -> dict[str, tuple[int, ...]]:
    """Names and shapes in torchvision's resnet18 file, by hand."""

    def norm(name: str, channels: int) -> dict[str, tuple[int, ...]]:
        parts = dict.fromkeys(("weight", "bias", "running_mean", "running_var"), (channels,))
        return {f"{name}.{part}": shape for part, shape in (parts | {"num_batches_tracked": ()}).items()}

    shapes: dict[str, tuple[int, ...]] = {"conv1.weight": (64, 3, 7, 7), **norm("bn1", 64)}
    before = 64
    for stage, after in enumerate((64, 128, 256, 512), 1):
        for block in (0, 1):
            name, first = f"layer{stage}.{block}", before if block == 0 else after
            shapes |= {f"{name}.conv1.weight": (after, first, 3, 3), f"{name}.conv2.weight": (after, after, 3, 3)}
            shapes |= norm(f"{name}.bn1", after) | norm(f"{name}.bn2", after)
            if first != after:
                shapes |= {f"{name}.downsample.0.weight": (after, first, 1, 1)} | norm(f"{name}.downsample.1", after)
        before = after
    return shapes | {"fc.weight": (1000, 512), "fc.bias": (1000,)}


def make_weights() -> dict[str, torch.Tensor]:
    whole = {name: name.endswith("tracked") for name in torchvision_shapes()}
    return {name: torch.tensor(7) if whole[name] else torch.rand(shape) for name, shape in torchvision_shapes().items()}


def test_the_numbers_of_parameters_are_those_of_the_paper_by_he() -> None:
    learned = {
        name: shape for name, shape in torchvision_shapes().items() if not name.rpartition(".")[2].startswith(("run", "num"))
    }
    assert sum(torch.Size(shape).numel() for shape in learned.values()) == 11_689_512  # as torchvision tells it
    trunk = ResNet18(128)
    own = sum(parameter.numel() for name, parameter in trunk.named_parameters() if not name.startswith("fc."))
    assert own == 11_689_512 - 1000 * 512 - 1000 - 2 * 64 * 7 * 7 == 11_170_240  # no classes, one colour instead of three
    assert trunk.fc.weight.shape == (128, 512)


@pytest.mark.parametrize("size", [32, 33, 50])
def test_maps_are_a_half_a_quarter_and_an_eighth(size: int) -> None:
    trunk = ResNet18(16, width=0.125).eval()
    with torch.no_grad():
        maps, features = trunk(torch.rand(2, 1, size, size))
    sides = [-(-size // 2**power) for power in (1, 2, 3)]
    assert [each.shape for each in maps] == [
        (2, channels, side, side) for channels, side in zip(trunk.channels, sides, strict=True)
    ]
    assert trunk.channels == [8, 8, 16]
    assert features.shape == (2, 16)


def test_a_block_without_weights_hands_on_what_it_was_given() -> None:
    """y = relu(F(x) + x): with F = 0, what is positive goes through."""
    block = ResNet18(16, width=0.125).layer1[0].eval()
    for norm in (block.bn1, block.bn2):
        torch.nn.init.zeros_(norm.weight)
    x = torch.rand(1, 8, 5, 5)
    torch.testing.assert_close(block(x), x)


def test_weights_with_the_names_of_torchvision_are_taken(tmp_path: Path) -> None:
    weights = make_weights()
    torch.save(weights, tmp_path / "resnet18.pth")
    trunk = ResNet18(128)
    own_head = trunk.fc.weight.clone()
    load_imagenet(trunk, tmp_path / "resnet18.pth")
    found = trunk.state_dict()
    assert {name for name in found if not name.startswith("fc.")} == {name for name in weights if not name.startswith("fc.")}
    red, green, blue = weights["conv1.weight"].unbind(1)
    torch.testing.assert_close(found["conv1.weight"][:, 0], (red + green + blue) / 3)
    for name in ("layer2.0.downsample.0.weight", "layer4.1.bn2.running_var", "bn1.num_batches_tracked"):
        assert torch.equal(found[name], weights[name])
    assert torch.equal(trunk.fc.weight, own_head)


class Bomb:
    """What is unpickled writes a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple:
        return Path.write_text, (self.path, "it went off")


SMALL = {"conv1.weight": torch.zeros(8, 3, 7, 7)}


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({"weights": torch.zeros(3)}, r"does not hold the weights of a ResNet-18 of this width \('conv1.weight'\)"),
        (SMALL, "does not hold the weights of a ResNet-18: bn1.weight, "),
        (SMALL | {"conv9.weight": torch.zeros(1)}, "does not hold the weights of a ResNet-18"),
        ({"conv1.weight": torch.zeros(64, 3, 7, 7)}, "of this width"),
        ({"conv1.weight": "words"}, "of this width"),
        ({3: torch.zeros(3)}, "of this width"),
        ([torch.zeros(3)], "a file of tensors without names"),
    ],
)
def test_files_of_other_weights(tmp_path: Path, state: object, message: str) -> None:
    torch.save(state, tmp_path / "w.pth")
    with pytest.raises(InvalidInput, match=message):
        load_imagenet(ResNet18(16, width=0.125), tmp_path / "w.pth")


def test_names_that_are_too_many_are_told(tmp_path: Path) -> None:
    trunk = ResNet18(16, width=0.125)
    state = trunk.state_dict() | {"layer5.weight": torch.zeros(1)}
    torch.save(state, tmp_path / "w.pth")
    with pytest.raises(InvalidInput, match=r"does not hold the weights of a ResNet-18: layer5\.weight"):
        load_imagenet(trunk, tmp_path / "w.pth")


@pytest.mark.parametrize("data", [b"", b"junk" * 50, b"PK\x03\x04" + bytes(100), b"\x80\x02}q\x00."])
def test_files_that_are_none(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "w.pth").write_bytes(data)
    with pytest.raises(InvalidInput, match=r"w\.pth (is not a file of tensors|does not hold)") as refused:
        load_imagenet(ResNet18(16, width=0.125), tmp_path / "w.pth")
    assert "weights_only" not in str(refused.value)  # torch advises to run the file; we do not


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="there is no file"):
        load_imagenet(ResNet18(16, width=0.125), tmp_path / "w.pth")


def test_nothing_in_a_file_is_run(tmp_path: Path) -> None:
    trace, bomb = tmp_path / "trace", tmp_path / "bomb.pth"
    pickle.loads(pickle.dumps(Bomb(trace)))
    assert trace.read_text() == "it went off"  # the bomb works
    trace.unlink()
    for save in (lambda: torch.save({"conv1.weight": Bomb(trace)}, bomb), lambda: bomb.write_bytes(pickle.dumps(Bomb(trace)))):
        save()
        with pytest.raises(InvalidInput, match="is not a file of tensors"):
            read_tensors(bomb)
        with pytest.raises(InvalidInput, match="is not a file of tensors"):
            load_imagenet(ResNet18(16, width=0.125), bomb)
    assert not trace.exists()


def test_tensors_come_back(tmp_path: Path) -> None:
    state = {"net": {"weight": torch.rand(3, 4)}, "note": "words", "step": 3}
    write_tensors(tmp_path / "t.pt", state)
    found = read_tensors(tmp_path / "t.pt")
    assert torch.equal(found["net"]["weight"], state["net"]["weight"])
    assert (found["note"], found["step"]) == ("words", 3)
