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
from profviz.model.triton_binary import TritonBinary, find_binary, hash_of_path
from profviz.model.units import format_bytes, format_count, format_ns

_DEFINITION = re.compile(r"^[ \t]*(\w+) = async_compile\.\w+\(", re.MULTILINE)
_MARKER = re.compile(r"\[Provenance debug handles\] (\S+)")
_HEURISTICS = re.compile(r"@triton_heuristics\.(\w+)\(")
_PATH = re.compile(r"[ \t]*# kernel path: (.+)")
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
    binary = _binary(results, own, code, name, settings)
    settings = settings or (binary.settings if binary is not None else "")
    parts = [*_written(code.text, name), *_tuned(own, code.compile_id, name, settings)]
    return " · ".join([*parts, *(_launch(*found) if found else []), *_needs(binary, is_launched=found is not None)])


def warning(results: Results, report: int, code: GeneratedCode, handle: str, slices: Sequence[tuple[int, int]]) -> str:
    """What the kernel's spills mean; empty where it has none or they are unknown."""
    own = results.reports[report][1]
    found = _launched(results, own, slices)
    binary = _binary(results, own, code, handle.rpartition(":")[0], _settings(*found) if found else "")
    return f"Spills {binary.spilling}" if binary is not None and binary.spills else ""


def _binary(
    results: Results, report: CompileReport, code: GeneratedCode, name: str, settings: str
) -> TritonBinary | None:
    """What the run that wrote this log had loaded under the file name that the code gives."""
    result = next((side.result for side in results.sides if side.report is report), None)
    if result is None or not result.triton_kernels:
        return None
    return find_binary(result.triton_kernels, name=name, hash_=_hash_in(code.text, name), settings=settings)


def _hash_in(text: str, name: str) -> str:
    """Of the path in the comment right above a kernel's definition."""
    match = re.search(rf"^[ \t]*{re.escape(name)} = async_compile\.", text, re.MULTILINE)
    above = text[: match.start()].splitlines() if match is not None else []
    while above and above[-1].lstrip().startswith("#"):
        found = _PATH.match(above.pop())
        if found is not None:
            return hash_of_path(found[1].strip())
    return ""


def _needs(binary: TritonBinary | None, *, is_launched: bool) -> list[str]:
    """What the trace does not say; nothing of a kernel that neither ran nor is known."""
    if binary is None:
        return ["spills unknown"] * is_launched
    made = [] if is_launched else _room(binary.registers, binary.shared_bytes)
    return [*made, f"spills {'unknown' if binary.spills is None else format_count(binary.spills)}"]


def _room(registers: int | None, shared: int | None) -> list[str]:
    made = [f"{format_count(registers)} registers a thread"] if registers is not None else []
    return [*made, *([f"{format_bytes(shared)} shared memory"] if shared is not None else [])]


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
    registers, shared = (int(of[row]) for of in (gpu.registers, gpu.shared_bytes))
    return [*made, *_room(None if registers == MISSING else registers, None if shared == MISSING else shared)]


def _dims(side: Side, row: int) -> tuple[tuple[str, Sequence[int]], ...]:
    gpu = side.trace.gpu
    return ("grid", gpu.grid[row].tolist()), ("block", gpu.block[row].tolist())


def line_of(text: str, position: int) -> int:
    """The number of the line a position is in, from 1 on."""
    return text.count("\n", 0, position) + 1
