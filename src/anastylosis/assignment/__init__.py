"""The assignment model at work: a survey of fallen blocks in, ranked slots for each of them out. onnxruntime only."""
