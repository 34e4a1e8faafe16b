"""Cameras of photographs: lenses, poses, files, the printed target."""
