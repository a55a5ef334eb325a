"""CPU milliseconds a frame of two linked timelines over a scripted path of panning and zooming, at 1 M and 10 M events.

`python tests/benchmarks/bench_timeline.py [--events 1e6 1e7] [--profile]` repeats the columns of a real capture (14
training steps with Python stacks, beside the checkout) until there are so many events on each side, shows 25 lanes of
each at 1600x900 offscreen, and prints median, 99th percentile and slowest frame, the ratio to copying one picture, what
the level of detail cost to make and holds, how soon tracks were drawn after results were shown, and the longest time
for which the window was not free meanwhile. Without the capture a synthetic side stands in.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2]))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from PySide6.QtCore import QEvent, QEventLoop, QObject, QTimer
from PySide6.QtWidgets import QApplication

from profviz.analysis.sides import make_side
from profviz.formats.registry import open_document
from profviz.model.results import Results, Side
from profviz.model.trace import Flows, GpuColumns, Instants, Lane, LaneKind, Links, Slices, Trace
from profviz.ui.view_state import TimeWindow, TrackArrangement, ViewState
from profviz.ui.views.timeline.kinds.parting import Parts
from profviz.ui.views.timeline.kinds.registry import fill, plan
from profviz.ui.views.timeline.lines import slots_of
from profviz.ui.views.timeline.tracks import Track
from profviz.ui.views.timeline.view import TimelineView
from profviz.ui.widgets.palette import DARK

CAPTURE = Path(__file__).parents[2].parent / "shared" / "traces" / "gpt2_train_stacks.eager.json.xz"
LANES = 25
TARGETS = "target: median 8, p99 16"


def capture() -> Side:
    trace = open_document(CAPTURE).trace if CAPTURE.exists() else None
    return make_side(id="a", title="14 steps", trace=trace or synthetic(), notes=())


def synthetic() -> Trace:
    """Two streams, and two threads of fourteen levels, of slices that follow each other at random."""
    chance = np.random.default_rng(1)
    lanes = [Lane(LaneKind.GPU, "0", str(n), "GPU 0", f"stream {n}", device=0, stream=n) for n in range(2)]
    lanes += [Lane(LaneKind.CPU, "1", str(n), "python3", f"thread {n}") for n in range(2)]
    depths = [0, 0, *range(14), *range(14)]
    lane_of = np.array([0, 1, *[2] * 14, *[3] * 14])
    each = 8_000
    length = chance.exponential(6_000, (len(depths), each)).astype(np.int64)
    end = (chance.exponential(4_000, length.shape).astype(np.int64) + length).cumsum(axis=1)
    lane, row = (np.repeat(column, each).astype(np.int32) for column in (lane_of, depths))
    start, dur = (end - length).ravel(), length.ravel()
    order = np.lexsort((-dur, start, lane))
    n = len(order)
    none, name = np.full(n, -1, dtype=np.int64), chance.integers(0, 60, n).astype(np.int32)
    zeros = np.zeros(n, dtype=np.uint8)
    slices = Slices(
        start[order], dur[order], name, zeros, lane[order], row[order], none.astype(np.int32), none, none, none, zeros
    )
    empty = np.zeros(0, dtype=np.int64)
    gpu = GpuColumns(empty, *[empty] * 2, empty.reshape(0, 3), empty.reshape(0, 3), *[empty] * 7)
    names = tuple(f"aten::name_{number}" for number in range(60))
    nothing = Instants(*[empty] * 5), (), Flows(*[empty] * 3)
    return Trace("synthetic", 0, names, ("cpu_op",), tuple(lanes), slices, gpu, *nothing, event_count=n)


def grown(side: Side, events: int) -> Side:
    """The side's slices over and over, one repetition after the other on each lane."""
    trace, slices = side.trace, side.trace.slices
    times = max(1, -(-events // len(slices)))
    period = int((slices.start_ns + slices.dur_ns)[slices.flags == 0].max()) + 1_000
    bounds = trace.lane_bounds()
    sizes = np.diff(bounds)
    base = np.repeat(bounds[:-1], sizes * times)
    within = np.arange(len(slices) * times) - np.repeat(bounds[:-1] * times, sizes * times)
    own = np.repeat(sizes, sizes * times)
    at, turn = base + within % own, within // own
    moved = {name: getattr(slices, name)[at] for name in Slices.__slots__}
    moved["start_ns"] = moved["start_ns"] + turn * period
    shift = base * (times - 1) + turn * own
    moved["parent"] = np.where(moved["parent"] >= 0, moved["parent"] + shift, -1).astype(np.int32)
    unlinked = np.full(len(at), -1, dtype=np.int32)
    links = Links(unlinked, unlinked, unlinked, unlinked, unlinked[:0])
    empty = np.zeros(0, dtype=np.int64)
    gpu = replace(trace.gpu, **{name: getattr(trace.gpu, name)[:0] for name in GpuColumns.__slots__})
    made = replace(trace, slices=Slices(**moved), gpu=gpu, instants=replace(trace.instants, lane=empty))
    assert made.span_ns  # worked out while loading, where results are opened by the application
    return replace(side, trace=made, kinds=side.kinds[at], links=links, steps=())


def path(whole: tuple[int, int]) -> Iterator[TimeWindow]:
    """Zooming in from everything to some ns and out again at three places, with panning at every other depth."""
    start, end = whole
    for place in (0.12, 0.503, 0.86):
        spans = [max(20, int((end - start) * 0.75**step)) for step in range(0, 72)]
        for number, span in enumerate([*spans, *spans[::-2]]):
            begin = start + int((end - start - span) * place)
            for pan in range(5 if number % 6 == 0 else 1):
                yield TimeWindow(begin + pan * span // 9, begin + pan * span // 9 + span)


def level_of_detail(side: Side) -> str:
    """What parting into tracks and their level of detail take, on the thread that makes them."""
    began, cpu = time.perf_counter(), time.process_time()
    parts = Parts(side)
    tracks = [fill(parts, track) for track in plan(parts)]
    rows = [row for track in tracks for row in track.rows]
    details = [row.detail for row in rows]
    taken, cpu = time.perf_counter() - began, time.process_time() - cpu
    # the trace's own columns are not counted: a row that looks at them in place has them as views
    own = {id(base): base.nbytes for row in rows for base in (_owner(row.slice),)}
    for detail in details:
        own |= {id(base): base.nbytes for part in detail.parts for base in (_owner(part),)}
    for column in (side.trace.slices.start_ns, side.trace.slices.dur_ns, side.kinds):
        own.pop(id(_owner(column)), None)
    return f"level of detail: {taken:.2f} s ({cpu:.2f} s CPU), {sum(own.values()) / 1e6:.0f} MB"


def _owner(part: np.ndarray) -> np.ndarray:
    return part if part.base is None or not isinstance(part.base, np.ndarray) else _owner(part.base)


def unfold(view: TimelineView, state: ViewState) -> None:
    """So many rows of every side that 25 show."""
    for side, tracks in enumerate(view.canvas.tracks):
        rows = {track.id: track.row_count for track in tracks if track.rows}
        order = sorted(tracks, key=_stacks_first)
        state.arrange_tracks(side, TrackArrangement(rows=rows, order=tuple(track.id for track in order)))


def _stacks_first(track: Track) -> tuple[bool, int]:
    return not track.rows, -len(track.rows)


def measure(results: Results, *, profile: bool) -> str:
    state = ViewState()
    view = TimelineView(state, DARK)
    view.resize(1600, 1_000)  # of which the timelines themselves have 900
    view.show()
    QApplication.processEvents()  # nothing is painted before the window is exposed
    opened = wait_for_tracks(view, results)
    unfold(view, state)
    windows = list(path(view.canvas.whole))
    frames(view, state, windows[:40])  # names that show are rendered once
    profiler = cProfile.Profile(time.process_time)
    if profile:
        profiler.enable()
    cpu = frames(view, state, windows)
    profiler.disable()
    lanes = [sum(slot.row is not None for slot in slots_of(scene)) for scene in view.canvas.scenes()]
    view.close()
    if profile:
        pstats.Stats(profiler).sort_stats("tottime").print_stats(45)
    p99, median = statistics.quantiles(cpu, n=100)[98], statistics.median(cpu)
    figures = f"median {median:.1f}, p99 {p99:.1f}, max {max(cpu):.1f} CPU ms"
    return f"{opened}\n{len(cpu)} frames, {lanes} lanes: {figures}; {median / copy_ms():.1f} x a copy of the picture"


def copy_ms() -> float:
    """CPU ms of copying a picture of the widget's size once: load on the machine does the same to it as to a frame."""
    picture, taken = np.zeros((900, 1_600), dtype=np.uint32), []
    other = picture.copy()
    for _ in range(50):
        before = time.process_time()
        np.copyto(other, picture)
        taken.append((time.process_time() - before) * 1_000)
    return statistics.median(taken)


def wait_for_tracks(view: TimelineView, results: Results) -> str:
    """Shows them, and tells when what was drawn, and how long the window was not free meanwhile."""
    painted, began = Painted(view), time.perf_counter()
    view.show_results(results)
    longest = time.perf_counter() - began
    told = [f"shown after {longest:.3f} s"]
    awaited = {
        "the first track of each side": tops,
        "all in view": in_view,
        "all tracks": lambda view: view.canvas.tracks,
    }
    for title, tracks in awaited.items():
        while any(track.is_pending for side in tracks(view) for track in side) or not all(view.canvas.tracks):
            longest = max(longest, turn(2))
        count = painted.count
        view.canvas.update()
        while painted.count == count:
            longest = max(longest, turn(2))
        told.append(f"{title} after {time.perf_counter() - began:.2f} s")
    return f"{', '.join(told)}; the window was busy for {longest * 1e3:.0f} ms at most"


def tops(view: TimelineView) -> list[Sequence[Track]]:
    return [tracks[:1] for tracks in view.canvas.tracks]


def in_view(view: TimelineView) -> list[Sequence[Track]]:
    return [[slot.placed.track for slot in slots_of(scene)] for scene in view.canvas.scenes()]


def turn(wait_ms: int) -> float:
    """Lets the window and other threads work for so long; how many seconds more they kept it."""
    loop, began = QEventLoop(), time.perf_counter()
    QTimer.singleShot(wait_ms, loop.quit)
    loop.exec()
    return time.perf_counter() - began - wait_ms / 1e3


class Painted(QObject):
    """Counts the pictures that the timelines painted."""

    def __init__(self, view: TimelineView) -> None:
        super().__init__(view)
        self.count = 0
        view.canvas.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.Paint
        return False


def frames(view: TimelineView, state: ViewState, windows: list[TimeWindow]) -> list[float]:
    """CPU ms of each frame, from the change of the window until everything that it changes is on the screen."""
    painted, cpu = Painted(view), []
    for window in windows:
        if window == state.window:
            continue
        QApplication.processEvents()
        before, count = time.process_time(), painted.count
        state.show_window(window)
        while painted.count == count:
            QApplication.processEvents()
        cpu.append((time.process_time() - before) * 1_000)
    return cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=float, nargs="+", default=[1e6, 1e7])
    parser.add_argument("--profile", action="store_true")
    chosen = parser.parse_args()
    app = QApplication.instance() or QApplication([])
    base = capture()
    for events in chosen.events:
        side = grown(base, int(events))
        print(f"\n{len(side.trace.slices):,} slices a side; {TARGETS} CPU ms")
        print(level_of_detail(side), "(target: 2 s, 150 MB for ten million)")
        print(measure(Results("grown", "", (side, side), (), (), ()), profile=chosen.profile), flush=True)
    app.processEvents()


if __name__ == "__main__":
    main()
