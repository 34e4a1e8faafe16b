"""Exit codes of the commands; 0: done."""

__all__ = ["FAILED", "INTERRUPTED", "WRONG_WORDS"]

FAILED, WRONG_WORDS, INTERRUPTED = 1, 2, 130
