"""Debris made by MuJoCo from the standing states of our episodes: a test split out of our own engine's reach."""
