"""The models that ship, from the training and validation splits of `benchmarks/learn`. Made by `make model`:

anastylosis simulate learn --preset learn --episodes 12000
anastylosis train learn --preset full --episodes 4770 --out picture_net.onnx
anastylosis train learn --preset assign --out assignment_net.onnx
"""

from pathlib import Path

__all__ = ["SHIPPED", "SHIPPED_ASSIGNMENT"]

SHIPPED = Path(__file__).with_name("picture_net.onnx")
SHIPPED_ASSIGNMENT = Path(__file__).with_name("assignment_net.onnx")
