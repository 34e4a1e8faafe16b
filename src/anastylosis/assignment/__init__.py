"""Assignment: a survey of fallen blocks in, ranked slots for each of them out. Runs on onnxruntime alone."""
