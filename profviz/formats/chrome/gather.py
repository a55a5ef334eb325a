"""Reads a text's blocks into tables, several at a time, and proves that the result is that of one reading in order.

Each block is scanned from a guessed beginning of an event. The guess holds when reading from what came before lands
exactly there; where it does not, the block is read again from what came before.
"""

from __future__ import annotations

import itertools
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec

from profviz.formats.chrome.event import BAD_JSON
from profviz.formats.chrome.outline import TAIL_BYTES, Opening, find_events, list_ends, read_tail
from profviz.formats.chrome.recovery import RESYNC, WINDOW, Recovery, Remedy, indent_of
from profviz.formats.chrome.tables import CUT, END, LANDED, ODD, Counts, Pile, Scanner, Stretch, take_pile
from profviz.formats.chrome.text import short
from profviz.formats.chrome.twin import TwinScanner
from profviz.model.notes import NoteBook

MAX_WORKERS = 8
LONGEST_EVENT = 64 << 20
PILE_EVENTS = 1 << 15
"""After so many events their rows are packed: until then every column is as wide as any value may need.

So few stay in the processor's own cache from when they are written until they are packed.
"""
LEAD_BYTES = 128
"""Looked at to see how the first event is indented."""
SERIAL_BYTES = 4 << 20
"""Below this much text starting threads costs more than they save."""


@dataclass(slots=True)
class Gathered:
    """What came out: the scanners, their piles of rows, the stretches in file order, and top-level values.

    `has_array` says that there is a list of events at all; `cut_at` where the file ends before its list does, or -1.
    """

    scanners: list[Scanner]
    piles: list[Pile]
    stretches: list[Stretch]
    meta: dict[str, Any] = field(default_factory=dict)
    has_array: bool = True
    cut_at: int = -1


def gather(
    blocks: Iterable[bytes], notes: NoteBook, *, make: Callable[[], Scanner], tick: Callable[[], None], workers: int = 0
) -> Gathered:
    """Reads all blocks; `tick` is called after each and may raise to stop.

    `workers` 0 means as many as there are processors to use, 1 that nothing is read ahead.
    """
    stream = iter(blocks)
    head, opening = _open(stream)
    if opening.damaged_at >= 0:
        notes.add(
            "bad_event", offset=opening.damaged_at, text="before the first event: " + short(head[opening.damaged_at :])
        )
    chain = _Chain(make, notes, opening, indent=_indent(head, opening))
    if opening.start < 0:
        gathered = chain.finish([])
        gathered.cut_at = len(head) if opening.is_cut else -1
        return gathered
    first = [head[opening.start :], *itertools.islice(stream, 1)]
    is_small = len(first) == 1 and len(first[0]) < SERIAL_BYTES
    with _Crew(make, 0 if is_small else _crew_size(workers, chain.scanner)) as crew:
        for block in crew.ahead(itertools.chain(first, stream), opening.start):
            chain.follow(block)
            crew.is_done = chain.is_done
            tick()
    return chain.finish(crew.benches)


def _crew_size(asked: int, scanner: Scanner) -> int:
    """How many read ahead; none where one reader is asked for or Python reads, which gains nothing from threads."""
    if asked == 1 or (asked == 0 and isinstance(scanner, TwinScanner)):
        return 0
    return asked or min(MAX_WORKERS, _processors())


def _open(stream: Iterator[bytes]) -> tuple[bytes, Opening]:
    """The text up to and beyond where the events begin."""
    head = next(stream, b"")
    while (opening := find_events(head, is_last=False)) is None or len(head) < opening.start + LEAD_BYTES:
        wanted = 2 * len(head) + 1
        parts = [head]
        while sum(map(len, parts)) < wanted:
            block = next(stream, None)
            if block is None:
                head = b"".join(parts)
                return head, find_events(head, is_last=True) or Opening()
            parts.append(block)
        head = b"".join(parts)
    return head, opening


def _indent(head: bytes, opening: Opening) -> bytes | None:
    lead = head[opening.start : opening.start + LEAD_BYTES]
    return indent_of(b"\n" + lead if opening.is_lines else lead)


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Rows(NamedTuple):
    """Rows that came of a scan: of which pile, from and to where in its tables."""

    bench: int
    pile: int
    first: Counts
    last: Counts


class _Ahead(NamedTuple):
    """What a worker read of a block: from which guess, where it stopped and why, and what came of it."""

    guess: int
    end: int
    status: int
    rows: _Rows


class _Block(NamedTuple):
    """A part of the text, and where it stands there."""

    text: bytes
    base: int
    ahead: _Ahead | None


class _Bench:
    """A scanner and the piles of rows it has finished with; used by one thread at a time."""

    def __init__(self, make: Callable[[], Scanner], number: int) -> None:
        self.scanner = make()
        self.piles: list[Pile] = []
        self._number = number

    def scan(self, text: bytes, start: int, base: int) -> tuple[int, int, _Rows]:
        """Where scanning stopped, why, and the rows that came of it."""
        first = self._begin()
        end, status = self.scanner.scan(text, start, base)
        return end, status, self._rows(first)

    def scan_one(self, text: bytes, offset: int, length: int) -> _Rows | None:
        """The rows of one event's text, None when it is no valid event."""
        first = self._begin()
        return self._rows(first) if self.scanner.scan_one(text, offset, length) else None

    def finish(self) -> None:
        self.piles.append(take_pile(self.scanner, self._number))

    def _begin(self) -> Counts:
        counts = self.scanner.counts()
        if counts[0] >= PILE_EVENTS:
            self.finish()
            counts = self.scanner.counts()
        return counts

    def _rows(self, first: Counts) -> _Rows:
        return _Rows(self._number, len(self.piles), first, self.scanner.counts())


class _Crew:
    """Workers with a bench each; every one reads its own blocks in order."""

    def __init__(self, make: Callable[[], Scanner], count: int) -> None:
        self.benches = [_Bench(make, number + 1) for number in range(count)]
        self.is_done = False
        self._pools = [ThreadPoolExecutor(1, thread_name_prefix="scan") for _ in self.benches]

    def __enter__(self) -> _Crew:
        return self

    def __exit__(self, *_: object) -> None:
        for pool in self._pools:
            pool.shutdown(cancel_futures=True)

    def ahead(self, blocks: Iterator[bytes], base: int) -> Iterator[_Block]:
        """The blocks in order, each with what was read of it ahead of its turn."""
        waiting: deque[tuple[bytes, int, Future[_Ahead | None]]] = deque()
        for number, text in enumerate(blocks):
            if not self._pools:
                yield _Block(text, base, None)
            else:
                worker = number % len(self._pools)
                waiting.append((text, base, self._pools[worker].submit(self._read, worker, text, base)))
            base += len(text)
            if len(waiting) > len(self._pools):
                yield self._next(waiting)
        while waiting:
            yield self._next(waiting)

    @staticmethod
    def _next(waiting: deque[tuple[bytes, int, Future[_Ahead | None]]]) -> _Block:
        text, base, future = waiting.popleft()
        return _Block(text, base, future.result())

    def _read(self, worker: int, text: bytes, base: int) -> _Ahead | None:
        match = None if self.is_done else RESYNC.search(text)
        if match is None:
            return None
        return _Ahead(match.start(1), *self.benches[worker].scan(text, match.start(1), base))


class _Chain:
    """Goes through the text in order with a bench of its own, and adopts what was read ahead where it lands there."""

    def __init__(self, make: Callable[[], Scanner], notes: NoteBook, opening: Opening, *, indent: bytes | None) -> None:
        self._bench = _Bench(make, 0)
        self._notes = notes
        self._opening = opening
        self._recovery = Recovery(indent)
        self._rest, self._at = b"", opening.start
        self._found: list[_Rows] = []
        self._tail: list[bytes] = []
        self._tail_at = -1
        self._cut_at = -1

    @property
    def scanner(self) -> Scanner:
        return self._bench.scanner

    @property
    def is_done(self) -> bool:
        """The list of events has ended."""
        return self._tail_at >= 0

    def follow(self, block: _Block) -> None:
        """Takes the next block of the text."""
        text, base, ahead = block
        if self.is_done:
            if sum(map(len, self._tail)) < TAIL_BYTES:
                self._tail.append(text)
        elif ahead is not None and not self._recovery.is_inside and self._lands(text, ahead):
            self._adopt(ahead.rows)
            self._settle(text, base, ahead.end, ahead.status, is_last=False)
        else:
            self._read(self._rest + text, self._at, 0, is_last=False)

    def _lands(self, text: bytes, ahead: _Ahead) -> bool:
        """Reads up to the guess; what was read is taken back by no one, so it is kept only when it lands."""
        before = self._rest + text[: ahead.guess]
        _, status, rows = self._bench.scan(before, 0, self._at)
        if status == LANDED:
            self._adopt(rows)
        return status == LANDED

    def finish(self, crew: list[_Bench]) -> Gathered:
        """Reads what is left, now that no more text comes, and hands out all rows."""
        meta = self._opening.meta
        if self._opening.start >= 0 and not self.is_done:
            self._read(self._rest, self._at, 0, is_last=True)
        if self.is_done:
            tail = b"".join(self._tail)
            meta |= read_tail(tail, self._tail_at, is_bare=self._opening.is_bare, notes=self._notes)
        benches = [self._bench, *crew]
        for bench in benches:
            bench.finish()
        scanners = [bench.scanner for bench in benches]
        piles = [pile for bench in benches for pile in bench.piles]
        first = list(itertools.accumulate((len(bench.piles) for bench in benches), initial=0))
        stretches = [Stretch(first[rows.bench] + rows.pile, rows.first, rows.last) for rows in self._found]
        return Gathered(scanners, piles, stretches, meta, self._opening.start >= 0, self._cut_at)

    def _read(self, text: bytes, at: int, start: int, *, is_last: bool) -> None:
        end, status = self._scan(text, at, start)
        self._settle(text, at, end, status, is_last=is_last)

    def _scan(self, text: bytes, at: int, start: int) -> tuple[int, int]:
        if self._recovery.is_inside:
            return start, ODD
        end, status, rows = self._bench.scan(text, start, at)
        self._adopt(rows)
        return end, status

    def _adopt(self, rows: _Rows) -> None:
        """These rows come next in the file."""
        before = self._found[-1] if self._found else None
        if before is not None and before[:2] == rows[:2] and before.last == rows.first:
            self._found[-1] = before._replace(last=rows.last)
        elif rows.first != rows.last:
            self._found.append(rows)

    def _settle(self, text: bytes, at: int, end: int, status: int, *, is_last: bool) -> None:
        """Goes on from where a scan stopped, until the text is used up or more of it is needed."""
        while status != LANDED:
            self._at = at + end
            if status == END and not self._opening.is_lines:
                is_end = list_ends(text, end, is_bare=self._opening.is_bare, is_last=is_last)
                if is_end:
                    self._tail, self._tail_at = [text[end + 1 :]], at + end + 1
                if is_end is not False:
                    self._rest = text[end:]
                    return
            left = len(text) - end
            if not is_last and left < (LONGEST_EVENT if status == CUT else WINDOW):
                self._rest = text[end:]
                return
            end = -1 if is_last and status == CUT else self._recover(text, at, end, is_last=is_last)
            if end < 0:
                self._rest, self._cut_at = b"", self._at
                return
            end, status = self._scan(text, at, end)
        self._rest, self._at = b"", at + end
        if is_last and not self._opening.is_lines:
            self._cut_at = self._at

    def _recover(self, text: bytes, at: int, end: int, *, is_last: bool) -> int:
        """Mends or steps over what begins at `end`; gives where to go on, -1 when the file ends in it."""
        window = memoryview(text)[end : end + WINDOW]
        is_last = is_last and end + len(window) == len(text)
        for found in self._recovery.candidates(window, at + end, is_last=is_last):
            if found.mended is not None:
                if self._take_mended(found, at + end):
                    return end + found.length
            elif found.is_cut:
                return -1
            else:
                if not found.is_rest:
                    self._notes.add("bad_event", offset=at + end, text=short(bytes(window[: found.length])))
                return end + max(1, found.length)
        return len(text)

    def _take_mended(self, found: Remedy, offset: int) -> bool:
        mended = found.mended
        rows = None if mended is None else self._bench.scan_one(mended.text, offset, found.length)
        if mended is None or rows is None:
            return False
        self._adopt(rows)
        for code, count in (("bad_text", mended.bad_text), ("non_finite", mended.non_finite)):
            if count:
                name = _name(mended.text) if self._notes.wants_sample(code) else ""
                self._notes.add(code, count=count, offset=offset, text=name)
        return True


def _name(text: bytes) -> str:
    """What an event calls itself."""
    try:
        event = msgspec.json.decode(text)
    except BAD_JSON:
        return ""
    return str(event.get("name", ""))[:120] if isinstance(event, dict) else ""
