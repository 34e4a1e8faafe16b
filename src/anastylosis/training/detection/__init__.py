"""Training of the detector's four nets, from pictures drawn on the fly, and its evaluation."""
