"""Turns begin and end events into slices, matched per thread in time order."""

from __future__ import annotations

from profviz.formats.chrome.event import event_of
from profviz.formats.chrome.rows import Mark, Rows
from profviz.formats.chrome.text import EventText


def close_spans(rows: Rows, text: EventText) -> None:
    """Adds a slice for each begin: with its end's time, or unfinished where no end came."""
    open_spans: dict[tuple[object, object], list[Mark]] = {}
    for mark in sorted(rows.spans, key=lambda mark: mark.time):
        stack = open_spans.setdefault((mark.pid, mark.tid), [])
        if mark.phase == "B":
            stack.append(mark)
        elif stack:
            begin = stack.pop()
            _add(rows, begin, mark.time - begin.time, text)
        else:
            rows.notes.add("unmatched_end", text=f"at {mark.time} ns", offset=text.offset(mark.event))
    for stack in open_spans.values():
        for begin in stack:
            _add(rows, begin, None, text)


def _add(rows: Rows, begin: Mark, dur: int | None, text: EventText) -> None:
    rows.add_slice(event_of(text(begin.event)), begin.event, begin.time, dur, text.offset(begin.event))
