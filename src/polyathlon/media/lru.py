"""A cache that is bounded by the bytes it holds; threads may share it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sized
from typing import Generic, TypeVar

T = TypeVar("T", bound=Sized)


class SizedLru(Generic[T]):
    """The most recently used values, at most `most` units of `len` in total."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held = 0
        self._values: OrderedDict[str, T] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str) -> T | None:
        """The value of `key`, which becomes the most recent."""
        with self._lock:
            value = self._values.get(key)
            if value is not None:
                self._values.move_to_end(key)
            return value

    def put(self, key: str, value: T) -> T:
        """Hold `value`, dropping the least recent ones; a value above the bound is not held."""
        with self._lock:
            if key in self._values:
                self._held -= len(self._values.pop(key))
            if len(value) <= self._most:
                self._values[key] = value
                self._held += len(value)
            while self._held > self._most:
                self._held -= len(self._values.popitem(last=False)[1])
            return value

    def get_or_make(self, key: str, make: Callable[[], T]) -> T:
        """The value of `key`, made and held when it is absent."""
        value = self.get(key)
        return self.put(key, make()) if value is None else value
