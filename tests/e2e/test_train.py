"""`anastylosis train` and `evaluate` as a user meets them: a model from debris, killed and gone on with, judged, and at work."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from PIL import Image

from anastylosis.dataset import Dataset
from anastylosis.dataset.examples import read_examples
from anastylosis.dataset.shots import DebrisPose, Recipe, draw_shot, plan_shot
from anastylosis.models.answers import name_slots
from anastylosis.models.picture_model import PictureModel
from anastylosis.training import loop
from anastylosis.training.picture.evaluation import BASELINES
from support.models import write_model

SMALL = "--preset fast --width 0.125 --size 32 --workers 1"
# On one core: a net of this size is fastest there, and sums have one order.
ONE_CORE = "from anastylosis.training import loop; loop.count_cores = lambda: 1; from anastylosis.cli import main; main()"

NO_TORCH = """
import sys
from importlib.machinery import PathFinder

class Blind(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] == "torch" else super().find_spec(name, path, target)

sys.meta_path[sys.meta_path.index(PathFinder)] = Blind
"""


@pytest.fixture
def train(call_main, capsys, monkeypatch, debris: Path):
    """`anastylosis train DEBRIS ...`; gives the exit code, stdout and stderr."""
    monkeypatch.setattr("anastylosis.training.loop.count_cores", lambda: 1)

    def call(words: str) -> tuple[int, str, str]:
        code = call_main(f"train picture {debris} {words}")
        return code, *capsys.readouterr()

    return call


@pytest.fixture(scope="module")
def model(debris: Path, tmp_path_factory) -> Path:
    """A model of one epoch, and its picture at work."""
    from anastylosis.training.picture.config import fast_config
    from anastylosis.training.picture.job import PictureJob
    from anastylosis.training.picture.train import train_picture_net

    path = tmp_path_factory.mktemp("model") / "m.onnx"
    config = fast_config().change(width=0.125, size=32, epochs=1)
    job = PictureJob.open(Dataset(debris), config.pictures, 1, workers=1, progress=lambda *_: None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop, "count_cores", lambda: 1)
        list(train_picture_net(config, job, path))
    return path


def test_a_model_is_trained_and_told_about(train, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "m.onnx"
    code, text, err = train(f"--out {out} {SMALL} --epochs 2 --json")
    assert code == 0, err
    document = json.loads(text)
    assert (document["model"], document["kind"], document["preset"]) == (str(out), "picture_net", "fast")
    assert document["dataset"]["episodes"] == {"train": 12, "val": 8}
    assert "num_removed.mae" in document["metrics"]
    assert err.count("epoch 1 of 2: loss ") == err.count("epoch 2 of 2: loss ") == 1
    assert sorted(path.name for path in out.with_suffix(".run").iterdir()) == ["best.pt", "checkpoint.pt", "metrics.jsonl"]
    code, text, err = train(f"--out {out} {SMALL} --epochs 2")  # it is finished, and says so again
    assert (code, "going on after epoch 2" in err, "epoch 1 of 2" in err) == (0, True, False)
    assert "12 collapses to train on, 8 to validate and calibrate" in err
    assert text.startswith("num_removed.mae\t")


def read_weights(path: Path) -> dict[str, bytes]:
    model = onnx.load(str(path))
    return {tensor.name: numpy_helper.to_array(tensor).tobytes() for tensor in model.graph.initializer}


def test_kill_in_the_middle_and_the_same_command_goes_on(train, debris: Path, tmp_path: Path) -> None:
    words = f"{SMALL} --epochs 10"
    assert train(f"--out {tmp_path}/whole.onnx {words}")[0] == 0
    command = [sys.executable, "-c", ONE_CORE, "train", "picture", str(debris), "--out", f"{tmp_path}/cut.onnx", *words.split()]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    for line in process.stderr:
        if line.startswith("epoch 2 of 10"):
            os.kill(process.pid, signal.SIGKILL)
            break
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert not (tmp_path / "cut.onnx").exists()
    done = len((tmp_path / "cut.run" / "metrics.jsonl").read_text().splitlines())
    assert 2 <= done < 10
    code, _, err = train(f"--out {tmp_path}/cut.onnx {words}")
    assert code == 0
    assert f"going on after epoch {done}" in err
    assert "epoch 1 of 10" not in err
    assert read_weights(tmp_path / "cut.onnx") == read_weights(tmp_path / "whole.onnx")
    assert PictureModel.from_file(tmp_path / "cut.onnx").card == PictureModel.from_file(tmp_path / "whole.onnx").card
    assert (tmp_path / "cut.onnx").read_bytes() == (tmp_path / "whole.onnx").read_bytes()  # no time of day, no duration
    assert list(tmp_path.glob("**/*.part")) == []


def test_another_training_is_not_gone_on_with(train, model: Path, tmp_path: Path) -> None:
    shutil.copytree(model.parent, tmp_path, dirs_exist_ok=True)
    before = (tmp_path / "m.onnx").read_bytes()
    for other, what in (("--epochs 2", "epochs 1 there, 2 here"), ("--epochs 1 --seed 1", "seed 0 there, 1 here")):
        code, out, err = train(f"--out {tmp_path}/m.onnx {SMALL} {other}")
        assert (code, out) == (2, "")
        assert f"{tmp_path}/m.run holds another training ({what}); delete it, or name another file with --out" in err
        assert "going on" not in err
    assert (tmp_path / "m.onnx").read_bytes() == before


def test_a_checkpoint_of_others_ends_in_one_line(train, tmp_path: Path) -> None:
    (tmp_path / "m.run").mkdir()
    (tmp_path / "m.run" / "checkpoint.pt").write_bytes(b"words")
    code, out, err = train(f"--out {tmp_path}/m.onnx {SMALL} --epochs 1")
    assert (code, out) == (2, "")
    assert "checkpoint.pt is not a checkpoint of ours" in err.splitlines()[-1]
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--out m.pt", "--out is m.pt; a model is a file that ends in .onnx"),
        ("--out m.onnx --width 9", "width is 9.0; it must be in 0.05..2"),
        ("--out m.onnx --size 7", "size is 7"),
        ("--out m.onnx --preset huge", "--preset is 'huge'; give "),
        ("--out m.onnx --epochs 0", "--epochs is '0'; give a whole number, 1 or more"),
        (f"--out m.onnx {SMALL} --imagenet nowhere.pth", "there is no file nowhere.pth"),
        ("--out m.onnx --preset ridge --rate 0.1", "--rate, --imagenet and --tensorboard are for nets"),
        ("--out m.onnx --rate 2", "--rate is '2'"),
    ],
)
def test_wrong_words(train, tmp_path: Path, monkeypatch, words: str, message: str) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = train(words)
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err
    assert not list(tmp_path.glob("*.onnx"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("assign D --out m.onnx --preset seen --start none.onnx", "there is no model none.onnx"),
        ("assign D --out m.onnx --preset seen", "name it with --start"),
        ("assign D --out m.onnx --start m.onnx", "--preset assign starts from random weights"),
        ("assign D --out m.onnx --preset direct --models .", "--start and --models are for --preset seen"),
        ("detector D --out m.onnx --net refiner --models .", "--models is for --net rescorer alone"),
        ("detector D --out m.onnx --net rescorer --models nowhere", "there is no model nowhere/vote_net.onnx"),
        ("detector D --out m.onnx --net rescorer --vote-net f.onnx", "--vote-net is for --net refiner alone"),
        ("detector D --out m.onnx --net slot_classifier --start none.onnx", "there is no model none.onnx"),
        ("detector D --out m.onnx", "--net"),
    ],
)
def test_wrong_words_of_other_nets(
    call_main, capsys, debris: Path, tmp_path: Path, monkeypatch, words: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert call_main(f"train {words.replace(' D ', f' {debris} ')}") == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert "Traceback" not in err
    assert not list(tmp_path.glob("*.onnx"))


def test_ctrl_c_while_pictures_are_drawn(train, monkeypatch, tmp_path: Path) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("anastylosis.training.picture.job.draw_pictures", interrupt)
    code, out, err = train(f"--out {tmp_path}/m.onnx {SMALL} --epochs 1")
    assert (code, out) == (130, "")
    assert "stopped while pictures were drawn; the same command goes on\n" in err


def test_scores_without_information_are_reported(train, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr("anastylosis.training.picture.ridge.fit_logits", lambda *_: (0.0, -2.0))
    words = "--preset ridge --size 32 --workers 1 --json"
    code, _, err = train(f"--out {tmp_path}/m.onnx {words}")
    assert (code, PictureModel.from_file(tmp_path / "m.onnx").card.calibration.slope) == (0, 0)
    assert f"{tmp_path}/m.onnx: calibration found that its scores carry no information about which slots were empty" in err
    monkeypatch.undo()
    assert "no information" not in train(f"--out {tmp_path}/m.onnx {words}")[2]


def test_a_folder_that_is_no_dataset(call_main, capsys, tmp_path: Path) -> None:
    assert call_main(f"train picture {tmp_path} --out {tmp_path}/m.onnx") == 2
    assert "Traceback" not in capsys.readouterr().err


@pytest.fixture
def train_in_python(debris: Path, tmp_path: Path):
    """`anastylosis train DEBRIS --out m.onnx ...` in a Python that begins with some code."""

    def call(begin: str, words: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "sitecustomize.py").write_text(begin)
        paths = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
        code = "from anastylosis.cli import main; main()"
        return subprocess.run(
            [sys.executable, "-c", code, "train", "picture", str(debris), "--out", f"{tmp_path}/m.onnx", *words.split()],
            capture_output=True, text=True, timeout=600, env=os.environ | {"PYTHONPATH": paths},
        )  # fmt: skip

    return call


def test_without_pytorch_it_is_ridge_regression_and_no_other_model_is_overwritten(train_in_python, tmp_path: Path) -> None:
    """In a Python that cannot find a module of that name."""
    out = tmp_path / "m.onnx"
    for write, what in (
        (lambda: write_model(out), "picture_net, preset of-tests"),
        (lambda: out.write_text("x"), "something else"),
    ):
        write()
        before = out.read_bytes()
        done = train_in_python(NO_TORCH, f"{SMALL} --epochs 1")
        assert (done.returncode, done.stdout) == (2, "")
        assert f"would be ridge regression, and {out} holds {what}, which is not overwritten; name another file" in done.stderr
        assert done.stderr.count("\n") == 1
        assert out.read_bytes() == before
    asked = train_in_python(NO_TORCH, "--preset ridge --size 32 --workers 1 --json")
    assert (asked.returncode, json.loads(asked.stdout)["kind"]) == (0, "ridge")
    done = train_in_python(NO_TORCH, f"{SMALL} --epochs 1 --json")  # over the same kind
    assert done.returncode == 0, done.stderr
    assert "PyTorch is not installed, so this is ridge regression; for nets run: " in done.stderr
    assert json.loads(done.stdout)["kind"] == "ridge"
    assert PictureModel.from_file(out).card.size == 32


def test_a_pytorch_that_does_not_work_is_found_out_at_once(train_in_python, tmp_path: Path) -> None:
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("raise OSError('libtorch_cpu.so: cannot open shared object file')")
    done = train_in_python("", f"{SMALL} --epochs 1")
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("anastylosis: PyTorch is installed, but cannot be imported (OSError: libtorch_cpu.so: cannot open")
    assert line.endswith("`train picture --preset ridge`, which needs none")


def test_from_debris_to_a_prediction(call_main, capsys, model: Path, debris: Path, tmp_path: Path) -> None:
    test = read_examples(Dataset(debris)).of("test")
    scene = DebrisPose(test.size[0], test.stood[0], test.lies[0])
    Image.fromarray(draw_shot(scene, plan_shot(Recipe(size=64), int(test.seed[0]), 0))).save(tmp_path / "debris.png")
    height = int(test.layers[0])
    assert call_main(f"predict {tmp_path}/debris.png --model {model} --friction low --layers {height} --json") == 0
    document = json.loads(capsys.readouterr().out)
    assert list(document["removed_locs"]) == name_slots(height)
    assert all(0 <= chance <= 1 for chance in document["removed_locs"].values())
    assert document["num_removed_low"] <= document["num_removed"] <= document["num_removed_high"]
    assert (document["model"], document["answered_by"], document["warnings"]) == ("fast", "model", [])


def test_models_are_judged(call_main, capsys, model: Path, debris: Path, tmp_path: Path) -> None:
    page, other = tmp_path / "PAGE.md", tmp_path / "other.onnx"
    other.write_bytes(model.read_bytes())
    assert call_main(f"evaluate {model} {debris} --quick --json --workers 1 --with {other} --out {page}") == 0
    out, err = capsys.readouterr()
    rows = json.loads(out)["rows"]
    assert all(set(row) == {"split", "head", "metric", "model", "value", "low", "high", "count"} for row in rows)
    assert list(dict.fromkeys(row["model"] for row in rows)) == [*BASELINES, "fast", "other"]
    strange = {"unlike-known", "unlike-near", "unlike-far"}  # which of other pictures the models say they do not know
    assert {row["split"] for row in rows} == {"test", "test-low", "test-nominal", "test-high", *strange}
    assert all(row["value"] is None or np.isfinite(row["value"]) for row in rows)
    values = {name: [row["value"] for row in rows if row["model"] == name] for name in ("fast", "other", "ridge")}
    assert values["fast"] == values["other"] != values["ridge"]
    assert f"{page} is written" in err
    text = page.read_text()
    assert "| | prior | neighbour | ridge | fast | other |" in text
    assert text.count("\n## ") == 7
    assert "| empty slots, AUC | " in text
    assert "evaluate m.onnx debris --with other.onnx --quick --out PAGE.md" in text


@pytest.mark.parametrize(
    ("words", "message"),
    [("nowhere.onnx {}", "there is no model nowhere.onnx"), ("{} --debris {}/manifest.json", "manifest.json")],
)
def test_what_cannot_be_judged(call_main, capsys, model: Path, debris: Path, words: str, message: str) -> None:
    line = words.format(debris) if "nowhere" in words else f"{model} {words.format(debris, debris)}"
    assert call_main(f"evaluate {line}") == 2
    err = capsys.readouterr().err
    assert message in err
    assert "Traceback" not in err
