"""Turns begin and end events into slices, matched per thread in time order."""

from __future__ import annotations

from profviz.formats.chrome.event import NO_ARGS, Event
from profviz.formats.chrome.rows import Mark, Rows


def close_spans(rows: Rows) -> None:
    """Adds a slice for each begin: with its end's time, or unfinished where no end came."""
    names, categories = rows.names.texts(), rows.categories.texts()
    open_spans: dict[tuple[object, object], list[Mark]] = {}
    for mark in sorted(rows.spans, key=lambda mark: mark.time):
        stack = open_spans.setdefault((mark.pid, mark.tid), [])
        if mark.phase == "B":
            stack.append(mark)
        elif stack:
            begin = stack.pop()
            _add(rows, begin, mark.time - begin.time, names, categories)
        else:
            rows.notes.add("unmatched_end", text=names[mark.name])
    for stack in open_spans.values():
        for begin in stack:
            _add(rows, begin, None, names, categories)


def _add(rows: Rows, begin: Mark, dur: int | None, names: tuple[str, ...], categories: tuple[str, ...]) -> None:
    event = Event(
        ph="X",
        name=names[begin.name],
        cat=categories[begin.category],
        pid=begin.pid,
        tid=begin.tid,
        args=NO_ARGS,
    )
    rows.add_slice(event, begin.event, begin.time, dur, -1)
