"""A side of millions of slices made from columns: operators that launch kernels, and as many allocations."""

from __future__ import annotations

import numpy as np

from profviz.analysis.sides import make_side
from profviz.model.results import Side
from profviz.model.trace import (
    Flows,
    GpuColumns,
    Instants,
    Lane,
    LaneKind,
    Memory,
    Shapes,
    Slices,
    Trace,
)

NAMES, STREAMS, STEPS = 2_000, 4, 100


def big_side(launches: int) -> Side:
    """So many operators, launches, kernels and allocations; kernels lag behind by up to a thousand launches."""
    chance = np.random.default_rng(4)
    n = launches
    number = np.arange(n, dtype=np.int64)
    begin = number * 5_000
    cpu = [(begin, 4_000, 0), (begin + 500, 2_000, 1)]
    gpu_start = begin + 3_000 + chance.integers(0, 2_000_000, n)
    marks = np.linspace(0, n, STEPS, endpoint=False).astype(np.int64) * 5_000
    lane = np.concatenate([np.zeros(2 * n + STEPS, dtype=np.int64), 1 + number % STREAMS])
    start = np.concatenate([*(one for one, _, _ in cpu), marks, gpu_start])
    length = np.full(STEPS, n // STEPS * 5_000)
    dur = np.concatenate([*(np.full(n, each) for _, each, _ in cpu), length, chance.integers(800, 90_000, n)])
    kind = np.repeat([0, 1, 2, 3], [n, n, STEPS, n])
    name = np.concatenate([number % NAMES, NAMES + number % 3, NAMES + 3 + np.arange(STEPS), number * 7 % NAMES])
    own = np.concatenate([number, number, np.full(STEPS, -1), number])
    order = np.lexsort((-dur, start, lane))
    slices = _slices(*(column[order] for column in (start, dur, name, kind, lane, own)))
    return make_side(id="big", title="big", trace=_trace(slices, _gpu(slices), _memory(n), n), notes=())


def _slices(
    start: np.ndarray, dur: np.ndarray, name: np.ndarray, kind: np.ndarray, lane: np.ndarray, own: np.ndarray
) -> Slices:
    """Launches stand in the operator of the same number, operators in their step."""
    places = np.full((4, int(own.max()) + 1), -1, dtype=np.int64)
    places[kind, own] = np.arange(len(start))
    steps = np.flatnonzero(kind == 2)
    step = steps[np.clip(start[steps].searchsorted(start, side="right") - 1, 0, len(steps) - 1)]
    parent = np.select([kind == 0, kind == 1], [step, places[0, own]], -1)
    kernel_names = np.where(kind == 3, name + NAMES + 3 + STEPS, name)
    return Slices(
        start_ns=start,
        dur_ns=dur,
        name=kernel_names.astype(np.int32),
        category=np.array([0, 1, 2, 3], dtype=np.uint8)[kind],
        lane=lane.astype(np.int32),
        row=np.array([1, 2, 0, 0], dtype=np.int32)[kind],
        parent=parent.astype(np.int32),
        correlation=np.where((kind == 1) | (kind == 3), own + 1, -1),
        external=np.full(len(start), -1, dtype=np.int8),
        event=np.arange(len(start)),
        flags=np.zeros(len(start), dtype=np.uint8),
    )


def _gpu(slices: Slices) -> GpuColumns:
    at = np.flatnonzero(slices.category == 3)
    m = len(at)
    unsaid = np.full(m, -1, dtype=np.int8)
    grid = np.stack([slices.name[at] % 64 + 1, np.ones(m), np.ones(m)], axis=1).astype(np.int32)
    return GpuColumns(
        slice=at,
        device=np.zeros(m, dtype=np.int8),
        stream=slices.lane[at].astype(np.int8),
        grid=grid,
        block=np.tile(np.array([256, 1, 1], dtype=np.int32), (m, 1)),
        registers=np.full(m, 32, dtype=np.int8),
        shared_bytes=np.zeros(m, dtype=np.int8),
        bytes=unsaid,
        occupancy_pct=np.full(m, 50.0, dtype=np.float32),
        bandwidth_gbps=np.full(m, np.nan, dtype=np.float32),
        graph=unsaid,
        graph_node=unsaid,
    )


def _memory(n: int) -> Memory:
    """Each allocation is freed after thirty others."""
    number = np.arange(n, dtype=np.int64)
    time = np.concatenate([number * 5_000 + 1_000, (number + 30) * 5_000 + 1_001])
    order = np.argsort(time, kind="stable")
    return Memory(
        time_ns=time[order],
        address=np.concatenate([number % 64, number % 64])[order] * 512,
        bytes=np.repeat([4_096, -4_096], n)[order],
        allocated=np.full(2 * n, 122_880),
        reserved=np.full(2 * n, 1 << 20),
        device_type=np.ones(2 * n, dtype=np.int8),
        device=np.zeros(2 * n, dtype=np.int8),
        lane=np.zeros(2 * n, dtype=np.int8),
        event=np.full(2 * n, -1, dtype=np.int8),
    )


def _trace(slices: Slices, gpu: GpuColumns, memory: Memory, n: int) -> Trace:
    none = np.zeros(0, dtype=np.int64)
    names = (
        *(f"aten::op_{at}" for at in range(NAMES)),
        *("cudaLaunchKernel", "cuLaunchKernel", "cudaLaunchKernelExC"),
        *(f"ProfilerStep#{at}" for at in range(STEPS)),
        *(f"void at::native::elementwise_kernel<{at}, float>(int)" for at in range(NAMES)),
    )
    ops = np.flatnonzero(slices.category == 0).astype(np.int32)
    return Trace(
        title="big",
        origin_ns=0,
        names=names,
        categories=("cpu_op", "cuda_runtime", "user_annotation", "kernel"),
        lanes=(
            Lane(LaneKind.CPU, "1", "1", "python3", "thread 1 (python3)"),
            *(Lane(LaneKind.GPU, "0", str(at), "GPU 0", f"stream {at}", 0, at) for at in range(STREAMS)),
        ),
        slices=slices,
        gpu=gpu,
        instants=Instants(none, none, none, none, none),
        counters=(),
        flows=Flows(none, none, none),
        event_count=len(slices),
        shapes=Shapes(ops, (ops % 5).astype(np.int32), tuple(f"[[{at}]]" for at in range(5))),
        memory=memory,
    )
