"""The scanner in Python, for machines without a compiler: the same rows as the native one, slower.

Only perfectly valid JSON passes; everything else is handed back to be mended.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from profviz.formats.chrome.event import (
    BAD_JSON,
    NO_ARGS,
    Args,
    Event,
    OddEvent,
    decode_args,
    decode_event,
    decode_odd_event,
)
from profviz.formats.chrome.exact_time import duration_ns, time_ns
from profviz.formats.chrome.recovery import RESYNC
from profviz.formats.chrome.strict import MAX_DEPTH, event_end, gap_end, is_blank, is_flat_enough, is_utf8
from profviz.formats.chrome.tables import (
    ASYNC,
    BAD_TIME,
    BEGIN,
    END,
    KEPT,
    LANDED,
    NO_DUR,
    NO_ID,
    ODD,
    OTHER_ID,
    OTHER_PHASE,
    TABLES,
    Counts,
)
from profviz.model.trace import MISSING

LOOK_BACK = 1 << 16
_PLAIN_ID = re.compile(rb"0|[1-9]\d{0,18}")
_ITEMS = msgspec.json.Decoder(list[msgspec.Raw])
_CODES = {"u8": "Q", "u4": "I", "i8": "q", "i4": "i", "u1": "B", "f8": "d"}
_SLICE_STATES = {"X": 0, "B": BEGIN | NO_DUR, "b": ASYNC | NO_DUR, "S": ASYNC | NO_DUR}
_ID2_PHASES = frozenset("benSTF")
_I32, _I64 = 31, 63
_GPU = (
    *((name, name, _I32) for name in ("device", "stream")),
    ("registers", "registers", _I32),
    *((name, name, _I64) for name in ("shared", "bytes", "graph", "graph_node")),
)
_MEMORY = (
    ("address", "address", _I64),
    ("bytes", "size", _I64),
    ("allocated", "allocated", _I64),
    ("reserved", "reserved", _I64),
    ("device_type", "device_type", _I32),
    ("device", "device_id", _I32),
)


class _Numbers:
    """Numbers texts in order of appearance, the empty one 0. A str is a JSON string, bytes are any other value."""

    def __init__(self) -> None:
        self._index: dict[str | bytes, int] = {"": 0}

    def __call__(self, item: str | bytes | None) -> int:
        return self._index.setdefault(item, len(self._index)) if item else 0

    def raw(self) -> list[bytes]:
        return [_raw_text(item) for item in self._index]


def _raw_text(item: str | bytes | int | None) -> bytes:
    if item is None:
        return b""
    if isinstance(item, str):
        return json.dumps(item, ensure_ascii=False)[1:-1].encode()
    return b"\0" + (item if isinstance(item, bytes) else str(item).encode())


class TwinScanner:
    """See `tables.Scanner`."""

    def __init__(self, gpu_categories: tuple[bytes, ...]) -> None:
        self._gpu = frozenset(name.decode() for name in gpu_categories)
        self._is_gpu: dict[str | bytes | None, bool] = {}
        self._strings, self._categories, self._ids = _Numbers(), _Numbers(), _Numbers()
        self._lanes: dict[tuple[Any, Any], int] = {}
        self._kept: list[tuple[int, bytes]] = []
        self._clear()

    def _clear(self) -> None:
        self._columns = {
            f"{table}.{name}": array(_CODES[kind]) for table, names in TABLES.items() for name, kind in names.items()
        }
        self._add = {table: self._adder(table) for table in TABLES}
        self._kept = []

    def _adder(self, table: str) -> Callable[..., None]:
        appends = [self._columns[f"{table}.{name}"].append for name in TABLES[table]]

        def add(*values: Any) -> None:
            for append, value in zip(appends, values, strict=True):
                append(value)

        return add

    def counts(self) -> Counts:
        return tuple(len(self._columns[f"{table}.{next(iter(names))}"]) for table, names in TABLES.items())

    def columns(self) -> dict[str, Any]:
        taken = self._columns
        self._clear()
        return taken

    def strings(self) -> list[bytes]:
        return self._strings.raw()

    def categories(self) -> list[bytes]:
        return self._categories.raw()

    def lanes(self) -> list[tuple[bytes, bytes]]:
        return [(_raw_text(pid), _raw_text(tid)) for pid, tid in self._lanes]

    def ids(self) -> list[bytes]:
        return self._ids.raw()[1:]

    def kept(self) -> Sequence[tuple[int, bytes]]:
        return self._kept

    def scan(self, data: bytes, start: int, base: int) -> tuple[int, int]:
        """See `tables.Scanner.scan`."""
        at = self._scan_quickly(data, gap_end(data, start), base)
        return self._scan_slowly(data, at, base)

    def _scan_quickly(self, data: bytes, at: int, base: int) -> int:
        """Takes as much as is a valid array when brackets are put around it; gives where to go on."""
        text = data[at : _last_event(data, at)].rstrip(b" \t\r\n,")
        try:
            items = _ITEMS.decode(b"[" + text + b"]")
        except BAD_JSON:
            return at
        if not items or not is_utf8(text) or any(memoryview(item)[0] != 0x7B for item in items):
            return at
        size = 0
        for item in items:
            at = data.find(b"{", at + size)  # between the elements of a valid array stand only blanks and a comma
            size = memoryview(item).nbytes
            if not self._take(item, base + at, size):
                return at
        return at + size

    def scan_one(self, text: bytes, offset: int, length: int) -> bool:
        """See `tables.Scanner.scan_one`."""
        return not is_blank(text) and is_utf8(text) and self._take(text, offset, length)

    def _scan_slowly(self, data: bytes, at: int, base: int) -> tuple[int, int]:
        chars = data[at:].decode("latin-1")  # keeps every byte's place
        first = at
        while True:
            at = gap_end(data, at)
            if at == len(data):
                return at, LANDED
            if data[at] != 0x7B:
                return at, END if data[at] == 0x5D else ODD
            end, status = event_end(data, at, chars, first)
            if end < 0:
                return at, status
            event = data[at:end]
            if not is_utf8(event) or not self._take(event, base + at, end - at):
                return at, ODD
            at = end

    def _take(self, text: bytes | msgspec.Raw, offset: int, length: int) -> bool:
        """Adds an event's rows; False when the text, which is UTF-8, is no strictly valid object."""
        if length <= 2 or is_blank(memoryview(text)):
            return True
        if length > 2 * MAX_DEPTH and not is_flat_enough(bytes(text)):
            return False
        try:
            event = decode_event(text)
        except BAD_JSON:  # if only for a type or a size that is unusual, it is still an event
            return self._take_odd(bytes(text), offset, length)
        self._add_event(event, event.args or NO_ARGS, text, offset, length)
        return True

    def _take_odd(self, text: bytes, offset: int, length: int) -> bool:
        """An event of which some field has an unusual type."""
        try:
            odd = decode_odd_event(text)
            raw = bytes(odd.args)
            args = decode_args(raw) if raw[:1] == b"{" else NO_ARGS
            usual = _usual(odd)
        except BAD_JSON:
            return False
        self._add_event(usual, args, text, offset, length)
        return True

    def _add_event(self, event: Any, args: Args, text: bytes | msgspec.Raw, offset: int, length: int) -> None:
        number = len(self._columns["events.offset"])
        self._add["events"](offset, min(length, 0xFFFFFFFF))
        phase = event.ph
        keep = False
        if phase in _SLICE_STATES:
            keep = self._add_slice(event, args, number)
        if phase == "M":
            keep = True
        elif phase != "X":
            keep = self._add_mark(event, args, number) or keep
        if keep:
            self._kept.append((number, bytes(text)))

    def _lane(self, event: Any) -> int:
        pid, tid = event.pid, event.tid
        return self._lanes.setdefault((None if pid == "" else pid, None if tid == "" else tid), len(self._lanes))

    def _add_slice(self, event: Any, args: Args, number: int) -> bool:
        state = _SLICE_STATES[event.ph]
        ts = _content(event.ts)
        time = time_ns(ts)
        dur = None if state else duration_ns(_content(event.dur), ts)
        if time is None:
            state |= BAD_TIME
        if dur is None:
            state |= NO_DUR
        correlation, odd_correlation = _integer(args.correlation, _I32)
        external, odd_external = _integer(args.external_id, _I32)
        row = len(self._columns["slices.event"])
        odd_gpu = self._is_gpu_work(event.cat) and self._add_gpu(args, row)
        dims = bytes(args.dims)
        if dims not in (b"", b"null"):
            self._add["dims"](row, self._strings(_content_or_raw(dims)))
        is_odd = odd_correlation or odd_external or odd_gpu
        self._add["slices"](
            number,
            time or 0,
            dur or 0,
            self._strings(event.name),
            self._categories(event.cat),
            self._lane(event),
            correlation,
            external,
            state | (KEPT if is_odd else 0),
        )
        return is_odd

    def _is_gpu_work(self, category: str | bytes | None) -> bool:
        found = self._is_gpu.get(category)
        if found is None:
            found = self._is_gpu[category] = isinstance(category, str) and _lower(category) in self._gpu
        return found

    def _add_gpu(self, args: Args, row: int) -> bool:
        """Adds the GPU columns of a slice; True when one of them could not be read as it stands."""
        values = {column: _integer(getattr(args, field), bits) for column, field, bits in _GPU}
        grid, block = _triple(args.grid), _triple(args.block)
        occupancy, bandwidth = _real(args.occupancy), _real(args.bandwidth)
        self._add["gpu"](
            row,
            values["device"][0],
            values["stream"][0],
            *grid[0],
            *block[0],
            *(values[name][0] for name in ("registers", "shared", "bytes")),
            occupancy[0],
            bandwidth[0],
            values["graph"][0],
            values["graph_node"][0],
        )
        return any(odd for _, odd in (*values.values(), grid, block, occupancy, bandwidth))

    def _add_mark(self, event: Any, args: Args, number: int) -> bool:
        """Adds a mark's row; True when the event's text must be kept."""
        phase = event.ph
        code = ord(phase) if isinstance(phase, str) and len(phase) == 1 and phase.isascii() else OTHER_PHASE
        time = time_ns(_content(event.ts))
        odd_memory = phase in ("i", "I") and event.name == "[memory]" and self._add_memory(args, number)
        keep = odd_memory or phase == "C" or code == OTHER_PHASE
        self._add["marks"](
            number,
            code,
            time or 0,
            self._strings(event.name),
            self._categories(event.cat),
            self._lane(event),
            self._id(event),
            (BAD_TIME if time is None else 0) | (KEPT if keep else 0),
        )
        return keep

    def _add_memory(self, args: Args, number: int) -> bool:
        values = [_integer(getattr(args, field), bits) for _, field, bits in _MEMORY]
        self._add["memory"](number, *(value for value, _ in values))
        return any(odd for _, odd in values)

    def _id(self, event: Any) -> int:
        raw = bytes(event.id)
        is_id2 = raw in (b"", b"null") and event.ph in _ID2_PHASES and bytes(event.id2) not in (b"", b"null")
        if is_id2:
            raw = bytes(event.id2)
        if raw in (b"", b"null"):
            return NO_ID
        content = raw[1:-1] if raw[:1] == b'"' else raw
        if not is_id2 and _PLAIN_ID.fullmatch(content) and int(content) < OTHER_ID:
            return int(content)
        return OTHER_ID | (self._ids(_content_or_raw(raw) or b'""') - 1)


def _usual(odd: OddEvent) -> Event:
    """The event of an odd one: strings decoded, null and missing as None, anything else as its bytes."""
    fields = [_content_or_raw(bytes(getattr(odd, name))) for name in ("ph", "name", "cat", "pid", "tid")]
    values: list[Any] = [*fields, odd.ts, odd.dur, odd.id, odd.id2]
    return Event(*values)


def _content_or_raw(token: bytes) -> str | bytes | None:
    if token in (b"", b"null"):
        return None
    return msgspec.json.decode(token, type=str) if token[:1] == b'"' else token


def _content(token: msgspec.Raw) -> bytes:
    """A token without its quotes; nothing of a time that is written as something else than a number or a string."""
    raw = bytes(token)
    return raw[1:-1] if raw[:1] == b'"' else raw


def _integer(value: Any, bits: int) -> tuple[int, bool]:
    """The value as a column holds it, and whether it has to be looked at again."""
    if value is None:
        return MISSING, False
    if type(value) is int and -(1 << bits) <= value < 1 << bits:
        return value, False
    return MISSING, True


def _triple(value: Any) -> tuple[tuple[int, int, int], bool]:
    if value is None:
        return (MISSING,) * 3, False
    if isinstance(value, list) and len(value) == 3:
        x, y, z = (_integer(item, _I32) for item in value)
        if not (x[1] or y[1] or z[1] or None in value):
            return (x[0], y[0], z[0]), False
    return (MISSING,) * 3, True


def _real(value: Any) -> tuple[float, bool]:
    if value is None:
        return float("nan"), False
    if type(value) in (int, float) and abs(value) < 1e15:
        return float(value), False
    return float("nan"), True


def _lower(category: str) -> str:
    return category.lower() if category.isascii() else category


def _last_event(data: bytes, at: int) -> int:
    """Where the last event of the data seems to begin: it may not be all there."""
    found = [match.start(1) for match in RESYNC.finditer(data, max(at, len(data) - LOOK_BACK))]
    return found[-1] if found else len(data)
