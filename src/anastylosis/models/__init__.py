"""Models: trained files, opened with care, and the picture net. Runs on onnxruntime alone."""

from typing import TYPE_CHECKING

from anastylosis.face import load_on_demand

if TYPE_CHECKING:
    from anastylosis.models.answers import SLOT_WORDS, Answers, find_coefficient
    from anastylosis.models.card import ModelCard
    from anastylosis.models.filters import measure_filters
    from anastylosis.models.image_file import (
        FORMATS,
        check_sides,
        decoding,
        is_image,
        read_camera_text,
        read_exif_numbers,
        read_rgb,
    )
    from anastylosis.models.onnx_model import OnnxModel
    from anastylosis.models.picture_model import PictureModel
    from anastylosis.models.predictor import Estimate, Prediction, Predictor
    from anastylosis.models.shipped import find_assigner, list_detector

__all__ = [
    "FORMATS",
    "SLOT_WORDS",
    "Answers",
    "Estimate",
    "ModelCard",
    "OnnxModel",
    "PictureModel",
    "Prediction",
    "Predictor",
    "check_sides",
    "decoding",
    "find_assigner",
    "find_coefficient",
    "is_image",
    "list_detector",
    "measure_filters",
    "read_camera_text",
    "read_exif_numbers",
    "read_rgb",
]

__getattr__, __dir__ = load_on_demand(__name__)
