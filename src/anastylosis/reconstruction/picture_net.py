"""The paper's picture net, asked about surveyed blocks: they are drawn as its camera would see them."""

from dataclasses import asdict

from anastylosis.models import SHIPPED, Prediction, Predictor
from anastylosis.rendering import render_image, still_camera, wood_look
from anastylosis.survey import Survey

SIDE = 256  # [pixels] of the picture that the net is shown


def ask_picture_net(survey: Survey) -> Prediction:
    """Predict from a drawing of the heap. Imbalance and torque risk are the net's own; no other model tells them."""
    predictor = Predictor.from_file(SHIPPED)
    camera = still_camera(SIDE, **asdict(predictor.card.view))
    picture = render_image(survey.size, survey.position, survey.orientation, camera, wood_look(0), antialias=2, shadows="soft")
    return predictor.predict(picture.rgb)
