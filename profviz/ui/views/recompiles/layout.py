"""Rows and facts of recompiles and of CUDA graphs that were skipped or recorded again; pure, no Qt."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from profviz.model.compile_report import CompiledFrame, CompileReport, CudaGraph, FailedGuard, Recompile
from profviz.model.graph import SourceLine
from profviz.model.ranks import job_ranks, ranks_text
from profviz.model.results import Results
from profviz.model.units import UNKNOWN, format_count, format_ns
from profviz.ui.widgets.panel_values import Fact
from profviz.ui.widgets.table_columns import Column

NO_LOG = "No compile log: recompiles are known only from a run, or from a log that TORCH_TRACE writes"
NONE = "Nothing was compiled again, and no CUDA graph was skipped or recorded again."
NOT_LOGGED = "the log does not say"


class What(enum.Enum):
    """The value is what the user reads; the order is that of the list."""

    RECOMPILE = "recompile"
    REFUSED = "limit reached"
    SKIP = "CUDA graph skipped"
    RECORD = "CUDA graph re-recorded"


@dataclass(frozen=True, slots=True)
class Row:
    """One line: `guard` is what failed, `change` its two values; `cure` is the place of its cures or -1.

    Of a job of several ranks it stands for all that did the same: `alike`, by rank.
    """

    what: What
    compile_id: str
    function: str
    source: SourceLine | None
    guard: str
    change: str
    dur_ns: int | None
    report: int
    report_title: str
    origin: Recompile | CudaGraph | CompiledFrame
    cure: int = -1
    rank: int | None = None
    alike: tuple[Row, ...] = ()

    @property
    def ranks(self) -> str:
        return ranks_text(one.rank for one in self.alike if one.rank is not None)


def empty(results: Results) -> str:
    return "" if results.reports else NO_LOG


def rows(results: Results) -> tuple[Row, ...]:
    made: list[Row] = []
    for position, (label, report) in enumerate(results.reports):
        title = results.report_title(label)
        made += [_recompile(one, at, position, title) for at, one in enumerate(report.recompiles)]
        known = {one.compile_id for one in report.recompiles}
        refused = [one for one in report.frames if one.is_over_limit and one.compile_id not in known]
        made += [_refused(one, position, title) for one in refused]
        made += [_cuda_graph(one, report, position, title) for one in report.cuda_graphs if one.what != "record"]
    if ranks := job_ranks(results.reports):
        made = _united([replace(row, rank=ranks[row.report]) for row in made])
    return tuple(sorted(made, key=lambda row: list(What).index(row.what)))


def _united(made: Sequence[Row]) -> list[Row]:
    """What several ranks did alike, to the values, is the row of the one that it took longest."""
    groups: dict[tuple[object, ...], list[Row]] = {}
    for row in made:
        groups.setdefault((row.what, row.compile_id, row.function, row.guard, row.change), []).append(row)
    return [
        replace(max(alike, key=lambda row: row.dur_ns or 0), alike=tuple(sorted(alike, key=lambda row: row.rank or 0)))
        for alike in groups.values()
    ]


def _recompile(one: Recompile, at: int, report: int, title: str) -> Row:
    first = one.failed[0] if one.failed else None
    guard = (first.name or first.text) if first else (one.reasons[0] if one.reasons else NOT_LOGGED)
    return Row(
        what=What.REFUSED if one.over_limit else What.RECOMPILE,
        compile_id=one.compile_id,
        function=one.function,
        source=next((failed.source for failed in one.failed if failed.source), one.source),
        guard=_one_line(guard),
        change=change(first) if first else "",
        dur_ns=one.dur_ns,
        report=report,
        report_title=title,
        origin=one,
        cure=at,
    )


def _refused(one: CompiledFrame, report: int, title: str) -> Row:
    return Row(
        What.REFUSED, one.compile_id, one.function, one.source, _one_line(one.fail), "", None, report, title, one
    )


def _cuda_graph(one: CudaGraph, own: CompileReport, report: int, title: str) -> Row:
    frame = next((frame for frame in own.frames if frame.compile_id == one.compile_id), None)
    return Row(
        what=What.SKIP if one.what == "skip" else What.RECORD,
        compile_id=one.compile_id,
        function=" ".join(word for word in (frame.function if frame else "", one.direction) if word),
        source=frame.source if frame else None,
        guard=_one_line(one.reason) or NOT_LOGGED,
        change="",
        dur_ns=one.dur_ns,
        report=report,
        report_title=title,
        origin=one,
    )


def change(failed: FailedGuard) -> str:
    """`16 → 24`; what is not known is a dash, nothing where neither is."""
    if not failed.expected and not failed.seen:
        return ""
    return f"{_one_line(failed.expected) or UNKNOWN} → {_one_line(failed.seen) or UNKNOWN}"


def columns(*, several_reports: bool, of_ranks: bool = False) -> tuple[Column, ...]:
    made = [
        Column("what", lambda row: row.what.value, width=120, tone=lambda row: _tone(row.what)),
        Column("id", lambda row: row.compile_id, width=56, about="Compile id: frame and version"),
        Column("function", lambda row: row.function, width=88, tip=lambda row: row.function),
        Column(
            "where",
            lambda row: row.source.place if row.source else UNKNOWN,
            width=120,
            keep_end=True,
            tip=lambda row: row.source.whole_place if row.source else "",
        ),
        Column("failed guard, or reason", lambda row: row.guard, stretch=True, tip=lambda row: row.guard),
        Column("expected → seen", lambda row: row.change, width=132, tip=lambda row: row.change),
        Column("took", lambda row: format_ns(row.dur_ns), key=lambda row: row.dur_ns or -1, numeric=True, width=72),
    ]
    if of_ranks:
        about = "Which ranks of the job did so; the time is that of the slowest"
        made.append(Column("ranks", lambda row: row.ranks, width=72, about=about))
    elif several_reports:
        made.append(Column("variant", lambda row: row.report_title, width=112, keep_end=True))
    return tuple(made)


def _tone(what: What) -> str:
    return "bad" if what is What.REFUSED else "warn"


def summary(results: Results) -> tuple[str, str]:
    """One sentence over the list and its tone."""
    found = rows(results)
    if not found:
        return NONE, "good"
    counts = {what: sum(row.what is what for row in found) for what in What}
    words = {
        What.RECOMPILE: ("recompile", "recompiles"),
        What.REFUSED: ("frame over the recompile limit, eager from then on", "frames over the recompile limit"),
        What.SKIP: ("CUDA graph skipped", "CUDA graphs skipped"),
        What.RECORD: ("CUDA graph recorded again", "CUDA graphs recorded again"),
    }
    parts = [f"{format_count(n)} {words[what][n != 1]}" for what, n in counts.items() if n]
    took = sum(row.dur_ns or 0 for row in found if row.what is What.RECOMPILE)
    return " · ".join(parts) + (f" · {format_ns(took)} compiling again" if took else ""), "warn"


def facts(row: Row, cures: Sequence[str]) -> tuple[Fact, ...]:
    """All that is known of a row: what to do first, then a guard for each cache entry, in the order logged."""
    made = [Fact("what to do", text, tone="good") for text in cures]
    made.append(Fact("frame", f"{row.compile_id} {row.function}".strip(), target=_target(row.report, row.source)))
    one = row.origin
    if isinstance(one, Recompile):
        made += [
            Fact("took" if row.rank is None else f"rank {row.rank} took", _took(row)) for row in row.alike or (row,)
        ]
        made.append(Fact("recompile limit", "reached: it runs eager" if one.over_limit else "not reached"))
        logged = {"report": row.report, "compile_id": row.compile_id}
        made.append(Fact("logged", f"Everything about {row.compile_id}", target=logged))
        made += _guards(one, row.report)
    elif isinstance(one, CudaGraph):
        made.append(Fact("reason", one.reason or NOT_LOGGED))
    else:
        made.append(Fact("reason", one.fail))
    return tuple(made)


def _took(row: Row) -> str:
    return format_ns(row.dur_ns) if row.dur_ns is not None else NOT_LOGGED


def _guards(one: Recompile, report: int) -> list[Fact]:
    if not one.failed:
        return [Fact("failed guard", reason, mono=True) for reason in one.reasons] or [Fact("failed guard", NOT_LOGGED)]
    return [
        Fact(f"entry {failed.entry}".strip(), failed.name or "", heading=True, parts=_guard(failed, report))
        for failed in one.failed
    ]


def _guard(failed: FailedGuard, report: int) -> tuple[Fact, ...]:
    made = [Fact("guard", failed.text, mono=True)]
    if failed.expected:
        made.append(Fact("expected", failed.expected, mono=True))
    if failed.seen:
        made.append(Fact("seen", failed.seen, mono=True))
    if failed.source:
        made.append(Fact("line", failed.source.place, target=_target(report, failed.source)))
        made += [Fact("", failed.source.text.strip(), mono=True)] * bool(failed.source.text)
    if failed.remark:
        made.append(Fact("torch says", failed.remark))
    return tuple(made)


def _target(report: int, source: SourceLine | None) -> Mapping[str, Any] | None:
    return {"report": report, "source": source} if source else None


def _one_line(text: str) -> str:
    return text.strip().split("\n", 1)[0]
