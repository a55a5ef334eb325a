"""Every text of the timelines: headers, hover details, short names and lengths of ranges; pure, no Qt."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from profviz.model.questions import Unit
from profviz.model.results import Results, Side, SliceKind
from profviz.model.trace import MISSING, Flag, LaneKind
from profviz.model.units import format_bytes, format_count, format_exact_ns, format_ns
from profviz.ui.view_state import Alignment, TimeRange, TimeWindow
from profviz.ui.views.timeline.aligning import step_count, step_end_ns
from profviz.ui.views.timeline.alignments import offset_text
from profviz.ui.views.timeline.layout import Hit, Scale, exact
from profviz.ui.views.timeline.tracks import Group, Line, Track

CLEARLY = 1.3
"""So many times more kernels, and shorter ones, make a side `many narrow` beside the other."""

NAME_CHARS = 160
MOST_COUNTED = 200
"""Of more tracks it would cost too much, frame by frame, to count what shows."""

ON_GPU = (Group.GPU, Group.CUDA_GRAPH)
"""The groups of tracks that show what a GPU did."""


def empty(results: Results) -> str:
    if not results.sides:
        return "No trace: nothing was profiled in this run, or only a compile log was opened"
    if not any(len(side.trace.slices) for side in results.sides):
        return "The trace holds no slices"
    return ""


def shape_word(results: Results, side: int, step: int) -> str:
    """`many narrow` or `few wide` for the kernels of two sides' aligned steps where the difference is plain."""
    if len(results.sides) != 2 or not 0 <= step < step_count(results.sides):
        return ""
    own, other = (results.sides[at].steps[step] for at in (side, 1 - side))
    if not (own.kernels and other.kernels and own.gpu_busy_ns and other.gpu_busy_ns):
        return ""
    more = own.kernels / other.kernels
    longer = (own.gpu_busy_ns / own.kernels) / (other.gpu_busy_ns / other.kernels)
    if more >= CLEARLY and longer < 1:
        return "many narrow"
    return "few wide" if more <= 1 / CLEARLY and longer > 1 else ""


def header(
    results: Results, side: int, alignment: Alignment, windows: Sequence[TimeWindow], tracks: Sequence[Track]
) -> str:
    """The step where it is what shows, else how much shows, and how far it is moved; windows are in shared time."""
    own, moved = results.sides[side], offset_text(alignment, side)
    apart = [f"moved {moved}"] if moved else []
    if 0 <= alignment.step < len(own.steps) and _shows_step(results, alignment, side, windows):
        step = own.steps[alignment.step]
        counted = f"{format_count(step.kernels)} kernels" if step.kernels else f"{format_count(step.ops)} operators"
        busy = f"GPU busy {format_ns(step.gpu_busy_ns)}" if step.gpu_busy_ns is not None else ""
        parts = [f"step {alignment.step + 1} of {len(own.steps)}", counted, shape_word(results, side, alignment.step)]
        return " · ".join(part for part in (*parts, format_ns(step_end_ns(step) - step.start_ns), busy, *apart) if part)
    if len(tracks) > MOST_COUNTED:
        return f"{format_count(len(tracks))} tracks"
    start, end = (at + alignment.offsets_ns[side] for at in (windows[side].start_ns, windows[side].end_ns))
    gpu = [track for track in tracks if track.group in ON_GPU and track.rows]
    chosen = gpu or [track for track in tracks if track.group in (Group.CPU, Group.QUIET_CPU)]
    shown = sum(len(row.visible(start, end)) for track in chosen for row in track.rows)
    return " · ".join([f"{format_count(shown)} {'GPU' if gpu else 'CPU'} slices in view", *apart])


def _shows_step(results: Results, alignment: Alignment, side: int, windows: Sequence[TimeWindow]) -> bool:
    """The window holds the side's whole step, and not two steps of every side."""
    pairs = list(zip(windows, alignment.offsets_ns, strict=True))
    starts = [window.start_ns + offset for window, offset in pairs]
    ends = [window.end_ns + offset for window, offset in pairs]
    step = results.sides[side].steps[alignment.step]
    if starts[side] > step.start_ns or ends[side] < step.end_ns:
        return False
    return not all(
        _count_whole(own, start, end) > 1 for own, start, end in zip(results.sides, starts, ends, strict=True)
    )


def _count_whole(side: Side, start_ns: int, end_ns: int) -> int:
    return sum(start_ns <= step.start_ns and step.end_ns <= end_ns for step in side.steps)


def scale_note(scales: Sequence[Scale], side: int) -> str:
    """How long a px is here beside elsewhere: the same for all, or so many times as long as on the first side."""
    if len(scales) < 2:
        return "time"
    ratios = [scale.px_per_ns / scales[0].px_per_ns for scale in scales]
    if all(abs(ratio - 1) < 0.005 for ratio in ratios):
        return "same scale"
    ratio = ratios[side] if side else 1 / ratios[1] if len(ratios) == 2 else 1.0
    return f"scale {ratio:.3g} : 1" if ratio >= 1 else f"scale 1 : {1 / ratio:.3g}"


def details(side: Side, index: int) -> str:
    """What a pointer at the slice tells, one fact a line; only what is known."""
    trace, slices = side.trace, side.trace.slices
    lane = trace.lanes[int(slices.lane[index])]
    name = trace.name_of(index)
    flags = int(slices.flags[index])
    odd = {Flag.UNFINISHED: "never ended", Flag.ABSURD: "implausibly long"}
    lines = [
        name if len(name) <= NAME_CHARS else name[: NAME_CHARS - 1] + "…",
        f"duration  {format_exact_ns(int(slices.dur_ns[index]))}",
        *(f"note  {text}, left out of sums" for flag, text in odd.items() if flags & flag),
        f"start  {format_exact_ns(int(slices.start_ns[index]))}",
        f"{'stream' if lane.kind is LaneKind.GPU else 'lane'}  {lane.title}",
        f"kind  {SliceKind(int(side.kinds[index])).title}",
        *_gpu_lines(side, index),
        *_launch_lines(side, index),
    ]
    return "\n".join(lines)


def other_details(side: Side, found: Hit, time_ns: int) -> str:
    """What a pointer tells at what is no slice of the trace: a span, a moment, the values at a time."""
    track = found.placed.track
    if track.names is not None and found.item >= 0:
        row = track.rows[found.row]
        at = row.place_of(found.item)
        start, end = int(row.start_ns[at]), int(row.end_ns[at])
        lines = [track.names[found.item], f"duration  {format_exact_ns(end - start)}"]
        return "\n".join([*lines, f"start  {format_exact_ns(start)}"])
    if track.ticks is not None and found.item >= 0:
        return _moment(side, found.item)
    if track.lines:
        return "\n".join([track.title, *(value_line(line, time_ns) for line in track.lines)])
    return ""


def value_line(line: Line, time_ns: int) -> str:
    """What a line says at a time, in full."""
    value = line.series.at(time_ns)
    text = value_text(value, line.unit)
    if line.unit is Unit.BYTES and not math.isnan(value):
        text += f"  ({round(value):,} B)".replace(",", " ")
    return f"{line.title or 'value'}  {text}"


def value_text(value: float, unit: Unit) -> str:
    """A value as it is read: 1.2 GiB, 48; a dash where nobody knows it."""
    if math.isnan(value):
        return "—"
    if unit is Unit.BYTES:
        return format_bytes(round(value))
    if unit is Unit.NS:
        return format_ns(round(value))
    if unit is Unit.SHARE:
        return f"{value:.0%}"
    return format_count(round(value)) if value == round(value) else f"{value:.3g}"


def _moment(side: Side, index: int) -> str:
    trace, instants = side.trace, side.trace.instants
    name, lane = trace.names[int(instants.name[index])], trace.lanes[int(instants.lane[index])]
    at = format_exact_ns(int(instants.time_ns[index]))
    return "\n".join([name[:NAME_CHARS], f"at  {at}", f"lane  {lane.title}"])


def _gpu_lines(side: Side, index: int) -> list[str]:
    gpu = side.trace.gpu
    at = int(np.searchsorted(gpu.slice, index))
    if at == len(gpu) or gpu.slice[at] != index:
        return []
    lines = []
    if gpu.grid[at, 0] != MISSING and gpu.block[at, 0] != MISSING:
        grid, block = (" × ".join(str(int(n)) for n in column[at]) for column in (gpu.grid, gpu.block))
        lines.append(f"grid  {grid}   block  {block}")
    if gpu.registers[at] != MISSING:
        lines.append(f"registers  {int(gpu.registers[at])}")
    if gpu.shared_bytes[at] > 0:
        lines.append(f"shared  {format_bytes(int(gpu.shared_bytes[at]))}")
    if gpu.bytes[at] != MISSING:
        lines.append(f"bytes  {format_bytes(int(gpu.bytes[at]))}")
    return lines


def _launch_lines(side: Side, index: int) -> list[str]:
    launch = int(side.links.launch[index])
    if launch < 0:
        return []
    slices = side.trace.slices
    delay = int(slices.start_ns[index] - slices.start_ns[launch])
    lines = [f"launch delay  {format_exact_ns(delay)}"] if delay >= 0 else ["launch delay  unknown, clocks disagree"]
    if int(side.links.op[index]) >= 0:
        lines.append(f"launched by  {side.trace.name_of(int(side.links.op[index]))[:NAME_CHARS]}")
    return lines


def ranges_text(ranges: Sequence[TimeRange]) -> str:
    """How long the marked ranges are, and where their sums are to be found."""
    if not ranges:
        return ""
    lengths = [length_text(one.end_ns - one.start_ns) for one in ranges]
    counted = f"Range of {lengths[0]}" if len(ranges) == 1 else f"{len(ranges)} ranges, the last of {lengths[-1]}"
    return f"{counted} · sums in the panel Range"


def length_text(span_ns: int) -> str:
    """A range's length in full: 1.234567 ms."""
    for digits, unit in ((9, "s"), (6, "ms"), (3, "µs")):
        if span_ns >= 10**digits:
            return f"{exact(span_ns, digits, digits)} {unit}"
    return f"{span_ns} ns"
