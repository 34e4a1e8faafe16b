"""Poses to pixels: cameras, pictures with the block and the depth of every pixel, looks."""
