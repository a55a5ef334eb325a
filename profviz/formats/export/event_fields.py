"""The events of a trace as fields ready to be written: the file's own ones with exact, repaired times.

Begin and end pairs become complete events. Where the file's text is not at hand see `made_fields`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np

from profviz.formats.chrome.event import BAD_JSON
from profviz.formats.chrome.exact_time import time_ns
from profviz.formats.chrome.mend import mend
from profviz.formats.chrome.values import real
from profviz.formats.export.clock import Clock
from profviz.formats.export.exporter import Task
from profviz.formats.export.json_text import Fields, encode, fields_of, us_text
from profviz.formats.export.made_fields import MadeFields
from profviz.model.trace import Flag, Trace

CHUNK = 4096
_ELSE, _SKIP = -1, np.iinfo(np.int64).min
"""Of an event that is neither a slice nor a point, and of one that is not selected; points count down from -2."""
COMPLETE, BEGIN = b'"X"', b'"B"'
_SPANS = {b'"b"': b'"e"', b'"S"': b'"F"'}
_ENDS = frozenset({b'"E"', b'"e"', b'"F"'})
_TIMED = frozenset({*_SPANS, COMPLETE, BEGIN, b'"i"', b'"I"', b'"R"', b'"n"', b'"T"'})
_FLOWS = frozenset({b'"s"', b'"t"', b'"f"'})
_IDENTITY = ("name", "cat", "id", "id2", "scope", "pid", "tid")
_SCOPED = (b'"i"', b'"I"')
_COUNTER, _METADATA = b'"C"', b'"M"'
NO_TIME, NO_PHASE, LONE_END = "no usable time", "no phase", "ends, which their slices hold"


class EventFields:
    """Gives the selected events of a task in the file's order, those of one slice together."""

    def __init__(self, task: Task, made: MadeFields, clock: Clock) -> None:
        self._task = task
        self._made = made
        self._trace: Trace = task.trace
        self._selection = task.selection
        self._clock = clock
        self._raw: Any = getattr(task.trace.args, "raw", None)
        self._lanes = _lanes_of_threads(task.trace)
        self._points = np.concatenate([task.trace.instants.time_ns, task.trace.memory.time_ns])

    def chunks(self) -> Iterator[list[Fields]]:
        places = _places(self._task)
        events = np.flatnonzero(places != _SKIP)
        self._task.total = len(events)
        for begin in range(0, len(events), CHUNK):
            numbers = events[begin : begin + CHUNK]
            yield list(self._chunk(numbers, places[numbers]))
            self._task.tick(begin + len(numbers))

    def _chunk(self, events: Any, places: Any) -> Iterator[Fields]:
        slices = self._trace.slices
        rows = np.maximum(places, 0)
        times = slices.start_ns[rows] if len(slices) else rows
        durations, flags = (slices.dur_ns[rows], slices.flags[rows]) if len(slices) else (rows, rows)
        columns = (events, places, times, durations, flags)
        for event, place, time, dur, flag in zip(*(column.tolist() for column in columns), strict=True):
            fields = self.fields(event)
            if place >= 0 and not fields:
                yield self._made.slice(place)
            elif place >= 0:
                yield from self._slice(fields, time, dur, flag)
            elif place != _ELSE:
                fields["ts"] = self._clock.since_start(int(self._points[-2 - place]))
                if fields.get("ph") in _SCOPED:
                    fields.setdefault("s", b'"t"')  # what it means when nothing is said; some insist on it
                yield fields
            elif self._keep(fields):
                yield fields

    def fields(self, event: int) -> Fields:
        """The fields as the file spells them; mended where they are not valid."""
        if self._raw is not None:
            text = self._raw(event)
            found = fields_of(text)
            if found is None:
                found = fields_of(mend(text).text)
            if found is not None:
                return found
        return {key: encode(value) for key, value in self._trace.args(event).items()}

    def _slice(self, fields: Fields, time: int, dur: int, flag: int) -> Iterator[Fields]:
        """What has no end is written as begun; what lasts absurdly long as it was read."""
        fields["ts"] = self._clock.since_start(time)
        fields.pop("dur", None)
        is_open = flag & Flag.UNFINISHED
        phase = fields.get("ph", b"")
        if phase in _SPANS:
            yield fields
            if not is_open:
                yield _end_of_span(fields, self._clock.since_start(time + dur))
            return
        fields["ph"] = BEGIN if is_open else COMPLETE
        if not is_open:
            fields["dur"] = us_text(dur)
        yield fields

    def _keep(self, fields: Fields) -> bool:
        """Whether an event that is no slice and no instant is written; sets its time."""
        phase = fields.get("ph", b"")
        if len(phase) != 3 or phase[:1] != b'"':
            return self._leave_out(NO_PHASE)
        if phase in _ENDS:
            return self._leave_out(LONE_END)
        if phase in _TIMED:
            return self._leave_out(NO_TIME)
        time = _time_of(fields)
        if time is not None:
            fields["ts"] = self._clock.of_file(time)
        elif phase in _FLOWS or phase == _COUNTER:
            return self._leave_out(NO_TIME)
        else:
            fields.pop("ts", None)
        if phase == _COUNTER:
            _mend_counter(fields)
        return phase == _METADATA or self._selection.is_whole or self._is_selected(fields, phase, time)

    def _leave_out(self, reason: str) -> bool:
        self._task.leave_out(reason)
        return False

    def _is_selected(self, fields: Fields, phase: bytes, time: int | None) -> bool:
        """Arrows of a selection are made anew: their ends may be left out, and others have the same ids."""
        if phase in _FLOWS or time is None or not self._selection.holds_time(time - self._clock.first_ns):
            return False
        if not self._selection.holds_name(_label(fields, "name")):
            return False
        lanes = self._lanes.get((_label(fields, "pid"), _label(fields, "tid")), ())
        return self._selection.lanes is None or any(self._selection.holds_lane(lane) for lane in lanes)


def _places(task: Task) -> Any:
    """For each event of the file the row of its slice, -2 and down for its instant or record of memory, or _ELSE."""
    trace, selection = task.trace, task.selection
    places = np.full(trace.event_count, _ELSE, dtype=np.int64)
    places[trace.slices.event] = np.where(selection.slices, np.arange(len(trace.slices)), _SKIP)
    points = np.concatenate([trace.instants.event, trace.memory.event])
    is_in = np.concatenate([selection.instants, selection.memory])
    places[points] = np.where(is_in, -2 - np.arange(len(points)), _SKIP)
    return places


def _lanes_of_threads(trace: Trace) -> dict[tuple[str, str], list[int]]:
    lanes: dict[tuple[str, str], list[int]] = {}
    for number, lane in enumerate(trace.lanes):
        lanes.setdefault((lane.pid, lane.tid), []).append(number)
    return lanes


def _time_of(fields: Fields) -> int | None:
    token = fields.get("ts", b"")
    return time_ns(token[1:-1] if token[:1] == b'"' else token)


def _end_of_span(fields: Fields, time: bytes) -> Fields:
    return {
        "ph": _SPANS[fields["ph"]],
        **{key: value for key, value in fields.items() if key in _IDENTITY},
        "ts": time,
    }


def _mend_counter(fields: Fields) -> None:
    """Leaves out samples that are no finite number, and writes those that are as one."""
    try:
        samples = msgspec.json.decode(fields.get("args", b"{}"))
    except BAD_JSON:
        samples = {}
    numbers = {key: real(value) for key, value in samples.items()} if isinstance(samples, dict) else {}
    if "args" not in fields or not isinstance(samples, dict) or any(_is_odd(samples[key]) for key in numbers):
        fields["args"] = encode({key: number for key, number in numbers.items() if number == number})


def _is_odd(value: Any) -> bool:
    return type(value) not in (int, float) or real(value) != real(value)


def _label(fields: Fields, key: str) -> str:
    """A text or number as the model spells it."""
    try:
        value = msgspec.json.decode(fields.get(key, b"null"))
    except BAD_JSON:
        return ""
    return "" if value is None else str(value)
