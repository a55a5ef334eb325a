"""Counter events and the allocator's records to series of samples."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from profviz.formats.chrome.rows import Reading, rows_of_phases
from profviz.formats.chrome.tables import BAD_TIME, KEPT, Column, Tables, picked
from profviz.formats.chrome.values import all_args_of, args_of, integer, odd_event, real
from profviz.model.trace import Counter, Memory

MEMORY_ARGS = {
    "address": ("address", 63),
    "bytes": ("size", 63),
    "allocated": ("allocated", 63),
    "reserved": ("reserved", 63),
    "device_type": ("device_type", 31),
    "device": ("device_id", 31),
}
"""Columns of the allocator's records: the field of `Args` each is read from, and how many bits it has room for."""


def build_counters(reading: Reading, of_pair: Column, first: int) -> tuple[Counter, ...]:
    """A series for each lane, counter and key of its args; samples that are no finite number are left out, noted."""
    tables = reading.tables
    marks, keys, values = _plain_samples(tables)
    labels = tables.strings
    kept = _kept_samples(reading)
    if kept:
        labels, kept_keys = _numbered(labels, [key for _, key, _ in kept])
        marks = np.concatenate([marks, [row for row, _, _ in kept]])
        keys = np.concatenate([keys, kept_keys])
        values = np.concatenate([values, [value for _, _, value in kept]])
    order, bounds = _series(tables, of_pair, marks, keys)
    marks = marks[order]
    times, values = tables["marks.time"][marks] - first, values[order].astype(np.float64)
    lanes, names = of_pair[tables["marks.lane"][marks]], tables["marks.name"][marks]
    made = []
    for low, high in pairwise(bounds.tolist()):  # parts of the same two arrays: there may be as many as samples
        title = tables.strings[names[low]] or "(unnamed)"
        title = f"{title} {labels[keys[order[low]]]}".strip()
        made.append(Counter(title, int(lanes[low]), times[low:high], values[low:high]))
    return tuple(sorted(made, key=lambda counter: (counter.lane, counter.name)))


def _plain_samples(tables: Tables) -> tuple[Column, Column, Column]:
    """Samples that a scanner has read already: their mark, key and value, each of shape (samples,)."""
    rows = rows_of_phases(tables, b"C")
    events, keys, values = tables["values.event"], tables["values.key"], tables["values.value"]
    if not len(rows):
        return rows, keys[:0], values[:0]
    marks = rows[np.minimum(np.searchsorted(tables["marks.event"][rows], events), len(rows) - 1)]
    timed = tables["marks.event"][marks] == events
    return marks[timed], keys[timed], values[timed]


def _numbered(labels: list[str], texts: list[str]) -> tuple[list[str], list[int]]:
    """Labels with the texts among them, and the texts' numbers there."""
    numbers = {text: number for number, text in enumerate(labels)}
    found = [numbers.setdefault(text, len(numbers)) for text in texts]
    return list(numbers), found


def _series(tables: Tables, of_pair: Column, marks: Column, keys: Column) -> tuple[Column, Column]:
    """The samples' order by series and time, and where each series begins and the last one ends."""
    columns = of_pair[tables["marks.lane"][marks]], tables["marks.name"][marks], keys
    order = np.lexsort((tables["marks.time"][marks], *reversed(columns)))
    turns = np.zeros(max(len(order) - 1, 0), dtype=bool)
    for column in columns:
        ordered = column[order]
        turns |= ordered[1:] != ordered[:-1]
    ends = [0, len(order)] if len(order) else [0]
    return order, np.concatenate([ends[:1], np.flatnonzero(turns) + 1, ends[1:]]).astype(np.int64)


def _kept_samples(reading: Reading) -> list[tuple[int, str, float]]:
    """Samples of counters that are spelled unusually: (row of the mark, key, value)."""
    tables = reading.tables
    rows = rows_of_phases(tables, b"C")
    plain = np.unique(tables["values.event"])
    found: list[tuple[int, str, float]] = []
    for row, event in zip(rows.tolist(), tables["marks.event"][rows].tolist(), strict=True):
        if event not in tables.kept or _holds(plain, event):
            continue
        for key, value in all_args_of(odd_event(tables.kept[event])).items():
            number = real(value)
            if number == number:
                found.append((row, key, number))
            elif value is not None:  # a bare NaN has become null and was noted when it was read
                said = f"{tables.strings[tables['marks.name'][row]]} {key}: {value}"
                reading.add("non_finite", event, text=said[:120])
    return found


def _holds(ascending: Column, value: int) -> bool:
    at = int(ascending.searchsorted(value))
    return at < len(ascending) and ascending[at] == value


def build_memory(reading: Reading, of_pair: Column, first: int) -> Memory:
    """What the allocator recorded, in time order; their marks have no phase any more, so that they are no instants."""
    tables = reading.tables
    events = tables.take("memory.event")
    rows = np.searchsorted(tables["marks.event"], events).astype(np.uint32)
    tables["marks.phase"][rows] = 0
    timed = np.flatnonzero(picked(tables["marks.state"], rows) & BAD_TIME == 0).astype(np.uint32)
    order = picked(timed, np.argsort(picked(tables["marks.time"], picked(rows, timed)), kind="stable"))
    del timed
    columns = {name: picked(tables.take(f"memory.{name}"), order) for name in MEMORY_ARGS}
    rows = picked(rows, order)
    odd = np.flatnonzero(picked(tables["marks.state"], rows) & KEPT)
    if len(odd):
        _mend_memory(reading, columns, odd, events[order[odd]])
    time = picked(tables["marks.time"], rows)
    time -= first
    lane = picked(of_pair.astype(np.int32), picked(tables["marks.lane"], rows))
    return Memory(time_ns=time, **columns, lane=lane, event=picked(events, order).view(np.int32))


def _mend_memory(reading: Reading, columns: dict[str, Column], places: Column, events: Column) -> None:
    """Fills in what a scanner left open because it is spelled unusually."""
    for name in columns:
        columns[name] = columns[name].astype(np.int64)  # they are as narrow as what they held so far
    for place, event in zip(places.tolist(), events.tolist(), strict=True):
        args = args_of(odd_event(reading.text.raw(event)))
        for name, (field, bits) in MEMORY_ARGS.items():
            columns[name][place] = integer(getattr(args, field), bits=bits)
