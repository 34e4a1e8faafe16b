"""Training of the picture net: one picture of the debris in, the answers of all heads out."""
