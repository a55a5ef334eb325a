"""Bars, figures and sentences of the breakdown of wall time; pure, no Qt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest

from profviz.model.breakdown import Change, Exposure, Part, Stretch, TimeBreakdown, WallTime, changes, shown_parts
from profviz.model.results import Results, SliceKind
from profviz.model.trace import MISSING
from profviz.model.units import format_exact_ns, format_ns, format_percent
from profviz.ui.view_state import TimeWindow
from profviz.ui.widgets.stack_values import FigureRow, Fill, Pattern, Piece, StackRow

FILLS = {
    Part.COMPUTE: Fill(tone="accent"),
    Part.COMMUNICATION: Fill(kind=int(SliceKind.COMMUNICATION)),
    Part.COPY: Fill(kind=int(SliceKind.COPY)),
    Part.HOST: Fill(tone="warn", pattern=Pattern.RISING),
    Part.SYNCHRONISE: Fill(kind=int(SliceKind.ATTENTION), pattern=Pattern.FALLING),
    Part.DEPENDENCY: Fill(kind=int(SliceKind.NORMALISATION), pattern=Pattern.CROSSED),
    Part.BETWEEN: Fill(kind=int(SliceKind.CONVOLUTION), pattern=Pattern.UPRIGHT),
    Part.UNKNOWN: Fill(tone="muted", pattern=Pattern.EMPTY),
    Part.OPERATORS: Fill(kind=int(SliceKind.GEMM)),
    Part.OTHER: Fill(tone="muted", pattern=Pattern.DOTTED),
}
_SHORT = {
    Part.COMPUTE: "compute",
    Part.COMMUNICATION: "comm.",
    Part.COPY: "copies",
    Part.HOST: "host",
    Part.SYNCHRONISE: "sync",
    Part.DEPENDENCY: "dependency",
    Part.BETWEEN: "between",
    Part.UNKNOWN: "unknown",
    Part.OPERATORS: "operators",
    Part.OTHER: "other",
}
WALL = -1
"""The id of the row that sums up."""
LEAST_MARGIN_NS = 500


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: a side's step, range or whole recording. `step` is its number, or MISSING."""

    side: int
    title: str
    wall: WallTime
    exposures: tuple[Exposure, ...]
    parts: tuple[Part, ...]
    step: int = MISSING


@dataclass(frozen=True, slots=True)
class Group:
    """Bars that stand next to each other, one a side."""

    title: str
    bars: tuple[Bar, ...]


def empty(results: Results) -> str:
    if not any(len(side.trace.slices) for side in results.sides):
        return "No trace was recorded: there is no wall time to share out"
    return ""


def groups(found: Mapping[int, TimeBreakdown], ranged: Mapping[int, TimeBreakdown] | None = None) -> tuple[Group, ...]:
    """The range marked on the timelines, the median step, each step; the whole where a side marks no steps."""
    made = []
    if ranged:
        made.append(Group("Marked range", tuple(_whole(side, one) for side, one in sorted(ranged.items()))))
    if not found:
        return tuple(made)
    sides = sorted(found.items())
    if all(one.steps for _, one in sides):
        if any(len(one.steps) > 1 for _, one in sides):
            made.append(Group("Median step", tuple(_median(side, one) for side, one in sides)))
        made += _step_groups(sides)
    else:
        made.append(Group("Whole recording", tuple(_whole(side, one) for side, one in sides)))
    return tuple(made)


def bars(shown: Sequence[Group]) -> tuple[Bar, ...]:
    """In the order of the rows: a row's id is its bar's place here."""
    return tuple(bar for group in shown for bar in group.bars)


def rows(shown: Sequence[Group]) -> tuple[StackRow, ...]:
    made: list[StackRow] = []
    for group in shown:
        for place, bar in enumerate(group.bars):
            title = bar.title if bar.step == MISSING else f"{bar.title} · #{bar.step}"
            total, above = format_ns(bar.wall.wall_ns), group.title if place == 0 else ""
            made.append(StackRow(len(made), title, bar.wall.wall_ns, partial(_pieces, bar), total, above))
    return tuple(made)


def compared(group: Group, side: int) -> tuple[Bar, ...]:
    """The first bar of a group and that of `side`, or of the one after it; just one where there is no other."""
    others = [bar for bar in group.bars[1:] if bar.side == side] or list(group.bars[1:2])
    return (*group.bars[:1], *others[:1])


def caption(group: Group, pair: Sequence[Bar]) -> str:
    what = group.title if any(bar.step == MISSING for bar in pair) else f"{group.title}, {_numbers(pair)}"
    return f"{what}: {' → '.join(bar.title for bar in pair)}"


def figures(pair: Sequence[Bar]) -> tuple[tuple[str, ...], tuple[FigureRow, ...]]:
    """Heads of the columns and a row a part, then the sum: of one bar times and shares, of two the change too."""
    parts = shown_parts([bar.wall for bar in pair], sorted({part for bar in pair for part in bar.parts}))
    if len(pair) == 1:
        wall = pair[0].wall
        made = [FigureRow(int(part), part.title, FILLS[part], _alone(wall, part), part.definition) for part in parts]
        sum_row = FigureRow(WALL, "wall time", None, (format_ns(wall.wall_ns), "100 %"), _sum_tip(pair))
        return ("time", "share"), (*made, sum_row)
    before, after = pair[0].wall, pair[1].wall
    made = [_change_row(change) for change in changes(before, after, parts)]
    walls = (format_ns(before.wall_ns), format_ns(after.wall_ns))
    change = after.wall_ns - before.wall_ns
    sum_row = FigureRow(WALL, "wall time", None, (*walls, signed(change)), _sum_tip(pair), change)
    return (pair[0].title, pair[1].title, "change"), (*made, sum_row)


def exposure_figures(pair: Sequence[Bar]) -> tuple[tuple[str, ...], tuple[FigureRow, ...]]:
    """Copies and communication by side and stream: how long, and how much of it computing did not hide."""
    made = []
    for bar in pair:
        for one in bar.exposures:
            if one.total_ns and (one.lane != MISSING or _streams(bar, one.what) > 1):
                title = f"{one.what} · {_where(bar, one)} · {bar.title}"
                fill = FILLS[Part.COPY if one.what == "copies" else Part.COMMUNICATION]
                made.append(FigureRow(bar.side, title, fill, _exposed(one), _exposure_tip(one)))
    return ("in all", "exposed", "overlapped"), tuple(made)


def sentences(found: Mapping[int, TimeBreakdown]) -> tuple[str, ...]:
    """What the figures leave open, each sentence once with the sides it holds for."""
    said: dict[str, list[str]] = {}
    for _, one in sorted(found.items()):
        for note in one.notes:
            said.setdefault(note, []).append(one.title)
    everyone = len(found)
    return tuple(note if len(sides) == everyone else f"{', '.join(sides)}: {note}" for note, sides in said.items())


def window_of(stretch: Stretch, *, offset_ns: int) -> TimeWindow:
    """Shared time that shows a stretch of a side's time, with something around it."""
    margin = max(LEAST_MARGIN_NS, (stretch.end_ns - stretch.start_ns) // 4)
    return TimeWindow(stretch.start_ns - margin - offset_ns, stretch.end_ns + margin - offset_ns)


def read_ns(value_ns: int) -> str:
    """Nothing at all is a plain 0."""
    return format_ns(value_ns) if value_ns else "0"


def signed(value_ns: int) -> str:
    if value_ns == 0:
        return "0"
    return ("−" if value_ns < 0 else "+") + format_ns(abs(value_ns))


def _whole(side: int, one: TimeBreakdown) -> Bar:
    return Bar(side, one.title, one.whole, one.exposures, one.parts)


def _median(side: int, one: TimeBreakdown) -> Bar:
    step = one.median_step
    assert step is not None
    return Bar(side, one.title, step.wall, step.exposures, one.parts, step.number)


def _step_groups(sides: Sequence[tuple[int, TimeBreakdown]]) -> list[Group]:
    """The first steps of all sides together, the second ones, and so on, whatever their numbers."""
    made = []
    for place, steps in enumerate(zip_longest(*(one.steps for _, one in sides))):
        own = [
            Bar(side, one.title, step.wall, step.exposures, one.parts, step.number)
            for (side, one), step in zip(sides, steps, strict=True)
            if step is not None
        ]
        made.append(Group(f"Step {place + 1}", tuple(own)))
    return made


def _pieces(bar: Bar) -> tuple[Piece, ...]:
    return tuple(_piece(bar, part) for part in bar.parts if bar.wall.parts_ns[part])


def _piece(bar: Bar, part: Part) -> Piece:
    time_ns = bar.wall.parts_ns[part]
    read = format_ns(time_ns)
    return Piece(int(part), time_ns, FILLS[part], (f"{_SHORT[part]} {read}", read), _tip(bar, part))


def _tip(bar: Bar, part: Part) -> str:
    time_ns = bar.wall.parts_ns[part]
    share = format_percent(time_ns / bar.wall.wall_ns, digits=1)
    told = f"{part.title}: {format_exact_ns(time_ns)}, {share} of {format_ns(bar.wall.wall_ns)}\n{part.definition}"
    longest = bar.wall.longest[part]
    if longest is None:
        return told
    length = format_ns(longest.end_ns - longest.start_ns)
    return f"{told}\nA click shows the longest stretch, {length}, on the timeline."


def _numbers(pair: Sequence[Bar]) -> str:
    return " → ".join(f"#{bar.step}" for bar in pair)


def _alone(wall: WallTime, part: Part) -> tuple[str, str]:
    share = wall.parts_ns[part] / wall.wall_ns if wall.wall_ns else None
    return read_ns(wall.parts_ns[part]), format_percent(share, digits=1)


def _change_row(change: Change) -> FigureRow:
    part = change.part
    values = (read_ns(change.before_ns), read_ns(change.after_ns), signed(change.change_ns))
    return FigureRow(int(part), part.title, FILLS[part], values, part.definition, change.change_ns)


def _sum_tip(pair: Sequence[Bar]) -> str:
    return "The parts sum to it exactly: " + ", ".join(
        f"{bar.title} {format_exact_ns(bar.wall.wall_ns)}" for bar in pair
    )


def _where(bar: Bar, one: Exposure) -> str:
    """The stream, with its GPU where the side has several."""
    if one.lane == MISSING:
        return "all streams"
    gpus = {other.title.partition(" · ")[0] for other in bar.exposures if other.lane != MISSING}
    return one.title if len(gpus) > 1 else one.title.partition(" · ")[2] or one.title


def _streams(bar: Bar, what: str) -> int:
    return sum(one.what == what and one.lane != MISSING for one in bar.exposures)


def _exposed(one: Exposure) -> tuple[str, str, str]:
    return read_ns(one.total_ns), read_ns(one.exposed_ns), read_ns(one.overlapped_ns)


def _exposure_tip(one: Exposure) -> str:
    share = format_percent(one.exposed_ns / one.total_ns, digits=1)
    return f"Union over time, not a sum. {share} of it ran while no kernel computed: computing did not hide it."
