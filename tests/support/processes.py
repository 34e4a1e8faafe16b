"""Processes that tests start, and wait for."""

import os
import time


def group_is_gone(number: int, patience: float = 30.0) -> bool:
    """True when no process of a group is left; a worker without a parent first ends the shard it is at."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        try:
            os.killpg(number, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False
