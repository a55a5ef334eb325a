"""Rows and texts of graph breaks, skipped frames and recompiles; pure, no Qt."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from profviz.model.compile_report import (
    BreakReason,
    CallChain,
    CompileReport,
    FailedGuard,
    GraphBreak,
    Origin,
    Recompile,
    SkippedFrame,
)
from profviz.model.graph import SourceLine
from profviz.model.results import Results
from profviz.model.units import format_count
from profviz.ui.widgets.table_columns import Column

if TYPE_CHECKING:
    from profviz.ui.view_state import Selection


class What(enum.Enum):
    """What kind of row it is; the order in which they are listed."""

    BREAK = "graph break"
    SKIPPED = "skipped frame"
    RECOMPILE = "recompile"


TONES = {What.BREAK: "bad", What.SKIPPED: "warn", What.RECOMPILE: "warn"}


@dataclass(frozen=True, slots=True)
class BreakRow:
    """One line of the table; `more` is the text shown below it, `report` the position of its report."""

    what: What
    source: SourceLine | None
    line_text: str
    reason: str
    count: int
    frames: str
    more: str
    report: int
    report_title: str


def empty(results: Results) -> str:
    if not results.reports:
        return "No compile log: graph breaks are known only from a run, or from a log that TORCH_TRACE writes"
    return ""


def rows(results: Results) -> tuple[BreakRow, ...]:
    made: list[BreakRow] = []
    for position, (label, report) in enumerate(results.reports):
        title = report_title(results, label)
        made += [_break_row(one, position, title) for one in report.breaks]
        made += [_unplaced_row(one, position, title) for one in report.unplaced]
        made += [_skipped_row(one, position, title) for one in report.skipped]
        made += [_recompile_row(one, position, title) for one in report.recompiles]
    return tuple(sorted(made, key=lambda row: list(What).index(row.what)))


def columns(*, several_reports: bool) -> tuple[Column, ...]:
    made = [
        Column("what", lambda row: row.what.value, width=112, tone=lambda row: TONES[row.what]),
        Column(
            "where", lambda row: place(row.source), width=152, keep_end=True, tip=lambda row: full_place(row.source)
        ),
        Column("line", lambda row: row.line_text, width=200, mono=True, tip=lambda row: row.line_text),
        Column("reason", lambda row: row.reason, stretch=True, tip=lambda row: row.more),
        Column("count", lambda row: format_count(row.count), key=lambda row: row.count, numeric=True, width=64),
        Column("frames", lambda row: row.frames, width=80, tip=lambda row: row.frames),
    ]
    if several_reports:
        made.append(Column("variant", lambda row: row.report_title, width=120))
    return tuple(made)


def summary(results: Results) -> tuple[str, str]:
    """One sentence over the table and its tone: says plainly when nothing broke."""
    texts = [_report_summary(report) for _, report in results.reports]
    if len(texts) > 1:
        texts = [
            f"{report_title(results, label)}: {text}" for (label, _), text in zip(results.reports, texts, strict=True)
        ]
    broken = any(report.breaks or report.skipped or report.unplaced for _, report in results.reports)
    compiled = any(report.graph_count for _, report in results.reports)
    return "   ".join(texts), "bad" if broken else "good" if compiled else "muted"


def report_title(results: Results, label: str) -> str:
    """A report is labelled with its side's id; the user knows the side by its title."""
    return next((side.title for side in results.sides if side.id == label), label)


def place(source: SourceLine | None) -> str:
    return source.place if source else "unknown"


def full_place(source: SourceLine | None) -> str:
    return f"{source.file}:{source.line}" + (f" in {source.function}" if source.function else "") if source else ""


def places(selection: Selection) -> tuple[SourceLine, ...]:
    """The source lines of a selection, the picked one included."""
    return (*selection.sources, *((selection.pick.source,) if selection.pick.source else ()))


def selected(found: Sequence[BreakRow], sources: Sequence[SourceLine]) -> set[int]:
    """Positions of the rows that stand at one of the selected lines."""
    wanted = {(source.file, source.line) for source in sources}
    return {i for i, row in enumerate(found) if row.source and (row.source.file, row.source.line) in wanted}


def _report_summary(report: CompileReport) -> str:
    graphs = _plural(report.graph_count, "graph")
    parts = [f"graph broken at {_plural(len(report.breaks), 'line')}" if report.breaks else "no graph break"]
    if report.unplaced:
        parts.append(f"{_plural(len(report.unplaced), 'break')} that only the counters know")
    if report.skipped:
        parts.append(_plural(len(report.skipped), "skipped frame"))
    if report.recompiles:
        parts.append(_plural(len(report.recompiles), "recompile"))
    return f"{' · '.join(parts)}: {graphs}"


def _plural(count: int, word: str) -> str:
    return f"{format_count(count)} {word}" + ("" if count == 1 else "s")


def _first_line(text: str) -> str:
    return text.strip().split("\n", 1)[0]


_KNOWN_TO = {
    Origin.LOG: "Known to the compile log only; Dynamo's counters do not have it.",
    Origin.COUNTERS: "Known to Dynamo's counters only; they name no line.",
    Origin.BOTH: "Known to the compile log and to Dynamo's counters.",
}


def _break_row(found: GraphBreak, report: int, title: str) -> BreakRow:
    reasons = found.reasons or (
        BreakReason(found.reason, found.plain, found.explanation, found.hints, found.gb_id, found.count),
    )
    parts = [_reason_text(reason) for reason in reasons]
    if any(reason.counted is not None for reason in reasons):
        parts.append(_KNOWN_TO[found.origin])
    if found.frames:
        parts.append(f"Splits: {', '.join(found.frames)}")
    parts += _chain_texts(found.chains)
    return BreakRow(
        what=What.BREAK,
        source=found.source,
        line_text=found.source.text.strip(),
        reason=_short(reasons[0]),
        count=found.count,
        frames=", ".join(found.compile_ids),
        more="\n\n".join(parts),
        report=report,
        report_title=title,
    )


def _short(reason: BreakReason) -> str:
    return (reason.plain or _first_line(reason.text)) + (f" ({reason.gb_id})" if reason.gb_id else "")


def _reason_text(reason: BreakReason) -> str:
    parts = [reason.plain] * bool(reason.plain) + [f"{reason.text.strip()}{f' ({reason.gb_id})' * bool(reason.gb_id)}"]
    if reason.explanation:
        parts.append(f"Why: {reason.explanation.strip()}")
    parts += [f"Hint: {hint.strip()}" for hint in reason.hints]
    return "\n\n".join(parts)


def _chain_texts(chains: Sequence[CallChain]) -> list[str]:
    """Each way that leads to the break, innermost call first; a chain of the broken line alone says nothing new."""
    return [
        f"Called from, innermost first ({format_count(chain.count)} ×):\n"
        + "\n".join(
            f"  {full_place(line)}" + (f"\n    {line.text.strip()}" if line.text else "")
            for line in reversed(chain.calls)
        )
        for chain in chains
        if len(chain.calls) > 1
    ]


def _unplaced_row(found: BreakReason, report: int, title: str) -> BreakRow:
    return BreakRow(
        what=What.BREAK,
        source=None,
        line_text="",
        reason=_short(found),
        count=found.counted or 0,
        frames="",
        more=f"{_reason_text(found)}\n\n{_KNOWN_TO[Origin.COUNTERS]}",
        report=report,
        report_title=title,
    )


def _skipped_row(found: SkippedFrame, report: int, title: str) -> BreakRow:
    source = found.cause or found.source
    parts = [f"{found.function} was not compiled and ran eager.", _reason_text(found.reason)]
    if found.source and found.source != source:
        parts.append(f"It begins at {full_place(found.source)}")
    parts += _chain_texts([CallChain(found.chain, found.count)] if found.chain else [])
    return BreakRow(
        what=What.SKIPPED,
        source=source,
        line_text=(source.text.strip() if source else "") or found.function,
        reason=_short(found.reason),
        count=found.count,
        frames=", ".join(found.compile_ids),
        more="\n\n".join(parts),
        report=report,
        report_title=title,
    )


def _recompile_row(found: Recompile, report: int, title: str) -> BreakRow:
    first = next(iter(found.failed), None)
    source = next((failed.source for failed in found.failed if failed.source), found.source)
    told = "was refused: it had been recompiled too often" if found.over_limit else "was compiled again"
    parts = [f"{found.function} {told}; the failed guard of each earlier version:"]
    parts += [_failed_text(failed) for failed in found.failed] or [reason.strip() for reason in found.reasons]
    return BreakRow(
        what=What.RECOMPILE,
        source=source,
        line_text=(source.text.strip() if source else "") or found.function,
        reason=_short_failed(first) if first else _first_line("\n".join(found.reasons)) or NO_GUARD,
        count=1,
        frames=found.compile_id,
        more="\n\n".join(parts),
        report=report,
        report_title=title,
    )


NO_GUARD = "the log gives no failed guard"


def _short_failed(failed: FailedGuard) -> str:
    """The two values where both are known, else torch's own text."""
    if failed.expected and failed.seen:
        return f"{failed.name}: expected {failed.expected}, was {failed.seen}"
    return _first_line(failed.text)


def _failed_text(failed: FailedGuard) -> str:
    lines = [f"{failed.entry}: {failed.text.strip()}" if failed.entry else failed.text.strip()]
    if failed.expected and failed.seen:
        lines.append(f"  expected {failed.expected}, was {failed.seen}")
    if failed.source:
        lines.append(f"  due to {full_place(failed.source)}" + f"\n    {failed.source.text}" * bool(failed.source.text))
    return "\n".join([*lines, *([f"  {failed.remark}"] if failed.remark else [])])
