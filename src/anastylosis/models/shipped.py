"""The models that ship, from the training and validation splits of `benchmarks/learn`. Made by `make model`:

anastylosis simulate learn --preset learn --episodes 12000
anastylosis train learn --preset full --episodes 4770 --out picture_net.onnx
anastylosis train learn --preset assign --out assignment_net.onnx
Those of the eye were trained in steps instead, as docs/decisions/0013-the-eye.md says; these would make them from nothing:

anastylosis train learn --preset finder --out eye/finder.onnx
anastylosis train learn --preset reader --out eye/reader.onnx
anastylosis train learn --preset judge --finder eye/finder.onnx --out eye/judge.onnx
anastylosis train learn --preset jury --models eye --out eye/jury.onnx
anastylosis train learn --preset seen --start assignment_net.onnx --models eye --out eye/assigner.onnx
"""

from pathlib import Path

from anastylosis.survey import Survey

__all__ = ["SHIPPED", "SHIPPED_ASSIGNMENT", "choose_assigner", "find_assigner", "list_eye"]

SHIPPED = Path(__file__).with_name("picture_net.onnx")
SHIPPED_ASSIGNMENT = Path(__file__).with_name("assignment_net.onnx")
EYE = Path(__file__).parent / "eye"
NETS = ("finder", "reader", "judge", "jury")  # of the eye, in the order in which it is opened
ASSIGNER = "assigner.onnx"


def list_eye(folder: Path | None = None) -> tuple[Path, Path, Path, Path]:
    """The nets of the eye in a folder: finder, reader, judge, jury; those that ship."""
    finder, reader, judge, jury = ((folder or EYE) / f"{kind}.onnx" for kind in NETS)
    return finder, reader, judge, jury


def choose_assigner(survey: Survey, folder: Path | None = None) -> Path:
    """The assignment net for a survey: another one for what the eye has found, as `find_assigner`, than for what was measured."""
    return find_assigner(folder) if survey.seen else SHIPPED_ASSIGNMENT


def find_assigner(folder: Path | None = None) -> Path:
    """The assignment net that knows how much the eye in a folder misses, if there is one; that of the eye that ships."""
    own = (folder or EYE) / ASSIGNER
    return own if own.is_file() else EYE / ASSIGNER
