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

# SHA-256 of each file that ships: these are opened without checks, in this process (docs/decisions/0020-foreign-models.md).
HASHES = frozenset(
    {
        "da9702017a6076ffd932277f5c92ff93cde8bc394102e3949a74a89cdd0c23f2",  # assignment_net.onnx
        "4bc68712fe186e59c76c67b4e138fbdc278160e9f410b8ed07b4b37c7fde13bf",  # detector/assigner.onnx
        "52d9d887abec70f935d7d723922aaba4b0c153c37c21f1b71002dc365e012ef8",  # detector/refiner.onnx
        "81556dceb7bd229d7a991f68e0c3258fb4bc6e2c678638e8cdcbac13f9cb342f",  # detector/rescorer.onnx
        "1bd2ba24c1b8ae8415e1c0342ec61a320170669386ed6cf337732c397c0f2b85",  # detector/slot_classifier.onnx
        "86c8f60a9239d26ca1c5556c9539c246cb885363fd6f0cbacc4cd05f6c1ee130",  # detector/vote_net.onnx
        "fc4ce49152640edba28ccc921370bd865cbed13144a46284a7529710cf692fa7",  # picture_net.onnx
    }
)


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
