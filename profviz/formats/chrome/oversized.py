"""Follows a broken event that is longer than the window looked at behind a damage, however long, to where it ends."""

from __future__ import annotations

import re

_MARK = re.compile(rb'"|[\[{]+|[\]}]+')
_QUOTE = re.compile(rb'(?:\\.)+|"', re.DOTALL)


class Follower:
    """Counts brackets outside strings, whatever their kind: each byte is looked at once, so all of it stays linear."""

    def __init__(self) -> None:
        self._depth = 0
        self._is_string = self._is_escape = False

    def end(self, window: bytes) -> int:
        """Behind the bracket that closes the first one, -1 where the window ends before it; windows come in order."""
        at = int(self._is_escape)
        self._is_escape = False
        while at < len(window):
            if self._is_string:
                at = self._string_end(window, at)
                continue
            mark = _MARK.search(window, at)
            if mark is None:
                break
            at = mark.end()
            count = at - mark.start()
            if mark[0][0] == 0x22:
                self._is_string = True
            elif mark[0][0] in b"[{":
                self._depth += count
            elif count >= self._depth:
                return mark.start() + self._depth
            else:
                self._depth -= count
        return -1

    def _string_end(self, window: bytes, at: int) -> int:
        while mark := _QUOTE.search(window, at):
            at = mark.end()
            if mark[0] == b'"':
                self._is_string = False
                return at
        self._is_escape = window.endswith(b"\\", at)
        return len(window)
