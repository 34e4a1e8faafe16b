"""The experiments of `anastylosis validate`, one theme a file. Each file ends in EXPERIMENTS."""
