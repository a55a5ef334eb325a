"""Collects events into plain lists, one collector a phase; times are still the file's own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from profviz.formats.chrome.event import NO_ARGS, Args, Event, Number
from profviz.formats.chrome.exact_time import duration_ns, parse_us
from profviz.formats.chrome.lanes import LaneTable
from profviz.model.categories import is_gpu_work
from profviz.model.notes import NoteBook
from profviz.model.trace import MISSING, Flag

FAR_NS = 1 << 62
"""No slice ends later, so that adding two times never overflows."""
ABSURD_NS = 30 * 24 * 3600 * 1_000_000_000
"""Thirty days: no profiler records a slice that long, while a subtraction gone wrong easily makes one."""
UNFINISHED_NS = -1_000
"""A duration of -1 us is how the profiler writes that a slice never ended."""


class Table:
    """Numbers distinct texts in order of appearance."""

    def __init__(self) -> None:
        self._index: dict[str, int] = {}

    def index(self, text: str) -> int:
        found = self._index.get(text)
        if found is None:
            found = self._index[text] = len(self._index)
        return found

    def texts(self) -> tuple[str, ...]:
        return tuple(self._index)


@dataclass(slots=True)
class SliceRows:
    """`gpu` holds (row, args) of the slices a device did."""

    start: list[int] = field(default_factory=list)
    dur: list[int] = field(default_factory=list)
    name: list[int] = field(default_factory=list)
    category: list[int] = field(default_factory=list)
    lane: list[int] = field(default_factory=list)
    correlation: list[int] = field(default_factory=list)
    external: list[int] = field(default_factory=list)
    event: list[int] = field(default_factory=list)
    flags: list[int] = field(default_factory=list)
    gpu: list[tuple[int, Args]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Mark:
    """A begin, an end, an instant, a counter or a flow point, waiting for its turn."""

    phase: str
    time: int
    event: int
    name: int
    category: int
    pid: Any
    tid: Any
    id: str = ""


class Rows:
    """Takes events one by one; `names`, `categories` and `lanes` are shared by all columns."""

    def __init__(self, notes: NoteBook) -> None:
        self.notes = notes
        self.names = Table()
        self.categories = Table()
        self.lanes = LaneTable()
        self.slices = SliceRows()
        self.spans: list[Mark] = []
        self.instants: list[Mark] = []
        self.counters: list[Mark] = []
        self.flows: list[Mark] = []
        self._is_gpu: dict[str, bool] = {}
        self._by_phase = {"B": self.spans, "E": self.spans, "C": self.counters}
        self._by_phase |= dict.fromkeys("iIR", self.instants)
        self._by_phase |= dict.fromkeys("stf", self.flows)

    def take(self, event: Event, number: int, offset: int) -> None:
        """Files one event; `number` is its place in the file, `offset` where its text begins."""
        phase = event.ph
        if phase == "X":
            self._take_slice(event, number, offset)
        elif phase == "M":
            self.lanes.take_metadata(event)
        elif phase in self._by_phase:
            self._take_mark(event, number, offset, self._by_phase[phase])
        else:
            self.notes.add("unknown_phase", offset=offset, text=f"phase {phase!r}: {event.name or ''}")

    def _time(self, event: Event, offset: int) -> int | None:
        time = parse_us(bytes(event.ts))
        if time is None or not -FAR_NS < time < FAR_NS:
            self.notes.add("bad_time", offset=offset, text=f"{event.name}: {bytes(event.ts)[:40].decode()}")
            return None
        return time

    def _take_slice(self, event: Event, number: int, offset: int) -> None:
        time = self._time(event, offset)
        if time is None:
            return
        dur = duration_ns(bytes(event.dur), bytes(event.ts))
        self.add_slice(event, number, time, dur, offset)

    def add_slice(self, event: Event, number: int, time: int, dur: int | None, offset: int) -> None:
        flags = 0
        if dur is None or dur < 0 or dur > ABSURD_NS:
            dur, flags = self._odd_duration(event, dur, offset)
        category = event.cat or ""
        args = event.args or NO_ARGS
        rows = self.slices
        is_gpu = self._is_gpu.get(category)
        if is_gpu is None:
            is_gpu = self._is_gpu[category] = is_gpu_work(category)
        if is_gpu:
            rows.gpu.append((len(rows.start), args))
        external = args.external if args.external is not None else args.external_lower
        rows.start.append(time)
        rows.dur.append(dur)
        rows.name.append(self.names.index(event.name or "(unnamed)"))
        rows.category.append(self.categories.index(category))
        rows.lane.append(self.lanes.of_slice(event.pid, event.tid, category, args, is_gpu=is_gpu))
        rows.correlation.append(integer(args.correlation))
        rows.external.append(integer(external))
        rows.event.append(number)
        rows.flags.append(flags)

    def _odd_duration(self, event: Event, dur: int | None, offset: int) -> tuple[int, int]:
        """A duration that can't be drawn as it stands, and its flag; unfinished ones are stretched later."""
        text = f"{event.name}: {bytes(event.dur)[:40].decode(errors='replace')}"
        if dur is None or dur == UNFINISHED_NS:
            self.notes.add("unfinished", offset=offset, text=text)
            return 0, Flag.UNFINISHED
        if dur < 0:
            self.notes.add("negative_duration", offset=offset, text=text)
            return 0, 0
        self.notes.add("absurd_duration", offset=offset, text=text)
        return min(dur, FAR_NS), Flag.ABSURD

    def _take_mark(self, event: Event, number: int, offset: int, into: list[Mark]) -> None:
        time = self._time(event, offset)
        if time is not None:
            name = self.names.index(event.name or "(unnamed)")
            category = self.categories.index(event.cat or "")
            identity = bytes(event.id).decode(errors="replace").strip('"')
            into.append(Mark(event.ph or "", time, number, name, category, event.pid, event.tid, identity))


def integer(value: Any, *, bits: int = 63) -> int:
    """A column's integer of a JSON value; MISSING where it is none or does not fit."""
    if value is None:
        return MISSING
    if type(value) is not int:
        value = _odd_integer(value)
    return value if -(1 << bits) <= value < 1 << bits else MISSING


def _odd_integer(value: Any) -> int:
    if isinstance(value, str) and len(value) < 30 and value.strip().lstrip("-").isdecimal():
        return int(value)
    if isinstance(value, float | Number) and value == value and abs(value) < 1 << 53 and value == int(value):
        return int(value)
    return MISSING


def triple(value: Any) -> tuple[int, int, int]:
    """Three integers of a JSON list; MISSING three times where it is none."""
    if not isinstance(value, list) or len(value) != 3:
        return MISSING, MISSING, MISSING
    x, y, z = (integer(item, bits=31) for item in value)
    return x, y, z


def real(value: Any) -> float:
    """A finite number of a JSON value, NaN where it is none."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return float("nan")
    return number if np.isfinite(number) else float("nan")
