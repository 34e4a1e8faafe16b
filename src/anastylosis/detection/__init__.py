"""Detection: pictures of debris in, a survey of the blocks in them out. `detector.py` calls the stages in order."""
