"""Break records to one row for each line of the user's, and apart from them the frames that were skipped whole."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from profviz.formats.compile_log.break_text import BreakText, calls_of, parse_reason, resumed_function, user_line
from profviz.model.compile_report import BreakReason, CallChain, CompiledFrame, GraphBreak, SkippedFrame
from profviz.model.graph import SourceLine

_NO_FRAME = CompiledFrame("", "", None, 0, None)


@dataclass(frozen=True, slots=True)
class Told:
    """One break record: which compilation it ended and what it says."""

    compile_id: str
    text: BreakText


def rows_of(
    told: Sequence[Told], frames: Sequence[CompiledFrame]
) -> tuple[tuple[GraphBreak, ...], tuple[SkippedFrame, ...]]:
    """Breaks and skipped frames, each once a place, in the order they were met.

    A frame that failed for good, or of which no code came, was not split: its records tell of a skip, whatever their
    wording.
    """
    by_id = {frame.compile_id: frame for frame in frames}
    breaks: dict[tuple[str, int], list[Told]] = defaultdict(list)
    skips: dict[str, list[Told]] = defaultdict(list)
    for one in told:
        frame = by_id.get(one.compile_id)
        if one.text.says_skipped or (frame is not None and (frame.fail or frame.is_guarded is False)):
            skips[one.compile_id].append(one)
        elif (source := one.text.source) is not None:
            breaks[source.file, source.line].append(one)
    broken = tuple(_break_row(group, by_id) for group in breaks.values())
    texts = {(one.source.file, one.source.line): one.source.text for one in broken}
    return broken, tuple(_with_text(one, texts) for one in _skipped_frames(skips, frames, by_id))


def _with_text(one: SkippedFrame, texts: Mapping[tuple[str, int], str]) -> SkippedFrame:
    """What only the summary of a compilation tells of has no text, but may have broken who called it too."""
    cause = one.cause
    if cause is None or cause.text:
        return one
    return replace(one, cause=replace(cause, text=texts.get((cause.file, cause.line), "")))


def _break_row(told: list[Told], frames: Mapping[str, CompiledFrame]) -> GraphBreak:
    source = told[0].text.source
    assert source is not None
    reasons = merge_reasons([one.text.reason for one in told])
    ids = _distinct_ids(told)
    functions = [resumed_function(frames[one].function) for one in ids if one in frames and frames[one].function]
    return GraphBreak(
        source=source,
        reason=reasons[0].text,
        plain=reasons[0].plain,
        explanation=reasons[0].explanation,
        hints=reasons[0].hints,
        gb_id=reasons[0].gb_id,
        count=len(told),
        compile_ids=ids,
        chains=_chains(told),
        frames=tuple(dict.fromkeys(functions)),
        reasons=reasons,
    )


def merge_reasons(reasons: Sequence[BreakReason]) -> tuple[BreakReason, ...]:
    """Each reason once, counted; the wording of the first stands for all of a kind."""
    merged: dict[tuple[str, str], BreakReason] = {}
    for one in reasons:
        known = merged.get(one.key)
        merged[one.key] = one if known is None else replace(known, count=known.count + one.count)
    return tuple(merged.values())


def _chains(told: Sequence[Told]) -> tuple[CallChain, ...]:
    groups: dict[tuple[tuple[str, int], ...], list[Told]] = defaultdict(list)
    for one in told:
        calls = calls_of(one.text.stack)
        if calls:
            groups[tuple((line.file, line.line) for line in calls)].append(one)
    return tuple(
        CallChain(calls_of(group[0].text.stack), len(group), _distinct_ids(group)) for group in groups.values()
    )


def _distinct_ids(told: Sequence[Told]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.compile_id for one in told))


def _skipped_frames(
    told: Mapping[str, list[Told]], frames: Sequence[CompiledFrame], by_id: Mapping[str, CompiledFrame]
) -> tuple[SkippedFrame, ...]:
    """One row for each function and cause; frames over the recompile limit are no skips of this kind."""
    failed = [frame.compile_id for frame in frames if frame.fail and not frame.is_over_limit]
    rows: dict[tuple[SourceLine | None, SourceLine | None, str], SkippedFrame] = {}
    for compile_id in dict.fromkeys([*failed, *told]):
        frame = by_id.get(compile_id, replace(_NO_FRAME, compile_id=compile_id))
        if frame.is_over_limit:
            continue
        made = _skipped_row(frame, told.get(compile_id, []))
        key = (_place(made.source), _place(made.cause), made.function)
        known = rows.get(key)
        ids = (*known.compile_ids, compile_id) if known else (compile_id,)
        rows[key] = replace(known or made, count=len(ids), compile_ids=ids)
    return tuple(rows.values())


def _place(line: SourceLine | None) -> SourceLine | None:
    return SourceLine(line.file, line.line) if line else None


def _skipped_row(frame: CompiledFrame, told: Sequence[Told]) -> SkippedFrame:
    text = told[-1].text if told else None
    reason = text.reason if text else parse_reason(frame.fail)
    stack = calls_of(text.stack) if text else ()
    cause = (text.source if text else None) or frame.fail_source
    return SkippedFrame(
        function=frame.function or (stack[-1].function if stack else ""),
        source=frame.source or cause,
        cause=cause,
        reason=reason,
        compile_ids=(frame.compile_id,),
        chain=stack if user_line(stack) else (),
    )
