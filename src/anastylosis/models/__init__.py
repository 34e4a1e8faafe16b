"""Models: trained files, opened with care, and the picture net. Runs on onnxruntime alone."""

from typing import TYPE_CHECKING

from anastylosis.face import load_on_demand

if TYPE_CHECKING:
    from anastylosis.models.answers import SLOT_WORDS, Answers, find_coefficient
    from anastylosis.models.card import ASSIGNMENT, FORMAT, check_names, check_numbers, check_whole, read_card
    from anastylosis.models.filters import measure_orientation, orientation_by_chance, read_filters
    from anastylosis.models.image_file import FORMATS, check_sides, decoding, is_image, read_camera_text, read_rgb
    from anastylosis.models.onnx_model import OnnxModel, Shape, check_output, read_kind
    from anastylosis.models.picture_model import PictureCard, PictureModel
    from anastylosis.models.prediction import Estimate, Prediction
    from anastylosis.models.predictor import Predictor
    from anastylosis.models.shipped import SHIPPED, SHIPPED_ASSIGNMENT, choose_assigner, find_assigner, list_detector

__all__ = [
    "ASSIGNMENT",
    "FORMAT",
    "FORMATS",
    "SHIPPED",
    "SHIPPED_ASSIGNMENT",
    "SLOT_WORDS",
    "Answers",
    "Estimate",
    "OnnxModel",
    "PictureCard",
    "PictureModel",
    "Prediction",
    "Predictor",
    "Shape",
    "check_names",
    "check_numbers",
    "check_output",
    "check_sides",
    "check_whole",
    "choose_assigner",
    "decoding",
    "find_assigner",
    "find_coefficient",
    "is_image",
    "list_detector",
    "measure_orientation",
    "orientation_by_chance",
    "read_camera_text",
    "read_card",
    "read_filters",
    "read_kind",
    "read_rgb",
]

__getattr__, __dir__ = load_on_demand(__name__)
