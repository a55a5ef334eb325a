"""Small traces, sides and results from lists of slices, for tests of what is painted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from profviz.core.nesting import nest
from profviz.model.results import Occupancy, Results, Side, SliceKind, Step
from profviz.model.trace import Flows, GpuColumns, Instants, Lane, LaneKind, Links, Slices, Trace

CPU = Lane(LaneKind.CPU, "1", "1", "python3 (CPU)", "thread 1 (python3)")
GPU = Lane(LaneKind.GPU, "0", "7", "GPU 0", "stream 7", device=0, stream=7)
OTHER = Lane(LaneKind.OTHER, "x", "y", "Spans", "other tool")
Piece = tuple[int, int, int, str, int]
"""(lane, start ns, duration ns, name, correlation or -1)"""


def make_trace(pieces: Sequence[Piece], *, lanes: Sequence[Lane] = (GPU, CPU, OTHER), title: str = "trace") -> Trace:
    ordered = sorted(pieces, key=lambda piece: (piece[0], piece[1], -piece[2]))
    names = tuple(dict.fromkeys(piece[3] for piece in ordered))
    columns = np.array([(p[0], p[1], p[2], names.index(p[3]), p[4]) for p in ordered], dtype=np.int64).reshape(-1, 5)
    n = len(ordered)
    lane, start, dur = columns[:, 0].astype(np.int32), columns[:, 1].copy(), columns[:, 2].copy()
    nested = nest(start, start + dur, lane)
    gpu = np.flatnonzero(np.isin(lane, [i for i, one in enumerate(lanes) if one.kind is LaneKind.GPU]))
    none = np.zeros(0, dtype=np.int64)
    return Trace(
        title=title,
        origin_ns=0,
        names=names,
        categories=("any",),
        lanes=tuple(lanes),
        slices=Slices(
            start_ns=start,
            dur_ns=dur,
            name=columns[:, 3].astype(np.int32),
            category=np.zeros(n, dtype=np.uint16),
            lane=lane,
            row=nested.row,
            parent=nested.parent,
            correlation=columns[:, 4].copy(),
            external=np.full(n, -1, dtype=np.int64),
            event=np.arange(n, dtype=np.int64),
            flags=np.zeros(n, dtype=np.uint8),
        ),
        gpu=gpu_columns(gpu.astype(np.int64)),
        instants=Instants(none, none.astype(np.int32), none.astype(np.uint16), none.astype(np.int32), none),
        counters=(),
        flows=Flows(none, none, none.astype(np.uint16)),
        event_count=n,
    )


def gpu_columns(index: np.ndarray) -> GpuColumns:
    m = len(index)
    missing = np.full(m, -1, dtype=np.int64)
    return GpuColumns(
        slice=index,
        device=np.zeros(m, dtype=np.int32),
        stream=np.full(m, 7, dtype=np.int32),
        grid=np.tile(np.array([128, 2, 1], dtype=np.int32), (m, 1)),
        block=np.tile(np.array([256, 1, 1], dtype=np.int32), (m, 1)),
        registers=np.full(m, 24, dtype=np.int32),
        shared_bytes=missing,
        bytes=missing,
        occupancy_pct=np.full(m, np.nan),
        bandwidth_gbps=np.full(m, np.nan),
        graph=missing,
        graph_node=missing,
    )


def make_links(trace: Trace) -> Links:
    """Each GPU slice to the CPU slice of the same correlation, and to that one's parent."""
    slices, n = trace.slices, len(trace.slices)
    launch, op, first = (np.full(n, -1, dtype=np.int64) for _ in range(3))
    count = np.zeros(n, dtype=np.int64)
    gpu = trace.gpu.slice.tolist()
    cpu = {int(c): i for i, c in enumerate(slices.correlation.tolist()) if c >= 0 and i not in gpu}
    launched = [index for index in gpu if int(slices.correlation[index]) in cpu]
    for place, index in enumerate(launched):
        asked = cpu[int(slices.correlation[index])]
        launch[index], op[index], op[asked] = asked, slices.parent[asked], slices.parent[asked]
        first[asked], count[asked] = place, 1
    return Links(launch=launch, op=op, first_gpu=first, gpu_count=count, launched=np.array(launched, dtype=np.int64))


def make_side(
    pieces: Sequence[Piece],
    *,
    kinds: dict[str, SliceKind] | None = None,
    steps: Sequence[tuple[int, int]] = (),
    title: str = "Eager",
    lanes: Sequence[Lane] = (GPU, CPU, OTHER),
) -> Side:
    """`kinds` by name, OPERATOR else; `steps` as (start, end) in ns."""
    trace = make_trace(pieces, lanes=lanes, title=title)
    known = kinds or {}
    own = [int(known.get(trace.name_of(i), SliceKind.OPERATOR)) for i in range(len(trace.slices))]
    return Side(
        id=title.lower(),
        title=title,
        trace=trace,
        notes=(),
        links=make_links(trace),
        kinds=np.array(own, dtype=np.uint8),
        occupancy=Occupancy(len(trace.gpu), 0, 0, 0, 0, 1, 1, 0, 0),
        steps=tuple(_step(trace, number, span) for number, span in enumerate(steps)),
        table=(),
        table_of="kernels",
    )


def _step(trace: Trace, number: int, span: tuple[int, int]) -> Step:
    start, end = span
    gpu = trace.gpu.slice
    mine = gpu[(trace.slices.start_ns[gpu] >= start) & (trace.slices.start_ns[gpu] < end)]
    busy = int(trace.slices.dur_ns[mine].sum()) if len(mine) else None
    last = int(trace.slices.end_ns[mine].max()) if len(mine) else None
    first = int(trace.slices.start_ns[mine].min()) if len(mine) else None
    return Step(number, start, end, len(mine), busy, first, last, 4)


def step_pieces(at: int, *, kernels: int, width: int, each: int, first_id: int) -> list[Piece]:
    """One step: a range, an operator with a launch for each kernel, and the kernels 500 ns later."""
    pieces: list[Piece] = [(1, at, kernels * each, f"ProfilerStep#{first_id}", -1)]
    for number in range(kernels):
        begin = at + number * each
        pieces.append((1, begin, each * 3 // 4, "aten::op", -1))
        pieces.append((1, begin + 10, each // 4, "cudaLaunchKernel", first_id * 1_000 + number))
        pieces.append((0, begin + 500, width, "void ns::kernel<int>(float*)", first_id * 1_000 + number))
    return pieces


def make_pair() -> Results:
    """Eager: 3 steps of 8 narrow kernels each; compiled: 3 steps of 3 wide ones, 10 µs later and shorter."""
    kinds = {"void ns::kernel<int>(float*)": SliceKind.POINTWISE, "cudaLaunchKernel": SliceKind.RUNTIME}
    eager = [p for n in range(3) for p in step_pieces(n * 20_000, kernels=8, width=400, each=2_000, first_id=n + 1)]
    fused = [
        p for n in range(3) for p in step_pieces(10_000 + n * 9_000, kernels=3, width=1_200, each=2_000, first_id=n + 1)
    ]
    sides = (
        make_side(eager, kinds=kinds, steps=[(n * 20_000, n * 20_000 + 16_000) for n in range(3)]),
        make_side(
            fused, kinds=kinds, steps=[(10_000 + n * 9_000, 16_000 + n * 9_000) for n in range(3)], title="Compiled"
        ),
    )
    return Results("pair", "", sides, (), (), ())
