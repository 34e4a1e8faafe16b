"""Trained models at work: a picture in, named numbers out. onnxruntime only."""
