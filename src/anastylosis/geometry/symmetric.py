"""Symmetric matrices as lists of their entries: the order in which nets take and give them."""

SYMMETRIC_ENTRIES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))  # row and column of those that decide a 3 x 3 matrix
