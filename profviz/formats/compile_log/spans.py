"""The compiler's own spans (`chromium_event` records) as nested events on the wall clock."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from profviz.formats.chrome.exact_time import parse_us
from profviz.formats.compile_log.records import Record
from profviz.model.compile_report import CompileEvent
from profviz.model.notes import NoteBook


@dataclass(slots=True)
class _Open:
    name: str
    start_ns: int
    compile_id: str
    place: int
    around: _Open | None
    end_ns: int | None = None


@dataclass(slots=True)
class _Lane:
    """One (process, thread): what is open and the last time seen."""

    stack: list[_Open] = field(default_factory=list)
    last_ns: int = 0


LATEST_NS = 2**62
"""The year 2116: what is told to be later is damaged, and would not fit where times are counted."""


def compile_events(records: list[Record], book: NoteBook) -> tuple[CompileEvent, ...]:
    """Spans in the order they began; one that never ended is closed where its lane was last heard of."""
    lanes: dict[tuple[Any, Any], _Lane] = {}
    events: list[CompileEvent] = []
    for record in records:
        if record.kind != "chromium_event":
            continue
        event = record.json()
        time_ns = parse_us(str(event.get("ts")).encode()) if isinstance(event, dict) else None
        if time_ns is None or not 0 <= time_ns < LATEST_NS:
            book.add("bad_record", text="chromium_event", offset=record.offset)
            continue
        lane = lanes.setdefault((record.pid, str(event.get("tid"))), _Lane())
        lane.last_ns = max(lane.last_ns, time_ns)
        _take(event, time_ns, lane, events, book, record.offset)
    for lane in lanes.values():
        for left in lane.stack:
            book.add("unfinished", text=left.name)
            _close(left, _last_sign(left, lane), events)
    return tuple(events)


def _take(
    event: dict[str, Any],
    time_ns: int,
    lane: _Lane,
    events: list[CompileEvent],
    book: NoteBook,
    offset: int,
) -> None:
    phase, name = event.get("ph"), str(event.get("name"))
    if phase == "B":
        around = lane.stack[-1] if lane.stack else None
        lane.stack.append(_Open(name, time_ns, _compile_id(event), len(events), around))
        compile_id, depth = lane.stack[-1].compile_id, len(lane.stack) - 1
        events.append(CompileEvent(name, time_ns, 0, depth, compile_id))
    elif phase == "E":
        opened = next((one for one in reversed(lane.stack) if one.name == name), None)
        if opened is None:
            book.add("cut_span", text=name, offset=offset)
            return
        lane.stack.remove(opened)  # not always the innermost: helper threads write to the lane of the main one
        _close(opened, time_ns, events)
    elif phase == "X":
        dur_ns = parse_us(str(event.get("dur")).encode()) or 0
        if dur_ns >= LATEST_NS:
            book.add("bad_record", text=name, offset=offset)
            return
        compile_id, depth = _compile_id(event), len(lane.stack)
        events.append(CompileEvent(name, time_ns, max(0, dur_ns), depth, compile_id))


def _close(opened: _Open, end_ns: int, events: list[CompileEvent]) -> None:
    opened.end_ns = end_ns
    events[opened.place] = replace(events[opened.place], dur_ns=max(0, end_ns - opened.start_ns))


def _last_sign(left: _Open, lane: _Lane) -> int:
    """When a span that never ended is taken to end: with what it stands in, else with the last event."""
    around = left.around
    while around is not None and around.end_ns is None:
        around = around.around
    return lane.last_ns if around is None or around.end_ns is None else around.end_ns


def _compile_id(event: dict[str, Any]) -> str:
    args = event.get("args")
    compile_id = args.get("compile_id") if isinstance(args, dict) else None
    # threads that compile C++ or Triton code write "None"
    return str(compile_id) if compile_id and compile_id != "None" else ""


def outermost_ns(events: tuple[CompileEvent, ...]) -> int | None:
    """The time covered by outermost spans (their union, so nothing nested or parallel counts twice)."""
    spans = sorted((event.start_ns, event.start_ns + event.dur_ns) for event in events if event.depth == 0)
    if not spans:
        return None
    total, reach = 0, spans[0][0]
    for start, end in spans:
        total += max(0, end - max(start, reach))
        reach = max(reach, end)
    return total
