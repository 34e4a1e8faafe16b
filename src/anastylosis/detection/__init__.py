"""The eye: pictures of debris to a survey of blocks. Pixels vote for blocks, then each proposed block is looked at again."""
