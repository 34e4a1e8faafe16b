"""`anastylosis predict` as a user meets it: words, numbers, streams, mistakes."""

import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import anastylosis
from anastylosis.models import Predictor
from anastylosis.models.answers import HEADS, name_slots
from anastylosis.survey import read_survey
from support.models import make_card, write_model

EXAMPLE = Path(anastylosis.__file__).parent / "examples" / "survey.csv"
HEAVY = ("torch", "sklearn", "matplotlib", "pyarrow", "numba", "scipy", "onnx")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch) -> Path:
    """Where the user is: a model, pictures, and files that are neither."""
    monkeypatch.chdir(tmp_path)
    write_model(tmp_path / "m.onnx", pull=(1.0, 2.0, 3.0))
    noise = np.random.default_rng(0).integers(0, 256, (64, 64, 3), dtype=np.uint8)
    Image.fromarray(noise).save("debris.png")
    Image.fromarray(noise[:48]).save("wide.jpg")
    Image.new("L", (64, 64), 255).save("blank.png")
    Path("words.png").write_text("not a picture")
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_json_is_alone_on_stdout_and_nothing_heavy_is_loaded() -> None:
    code = f"""
import atexit, sys
atexit.register(lambda: print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr))
from anastylosis.cli import main
main()
"""
    words = ("predict", "debris.png", "--model", "m.onnx", "--friction", "0.33", "--json")
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr.strip()) == (0, "[]")
    document = json.loads(done.stdout)
    assert document["image"] == "debris.png"
    assert document["num_removed"] == 6.0  # 4, and 2 for nominal friction
    assert (document["num_removed_low"], document["num_removed_high"]) == (3.5, 8.5)
    assert list(document["removed_locs"]) == name_slots(6)
    assert document["imbalance_mm"] == pytest.approx(-6.0)
    assert document["friction"].keys() == {"low", "nominal", "high"}
    assert (document["friction_given"], document["warnings"]) == ("nominal", [])
    assert (document["layers"], document["layers_given"]) == (6, None)


@pytest.mark.usefixtures("folder")
def test_people_read_a_block_a_picture(call_main, capsys) -> None:
    assert call_main("predict debris.png wide.jpg --model m.onnx --layers 5") == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert lines[:8] == [
        "debris.png",
        "  height        5 layers, told",
        "  blocks gone   4.0 (1.5 to 6.5)",
        "  most likely   L04_2 79%, L04_1 74%, L04_0 69%, L03_2 63%, L03_1 58%, L03_0 53%",
        "  imbalance     -6.0 mm (-10.0 to -2.0)",
        "  torque risk   1.0 (0.0 to 2.5) moves",
        "  gave way      layer 4 (33%)",
        "  friction      high 50%, nominal 33%, low 17%",
    ]
    assert lines[8:] == ["wide.jpg", *lines[1:8]]
    assert err.splitlines() == ["wide.jpg: it has 64 x 48 pixels; models look at squares, so bands of grey were added to it"]


@pytest.mark.usefixtures("folder")
def test_a_height_that_was_not_told_is_said_to_be_unknown(call_main, capsys) -> None:
    assert call_main("predict debris.png --model m.onnx") == 0
    assert capsys.readouterr().out.splitlines()[1] == "  height        not told, so any up to 6 layers; --layers N tells it"


def test_the_friction_that_was_told_stands_beside_the_picture_s(folder: Path, call_main, capsys) -> None:
    assert call_main("predict debris.png --model m.onnx --friction 0.3") == 0
    assert capsys.readouterr().out.splitlines()[-1] == "  friction      high 50%, nominal 33%, low 17%; told: low"
    write_model(folder / "m.onnx", heads=HEADS[:4])
    assert call_main("predict debris.png --model m.onnx --friction high") == 0
    assert capsys.readouterr().out.splitlines()[-1] == "  friction      told: high"


@pytest.mark.usefixtures("folder")
def test_a_blank_picture_is_answered_with_a_warning(call_main, capsys) -> None:
    assert call_main("predict blank.png --model m.onnx --json") == 0
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert (document["answered_by"], document["num_removed_low"], document["num_removed_high"]) == ("prior", 1.0, 12.0)
    assert err == f"blank.png: {document['warnings'][0]}\n"


@pytest.mark.usefixtures("folder")
def test_one_bad_picture_among_others_is_named(call_main, capsys) -> None:
    assert call_main("predict words.png debris.png nowhere.png --model m.onnx --json") == 2
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert [each["image"] for each in document["predictions"]] == ["debris.png"]
    assert [each["image"] for each in document["failed"]] == ["words.png", "nowhere.png"]
    assert err.splitlines() == [f"anastylosis: {each['problem']}" for each in document["failed"]]
    assert call_main("predict words.png debris.png --model m.onnx") == 2
    assert capsys.readouterr().out.startswith("debris.png\n")


def test_a_model_without_the_further_heads(folder: Path, call_main, capsys) -> None:
    write_model(folder / "m.onnx", heads=HEADS[:4])
    assert call_main("predict debris.png --model m.onnx") == 0
    out = capsys.readouterr().out
    assert "blocks gone" in out
    assert "gave way" not in out
    assert "friction" not in out


@pytest.mark.usefixtures("folder")
def test_the_model_that_ships_answers(call_main, capsys) -> None:
    """It knows its card, towers of up to 24 layers, and one picture of 192 pixels a side."""
    assert call_main("predict debris.png --layers 18 --json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["model"] == "full"
    assert list(document["removed_locs"])[-1] == "L17_2"


@pytest.fixture
def known(folder: Path) -> Path:
    """Fallen blocks of the example, drawn as `render --view model` draws them."""
    from anastylosis.rendering import make_look, render_image, still_camera, write_png

    heap, view = read_survey(EXAMPLE), Predictor.from_file().card.view
    look, camera = make_look("wood", 0), still_camera(192, **asdict(view))
    write_png(folder / "known.png", render_image(heap.size, heap.position, heap.orientation, camera, look, antialias=2).rgb)
    return folder / "known.png"


@pytest.fixture
def ordinary(folder: Path, project: Path) -> Path:
    """A JPEG as people have them: a figure of the documentation, in colour, neither square nor small."""
    with Image.open(project / "docs/explanation/learned-heatmap.png") as figure:
        figure.convert("RGB").save(folder / "ordinary.jpg")
    return folder / "ordinary.jpg"


@pytest.mark.usefixtures("ordinary")
def test_an_ordinary_picture_is_said_to_be_unknown_before_the_numbers(call_main, capsys) -> None:
    assert call_main("predict ordinary.jpg --layers 18") == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert lines[0] == "ordinary.jpg"
    assert lines[1].startswith("  UNKNOWN: this picture is unlike any that the net has learned from (score ")
    assert " ".join(out.split()).index("do not trust what follows") < " ".join(out.split()).index("blocks gone")
    assert lines[-1].startswith("  friction ")
    assert "unlike any" not in err  # said once
    assert call_main("predict ordinary.jpg --json") == 0
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert document["unlike"] is True
    assert document["unlikeness"] > 1
    assert document["warnings"][0].startswith("this picture is unlike any")
    assert f"ordinary.jpg: {document['warnings'][0]}" in err.splitlines()


@pytest.mark.usefixtures("known")
def test_a_known_picture_is_not_said_to_be_unknown(call_main, capsys) -> None:
    Image.open("known.png").convert("RGB").save("known.jpg", quality=80)
    for name in ("known.png", "known.jpg"):
        assert call_main(f"predict {name}") == 0
        out, err = capsys.readouterr()
        assert out.splitlines()[1].startswith("  height ")
        assert "unlike" not in out + err
        assert call_main(f"predict {name} --json") == 0
        document = json.loads(capsys.readouterr().out)
        assert document["unlike"] is False
        assert 0 < document["unlikeness"] <= 1


def test_the_front_door_says_it_too(ordinary: Path, known: Path) -> None:
    strange, familiar = anastylosis.predict(ordinary), anastylosis.predict(known)
    assert (strange.unlike, familiar.unlike) == (True, False)
    assert "unlike any" in repr(strange)
    assert familiar.warnings == ()


def test_a_net_without_the_score_says_that_it_cannot_tell(folder: Path, call_main, capsys) -> None:
    write_model(folder / "m.onnx", card=make_card(unlikeness=None))
    assert call_main("predict debris.png --model m.onnx") == 0
    out, err = capsys.readouterr()
    assert "debris.png: this net has no score of unlikeness, so it cannot tell whether it knows" in err
    assert "UNKNOWN" not in out


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("debris.png --model nowhere.onnx", "there is no model nowhere.onnx"),
        ("debris.png --model debris.png", "not an ONNX file"),
        ("debris.png --model .", "is a folder"),
        ("words.png --model m.onnx", "words.png is not a picture"),
        ("nowhere.png --model m.onnx --json", "there is no picture nowhere.png"),
        (". --model m.onnx", "is a folder"),
        ("debris.png --model m.onnx --friction wet", "choose one of low, nominal, high, unknown"),
        ("debris.png --model m.onnx --layers 0", "layers is 0"),
        ("debris.png --model m.onnx --layers 2", "layers is 2; a tower has a whole number of them, 3 to 1000"),
    ],
)
def test_mistakes_are_one_line(call_main, capsys, words: str, message: str) -> None:
    assert call_main(f"predict {words}") == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("anastylosis: ")
    assert err.count("\n") == 1
    assert message in err


@pytest.mark.usefixtures("folder")
def test_no_picture_is_wrong_words(call_main, capsys) -> None:
    assert call_main("predict --model m.onnx") == 2
    assert "IMAGE" in capsys.readouterr().err
