"""The icicle of compile stages, the table beside it and the sentences over it; pure, no Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from profviz.model.compile_cost import CompileAccount, CompileCost, CompileStage, Span
from profviz.model.compile_report import CompileReport
from profviz.model.results import Results
from profviz.model.units import format_count, format_ns, format_percent
from profviz.ui.widgets.icicle_values import HOLLOW, Icicle, Mask
from profviz.ui.widgets.table_columns import Column

NO_LOG = "No compile log: what the compiler did is known only from a run, or from a log that TORCH_TRACE writes"
GAP = "not compiling"
_GAP_TIP = "In no span of the compiler: the step itself, and what nothing explains"
FIRST_CALL, EVERYTHING = "", "*"
"""What the table sums besides single compile ids."""

COLOURS = {
    CompileStage.DYNAMO: 3,
    CompileStage.AOT: 1,
    CompileStage.LOWERING: 2,
    CompileStage.SCHEDULING: 6,
    CompileStage.CODEGEN: 4,
    CompileStage.COMPILERS: 5,
    CompileStage.AUTOTUNE: 9,
    CompileStage.CUDA_GRAPHS: 10,
    CompileStage.CACHES: 7,
    CompileStage.OTHER: 0,
}
"""Indices into the palette's kinds; the table says which is which."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A stretch of the first call in which nothing was compiled, in ns from its begin."""

    start_ns: int
    end_ns: int


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """The icicle and what each of its boxes stands for; `zero_ns` is the axis' zero on the wall clock."""

    icicle: Icicle
    items: tuple[Span | Gap, ...]
    zero_ns: int

    def compile_id(self, index: int) -> str:
        item = self.items[index] if 0 <= index < len(self.items) else None
        return item.compile_id if isinstance(item, Span) else ""

    def outside(self, compile_id: str) -> Mask:
        """Which boxes are not of a compilation."""
        return np.array([not isinstance(one, Span) or one.compile_id != compile_id for one in self.items], dtype=bool)

    def beside(self, stage: CompileStage | None, direction: str) -> Mask:
        """Which boxes are not of a stage; of None, those of the compiler."""
        return np.array([not _is(one, stage, direction) for one in self.items], dtype=bool)


@dataclass(frozen=True, slots=True)
class StageRow:
    """`own_ns` counts each moment once, `total_ns` with what the stage calls; `share` is of what the rows sum to."""

    title: str
    direction: str
    own_ns: int | None
    total_ns: int | None
    share: float | None
    spans: int
    stage: CompileStage | None = None
    tone: str = "plain"


def empty(results: Results) -> str:
    if not results.reports:
        return NO_LOG
    if not any(report.events for _, report in results.reports):
        return "The compile log says nothing of when its stages ran"
    return ""


# The icicle


def picture(account: CompileAccount, report: CompileReport) -> Picture:
    """Spans and gaps in order of their start, none over another."""
    cost = account.cost
    spans = (*cost.spans, *cost.later)
    starts = [span.start_ns for span in spans] + ([cost.start_ns] if cost.start_ns is not None else [])
    zero = min(starts, default=0)
    items = _in_order(spans, gaps(cost), zero)
    functions = {frame.compile_id: frame.function for frame in report.frames}
    icicle = Icicle(
        start_ns=np.array([_start(one, zero) for one in items], dtype=np.int64),
        end_ns=np.array([_end(one, zero) for one in items], dtype=np.int64),
        depth=np.array(rows(items, zero), dtype=np.int64),
        colour=np.array([COLOURS[one.stage] if isinstance(one, Span) else HOLLOW for one in items], dtype=np.int64),
        marked=np.array([is_hit(one) for one in items], dtype=np.bool_),
        texts=lambda index: _texts(items[index], functions),
        lines=_lines(cost, zero),
    )
    return Picture(icicle, items, zero)


def gaps(cost: CompileCost) -> tuple[Gap, ...]:
    """Where the first call was in no span; nothing where its place is not known."""
    if cost.wall_ns is None or cost.start_ns is None:
        return ()
    found, at = [], 0
    for span in cost.spans:
        start = span.start_ns - cost.start_ns
        if start > at:
            found.append(Gap(at, start))
        at = max(at, start + span.dur_ns)
    return (*found, Gap(at, cost.wall_ns)) if cost.wall_ns > at else tuple(found)


def rows(items: Sequence[Span | Gap], zero: int) -> list[int]:
    """Right below the outer span, or lower where another span is still open there: stages may overlap."""
    made: list[int] = []
    ends: list[int] = []
    outer: dict[int, int] = {}  # nesting depth -> the row of the last span that deep
    for item in items:
        depth = item.depth if isinstance(item, Span) else 0
        start, end = _start(item, zero), _end(item, zero)
        row = outer.get(depth - 1, -1) + 1
        while row < len(ends) and ends[row] > start:
            row += 1
        ends.extend([0] * (row + 1 - len(ends)))
        ends[row] = max(ends[row], end)
        if isinstance(item, Span):
            outer[depth] = row
        made.append(row)
    return made


def is_hit(item: Span | Gap) -> bool:
    """Whether to mark it as taken from a cache: a whole compilation, and the look into the cache."""
    return isinstance(item, Span) and item.cached and (item.depth == 0 or item.stage is CompileStage.CACHES)


def tell(shown: Picture, index: int, report: CompileReport, cost: CompileCost) -> str:
    """All that is known of a box, a fact a line."""
    item = shown.items[index]
    if isinstance(item, Gap):
        return f"{GAP}: {format_ns(item.end_ns - item.start_ns)}\n{_GAP_TIP}"
    whose = _whose(report, item.compile_id)
    facts = [
        item.name,
        " · ".join(word for word in (item.stage.value, item.direction, whose) if word),
        f"{format_ns(item.dur_ns)}, of it {format_ns(item.self_ns)} in no inner span",
        f"begins {format_ns(item.start_ns - shown.zero_ns)} after the first",
    ]
    if cost.wall_ns:
        facts.append(f"{format_percent(item.dur_ns / cost.wall_ns, digits=1)} of the first call's length")
    if is_hit(item):
        facts.append(f"from a cache: {cache_text(report, item.compile_id)}")
    return "\n".join(facts)


def _whose(report: CompileReport, compile_id: str) -> str:
    frame = next((one for one in report.frames if one.compile_id == compile_id), None)
    return f"{compile_id} {frame.function}" if frame else compile_id


def cache_text(report: CompileReport, compile_id: str) -> str:
    """`fx_graph hit (saved 2.1 s), aotautograd miss`."""
    found = [use for use in report.caches if use.compile_id == compile_id]
    texts = [
        f"{use.cache} {use.state}"
        + (f" (saved {format_ns(use.saved_ns)})" if use.saved_ns is not None else f": {use.reason}" * bool(use.reason))
        for use in found
    ]
    return ", ".join(dict.fromkeys(texts))


def _in_order(spans: Sequence[Span], found: Sequence[Gap], zero: int) -> tuple[Span | Gap, ...]:
    both: list[Span | Gap] = [*spans, *found]
    return tuple(sorted(both, key=lambda one: _start(one, zero)))


def _start(item: Span | Gap, zero: int) -> int:
    return item.start_ns - zero if isinstance(item, Span) else item.start_ns


def _end(item: Span | Gap, zero: int) -> int:
    return item.start_ns - zero + item.dur_ns if isinstance(item, Span) else item.end_ns


def _is(item: Span | Gap, stage: CompileStage | None, direction: str) -> bool:
    if not isinstance(item, Span):
        return stage is None
    return item.stage is stage and item.direction == direction


def _texts(item: Span | Gap, functions: dict[str, str]) -> tuple[str, ...]:
    if isinstance(item, Gap):
        return f"{GAP} {format_ns(item.end_ns - item.start_ns)}", GAP
    name = item.name
    if item.depth == 0 and item.compile_id:
        name = f"{item.compile_id} {functions.get(item.compile_id, '')}".strip() + f" · {item.name}"
    if is_hit(item):
        name = f"{name} · cache hit"
    return f"{name}  {format_ns(item.dur_ns)}", name, item.name, item.compile_id if item.depth == 0 else ""


def _lines(cost: CompileCost, zero: int) -> tuple[tuple[int, str], ...]:
    if cost.start_ns is None or cost.wall_ns is None:
        return ()
    return ((cost.start_ns - zero + cost.wall_ns, f"first call ends, {format_ns(cost.wall_ns)}"),)


# The table


def choices(account: CompileAccount, report: CompileReport) -> tuple[tuple[str, str], ...]:
    """What can be summed, as (what, title): the first call, everything, each compile id in order of time."""
    cost = account.cost
    spans = (*cost.spans, *cost.later)
    made = [(FIRST_CALL, "First call")] if cost.wall_ns is not None else []
    made.append((EVERYTHING, "All compilations"))
    functions = {frame.compile_id: frame.function for frame in report.frames}
    sums: dict[str, int] = {}
    for span in spans:
        sums[span.compile_id] = sums.get(span.compile_id, 0) + span.self_ns
    for compile_id, own_ns in sums.items():
        title = f"{compile_id} {functions.get(compile_id, '')}".strip() or "no compile id"
        made.append((compile_id or " ", f"{title} · {format_ns(own_ns)}"))
    return tuple(made)


def table(cost: CompileCost, what: str) -> tuple[StageRow, ...]:
    """The stages of what was chosen and their sum below; of the first call the step and the rest too."""
    if what == FIRST_CALL and cost.wall_ns is not None:
        spans: Sequence[Span] = cost.spans
        whole: int | None = cost.wall_ns
    else:
        spans = [one for one in (*cost.spans, *cost.later) if what in (EVERYTHING, one.compile_id or " ")]
        whole = sum(one.self_ns for one in spans)
    own: dict[tuple[CompileStage, str], list[Span]] = {}
    for span in spans:
        own.setdefault((span.stage, span.direction), []).append(span)
    ways = [(stage, way) for stage in CompileStage for way in ("forward", "backward", "")]
    found = [_stage_row(own[key], key, whole) for key in ways if key in own]
    if what == FIRST_CALL and cost.wall_ns is not None:
        found += _beside_compiling(cost)
    title = "first call" if what == FIRST_CALL else "sum"
    return (*found, StageRow(title, "", whole, None, 1.0 if whole else None, len(spans), tone="accent"))


def _stage_row(own: Sequence[Span], key: tuple[CompileStage, str], whole: int | None) -> StageRow:
    stage, direction = key
    own_ns = sum(one.self_ns for one in own)
    share = own_ns / whole if whole else None
    return StageRow(stage.value, direction, own_ns, union_ns(own), share, len(own), stage=stage)


def union_ns(spans: Sequence[Span]) -> int:
    """How long any of some spans was on; they come in order of their start."""
    total, until = 0, 0
    for span in spans:
        end = span.start_ns + span.dur_ns
        total += max(0, end - max(until, span.start_ns))
        until = max(until, end)
    return total


def _beside_compiling(cost: CompileCost) -> list[StageRow]:
    assert cost.wall_ns is not None
    rest = None if cost.rest_ns is None else cost.rest_ns / cost.wall_ns
    step = None if cost.step_ns is None else cost.step_ns / cost.wall_ns
    return [
        StageRow("the step itself", "", cost.step_ns, None, step, 0, tone="muted"),
        StageRow("unexplained", "", cost.rest_ns, None, rest, 0, tone="muted"),
    ]


def columns() -> tuple[Column, ...]:
    return (
        Column(
            "stage",
            lambda row: row.title,
            width=176,
            stretch=True,
            dot=lambda row: COLOURS[row.stage] if row.stage else -1,
            tone=lambda row: row.tone,
            key=lambda row: row.title,
            tip=lambda row: ABOUT.get(row.title, row.title),
        ),
        Column("pass", lambda row: row.direction, width=72, about="Forward or backward, where the log says it"),
        Column(
            "own time",
            lambda row: signed_ns(row.own_ns),
            key=lambda row: row.own_ns or 0,
            numeric=True,
            width=80,
            about="Each moment counts for the innermost stage only: these sum up",
        ),
        Column(
            "share",
            lambda row: format_percent(row.share, digits=1),
            key=lambda row: row.share or 0,
            numeric=True,
            width=64,
        ),
        Column(
            "total time",
            lambda row: format_ns(row.total_ns),
            key=lambda row: row.total_ns or 0,
            numeric=True,
            width=80,
            about="With all that happens within its spans: stages within each other both count it",
        ),
        Column("spans", lambda row: format_count(row.spans), key=lambda row: row.spans, numeric=True, width=56),
    )


ABOUT = {
    "the step itself": "What a steady step takes: the first call has to do it as well",
    "unexplained": "Imports, allocations, first launches and what the compiler does outside its own spans. It is "
    "negative where the step took less in the first call than later",
    "first call": "The wall time of the first call, which all rows above sum to",
}


def signed_ns(value_ns: int | None) -> str:
    return f"−{format_ns(-value_ns)}" if value_ns is not None and value_ns < 0 else format_ns(value_ns)


# The sentences


def sentences(account: CompileAccount, report: CompileReport) -> tuple[str, str]:
    """What it cost and when it pays back; what the caches did."""
    return f"{_first_call(account.cost)} {_pays_back(account)}", _caches(report)


def _first_call(cost: CompileCost) -> str:
    compiling = format_ns(cost.explained_ns)
    if cost.wall_ns is None:
        return f"Compiling took {compiling}; a log alone does not tell the first call's time."
    parts = f"{compiling} compiling, {format_ns(cost.step_ns)} the step itself, {signed_ns(cost.rest_ns)} unexplained"
    later = f" Compiled after it: {format_ns(cost.later_ns)}." if cost.later else ""
    return f"First call {format_ns(cost.wall_ns)}: {parts}.{later}"


def _pays_back(account: CompileAccount) -> str:
    even = account.even
    if even is None:
        return "When that pays back is unknown: steps were not timed."
    cost = f"Compiling and warming up cost {format_ns(even.cost_ns)}"
    if even.steps is None:
        how = "are no faster" if even.gain_ns == 0 else f"are {format_ns(-even.gain_ns)} slower"
        best = f" (the round that favours it most: after {format_count(even.low)} steps)" if even.low else ""
        return f"{cost}, which never pays back, on this measurement: compiled steps {how}{best}."
    said = f"{cost}, which pays back after {format_count(even.steps)} steps"
    if even.low is not None and even.low != even.high:
        high = "never" if even.high is None else format_count(even.high)
        said += f" ({format_count(even.low)} to {high} by single rounds)"
    chance = "" if even.is_clear else ", less than the steps' spread: time more of them for an answer"
    return f"{said}: each gains {format_ns(even.gain_ns)}{chance}."


def _caches(report: CompileReport) -> str:
    states = ("hit", "miss", "bypass")
    words = {"hit": ("hit", "hits"), "miss": ("miss", "misses"), "bypass": ("bypassed", "bypassed")}
    made = []
    for cache in dict.fromkeys(use.cache for use in report.caches):
        counts = {state: sum(use.cache == cache and use.state == state for use in report.caches) for state in states}
        told = [f"{format_count(n)} {words[state][n != 1]}" for state, n in counts.items() if n]
        saved = sum(use.saved_ns or 0 for use in report.caches if use.cache == cache and use.state == "hit")
        made.append(f"{cache} {', '.join(told)}" + (f" (saved {format_ns(saved)})" if saved else ""))
    return f"Caches: {'; '.join(made)}." if made else "What its caches did is not known."
