"""Models: trained files, opened with care, and the picture net. Runs on onnxruntime alone."""
