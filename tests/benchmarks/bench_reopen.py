"""Opening a trace from the cache of columns, against reading it for the first time.

`python tests/benchmarks/bench_reopen.py [EVENTS]` writes made-up columns of so many slices (ten million) and opens
them; `bench_reopen.py TRACE.json` reads that trace and opens it again. Each figure is the median of five.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from profviz.formats.column_file import Stored, read_columns, write_columns  # noqa: E402
from profviz.model.trace import Flows, GpuColumns, Instants, Lane, LaneKind, Slices, Trace  # noqa: E402

RUNS = 5
EVENTS = 10_000_000
NAMES = 100_000
LANES = 12


def median_s(work: Callable[[], Any]) -> float:
    spent = []
    for _ in range(RUNS):
        began = time.perf_counter()
        work()
        spent.append(time.perf_counter() - began)
    return statistics.median(spent)


def made_up(count: int) -> Trace:
    """Slices in order, every tenth of them a kernel."""
    random = np.random.default_rng(1)
    slices = {
        "start_ns": np.arange(count, dtype=np.int64) * 1_000,
        "dur_ns": random.integers(1, 900, count),
        "name": random.integers(0, NAMES, count, dtype=np.int32),
        "category": random.integers(0, 8, count, dtype=np.uint16),
        "lane": (np.arange(count, dtype=np.int64) * LANES // count).astype(np.int32),
        "parent": np.full(count, -1, dtype=np.int32),
        "event": np.arange(count, dtype=np.int64),
    }
    kernels = np.arange(0, count, 10)
    lanes = tuple(Lane(LaneKind.CPU, "1", str(number), "python", f"thread {number}") for number in range(LANES))
    return Trace(
        title="made up",
        origin_ns=0,
        names=tuple(f"void kernel_{number}<float, {number % 7}>(float*)" for number in range(NAMES)),
        categories=tuple(f"category {number}" for number in range(8)),
        lanes=lanes,
        slices=columns(Slices, count, slices),
        gpu=columns(GpuColumns, len(kernels), {"slice": kernels, "grid": np.ones((len(kernels), 3), dtype=np.int32)}),
        instants=columns(Instants, 0, {}),
        counters=(),
        flows=columns(Flows, 0, {}),
        event_count=count,
    )


def columns(cls: Any, count: int, given: dict[str, Any]) -> Any:
    """Those that are not given are as wide as any."""
    names = cls.__dataclass_fields__
    return cls(**{name: given.get(name, np.zeros(count, dtype=np.int64)) for name in names})


def looked_at(stored: Stored) -> int:
    """What the first picture needs: every start, duration, lane and row once."""
    slices = stored.trace.slices
    return sum(int(column.max()) for column in (slices.start_ns, slices.dur_ns, slices.lane, slices.row))


def bench_made_up(count: int, folder: Path) -> None:
    path = folder / "made.columns"
    trace = made_up(count)
    places = np.arange(count, dtype=np.uint64), np.ones(count, dtype=np.uint32)
    write_s = median_s(lambda: write_columns(path, trace=trace, notes=(), offsets=places[0], lengths=places[1]))
    size = path.stat().st_size
    plain_s = median_s(lambda: read_through(path))
    open_s = median_s(lambda: read_columns(path))
    look_s = median_s(lambda: looked_at(read_columns(path)))
    print(f"{count:,} slices, {size / 1e6:.0f} MB of columns ({size / count:.0f} bytes a slice), {NAMES:,} names")
    print(f"write: {write_s:.2f} s (to the disk)")
    print(f"open: {open_s * 1e3:.0f} ms; open and look at four columns: {look_s * 1e3:.0f} ms")
    print(f"ratio to reading all of the file's bytes ({plain_s * 1e3:.0f} ms): {plain_s / open_s:.1f}")


def read_through(path: Path) -> None:
    with path.open("rb") as file:
        while file.read(1 << 20):
            pass


def bench_trace(source: Path) -> None:
    """The first reading and the storing, then the reopening, as the application does them."""
    from profviz.formats.registry import open_document

    os.environ["PROFVIZ_CACHE_BYTES"] = "0"
    first_s = median_s(lambda: open_document(source))
    del os.environ["PROFVIZ_CACHE_BYTES"]
    document = open_document(source)
    if document.keep is None:
        raise SystemExit(f"{source} is too small to be kept")
    began = time.perf_counter()
    document.keep()
    storing_s = time.perf_counter() - began
    again_s = median_s(lambda: open_document(source))
    events = document.trace.event_count if document.trace else 0
    print(f"{source.name}: {events:,} events; first read {first_s:.2f} s, storing {storing_s:.2f} s")
    print(f"reopened: {again_s * 1e3:.0f} ms; ratio {first_s / again_s:.1f}")


def main() -> int:
    wanted = sys.argv[1] if len(sys.argv) > 1 else str(EVENTS)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PROFVIZ_HOME"] = folder
        if wanted.isdigit():
            bench_made_up(int(wanted), Path(folder))
        else:
            bench_trace(Path(wanted))
    return 0


if __name__ == "__main__":
    sys.exit(main())
