"""From the scanners' tables to slices whose times can be drawn: ends found, odd durations and odd args settled.

Times are still the file's own; nothing here knows lanes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from profviz.core.spans import match_spans
from profviz.formats.chrome.exact_time import FAR_NS
from profviz.formats.chrome.tables import ASYNC, BAD_TIME, BEGIN, KEPT, NO_DUR, TABLES, Column, Tables, picked
from profviz.formats.chrome.text import EventText
from profviz.formats.chrome.values import args_of, integer, odd_event, real, triple
from profviz.model.notes import NoteBook
from profviz.model.trace import Flag

ABSURD_NS = 30 * 24 * 3600 * 1_000_000_000
"""Thirty days: no profiler records a slice that long, while a subtraction gone wrong easily makes one."""
UNFINISHED_NS = -1_000
"""A duration of -1 us is how the profiler writes that a slice never ended."""
SAMPLES = 5

DRAWN_PHASES = b"BECiIRnTstfbeSF"


@dataclass(slots=True)
class Reading:
    """What the builders share: the tables, the events' text and where defects are noted."""

    tables: Tables
    text: EventText
    notes: NoteBook

    def note(self, code: str, events: Column, *, token: str = "") -> None:
        """Notes one defect of each event, with the first few as samples; `token` names a field to cite."""
        for event in events[:SAMPLES].tolist():
            odd = odd_event(self.text.raw(event))
            said = bytes(getattr(odd, token)).strip(b'"').decode(errors="replace")[:40] if token else ""
            name = str(self.text(event).get("name") or "")
            self.add(code, event, text=f"{name}: {said}" if token else name)
        if len(events) > SAMPLES:
            self.notes.add(code, count=len(events) - SAMPLES)

    def add(self, code: str, event: int, *, text: str) -> None:
        """Notes a defect of one event."""
        self.notes.add(code, offset=self.text.offset(event), event=event, text=text)


def settle(reading: Reading) -> Column:
    """Leaves in the tables only what can be drawn; gives the flags of the slices, shape (slices,)."""
    _note_phases(reading)
    _mend_args(reading)
    _close_spans(reading)
    _drop_timeless(reading)
    return _settle_durations(reading)


def rows_of_phases(tables: Tables, phases: bytes) -> Column:
    """Rows of the marks with one of these phases and a time, in file order."""
    found = _are_of(phases, tables["marks.phase"])
    found &= tables["marks.state"] & BAD_TIME == 0
    return np.flatnonzero(found)


def _are_of(phases: bytes, column: Column) -> Column:
    """Whether each of a column of phases is one of these."""
    wanted = np.zeros(256, dtype=bool)
    wanted[list(phases)] = True
    return picked(wanted, column)


def _note_phases(reading: Reading) -> None:
    tables = reading.tables
    known = _are_of(DRAWN_PHASES, tables["marks.phase"])
    for event in tables["marks.event"][~known][:SAMPLES].tolist():
        found = reading.text(event)
        said = f"phase {found.get('ph')!r}: {found.get('name') or ''}"
        reading.add("unknown_phase", event, text=said)
    more = int((~known).sum()) - SAMPLES
    if more > 0:
        reading.notes.add("unknown_phase", count=more)


def _mend_args(reading: Reading) -> None:
    """Fills in args that a scanner left open because they are spelled unusually."""
    tables = reading.tables
    rows = np.flatnonzero(tables["slices.state"] & KEPT)
    if not len(rows):
        return
    found = [args_of(odd_event(reading.text.raw(event))) for event in tables["slices.event"][rows].tolist()]
    patch(tables, "slices.correlation", rows, [integer(args.correlation) for args in found])
    patch(tables, "slices.external", rows, [integer(args.external_id) for args in found])
    at = np.searchsorted(tables["gpu.slice"], rows)
    at[at == len(tables["gpu.slice"])] = 0
    is_gpu = tables["gpu.slice"][at] == rows if len(tables["gpu.slice"]) else np.zeros(len(rows), dtype=bool)
    args = [one for one, gpu in zip(found, is_gpu.tolist(), strict=True) if gpu]
    at = at[is_gpu]
    for name in ("device", "stream", "registers"):
        patch(tables, f"gpu.{name}", at, [integer(getattr(one, name), bits=31) for one in args])
    for name in ("shared", "bytes", "graph", "graph_node"):
        patch(tables, f"gpu.{name}", at, [integer(getattr(one, name)) for one in args])
    for name in ("occupancy", "bandwidth"):
        patch(tables, f"gpu.{name}", at, [real(getattr(one, name)) for one in args])
    for name in ("grid", "block"):
        triples = [triple(getattr(one, name)) for one in args]
        for axis, letter in enumerate("xyz"):
            patch(tables, f"gpu.{name}_{letter}", at, [one[axis] for one in triples])


def patch(tables: Tables, name: str, rows: Column, values: list[int] | list[float] | Column) -> None:
    """Writes values into a column, which is widened where they need it."""
    if not len(rows):
        return
    column = tables.take(name)
    patch: Column = np.array(values, dtype=np.float64 if column.dtype.kind == "f" else np.int64)
    column = column.astype(_kind_for(column, patch))
    column[rows] = patch
    tables.columns[name] = column


def _kind_for(column: Column, patch: Column) -> np.dtype[Any]:
    """What holds both; columns come as narrow as their own values allow."""
    if column.dtype.kind == "f":
        return patch.dtype
    low, high = int(patch.min()), int(patch.max())
    kinds: tuple[np.dtype[Any], ...] = (column.dtype, np.dtype(np.int32), np.dtype(np.int64))
    return next(kind for kind in kinds if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max)


def _close_spans(reading: Reading) -> None:
    """Gives each begin its end's time; ends that end nothing are noted."""
    tables = reading.tables
    begins = np.flatnonzero(tables["slices.state"] & (BEGIN | ASYNC))
    marks = np.flatnonzero(_are_of(b"BbS", tables["marks.phase"]))  # in step with `begins`: same events
    slice_of = np.zeros(len(tables["marks.phase"]), dtype=np.int32)
    slice_of[marks] = begins
    for phases, keys in ((b"BE", _threads), (b"beSF", _identities)):
        rows = rows_of_phases(tables, phases)
        if not len(rows):
            continue
        is_begin = _are_of(b"BbS", tables["marks.phase"][rows])
        ends, unmatched = match_spans(keys(tables, rows), tables["marks.time"][rows], is_begin)
        closed = np.flatnonzero(ends >= 0)
        _close(tables, slice_of[rows[closed]], rows[closed], rows[ends[closed]])
        _note_unmatched(reading, rows[unmatched])


def _threads(tables: Tables, rows: Column) -> Column:
    return tables["marks.lane"][rows].astype(np.uint64)


def _identities(tables: Tables, rows: Column) -> Column:
    """Numbers the pairs of category and id of asynchronous spans."""
    pairs = np.stack([tables["marks.category"][rows].astype(np.uint64), tables["marks.id"][rows]], axis=1)
    return np.unique(pairs, axis=0, return_inverse=True)[1].reshape(-1).astype(np.uint64)


def _close(tables: Tables, slices: Column, begins: Column, ends: Column) -> None:
    patch(tables, "slices.dur", slices, tables["marks.time"][ends] - tables["marks.time"][begins])
    tables["slices.state"][slices] &= np.uint8(0xFF ^ NO_DUR)


def _note_unmatched(reading: Reading, rows: Column) -> None:
    events, times = reading.tables["marks.event"][rows], reading.tables["marks.time"][rows]
    for event, time in zip(events[:SAMPLES].tolist(), times[:SAMPLES].tolist(), strict=True):
        reading.add("unmatched_end", event, text=f"at {time} ns")
    if len(rows) > SAMPLES:
        reading.notes.add("unmatched_end", count=len(rows) - SAMPLES)


def _drop_timeless(reading: Reading) -> None:
    """Events without a usable time can stand nowhere."""
    tables = reading.tables
    marks = tables["marks.state"] & BAD_TIME != 0
    slices = tables["slices.state"] & BAD_TIME != 0
    if not marks.any() and not slices.any():
        return
    marks &= _are_of(b"ECiIRnTstfeF", tables["marks.phase"])
    bad = np.union1d(tables["marks.event"][marks], tables["slices.event"][slices])
    if len(bad):
        reading.note("bad_time", bad, token="ts")
    if not slices.any():
        return
    place = np.cumsum(~slices, dtype=np.int64) - 1
    for name in TABLES["slices"]:
        tables.columns[f"slices.{name}"] = tables.take(f"slices.{name}")[~slices]
    for table in ("gpu", "dims"):
        stays = ~slices[tables[f"{table}.slice"]]
        for name in TABLES[table]:
            tables.columns[f"{table}.{name}"] = tables.take(f"{table}.{name}")[stays]
        tables.columns[f"{table}.slice"] = place[tables[f"{table}.slice"]].astype(np.uint32)


def _settle_durations(reading: Reading) -> Column:
    """Flags what has no end or one that no run could have; negative durations become zero."""
    tables = reading.tables
    state, dur = tables["slices.state"], tables["slices.dur"]
    flags = np.zeros(len(dur), dtype=np.uint8)
    odd = (state & NO_DUR != 0) | (dur < 0) | (dur > ABSURD_NS)
    if not odd.any():
        return flags
    unfinished = (state & NO_DUR != 0) | (dur == UNFINISHED_NS)
    negative = (dur < 0) & ~unfinished
    absurd = (dur > ABSURD_NS) & ~unfinished
    for code, rows in (("unfinished", unfinished), ("negative_duration", negative), ("absurd_duration", absurd)):
        if rows.any():
            reading.note(code, tables["slices.event"][rows], token="dur")
    flags[unfinished] = Flag.UNFINISHED
    flags[absurd] = Flag.ABSURD
    dur[unfinished | negative] = 0
    np.minimum(dur, min(FAR_NS, np.iinfo(dur.dtype).max), out=dur)
    return flags
