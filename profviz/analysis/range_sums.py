"""Sums over ranges of time: every slice cut to them, by name and by lane, in whole nanoseconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from profviz.analysis.covering import covered_ns
from profviz.analysis.linking import Mask
from profviz.analysis.occupancy import replayed
from profviz.analysis.tables.join import join_tables
from profviz.model.questions import ColumnTable, PairedTable, Question, TableColumn, Unanswered, Unit
from profviz.model.range_sums import RangeSums
from profviz.model.results import Results, Side, SliceKind
from profviz.model.trace import I64, MISSING, Ints, LaneKind

Span = tuple[int, int]
Track = tuple[int, str]
"""A lane and a part of it: "python" for its Python frames, "cpu_annotation" for ranges the user named, "cpu" for the
rest of a thread, "gpu" for all but what CUDA graphs replayed, "" for everything. A lane of -1 with "graph DEVICE GRAPH"
is all that replays of one graph ran, with a graph of -1 for those that the trace does not tell apart."""

Asked = tuple[int, int, tuple[Track, ...]]
"""A range in the side's own time on some tracks, or on all of `what` where there are none."""

_KINDS = {"python": SliceKind.PYTHON, "cpu_annotation": SliceKind.ANNOTATION}
_WORDS = {"gpu": "GPU work", "cpu": "CPU threads", "all": "every track"}


@dataclass(frozen=True, slots=True)
class Pieces:
    """What lies within the ranges, in order of time; shape (n,) each. A slice that two ranges cut has two pieces."""

    slice: I64
    start_ns: I64
    end_ns: I64


def answer_range(results: Results, question: Question) -> RangeSums:
    """Args: (ranges, what); ranges as `Asked`, what is "gpu", "cpu" or "all" and says which lanes they are on."""
    asked, what = cast("tuple[tuple[Asked, ...], str]", question.args)
    return sum_ranges(results.sides[question.side], asked, what=what)


def answer_range_pair(results: Results, question: Question) -> PairedTable | Unanswered:
    """Args: (first side, second side, ranges of the first, ranges of the second, what); joined by name."""
    first, second, *asked, what = cast("tuple[int, int, tuple[Asked, ...], tuple[Asked, ...], str]", question.args)
    sides = (results.sides[first], results.sides[second])
    found = [sum_ranges(side, own, what=what) for side, own in zip(sides, asked, strict=True)]
    for side, sums in zip(sides, found, strict=True):
        if not sums.count:
            return Unanswered(f"{side.title} has no slices of {sums.what} there.")
    return join_tables(found[0].names, found[1].names, by="name", measures=("total",), counts="count")


def sum_ranges(side: Side, asked: Sequence[Asked], *, what: str = "all") -> RangeSums:
    """Slices that never ended or are absurdly long are left out, as from every sum."""
    pieces = _pieces(side, asked, what)
    span_ns = sum(end - start for start, end in merged([(start, end) for start, end, _ in asked]))
    names, lanes = _by_name(side, pieces, span_ns), _by_lane(side, pieces, span_ns)
    everything = np.zeros(len(pieces.slice), dtype=np.uint8)
    return RangeSums(
        what="chosen tracks" if any(tracks for _, _, tracks in asked) else _WORDS[what],
        span_ns=span_ns,
        count=int(lanes.column("count").values.sum()),
        total_ns=int(lanes.column("total").values.sum()),
        union_ns=int(covered_ns(pieces.start_ns, pieces.end_ns, everything, 1)[0]),
        names=names,
        lanes=lanes,
    )


def merged(spans: Sequence[Span]) -> list[Span]:
    """The spans in order, those that touch as one."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        else:
            found.append((start, end))
    return found


def _pieces(side: Side, asked: Sequence[Asked], what: str) -> Pieces:
    bounds = side.trace.lane_bounds()
    parts = [
        _cut(side, int(bounds[lane]), int(bounds[lane + 1]), part, span)
        for lane in range(len(side.trace.lanes))
        for part, spans in _spans_on(side, lane, asked, what).items()
        for span in spans
    ]
    of, start, end = [np.concatenate(column) for column in zip(*parts, strict=True)] or [
        np.zeros(0, dtype=np.int64)
    ] * 3
    order = np.argsort(start, kind="stable")  # once for all unions
    return Pieces(of[order], start[order], end[order])


def _spans_on(side: Side, lane: int, asked: Sequence[Asked], what: str) -> dict[str, list[Span]]:
    """The ranges on one lane by part of it."""
    parts: dict[str, list[Span]] = {}
    is_gpu = side.trace.lanes[lane].kind is LaneKind.GPU
    for start, end, tracks in asked:
        own = {part for at, part in tracks if at == lane or (at < 0 and is_gpu)}
        for part in own if tracks else [""] if _is(side, lane, what) else []:
            parts.setdefault(part, []).append((start, end))
    return {part: merged(spans) for part, spans in parts.items()}


def _is(side: Side, lane: int, what: str) -> bool:
    kind = side.trace.lanes[lane].kind
    wanted = {"gpu": (LaneKind.GPU,), "cpu": (LaneKind.CPU,)}.get(what)
    return wanted is None or kind in wanted


def _cut(side: Side, first: int, last: int, part: str, span: Span) -> tuple[I64, I64, I64]:
    """Slices [first, last) of one lane that are within the span at all; those of no length where they begin in it."""
    slices = side.trace.slices
    start = slices.start_ns[first : first + int(np.searchsorted(slices.start_ns[first:last], span[1]))]
    own = np.s_[first : first + len(start)]
    end = start + slices.dur_ns[own]
    at = np.flatnonzero(((end > span[0]) | (start >= span[0])) & (slices.flags[own] == 0))
    at = at[_in_part(side, first + at, part)]
    return first + at, np.maximum(start[at], span[0]), np.minimum(end[at], span[1])


def _in_part(side: Side, chosen: I64, part: str) -> Mask:
    """Which of the slices are in a part of their lane, see `Track`."""
    kinds = side.kinds[chosen]
    if part in _KINDS:
        return np.asarray(kinds == _KINDS[part], dtype=bool)
    if part == "cpu":
        return ~np.isin(kinds, list(_KINDS.values()))
    if part == "gpu":
        return ~np.isin(chosen, side.trace.gpu.slice[replayed(side.trace, side.links)])
    if part.startswith("graph "):
        device, graph = map(int, part.split()[1:])
        gpu = side.trace.gpu
        known = np.where(gpu.graph > 0, gpu.graph, MISSING)
        mine = replayed(side.trace, side.links) & (gpu.device == device) & (known == graph)
        return np.isin(chosen, gpu.slice[mine])
    return np.ones(len(chosen), dtype=bool)


@dataclass(frozen=True, slots=True)
class _Sums:
    """Shape (groups,) each; `first` is the first slice of a group."""

    first: I64
    count: I64
    total_ns: I64
    union_ns: I64
    min_ns: I64
    max_ns: I64


def _sum(pieces: Pieces, key: I64, keys: int) -> _Sums:
    """Groups the pieces by `key` (pieces,), a number below `keys` of the slice; groups come in order of the key."""
    present = np.flatnonzero(np.bincount(key, minlength=keys))
    if not len(present):
        none = np.zeros(0, dtype=np.int64)
        return _Sums(none, none, none, none, none, none)
    number: Ints = np.zeros(keys, dtype=np.uint16 if len(present) < 1 << 16 else np.int64)
    number[present] = np.arange(len(present))
    group = number[key]
    union_ns = covered_ns(pieces.start_ns, pieces.end_ns, group, len(present))
    of, own_ns, group = _whole(pieces, group)
    by = np.argsort(group, kind="stable")
    count = np.bincount(group, minlength=len(present)).astype(np.int64)
    starts = np.cumsum(count) - count
    return _Sums(
        first=np.minimum.reduceat(of[by], starts),
        count=count,
        total_ns=np.add.reduceat(own_ns[by], starts),
        union_ns=union_ns,
        min_ns=np.minimum.reduceat(own_ns[by], starts),
        max_ns=np.maximum.reduceat(own_ns[by], starts),
    )


def _whole(pieces: Pieces, group: Ints) -> tuple[I64, I64, Ints]:
    """Slices, what of each is within the ranges, and its group: the pieces of one slice together, overlaps once."""
    order = np.argsort(pieces.slice, kind="stable")
    of = pieces.slice[order]
    firsts = np.flatnonzero(np.diff(of, prepend=-1))
    if len(firsts) == len(of):
        return of, (pieces.end_ns - pieces.start_ns)[order], group[order]
    of, place = np.unique(pieces.slice, return_inverse=True)
    return of, covered_ns(pieces.start_ns, pieces.end_ns, place, len(of)), group[order][firsts]


def _by_name(side: Side, pieces: Pieces, span_ns: int) -> ColumnTable:
    slices = side.trace.slices
    kinds = len(SliceKind)
    key = slices.name[pieces.slice].astype(np.int64) * kinds + side.kinds[pieces.slice]
    sums = _sum(pieces, key, len(side.trace.names) * kinds)
    names, place = np.unique(slices.name[sums.first], return_inverse=True)
    texts = tuple(side.trace.names[name] for name in names.tolist())
    own_kinds = side.kinds[sums.first].astype(np.int64)
    columns = (
        TableColumn("name", "name", Unit.TEXT, place.astype(np.int64), texts),
        TableColumn("kind", "kind", Unit.TEXT, own_kinds, tuple(kind.title for kind in SliceKind)),
        *_columns(sums, span_ns),
    )
    order = np.argsort(-sums.total_ns, kind="stable")
    return _ordered("Sums over the range, by name", columns, sums.first, own_kinds, order)


def _by_lane(side: Side, pieces: Pieces, span_ns: int) -> ColumnTable:
    lane = side.trace.slices.lane
    sums = _sum(pieces, lane[pieces.slice].astype(np.int64), len(side.trace.lanes))
    lanes = lane[sums.first].astype(np.int64)
    texts = tuple(side.trace.lanes[at].title for at in lanes.tolist())
    columns = (
        TableColumn("lane", "lane", Unit.TEXT, np.arange(len(lanes)), texts),
        *_columns(sums, span_ns),
    )
    return _ordered(
        "Sums over the range, by lane", columns, sums.first, np.zeros(0, dtype=np.int64), np.arange(len(lanes))
    )


def _columns(sums: _Sums, span_ns: int) -> tuple[TableColumn, ...]:
    ns = Unit.NS
    count = np.maximum(sums.count, 1)
    mean = (sums.total_ns + count // 2) // count
    share = sums.union_ns / span_ns if span_ns else np.full(len(count), np.nan)
    return (
        TableColumn("count", "slices", Unit.COUNT, sums.count, about="Slices that are at least partly in the range."),
        TableColumn("total", "total", ns, sums.total_ns, about="Sum of their lengths, each cut to the range."),
        TableColumn("union", "union", ns, sums.union_ns, about="Time in which at least one of them ran."),
        TableColumn("share", "of range", Unit.SHARE, share, about="The union as a share of the range's length."),
        TableColumn("mean", "mean", ns, mean, about="The sum divided by the count, rounded to a whole nanosecond."),
        TableColumn("min", "min", ns, sums.min_ns, about="The shortest of them, cut to the range."),
        TableColumn("max", "max", ns, sums.max_ns, about="The longest of them, cut to the range."),
    )


def _ordered(title: str, columns: Sequence[TableColumn], first: I64, kind: I64, order: I64) -> ColumnTable:
    made = tuple(replace(column, values=column.values[order]) for column in columns)
    return ColumnTable(title, made, slice=first[order], kind=kind[order] if len(kind) else kind)
