"""Exit codes of the commands; 0: done."""

FAILED, WRONG_WORDS, INTERRUPTED = 1, 2, 130
