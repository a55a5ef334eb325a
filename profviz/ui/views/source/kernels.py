"""What is known of one generated kernel: how it launches, what it was tuned to and what it needs; pure, no Qt."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

import numpy as np

from profviz.model.compile_report import CompileReport, GeneratedCode, TritonKernel, kernel_key
from profviz.model.errors import UserError
from profviz.model.launch_settings import launch_settings
from profviz.model.results import Results, Side
from profviz.model.trace import MISSING
from profviz.model.units import format_bytes, format_count, format_ns

_DEFINITION = re.compile(r"^[ \t]*(\w+) = async_compile\.\w+\(", re.MULTILINE)
_MARKER = re.compile(r"\[Provenance debug handles\] (\S+)")
_HEURISTICS = re.compile(r"@triton_heuristics\.(\w+)\(")
_COUNTS = (("num_load", "loads"), ("num_store", "stores"), ("num_reduction", "reductions"))
CALL_LINES = 8
"""A call may stand so many lines below the comment that names it."""


def kernel_at(code: GeneratedCode, line: int) -> str:
    """The `kernel_key` of the call or definition that a line (from 1) belongs to, or empty."""
    handle = _called_at(code.text, line) or _defined_at(code, line)
    return kernel_key(code.compile_id, code.direction, handle) if handle in code.kernels else ""


def _called_at(text: str, line: int) -> str:
    found = [(line_of(text, match.start()), match[1]) for match in _MARKER.finditer(text)]
    at = bisect_right([one for one, _ in found], line) - 1
    return found[at][1] if at >= 0 and line - found[at][0] <= CALL_LINES else ""


def _defined_at(code: GeneratedCode, line: int) -> str:
    """A kernel's own code ends where its string does; its first call stands for it."""
    text = code.text
    found = [(line_of(text, match.start()), match) for match in _DEFINITION.finditer(text)]
    at = bisect_right([one for one, _ in found], line) - 1
    if at < 0:
        return ""
    match = found[at][1]
    end = text.find("''',", match.end())
    if end >= 0 and line > line_of(text, end):
        return ""
    return next((handle for handle in code.kernels if handle.rpartition(":")[0] == match[1]), "")


def facts(results: Results, report: int, code: GeneratedCode, handle: str, slices: Sequence[tuple[int, int]]) -> str:
    """One line, as far as log, code and trace tell; `slices` are the selected ones, as (side, slice)."""
    own = results.reports[report][1]
    name = handle.rpartition(":")[0]
    found = _launched(results, own, slices)
    settings = _settings(*found) if found else ""
    parts = [*_written(code.text, name), *_tuned(own, code.compile_id, name, settings)]
    return " · ".join([*parts, *(_launch(*found) if found else [])])


def _written(text: str, name: str) -> list[str]:
    """What the code's decorator says."""
    match = re.search(rf"^[ \t]*{re.escape(name)} = async_compile\.(\w+)\(", text, re.MULTILINE)
    if match is None:
        return ["not generated: a call into a library"]
    body = text[match.start() : text.find("''',", match.end())]
    heuristics = _HEURISTICS.search(body)
    made = [f"{'Triton' if match[1] == 'triton' else 'C++'}{f' {heuristics[1]}' if heuristics else ''}"]
    counts = [(found[1], word) for key, word in _COUNTS if (found := re.search(rf"'{key}': (\d+)", body))]
    told = ", ".join(f"{count} {word if count != '1' else word.removesuffix('s')}" for count, word in counts)
    return [*made, *([told] if told else [])]


def _tuned(report: CompileReport, compile_id: str, name: str, settings: str) -> list[str]:
    """A kernel that another compilation made first is logged there alone. `settings` are a launch's, or empty."""
    same = [one for one in report.triton if one.name == name]
    one = next((one for one in same if one.compile_id == compile_id), same[0] if same else None)
    if one is None:
        return [f"launched with {settings}"] if settings else []
    made = [_choice(one, settings)]
    if one.compile_ns is not None:
        made.append(f"compiled in {format_ns(one.compile_ns)}")
    return [text for text in made if text]


def _choice(one: TritonKernel, settings: str) -> str:
    config = ", ".join(f"{key} {value}" for key, value in one.config)
    if one.configs == 1:
        return f"{config} (the only configuration)".strip()
    of = f"autotuned over {format_count(one.configs)} configurations" if one.configs else ""
    from_cache = "autotuning from the cache" if one.tuning == "hit" else ""
    chosen = config or (
        f"which chose {settings}" if settings else "" if from_cache else "its choice not logged" * bool(of)
    )
    return ", ".join(text for text in (of, from_cache, chosen) if text)


def _launched(results: Results, report: CompileReport, slices: Sequence[tuple[int, int]]) -> tuple[Side, int] | None:
    """The first of the slices that is GPU work of a side with this report."""
    for at, index in slices:
        side = results.sides[at] if 0 <= at < len(results.sides) else None
        if side is not None and side.report is report:
            row = _gpu_row(side, index)
            if row >= 0:
                return side, row
    return None


def _settings(side: Side, row: int) -> str:
    """What the kernel was launched with, as torch notes it at the call: of an autotuned one what tuning chose."""
    call = int(side.links.op[int(side.trace.gpu.slice[row])])
    try:
        return launch_settings(side.trace.args(int(side.trace.slices.event[call]))) if call != MISSING else ""
    except UserError:  # the file is gone by now
        return ""


def _gpu_row(side: Side, index: int) -> int:
    gpu = side.trace.gpu
    row = int(np.searchsorted(gpu.slice, index))
    return row if row < len(gpu) and int(gpu.slice[row]) == index else -1


def _launch(side: Side, row: int) -> list[str]:
    gpu = side.trace.gpu
    made = []
    if (gpu.grid[row] != MISSING).all() and (gpu.block[row] != MISSING).all():
        made += [f"{word} {'×'.join(str(int(n)) for n in dims)}" for word, dims in _dims(side, row)]
    registers, shared = int(gpu.registers[row]), int(gpu.shared_bytes[row])
    made += [f"{format_count(registers)} registers a thread"] * (registers != MISSING)
    made += [f"{format_bytes(shared)} shared memory"] * (shared != MISSING)
    return [*made, "spills unknown"]


def _dims(side: Side, row: int) -> tuple[tuple[str, Sequence[int]], ...]:
    gpu = side.trace.gpu
    return ("grid", gpu.grid[row].tolist()), ("block", gpu.block[row].tolist())


def line_of(text: str, position: int) -> int:
    """The number of the line a position is in, from 1 on."""
    return text.count("\n", 0, position) + 1
