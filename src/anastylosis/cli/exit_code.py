"""Exit codes of the commands; 0: done."""

FAILED, WRONG_WORDS, INTERRUPTED, ENDED = 1, 2, 130, 143  # ended: by SIGTERM or SIGHUP, as a service is
