"""Pages of an evaluation of trained models: which heads are shown, under which names."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from anastylosis.report.score_page import ScorePage, Shown, write_page
from anastylosis.training import PICTURE_HEADS, PictureTest, SurveyTest
from anastylosis.validation import ScoreRow

SHOWN: Shown = {head.name: head.shown for head in PICTURE_HEADS}
KINDS = {  # of pictures that a net is asked whether it knows: those that it should know, near ones, far ones
    "plain": "plain, as `render --view model` draws them",
    "trained": "in the looks of the training",
    "mujoco": "plain, debris made by MuJoCo",
    "compressed": "plain, compressed as JPEG",
    "exposed": "plain, other brightness and contrast",
    "light": "other light, blocks, floor and sensor",
    "camera-near": "a camera a few degrees beside",
    "camera-any": "a camera anywhere",
    "camera-any-light": "a camera anywhere, other light",
    "blurred": "blurred by 1 to 2.5 % of the side",
    "cropped": "cropped to 40 to 75 % of each side",
    "tilted": "tilted by 15 to 40 degrees",
    "turned": "turned by quarters",
    "inverted": "light and dark swapped",
    "noise": "noise",
    "texture": "random textures",
    "gradient": "gradients",
    "flat": "one shade with a faint grain",
    "stripes": "stripes and squares",
    "text": "pages of text",
    "shapes": "scenes of random shapes",
    "chart": "charts",
    "figures": "figures of this documentation",
    "photographs": "photographs, whole and cropped",
}
UNLIKE: Shown = {"unlike": [(kind, words, 3, True) for kind, words in KINDS.items()]}
UNLIKE_TRIALS = {
    "unlike-known": "Pictures that it should know: share said to be unlike (false alarms)",
    "unlike-near": "Debris in other light or from elsewhere, and altered pictures: share said to be unlike",
    "unlike-far": "Pictures without debris: share said to be unlike",
}
TRIALS = {
    "test": "The test split",
    "test-low": "Friction level low",
    "test-nominal": "Friction level nominal",
    "test-high": "Friction level high",
    "test-untold": "Friction and height not told",
    "test-tall": "Taller towers: 30 layers",
    "test-slippery": "Friction 0.15",
    "test-rough": "Friction 0.80",
    "test-greedy": "Another player: greedy",
    "test-mujoco": "Debris made by MuJoCo",
    "test-light": "Other light, blocks, floor and sensor",
    "test-camera-near": "A camera a few degrees beside",
    "test-camera-any": "A camera anywhere, other light",
}


BLOCKS: Shown = {
    "placed": (
        ("top1", "fallen blocks, right slot", 3, True),
        ("top5", "right slot among the first five", 3, True),
        ("layer_error", "layers between first slot and truth", 2, False),
        ("complete", "right slot, best complete assignment", 3, True),
        ("standing", "blocks that still stand, right slot", 3, True),
        ("ece_fell", "calibration error, fallen blocks", 3, False),
        ("ece", "calibration error, all blocks", 3, False),
        ("ece_given", "calibration error, slots as given", 3, False),
        ("whole", "every block right, share of surveys", 3, True),
        ("foreign_found", "foreign blocks left out", 3, True),
        ("own_left_out", "own blocks left out", 3, False),
    ),
    "removed_locs": (*SHOWN["removed_locs"], ("whole_set", "every empty slot right, share of surveys", 3, True)),
    "num_removed": (("mae", "slots empty, mean error", 2, False), ("coverage", "in the range of nine in ten, share", 3, True)),
    "failure_layer": SHOWN["failure_layer"],
    "friction": (("mae", "friction, mean error", 3, False), ("coverage", "in the range of nine in ten, share", 3, True)),
    "courses": (("top1", "height from the blocks alone, share right", 3, True), ("mae", "the same, layers off", 2, False)),
    "direction": (("mae_degrees", "direction of the fall, mean error [degrees]", 1, False),),
    "doubt": (
        ("refused", "refused, share of surveys", 3, True),
        ("said", "refused or warned of in words that name it", 3, True),
        ("unchecked", "said that nothing confirms origin and heading", 3, True),
        ("right", "fallen blocks right, where an answer is given", 3, True),
        ("claimed", "as probable as the answer says", 3, True),
        ("silent_right", "fallen blocks right, where nothing of it is said", 3, True),
        ("silent_claimed", "as probable as the answer says there", 3, True),
        ("row_placed", "blocks of the row put into slots", 3, False),
    ),
}
SURVEYS = {
    "test-18": "18 layers, exact survey",
    "test-18-field": "18 layers, field survey: 5 mm, 5 degrees, 6 % hidden",
    "test-18-complete": "18 layers, exact survey, told that no block is missing",
    "test": "All heights, exact survey",
    "test-field": "All heights, field survey",
    "test-worst": "A bad survey: 15 mm, 15 degrees, 15 % hidden",
    "test-foreign": "Field survey with three foreign blocks",
    "test-told": "Exact survey, friction told",
    "test-shop": "Blocks of 75 x 25 x 15 mm",
    "test-mujoco-slippery": "Debris made by MuJoCo at friction below 0.30",
    **{
        f"test-hidden-{share}-{error}mm": f"{share} % of the blocks hidden, errors of {error} mm and {error} degrees"
        for share in (0, 6, 15, 30)
        for error in (0, 15)
    },
    "doubt-none": "No mistake, exact survey: false alarms",
    "doubt-none-field": "No mistake, field survey: false alarms",
    "doubt-heading-90": "Heading 90 degrees off",
    "doubt-heading-30": "Heading 30 degrees off",
    "doubt-origin-2m": "Origin 2.2 m off",
    "doubt-z-up": "Ground told 0.5 m too low",
    "doubt-z-down": "Ground told 0.2 m too high",
    "doubt-height-low": "Two thirds of the true height told",
    "doubt-height-high": "Four thirds of the true height told",
    "doubt-one-point": "Places in mm read as m",
    "doubt-friction": "Friction that may have been low: said of the test split",
    "doubt-slippery": "Friction that was low, another engine",
    "doubt-row": "Eight fallen blocks laid in a row beside the heap",
}
SEEN: Shown = {
    "standing": (("auc", "slots in which a block stands, AUC", 4, True),),
    "fallen": (
        ("recall", "fallen blocks that are found, share", 3, True),
        ("precision", "of those found, share that are there", 3, True),
        ("median_mm", "median error [mm]", 1, False),
        ("median_degrees", "median error [degrees]", 1, False),
        ("ece", "how far certainty and share right differ", 3, False),
        ("held", "of those right, places within 2.5 deviations (0.90 expected), share", 2, True),
    ),
    "removed_locs": (("auc", "slots that were empty before the fall, AUC", 3, True),),
    "num_removed": (
        ("mae", "how many, mean error", 2, False),
        ("in_sight", "the same of who counts exactly the blocks in sight", 2, False),
    ),
    "seconds": (("median", "pictures to survey, one thread [s]", 2, False),),
}
SIGHTS = {
    "test": "18 layers, one picture",
    "test-two": "18 layers, two pictures",
    "test-light": "One picture in other light, with other blocks, floor and sensor",
    "test-mujoco": "One picture of debris made by MuJoCo",
    "test-mujoco-same": "One picture of the same towers' debris as made here",
}
PICTURE_PAGE = ScorePage(
    title="How good the picture models are",
    about="**Bold**: better than every baseline (prior, neighbour, ridge) with intervals apart. *Italic*: no better than the "
    "prior, which knows friction and height and no picture, or not with intervals apart; where no model does better, the picture "
    "does not tell. What the numbers mean is told in [what the models learn](what-the-model-learns.md).",
    shown={**SHOWN, **UNLIKE},
    trials=TRIALS | UNLIKE_TRIALS,
    baselines=PictureTest.BASELINES,
)
UNLIKE_PAGE = ScorePage(
    title="How well a picture net knows what it does not know",
    about="The share of pictures that the net says are unlike any that it has learned from: their score of "
    "unlikeness is above 1. The limit comes from the validation split alone, where 99 in 100 pictures are below it. Other "
    "pictures of most of these kinds were looked at when the parts of the score were chosen. How it is made is told in "
    "[predict from a picture](../how-to/predict-from-a-picture.md#pictures-that-the-model-does-not-know).",
    shown=UNLIKE,
    trials=UNLIKE_TRIALS,
    baselines=(),
)
SURVEY_PAGE = ScorePage(
    title="How well fallen blocks are put back",
    about="**Bold**: better than every baseline with intervals apart. Baselines: *prior* counts how often each slot was empty; "
    "*nearest* puts each block into the nearest slot that is free; *rule* calls a slot empty if nothing is there now. All know "
    "the height; picture models see one picture of the same debris and know friction, too.",
    shown=BLOCKS,
    trials=SURVEYS | {name: TRIALS[name] for name in TRIALS if name not in SURVEYS},
    baselines=SurveyTest.BASELINES,
)


DETECTOR_PAGE = ScorePage(
    title="How well blocks are detected in pictures",
    about="One picture of 512 pixels of each scene, from any side, 25 to 45 degrees up, its camera known; two are a quarter turn "
    "apart. A fallen block counts if 30 of its pixels are seen, and is found if it is within 20 mm and 20 degrees. Empty slots "
    "and their number are what the assignment net says of the survey that comes out; it is told the height.",
    shown=SEEN,
    trials=SIGHTS,
    baselines=(),
)
PAGES = {"pictures": PICTURE_PAGE, "surveys": SURVEY_PAGE, "detector": DETECTOR_PAGE, "unlike": UNLIKE_PAGE}


def write_evaluation(
    path: Path,
    models: Literal["pictures", "surveys", "detector", "unlike"],
    rows: Sequence[ScoreRow],
    cards: Mapping[str, Any],
    command: Sequence[str],
) -> None:
    """Write the page of models of one kind. `cards`: of the models by name; `command`: the words that made the page."""
    write_page(path, PAGES[models], rows, cards, command)
