"""Faults of a camera, applied to the light of a picture: focus, motion, vignette, white balance, JPEG."""

import io
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image as PillowImage
from scipy.ndimage import convolve, gaussian_filter

from anastylosis.arrays import Singles
from anastylosis.errors import InvalidConfig
from anastylosis.rendering.sensor import Sensor, apply_sensor

RINGS = 3  # blurs between which the focus is mixed


@dataclass(frozen=True, kw_only=True)
class Exposure:
    """Settings of taking a picture. Lengths in pixels are of the finished picture."""

    stops: float = 0.0  # +1 is twice the light
    balance: tuple[float, float, float] = (1.0, 1.0, 1.0)  # factors of red, green, blue
    contrast: float = 1.0  # power of what is brighter or darker than the middle
    vignette: float = 0.0  # share of the light that the corners lose
    focus: float = 0.0  # [m] where the picture is sharp; 0: everywhere
    aperture: float = 0.0  # [pixels] blur at half and at infinitely far of that
    motion: tuple[float, float] = (0.0, 0.0)  # [pixels] by which the camera moved, right and down
    sensor: Sensor | None = None
    quality: int = 0  # of a JPEG, 1..95; 0: none

    def __post_init__(self) -> None:
        limits = (
            ("stops", -5, 5),
            ("contrast", 0.2, 5),
            ("vignette", 0, 1),
            ("focus", 0, 1e4),
            ("aperture", 0, 20),
            ("quality", 0, 95),
        )
        for name, low, high in limits:
            if not low <= getattr(self, name) <= high:
                raise InvalidConfig(f"{name} is {getattr(self, name)}; it must be in {low}..{high}")
        if max(map(abs, self.motion)) > 30:
            raise InvalidConfig(f"motion is {self.motion}; it is at most 30 pixels")


def expose(light: Singles, depth: Singles, exposure: Exposure) -> NDArray[np.uint8]:
    """Turn linear light (H, W, 3) into the bytes of a picture; `depth` (H, W) [m] says what is out of focus."""
    light = defocus(light, depth, exposure)
    if any(exposure.motion):
        light = np.stack([convolve(light[..., c], trace(exposure.motion), mode="nearest") for c in range(3)], axis=-1)
    gain = 2.0**exposure.stops * np.asarray(exposure.balance, np.float32)
    if exposure.vignette > 0:
        rows, columns = (np.linspace(-1, 1, side, dtype=np.float32) ** 2 for side in light.shape[:2])
        light = light * (1 - np.float32(exposure.vignette) * (rows[:, None] + columns) / 2)[..., None].astype(np.float32)
    value = np.clip(light * gain, 0, 1) ** np.float32(1 / 2.2)
    if exposure.contrast != 1:
        value = np.clip(0.5 + exposure.contrast * (value - 0.5), 0, 1)
    rgb = np.rint(255 * value).astype(np.uint8)
    if exposure.sensor is not None:
        rgb = apply_sensor(rgb, exposure.sensor)
    return compress(rgb, exposure.quality) if exposure.quality else rgb


def defocus(light: Singles, depth: Singles, exposure: Exposure) -> Singles:
    """Blur each sample by how far it is from the focus, between a few blurs of the whole picture."""
    if exposure.focus <= 0 or exposure.aperture <= 0:
        return light
    wanted = exposure.aperture * np.abs(1 - exposure.focus / np.maximum(depth, 1e-3))
    wanted = np.clip(gaussian_filter(wanted, 1.0), 0, exposure.aperture) / exposure.aperture * RINGS
    mixed = np.zeros_like(light)
    for ring in range(RINGS + 1):
        share = np.clip(1 - np.abs(wanted - ring), 0, 1).astype(np.float32)[..., None]
        if share.any():
            sigma = exposure.aperture * ring / RINGS
            mixed += share * (gaussian_filter(light, (sigma, sigma, 0)) if ring else light)
    return mixed


def trace(motion: tuple[float, float]) -> Singles:
    """Return the path of a point while the shutter was open, as weights that sum to 1."""
    reach = int(np.ceil(max(map(abs, motion)) / 2))
    weights = np.zeros((2 * reach + 1, 2 * reach + 1), np.float32)
    for share in np.linspace(-0.5, 0.5, 4 * reach + 1):
        weights[reach + round(share * motion[1]), reach + round(share * motion[0])] += 1
    return weights / weights.sum()


def compress(rgb: NDArray[np.uint8], quality: int) -> NDArray[np.uint8]:
    """Return the picture as it comes back from a JPEG."""
    file = io.BytesIO()
    PillowImage.fromarray(rgb).save(file, "JPEG", quality=quality)
    return np.asarray(PillowImage.open(file).convert("RGB"))
