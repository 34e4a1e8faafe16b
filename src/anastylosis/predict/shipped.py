"""The model that ships: the preset `full`, from the training and validation splits of `benchmarks/learn`. Made by

anastylosis simulate learn --preset learn
anastylosis train learn --preset full --out picture_net.onnx
"""

from pathlib import Path

__all__ = ["SHIPPED"]

SHIPPED = Path(__file__).with_name("picture_net.onnx")
