"""Turns whatever a script prints, in any amount, into a bounded number of lines; says how much was left out."""

from __future__ import annotations

import re
import threading
from collections import deque

LINE_BYTES = 4_000
"""A longer line is shown in parts of this size."""
PART_S = 1.0
"""A line without an end is shown when nothing followed for so long."""
_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class LogFunnel:
    """`feed` takes bytes from the pipe's thread, `take` gives lines to the job's; both return at once.

    Between two takes the first `head` lines and the last `tail` ones are kept. A carriage return starts its line
    anew, as on a terminal. `text` holds the last `text_bytes` of everything.
    """

    def __init__(self, *, head: int = 120, tail: int = 80, text_bytes: int = 64 << 10) -> None:
        self._lock = threading.Lock()
        self._head: list[bytes] = []
        self._tail: deque[bytes] = deque()
        self._sizes = (head, tail)
        self._skipped_lines = 0
        self._skipped_bytes = 0
        self._open = b""
        self._open_since: float | None = None
        self._text = bytearray()
        self._text_bytes = text_bytes

    def feed(self, data: bytes) -> None:
        with self._lock:
            self._text += data[-self._text_bytes :]
            del self._text[: max(0, len(self._text) - self._text_bytes)]
            *whole, last = (self._open + data.replace(b"\r\n", b"\n")).split(b"\n")
            for line in self._thin(whole):
                self._keep(line)
            self._open = self._shorten(_after_return(last) + (b"\r" if last.endswith(b"\r") else b""))

    def take(self, now_s: float, *, final: bool = False) -> list[str]:
        """The lines since the last call; `now_s` is any clock that runs on."""
        with self._lock:
            self._close_part(now_s, final=final)
            lines = [_text(line) for line in self._head]
            if self._skipped_lines:
                lines.append(f"… {self._skipped_lines:,} lines ({self._skipped_bytes:,} bytes) left out …")
            lines += [_text(line) for line in self._tail]
            self._head, self._skipped_lines, self._skipped_bytes = [], 0, 0
            self._tail.clear()
            return lines

    def text(self) -> str:
        """The end of everything that came."""
        with self._lock:
            return _text(bytes(self._text))

    def _thin(self, lines: list[bytes]) -> list[bytes]:
        """Leaves out at once what `_keep` would push out line by line: a flood must not be walked through."""
        head, tail = self._sizes
        room = max(0, head - len(self._head))
        middle = lines[room : len(lines) - tail] if len(lines) > room + tail else []
        self._skipped_lines += len(middle)
        self._skipped_bytes += sum(map(len, middle)) + len(middle)
        return lines[:room] + lines[room + len(middle) :]

    def _keep(self, line: bytes) -> None:
        line = _after_return(line)
        head, tail = self._sizes
        for start in range(0, max(1, len(line)), LINE_BYTES):
            part = line[start : start + LINE_BYTES]
            if len(self._head) < head:
                self._head.append(part)
                continue
            self._tail.append(part)
            if len(self._tail) > tail:
                self._skipped_lines += 1
                self._skipped_bytes += len(self._tail.popleft()) + 1

    def _shorten(self, part: bytes) -> bytes:
        if len(part) <= LINE_BYTES:
            return part
        whole = len(part) // LINE_BYTES * LINE_BYTES
        self._keep(part[:whole])
        return part[whole:]

    def _close_part(self, now_s: float, *, final: bool) -> None:
        if not self._open:
            self._open_since = None
        elif final or (self._open_since is not None and now_s - self._open_since > PART_S):
            self._keep(self._open)
            self._open, self._open_since = b"", None
        elif self._open_since is None:
            self._open_since = now_s


def _after_return(line: bytes) -> bytes:
    """What a terminal would leave of a line with carriage returns; a last one that nothing followed changes nothing."""
    return line.rstrip(b"\r").rpartition(b"\r")[2]


def _text(data: bytes) -> str:
    """UTF-8 with replacement marks, colours taken away, other control characters shown as a mark."""
    text = _COLOUR.sub("", data.decode("utf-8", "replace"))
    return "".join(char if char.isprintable() or char in "\t\n" else "\ufffd" for char in text)
