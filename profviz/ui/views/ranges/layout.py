"""What to ask about the marked ranges, and the answers as rows, sentences and text to copy; pure, no Qt."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from profviz.model.questions import ColumnTable, Question, Unanswered, Unit
from profviz.model.range_sums import RangeSums
from profviz.model.results import Results, Side, SliceKind
from profviz.model.units import format_count, format_exact_ns, format_ns, format_percent
from profviz.ui.widgets.table_columns import Column

if TYPE_CHECKING:
    from profviz.ui.view_state import Alignment, TimeRange

WHAT = (("gpu", "GPU"), ("cpu", "CPU threads"), ("all", "All tracks"))
"""What is summed up where a range names no tracks."""

HELP = (
    "No range is marked.\n\nDrag over the timelines, or press M on a selected slice: "
    "everything that ran meanwhile is summed up here, by name and by lane."
)
_PARTS = {"GPU": "gpu", "CPU": "cpu", "QUIET_CPU": "cpu", "CPU_ANNOTATION": "cpu_annotation", "PYTHON": "python"}
_NAME_COLUMNS = ("name", "count", "total", "union", "share", "mean", "min", "max")
_WHOLE = ("GPU_ANNOTATION", "OTHER")
_WIDTHS = {Unit.COUNT: 72, Unit.NS: 88, Unit.SHARE: 112}


def empty(results: Results) -> str:
    return "" if any(len(side.trace.slices) for side in results.sides) else "No trace to mark a range in"


def usual_what(side: Side) -> str:
    return "gpu" if side.occupancy.lanes else "cpu"


def question(side: int, ranges: Sequence[TimeRange], alignment: Alignment, what: str) -> Question | Unanswered:
    """The ranges in the side's own time, on those of its tracks that were chosen."""
    offset = alignment.offsets_ns[side] if side < len(alignment.offsets_ns) else 0
    asked = []
    for one in ranges:
        own = [track for at, track in one.tracks if at == side]
        tracks = tuple(found for track in own if (found := part_of(track)) is not None)
        if tracks or not one.tracks:
            asked.append((one.start_ns + offset, one.end_ns + offset, tracks))
    if not asked:
        return Unanswered("None of the chosen tracks has slices of this side to sum up.")
    return Question("range", side, (tuple(asked), what))


def part_of(track: str) -> tuple[int, str] | None:
    """The lane of a track and which part of it, as the question names them; None for a track without slices."""
    if track.startswith("graph "):
        return -1, track
    lane, _, group = track.partition(" ")
    if not lane.isdigit() or group not in (*_PARTS, *_WHOLE):
        return None
    return int(lane), _PARTS.get(group, "")


def has_tracks(ranges: Sequence[TimeRange]) -> bool:
    return bool(ranges) and all(one.tracks for one in ranges)


def summary(ranges: Sequence[TimeRange], found: RangeSums) -> str:
    """One sentence over the tables."""
    length = format_exact_ns(found.span_ns)
    head = length if len(ranges) == 1 else f"{len(ranges)} ranges, {length} together"
    if not found.count:
        return f"{head} · no slices of {found.what}"
    word = "slice" if found.count == 1 else "slices"
    share = f" ({format_percent(found.union_ns / found.span_ns, digits=1)})" if found.span_ns else ""
    counted = f"{format_count(found.count)} {word} of {found.what}"
    return f"{head} · {counted} · sum {format_ns(found.total_ns)} · busy {format_ns(found.union_ns)}{share}"


def columns(table: ColumnTable) -> tuple[Column, ...]:
    """How the rows of a table of sums read; a row is its number. Of lanes less is worth showing than of names."""
    shown = ("lane", "count", "union", "share") if table.columns[0].id == "lane" else _NAME_COLUMNS
    return tuple(_column(table, id_) for id_ in shown)


def _column(table: ColumnTable, id_: str) -> Column:
    own = table.column(id_)
    values = own.values
    if own.unit is Unit.TEXT:
        kinds = table.kind
        return Column(
            own.title,
            lambda row: own.texts[int(values[row])],
            width=180,
            stretch=True,
            dot=(lambda row: int(kinds[row])) if len(kinds) else None,
            tip=lambda row: own.texts[int(values[row])],
        )
    return Column(
        own.title,
        lambda row: value_text(own.unit, values[row]),
        key=lambda row: values[row].item(),
        numeric=True,
        width=_WIDTHS[own.unit],
        bar=(lambda row: float(values[row])) if own.unit is Unit.SHARE else None,
        tip=lambda row: f"{exact_text(own.unit, values[row])}. {own.about}",
        copy=lambda row: str(values[row].item()),
    )


def value_text(unit: Unit, value: float) -> str:
    if unit is Unit.NS:
        return format_ns(int(value))
    return format_percent(float(value), digits=1) if unit is Unit.SHARE else format_count(int(value))


def exact_text(unit: Unit, value: float) -> str:
    return format_exact_ns(int(value)) if unit is Unit.NS else value_text(unit, value)


def as_csv(sides: Sequence[str], found: Mapping[int, RangeSums]) -> str:
    """Both tables of every side below each other, whole nanoseconds, one line a row."""
    out = io.StringIO()
    writer = csv.writer(out)
    for number, (side, sums) in enumerate(sorted(found.items())):
        if not number:
            writer.writerow(_csv_header(sums))
        for by, table in (("name", sums.names), ("lane", sums.lanes)):
            writer.writerows(_csv_rows(sides[side], by, table))
    return out.getvalue()


def _csv_header(sums: RangeSums) -> list[str]:
    numbers = [f"{one.id}_ns" if one.unit is Unit.NS else one.id for one in sums.names.columns[1:]]
    return ["side", "by", "name", "kind", *numbers]


def _csv_rows(side: str, by: str, table: ColumnTable) -> Iterable[list[object]]:
    text, *numbers = table.columns
    for row in range(len(table)):
        kind = SliceKind(int(table.kind[row])).title if len(table.kind) else ""
        yield [side, by, text.texts[int(text.values[row])], kind, *(one.values[row].item() for one in numbers)]
