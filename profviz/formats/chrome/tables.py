"""The tables a scanner fills, whichever it is: names and types of their columns, and joining them in file order.

Knows nothing of JSON and nothing of what the columns mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from profviz.core.heap import give_back
from profviz.core.moving import extremes, lessened, put
from profviz.core.moving import picked as picked

Column = npt.NDArray[Any]
Counts = tuple[int, ...]

LANDED, END, ODD, CUT = range(4)
"""How a scan ended: between two events; at the array's `]`; at something that is no valid event; inside an event."""

BAD_TIME, NO_DUR, KEPT, BEGIN, ASYNC = 1, 2, 4, 8, 16
"""Bits of the `state` columns."""

NO_ID = (1 << 64) - 1
OTHER_ID = 1 << 63
"""An `id` at or above this (and not NO_ID) counts in the ids that are no plain decimals."""
OTHER_PHASE = 1

# little but exact: these widths are what a big trace costs in memory
TABLES: dict[str, dict[str, str]] = {
    "events": {"offset": "u8", "length": "u4"},
    "slices": {
        "event": "u4",
        "start": "i8",
        "dur": "i8",
        "name": "u4",
        "category": "u4",
        "lane": "u4",
        "correlation": "i4",
        "external": "i4",
        "state": "u1",
    },
    "gpu": {
        "slice": "u4",
        **dict.fromkeys(("device", "stream"), "i4"),
        **dict.fromkeys(("grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z", "registers"), "i4"),
        **dict.fromkeys(("shared", "bytes"), "i8"),
        **dict.fromkeys(("occupancy", "bandwidth"), "f8"),
        **dict.fromkeys(("graph", "graph_node"), "i8"),
    },
    "dims": {"slice": "u4", "text": "u4"},
    "marks": {
        "event": "u4",
        "phase": "u1",
        "time": "i8",
        "name": "u4",
        "category": "u4",
        "lane": "u4",
        "id": "u8",
        "state": "u1",
    },
    "values": {"event": "u4", "key": "u4", "value": "f8"},
    "memory": {
        "event": "u4",
        **dict.fromkeys(("address", "bytes", "allocated", "reserved"), "i8"),
        **dict.fromkeys(("device_type", "device"), "i4"),
    },
}

_WIDE = {"slices.start", "marks.time", "marks.id"}
"""Columns that keep their type whatever is in them."""

_SMALLER = [(np.dtype(kind), int(np.iinfo(kind).max)) for kind in (np.uint8, np.uint16, np.uint32)]
_LARGE = 2 << 20

_NUMBERS = {table: number for number, table in enumerate(TABLES)}

# what a column counts in: row numbers of another table, or one of the scanner's own lists of texts
_ROWS_OF = {"event": "events", "slice": "slices"}
_TEXTS_OF = {"name": "strings", "key": "strings", "text": "strings", "category": "categories", "lane": "lanes"}


class Scanner(Protocol):
    """What reads elements of a JSON array into the tables; the native one and its Python twin both do."""

    def scan(self, data: bytes, start: int, base: int, /) -> tuple[int, int]:
        """Reads events of `data` from `start`; gives where it stopped and why. Offsets count from `base`."""
        ...

    def scan_one(self, text: bytes, offset: int, length: int, /) -> bool:
        """Takes one event's text that stands for `length` bytes at `offset`; False when it is no valid event."""
        ...

    def counts(self) -> Counts: ...
    def columns(self) -> Mapping[str, Any]: ...
    def strings(self) -> Sequence[bytes]: ...
    def categories(self) -> Sequence[bytes]: ...
    def lanes(self) -> Sequence[tuple[bytes, bytes]]: ...
    def ids(self) -> Sequence[bytes]: ...
    def kept(self) -> Sequence[tuple[int, bytes]]: ...


@dataclass(frozen=True, slots=True)
class Narrow:
    """A column in as few bytes as its range needs: the values are `base` more than they stand here.

    `most` is the greatest of whole numbers, without the base.
    """

    base: int
    values: Column
    most: int = 0

    def __len__(self) -> int:
        return len(self.values)


@dataclass(slots=True)
class Pile:
    """Rows that a scanner gathered: its columns, kept texts and how many rows each table holds."""

    scanner: int
    columns: dict[str, Narrow]
    kept: Sequence[tuple[int, bytes]]


@dataclass(frozen=True, slots=True)
class Stretch:
    """Rows `first` to `last` of each table of a pile, which stand together in the file."""

    pile: int
    first: Counts
    last: Counts


@dataclass(slots=True)
class Tables:
    """All rows in file order: columns named `table.column`; texts decoded; ids that are no decimals.

    `names`, `keys` and `texts` share `strings`; a lane is a pair (pid, tid) as `label` reads them. A column that is
    `waiting` is put together when it is first asked for: in pieces it takes less memory.
    """

    columns: dict[str, Column]
    strings: list[str]
    categories: list[str]
    lanes: list[tuple[Any, Any]]
    kept: dict[int, bytes] = field(default_factory=dict)
    waiting: dict[str, Callable[[], Column]] = field(default_factory=dict)

    def take(self, name: str) -> Column:
        """Hands a column over: it is forgotten here, so that its memory ends with its last use."""
        return self.waiting.pop(name)() if name in self.waiting else self.columns.pop(name)

    def __getitem__(self, name: str) -> Column:
        if name in self.waiting:
            self.columns[name] = self.waiting.pop(name)()
        return self.columns[name]

    def clear(self) -> None:
        """Forgets all columns."""
        self.columns.clear()
        self.waiting.clear()


def take_pile(scanner: Scanner, number: int) -> Pile:
    """Takes the rows out of the scanner with that number."""
    kept = scanner.kept()
    raw = dict(scanner.columns())
    columns = {
        f"{table}.{name}": narrowed(np.frombuffer(raw.pop(f"{table}.{name}"), dtype=np.dtype(kind)))
        for table, names in TABLES.items()
        for name, kind in names.items()
    }
    return Pile(number, columns, kept)


def narrowed(column: Column) -> Narrow:
    """The column in the fewest bytes; one that is all alike takes none."""
    if not len(column):
        return Narrow(0, column)
    if column.dtype.kind == "f":
        return Narrow(0, _narrow_real(column))
    low, high = extremes(column)
    if low == high:
        return Narrow(low, np.broadcast_to(np.uint8(0), column.shape))
    for kind, most in _SMALLER:
        if high - low <= most and kind.itemsize < column.itemsize:
            return Narrow(low, lessened(column, low, kind), high - low)
    return Narrow(0, column, high)


def _narrow_real(column: Column) -> Column:
    known = column[column == column]
    if not len(known):
        return np.broadcast_to(np.float32(np.nan), column.shape)
    small = column.astype(np.float32)
    return small if (small[column == column] == known).all() else column


def join(
    scanners: Sequence[Scanner],
    piles: Sequence[Pile],
    stretches: Sequence[Stretch],
    *,
    text: Callable[[bytes], str],
    label: Callable[[bytes], Any],
) -> Tables:
    """One table of each kind, in the order of the stretches. The piles' columns are used up as they are asked for."""
    texts = {
        "strings": _Union([[text(raw) for raw in one.strings()] for one in scanners]),
        "categories": _Union([[text(raw) for raw in one.categories()] for one in scanners]),
        "lanes": _Union([[(label(pid), label(tid)) for pid, tid in one.lanes()] for one in scanners], key=repr),
    }
    ids = _Union([list(one.ids()) for one in scanners])
    layout = _Layout(piles, stretches)
    waiting: dict[str, Callable[[], Column]] = {}
    for table, names in TABLES.items():
        for name, kind in names.items():
            parts = _Parts(piles, layout, table, name, kind)
            make: Callable[[], Column]
            if name in _ROWS_OF:
                make = partial(parts.shifted, _ROWS_OF[name])
            elif name in _TEXTS_OF:
                make = partial(parts.renumbered, texts[_TEXTS_OF[name]].places)
            else:
                make = parts.plain
            waiting[parts.title] = partial(_made, make)
    marks_id = waiting["marks.id"]
    waiting["marks.id"] = lambda: _joined_ids(marks_id(), ids, piles, stretches)
    kept = _joined_kept(piles, stretches)
    return Tables({}, texts["strings"].items, texts["categories"].items, texts["lanes"].items, kept, waiting)


def _made(make: Callable[[], Column]) -> Column:
    """Of a large column the pieces go back to the system at once: they are too small to go there by themselves."""
    column = make()
    if column.nbytes >= _LARGE:
        give_back()
    return column


class _Union:
    """Equal items of several lists numbered alike; `places[i]` maps the numbers of list i.

    Sorted, their numbers do not tell how the file was read.
    """

    def __init__(self, lists: Sequence[Sequence[Any]], *, key: Callable[[Any], Any] | None = None) -> None:
        self.items = sorted({item for items in lists for item in items}, key=key)
        numbers = {item: number for number, item in enumerate(self.items)}
        self.places = [np.array([numbers[item] for item in items], dtype=np.uint32) for items in lists]


class _Layout:
    """Where the rows of each pile go, table by table."""

    def __init__(self, piles: Sequence[Pile], stretches: Sequence[Stretch]) -> None:
        shape = len(stretches), len(TABLES)
        self._first = np.array([stretch.first for stretch in stretches], dtype=np.int64).reshape(shape)
        self._last = np.array([stretch.last for stretch in stretches], dtype=np.int64).reshape(shape)
        ends = np.cumsum(self._last - self._first, axis=0)
        self._at = ends - (self._last - self._first)
        self._sizes = ends[-1].tolist() if len(stretches) else [0] * len(TABLES)
        pile = np.array([stretch.pile for stretch in stretches], dtype=np.int64)
        order = np.argsort(pile, kind="stable")
        self._of_pile = np.split(order, np.searchsorted(pile[order], np.arange(1, len(piles))))

    def size(self, table: str) -> int:
        """Rows of the joined table."""
        return int(self._sizes[_NUMBERS[table]])

    def spans(self, table: str) -> list[Column]:
        """For each pile from and to where its stretches stand in it, and where in the joined table."""
        number = _NUMBERS[table]
        columns = np.stack([side[:, number] for side in (self._first, self._last, self._at)], axis=1)
        return [columns[own] for own in self._of_pile]

    def moves(self, rows_of: str) -> list[Column]:
        """For each of these spans how far the rows of another table that it names move when they are joined."""
        number = _NUMBERS[rows_of]
        moves = self._at[:, number] - self._first[:, number]
        return [moves[own] for own in self._of_pile]


@dataclass(slots=True)
class _Parts:
    """One column of all piles."""

    piles: Sequence[Pile]
    layout: _Layout
    table: str
    name: str
    kind: str

    @property
    def title(self) -> str:
        return f"{self.table}.{self.name}"

    def plain(self) -> Column:
        columns = self._take()
        kind = np.dtype(self.kind) if self.title in _WIDE else _least_kind(columns, self.kind)
        out = self._empty(kind)
        if kind.kind in "iu" and _are_alike(columns):
            out.fill(next((column.base for column in columns if len(column)), 0))
            return out
        for column, spans in zip(columns, self.layout.spans(self.table), strict=True):
            if kind.kind == "f":
                for first, last, at in spans.tolist():
                    out[at : at + last - first] = column.values[first:last]
            else:
                put(out, column.values, spans, base=column.base)
        return out

    def renumbered(self, places: Sequence[Column]) -> Column:
        columns = self._take()
        most = max((int(place.max()) for place in places if len(place)), default=0)
        out = self._empty(np.min_scalar_type(most))
        for pile, column, spans in zip(self.piles, columns, self.layout.spans(self.table), strict=True):
            put(out, column.values, spans, base=column.base, known=places[pile.scanner])
        return out

    def shifted(self, rows_of: str) -> Column:
        """Row numbers of another table, moved to where those rows stand in the joined one."""
        columns = self._take()
        out = self._empty(np.dtype(np.uint32))
        moves = self.layout.moves(rows_of)
        for column, spans, move in zip(columns, self.layout.spans(self.table), moves, strict=True):
            put(out, column.values, spans, base=column.base, moves=move)
        return out

    def _take(self) -> list[Narrow]:
        return [one.columns.pop(self.title) for one in self.piles]

    def _empty(self, kind: np.dtype[Any]) -> Column:
        return np.empty(self.layout.size(self.table), kind)


def _are_alike(columns: Sequence[Narrow]) -> bool:
    """Each column takes no memory, and they all stand for the same value."""
    filled = [column for column in columns if len(column)]
    return all(column.values.strides == (0,) for column in filled) and len({column.base for column in filled}) < 2


def _least_kind(columns: Sequence[Narrow], kind: str) -> np.dtype[Any]:
    """The smallest type that holds all of a column."""
    filled = [column for column in columns if len(column)]
    if np.dtype(kind).kind == "f":
        return np.result_type(np.float32, *(column.values.dtype for column in filled))
    lows = [column.base for column in filled]
    highs = [column.base + column.most for column in filled]
    low, high = min(lows, default=0), max(highs, default=0)
    if np.dtype(kind).kind == "u":
        return np.min_scalar_type(high)
    return np.promote_types(np.min_scalar_type(min(low, -1)), np.min_scalar_type(-high - 1))


def _joined_ids(ids: Column, union: _Union, piles: Sequence[Pile], stretches: Sequence[Stretch]) -> Column:
    """Renumbers the ids that are no plain decimals; those that are stay as they are."""
    if not union.items:
        return ids
    marks = list(TABLES).index("marks")
    out = ids.copy()
    at = 0
    for stretch in stretches:
        part = out[at : at + stretch.last[marks] - stretch.first[marks]]
        other = (part >= OTHER_ID) & (part != NO_ID)
        places = union.places[piles[stretch.pile].scanner].astype(np.uint64)
        part[other] = places[(part[other] - np.uint64(OTHER_ID)).astype(np.int64)] + np.uint64(OTHER_ID)
        at += len(part)
    return out


def _joined_kept(piles: Sequence[Pile], stretches: Iterable[Stretch]) -> dict[int, bytes]:
    """The kept texts by event number; each scanner's come in ascending order, and so do its stretches."""
    waiting = [iter(one.kept) for one in piles]
    heads = [next(one, None) for one in waiting]
    kept: dict[int, bytes] = {}
    before = 0
    for stretch in stretches:
        low, high, who = stretch.first[0], stretch.last[0], stretch.pile
        head = heads[who]
        while head is not None and head[0] < high:
            if head[0] >= low:
                kept[head[0] - low + before] = head[1]
            head = next(waiting[who], None)
        heads[who] = head
        before += high - low
    return kept
