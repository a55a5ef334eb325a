"""Facts that had to be worked out about a slice: how it was launched, by whom, in which step, among which others."""

from __future__ import annotations

import json

from profviz.model.durations import Spread
from profviz.model.results import Results, Side
from profviz.model.slice_details import InStep, Neighbour, SliceDetails
from profviz.model.trace import MISSING, Trace
from profviz.model.units import format_count, format_exact_ns, format_ns, format_percent
from profviz.ui.widgets.histogram_values import SERIES_KINDS, HistogramData, HistogramSeries
from profviz.ui.widgets.panel_values import Fact

FEW_FRAMES = 4
LIBRARIES = ("torch/", "<built-in", "nn.Module:", "<frozen", "importlib", "contextlib", "functools")


def facts(results: Results, side_index: int, index: int, found: SliceDetails) -> list[Fact]:
    side = results.sides[side_index]
    trace = side.trace
    made = [_queue(found.launched.queued)] if found.launched is not None else []
    made += [Fact("settings", found.settings, mono=True)] if found.settings else []
    made += _binary(found)
    made += _operators(trace, side_index, index, side, found)
    made += [Fact("input shapes", shapes_text(found.shapes), mono=True)] if found.shapes else []
    made += [_link(trace, side_index, "forward", one) for one in found.forward]
    made += [_link(trace, side_index, "backward", one) for one in found.backward]
    made += _stack(trace, side_index, found)
    made += _step(side, found.step) if found.step is not None else []
    made += [_neighbour(trace, side_index, "before", found.before)] if found.before is not None else []
    made += [_neighbour(trace, side_index, "after", found.after)] if found.after is not None else []
    made += _counterparts(results, found)
    return made + _alike(side_index, found)


def histogram(found: SliceDetails, *, duration_ns: int) -> HistogramData | None:
    """The durations of the name's slices with this one's marked; None where it is the only one."""
    alike = found.alike
    if alike is None or sum(one.spread.count for one in alike.series) < 2:
        return None
    series = tuple(
        HistogramSeries(one.title, SERIES_KINDS[one.side % len(SERIES_KINDS)], one.counts, one.spread.median_ns)
        for one in alike.series
    )
    return HistogramData(alike.edges, alike.is_log, series, duration_ns if found.rank >= 0 else None)


def shapes_text(text: str) -> str:
    """`[[32, 128], []]` as 32×128, scalar; as it is where it is no list of lists of numbers."""
    try:
        shapes = json.loads(text)
        return ", ".join("×".join(str(int(size)) for size in one) or "scalar" for one in shapes) or text
    except (ValueError, TypeError):
        return text


def gap_text(gap_ns: int) -> str:
    return f"{format_exact_ns(gap_ns)} gap" if gap_ns >= 0 else f"overlaps by {format_exact_ns(-gap_ns)}"


def _queue(queued: int) -> Fact:
    """Slices on its stream that had been asked for and had not begun when the launch began."""
    return Fact("queue", f"{format_count(queued)} ahead on its stream" if queued else "empty when launched")


def _binary(found: SliceDetails) -> list[Fact]:
    """What the trace does not hold: it has registers and shared memory itself."""
    binary = found.binary
    if binary is None:
        return [Fact("spills", "unknown: only a run of this program records them", tone="muted")] * bool(found.settings)
    made = [Fact("spills", binary.spilling, tone="warn" if binary.spills else "plain")]
    if not found.settings and binary.settings:
        made.insert(0, Fact("settings", binary.settings, mono=True))
    if binary.configs is not None and binary.configs > 1:
        made.append(Fact("chosen of", f"{format_count(binary.configs)} configurations"))
    return made


def _operators(trace: Trace, side_index: int, index: int, side: Side, found: SliceDetails) -> list[Fact]:
    """The operators around the one that is told already, or around the slice itself."""
    outer = found.operators[1:] if int(side.links.op[index]) != MISSING else found.operators
    return [_link(trace, side_index, "called by" if number == 0 else "", one) for number, one in enumerate(outer)]


def _link(trace: Trace, side_index: int, key: str, index: int) -> Fact:
    return Fact(key, trace.name_of(index), target={"side": side_index, "slice": index})


def _stack(trace: Trace, side_index: int, found: SliceDetails) -> list[Fact]:
    """Frames innermost first; the head names the first that is not a library's."""
    made = [Fact("module", found.module)] if found.module else []
    if found.frames:
        names = [trace.name_of(one) for one in found.frames]
        parts = tuple(_link(trace, side_index, str(number), one) for number, one in enumerate(found.frames, start=1))
        key = "fwd stack" if found.frames_of in found.forward else "Python stack"
    elif found.stack:
        names = list(found.stack)
        parts = tuple(Fact(str(number), line, mono=True) for number, line in enumerate(names, start=1))
        key = "Python stack"
    else:
        return made
    head = next((name for name in names if not name.startswith(LIBRARIES) and "/torch/" not in name), names[0])
    return [*made, Fact(key, head, parts=parts, open=len(parts) <= FEW_FRAMES)]


def _step(side: Side, found: InStep) -> list[Fact]:
    step = side.steps[found.step]
    verb = "launched" if found.place >= 0 else "begun"
    made = [
        Fact("step", f"{found.step + 1} of {len(side.steps)} (ProfilerStep#{step.number})"),
        Fact(verb, f"{format_ns(found.after_ns)} into {format_ns(step.end_ns - step.start_ns)}"),
    ]
    if found.place >= 0:
        place = f"{format_count(found.place + 1)} of {format_count(found.count)} GPU slices"
        made.append(Fact("place", place))
    return made


def _neighbour(trace: Trace, side_index: int, key: str, found: Neighbour) -> Fact:
    target = {"side": side_index, "slice": found.slice}
    return Fact(key, f"{gap_text(found.gap_ns)} · {trace.name_of(found.slice)}", target=target)


def _counterparts(results: Results, found: SliceDetails) -> list[Fact]:
    made = []
    for one in found.counterparts:
        side = results.sides[one.side]
        dur = format_exact_ns(int(side.trace.slices.dur_ns[one.slice]))
        target = {"side": one.side, "slice": one.slice}
        made.append(Fact("counterpart", f"{dur} on {side.title}, {one.how}", target=target))
    return made


def _alike(side_index: int, found: SliceDetails) -> list[Fact]:
    """The side's own figures right below the head, those of the others folded."""
    if found.alike is None:
        return []
    own = next((one.spread for one in found.alike.series if one.side == side_index), None)
    parts = [*_rank(own, found.rank), *_spread(own)] if own is not None else []
    for one in found.alike.series:
        if one.side != side_index:
            parts.append(Fact(one.title, _count(one.spread), parts=_spread(one.spread), open=False))
    return [Fact("Same name", _count(own) if own is not None else "", heading=True, parts=tuple(parts))]


def _count(spread: Spread) -> str:
    word = "slice" if spread.count == 1 else "slices"
    return f"{format_count(spread.count)} {word}, {format_ns(spread.total_ns)} in sum"


def _rank(spread: Spread, rank: int) -> tuple[Fact, ...]:
    if rank < 0:
        return ()
    share = format_percent(rank / spread.count, digits=1)
    return (Fact("this one", f"longer than {format_count(rank)} of {format_count(spread.count)} ({share})"),)


def _spread(spread: Spread) -> tuple[Fact, ...]:
    if spread.count == 1:
        return ()
    rows = (
        ("min", spread.min_ns),
        ("median", spread.median_ns),
        ("mean", spread.mean_ns),
        ("p95", spread.p95_ns),
        ("max", spread.max_ns),
    )
    return tuple(Fact(key, format_exact_ns(value)) for key, value in rows)
