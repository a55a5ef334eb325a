"""Compilations of frames and what was compiled again, from the records that Dynamo writes about each."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Any

from profviz.formats.compile_log.code import Unit
from profviz.formats.compile_log.naming import code_of, compile_id_of
from profviz.formats.compile_log.records import Record
from profviz.model.compile_report import CompiledFrame, CompileEvent
from profviz.model.graph import SourceLine


def compiled_frames(
    records: list[Record], events: tuple[CompileEvent, ...], units: list[Unit]
) -> tuple[CompiledFrame, ...]:
    """One row for each compile id that the log mentions, in the order they began."""
    metrics: dict[str, dict[str, Any]] = {}
    starts: dict[str, Record] = {}
    attempts: dict[str, int] = {}
    for record in records:
        if record.frame is None or record.kind == "chromium_event":
            continue
        compile_id = compile_id_of(record)
        attempts[compile_id] = max(attempts.get(compile_id, 0), record.attempt + 1)
        if record.kind == "dynamo_start":
            starts.setdefault(compile_id, record)
        elif record.kind == "compilation_metrics" and isinstance(record.value, dict):
            metrics.setdefault(compile_id, record.value)
    caches = _caches(units)
    spans = _spans(events)
    places = _places(records)
    wanted = [compile_id for compile_id in attempts if compile_id in starts or compile_id in metrics]
    return tuple(
        _with_place(
            _frame(
                compile_id, metrics.get(compile_id, {}), starts.get(compile_id), attempts[compile_id], spans, caches
            ),
            places,
        )
        for compile_id in wanted
    )


def _frame(
    compile_id: str,
    metrics: dict[str, Any],
    start: Record | None,
    attempts: int,
    spans: dict[tuple[str, str], int],
    caches: dict[str, str],
) -> CompiledFrame:
    stack = start.stack(start.value.get("stack")) if start is not None and isinstance(start.value, dict) else ()
    function = str(metrics.get("co_name") or (stack[-1].function if stack else ""))
    file, line = metrics.get("co_filename"), metrics.get("co_firstlineno")
    source = SourceLine(file, line, function) if isinstance(file, str) and isinstance(line, int) else None
    guards = metrics.get("guard_count")
    return CompiledFrame(
        compile_id=compile_id,
        function=function,
        source=source or (stack[-1] if stack else None),
        attempts=attempts,
        duration_ns=spans.get((compile_id, "entire_frame_compile")),
        backward_ns=spans.get((compile_id, "entire_backward_compile")),
        guards=guards if isinstance(guards, int) else None,
        cache=caches.get(compile_id, ""),
        fail=_fail(metrics),
        fail_source=_fail_source(metrics),
        is_guarded=_is_guarded(metrics),
        restarts=_restarts(metrics),
        stack=stack[:-1],
    )


def _restarts(metrics: dict[str, Any]) -> tuple[str, ...]:
    reasons = metrics.get("restart_reasons")
    texts = [str(reason).strip() for reason in reasons] if isinstance(reasons, list) else []
    return tuple(text.split("\n", 1)[0] for text in texts if text)


def _fail_source(metrics: dict[str, Any]) -> SourceLine | None:
    file, line = metrics.get("fail_user_frame_filename"), metrics.get("fail_user_frame_lineno")
    return SourceLine(file, line) if isinstance(file, str) and isinstance(line, int) else None


def _is_guarded(metrics: dict[str, Any]) -> bool | None:
    """Whether code came of it: torch 2.7 says so of a frame that it leaves eager too, but then counts no guards."""
    said = metrics.get("has_guarded_code")
    if not isinstance(said, bool):
        return None
    return said and metrics.get("guard_count", 0) is not None


def _fail(metrics: dict[str, Any]) -> str:
    reason, kind = metrics.get("fail_reason"), metrics.get("fail_type")
    return str(reason or kind or "")


def _spans(events: tuple[CompileEvent, ...]) -> dict[tuple[str, str], int]:
    """Total time of the spans that hold one whole direction, by compile id and name."""
    found: dict[tuple[str, str], int] = defaultdict(int)
    for event in events:
        if event.name in ("entire_frame_compile", "entire_backward_compile"):
            found[event.compile_id, event.name] += event.dur_ns
    return dict(found)


def _caches(units: list[Unit]) -> dict[str, str]:
    """hit, miss or bypass of each compile id's lowerings, mixed where they differ."""
    states: dict[str, set[str]] = defaultdict(set)
    for unit in units:
        if unit.cache:
            states[compile_id_of(unit)].add(unit.cache)
    return {compile_id: found.pop() if len(found) == 1 else "mixed" for compile_id, found in states.items()}


def _places(records: list[Record]) -> dict[str, SourceLine]:
    """Where each frame's function stands; a compilation that was refused does not say, an earlier one did."""
    found: dict[str, SourceLine] = {}
    for record in records:
        if record.kind == "compilation_metrics" and (place := _place(record)):
            found.setdefault(code_of(compile_id_of(record)), place)
    return found


def _with_place(frame: CompiledFrame, places: dict[str, SourceLine]) -> CompiledFrame:
    place = places.get(code_of(frame.compile_id))
    if place is None or (frame.function and frame.source):
        return frame
    return replace(frame, function=frame.function or place.function, source=frame.source or place)


def _place(record: Record) -> SourceLine | None:
    metrics: dict[str, Any] = record.value if isinstance(record.value, dict) else {}
    file, line = metrics.get("co_filename"), metrics.get("co_firstlineno")
    if not (isinstance(file, str) and isinstance(line, int)):
        return None
    return SourceLine(file, line, str(metrics.get("co_name") or ""))
