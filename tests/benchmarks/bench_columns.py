"""Seconds from ten million parsed slices to painted rows, step by step, and how many times slower the twins are.

`python tests/benchmarks/bench_columns.py [SLICES]` makes twelve lanes, half of them streams and half threads of calls
nested up to 39 deep, in the order in which profilers write them (calls when they end, GPU work after all calls), and
prints the median of five in CPU and wall time, memory, and native against twin on a million slices.
"""

from __future__ import annotations

import resource
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np

from profviz.core import columns
from profviz.core.detail import make_detail, plain_detail
from profviz.core.enclosing import enclosing, plain_enclosing
from profviz.core.nesting import Nesting, nest_lengths, plain_nest
from profviz.core.order import plain_order, sort_order
from profviz.core.picture import CODES, LEVELS, paint_rows, plain_line
from profviz.core.raster import Row, pixel_edges
from profviz.core.rows import plain_split, rows_of, split
from profviz.core.spans import match_spans, plain_match

STREAMS, THREADS, DEPTH = 6, 6, 39
KINDS, NAMES, WIDTH, TIMES = 10, 4_000, 1_600, 5
LAUNCHED = 0.25
TARGET_S = 2.5


@dataclass(frozen=True)
class Slices:
    """Columns of one length, in the order of the file or sorted."""

    start_ns: np.ndarray
    dur_ns: np.ndarray
    lane: np.ndarray
    name: np.ndarray
    event: np.ndarray
    kind: np.ndarray

    def taken(self, order: np.ndarray) -> Slices:
        at = order.astype(np.intp)  # once, and not once for each column
        return Slices(*(getattr(self, field).take(at) for field in self.__dataclass_fields__))


def thread(chance: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Calls that nest: on each level most hold one a little shorter and some hold three, as many in all as above."""
    each = count // DEPTH
    start, dur = np.arange(each, dtype=np.int64) * 1_100_000_000, np.full(each, 1_000_000_000)
    starts, durs = [start], [dur]
    for _ in range(DEPTH - 1):
        children = chance.choice([0, 1, 3], each, p=[0.2, 0.7, 0.1])
        parent = np.repeat(np.arange(each), children)[:each]
        parent = np.append(parent, np.zeros(each - len(parent), dtype=parent.dtype))
        parent.sort()
        place = np.arange(each) - np.searchsorted(parent, parent)
        slot = dur[parent] // np.bincount(parent, minlength=each)[parent]
        start = start[parent] + place * slot
        dur = (slot * (0.8 + chance.random(each) / 5)).astype(np.int64)
        starts.append(start)
        durs.append(dur)
    return np.concatenate(starts) // 1_000, np.concatenate(durs) // 1_000


def stream(chance: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    dur = chance.exponential(6_000, count).astype(np.int64)
    end = np.cumsum(dur + chance.exponential(4_000, count).astype(np.int64))
    return end - dur, dur


def make(count: int) -> Slices:
    chance = np.random.default_rng(1)
    made = [stream(chance, int(count * LAUNCHED) // STREAMS) for _ in range(STREAMS)]
    made += [thread(chance, int(count * (1 - LAUNCHED)) // THREADS) for _ in range(THREADS)]
    lane = np.repeat(np.arange(len(made)), [len(start) for start, _ in made]).astype(np.uint16)
    start, dur = (np.concatenate([pair[k] for pair in made]) for k in (0, 1))
    written = np.lexsort((start + dur, lane < STREAMS))
    name = chance.integers(0, NAMES, len(lane))
    kind = np.where(lane < STREAMS, name % 3, 3 + name % (KINDS - 3))
    event = np.arange(len(lane), dtype=np.int32)
    return Slices(start[written], dur[written], lane[written], name.astype(np.int32), event, kind.astype(np.uint8))


def all_rows(slices: Slices, nesting: Nesting) -> list[Row]:
    bounds = np.searchsorted(slices.lane, np.arange(STREAMS + THREADS + 1).astype(np.uint16)).tolist()
    rows: list[Row] = []
    for first, last in pairwise(bounds):
        rows += rows_of(slices.start_ns, slices.dur_ns, slices.kind, depth=nesting.row[first:last], first=first)
    return rows


class Clock:
    """Collects CPU and wall seconds by step."""

    def __init__(self) -> None:
        self.cpu: dict[str, list[float]] = {}
        self.wall: dict[str, list[float]] = {}

    def __call__(self, step: str, work: Callable[..., Any], *args: Any) -> Any:
        before = time.process_time(), time.perf_counter()
        made = work(*args)
        self.cpu.setdefault(step, []).append(time.process_time() - before[0])
        self.wall.setdefault(step, []).append(time.perf_counter() - before[1])
        return made


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024


def chain(read: Slices, clock: Clock) -> tuple[Slices, Nesting, list[Row]]:
    order = clock("order", sort_order, read.lane, read.start_ns, read.dur_ns)
    slices = clock("gather", read.taken, order)
    nesting = clock("nest", nest_lengths, slices.start_ns, slices.dur_ns, slices.lane)
    rows = clock("rows", all_rows, slices, nesting)
    clock("detail", lambda: [row.detail for row in rows])
    return slices, nesting, rows


def print_chain(count: int) -> None:
    read, clock = make(count), Clock()
    before = peak_mb()
    for _ in range(TIMES):
        slices, nesting, rows = chain(read, clock)
    print(f"{len(slices.lane):,} slices, {len(rows)} rows, {int(nesting.row.max()) + 1} deep; native: {columns.NATIVE}")
    print(f"{'step':10}{'cpu s':>9}{'wall s':>9}")
    totals = [0.0, 0.0]
    for step in clock.cpu:
        figures = [statistics.median(kind[step]) for kind in (clock.cpu, clock.wall)]
        totals = [total + figure for total, figure in zip(totals, figures, strict=True)]
        print(f"{step:10}{figures[0]:9.3f}{figures[1]:9.3f}")
    print(f"{'in all':10}{totals[0]:9.3f}{totals[1]:9.3f}   target {TARGET_S} s")
    held = sum(row.slice.nbytes + _own_bytes(row) for row in rows)
    print(
        f"rows and their detail {held / 2**20:.0f} MB; peak {peak_mb():.0f} MB, of it {before:.0f} MB before the steps"
    )
    print_paint(rows)


def _own_bytes(row: Row) -> int:
    """What a row's detail holds besides the trace's own columns."""
    return sum(part.nbytes for part in row.detail.parts if part.base is None or part is row.detail.parts[-1])


def print_paint(rows: Sequence[Row]) -> None:
    colours, ground = np.zeros((CODES, LEVELS), dtype=np.uint32), np.zeros(WIDTH, dtype=np.uint32)
    first, last = min(row.start_ns[0] for row in rows), max(row.end_ns[len(row) - 1] for row in rows)
    for share in (1.0, 0.1, 0.001):
        edges = pixel_edges(int(first), int((last - first) * share), WIDTH)
        taken = []
        for row in rows:
            before = time.process_time()
            paint_rows([row], edges, colours=colours, ground=ground)
            taken.append((time.process_time() - before) * 1e6)
        print(f"paint {WIDTH} px of {share:5} of it: {statistics.median(taken):.0f} us a row, at most {max(taken):.0f}")


def print_twins(count: int) -> None:
    read = make(count)
    slices, nesting, rows = chain(read, Clock())
    times = slices.start_ns, slices.dur_ns
    nested = (*times, slices.lane, nesting.parent)
    points = {"at_lane": read.lane, "at_ns": read.start_ns + read.dur_ns}
    marks = read.lane, read.start_ns, read.name % 2 == 0
    longest, at = max(rows, key=len), np.arange(0, count, 2, dtype=np.uint32)[: len(slices.lane) // 2]
    edges = pixel_edges(int(longest.start_ns[0]), int(longest.end_ns[len(longest) - 1] - longest.start_ns[0]), WIDTH)
    paint = {"colours": np.zeros((CODES, LEVELS), dtype=np.uint32), "ground": np.zeros(WIDTH, dtype=np.uint32)}
    ends = slices.start_ns + slices.dur_ns
    pairs: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
        "order": (lambda: sort_order(read.lane, *_times(read)), lambda: plain_order(read.lane, *_times(read))),
        "nest": (
            lambda: nest_lengths(*times, slices.lane),
            lambda: plain_nest(times[0], ends, slices.lane, tolerance_ns=1_000),
        ),
        "match": (lambda: match_spans(*marks), lambda: plain_match(*marks)),
        "enclosing": (lambda: enclosing(*nested, **points), lambda: plain_enclosing(*nested, **points)),
        "rows": (lambda: split(nesting.row), lambda: plain_split(nesting.row, first=0, slices=None)),
        "detail": (lambda: make_detail(*times, slices.kind, at), lambda: plain_detail(*times, slices.kind, at)),
        "paint": (lambda: paint_rows([longest], edges, **paint), lambda: plain_line(longest, edges, **paint)),
    }
    print(f"\n{'1M slices':10}{'native ms':>11}{'twin ms':>11}{'ratio':>8}")
    for step, (native, twin) in pairs.items():
        ours, other = (_cpu_ms(work) for work in (native, twin))
        print(f"{step:10}{ours:11.2f}{other:11.2f}{other / ours:8.1f}", flush=True)


def _times(slices: Slices) -> tuple[np.ndarray, np.ndarray]:
    return slices.start_ns, slices.dur_ns


def _cpu_ms(work: Callable[[], Any]) -> float:
    taken = []
    for _ in range(TIMES):
        before = time.process_time()
        work()
        taken.append((time.process_time() - before) * 1_000)
    return statistics.median(taken)


if __name__ == "__main__":
    print_chain(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000)
    print_twins(1_000_000)
