"""When the GPU, else the CPU, of a side is busy: exact unions, as they are and in equal parts of its time."""

from __future__ import annotations

import numpy as np

from profviz.analysis.intervals import Union, covered_before, unite
from profviz.analysis.linking import category_mask
from profviz.model.categories import is_operator
from profviz.model.overview import Busy, Overview
from profviz.model.questions import Question
from profviz.model.results import Results, Side
from profviz.model.trace import I64, LaneKind

BINS = 4_096


def overview(results: Results, question: Question) -> Overview:
    """Of side `question.side`."""
    side = results.sides[question.side]
    found, of = _busy(side)
    bin_ns = max(1, -(-side.trace.span_ns // BINS))
    edges = np.arange(BINS + 1, dtype=np.int64) * bin_ns
    return Overview(np.diff(covered_before(found, edges)), bin_ns, of)


def busy(results: Results, question: Question) -> Busy:
    """Of side `question.side`."""
    found, of = _busy(results.sides[question.side])
    before = np.concatenate([[0], np.cumsum(found.end_ns - found.start_ns)]).astype(np.int64)
    return Busy(found.start_ns, found.end_ns, before, of)


def _busy(side: Side) -> tuple[Union, str]:
    chosen, of = _chosen(side)
    start = side.trace.slices.start_ns[chosen]
    return unite(start, start + side.trace.slices.dur_ns[chosen]), of


def _chosen(side: Side) -> tuple[I64, str]:
    """The slices that count: GPU work, else operators, else whatever runs on a CPU thread."""
    trace = side.trace
    usable = trace.slices.flags == 0
    if len(trace.gpu):
        return trace.gpu.slice[usable[trace.gpu.slice]], "GPU"
    operators = np.flatnonzero(category_mask(trace, is_operator) & usable)
    if len(operators):
        return operators.astype(np.int64), "CPU"
    cpu = np.array([lane.kind is LaneKind.CPU for lane in trace.lanes] or [False], dtype=np.bool_)
    outer = usable & (trace.slices.row == 0)
    own = outer & cpu[trace.slices.lane] if len(trace.slices) else outer
    return np.flatnonzero(own if own.any() else outer).astype(np.int64), "CPU"
