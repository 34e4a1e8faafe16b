"""Files of tensors from elsewhere: what they unpack to is bounded before torch sees them."""

import pickle
import subprocess
import sys
import zipfile
from collections import OrderedDict
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from anastylosis.errors import InvalidInput
from anastylosis.training import tensors
from anastylosis.training.loop import CHECKPOINT, Run, Schedule
from anastylosis.training.tensors import read_tensors, write_tensors

HUGE = 400_000_000  # bytes


def write_records(path: Path, records: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> None:
    """Write a file as torch does, with records of our own."""
    with zipfile.ZipFile(path, "w", compression) as file:
        for name, data in records.items():
            file.writestr(f"t/{name}", data)


def write_packed(path: Path) -> None:
    """Write the file of one tensor of zeros, a thousandth of its size."""
    torch.save({"net": {"weight": torch.zeros(1)}}, path)
    with zipfile.ZipFile(path) as file:
        records = {name.partition("/")[2]: file.read(name) for name in file.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        for name, data in records.items():
            if name == "data/0":
                with file.open(f"t/{name}", "w") as record:
                    for _ in range(HUGE // 10_000_000):
                        record.write(bytes(10_000_000))
            else:
                file.writestr(f"t/{name}", data)


class Zeros:
    """Becomes 400 MB when it is unpickled, and `weights_only` allows it."""

    def __reduce__(self) -> tuple[Any, ...]:
        return bytearray, (HUGE,)


def write_zeros(path: Path) -> None:
    packed = pickle.dumps({"net": Zeros()}, protocol=2).replace(b"c__builtin__", b"cbuiltins")
    write_records(path, {"data.pkl": packed, "byteorder": b"little", "version": b"3\n"})


READ = """
import resource, sys
from pathlib import Path
from anastylosis.errors import InvalidInput
from anastylosis.training.tensors import read_tensors
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for path in sys.argv[1:]:
    try:
        read_tensors(Path(path))
    except InvalidInput as error:
        print(error)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_what_unpacks_to_much_takes_no_memory(tmp_path: Path) -> None:
    packed, zeros = tmp_path / "packed.pt", tmp_path / "zeros.pt"
    write_packed(packed)
    write_zeros(zeros)
    assert max(path.stat().st_size for path in (packed, zeros)) < HUGE / 100
    done = subprocess.run([sys.executable, "-c", READ, packed, zeros], capture_output=True, text=True, timeout=100, check=True)
    first, second, grown = done.stdout.splitlines()
    assert first.startswith(f"{packed} unpacks to 400 MB; tensors are not compressed")
    assert second == f"{zeros} is not a file of tensors, or only a part of one: it calls builtins bytearray"
    assert int(grown) * 1024 < 100e6


def test_a_checkpoint_is_no_larger_than_its_net_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anastylosis.training.loop.CHECKPOINT_SLACK", 100_000)
    schedule = Schedule(epochs=1, learning_rate=0.1, learning_rate_floor=0.1, warm_up=0.0, weight_decay=0.0, seed=0)
    run: Run[Any] = Run(tmp_path, nn.Linear(2, 2), lambda net, batch: {}, schedule, {})
    write_tensors(tmp_path / CHECKPOINT, {"net": {"weight": torch.zeros(100_000)}, "identity": "{}", "history": ""})
    with pytest.raises(InvalidInput, match="is not a checkpoint of ours, or is damaged; delete"):
        run.resume()


def test_tensors_that_are_stretched_are_refused(tmp_path: Path) -> None:
    """They become large when the optimiser copies them."""
    torch.save({"net": torch.zeros(1, dtype=torch.int64).expand(1000, 1000)}, tmp_path / "t.pt")
    with pytest.raises(InvalidInput, match="larger than their data"):
        read_tensors(tmp_path / "t.pt")


def test_names_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_tensors(tmp_path / "t.pt", {str(number): torch.zeros(1) for number in range(100)})
    assert len(read_tensors(tmp_path / "t.pt")) == 100
    for name, reason in (("PICKLE_MAX", "has 0 MB of names"), ("DIRECTORY_MAX", "has too many parts")):
        monkeypatch.setattr(tensors, name, 1000)
        with pytest.raises(InvalidInput, match=reason):
            read_tensors(tmp_path / "t.pt")


@pytest.mark.parametrize("older", [False, True])
def test_weights_of_others_are_read(tmp_path: Path, older: bool) -> None:
    """As torchvision writes them: parameters in an ordered dictionary; before 2020 without ZIP."""
    state = OrderedDict(weight=nn.Parameter(torch.rand(300, 300)), count=torch.tensor(3))
    torch.save(state, tmp_path / "t.pth", _use_new_zipfile_serialization=not older)
    found = read_tensors(tmp_path / "t.pth")
    assert torch.equal(found["weight"], state["weight"])
    assert int(found["count"]) == 3


def test_an_older_file_that_tells_of_more_than_it_has(tmp_path: Path) -> None:
    torch.save({"weight": torch.zeros(123_457)}, tmp_path / "t.pth", _use_new_zipfile_serialization=False)
    data = (tmp_path / "t.pth").read_bytes()
    (tmp_path / "t.pth").write_bytes(data.replace((123_457).to_bytes(4, "little"), (2_000_000_000).to_bytes(4, "little")))
    with pytest.raises(InvalidInput, match="it tells of more than it has"):
        read_tensors(tmp_path / "t.pth")
