"""What to ask about the marked ranges, and the answers as rows, sentences and text to copy; pure, no Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from profviz.model.questions import ColumnTable, PairedTable, Question, Unanswered
from profviz.model.range_sums import RangeSums
from profviz.model.results import Results, Side
from profviz.model.short_names import short_name
from profviz.model.units import format_count, format_exact_ns, format_ns, format_percent
from profviz.ui.widgets.table_arrays import array_columns
from profviz.ui.widgets.table_columns import Column

if TYPE_CHECKING:
    from profviz.ui.view_state import Alignment, TimeRange

WHAT = (("gpu", "GPU"), ("cpu", "CPU threads"), ("all", "All tracks"))
"""What is summed up where a range names no tracks."""

HELP = (
    "No range is marked.\n\nDrag over the timelines, or press M on a selected slice: "
    "everything that ran meanwhile is summed up here, by name and by lane. Ctrl+drag adds a further range."
)
NO_TRACKS = "None of the chosen tracks has slices of this side to sum up."
Asked = tuple[int, int, tuple[tuple[int, str], ...]]
_PARTS = {"GPU": "gpu", "CPU": "cpu", "QUIET_CPU": "cpu", "CPU_ANNOTATION": "cpu_annotation", "PYTHON": "python"}
LANE_COLUMNS = ("lane", "count", "union", "share")
LONGEST, LANE_WIDTH = 16, 144
_WHOLE = ("GPU_ANNOTATION", "OTHER")


def empty(results: Results) -> str:
    return "" if any(len(side.trace.slices) for side in results.sides) else "No trace to mark a range in"


def usual_what(side: Side) -> str:
    return "gpu" if side.occupancy.lanes else "cpu"


def question(side: int, ranges: Sequence[TimeRange], alignment: Alignment, what: str) -> Question | Unanswered:
    asked = asked_of(side, ranges, alignment)
    return Question("range", side, (asked, what)) if asked else Unanswered(NO_TRACKS)


def pair_question(ranges: Sequence[TimeRange], alignment: Alignment, what: str) -> Question | Unanswered:
    """The first two sides under the same names."""
    first, second = (asked_of(side, ranges, alignment) for side in (0, 1))
    return Question("range pair", -1, (0, 1, first, second, what)) if first and second else Unanswered(NO_TRACKS)


def asked_of(side: int, ranges: Sequence[TimeRange], alignment: Alignment) -> tuple[Asked, ...]:
    """The ranges in the side's own time, on those of its tracks that were chosen."""
    offset = alignment.offsets_ns[side] if side < len(alignment.offsets_ns) else 0
    asked = []
    for one in ranges:
        own = [track for at, track in one.tracks if at == side]
        tracks = tuple(found for track in own if (found := part_of(track)) is not None)
        if tracks or not one.tracks:
            asked.append((one.start_ns + offset, one.end_ns + offset, tracks))
    return tuple(asked)


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
    """Of lanes less is worth showing than of names, and their titles are shorter."""
    if table.columns[0].id != "lane":
        return array_columns(table.columns, table.kind, shorten=short_name)
    lane, *rest = array_columns([one for one in table.columns if one.id in LANE_COLUMNS], table.kind)
    return (replace(lane, width=LANE_WIDTH), *rest)


def pair_columns(pair: PairedTable, titles: tuple[str, str]) -> tuple[Column, ...]:
    """Columns of a side bear its title."""
    named = {}
    for column in pair.table.columns:
        for side, title in zip(("left", "right"), titles, strict=True):
            if column.id.endswith(f"_{side}"):
                named[column.id] = f"{column.title.removesuffix(f', {side}')}, {brief(title)}"
    return array_columns(pair.table.columns, pair.table.kind, titles=named, shorten=short_name)


def brief(title: str) -> str:
    """The end of a long title, which is what tells two files of one model apart."""
    return title if len(title) <= LONGEST else f"…{title[1 - LONGEST :]}"
