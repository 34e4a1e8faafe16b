"""Training and evaluation; the only room that imports torch."""
