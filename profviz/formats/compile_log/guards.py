"""Guards of each compilation, as Dynamo prints its guard tree: one line a check, with the user's line it is due to."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from profviz.formats.compile_log.naming import compile_id_of
from profviz.formats.compile_log.records import Record
from profviz.model.compile_report import Guard, GuardSet, Symbol
from profviz.model.graph import SourceLine

_LEAF = re.compile(r"^[| ]*\+- ([A-Z][A-Z0-9_]*): (.*)$", re.MULTILINE)
_LATENCY = re.compile(r"^Guard latency = ([\d.]+) us", re.MULTILINE)
_REMARK = re.compile(r"^(.*?)\s+\((HINT: .*)\)$", re.DOTALL)
_DUE_TO = re.compile(r"^(.*?)\s+# (?:(.*?)  # )?(\S[^#\n]*?):(\d+) in (\S+)(?: \((.*)\))?\s*$", re.DOTALL)


class Paths:
    """Full paths of the file names that torch shortens to their last characters (`main/models/net.py`)."""

    def __init__(self, records: Iterable[Record]) -> None:
        tables = {id(record.strings): record.strings for record in records}
        self._known = sorted({name for table in tables.values() for name in table.values()})
        self._found: dict[str, str] = {}

    def full(self, short: str) -> str:
        """The one known path that ends so, else the text as it is."""
        if short not in self._found:
            ends = [name for name in self._known if name.endswith(short)]
            self._found[short] = ends[0] if len(ends) == 1 else short
        return self._found[short]


def due_to(text: str, paths: Paths) -> tuple[str, SourceLine | None, str]:
    """A guard's own text, the line it is due to (None where none is named) and torch's remark on it."""
    match = _DUE_TO.match(text)
    if match is None:
        remarked = _REMARK.match(text.strip())
        return (remarked[1].strip(), None, remarked[2]) if remarked else (text.strip(), None, "")
    check, code, file, line, function, remark = match.groups()
    return (
        check.strip(),
        SourceLine(paths.full(file), int(line), function, (code or "").strip()),
        (remark or "").strip(),
    )


def guard_sets(records: list[Record], paths: Paths) -> tuple[GuardSet, ...]:
    """One set for each compilation that was guarded, the last attempt's."""
    found: dict[str, GuardSet] = {}
    stacks = _stacks(records)
    for record in records:
        if record.kind == "dynamo_cpp_guards_str" and record.frame is not None:
            compile_id = compile_id_of(record)
            found[compile_id] = _guard_set(record, compile_id, paths, stacks)
    return tuple(found.values())


def _guard_set(
    record: Record, compile_id: str, paths: Paths, stacks: dict[tuple[str, str], tuple[SourceLine, ...]]
) -> GuardSet:
    latency = _LATENCY.search(record.payload)
    guards = []
    for kind, text in _LEAF.findall(record.payload):
        check, source, remark = due_to(text, paths)
        guards.append(Guard(kind, check, source, remark, stacks.get((compile_id, check), ())))
    latency_ns = int(Decimal(latency[1]) * 1000) if latency else None
    return GuardSet(compile_id, tuple(guards), latency_ns)


def _stacks(records: list[Record]) -> dict[tuple[str, str], tuple[SourceLine, ...]]:
    """The user's stack of each guard by compile id and code, where the log has them (`dynamo_guards`)."""
    found: dict[tuple[str, str], tuple[SourceLine, ...]] = {}
    for record in records:
        if record.kind != "dynamo_guards":
            continue
        listed = record.json()
        for one in listed if isinstance(listed, list) else []:
            if isinstance(one, dict) and isinstance(one.get("code"), str):
                stack = record.stack(one.get("user_stack"))
                found[compile_id_of(record), one["code"].strip()] = stack
    return found


def symbols(records: list[Record]) -> tuple[Symbol, ...]:
    """The sizes that were made symbolic, once each for the last attempt of a compilation."""
    found: dict[tuple[str, str], Symbol] = {}
    for record in records:
        if record.kind == "create_symbol" and isinstance(record.value, dict):
            made = _symbol(record, record.value, compile_id_of(record))
            found[made.compile_id, made.name] = made
    return tuple(found.values())


def _symbol(record: Record, value: dict[str, Any], compile_id: str) -> Symbol:
    return Symbol(
        compile_id=compile_id,
        name=str(value.get("symbol") or ""),
        value=str(value.get("val") or ""),
        range=str(value.get("vr") or ""),
        of=str(value.get("source") or ""),
        stack=record.stack(value.get("user_stack")),
    )
