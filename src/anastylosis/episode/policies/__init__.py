"""Policies: who chooses the next block. One file a policy, named as the policy, with a function `choose`.

`choose(view, rng) -> Pull` picks one of `view.pulls`, of which there is at least one.
"""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

import numpy as np

from anastylosis.episode.pulls import GameView, Pull
from anastylosis.errors import InvalidConfig

Policy = Callable[[GameView, np.random.Generator], Pull]


@cache
def policy_names() -> tuple[str, ...]:
    """List all policies, sorted: `greedy-side` lives in `greedy_side.py`."""
    return tuple(sorted(module.name.replace("_", "-") for module in iter_modules(__path__)))


def find_policy(name: str) -> Policy:
    """Return the function of a policy."""
    if name not in policy_names():
        raise InvalidConfig(f"no policy is named {name!r}; choose one of: {', '.join(policy_names())}")
    choose: Policy = import_module(f"{__name__}.{name.replace('-', '_')}").choose
    return choose
