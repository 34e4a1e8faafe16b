"""Sensor: blur and noise that a real camera adds after the lens. Exposure is the look's."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from anastylosis.errors import InvalidConfig


@dataclass(frozen=True, kw_only=True)
class Sensor:
    """Blur and noise, in this order."""

    seed: int  # of the noise
    blur: float = 0.0  # standard deviation [pixels]
    noise: float = 0.0  # standard deviation, of 0..1

    def __post_init__(self) -> None:
        if isinstance(self.seed, bool) or not isinstance(self.seed, int | np.integer) or self.seed < 0:
            raise InvalidConfig(f"seed is {self.seed!r}; it must be a whole number, 0 or more")
        if not 0 <= self.blur <= 20:
            raise InvalidConfig(f"blur is {self.blur}; it must be in 0..20 pixels")
        if not 0 <= self.noise <= 0.5:
            raise InvalidConfig(f"noise is {self.noise}; it must be in 0..0.5")


def apply_sensor(rgb: NDArray[np.uint8], sensor: Sensor) -> NDArray[np.uint8]:
    """Return the picture (H, W, 3) with blur and noise."""
    value = rgb.astype(np.float64)
    if sensor.blur > 0:
        value = gaussian_filter(value, (sensor.blur, sensor.blur, 0.0), mode="nearest")
    if sensor.noise > 0:
        value += 255 * sensor.noise * np.random.default_rng(sensor.seed).standard_normal(value.shape)
    return np.clip(np.rint(value), 0, 255).astype(np.uint8)
