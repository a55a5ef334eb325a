"""From what was gathered to the columns of a trace: one clock, sorted lanes, nested slices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from profviz.core.heap import give_back
from profviz.core.moving import inverse
from profviz.core.nesting import Nesting, nest_lengths
from profviz.core.order import sort_order
from profviz.formats.chrome.arrows import pair_flows, take_flow_marks
from profviz.formats.chrome.devices import find_devices
from profviz.formats.chrome.exact_time import FAR_NS
from profviz.formats.chrome.lanes import Lanes, Names, Told, place_lanes
from profviz.formats.chrome.rows import SAMPLES, Reading, rows_of_phases, settle
from profviz.formats.chrome.series import build_counters, build_memory
from profviz.formats.chrome.tables import Column, Tables, picked
from profviz.formats.chrome.text import EventText, decoded
from profviz.formats.chrome.values import integer
from profviz.model.notes import NoteBook
from profviz.model.trace import MISSING, Flag, GpuColumns, Instants, Shapes, Slices, Trace

_INSTANTS, _COUNTERS = b"iIRnT", b"C"
_UNNAMED = "(unnamed)"
_SMALL = 1 << 16


def build_trace(tables: Tables, *, title: str, meta: Mapping[str, Any], text: EventText, notes: NoteBook) -> Trace:
    """All columns; what is wrong with the events is noted. The tables are used up."""
    reading = Reading(tables, text, notes)
    flags = settle(reading)
    said = _metadata(tables)
    told = find_devices(reading, said)
    first, lanes = _lay_out(tables, said, told)
    names = _sorted_texts(tables.strings, tables["slices.name"], tables["marks.name"], empty=_UNNAMED)
    categories = _sorted_texts(tables.categories, tables["slices.category"], tables["marks.category"], empty="")
    # marks first: they need no slices, and what they leave behind is less than their tables take
    memory = build_memory(reading, lanes.of_pair, first)
    counted = build_counters(reading, lanes.of_pair, first)
    shown = _build_instants(tables, lanes, first, names, categories)
    arrows = take_flow_marks(tables, lanes.of_pair, categories.place, first)
    give_back()
    order = _sort_slices(tables, lanes, flags, first)
    gpu, shapes = _build_gpu(tables), _build_shapes(tables)
    give_back()
    columns = _build_slices(tables, lanes, flags, order, names, categories)
    del order
    tables.clear()
    give_back()
    nesting = nest_lengths(columns["start_ns"], columns["dur_ns"], columns["lane"])
    slices = Slices(**columns, row=nesting.row, parent=nesting.parent)
    _note_overlaps(reading, slices, nesting, lanes, names.texts)
    del nesting
    flows = pair_flows(arrows, slices)
    return Trace(
        title=title,
        origin_ns=_origin(meta, first),
        names=names.texts,
        categories=categories.texts,
        lanes=lanes.lanes,
        slices=slices,
        gpu=gpu,
        instants=shown,
        counters=counted,
        flows=flows,
        event_count=len(text),
        shapes=shapes,
        memory=memory,
        meta=meta,
        args=text,
    )


def _lay_out(tables: Tables, names: Names, told: Told) -> tuple[int, Lanes]:
    """When the trace begins by the file's clock, and its lanes."""
    give_back()
    marks = rows_of_phases(tables, _INSTANTS + _COUNTERS)
    times = [column.min() for column in (tables["slices.start"], tables["marks.time"][marks]) if len(column)]
    pairs = np.flatnonzero(np.bincount(tables["marks.lane"][marks], minlength=1))
    del marks
    lanes = place_lanes(tables, names, told, pairs)
    give_back()
    return int(min(times, default=0)), lanes


def _metadata(tables: Tables) -> Names:
    """Metadata events are the kept ones of phase M; in the file's order, so that the last one counts."""
    found = (decoded(tables.kept[event]) for event in sorted(tables.kept))
    return Names(event for event in found if event.get("ph") == "M")


def _origin(meta: Mapping[str, Any], first: int) -> int:
    base = integer(meta.get("baseTimeNanoseconds"))
    return first if base == MISSING else base + first


@dataclass(frozen=True, slots=True)
class _Texts:
    """Texts in use, sorted, so that their numbers don't tell how the file was read.

    `place` maps the tables' numbers to theirs.
    """

    texts: tuple[str, ...]
    place: Column


def _sorted_texts(strings: list[str], *columns: Column, empty: str) -> _Texts:
    used = np.zeros(len(strings), dtype=bool)
    for column in columns:
        used[column] = True
    numbers = np.flatnonzero(used).tolist()
    found = [strings[number] or empty for number in numbers]
    texts = tuple(sorted(set(found)))
    at = {text: place for place, text in enumerate(texts)}
    place = np.zeros(len(strings), dtype=np.uint16 if len(texts) < _SMALL else np.int32)
    place[numbers] = [at[text] for text in found]
    return _Texts(texts, place)


def _sort_slices(tables: Tables, lanes: Lanes, flags: Column, first: int) -> Column:
    """The slices' order; what they leave in the tables is on the trace's clock and names them by their new places."""
    start = tables["slices.start"]
    start -= np.int64(first)
    dur = _open_ends(start, tables.take("slices.dur").astype(np.int64), flags)
    tables.columns["slices.dur"] = dur
    order = sort_order(lanes.of_slice, start, dur)
    places = inverse(order)
    for name in ("gpu.slice", "dims.slice"):
        tables.columns[name] = picked(places, tables.take(name))
    return order


def _build_slices(
    tables: Tables, lanes: Lanes, flags: Column, order: Column, names: _Texts, categories: _Texts
) -> dict[str, Column]:
    """The columns of the slices but for how they nest."""
    lanes.of_slice = picked(lanes.of_slice, order)
    return {
        "start_ns": picked(tables.take("slices.start"), order),
        "dur_ns": picked(tables.take("slices.dur"), order),
        "name": picked(names.place, picked(tables.take("slices.name"), order)),
        "category": picked(categories.place, picked(tables.take("slices.category"), order)),
        "lane": lanes.of_slice,
        "correlation": picked(tables.take("slices.correlation"), order),
        "external": picked(tables.take("slices.external"), order),
        "event": picked(tables.take("slices.event").view(np.int32), order),
        "flags": picked(flags, order),
    }


def _open_ends(start: Column, dur: Column, flags: Column) -> Column:
    """Unfinished slices reach to the end of the trace; absurd ones end where sums of two times still fit."""
    odd = np.flatnonzero(flags)
    if not len(odd):
        return dur
    ends = start + dur
    ends[odd] = start[odd]
    open_ = odd[flags[odd] & Flag.UNFINISHED != 0]
    dur[open_] = ends.max() - start[open_]
    room = np.subtract(FAR_NS, start, out=ends)
    np.maximum(room, 0, out=room)
    np.minimum(dur, room, out=dur)
    return dur


def _note_overlaps(reading: Reading, slices: Slices, nesting: Nesting, lanes: Lanes, names: tuple[str, ...]) -> None:
    """Overlap is news where spans should nest; asynchronous ones need not."""
    counted = ~lanes.is_async[slices.lane[nesting.overlaps]]
    laters, earliers = nesting.overlaps[counted], nesting.crossed[counted]
    for later, earlier in zip(laters[:SAMPLES].tolist(), earliers[:SAMPLES].tolist(), strict=True):
        pair = " and ".join(names[slices.name[index]][:80] for index in (earlier, later))
        end = slices.start_ns[earlier] + slices.dur_ns[earlier]
        said = f"{pair} from {slices.start_ns[later]} ns to {end} ns"
        reading.add("overlap", int(slices.event[later]), text=said)
    if len(laters) > SAMPLES:
        reading.notes.add("overlap", count=len(laters) - SAMPLES)


def _build_gpu(tables: Tables) -> GpuColumns:
    at = tables.take("gpu.slice").astype(np.int64)
    order = np.argsort(at).astype(np.uint32)

    def column(name: str) -> Any:
        return picked(tables.take(f"gpu.{name}"), order)

    def columns(name: str) -> Any:
        return np.stack([column(f"{name}_{axis}") for axis in "xyz"], axis=1)

    return GpuColumns(
        slice=picked(at, order),
        device=column("device"),
        stream=column("stream"),
        grid=columns("grid"),
        block=columns("block"),
        registers=column("registers"),
        shared_bytes=column("shared"),
        bytes=column("bytes"),
        occupancy_pct=column("occupancy"),
        bandwidth_gbps=column("bandwidth"),
        graph=column("graph"),
        graph_node=column("graph_node"),
    )


def _build_shapes(tables: Tables) -> Shapes:
    at, text = tables.take("dims.slice"), tables.take("dims.text")
    order = np.argsort(at).astype(np.uint32)
    found = _sorted_texts(tables.strings, text, empty="")
    return Shapes(picked(at, order), picked(found.place, picked(text, order)).astype(np.int32), found.texts)


def _build_instants(tables: Tables, lanes: Lanes, first: int, names: _Texts, categories: _Texts) -> Instants:
    """All that the allocator's records have left."""
    rows = rows_of_phases(tables, _INSTANTS)
    rows = rows[np.argsort(tables["marks.time"][rows], kind="stable")]
    return Instants(
        time_ns=tables["marks.time"][rows] - first,
        name=names.place[tables["marks.name"][rows]],
        category=categories.place[tables["marks.category"][rows]],
        lane=lanes.of_pair[tables["marks.lane"][rows]].astype(np.int32),
        event=tables["marks.event"][rows].astype(np.int32),
    )
