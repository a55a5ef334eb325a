"""The decoded text of a file as a stream of blocks, and any part of it again at once.

Packed files are unpacked in a thread of their own with a few blocks under way. Knows nothing of what the text means.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Generator
from types import TracebackType

from profviz.formats.channel import Channel
from profviz.formats.document import Cancelled
from profviz.formats.packing import ByteRange, FromUtf16, Layer
from profviz.formats.raw_bytes import Handle, Raw
from profviz.formats.recipe import Recipe, read_whole
from profviz.formats.seeking import BLOCK_BYTES, NoWays, Points, Spool, Ways
from profviz.model.notes import Note, NoteBook

PLAIN_BLOCK_BYTES = 2 << 20
"""What is not unpacked needs no way back to it: larger blocks cost their reader less."""
KEPT_BLOCKS = 8
"""Blocks that `read_at` has at hand: who looks at one event looks at its neighbours next."""


class Text:
    """The UTF-8 text of a file without its byte order mark; offsets are bytes of that text.

    `size` is how many packed bytes there are in all and `done` how many of them `blocks` has consumed. Nothing is held
    open between readings.
    """

    def __init__(self, raw: Raw, recipe: Recipe, *, keeps_ways: bool = True) -> None:
        self.size = recipe.size
        self.done = 0
        self._raw = raw
        self._recipe = recipe
        self._lock = threading.RLock()
        self._streams: set[Channel] = set()
        self._notes: tuple[Note, ...] | None = None
        self._is_closed = False
        self._rereading: _Rereading | None = None
        if not recipe.is_plain:
            self._rereading = _Rereading(raw, recipe, keeps_ways=keeps_ways)

    @property
    def is_packed(self) -> bool:
        """The text is longer than the `size` bytes it lies in, or written otherwise."""
        return self._rereading is not None

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was wrong with the packing, once the end was reached; offsets are bytes of the decoded text."""
        return self._notes or (self._rereading.notes if self._rereading else None) or ()

    def blocks(self) -> Generator[bytes, None, None]:
        """The whole text from its beginning, BLOCK_BYTES at a time and the rest last.

        Raises UserError when the file can't be read or unpacks to absurdly much, whatever was given before. Closing the
        iterator, dropping it, or closing the text ends the unpacking at once; after the last, taking blocks raises
        Cancelled.
        """
        self._refuse_closed()
        self.done = 0
        return self._plain_blocks() if self._rereading is None else self._packed_blocks(self._rereading)

    def _plain_blocks(self) -> Generator[bytes, None, None]:
        handle = self._raw.open()
        try:
            lowest, _ = self._recipe.stack(handle)
            while block := lowest.read(PLAIN_BLOCK_BYTES):
                self.done = lowest.position - lowest.start
                yield block
                if self._is_closed:
                    raise Cancelled
            self._notes = notes_at_end(self._recipe, self.done, lowest)
        finally:
            handle.close()

    def _packed_blocks(self, rereading: _Rereading) -> Generator[bytes, None, None]:
        channel = Channel()
        thread = threading.Thread(
            target=self._produce, args=(channel, rereading), name="profviz-unpacking", daemon=True
        )
        with self._lock:
            self._refuse_closed()
            self._streams.add(channel)
        thread.start()
        try:
            yield from channel
        finally:
            channel.close()
            if thread is not threading.current_thread():  # where the collector came upon a dropped iterator
                thread.join()
            with self._lock:
                self._streams.discard(channel)

    def _produce(self, channel: Channel, rereading: _Rereading) -> None:
        try:
            handle = _Watched(self._raw.open(), lambda: channel.is_closed)
            try:
                self._unpack(channel, handle, rereading)
            finally:
                handle.close()
        except BaseException as error:
            channel.finish(error)
        else:
            channel.finish()

    def _unpack(self, channel: Channel, handle: Handle, rereading: _Rereading) -> None:
        lowest, highest = self._recipe.stack(handle)
        number = 0
        length = 0
        while block := read_whole(highest, BLOCK_BYTES):
            rereading.ways.offer(number, block, highest)
            self.done = lowest.position - lowest.start
            if not channel.put(block):
                return
            number += 1
            length += len(block)
        self.done = self.size
        self._notes = notes_at_end(self._recipe, length, highest)

    def read_at(self, offset: int, length: int) -> bytes:
        """Part of the text, fewer bytes only at its end. A few milliseconds for what `blocks` has given before.

        Any thread may call it, also while `blocks` runs. Raises UserError when the file has changed since it was opened
        or can't be read any more, Cancelled when the text is closed meanwhile.
        """
        if offset < 0 or length < 0:
            raise ValueError(f"no such part: {offset}, {length}")
        self._refuse_closed()
        handle = _Watched(self._raw.open(), lambda: self._is_closed)
        try:
            if self._rereading is None:
                start = min(self._recipe.start + offset, self._recipe.end)
                return handle.read(start, min(length, self._recipe.end - start))
            return self._rereading.read(handle, offset, length)
        finally:
            handle.close()

    def close(self) -> None:
        """Ends all readings and lets go of what was kept for others; may be called twice."""
        with self._lock:
            self._is_closed = True
            for channel in self._streams:
                channel.close()
        if self._rereading:
            self._rereading.close()

    def _refuse_closed(self) -> None:
        if self._is_closed:
            raise ValueError("the text is closed")

    def __enter__(self) -> Text:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Watched:
    """A handle that gives no more once nobody wants it: much of a file may be read before one block comes out."""

    def __init__(self, handle: Handle, is_over: Callable[[], bool]) -> None:
        self._handle = handle
        self._is_over = is_over
        self.size = handle.size

    def read(self, offset: int, count: int) -> bytes:
        if self._is_over():
            raise Cancelled
        return self._handle.read(offset, count)

    def close(self) -> None:
        self._handle.close()


def notes_at_end(recipe: Recipe, length: int, highest: Layer) -> tuple[Note, ...]:
    """The lowest fault is the cause of all above it; what was left out is told of each layer."""
    book = NoteBook()
    faults = [recipe.fault]
    layer: Layer | None = highest
    while layer:
        faults.insert(0, layer.fault)
        if layer.extra:
            book.add("packed_tail", offset=length, text=layer.extra)
        if isinstance(layer, FromUtf16) and layer.replaced:
            book.add("bad_text", count=layer.replaced, text="the file is UTF-16 and not all of it is valid")
        layer = layer.lower
    for name in recipe.unread:
        book.add("second_document", text=name, detail="They are members of one archive.")
    if fault := next(filter(None, faults), ""):
        book.add("truncated_packing", offset=length, text=fault)
    return book.notes()


class _Rereading:
    """Blocks of a packed text by number: at hand, by the ways back, or by going on from where it stands."""

    def __init__(self, raw: Raw, recipe: Recipe, *, keeps_ways: bool) -> None:
        self.notes: tuple[Note, ...] | None = None
        self._recipe = recipe
        self._lock = threading.Lock()
        self._kept: OrderedDict[int, bytes] = OrderedDict()
        self._place: tuple[int, ByteRange, Layer] | None = None
        self._last: int | None = None
        self.ways: Ways = self._choose_ways(raw) if keeps_ways else NoWays()

    def _choose_ways(self, raw: Raw) -> Ways:
        handle = raw.open()
        try:
            _, highest = self._recipe.stack(handle)
            return Points() if highest.fork() else Spool()
        finally:
            handle.close()

    def read(self, handle: Handle, offset: int, length: int) -> bytes:
        """`handle` is opened for this call only."""
        parts = []
        with self._lock:
            number, skip = divmod(offset, BLOCK_BYTES)
            while length > 0 and (block := self._block(handle, number)):
                parts.append(block[skip : skip + length])
                length -= len(parts[-1])
                number, skip = number + 1, 0
                if len(block) < BLOCK_BYTES:
                    break
        return b"".join(parts)

    def _block(self, handle: Handle, number: int) -> bytes:
        if self._last is not None and number > self._last:
            return b""
        block = self._kept.pop(number, None)
        if block is None:
            block = self.ways.block(number)
        if block is None:
            block = self._go_to(handle, number)
        self._kept[number] = block
        if len(self._kept) > KEPT_BLOCKS:
            self._kept.popitem(last=False)
        return block

    def _go_to(self, handle: Handle, number: int) -> bytes:
        at, lowest, highest = self._start(handle, number)
        self._place = None  # layers that fail half way stand nowhere
        while True:
            block = read_whole(highest, BLOCK_BYTES)
            self.ways.offer(at, block, highest)
            if len(block) < BLOCK_BYTES:
                self._last = at
                self.notes = notes_at_end(self._recipe, at * BLOCK_BYTES + len(block), highest)
                return block if at == number else b""
            at += 1
            if at > number:
                self._place = at, lowest, highest
                return block

    def _start(self, handle: Handle, number: int) -> tuple[int, ByteRange, Layer]:
        """The nearest way: from where the last call stood, from a way back, or from the beginning."""
        place = self._place if self._place and self._place[0] <= number else None
        near = self.ways.nearest(number)
        if near and (not place or near[0] > place[0]):
            place = near[0], _lowest(near[1]), near[1]
        if not place:
            place = 0, *self._recipe.stack(handle)
        place[1].handle = handle
        return place

    def close(self) -> None:
        with self._lock:
            self._kept.clear()
            self._place = None
            self.ways.close()


def _lowest(layer: Layer) -> ByteRange:
    while layer.lower:
        layer = layer.lower
    assert isinstance(layer, ByteRange)
    return layer
