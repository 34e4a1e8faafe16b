"""Proof: the engine against closed forms, against peers, and against the clock."""
