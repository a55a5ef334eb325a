"""Plots of memory and launch queues, and what is said where there is none; pure, no Qt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from profviz.model.over_time import MemoryOverTime, MemoryTrack, QueuesOverTime
from profviz.model.results import Results
from profviz.model.trace import Counter
from profviz.model.units import format_bytes, format_count, format_ns
from profviz.ui.widgets.step_values import StepMark, StepPlotData, StepSeries


@dataclass(frozen=True, slots=True)
class SidePlot:
    """A plot of one side, its times still that side's own.

    `group` names those that stand together, `scale` those that share a scale.
    """

    side: int
    group: str
    scale: str
    data: StepPlotData


def empty(results: Results) -> str:
    if not any(len(side.trace.slices) or len(side.trace.memory) for side in results.sides):
        return "No trace was recorded: nothing to show over time"
    return ""


def plots(
    results: Results, memory: Mapping[int, MemoryOverTime], queues: Mapping[int, QueuesOverTime]
) -> tuple[SidePlot, ...]:
    """Memory of each device, launch queues, busy streams; the sides below each other.

    They share a scale but for queues: one of a replayed graph would leave nothing to see of others.
    """
    titles = [side.title for side in results.sides]
    made = [_memory(side, titles[side], track) for side, one in sorted(memory.items()) for track in one.tracks]
    for side, one in sorted(queues.items()):
        made += [_counter(side, titles[side], counter) for counter in (*one.queues, *one.busy)]
    tops: dict[str, float] = {}
    order: dict[str, int] = {}
    for plot in made:
        tops[plot.scale] = max(tops.get(plot.scale, 0.0), plot.data.top)
        order.setdefault(plot.group, len(order))
    made.sort(key=lambda plot: (order[plot.group], plot.side))
    return tuple(
        replace(plot, data=replace(plot.data, id=number, top=tops[plot.scale])) for number, plot in enumerate(made)
    )


def sentences(
    results: Results, memory: Mapping[int, MemoryOverTime], queues: Mapping[int, QueuesOverTime]
) -> tuple[str, ...]:
    """What is missing and why, each sentence once with the sides it holds for."""
    said: dict[str, dict[int, None]] = {}
    for found in (memory, queues):
        for side, one in sorted(found.items()):
            for note in one.notes:
                said.setdefault(note, {})[side] = None
    titles = [side.title for side in results.sides]
    return tuple(
        note if len(sides) == len(titles) else f"{', '.join(titles[side] for side in sides)}: {note}"
        for note, sides in said.items()
    )


def span(results: Results, offsets_ns: Sequence[int]) -> tuple[int, int]:
    """The shared time that holds all sides, each moved by its offset."""
    offsets = [offsets_ns[at] if at < len(offsets_ns) else 0 for at in range(len(results.sides))]
    start = min((-offset for offset in offsets), default=0)
    pairs = zip(results.sides, offsets, strict=True)
    end = max((side.trace.span_ns - offset for side, offset in pairs), default=1)
    return start, max(start + 1, end)


def moved(data: StepPlotData, offset_ns: int) -> StepPlotData:
    """The same in shared time."""
    series = tuple(replace(one, time_ns=one.time_ns - offset_ns) for one in data.series)
    marks = tuple(replace(mark, time_ns=mark.time_ns - offset_ns) for mark in data.marks)
    return replace(data, series=series, marks=marks)


def _memory(side: int, title: str, track: MemoryTrack) -> SidePlot:
    series = [StepSeries("allocated", track.time_ns, track.allocated)]
    if track.reserved is not None:
        series.append(StepSeries("reserved", track.time_ns, track.reserved, dashed=True))
    peak = f"peak {format_bytes(track.peak_bytes)} at {format_ns(track.peak_ns)}"
    top = float(max(track.peak_bytes, track.peak_reserved_bytes or 0))
    marks = (StepMark(track.peak_ns, float(track.peak_bytes), peak),)
    data = StepPlotData(0, f"{title} · memory · {track.title}", tuple(series), top, read_bytes, marks)
    group = f"memory {track.device_type}"
    return SidePlot(side, group, group, data)


def _counter(side: int, title: str, counter: Counter) -> SidePlot:
    series = StepSeries(counter.name.partition(" · ")[0], counter.time_ns, counter.value)
    top = float(counter.value.max()) if len(counter.value) else 1.0
    scale = f"{counter.name} {side}" if series.title == "launch queue" else series.title
    return SidePlot(
        side, series.title, scale, StepPlotData(0, f"{title} · {counter.name}", (series,), top, format_count)
    )


def read_bytes(value: float) -> str:
    return format_bytes(round(value))
