"""The machines that unpack one stream: deflate, xz and zstd behind one face that bounds what a call gives.

A machine never raises on damage: it gives what came before and says what was wrong in `broken`.
"""

from __future__ import annotations

import importlib
import lzma
import zlib
from typing import Any, Protocol

import zstandard

try:
    deflate: Any = importlib.import_module("zlib_ng.zlib_ng")
except ImportError:  # the standard library does the same, less than half as fast
    deflate = zlib

XZ_STEP = 1 << 12
"""Given at once; damage takes with it what the step had so far."""
XZ_MEMORY = 256 << 20
"""No more than this may a stream ask for; `xz -9` asks for 65 MiB."""
ZSTD_PIECE = 1 << 11
"""Fed at once: a hostile 4 bytes may unpack to 128 KiB, and a call gives all there is."""
DAMAGED = "is damaged"
TOO_MUCH_MEMORY = "wants more memory to be unpacked than any trace needs"

Buffer = bytes | memoryview


class Machine(Protocol):
    """Unpacks one stream that is fed piece by piece."""

    eof: bool
    """Whether the stream came to its end."""
    hungry: bool
    """Whether it wants to be fed; else it is asked again with nothing."""
    broken: str
    """What was wrong, after the last whole byte was given."""
    left: int
    """How many of the bytes fed it did not take; they are to be fed again, or follow the end."""

    def feed(self, data: Buffer, limit: int) -> bytes:
        """At most `limit` > 0 bytes."""

    def copy(self) -> Machine | None:
        """One that goes on alike from here, None where that can't be had."""


class Deflate:
    """`wbits` as zlib has it: 31 for gzip, -15 for the bare stream."""

    def __init__(self, wbits: int, *, inner: Any = None) -> None:
        self._wbits = wbits
        self._inner = inner or deflate.decompressobj(wbits)
        self.eof, self.hungry, self.broken, self.left = False, True, "", 0

    def feed(self, data: Buffer, limit: int) -> bytes:
        before = self._inner.copy()  # damage takes with it what a call had so far; this costs a fiftieth of the call
        try:
            given: bytes = self._inner.decompress(data, limit)
        except (zlib.error, deflate.error):
            self.broken = DAMAGED
            return _salvage(before, data)
        self.eof = self._inner.eof
        self.left = len(self._inner.unused_data if self.eof else self._inner.unconsumed_tail)
        self.hungry = len(given) < limit or self.left > 0
        return given

    def copy(self) -> Deflate:
        twin = Deflate(self._wbits, inner=self._inner.copy())
        twin.eof, twin.hungry, twin.broken, twin.left = self.eof, self.hungry, self.broken, self.left
        return twin


def _salvage(inner: Any, data: Buffer) -> bytes:
    """All that stands before the damage: ever less given in a step, then byte by byte fed, then byte by byte given."""
    parts: list[bytes] = []
    for give, take in ((1 << 16, 0), (1 << 12, 0), (1 << 8, 0), (1 << 4, 0), (1, 0), (0, 1), (1, 0)):
        inner, data = _step_to_damage(inner, data, parts, give=give, take=take or len(data))
    return b"".join(parts)


def _step_to_damage(inner: Any, data: Buffer, parts: list[bytes], *, give: int, take: int) -> tuple[Any, Buffer]:
    """The state before the step that fails and what was not fed by then."""
    while data:
        before = inner.copy()
        try:
            part = inner.decompress(data[:take], give)
        except (zlib.error, deflate.error):
            return before, data
        parts.append(part)
        fed = take if give == 0 else min(take, len(data)) - len(inner.unconsumed_tail)
        if not part and not fed:
            break
        data = data[fed:]
    return inner, data


class Xz:
    """One stream of the .xz format."""

    def __init__(self) -> None:
        self._inner = lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=XZ_MEMORY)
        self._ready = memoryview(b"")
        self.eof, self.hungry, self.broken, self.left = False, True, "", 0

    def feed(self, data: Buffer, limit: int) -> bytes:
        parts: list[memoryview] = []
        room = limit
        while room and (self._ready or self._unpack(data)):
            data = b""
            parts.append(self._ready[:room])
            self._ready = self._ready[room:]
            room -= len(parts[-1])
        self.eof = self._inner.eof and not self._ready
        self.hungry = not self._ready and not self._inner.eof and self._inner.needs_input
        self.left = len(self._inner.unused_data) if self.eof else 0
        return b"".join(parts)

    def _unpack(self, data: Buffer) -> bool:
        """Always by the same small step: what was unpacked before damage must not hang on who asks for how much."""
        if self._inner.eof or self.broken or not (data or not self._inner.needs_input):
            return False
        try:
            self._ready = memoryview(self._inner.decompress(data, XZ_STEP))
        except lzma.LZMAError as error:
            self.broken = TOO_MUCH_MEMORY if "emory" in str(error) else DAMAGED
        return bool(self._ready)

    def copy(self) -> None:
        return None


class Zstd:
    """One frame, or one skippable frame, which gives nothing."""

    def __init__(self) -> None:
        self._inner = zstandard.ZstdDecompressor().decompressobj()
        self._fed = memoryview(b"")
        self._ready = memoryview(b"")
        self.eof, self.hungry, self.broken, self.left = False, True, "", 0

    def feed(self, data: Buffer, limit: int) -> bytes:
        if self.hungry:
            self._fed = memoryview(data)
        parts: list[memoryview] = []
        room = limit
        while room and (self._ready or self._unpack()):
            parts.append(self._ready[:room])
            self._ready = self._ready[room:]
            room -= len(parts[-1])
        self.eof = bool(self._inner.eof) and not self._ready
        self.hungry = not self._ready and not self._fed
        self.left = len(self._inner.unused_data) + len(self._fed) if self.eof else 0
        return b"".join(parts)

    def _unpack(self) -> bool:
        """Fills what is ready from what was fed; False when nothing more can come of it."""
        while self._fed and not self._inner.eof and not self.broken:
            piece, self._fed = self._fed[:ZSTD_PIECE], self._fed[ZSTD_PIECE:]
            try:
                self._ready = memoryview(self._inner.decompress(piece))
            except zstandard.ZstdError as error:
                self.broken = _why_not(str(error))
            if self._ready:
                return True
        return False

    def copy(self) -> None:
        return None


def _why_not(message: str) -> str:
    if "memory" in message:
        return TOO_MUCH_MEMORY
    return "needs a dictionary that is not in the file" if "ictionary" in message else DAMAGED
