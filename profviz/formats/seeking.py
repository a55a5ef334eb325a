"""Ways back into a text that can only be unpacked from its beginning: copies of the unpacking layers where they can be
copied (gzip), else a spool of lightly packed blocks in a temporary file without a name.

Both are offered each block as it comes by; offers from several readings of one text do no harm.
"""

from __future__ import annotations

import contextlib
import tempfile
import threading
import weakref
from typing import Protocol

import zstandard

from profviz.formats.packing import Layer

BLOCK_BYTES = 1 << 20
"""Decoded bytes a block; every block but the last has exactly that many."""
POINT_BLOCKS = 8
"""Between copies of the layers; one of gzip takes 41 KB, and the way on from it 4 ms on average."""
MAX_POINTS = 256
"""Of a longer text every second copy is given up again: 10 MB of memory is enough."""
SPOOL_LEVEL = -5
"""Measured on traces: packs 1 GB/s to a tenth, level 1 packs 0.6 GB/s to a sixteenth."""
SPOOL_MEMORY = 2 << 20
"""Packed bytes held in memory: up to some 20 MB of text no file is made at all."""


class Ways(Protocol):
    """How to come back to block `number` (of BLOCK_BYTES each) of a text."""

    def offer(self, number: int, block: bytes, following: Layer) -> None:
        """A block has come by; `following` will give what stands behind it."""

    def block(self, number: int) -> bytes | None:
        """The block itself, where it is at hand."""

    def nearest(self, number: int) -> tuple[int, Layer] | None:
        """The number of a block not behind that one and layers that give it and all that follow."""

    def close(self) -> None:
        """Lets go of all."""


class NoWays:
    """For a text that is read once: nothing is kept."""

    def offer(self, number: int, block: bytes, following: Layer) -> None:
        """Not taken."""

    def block(self, number: int) -> None:
        return None

    def nearest(self, number: int) -> None:
        return None

    def close(self) -> None:
        """Nothing to let go of."""


class Points:
    """Copies of layers at equal distances, which grow with the text."""

    def __init__(self) -> None:
        self._layers: dict[int, Layer] = {}
        self._distance = POINT_BLOCKS
        self._lock = threading.Lock()

    def offer(self, number: int, block: bytes, following: Layer) -> None:
        with self._lock:
            if (number + 1) % self._distance or number + 1 in self._layers:
                return
            if layer := following.fork():
                self._layers[number + 1] = layer
            if len(self._layers) > MAX_POINTS:
                self._distance *= 2
                self._layers = {at: layer for at, layer in self._layers.items() if at % self._distance == 0}

    def block(self, number: int) -> None:
        return None

    def nearest(self, number: int) -> tuple[int, Layer] | None:
        with self._lock:
            at = max((at for at in self._layers if at <= number), default=0)
            layer = self._layers[at].fork() if at else None
            return (at, layer) if layer else None

    def close(self) -> None:
        with self._lock:
            self._layers.clear()


class Spool:
    """Blocks packed lightly. When the disk is full it keeps what it has and takes no more."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ends = [0]
        self._is_full = False
        self._compressor = zstandard.ZstdCompressor(level=SPOOL_LEVEL)
        self._file = tempfile.SpooledTemporaryFile(max_size=SPOOL_MEMORY)  # noqa: SIM115 - closed by `close`, at the latest when dropped
        self._close = weakref.finalize(self, self._file.close)

    def offer(self, number: int, block: bytes, following: Layer) -> None:
        if number != len(self._ends) - 1 or self._is_full:
            return
        with self._lock, contextlib.suppress(ValueError):  # closed meanwhile
            if number != len(self._ends) - 1:
                return
            packed = self._compressor.compress(block)
            try:
                self._file.seek(self._ends[-1])
                self._file.write(packed)
                self._ends.append(self._ends[-1] + len(packed))
            except OSError:
                self._is_full = True

    def block(self, number: int) -> bytes | None:
        with self._lock:
            if number >= len(self._ends) - 1:
                return None
            self._file.seek(self._ends[number])
            packed = self._file.read(self._ends[number + 1] - self._ends[number])
        return zstandard.ZstdDecompressor().decompress(packed)

    def nearest(self, number: int) -> None:
        return None

    def close(self) -> None:
        with self._lock:
            self._close()
