"""Random streams: each training draws its pictures from a stream of its own."""

import zlib

# Another word would draw other pictures, so these stay as they were when the nets that ship were trained.
WORDS = {
    "vote_net": b"finder", "slot_classifier": b"reader", "refiner": b"judge", "rescorer": b"jury",
    "proposals": b"hearings", "detections": b"sightings",
}  # fmt: skip

VAL_SEED = 99  # the pictures of the validation split are always the same


def random_stream(name: str) -> int:
    """Return the number of a stream, the first part of a seed."""
    return zlib.crc32(WORDS[name])
