"""Graph breaks and recompiles: torch's texts to one row for each place in the user's code."""

from __future__ import annotations

import re
from dataclasses import replace

from profviz.formats.compile_log.records import Record
from profviz.model.compile_report import GraphBreak
from profviz.model.graph import SourceLine

_AT = re.compile(r"^Graph break in user code at (.+):(\d+)\s*$", re.MULTILINE)
_REASON = re.compile(r"^(?:Graph Break )?Reason: (.*)$", re.MULTILINE)
_ID = re.compile(r"gb/(gb\d+)\.html", re.IGNORECASE)
_EXPLANATION = re.compile(r"^\s*Explanation: (.*)$", re.MULTILINE)
_HINT = re.compile(r"^\s+Hint: (.*)$", re.MULTILINE)
_TRACEBACK = re.compile(r"^User code traceback:\n(.*?)(?:\n\s*\n|\Z)", re.DOTALL | re.MULTILINE)
_FRAME = re.compile(r'File "([^"]+)", line (\d+), in (\S+)\n(?:[ \t]+(?![ \t]*File ")(.*))?')
_LIBRARY = re.compile(r"site-packages|dist-packages|/lib/python3|[\\/]Lib[\\/]|[\\/]torch[\\/]|^<")


def parse_break(record: Record, compile_id: str) -> GraphBreak | None:
    """The break that a `dynamo_graph_break_reason` record tells of; None when it names no place."""
    text = record.payload
    stack = _stack(text)
    at = _AT.search(text)
    told = SourceLine(at[1], int(at[2])) if at else None
    source = user_line(stack) or _at_line(told, stack) or told
    if source is None:
        return None
    about = text.split("User code traceback", 1)[0]
    code = _ID.search(about)
    return GraphBreak(
        source=source,
        reason=_title(about),
        explanation=_first(_EXPLANATION, about),
        hints=tuple(hint.strip() for hint in _HINT.findall(about)),
        gb_id=code[1].upper() if code else "",
        compile_ids=(compile_id,),
        stack=stack,
    )


def user_line(stack: tuple[SourceLine, ...]) -> SourceLine | None:
    """The innermost frame that is neither torch's, nor of an installed library, nor of Python's own."""
    return next((line for line in reversed(stack) if not _LIBRARY.search(line.file)), None)


def merge_breaks(breaks: list[GraphBreak]) -> tuple[GraphBreak, ...]:
    """One row for each place and reason, counted, in the order they were met."""
    merged: dict[tuple[str, int, str], GraphBreak] = {}
    for one in breaks:
        key = (one.source.file, one.source.line, one.gb_id or one.reason)
        known = merged.get(key)
        if known is None:
            merged[key] = one
        else:
            ids = tuple(dict.fromkeys(known.compile_ids + one.compile_ids))
            merged[key] = replace(known, count=known.count + 1, compile_ids=ids)
    return tuple(merged.values())


def recompile_reasons(record: Record) -> tuple[str, ...]:
    """One failed guard for each cache entry: torch writes a bare string when there is one, a JSON list else."""
    data = record.json()
    if isinstance(data, list):
        return tuple(str(item) for item in data)
    return (data if isinstance(data, str) else record.payload.strip(),)


def _stack(text: str) -> tuple[SourceLine, ...]:
    block = _TRACEBACK.search(text)
    frames = _FRAME.findall(block[1] + "\n") if block else []
    return tuple(SourceLine(file, int(line), function, code.strip()) for file, line, function, code in frames)


def _at_line(told: SourceLine | None, stack: tuple[SourceLine, ...]) -> SourceLine | None:
    if told is None:
        return None
    return next((line for line in stack if (line.file, line.line) == (told.file, told.line)), None)


def _title(about: str) -> str:
    """The registry's name of the break (the line above its explanation), else torch's general reason."""
    lines = about.split("\n")
    at = next((i for i, line in enumerate(lines) if line.lstrip().startswith("Explanation:")), 0)
    title = next((line.strip() for line in reversed(lines[:at]) if line.strip()), "")
    title = re.sub(r"^(?:Graph Break )?Reason:\s*", "", title)
    return title or _first(_REASON, about) or next((line.strip() for line in lines if line.strip()), "no reason given")


def _first(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    return match[1].strip() if match else ""
