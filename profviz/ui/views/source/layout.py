"""Which text to show for a selection and which of its lines stand out; pure, no Qt, and it never reads a file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from profviz.model.break_cost import BreakAccount, BreakCost
from profviz.model.compile_report import CompileReport, GeneratedCode, kernel_key
from profviz.model.graph import SourceLine
from profviz.model.results import Results
from profviz.model.units import format_ns
from profviz.ui.views.source.kernels import line_of
from profviz.ui.widgets.code_lexing import Mark

if TYPE_CHECKING:
    from profviz.ui.view_state import Selection

PYTHON, GENERATED, GRAPH = 0, 1, 2
TWO_WIDTH, THREE_WIDTH = 760, 1200
"""From these widths of the panel on two texts, and all three, stand beside each other."""
LOW = 280


@dataclass(frozen=True, slots=True)
class PythonText:
    """`numbers` are the lines' numbers (empty: from 1); `note` says when this is not the whole file."""

    path: str
    text: str
    numbers: tuple[int, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class CodeEntry:
    """One generated file: `report` is the position of its report."""

    title: str
    report: int
    code: GeneratedCode


@dataclass(frozen=True, slots=True)
class Found:
    """A kernel's place in generated code: lines count from 1; 0 where the text does not hold it."""

    entry: int
    definition: int
    call: int
    handle: str = ""


def beside(tab: int, width: int) -> tuple[int, ...]:
    """Which texts show when a tab was chosen: with room for two the Python source and the chosen or generated one."""
    if width >= THREE_WIDTH:
        return PYTHON, GENERATED, GRAPH
    if width >= TWO_WIDTH:
        return PYTHON, GENERATED if tab == PYTHON else tab
    return (tab,)


def empty(results: Results) -> str:
    if not results.sources and not any(True for _ in known_lines(results)) and not code_entries(results):
        return "No source: neither a session with its script nor a compile log is open"
    return ""


def known_lines(results: Results) -> Iterator[SourceLine]:
    """Every source line that the reports name."""
    for _, report in results.reports:
        yield from _report_lines(report)


def paths(results: Results) -> tuple[str, ...]:
    """Files that can be shown: those with their text first, then those of which only single lines are known."""
    first = list(results.sources)
    broken = [one.source.file for _, report in results.reports for one in report.breaks]
    quoted = [line.file for line in known_lines(results) if line.text]
    return tuple(dict.fromkeys([*first, *broken, *quoted]))


def titles(found: Sequence[str]) -> list[str]:
    """File names, with their folder where two files share a name."""
    names = [PurePath(path).name for path in found]
    return [
        name if names.count(name) == 1 else str(PurePath(*PurePath(path).parts[-2:]))
        for path, name in zip(found, names, strict=True)
    ]


def python_text(results: Results, path: str, extra: Sequence[SourceLine] = ()) -> PythonText:
    """The file's text where the results carry it, else the lines that the log quotes; the disk is never asked."""
    text = results.sources.get(path)
    if text is not None:
        return PythonText(path, text)
    lines = {line.line: line.text for line in (*known_lines(results), *extra) if line.file == path and line.text}
    numbers = tuple(sorted(lines))
    if not numbers:
        return PythonText(path, "", note="The session does not hold this file, and no record quotes a line of it.")
    note = "The session does not hold this file: these are the lines that the compile log quotes."
    return PythonText(path, "\n".join(lines[number].rstrip("\n") for number in numbers), numbers, note)


def selected_lines(selection: Selection) -> tuple[SourceLine, ...]:
    """The picked line first, then those that belong to the selection."""
    own = (selection.pick.source,) if selection.pick.source else ()
    return tuple(dict.fromkeys((*own, *selection.sources)))


def marks(
    results: Results, path: str, chosen: Sequence[SourceLine], accounts: Mapping[int, BreakAccount] | None = None
) -> tuple[Mark, ...]:
    """Lines that stand out: graph breaks in red with a cross and their cost, where `accounts` (by report) tell it;
    selected ones in the accent with an arrow on top.
    """
    made: dict[int, Mark] = {}
    for position, (_, report) in enumerate(results.reports):
        account = (accounts or {}).get(position)
        for at, one in enumerate(report.breaks):
            if one.source.file == path:
                note = _break_note(account.costs[at] if account else None)
                made[one.source.line] = Mark(one.source.line, tone="bad", sign="✕", note=note)
    for line in chosen:
        if line.file == path:
            broken = made.get(line.line)
            tone, note = ("bad", broken.note) if broken else ("accent", "")
            made[line.line] = Mark(line.line, tone=tone, sign="▸", note=note)
    return tuple(made[number] for number in sorted(made))


def _break_note(cost: BreakCost | None) -> str:
    """Short, as it stands over the end of long code."""
    return f"{format_ns(cost.both_ns)}/step" if cost is not None and cost.both_ns is not None else ""


def code_entries(results: Results) -> tuple[CodeEntry, ...]:
    several = len(results.reports) > 1
    return tuple(
        CodeEntry(f"{results.report_title(label)} · " * several + f"{code.direction} {code.compile_id}", position, code)
        for position, (label, report) in enumerate(results.reports)
        for code in report.code
    )


def find_kernel(entries: Sequence[CodeEntry], kernels: Sequence[str], report: int = -1) -> Found | None:
    """Where the first of the selected kernels (`kernel_key`s) stands; `report` is preferred where several have it."""
    for key in kernels:
        order = sorted(range(len(entries)), key=lambda index: entries[index].report != report)
        for index in order:
            code = entries[index].code
            for handle in code.kernels:
                if kernel_key(code.compile_id, code.direction, handle) == key:
                    return Found(index, *kernel_lines(code.text, handle), handle)
    return None


def kernel_lines(text: str, handle: str) -> tuple[int, int]:
    """Lines of a kernel's definition and of the call with this handle `name:number`, from 1; 0 where absent."""
    name = handle.rsplit(":", 1)[0]
    define = re.search(rf"^[ \t]*{re.escape(name)} = async_compile\.", text, re.MULTILINE)
    marker = re.search(rf"\[Provenance debug handles\][^\n]*(?<![\w.]){re.escape(handle)}(?!\w)", text)
    start = marker.end() if marker else define.end() if define else 0
    call = re.compile(rf"(?<![\w.'\"]){re.escape(name)}(?:\.run)?\(").search(text, start)
    found = call.start() if call else marker.start() if marker else -1
    return (line_of(text, define.start()) if define else 0), (line_of(text, found) if found >= 0 else 0)


def code_marks(found: Found) -> tuple[Mark, ...]:
    lines = {found.definition: "ƒ", found.call: "▸"}
    return tuple(Mark(line, sign=sign) for line, sign in sorted(lines.items()) if line)


def _report_lines(report: CompileReport) -> Iterator[SourceLine]:
    for found in report.breaks:
        yield found.source
        yield from found.stack
    for one in (*report.recompiles, *report.frames):
        if one.source is not None:
            yield one.source
    for graph in report.graphs:
        yield from (node.source for node in graph.nodes if node.source is not None)
    for code in report.code:
        for stack in code.stacks.values():
            yield from stack
