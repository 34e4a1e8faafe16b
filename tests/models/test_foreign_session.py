"""Models from elsewhere in a process of their own: same bits, and limits of memory and time that hold."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from io import FileIO
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from anastylosis.errors import InvalidInput
from anastylosis.models import foreign_message
from anastylosis.models.foreign_message import read_message, write_message
from anastylosis.models.foreign_session import ForeignLimits, ForeignProcess, ForeignSession
from anastylosis.models.onnx_model import open_session
from anastylosis.models.picture_model import PictureModel
from anastylosis.models.shipped import SHIPPED, SHIPPED_ASSIGNMENT, find_assigner, list_detector
from support.hostile_models import chain_functions, fill_memory, loop_forever, multiply_long, repeat_steps
from support.models import build_model, make_card, write_model

PICTURES = np.zeros((2, 32, 32), np.uint8)
GIVEN = {"picture": np.zeros((2, 1, 32, 32), np.float32), "friction": np.zeros((2, 3), np.float32)}


# Runs one of the hostile models, and prints why it was stopped, after how long, and the memory of its process at most.
ATTACK = """
import json, resource, sys, time
import numpy as np
from anastylosis.errors import InvalidInput
from anastylosis.models.foreign_session import ForeignLimits, ForeignProcess, ForeignSession
from support import hostile_models

model, reason, begin = getattr(hostile_models, sys.argv[1])().SerializeToString(), "answered", time.monotonic()
given = {"picture": np.zeros((2, 1, 32, 32), np.float32), "friction": np.zeros((2, 3), np.float32)}
try:
    ForeignSession(model, 1, ForeignProcess(ForeignLimits(seconds=1))).run(None, given)
except (InvalidInput, RuntimeError) as error:
    reason = str(error)
memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
print(json.dumps({"reason": reason, "seconds": time.monotonic() - begin, "memory": memory}))
"""


@pytest.fixture
def process() -> ForeignProcess:
    """A process with a second for each request."""
    return ForeignProcess(ForeignLimits(seconds=1))


def has_process(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


def test_bits_are_those_of_a_model_that_ships() -> None:
    rng, process = np.random.default_rng(0), ForeignProcess()
    for path in (SHIPPED, SHIPPED_ASSIGNMENT, find_assigner(), *list_detector()):
        data = path.read_bytes()
        here, there = open_session(data, 1, ships=True), open_session(data, 1, process=process)
        ends = [(each.name, each.type, list(each.shape)) for each in (*here.get_inputs(), *here.get_outputs())]
        assert ends == [tuple(each) for each in (*there.get_inputs(), *there.get_outputs())]
        given = {
            each.name: rng.random([2, *(side if isinstance(side, int) else 32 for side in each.shape[1:])], np.float32)
            for each in here.get_inputs()
        }
        for one, other in zip(here.run(None, given), there.run(None, given), strict=True):
            assert one.shape == other.shape
            assert one.tobytes() == other.tobytes()


def test_only_models_that_ship_are_opened_here(tmp_path: Path) -> None:
    write_model(tmp_path / "m.onnx")
    assert not isinstance(PictureModel.from_file(SHIPPED).session, ForeignSession)
    session = PictureModel.from_file(tmp_path / "m.onnx").session
    assert isinstance(session, ForeignSession)
    assert session.process.process.pid != os.getpid()


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (chain_functions, "its process died of SIGSEGV"),
        (loop_forever, "it takes more than 1 s, and was stopped"),
        (repeat_steps, r"it takes more than 1 s, and was stopped|[Ff]ailed to allocate|bad_alloc|too much memory|died of"),
        (fill_memory, "Failed to allocate memory"),
        (multiply_long, "it takes more than 1 s, and was stopped"),
    ],
)
def test_attacks_that_would_pass_the_check(project: Path, make: Callable[[], onnx.ModelProto], reason: str) -> None:
    """Each is opened without the check of its graph, and run."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(project / "src"), str(project / "tests")])}
    # Through a shell: a process begins with the largest memory of the one that starts it, and tests grow.
    words = ["sh", "-c", '"$@"; exit $?', "sh", sys.executable, "-c", ATTACK, make.__name__]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert re.search(reason, told["reason"])
    assert told["seconds"] < 20
    assert told["memory"] < 1.5e9


@pytest.mark.parametrize("early", [True, False])
def test_memory_that_ends_is_told_in_a_line(tmp_path: Path, early: bool) -> None:
    (tmp_path / "m.onnx").write_bytes(fill_memory(early=early).SerializeToString())
    with pytest.raises(InvalidInput, match=r"the model cannot be run: .*Failed to allocate memory|cannot open it") as refused:
        PictureModel.from_file(tmp_path / "m.onnx").run(PICTURES)
    assert "\n" not in str(refused.value)


def test_time_that_ends_is_told_in_a_line_each_time(tmp_path: Path, process: ForeignProcess) -> None:
    (tmp_path / "m.onnx").write_bytes(multiply_long().SerializeToString())
    model = PictureModel.from_file(tmp_path / "m.onnx", process=process)
    for _ in range(2):
        with pytest.raises(InvalidInput, match=r"^the model cannot be run: it takes more than 1 s, and was stopped$"):
            model.run(PICTURES)
    assert process.process.returncode is not None


def test_the_clock_ends_what_takes_no_time_of_the_processor(tmp_path: Path) -> None:
    """As where the system has no limits, or the process waits."""
    process = ForeignProcess(ForeignLimits(seconds=1, patience=2))
    write_model(tmp_path / "m.onnx")
    model = PictureModel.from_file(tmp_path / "m.onnx", process=process)
    os.kill(process.process.pid, signal.SIGSTOP)
    with pytest.raises(InvalidInput, match="it takes more than 1 s, and was stopped"):
        model.run(PICTURES)


def test_a_process_that_is_killed_is_told(tmp_path: Path, process: ForeignProcess) -> None:
    write_model(tmp_path / "m.onnx")
    model = PictureModel.from_file(tmp_path / "m.onnx", process=process)
    os.kill(process.process.pid, signal.SIGKILL)
    with pytest.raises(InvalidInput, match="the model cannot be run: its process died of SIGKILL"):
        model.run(PICTURES)


def test_a_process_ends_with_its_model(tmp_path: Path) -> None:
    write_model(tmp_path / "m.onnx")
    model = PictureModel.from_file(tmp_path / "m.onnx")
    number = model.session.process.process.pid
    assert has_process(number)
    del model
    wait_for(lambda: not has_process(number))  # the clock of its last request may hold it for a moment


def wait_for(condition: Callable[[], bool], seconds: float = 10.0) -> None:
    """Wait until a condition holds; fail when it does not in time."""
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.05)


def test_a_process_that_has_opened_another_file(process: ForeignProcess) -> None:
    data = build_model(make_card()).SerializeToString()
    first, second = ForeignSession(data, 1, process), ForeignSession(data, 1, process)
    assert len(second.run(None, GIVEN)) == len(second.get_outputs()) == 7
    with pytest.raises(RuntimeError, match="has opened another file since"):
        first.run(None, GIVEN)


def test_a_module_in_the_folder_of_the_user_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "numpy.py").write_text("import os; os._exit(7)")
    (tmp_path / "anastylosis.py").write_text("import os; os._exit(7)")
    monkeypatch.chdir(tmp_path)
    ForeignSession(build_model(make_card()).SerializeToString(), 1)


def test_limits_grow_with_what_is_given() -> None:
    limits = ForeignLimits()
    assert limits.find_memory(0, 0, 1) <= 1.2e9
    assert limits.find_memory(10, 0, 1) - limits.find_memory(0, 0, 1) == 80
    assert limits.find_memory(0, 10, 1) - limits.find_memory(0, 0, 1) == 320
    assert limits.find_seconds(0, 2) == 2 * limits.find_seconds(0, 1) == 20
    assert limits.find_seconds(10**7, 1) == 11


WAIT = """
import sys
from anastylosis.cli import main
from anastylosis.models import foreign_session
start = foreign_session.ForeignProcess.__init__
def tell(self, *words):
    start(self, *words)
    print(self.process.pid, flush=True)
foreign_session.ForeignProcess.__init__ = tell
sys.argv[:] = ["anastylosis", "predict", sys.argv[1], "--model", sys.argv[2]]
main()
"""


def test_ctrl_c_stops_it(tmp_path: Path, project: Path) -> None:
    (tmp_path / "m.onnx").write_bytes(multiply_long().SerializeToString())
    picture = project / "src" / "anastylosis" / "examples" / "debris.png"
    words = [sys.executable, "-c", WAIT, str(picture), str(tmp_path / "m.onnx")]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    assert process.stdout is not None
    number = int(process.stdout.readline())
    wait_for(lambda: measure_time(number) > 1.0, 30.0)  # it is at work, not at its start
    begin = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert time.monotonic() - begin < 10
    assert process.returncode == 130
    assert "Traceback" not in err
    assert not has_process(number)


def measure_time(number: int) -> float:
    """Return the processor time of a process [s]."""
    parts = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
    return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


def exchange(tmp_path: Path, data: bytes, most: int = 1000) -> tuple[dict[str, Any], list[Any]]:
    (tmp_path / "message").write_bytes(data)
    with FileIO(tmp_path / "message") as file:
        return read_message(file, most)


def test_messages_come_back(tmp_path: Path) -> None:
    arrays = [np.arange(6, dtype=np.float32).reshape(2, 3), np.zeros((0, 4), np.float32), np.arange(3, dtype=np.uint8)]
    with FileIO(tmp_path / "m", "w") as file:
        write_message(file, {"name": "é", "none": None}, arrays)
    words, found = exchange(tmp_path, (tmp_path / "m").read_bytes())
    assert words == {"name": "é", "none": None}
    for one, other in zip(arrays, found, strict=True):
        assert (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())


def wrap(text: bytes) -> bytes:
    return len(text).to_bytes(8, "little") + text


@pytest.mark.parametrize(
    "data",
    [
        (foreign_message.WORDS_MAX + 1).to_bytes(8, "little"),
        wrap(b"words"),
        wrap(b"[]"),
        wrap(b"{}"),
        wrap(b'{"words": 3, "arrays": []}'),
        wrap(b'{"words": {}, "arrays": [["f", [251]]]}') + bytes(1004),
        wrap(b'{"words": {}, "arrays": [["O", [1]]]}') + bytes(8),
        wrap(b'{"words": {}, "arrays": [["f", [-1, -1]]]}') + bytes(8),
        wrap(b'{"words": {}, "arrays": [["f", [1.0]]]}') + bytes(8),
        wrap(b'{"words": {}, "arrays": [["f", [[]]]]}') + bytes(8),
    ],
)
def test_answers_that_are_none(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(ValueError, match=r"its answer|Expecting value"):
        exchange(tmp_path, data)


def test_an_answer_that_is_cut(tmp_path: Path) -> None:
    with pytest.raises(EOFError):
        exchange(tmp_path, wrap(b'{"words": {}, "arrays": [["f", [2]]]}') + bytes(7))
