"""Why the GPU had nothing to do, gap by gap: launch-bound, synchronising, dependency, between kernels or unknown.

The reasoning. A gap lies between the end of all work before it (g0) and the start of the next work K (g1). K cannot
start before its launch was handed over. That is when the launch call ends, or when the first work of it starts where
that is sooner, as with a replayed graph, whose later kernels need no further call. Handed over after g0: the queue was
empty when the GPU ran dry, so the host is what it waited for. Handed over before: K was queued and waited for
something on the device; what ended at g0 says whether for its own stream or for another.

Of a gap that waits for the host, as much is charged to synchronising as the launching thread spent in synchronise
calls since its launch before: without them it would have launched K that much sooner. So a wait of 2 ms explains a gap
of 300 µs whole, and one of 10 µs only 10 µs of it; the rest is what the host needs anyway. Where one thread waits and
then has another launch, as with .item() before backward(), the waits of all threads count since anybody's last launch,
unless one still goes on when K is launched: then the threads do not wait for each other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from profviz.analysis.intervals import Union, covered_ns, unite
from profviz.analysis.linking import Mask, category_mask
from profviz.model.breakdown import Part
from profviz.model.categories import is_copy, is_runtime
from profviz.model.results import Side
from profviz.model.trace import I64, U8, Trace

_SYNCHRONISE = re.compile(r"synchroni[sz]e|queuefinish|eventwait$|memcpy(?!.*async)", re.IGNORECASE)
_PAGEABLE = re.compile(r"pageable", re.IGNORECASE)
BEFORE_ALL, AFTER_ALL = -(2**61), 2**61
"""Earlier and later than any trace; the time between them still fits into int64."""


@dataclass(frozen=True, slots=True, eq=False)
class Gaps:
    """The idle time of a device in order, of shape (k,): `part` is a `Part`, `slice` what started at the gap's end.

    Together with the work they cover all time from BEFORE_ALL to AFTER_ALL.
    """

    start_ns: I64
    end_ns: I64
    part: U8
    slice: I64


def synchronise_calls(side: Side) -> Mask:
    """Shape (slices,): runtime calls that hold their thread until the GPU has got somewhere.

    Nothing but a call's name tells; a copy asked for as asynchronous still blocks with pageable memory.
    """
    trace = side.trace
    named = _names(trace, _SYNCHRONISE)
    calls = category_mask(trace, is_runtime) & named[trace.slices.name] if len(named) else _nothing(trace)
    copies = trace.gpu.slice[category_mask(trace, is_copy)[trace.gpu.slice]]
    pageable = _names(trace, _PAGEABLE)
    if len(copies):
        blocking = side.links.launch[copies[pageable[trace.slices.name[copies]]]]
        calls[blocking[blocking >= 0]] = True
    return calls


def find_gaps(side: Side, work: I64, busy: Union) -> Gaps:
    """The gaps around `busy`, which is the union of the GPU slices `work` (ascending); nothing else is looked at."""
    if not len(work):
        return _silence(side)
    start = np.concatenate([[BEFORE_ALL], busy.end_ns])
    end = np.concatenate([busy.start_ns, [AFTER_ALL]])
    following = work[busy.first]
    part = _causes(side, work, following, start[:-1])
    charged = _charged(side, following, part, end[:-1] - start[:-1])
    gaps = Gaps(start[:-1], end[:-1], part, following)
    return _joined(_head(gaps), _split(gaps, charged, skip_first=True), _tail(side, int(start[-1])))


def _causes(side: Side, work: I64, following: I64, ran_dry_ns: I64) -> U8:
    """For the work after each gap, before any synchronising is told from the rest."""
    launch = side.links.launch[following]
    known = launch >= 0
    part = np.full(len(following), int(Part.UNKNOWN), dtype=np.uint8)
    handed = _handed_over(side, work)[launch[known]]
    own_stream = _ended_before(side, work, following)[known] == ran_dry_ns[known]
    queued = np.where(own_stream, int(Part.BETWEEN), int(Part.DEPENDENCY))
    part[known] = np.where(handed > ran_dry_ns[known], int(Part.HOST), queued)
    return part


def _handed_over(side: Side, work: I64) -> I64:
    """Shape (slices,): for a launch when the device surely had it; meaningless for other slices."""
    slices, launch = side.trace.slices, side.links.launch[work]
    handed = slices.end_ns
    linked = launch >= 0
    np.minimum.at(handed, launch[linked], slices.start_ns[work[linked]])
    return handed


def _ended_before(side: Side, work: I64, following: I64) -> I64:
    """When the last of the work before, on the lane of each of `following`, had ended; BEFORE_ALL for none."""
    slices = side.trace.slices
    lane, end = slices.lane[work], slices.end_ns[work]
    before = np.full(len(work), BEFORE_ALL, dtype=np.int64)
    firsts = np.flatnonzero(np.concatenate([[True], lane[1:] != lane[:-1]]))
    for low, high in zip(firsts.tolist(), [*firsts[1:].tolist(), len(work)], strict=True):
        before[low + 1 : high] = np.maximum.accumulate(end[low:high])[:-1]
    return np.asarray(before[work.searchsorted(following)])


def _charged(side: Side, following: I64, part: U8, gap_ns: I64) -> I64:
    """How much of each gap that waits for the host is due to synchronise calls."""
    charged = np.zeros(len(following), dtype=np.int64)
    waits = np.flatnonzero(part == Part.HOST)
    if len(waits):
        launch = side.links.launch[following[waits]]
        spent = np.maximum(_own_waits_ns(side, launch), _all_waits_ns(side, launch))
        charged[waits] = np.minimum(gap_ns[waits], spent)
    return charged


def _all_waits_ns(side: Side, launch: I64) -> I64:
    """How long any thread had been in synchronise calls since the last launch of any; 0 while one still is."""
    slices = side.trace.slices
    calls = np.flatnonzero(synchronise_calls(side))
    waits = unite(slices.start_ns[calls], slices.end_ns[calls])
    launched = np.sort(slices.start_ns[np.flatnonzero(side.links.gpu_count > 0)])
    now = slices.start_ns[launch]
    place = launched.searchsorted(now)
    since = np.where(place > 0, launched[place - 1], BEFORE_ALL)
    at = waits.start_ns.searchsorted(now, "right")
    goes_on = np.concatenate([[BEFORE_ALL], waits.end_ns])[at] > now
    return np.where(goes_on, 0, covered_ns(waits, since, now))


def _own_waits_ns(side: Side, launch: I64) -> I64:
    """How long each launch's thread had been in synchronise calls since its launch before.

    A thread's slices are sorted by start, so that what lies between two calls lies between their indices.
    """
    slices, bounds = side.trace.slices, side.trace.lane_bounds()
    launches = np.flatnonzero(side.links.gpu_count > 0)
    place = launches.searchsorted(launch)
    previous = np.where(place > 0, launches[place - 1], 0)
    since = np.maximum(previous, bounds[slices.lane[launch]])
    calls = np.flatnonzero(synchronise_calls(side))
    spent = np.concatenate([[0], np.cumsum(_own_ns(side.trace, calls))])
    found: I64 = spent[calls.searchsorted(launch)] - spent[calls.searchsorted(since)]
    return found


def _own_ns(trace: Trace, calls: I64) -> I64:
    """How long each call lasted, without what an earlier one on its thread covers: drivers' calls nest in runtimes'."""
    slices = trace.slices
    start, end, lane = slices.start_ns[calls], slices.end_ns[calls], slices.lane[calls]
    covered = np.full(len(calls), BEFORE_ALL, dtype=np.int64)
    firsts = np.flatnonzero(np.concatenate([[True], lane[1:] != lane[:-1]])) if len(calls) else calls
    for low, high in zip(firsts.tolist(), [*firsts[1:].tolist(), len(calls)], strict=False):
        covered[low + 1 : high] = np.maximum.accumulate(end[low:high])[:-1]
    return np.asarray((end - np.maximum(start, covered)).clip(0))


def _head(gaps: Gaps) -> Gaps:
    """Before the first work: of the time before the trace nothing is known."""
    first = int(gaps.end_ns[0])
    began = min(0, first)
    return Gaps(
        np.array([BEFORE_ALL, began], dtype=np.int64),
        np.array([began, first], dtype=np.int64),
        np.array([int(Part.UNKNOWN), int(gaps.part[0])], dtype=np.uint8),
        np.repeat(gaps.slice[:1], 2),
    )


def _split(gaps: Gaps, charged: I64, *, skip_first: bool) -> Gaps:
    """Each gap as its synchronising beginning and the rest, the one or the other of which may be empty."""
    low = 1 if skip_first else 0
    start, end, part, following = gaps.start_ns[low:], gaps.end_ns[low:], gaps.part[low:], gaps.slice[low:]
    middle = start + charged[low:]
    return Gaps(
        np.stack([start, middle], axis=1).reshape(-1),
        np.stack([middle, end], axis=1).reshape(-1),
        np.stack([np.full_like(part, int(Part.SYNCHRONISE)), part], axis=1).reshape(-1),
        np.repeat(following, 2),
    )


def _tail(side: Side, ran_dry_ns: int) -> Gaps:
    """After the last work nothing is launched: a wait that still goes on is synchronising, the rest the host's."""
    slices = side.trace.slices
    calls = np.flatnonzero(synchronise_calls(side) & (slices.flags == 0))
    running = calls[(slices.start_ns[calls] <= ran_dry_ns) & (slices.end_ns[calls] > ran_dry_ns)]
    waited = int(slices.end_ns[running].max()) if len(running) else ran_dry_ns
    ended = max(side.trace.span_ns, waited)
    part = Part.HOST if (side.links.launch[side.trace.gpu.slice] >= 0).any() else Part.UNKNOWN
    edges = np.array([ran_dry_ns, waited, ended, AFTER_ALL], dtype=np.int64)
    parts = np.array([int(Part.SYNCHRONISE), int(part), int(Part.UNKNOWN)], dtype=np.uint8)
    return Gaps(edges[:-1], edges[1:], parts, np.full(3, -1, dtype=np.int64))


def _silence(side: Side) -> Gaps:
    """Without any work there is one gap, and nobody knows why."""
    edges = np.array([BEFORE_ALL, AFTER_ALL], dtype=np.int64)
    return Gaps(edges[:1], edges[1:], np.array([int(Part.UNKNOWN)], dtype=np.uint8), np.array([-1], dtype=np.int64))


def _joined(*gaps: Gaps) -> Gaps:
    """One after the other, without the empty ones."""
    start = np.concatenate([one.start_ns for one in gaps])
    end = np.concatenate([one.end_ns for one in gaps])
    some = end > start
    part = np.concatenate([one.part for one in gaps])[some]
    return Gaps(start[some], end[some], part, np.concatenate([one.slice for one in gaps])[some])


def _names(trace: Trace, pattern: re.Pattern[str]) -> Mask:
    return np.array([pattern.search(name[:4096]) is not None for name in trace.names], dtype=bool)


def _nothing(trace: Trace) -> Mask:
    return np.zeros(len(trace.slices), dtype=bool)
