"""See the past of a collapse by looking at the rubble of the present."""

__version__ = "0.1.0"
