"""Shipped models, trained on the training and validation splits of `benchmarks/learn`. `make model` makes them:

anastylosis simulate learn --preset learn --episodes 12000
anastylosis train picture learn --preset full --episodes 4770 --out picture_net.onnx
anastylosis train assign learn --out assignment_net.onnx

Those of the detector were trained in steps instead, as docs/decisions/0013-detection.md says; these would make them from nothing:

anastylosis train detector learn --net vote_net --out detector/vote_net.onnx
anastylosis train detector learn --net slot_classifier --out detector/slot_classifier.onnx
anastylosis train detector learn --net refiner --vote-net detector/vote_net.onnx --out detector/refiner.onnx
anastylosis train detector learn --net rescorer --models detector --out detector/rescorer.onnx
anastylosis train assign learn --preset seen --start assignment_net.onnx --models detector --out detector/assigner.onnx
"""

from pathlib import Path

SHIPPED = Path(__file__).with_name("picture_net.onnx")
SHIPPED_ASSIGNMENT = Path(__file__).with_name("assignment_net.onnx")
DETECTOR = Path(__file__).parent / "detector"
NETS = ("vote_net", "slot_classifier", "refiner", "rescorer")  # of the detector, in the order in which it opens them
ASSIGNER = "assigner.onnx"


def list_detector(folder: Path | None = None) -> tuple[Path, Path, Path, Path]:
    """List the nets of the detector in a folder, or of the one that ships: vote net, slot classifier, refiner, rescorer."""
    vote_net, slot_classifier, refiner, rescorer = ((folder or DETECTOR) / f"{name}.onnx" for name in NETS)
    return vote_net, slot_classifier, refiner, rescorer


def find_assigner(folder: Path | None = None, *, seen: bool = True) -> Path:
    """Find the assignment net for blocks that were detected in pictures (`seen`), or for measured ones.

    For detected blocks it is the net that knows how much the detector in a folder misses, or the one that ships.
    """
    if not seen:
        return SHIPPED_ASSIGNMENT
    own = (folder or DETECTOR) / ASSIGNER
    return own if own.is_file() else DETECTOR / ASSIGNER
