"""Which lane an event belongs to, and what the lanes are called: by category and args, never by process id."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from profviz.formats.chrome.tables import ASYNC, Column, Tables, picked
from profviz.model.categories import is_cpu, is_gpu_annotation, is_gpu_work
from profviz.model.trace import MISSING, Lane, LaneKind

Label = int | float | str | None

_KINDS = (LaneKind.GPU, LaneKind.GPU_ANNOTATION, LaneKind.CPU, LaneKind.OTHER)
_ASYNC = len(_KINDS)
"""Asynchronous spans are drawn apart, a lane for each process and category."""
_PLACES = 8
_SMALL = (1 << 16) - 1


class Key(NamedTuple):
    """What makes a lane: `pair` counts in the threads of the file, `category` is set for asynchronous spans."""

    kind: int
    pair: int
    device: int = MISSING
    stream: int = MISSING
    category: int = MISSING


@dataclass(slots=True)
class _Labels:
    """What metadata events say of a process or a thread."""

    name: str = ""
    cpu_label: str = ""
    gpu_label: str = ""
    """The first label of either kind: a process may be given any number."""
    sort_index: int = 0

    def label(self, text: str) -> None:
        if text.startswith("GPU"):
            self.gpu_label = self.gpu_label or text
        else:
            self.cpu_label = self.cpu_label or text


_NOT_SAID = _Labels()


class Names:
    """What the metadata events call processes and threads."""

    def __init__(self, events: Iterable[dict[str, Any]]) -> None:
        self._processes: dict[str, _Labels] = {}
        self._threads: dict[tuple[str, str], _Labels] = {}
        for event in events:
            self._take(event)

    def _take(self, event: dict[str, Any]) -> None:
        args = event.get("args")
        args = args if isinstance(args, dict) else {}
        name = str(event.get("name"))
        pid, tid = spelled(event.get("pid")), spelled(event.get("tid"))
        if name in ("process_name", "process_labels", "process_sort_index"):
            target = self._processes.setdefault(pid, _Labels())
        elif name in ("thread_name", "thread_sort_index"):
            target = self._threads.setdefault((pid, tid), _Labels())
        else:
            return
        if name.endswith("_name"):
            target.name = str(args.get("name") or "").strip()
        elif name.endswith("_labels"):
            target.label(str(args.get("labels") or "").strip())
        elif type(args.get("sort_index")) is int:
            target.sort_index = args["sort_index"]

    def process(self, pid: Label) -> _Labels:
        return self._processes.get(spelled(pid), _NOT_SAID)

    def thread(self, pid: Label, tid: Label) -> _Labels:
        return self._threads.get((spelled(pid), spelled(tid)), _NOT_SAID)


@dataclass(frozen=True, slots=True)
class Told:
    """What metadata say of each pair (pid, tid) of the tables beyond its name, both shape (pairs,).

    `is_device`: it is a device's, and its ids name neither device nor stream. `is_host`: what has no category there
    is a CPU thread's.
    """

    is_device: Column
    is_host: Column

    @classmethod
    def nothing(cls, count: int) -> Told:
        return cls(np.zeros(count, dtype=bool), np.zeros(count, dtype=bool))


@dataclass(slots=True)
class Lanes:
    """The lanes in drawing order; `of_slice` has shape (slices,).

    `of_pair` gives each thread's foremost lane (GPU before CPU before others), or MISSING. `is_async` says of each
    lane whether overlap is its nature.
    """

    lanes: tuple[Lane, ...]
    of_slice: Column
    of_pair: Column
    is_async: Column


def place_lanes(tables: Tables, names: Names, told: Told, marked_pairs: Column) -> Lanes:
    """Lanes for all slices, and for those of `marked_pairs` (threads with instants or counters) that have none."""
    keys, numbers = _key_slices(tables, told)
    of_pair = np.full(len(tables.lanes), MISSING, dtype=np.int64)
    for number in sorted(range(len(keys)), key=lambda number: -keys[number].kind):
        if keys[number].kind != _ASYNC:
            of_pair[keys[number].pair] = number
    for pair in marked_pairs[of_pair[marked_pairs] == MISSING].tolist():
        of_pair[pair] = len(keys)
        keys.append(Key(_KINDS.index(LaneKind.OTHER), pair))
    sort_keys = [_sort_key(key, tables, names) for key in keys]
    order = sorted(range(len(keys)), key=sort_keys.__getitem__)
    del sort_keys
    places = np.empty(len(keys) + 1, dtype=np.int32)
    small = np.uint16 if len(keys) < _SMALL else np.int32
    places[order] = np.arange(len(keys))
    places[-1] = MISSING  # where a pair has no lane
    lanes = tuple(_lane(keys[number], tables, names) for number in order)
    is_async = np.array([keys[number].kind == _ASYNC for number in order], dtype=bool)
    return Lanes(lanes, picked(places.astype(small), numbers), places[of_pair], is_async)


def _key_slices(tables: Tables, told: Told) -> tuple[list[Key], Column]:
    """The lanes' keys, and for each slice the number of its key."""
    kinds = np.array([_KINDS.index(kind_of(name)) for name in tables.categories], dtype=np.uint32)
    pair, category = tables.take("slices.lane").astype(np.uint32), tables["slices.category"]
    codes = picked(kinds, category)
    if told.is_host.any():
        codes[picked(told.is_host, pair) & (codes == _KINDS.index(LaneKind.OTHER))] = _KINDS.index(LaneKind.CPU)
    codes += pair * np.uint32(_PLACES)
    spans = np.flatnonzero(tables["slices.state"] & ASYNC)
    codes[spans] = pair[spans] * np.uint32(_PLACES) + np.uint32(_ASYNC)
    gpu_slices = tables["gpu.slice"]
    gpu_keys, gpu_numbers = _number_runs(tables, told, pair[gpu_slices])
    span_keys, span_numbers = _number_pairs(pair[spans], category[spans])
    del pair
    is_used = np.bincount(codes, minlength=_PLACES * len(tables.lanes)) > 0
    keys = [Key(code % _PLACES, code // _PLACES) for code in np.flatnonzero(is_used).tolist()]
    numbers = np.cumsum(is_used, dtype=np.int32) - 1
    numbers = picked(numbers, codes)
    numbers[gpu_slices] = gpu_numbers + len(keys)
    keys += gpu_keys
    numbers[spans] = span_numbers + len(keys)
    keys += [Key(_ASYNC, pair, category=category) for pair, category in span_keys]
    return _only_used(keys, numbers)


def _only_used(keys: list[Key], numbers: Column) -> tuple[list[Key], Column]:
    counts = np.bincount(numbers, minlength=len(keys)) > 0
    places = np.cumsum(counts, dtype=np.int32) - 1
    return [key for key, used in zip(keys, counts.tolist(), strict=True) if used], picked(places, numbers)


def _number_runs(tables: Tables, told: Told, pair: Column) -> tuple[list[Key], Column]:
    """Keys of GPU work by thread, device and stream; where the args say nothing the thread's own ids stand in."""
    device, stream = tables["gpu.device"].astype(np.int64), tables["gpu.stream"].astype(np.int64)
    for column, side in ((device, 0), (stream, 1)):
        unsaid = column == MISSING
        if unsaid.any():
            ids = np.array([_as_int(labels[side]) for labels in tables.lanes], dtype=np.int64)
            ids[told.is_device] = MISSING
            column[unsaid] = ids[pair[unsaid]]
    if not len(pair):
        return [], np.zeros(0, dtype=np.int32)
    turns = (np.diff(pair) != 0) | (np.diff(device) != 0) | (np.diff(stream) != 0)
    heads = np.concatenate([[0], np.flatnonzero(turns) + 1])
    triples = np.stack([pair[heads], device[heads], stream[heads]], axis=1)
    found, inverse = np.unique(triples, axis=0, return_inverse=True)
    lengths = np.diff(np.append(heads, len(pair)))
    keys = [Key(_KINDS.index(LaneKind.GPU), *row) for row in found.tolist()]
    return keys, np.repeat(inverse.reshape(-1).astype(np.int32), lengths)


def _number_pairs(pair: Column, category: Column) -> tuple[list[tuple[int, int]], Column]:
    if not len(pair):
        return [], np.zeros(0, dtype=np.int32)
    found, inverse = np.unique(np.stack([pair, category], axis=1), axis=0, return_inverse=True)
    return [(one, two) for one, two in found.tolist()], inverse.reshape(-1).astype(np.int32)


def _sort_key(key: Key, tables: Tables, names: Names) -> tuple[Any, ...]:
    pid, tid = tables.lanes[key.pair]
    process, thread = names.process(pid), names.thread(pid, tid)
    place = process.sort_index, _natural(pid), thread.sort_index, _natural(tid)
    category = tables.categories[key.category] if key.category != MISSING else ""
    return (min(key.kind, len(_KINDS) - 1), key.device, key.stream, *place, key.kind, category)


def _lane(key: Key, tables: Tables, names: Names) -> Lane:
    pid, tid = tables.lanes[key.pair]
    kind = _KINDS[min(key.kind, len(_KINDS) - 1)]
    thread = names.thread(pid, tid).name
    if key.kind == _ASYNC:
        thread = f"{tables.categories[key.category] or 'unnamed'} (asynchronous)"
    if kind is LaneKind.GPU:
        # a CPU process may have the device's number as its pid, then both share the file's metadata
        name = f"GPU {key.device}" if key.device != MISSING else names.process(pid).name
        if key.stream != MISSING and not thread.startswith("stream"):
            thread = f"stream {key.stream}"
    else:
        name = _process_title(names.process(pid), kind)
    return Lane(kind, spelled(pid), spelled(tid), name, thread, key.device, key.stream)


def kind_of(category: str) -> LaneKind:
    """What kind of lane a category's slices are drawn on."""
    if is_gpu_work(category):
        return LaneKind.GPU
    if is_gpu_annotation(category):
        return LaneKind.GPU_ANNOTATION
    return LaneKind.CPU if is_cpu(category) else LaneKind.OTHER


def spelled(value: object) -> str:
    """A process or thread id as text; a missing one is empty."""
    return "" if value is None else str(value)


def _as_int(value: Label) -> int:
    return value if type(value) is int and -(1 << 62) < value < 1 << 62 else MISSING


def _natural(value: Label) -> tuple[int, float, str]:
    return (0, value, "") if isinstance(value, int | float) else (1, 0, spelled(value))


def _process_title(process: _Labels, kind: LaneKind) -> str:
    label = process.gpu_label if kind is LaneKind.GPU_ANNOTATION else process.cpu_label
    return f"{process.name} ({label})".strip() if label else process.name
