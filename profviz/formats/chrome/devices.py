"""Device work that carries no category: known by what its process and thread are called and by its args.

Ascend's profilers and XLA's (JAX, TensorFlow) write such traces. What is found gets a category, its ids and a row of
the GPU table here, so that all that follows needs no word about either; process ids never count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec
import numpy as np

from profviz.formats.chrome.event import BAD_JSON
from profviz.formats.chrome.lanes import Names, Told
from profviz.formats.chrome.rows import Reading, patch
from profviz.formats.chrome.tables import TABLES, Column, Tables, picked
from profviz.formats.chrome.text import decoded
from profviz.formats.chrome.values import integer, real
from profviz.model.trace import MISSING

_KERNEL, _COPY, _FILL, _CALL = "kernel", "gpu_memcpy", "gpu_memset", "runtime"
_PART = 1 << 14
_LOOKED_AT = 256
"""Threads of processes without a name whose first event is looked at."""

_XLA_DEVICE = re.compile(r"(?:^|.*/)device:(?!CPU\b|CUSTOM\b)[A-Z_]+:(\d{1,9})(?:/stream:(\d{1,9}|all)\b|\b)")
_ASCEND_DEVICE = re.compile(r"Ascend Hardware\b")
_HOST = re.compile(r"/host:CPU\b|CANN\b")
_LABEL = re.compile(r"NPU\s*(\d{1,9})\b")
_STREAM = re.compile(r"stream\s*#?\s*(\d{1,9})\b", re.IGNORECASE)
_OPS = "XLA Ops"
"""The thread of a device without streams that shows what ran; its other threads show the same once more."""
_ASCEND_KERNEL = re.compile(r"AI_?C(?:ORE|PU)|AI_?VEC|_AI[CV]\b|VECTOR|KERNEL|HCCL|COMMUNICATION|DSA|DVPP|FFTS")
_ASCEND_COPY = re.compile(r"MEMCPY|[SR]DMA|PCIE_DMA")
_DETAIL = re.compile(r"(\w+):(\S+)")


class _Args(msgspec.Struct, gc=False):
    task_type: Any = msgspec.field(default=None, name="Task Type")
    stream: Any = msgspec.field(default=None, name="Stream Id")
    device: Any = msgspec.field(default=None, name="Device Id")
    connection: Any = msgspec.field(default=None, name="connection_id")
    correlation: Any = msgspec.field(default=None, name="correlation_id")
    kernel: Any = msgspec.field(default=None, name="kernel_details")
    copy: Any = msgspec.field(default=None, name="memcpy_details")
    fill: Any = msgspec.field(default=None, name="memset_details")
    graph: Any = msgspec.field(default=None, name="cuda_graph_id")
    graph_node: Any = msgspec.field(default=None, name="cuda_graph_node_id")

    @property
    def identity(self) -> int:
        """What joins device work to the call that asked for it."""
        found = integer(self.correlation)
        return found if found != MISSING else integer(self.connection)


class _Event(msgspec.Struct, gc=False):
    args: _Args | None = None


_decode = msgspec.json.Decoder(_Event).decode
_NO_ARGS = _Args()


class _Thread(NamedTuple):
    """What the metadata say of a thread of a device; `is_work` where all that stands on it is device work."""

    is_ascend: bool
    device: int
    stream: int
    is_work: bool


@dataclass(slots=True)
class _Found:
    """Rows of the slice table that are device work, their categories, ids and columns of the GPU table; in parts."""

    rows: list[Column] = field(default_factory=list)
    categories: list[str] = field(default_factory=list)
    identities: list[int] = field(default_factory=list)
    columns: list[dict[str, Column]] = field(default_factory=list)


def find_devices(reading: Reading, names: Names) -> Told:
    """Gives device work without a category its category and its row of the GPU table; notes that it was taken so.

    A trace that names no such device costs nothing but a look at its names.
    """
    tables = reading.tables
    told = Told.nothing(len(tables.lanes))
    plain = np.flatnonzero([name in ("", "Op") for name in tables.categories])
    if not len(plain):
        return told
    threads = _threads(reading, names, plain)
    if not threads:
        return told
    told.is_device[list(threads)] = True
    rows = _rows_on(tables, told.is_device, plain)
    found = _look(reading, rows, threads)
    told.is_host[:] = [bool(_HOST.match(names.process(pid).name)) for pid, _ in tables.lanes]
    calls, identities = _calls(reading, ~told.is_device, plain, found.identities)
    told.is_host[tables["slices.lane"][calls]] = True
    _write(tables, calls, [_CALL] * len(calls), identities)
    if found.categories:
        rows = np.concatenate(found.rows)
        reading.note("bare_device_work", tables["slices.event"][rows])
        _write(tables, rows, found.categories, found.identities)
        _add_rows(tables, rows, found.columns)
    return told


def _threads(reading: Reading, names: Names, plain: Column) -> dict[int, _Thread]:
    """The pairs (by number) that are threads of a device."""
    lanes = reading.tables.lanes
    found = {number: thread for number, pair in enumerate(lanes) if (thread := _named(names, *pair))}
    streamed = {lanes[number][0] for number, thread in found.items() if thread.stream != MISSING}
    for number, thread in found.items():
        pid, tid = lanes[number]
        if not thread.is_work and pid not in streamed and names.thread(pid, tid).name == _OPS:
            found[number] = thread._replace(is_work=True)
    return found | _unnamed(reading, names, plain)


def _named(names: Names, pid: Any, tid: Any) -> _Thread | None:
    process = names.process(pid)
    stream = _STREAM.match(names.thread(pid, tid).name)
    number = int(stream[1]) if stream else MISSING
    if _ASCEND_DEVICE.match(process.name):
        label = _LABEL.search(f"{process.name} {process.cpu_label}")
        return _Thread(True, int(label[1]) if label else MISSING, number, False)
    device = _XLA_DEVICE.match(process.name)
    if device is None:
        return None
    if device[2] and device[2] != "all":
        number = int(device[2])
    return _Thread(False, int(device[1]), number, number != MISSING)


def _unnamed(reading: Reading, names: Names, plain: Column) -> dict[int, _Thread]:
    """Threads of processes without a name whose first event has the args of device work."""
    tables = reading.tables
    nameless = np.array([not names.process(pid).name for pid, _ in tables.lanes], dtype=bool)
    rows = _rows_on(tables, nameless, plain)
    first = np.full(len(tables.lanes), MISSING, dtype=np.int64)
    first[tables["slices.lane"][rows[::-1]]] = rows[::-1]
    pairs = np.flatnonzero(first != MISSING)[:_LOOKED_AT]
    found: dict[int, _Thread] = {}
    for pair, args in zip(pairs.tolist(), _args(reading, first[pairs]), strict=True):
        is_ascend = args.task_type is not None and args.stream is not None
        if is_ascend or isinstance(args.kernel, str) or isinstance(args.copy, str):
            found[pair] = _Thread(is_ascend, MISSING, MISSING, False)
    return found


def _rows_on(tables: Tables, pairs: Column, plain: Column) -> Column:
    """Slices on these pairs that have a category which says nothing."""
    if not pairs.any():
        return np.zeros(0, dtype=np.int64)
    is_plain = np.zeros(len(tables.categories), dtype=bool)
    is_plain[plain] = True
    return np.flatnonzero(picked(pairs, tables["slices.lane"]) & picked(is_plain, tables["slices.category"]))


def _args(reading: Reading, rows: Column) -> Iterator[_Args]:
    for event in reading.tables["slices.event"][rows].tolist():
        yield _args_in(reading.text.raw(event))


def _args_in(raw: bytes) -> _Args:
    try:
        return _decode(raw).args or _NO_ARGS
    except BAD_JSON:
        args = decoded(raw).get("args")
        return msgspec.convert(args, _Args) if isinstance(args, dict) else _NO_ARGS


def _look(reading: Reading, rows: Column, threads: dict[int, _Thread]) -> _Found:
    found = _Found()
    for first in range(0, len(rows), _PART):  # what is decoded takes far more memory than what is kept of it
        part = rows[first : first + _PART]
        on = [threads[pair] for pair in reading.tables["slices.lane"][part].tolist()]
        args = list(_args(reading, part))
        categories = list(map(_category, args, on))
        work = [place for place, category in enumerate(categories) if category]
        args, on = [args[place] for place in work], [on[place] for place in work]
        found.rows.append(part[work])
        found.categories += [categories[place] for place in work]
        found.identities += [one.identity for one in args]
        found.columns.append(_columns(args, on))
    return found


def _category(args: _Args, thread: _Thread) -> str:
    """What kind of work it is, empty where it is none: waits and records of events, and spans around other work."""
    if thread.is_ascend:
        task = str(args.task_type or "").upper()
        return _COPY if _ASCEND_COPY.search(task) else _KERNEL if _ASCEND_KERNEL.search(task) else ""
    if isinstance(args.copy, str):
        return _COPY
    if isinstance(args.fill, str):
        return _FILL
    return _KERNEL if thread.is_work or isinstance(args.kernel, str) else ""


def _columns(args: Sequence[_Args], threads: Sequence[_Thread]) -> dict[str, Column]:
    """What the args say of pieces of device work, by the columns of the GPU table."""
    device, stream = _integers([one.device for one in args]), _integers([one.stream for one in args])
    kernel = _details([one.kernel for one in args])
    return {
        "device": np.where(device != MISSING, device, np.array([one.device for one in threads], dtype=np.int64)),
        "stream": np.where(stream != MISSING, stream, np.array([one.stream for one in threads], dtype=np.int64)),
        **{name: kernel[name] for name in ("grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z")},
        **{name: kernel[name] for name in ("registers", "shared", "occupancy")},
        "bytes": _details([one.copy or one.fill for one in args])["bytes"],
        "bandwidth": np.full(len(args), np.nan),
        "graph": _integers([one.graph for one in args], bits=63),
        "graph_node": _integers([one.graph_node for one in args], bits=63),
    }


def _integers(values: list[Any], *, bits: int = 31) -> Column:
    if values.count(None) == len(values):
        return np.full(len(values), MISSING, dtype=np.int64)
    return np.array([integer(value, bits=bits) for value in values], dtype=np.int64)


def _details(texts: list[Any]) -> dict[str, Column]:
    """The columns in XLA's texts of `key:value`, which repeat from launch to launch."""
    numbers: dict[str, int] = {}
    places = [numbers.setdefault(text if isinstance(text, str) else "", len(numbers)) for text in texts]
    read = [_read_details(text) for text in numbers]
    return {name: np.array([one[name] for one in read])[places] for name in (read[0] if read else _read_details(""))}


def _read_details(text: str) -> dict[str, int | float]:
    said = dict(_DETAIL.findall(text[:1000]))
    shared = [integer(said[key]) for key in ("static_shared", "dynamic_shared") if key in said]
    return {
        **dict(zip(("grid_x", "grid_y", "grid_z"), _axes(said.get("grid")), strict=True)),
        **dict(zip(("block_x", "block_y", "block_z"), _axes(said.get("block")), strict=True)),
        "registers": integer(said.get("regs"), bits=31),
        "shared": sum(shared) if shared and MISSING not in shared else MISSING,
        "occupancy": real(said.get("occ_pct")),
        "bytes": integer(said.get("size")),
    }


def _axes(text: str | None) -> Sequence[int]:
    axes = [integer(axis, bits=31) for axis in (text or "").split(",")]
    return axes if len(axes) == 3 else (MISSING,) * 3


def _calls(reading: Reading, pairs: Column, plain: Column, identities: list[int]) -> tuple[Column, list[int]]:
    """Slices of other threads that carry the id of device work: the calls that asked for it, and these ids."""
    wanted = set(identities) - {MISSING, 0}
    calls: list[int] = []
    found: list[int] = []
    rows = _rows_on(reading.tables, pairs, plain) if wanted else np.zeros(0, dtype=np.int64)
    for row, event in zip(rows.tolist(), reading.tables["slices.event"][rows].tolist(), strict=True):
        raw = reading.text.raw(event)
        if b"correlation_id" in raw or b"connection_id" in raw:
            identity = _args_in(raw).identity
            if identity in wanted:
                calls.append(row)
                found.append(identity)
    return np.array(calls, dtype=np.int64), found


def _write(tables: Tables, rows: Column, categories: list[str], identities: list[int]) -> None:
    for name in sorted(set(categories).difference(tables.categories)):
        tables.categories.append(name)
    places = {name: place for place, name in enumerate(tables.categories)}
    patch(tables, "slices.category", rows, [places[name] for name in categories])
    patch(tables, "slices.correlation", rows, identities)


def _add_rows(tables: Tables, rows: Column, parts: list[dict[str, Column]]) -> None:
    """Joins the rows to those of the GPU table, which stay in the order of their slices."""
    order = np.argsort(np.concatenate([tables["gpu.slice"], rows]), kind="stable")
    for name in TABLES["gpu"]:
        more = [rows.astype(np.uint32)] if name == "slice" else [part[name] for part in parts]
        tables.columns[f"gpu.{name}"] = np.concatenate([tables.take(f"gpu.{name}"), *more])[order]
