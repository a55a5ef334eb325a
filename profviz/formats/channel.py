"""A short queue from one producing thread to one consumer; either side may end it, and the other notices at once."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator

from profviz.formats.document import Cancelled

DEPTH = 4
"""Blocks under way: enough to keep both sides busy, little enough to hold in memory."""


class Channel:
    """Blocks in order, and then the end or the error that the producer met."""

    def __init__(self) -> None:
        self._blocks: deque[bytes] = deque()
        self._changed = threading.Condition()
        self._over = self.is_closed = False
        self._error: BaseException | None = None

    def put(self, block: bytes) -> bool:
        """Waits for room; False when nobody wants more."""
        with self._changed:
            while len(self._blocks) >= DEPTH and not self.is_closed:
                self._changed.wait()
            if self.is_closed:
                return False
            self._blocks.append(block)
            self._changed.notify_all()
            return True

    def finish(self, error: BaseException | None = None) -> None:
        """No block follows; `error` is raised where the blocks are taken."""
        with self._changed:
            self._over, self._error = not self.is_closed, error  # who closed it left out what followed
            self._changed.notify_all()

    def close(self) -> None:
        """No more is wanted: `put` gives False, and taking blocks raises Cancelled unless all were taken."""
        with self._changed:
            self.is_closed = True
            if self._blocks:
                self._blocks.clear()
                self._over = False
            self._changed.notify_all()

    def __iter__(self) -> Iterator[bytes]:
        while (block := self._take()) is not None:
            yield block

    def _take(self) -> bytes | None:
        with self._changed:
            while not self._blocks and not self._over and not self.is_closed:
                self._changed.wait()
            if self._blocks:
                block = self._blocks.popleft()
                self._changed.notify_all()
                return block
            if self._error:
                raise self._error
            if not self._over:
                raise Cancelled  # an early end must not look like the end
            return None
