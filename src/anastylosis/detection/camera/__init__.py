"""From a photograph of debris to the pinhole camera that took it: lenses, poses, files, the printed target."""
