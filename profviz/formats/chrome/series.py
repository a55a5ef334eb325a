"""Counter events and the allocator's records to series of samples."""

from __future__ import annotations

import numpy as np

from profviz.formats.chrome.rows import Reading, rows_of_phases
from profviz.formats.chrome.tables import BAD_TIME, KEPT, Column, Tables
from profviz.formats.chrome.values import all_args_of, args_of, integer, odd_event, real
from profviz.model.trace import Counter, Memory

_MEMORY = {
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
    series = _plain_series(tables, of_pair)
    for row, key, value in _kept_samples(reading):
        lane, name = int(of_pair[tables["marks.lane"][row]]), int(tables["marks.name"][row])
        series.setdefault((lane, name, key), []).append((np.array([tables["marks.time"][row]]), np.array([value])))
    made = [_counter(tables, key, parts, first) for key, parts in series.items()]
    return tuple(sorted(made, key=lambda counter: (counter.lane, counter.name)))


def _plain_series(tables: Tables, of_pair: Column) -> dict[tuple[int, int, str], list[tuple[Column, Column]]]:
    """Samples that a scanner has read already, grouped."""
    rows = rows_of_phases(tables, b"C")
    events = tables["values.event"]
    at = np.minimum(np.searchsorted(tables["marks.event"][rows], events), max(len(rows) - 1, 0))
    timed = tables["marks.event"][rows[at]] == events if len(rows) else np.zeros(len(events), dtype=bool)
    marks, keys, values = (
        rows[at[timed]] if len(rows) else rows,
        tables["values.key"][timed],
        tables["values.value"][timed],
    )
    lanes, names = of_pair[tables["marks.lane"][marks]], tables["marks.name"][marks]
    triples = np.stack([lanes.astype(np.int64), names.astype(np.int64), keys.astype(np.int64)], axis=1)
    found, inverse = np.unique(triples, axis=0, return_inverse=True)
    order = np.argsort(inverse.reshape(-1), kind="stable")
    bounds = np.searchsorted(inverse.reshape(-1)[order], np.arange(len(found) + 1))
    series: dict[tuple[int, int, str], list[tuple[Column, Column]]] = {}
    for number, (lane, name, key) in enumerate(found.tolist()):
        part = order[bounds[number] : bounds[number + 1]]
        where = lane, name, tables.strings[key]
        series.setdefault(where, []).append((tables["marks.time"][marks[part]], values[part]))
    return series


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


def _counter(tables: Tables, key: tuple[int, int, str], parts: list[tuple[Column, Column]], first: int) -> Counter:
    lane, name, label = key
    times = np.concatenate([times for times, _ in parts]) - first
    values = np.concatenate([values for _, values in parts]).astype(np.float64)
    order = np.argsort(times, kind="stable")
    title = tables.strings[name] or "(unnamed)"
    return Counter(f"{title} {label}".strip(), lane, times[order], values[order])


def build_memory(reading: Reading, of_pair: Column, first: int) -> Memory:
    """What the allocator recorded, in time order."""
    tables = reading.tables
    events = tables["memory.event"]
    rows = np.searchsorted(tables["marks.event"], events).astype(np.int32)
    timed = np.flatnonzero(tables["marks.state"][rows] & BAD_TIME == 0)
    order = timed[np.argsort(tables["marks.time"][rows[timed]], kind="stable")].astype(np.int32)
    del timed
    columns = {name: tables.take(f"memory.{name}")[order] for name in _MEMORY}
    odd = np.flatnonzero(tables["marks.state"][rows[order]] & KEPT)
    if len(odd):
        _mend_memory(reading, columns, odd, events[order[odd]])
    time = tables["marks.time"][rows[order]] - first
    lane = of_pair[tables["marks.lane"][rows[order]]].astype(np.int32)
    return Memory(time_ns=time, **columns, lane=lane, event=events[order].astype(np.int32))


def _mend_memory(reading: Reading, columns: dict[str, Column], places: Column, events: Column) -> None:
    """Fills in what a scanner left open because it is spelled unusually."""
    for name in columns:
        columns[name] = columns[name].astype(np.int64)  # they are as narrow as what they held so far
    for place, event in zip(places.tolist(), events.tolist(), strict=True):
        args = args_of(odd_event(reading.text.raw(event)))
        for name, (field, bits) in _MEMORY.items():
            columns[name][place] = integer(getattr(args, field), bits=bits)
