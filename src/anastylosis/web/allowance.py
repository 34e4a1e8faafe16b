"""Allowance: what the files of all visitors together may take. One visitor at a time could be within every limit, and all of
them together more than the machine has."""

import threading
from collections.abc import Hashable


class Allowance:
    """An amount that visitors share: bytes of uploads, or pixels of pictures. Who leaves gives back all that they had."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.lock = threading.Lock()
        self.held: dict[tuple[Hashable, Hashable], int] = {}

    @property
    def taken(self) -> int:
        """Return how much all visitors hold together."""
        return sum(self.held.values())

    def take(self, visitor: Hashable, thing: Hashable, amount: int, own: int | None = None) -> bool:
        """Give a visitor this amount for a thing, instead of what it had.

        Return False if that exceeds the whole allowance, or the `own` share of one visitor.
        """
        with self.lock:
            before = self.held.get((visitor, thing), 0)
            if amount > before and self.taken - before + amount > self.most:
                return False
            has = sum(each for (holder, _), each in self.held.items() if holder == visitor)
            if own is not None and amount > before and has - before + amount > own:
                return False
            self.held[visitor, thing] = amount
            return True

    def give_back(self, visitor: Hashable, thing: Hashable) -> None:
        with self.lock:
            self.held.pop((visitor, thing), None)

    def part(self, visitor: Hashable) -> None:
        """Give back what a visitor holds who leaves."""
        with self.lock:
            self.held = {key: amount for key, amount in self.held.items() if key[0] != visitor}
