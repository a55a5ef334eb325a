"""Reads a variant's compile log while it grows, so that a run shows what the compiler has done so far."""

from __future__ import annotations

import gzip
import time
import zlib
from collections.abc import Callable

from profviz.analysis.compile_cost import compile_cost
from profviz.engine.events import CompileSeen
from profviz.engine.worker_process import Frame
from profviz.formats.compile_log import read_compile_log
from profviz.protocol.messages import Blob

REST = 20
"""After each reading so many times as long nothing is read: never more than a twentieth of the time."""


class CompileFollower:
    """Every log comes whole each time it has grown; one that takes long to read is read less often."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._not_before = float("-inf")

    def take(self, frame: Frame) -> CompileSeen | None:
        """What a log says by now; None for other messages, for a log that cannot be unpacked, and in between."""
        message = frame.message
        if not isinstance(message, Blob) or message.kind != "compile_log" or self._clock() < self._not_before:
            return None
        began = self._clock()
        try:
            data = gzip.decompress(frame.payload)
        except (OSError, EOFError, zlib.error):
            return None
        report, _ = read_compile_log(data)
        found = CompileSeen(message.variant, report, compile_cost(report))
        self._not_before = self._clock() + REST * (self._clock() - began)
        return found
