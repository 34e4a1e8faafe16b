"""Forecast: the tab that says what is predicted, each number with its meaning in plain words."""

import math
import re
from dataclasses import replace
from html import escape

import numpy as np
from numpy.typing import NDArray

from anastylosis.models import Estimate
from anastylosis.reconstruction import Hypothesis
from anastylosis.rendering import Camera, Picture, frame_points, make_look, probability_colours, render_image
from anastylosis.report import PALETTE, BlockScene
from anastylosis.structure import BLOCKS_PER_COURSE
from anastylosis.translation import translate
from anastylosis.units import metres_to_millimetres
from anastylosis.web.findings import Finding, stays_up
from anastylosis.web.paint import css, keys
from anastylosis.web.pictures import embed, shrink
from anastylosis.web.words import Translator

SIDE = 420  # [pixels] of each of the two pictures
ROOM = 0.94  # of the picture's width and height that a tower may take
WIDEST = math.radians(150)  # that a camera can be
OPTION = re.compile(r" ?\(--[\w-]+\)")  # of the command line, which visitors of the page have not
CELLS = 24  # layers whose cells have numbers in them


def list_numbers(finding: Finding, words: Translator) -> str:
    """List every prediction as HTML: name, value, what it means."""
    found, answer = finding.found, finding.found.assignment
    prediction = finding.prediction
    unlike = f" <b>{words('torque_unlike', score=prediction.unlikeness)}</b>" if prediction.unlike else ""
    known = found.known_friction
    if known is None:
        friction = span(words, answer.friction, 2)
    else:
        friction = words("told_value", value=known.low) if known.low == known.high else words("told_range", **known._asdict())
    likely, chance = answer.courses_ranked[0]
    height = words(
        "layers_told" if answer.courses_given else "layers_inferred", layers=answer.courses, likely=likely, chance=chance
    )
    failure = words("failure_value", layer=answer.failure_course, chance=float(answer.failure[answer.failure_course]))
    imbalance = f"{metres_to_millimetres(found.imbalance):.0f} mm".replace("-", "−")
    lines = [
        ("count", span(words, answer.num_removed, 1)),
        ("imbalance", imbalance),
        ("torque", span(words, prediction.torque_risk, 1)),
        ("failure", failure),
        ("friction_said", friction),
        ("height", height),
    ]
    rows = "".join(
        f'<div style="margin-bottom:.6em"><div><span style="opacity:.65">{words(name)}</span> <b>{escape(value)}</b></div>'
        f'<div style="opacity:.75">{words(name + "_means")}{unlike if name == "torque" else ""}</div></div>'
        for name, value in lines
    )
    warnings = "".join(f"<li>{escape(translate(OPTION.sub('', each), words.language))}</li>" for each in found.warnings[:8])
    return rows + (
        f"<div><b>{words('warnings')}</b><ul style='margin:.2em 0 0 1em;padding:0'>{warnings}</ul></div>" if warnings else ""
    )


def span(words: Translator, estimate: Estimate, decimals: int) -> str:
    if estimate.counted:
        return words("counted", value=f"{estimate.value:g}")
    return words(
        "span", value=f"{estimate.value:.{decimals}f}", low=f"{estimate.low:.{decimals}f}", high=f"{estimate.high:.{decimals}f}"
    )


def draw_map(finding: Finding, words: Translator) -> str:
    """Draw a map of empty slots as HTML: one row a layer, the lowest at the bottom."""
    found = finding.found
    empty, stars = 1 - found.filled, set(found.emptiest.tolist())
    layers = len(empty) // BLOCKS_PER_COURSE
    rows = []
    for layer in reversed(range(layers)):
        cells = "".join(
            draw_cell(found.structure.ids[slot], float(empty[slot]), slot in stars)
            for slot in range(BLOCKS_PER_COURSE * layer, BLOCKS_PER_COURSE * layer + BLOCKS_PER_COURSE)
        )
        rows.append(f'<tr><td style="padding-right:.5em;text-align:right;opacity:.65">{layer}</td>{cells}</tr>')
    heads = "".join(f'<th style="font-weight:normal;opacity:.65">_{place}</th>' for place in range(BLOCKS_PER_COURSE))
    rows.append(f"<tr><td></td>{heads}</tr>")
    return (
        f"<div><b>{words('map')}</b></div><div style='opacity:.75'>{words('map_means')}</div>"
        f'<table style="border-spacing:2px;border-collapse:separate;font-size:.9em;line-height:1.25">{"".join(rows)}</table>'
    )


def draw_cell(name: str, chance: float, star: bool) -> str:
    colour = css(probability_colours(np.clip(chance, 0.0, 1.0), absent=True).tolist())
    ink = "#fff" if chance > PALETTE.dark_share else "#222"
    style = f"background:{colour};color:{ink};min-width:5em;text-align:center;padding:0 .4em"
    return f'<td title="{escape(name)}" style="{style}">{"★ " * star}{100 * chance:.0f} %</td>'


def draw_comparison(finding: Finding, rank: int, words: Translator) -> str:
    """Draw the given debris beside the debris of a proposal's simulated fall, from the same viewpoint, as HTML."""
    survey, photos = finding.found.survey, finding.found.photos
    given: Picture
    if photos:
        camera, given = photos[0].camera, photos[0].picture
    else:
        scene = BlockScene.from_survey(survey)
        camera = frame_points(scene.surround(turned=False), width=SIDE, height=SIDE, margin=0.06)
        given = draw(scene, camera)
    pictures = [(words("given_photo" if photos else "given_survey"), shrink(given, SIDE))]
    story = finding.find_story(rank)
    if story is not None:
        last = story.moments[-1].scene
        share = SIDE / max(camera.width, camera.height)
        if share < 1:
            camera = resize(camera, share)
        chosen = finding.choose(rank)
        if stays_up(chosen):  # it reaches higher than the debris that the camera was turned to
            camera = widen(camera, last.surround())
        pictures.append((words(name_story(chosen), rank=rank + 1), draw(last._replace(colours={}), camera)))
    cells = "".join(show_figure(name, picture) for name, picture in pictures)
    return f'<div style="display:flex;gap:.5em">{cells}</div>'


def draw_sight(finding: Finding, words: Translator) -> str:
    """Draw the detected blocks over the given picture, with a legend, as HTML; "" for a survey."""
    if finding.sight is None:
        return ""
    names = ("sight_stands", "sight_fell", "sight_unsure")
    colours = (PALETTE.outline_stands, PALETTE.outline_fell, PALETTE.outline_doubtful)
    legend = keys([(words(name), colour) for name, colour in zip(names, colours, strict=True)])
    return show_figure(words("sight"), finding.sight) + legend


def name_story(hypothesis: Hypothesis) -> str:
    """Return the key of the words about a proposal."""
    if hypothesis.trial is None:
        return "looks_alike"
    return "resimulated" if hypothesis.fell else "not_fallen"


def show_figure(name: str, picture: Picture) -> str:
    image = f'<img alt="{name}" style="width:100%" src="{embed(picture)}">'
    return f'<figure style="margin:0;flex:1">{image}<figcaption>{name}</figcaption></figure>'


def draw(scene: BlockScene, camera: Camera) -> Picture:
    image = render_image(
        scene.size,
        scene.position,
        scene.orientation,
        camera,
        make_look("wood", 0),
        present=scene.present,
        antialias=2,
        shadows="soft",
    )
    return image.rgb


def widen(camera: Camera, points: NDArray[np.float64]) -> Camera:
    """Widen the view until it holds these world points (N, 3); position and direction stay."""
    pixels, depth = camera.project(points)
    half = np.array([camera.width, camera.height]) / 2
    share = float((np.abs(pixels[depth > 0] - half) / half).max(initial=0.0)) / ROOM
    if share <= 1:
        return camera
    return replace(camera, field_of_view=min(2 * math.atan(share * math.tan(camera.field_of_view / 2)), WIDEST))


def resize(camera: Camera, share: float) -> Camera:
    return replace(camera, width=max(round(share * camera.width), 16), height=max(round(share * camera.height), 16))
