"""What was compiled again and why: each failed guard with the value it wanted and the one it saw."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from profviz.formats.compile_log.break_text import is_library, resumed_function, user_line
from profviz.formats.compile_log.first_uses import FirstUses
from profviz.formats.compile_log.guards import Paths, due_to
from profviz.formats.compile_log.naming import code_of, compile_id_of
from profviz.formats.compile_log.records import Record
from profviz.model.compile_report import CompiledFrame, FailedGuard, GuardSet, Recompile, Symbol
from profviz.model.graph import SourceLine

_ENTRY = re.compile(r"^(\[?\d+/\d+\]?): (.*)$", re.DOTALL)
_TENSOR = re.compile(r"^tensor '(.+?)' (.+?)\. expected (.+?), actual (.+)$")
_TENSOR_WANTS = re.compile(r"^tensor '(.+?)' (\w+) mismatch\. expected \w+=(\S+)$")
_STACK = re.compile(r"\n\s*User stack trace:\n(.*)\Z", re.DOTALL)
_FRAME = re.compile(r'File "([^"]+)", line (\d+), in (\S+)\n?(?:[ \t]+(?![ \t]*File ")(.*))?')
_EQUALS = re.compile(r"^(.+?) == (.+)$", re.DOTALL)
_BOUND = re.compile(r"^(?:(\d+) <= )?([^<>=]+?) (<=|>=|<|>|!=) (\S+)$")
_LOCAL = re.compile(r"\b[LG]\[(['\"])([A-Za-z_]\w*)\1\]")
_CHECK_TENSOR = re.compile(r"^check_tensor\((.+?), \w+, DispatchKeySet\(.*?\), (torch\.\w+)(.*)\)$")
_LIST = re.compile(r"(size|stride)=\[([^\]]*)\]")


def recompiles(
    records: list[Record],
    frames: Sequence[CompiledFrame],
    guards: Sequence[GuardSet],
    symbols: Sequence[Symbol],
    paths: Paths,
    first: FirstUses,
) -> tuple[Recompile, ...]:
    """One row for each compilation that another one of the same code came before, in the order of the log."""
    by_id = {frame.compile_id: frame for frame in frames}
    values = _values(guards, symbols)
    lines = {(one.compile_id, plain_name(guard.text)): guard.source for one in guards for guard in one.guards}
    uses = _uses(symbols)
    found = []
    for record in records:
        if record.kind != "recompile_reasons":
            continue
        compile_id = compile_id_of(record)
        reasons = reasons_of(record)
        seen = values.get(compile_id, {})
        failed = (_with_user_line(_failed(text, seen, lines, paths), uses.get(compile_id, {})) for text in reasons)
        found.append(_row(compile_id, reasons, tuple(_with_first_use(one, first) for one in failed), by_id))
    return tuple(found)


def reasons_of(record: Record) -> tuple[str, ...]:
    """One text for each cache entry: torch writes a bare string when there is one, a JSON list else."""
    data = record.json()
    if isinstance(data, list):
        return tuple(str(item) for item in data)
    return (data if isinstance(data, str) else record.payload.strip(),)


def _row(
    compile_id: str, reasons: tuple[str, ...], failed: tuple[FailedGuard, ...], frames: Mapping[str, CompiledFrame]
) -> Recompile:
    frame = frames.get(compile_id)
    code = code_of(compile_id)
    known = frame or next((one for one in frames.values() if code_of(one.compile_id) == code), None)
    spent = [] if frame is None else [ns for ns in (frame.duration_ns, frame.backward_ns) if ns is not None]
    return Recompile(
        compile_id=compile_id,
        function=known.function if known else "",
        source=known.source if known else None,
        reasons=reasons,
        failed=failed,
        dur_ns=sum(spent) if spent else None,
        over_limit=frame.is_over_limit if frame else False,
    )


def _failed(
    text: str,
    seen: Mapping[str, str],
    lines: Mapping[tuple[str, str], SourceLine | None],
    paths: Paths,
) -> FailedGuard:
    """`seen` are the values that the new compilation met, `lines` the user lines of the older ones' guards."""
    match = _ENTRY.match(text)
    entry, rest = (match[1].strip("[]"), match[2]) if match else ("", text)
    stack = _STACK.search(rest)
    check, source, remark = due_to(_STACK.sub("", rest).strip(), paths)
    if stack:
        source = _innermost(stack[1]) or source
    name, expected, actual = values_of(check, seen)
    return FailedGuard(
        text=check,
        entry=entry,
        name=name,
        expected=expected,
        seen=actual,
        source=source or _line_of_tensor(entry, name, lines),
        remark=remark,
    )


def values_of(check: str, seen: Mapping[str, str]) -> tuple[str, str, str]:
    """(what was guarded, the value it wanted, the value it saw); empty where neither the text nor `seen` says."""
    if match := _TENSOR.match(check):
        what = match[2].removesuffix("mismatch").replace(" mismatch", "")
        return f"{plain_name(match[1])} {what}".strip(), match[3], match[4]
    if match := _TENSOR_WANTS.match(check):
        other = {"0": "1", "1": "0"}.get(match[3], "")
        return f"{plain_name(match[1])} {match[2]}", match[3], other
    if match := _BOUND.match(check):
        name = plain_name(match[2])
        wanted = f"{match[1]} to {match[4]}" if match[1] else f"{match[3]} {match[4]}"
        return name, wanted, seen.get(name, "")
    if match := _EQUALS.match(check):
        name = plain_name(match[1])
        return name, match[2].strip(), seen.get(name, "")
    return check, "", seen.get(plain_name(check), "")


def plain_name(text: str) -> str:
    """`x.size()[0]` of `L['x'].size()[0]`: reasons and guards write the same thing in both ways."""
    return _LOCAL.sub(r"\2", text).strip()


def _values(guards: Sequence[GuardSet], symbols: Sequence[Symbol]) -> dict[str, dict[str, str]]:
    """What each compilation was compiled for: a failed guard's own text often does not say what it met instead."""
    found: dict[str, dict[str, str]] = {}
    for one in guards:
        known = found.setdefault(one.compile_id, {})
        for guard in one.guards:
            known.update(_values_in(guard.text))
    for symbol in symbols:
        found.setdefault(symbol.compile_id, {})[plain_name(symbol.of)] = symbol.value
    return found


def _values_in(text: str) -> dict[str, str]:
    if match := _CHECK_TENSOR.match(text):
        name = plain_name(match[1])
        lists = {key: [part.strip() for part in inside.split(",")] for key, inside in _LIST.findall(match[3])}
        return {
            f"{name}.{key}()[{at}]": part
            for key, parts in lists.items()
            for at, part in enumerate(parts)
            if part and part != "None"
        }
    if match := _EQUALS.match(text):
        return {plain_name(match[1]): match[2].strip()}
    return {}


def _uses(symbols: Sequence[Symbol]) -> dict[str, dict[str, SourceLine]]:
    """By compile id and tensor the user's line at which one of its sizes was made symbolic."""
    found: dict[str, dict[str, SourceLine]] = {}
    for symbol in symbols:
        line = user_line(symbol.stack)
        if line is not None:
            found.setdefault(symbol.compile_id, {}).setdefault(plain_name(symbol.of).partition(".size()")[0], line)
    return found


def _with_user_line(failed: FailedGuard, uses: Mapping[str, SourceLine]) -> FailedGuard:
    """Where torch names a line of its own, the user's that led there, if the new compilation tells it."""
    if failed.source is not None and not is_library(failed.source) and failed.source.file.startswith(("/", "\\")):
        return failed
    tensor = plain_name(failed.name).split(" ", 1)[0].partition(".size()")[0]
    return replace(failed, source=uses.get(tensor, failed.source))


def _with_first_use(failed: FailedGuard, first: FirstUses) -> FailedGuard:
    """Where torch names no line at all, the one in the older graph that first uses what was guarded."""
    source = failed.source or first.of(failed.entry, failed.name.split(" ", 1)[0])
    return replace(failed, source=first.with_text(source))


def _innermost(stack: str) -> SourceLine | None:
    lines = [
        SourceLine(file, int(line), resumed_function(function), code.strip())
        for file, line, function, code in _FRAME.findall(stack)
    ]
    return next((line for line in reversed(lines) if not is_library(line)), lines[-1] if lines else None)


def _line_of_tensor(entry: str, name: str, lines: Mapping[tuple[str, str], SourceLine | None]) -> SourceLine | None:
    """Where a tensor whose properties failed was first used: its guard in the older compilation says so."""
    tensor = name.split(" ", 1)[0]
    start = f"check_tensor({plain_name(tensor)}, "
    return next((line for (one, text), line in lines.items() if one == entry and text.startswith(start)), None)


def with_limits(frames: Sequence[CompiledFrame], found: Sequence[Recompile]) -> tuple[Recompile, ...]:
    """Adds the frames that were refused without a word about their guards."""
    told = {one.compile_id for one in found}
    silent = [frame for frame in frames if frame.is_over_limit and frame.compile_id not in told]
    extra = (Recompile(one.compile_id, one.function, one.source, (), over_limit=True) for one in silent)
    return (*(replace(one) for one in found), *extra)
