"""Holds what the log tells of breaks against Dynamo's own counters, which know no place but may know more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from profviz.formats.compile_log.break_text import parse_reason
from profviz.formats.compile_log.breaks import merge_reasons
from profviz.model.compile_report import BreakReason, CompileReport, GraphBreak, SkippedFrame
from profviz.model.notes import NoteBook

Counters = Mapping[str, Mapping[str, int]]
"""`torch._dynamo.utils.counters`: group -> text -> count."""
BREAKS = "graph_break"
OTHERS = "unimplemented"
"""Reasons that Dynamo could not recover from as usual: branches that depend on data, and frames skipped whole.

It counts one of these for each attempt, so only that it is there can be compared, not how often.
"""


def with_counters(report: CompileReport, counters: Counters, book: NoteBook) -> CompileReport:
    """The union of both sources. Where they disagree, a note says so; a source that holds nothing at all is no source.

    `counters` must be those of the very compilations that the log is of.
    """
    broke, other = (_counted(counters.get(group, {})) for group in (BREAKS, OTHERS))
    if "frames" not in counters and not broke and not other:
        return report
    logged = _logged(report)
    _note_differences(logged, broke, other, book)
    totals = {key: broke.get(key, _NOTHING).count + other.get(key, _NOTHING).count for key in {*broke, *other}}
    unplaced = [one for one in (*broke.values(), *other.values()) if not _find(one, logged)]
    return replace(
        report,
        breaks=tuple(_with_counts(one, totals) for one in report.breaks),
        skipped=tuple(_skip_with_counts(one, totals) for one in report.skipped),
        unplaced=tuple(replace(one, count=0, counted=one.count) for one in unplaced),
    )


_NOTHING = BreakReason("", count=0)


def _counted(group: Mapping[str, int]) -> dict[tuple[str, str], BreakReason]:
    found = [replace(parse_reason(text), count=count) for text, count in group.items() if count > 0]
    return {one.key: one for one in merge_reasons(found)}


def _logged(report: CompileReport) -> dict[tuple[str, str], BreakReason]:
    told: Iterable[BreakReason] = (
        *(reason for one in report.breaks for reason in one.reasons),
        *(replace(one.reason, count=one.count) for one in report.skipped),
    )
    return {one.key: one for one in merge_reasons(list(told))}


def _find(one: BreakReason, among: Mapping[tuple[str, str], BreakReason]) -> BreakReason | None:
    """The same reason; a text without an id (counters that were cut to their first line) goes by its title."""
    if one.key in among:
        return among[one.key]
    return next((other for other in among.values() if other.text == one.text and not (one.gb_id and other.gb_id)), None)


def _note_differences(
    logged: Mapping[tuple[str, str], BreakReason],
    broke: Mapping[tuple[str, str], BreakReason],
    other: Mapping[tuple[str, str], BreakReason],
    book: NoteBook,
) -> None:
    for one in logged.values():
        counted, aside = _find(one, broke), _find(one, other)
        if counted is None and aside is None:
            book.add("break_sources", text=f"only the log: {one.text} ({one.count}x)")
        elif counted is not None and aside is None and counted.count != one.count:
            book.add("break_sources", text=f"the log {one.count}x, the counters {counted.count}x: {one.text}")
    for one in (*broke.values(), *other.values()):
        if _find(one, logged) is None:
            book.add("break_sources", text=f"only the counters: {one.text} ({one.count}x)")


def _with_counts(one: GraphBreak, totals: Mapping[tuple[str, str], int]) -> GraphBreak:
    return replace(one, reasons=tuple(_with_count(reason, totals) for reason in one.reasons))


def _skip_with_counts(one: SkippedFrame, totals: Mapping[tuple[str, str], int]) -> SkippedFrame:
    return replace(one, reason=_with_count(one.reason, totals))


def _with_count(reason: BreakReason, totals: Mapping[tuple[str, str], int]) -> BreakReason:
    """The counters' number is over all places of a reason: they know no place."""
    by_title = {text: count for (_, text), count in totals.items()}
    return replace(reason, counted=totals.get(reason.key, by_title.get(reason.text, 0)))
