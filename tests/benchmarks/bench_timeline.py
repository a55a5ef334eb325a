"""Milliseconds a frame of two timelines over a scripted pan and zoom; for each data set, the ratio to the smallest.

`python tests/benchmarks/bench_timeline.py` paints 1600x900 offscreen and prints the median and the slowest tenth, in
CPU and wall time. Data: a small pair, the largest shared capture (14 training steps with Python stacks) where it is
beside the checkout, and a synthetic side of a million slices; the large ones stand over themselves.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "ui"))
sys.path.insert(0, str(Path(__file__).parents[2]))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from factories import GPU, gpu_columns, make_pair, make_side
from PySide6.QtWidgets import QApplication

from profviz.analysis.sides import make_side as worked_out
from profviz.formats.registry import open_document
from profviz.model.results import Results, Side
from profviz.model.trace import Lane, LaneKind, Links, Slices
from profviz.ui.view_state import TimeWindow, ViewState
from profviz.ui.views.timeline.view import TimelineView
from profviz.ui.widgets.palette import DARK

LARGEST = Path(__file__).parents[2].parent / "shared" / "traces" / "gpt2_train_stacks.eager.json.xz"
ROWS, PER_ROW = 50, 20_000
ZOOMS = (1.0, 0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-6)
PANS = 8


def million() -> Side:
    """Fifty rows of twenty thousand slices: eight streams, and threads of fourteen levels each."""
    chance = np.random.default_rng(1)
    base = make_side([(0, 0, 1, "k", -1)], lanes=[GPU])
    gaps = chance.exponential(4_000, (ROWS, PER_ROW)).astype(np.int64)
    lengths = chance.exponential(6_000, (ROWS, PER_ROW)).astype(np.int64)
    ends = (gaps + lengths).cumsum(axis=1)
    lane_of = np.array([row if row < 8 else 8 + (row - 8) // 14 for row in range(ROWS)])
    depth_of = np.array([0 if row < 8 else (row - 8) % 14 for row in range(ROWS)])
    lane, depth = (np.repeat(column, PER_ROW).astype(np.int32) for column in (lane_of, depth_of))
    starts, durations = (ends - lengths).ravel(), lengths.ravel()
    order = np.lexsort((-durations, starts, lane))
    n = len(order)
    none = np.full(n, -1, dtype=np.int64)
    slices = Slices(
        start_ns=starts[order],
        dur_ns=durations[order],
        name=np.zeros(n, dtype=np.int32),
        category=np.zeros(n, dtype=np.uint16),
        lane=lane[order],
        row=depth[order],
        parent=none.astype(np.int32),
        correlation=none,
        external=none,
        event=np.arange(n, dtype=np.int64),
        flags=np.zeros(n, dtype=np.uint8),
    )
    lanes = [replace(GPU, stream=stream, tid=str(stream)) for stream in range(8)]
    lanes += [Lane(LaneKind.CPU, "1", str(number), "python3", f"thread {number}") for number in range(3)]
    gpu = gpu_columns(np.flatnonzero(slices.lane < 8))
    trace = replace(base.trace, slices=slices, lanes=tuple(lanes), gpu=gpu)
    kinds = chance.integers(1, 10, n).astype(np.uint8)
    return replace(base, trace=trace, kinds=kinds, links=Links(none, none, none, none * 0, none[:0]), title="million")


def largest() -> Side | None:
    if not LARGEST.exists():
        return None
    trace = open_document(LARGEST).trace
    return worked_out(id="a", title="14 steps with stacks", trace=trace, notes=()) if trace is not None else None


def frames(view: TimelineView, state: ViewState) -> tuple[list[float], list[float]]:
    """CPU and wall milliseconds of each frame of the script, through the widget's own paint event."""
    cpu, wall = [], []
    start, end = view.canvas.whole
    for zoom in ZOOMS:
        span = max(10, round((end - start) * zoom))
        for pan in range(PANS):
            begin = start + round((end - start - span) * (0.4 + pan * 0.01 * zoom))
            state.show_window(TimeWindow(begin, begin + span))
            before = time.process_time(), time.perf_counter()
            view.canvas.repaint()
            cpu.append((time.process_time() - before[0]) * 1_000)
            wall.append((time.perf_counter() - before[1]) * 1_000)
    return cpu, wall


def measure(results: Results) -> tuple[float, float, float, float]:
    """Seconds to show; median and 90th percentile of CPU ms a frame, median of wall ms."""
    state = ViewState()
    view = TimelineView(state, DARK)
    view.resize(1600, 900)
    view.show()
    QApplication.processEvents()  # nothing is painted before the window is exposed
    began = time.perf_counter()
    view.show_results(results)
    shown = time.perf_counter() - began
    frames(view, state)  # the sums of rows are made when they are first painted
    cpu, wall = frames(view, state)
    view.close()
    return shown, statistics.median(cpu), statistics.quantiles(cpu, n=10)[-1], statistics.median(wall)


def main() -> None:
    app = QApplication.instance() or QApplication([])
    found = largest()
    sets = [("small pair", make_pair())]
    for side in (found, million()):
        if side is not None:
            sets.append((side.title, Results(side.title, "", (side, side), (), (), ())))
    print(f"{'data':22}{'slices':>10}{'show s':>9}{'cpu ms':>9}{'cpu p90':>9}{'wall ms':>9}{'ratio':>7}")
    base = 0.0
    for title, results in sets:
        shown, median, slow, wall = measure(results)
        base = base or median
        slices = sum(len(side.trace.slices) for side in results.sides)
        print(f"{title:22}{slices:10}{shown:9.3f}{median:9.1f}{slow:9.1f}{wall:9.1f}{median / base:7.1f}", flush=True)
    app.processEvents()


if __name__ == "__main__":
    main()
