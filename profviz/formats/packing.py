"""Layers that unpack as they are read: gzip, xz, zstd, a member of a zip, UTF-16; and the choice of them by content.

Layers are stacked, the lowest one on a stretch of a file. They know nothing of what the text means. A damaged stream
gives what could be unpacked and says so in `fault`.
"""

from __future__ import annotations

import codecs
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from profviz.formats.inflating import DAMAGED, Buffer, Deflate, Machine, Xz, Zstd, deflate
from profviz.formats.raw_bytes import Handle
from profviz.model.errors import UserError

MAX_BYTES = 8 << 30
"""No trace that unpacks to more could be shown; real ones unpack to 10 to 30 times their size."""
MAX_RATIO = 1_000
RATIO_FREE_BYTES = 256 << 20
MAX_NESTING = 4
PIECE = 1 << 16
"""Packed bytes taken at once."""
FIRST_PIECE = 1 << 12
"""Fed first: thousands of tiny streams in a row must not each cost a copy of all that follows."""
LOOK_BYTES = 8
CUT = "ends early"


class Layer(Protocol):
    """Bytes in order. `fault` says after the end what was wrong, `extra` what was left out behind the end."""

    fault: str
    extra: str

    @property
    def lower(self) -> Layer | None:
        """What it reads from, none below the lowest."""

    def read(self, limit: int) -> bytes:
        """At least one and at most `limit` bytes; none only at the end."""

    def fork(self, back: int = 0) -> Layer | None:
        """One that goes on by itself from `back` bytes before here; None where that can't be had."""


class ByteRange:
    """The lowest layer: the bytes of a file from `start` to `end`. `handle` may be put in its place by another one."""

    lower: None = None

    def __init__(self, handle: Handle, start: int, end: int) -> None:
        self.handle = handle
        self.position, self.start, self.end = start, start, end
        self.fault = self.extra = ""

    def read(self, limit: int) -> bytes:
        data = self.handle.read(self.position, min(limit, self.end - self.position))
        self.position += len(data)
        return data

    def fork(self, back: int = 0) -> ByteRange:
        twin = ByteRange(self.handle, self.start, self.end)
        twin.position = self.position - back
        return twin


@dataclass(frozen=True, slots=True)
class Packing:
    """How a stream is known and unpacked. Where `repeats`, several may follow each other."""

    name: str
    magic: bytes
    machine: Callable[[], Machine]
    repeats: bool = True
    forks: bool = False

    def is_begin(self, head: bytes) -> bool:
        if self.name == "zstd" and head[1:4] == b"\x2a\x4d\x18" and head[0] >> 4 == 5:
            return True  # a skippable frame, with which pzstd begins a file
        return head.startswith(self.magic)


ZIP_MAGIC = b"PK\x03\x04"
PACKINGS = (
    Packing("gzip", b"\x1f\x8b", lambda: Deflate(31), forks=True),
    Packing("xz", b"\xfd7zXZ\x00", Xz),
    Packing("zstd", b"\x28\xb5\x2f\xfd", Zstd),
)
IN_ZIP = Packing("zip", b"", lambda: Deflate(-15), repeats=False, forks=True)


class Unpacked:
    """What comes out of streams of one packing that follow each other; zeros between and behind them are padding."""

    def __init__(self, lower: Layer, packing: Packing) -> None:
        self.fault = self.extra = ""
        self.lower = lower
        self._packing = packing
        self._machine: Machine | None = None
        self._buffer, self._at, self._piece = b"", 0, FIRST_PIECE
        self._streams = self._taken = self._given = 0
        self._over = False

    def read(self, limit: int) -> bytes:
        while not self._over:
            if self._machine is None:
                self._over = not self._begin()
            elif data := self._step(self._machine, limit):
                self._given += len(data)
                check_budget(taken=self._taken, given=self._given)
                return data
        return b""

    def _step(self, machine: Machine, limit: int) -> bytes:
        piece: Buffer = b""
        if machine.hungry:
            if self._at == len(self._buffer) and not self._more():
                self._stop(CUT)
                return b""
            piece = memoryview(self._buffer)[self._at : self._at + self._piece]
            self._piece = min(2 * self._piece, PIECE)
        data = machine.feed(piece, limit)
        self._at += len(piece) - machine.left
        if machine.broken:
            self._stop(machine.broken)
        elif machine.eof:
            self._machine = None
        return data

    def _begin(self) -> bool:
        """Starts the next stream, if there is one."""
        if self._streams and not self._packing.repeats:
            return False
        if self._streams:
            self._skip_zeros()
        while len(self._buffer) - self._at < LOOK_BYTES and self._more():
            pass
        head = self._buffer[self._at : self._at + LOOK_BYTES]
        if self._packing.is_begin(head):
            self._machine, self._piece = self._packing.machine(), FIRST_PIECE
            self._streams += 1
            return True
        if head and self._packing.magic.startswith(head):
            self._stop(CUT)
        elif head:
            self.extra = f"other bytes follow the {self._packing.name} stream"
        return False

    def _skip_zeros(self) -> None:
        while True:
            view = self._buffer[self._at : self._at + FIRST_PIECE]
            self._at += len(view) - len(view.lstrip(b"\0"))
            if self._at < len(self._buffer) and self._buffer[self._at]:
                return
            if self._at == len(self._buffer) and not self._more():
                return

    def _more(self) -> bool:
        more = self.lower.read(PIECE)
        self._buffer, self._at = self._buffer[self._at :] + more, 0
        self._taken += len(more)
        return bool(more)

    def _stop(self, fault: str) -> None:
        self._over = True
        self.fault = f"the {self._packing.name} stream {fault}"

    def fork(self, back: int = 0) -> Unpacked | None:
        rest = self._buffer[self._at :]
        lower = self.lower.fork(len(rest))
        if lower:  # read again rather than held: a thousand copies would hold the whole file
            rest = b""
        else:
            lower = self.lower.fork()
        if back or lower is None or not self._packing.forks:
            return None
        twin = Unpacked(lower, self._packing)
        twin.fault, twin.extra, twin._over = self.fault, self.extra, self._over
        twin._machine = self._machine.copy() if self._machine else None
        twin._buffer, twin._piece, twin._streams = rest, self._piece, self._streams
        twin._taken, twin._given = self._taken - len(self._buffer) + self._at + len(rest), self._given
        return twin


def check_budget(*, taken: int, given: int) -> None:
    """Stops a stream that unpacks to far more than any trace."""
    limit = min(MAX_BYTES, max(RATIO_FREE_BYTES, taken * MAX_RATIO))
    if given > limit:
        raise UserError(
            "The file unpacks to far more than a trace holds",
            why=f"More than {limit >> 20} MiB came out of it.",
            hint="It is damaged or not a trace; unpack it by hand to look at it.",
        )


class Part:
    """Bytes `skip` to `skip + size` of a layer; all to its end where `size` is -1."""

    def __init__(self, lower: Layer, skip: int, size: int = -1) -> None:
        self.fault = self.extra = ""
        self.lower = lower
        self._skip, self._left = skip, size

    def read(self, limit: int) -> bytes:
        while self._skip and (passed := self.lower.read(min(self._skip, PIECE))):
            self._skip -= len(passed)
        count = min(limit, self._left) if self._left >= 0 else limit
        data = self.lower.read(count) if count else b""
        if self._left >= 0:
            self._left -= len(data)
        if count and not data and self._left > 0:
            self.fault = f"the file {CUT}"
        return data

    def fork(self, back: int = 0) -> Part | None:
        lower = self.lower.fork(back)
        if lower is None or (back and self._skip):
            return None
        twin = Part(lower, self._skip, self._left if self._left < 0 else self._left + back)
        twin.fault = self.fault
        return twin


class Checked:
    """A member of a zip, held against the checksum that the archive has of it."""

    def __init__(self, lower: Layer, crc: int) -> None:
        self.fault = self.extra = ""
        self.lower = lower
        self._wanted = crc
        self._crc = 0

    def read(self, limit: int) -> bytes:
        data = self.lower.read(limit)
        self._crc = deflate.crc32(data, self._crc)
        if not data and self._crc != self._wanted:
            self.fault = f"the zip archive {DAMAGED}"
        return data

    def fork(self, back: int = 0) -> Checked | None:
        lower = self.lower.fork()
        if back or lower is None:
            return None
        twin = Checked(lower, self._wanted)
        twin.fault, twin._crc = self.fault, self._crc
        return twin


class FromUtf16:
    """UTF-8 of a text in UTF-16; what is none becomes U+FFFD and is counted in `replaced`."""

    def __init__(self, lower: Layer, codec: str) -> None:
        self.fault = self.extra = ""
        self.replaced = 0
        self.lower = lower
        self._codec = codec
        self._decoder = codecs.getincrementaldecoder(codec)("profviz_counted")
        self._ready = b""
        self._over = False

    def read(self, limit: int) -> bytes:
        while not self._ready and not self._over:
            data = self.lower.read(limit)
            self._over = not data
            _replaced.count = 0
            self._ready = self._decoder.decode(data, final=not data).encode()
            self.replaced += _replaced.count
        given, self._ready = self._ready[:limit], self._ready[limit:]
        return given

    def fork(self, back: int = 0) -> FromUtf16 | None:
        lower = self.lower.fork()
        if back or lower is None:
            return None
        twin = FromUtf16(lower, self._codec)
        twin.fault, twin.extra, twin.replaced = self.fault, self.extra, self.replaced
        twin._decoder.setstate(self._decoder.getstate())
        twin._ready, twin._over = self._ready, self._over
        return twin


class _Replaced(threading.local):
    count = 0


_replaced = _Replaced()


def _count_replaced(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    _replaced.count += 1
    return "\ufffd", error.end


codecs.register_error("profviz_counted", _count_replaced)
