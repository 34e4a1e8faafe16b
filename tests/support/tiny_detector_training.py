"""`anastylosis` with trainings of the eye that take seconds: few pictures, all else as it is. `torchrun` starts it."""

from dataclasses import replace

from anastylosis.cli import main
from anastylosis.training.detection.config import DETECTOR_PRESETS
from anastylosis.training.detection.scenes import SceneRecipe

if __name__ == "__main__":
    for preset, make in list(DETECTOR_PRESETS.items()):
        tiny = replace(make(), pictures=2, validation_pictures=2, scenes=SceneRecipe(antialias=(1,)))
        DETECTOR_PRESETS[preset] = lambda tiny=tiny: tiny
    main()
