"""Inductor's output for each graph, with its cache key and provenance gathered from the records that follow it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from profviz.formats.compile_log.fragments import nodes_of_calls
from profviz.formats.compile_log.records import Record
from profviz.model.compile_report import GeneratedCode
from profviz.model.graph import SourceLine

_AOT_ID = re.compile(r"# AOT ID: \['\w+_(forward|backward|inference)'\]")
_HANDLE = re.compile(r"\[Provenance debug handles\] (\S+)")
_FRAME = re.compile(r'File "([^"]+)", line (\d+), in (\S+)\n\s*([^\n]*)')
_CACHE = re.compile(r"fx_graph_cache_(hit|miss|bypass)$")
MAPPINGS = "inductor_provenance_tracking_node_mappings"
STACKS = "inductor_provenance_tracking_kernel_stack_traces"
POST_GRAD = ("inductor_post_grad_graph", "after_post_grad_graph")
"""Torch 2.9 has the second name for it."""
OUTPUT = "inductor_output_code"


@dataclass(slots=True)
class Unit:
    """One lowering of one graph: what was logged from its post-grad graph to its cache record."""

    frame: tuple[int, int] | None
    pid: int
    autograd: int | None = None
    post_grad: str = ""
    path: str = ""
    text: str = ""
    key: str = ""
    cache: str = ""
    mappings: dict[str, Any] = field(default_factory=dict)
    stacks: dict[str, Any] = field(default_factory=dict)

    @property
    def direction(self) -> str:
        """A unit without code is taken for the forward."""
        return direction_of(self.text) or "forward"

    @property
    def closed(self) -> bool:
        return bool(self.key or self.cache)

    def nodes(self, mapping: str) -> dict[str, tuple[str, ...]]:
        """One of the provenance mappings, with all that is no list of names left out."""
        entries = self.mappings.get(mapping)
        if not isinstance(entries, dict):
            return {}
        return {
            str(key): tuple(str(name) for name in names) for key, names in entries.items() if isinstance(names, list)
        }


def direction_of(code: str) -> str:
    """forward, backward or inference, from generated code's own first line; empty where that does not say."""
    match = _AOT_ID.search(code[:400])
    return match[1] if match else ""


def collect_units(records: list[Record]) -> list[Unit]:
    """Units in the order of the log. Records of one compile id come in a fixed order, so each goes to the latest."""
    units: list[Unit] = []
    latest: dict[tuple[int, tuple[int, int] | None], Unit] = {}

    def begin(record: Record) -> Unit:
        unit = Unit(record.frame, record.pid, autograd=record.autograd)
        units.append(unit)
        latest[record.pid, record.frame] = unit
        return unit

    for record in records:
        known = latest.get((record.pid, record.frame))
        if record.kind in POST_GRAD:
            begin(record).post_grad = record.payload
        elif record.kind == OUTPUT:
            unit = begin(record) if known is None or known.text or known.closed else known
            unit.text, unit.path = record.payload, _path(record.value)
        elif known is not None:
            _add(known, record)
    return units


def _add(unit: Unit, record: Record) -> None:
    if record.kind == MAPPINGS and not unit.mappings:
        unit.mappings = _object(record.json())
    elif record.kind == STACKS and not unit.stacks:
        unit.stacks = _object(record.json())
    elif (match := _CACHE.match(record.kind)) and not unit.closed:
        unit.cache = match[1]
        unit.key = str(_object(record.json()).get("key") or "")


def generated_code(unit: Unit, compile_id: str) -> GeneratedCode:
    """The unit as a model value; handles stand in call order."""
    stacks = {
        handle: lines for handle, texts in unit.stacks.items() if (lines := _lines(texts)) and isinstance(handle, str)
    }
    kernels = tuple(_HANDLE.findall(unit.text))
    return GeneratedCode(
        compile_id=compile_id,
        direction=unit.direction,
        path=unit.path,
        text=unit.text,
        key=unit.key,
        kernels=kernels,
        nodes=unit.nodes("cppCodeToPost") or nodes_of_calls(unit.text, kernels),
        stacks=stacks,
    )


def _lines(texts: Any) -> tuple[SourceLine, ...]:
    """The innermost frame of each stack text, once each."""
    found: dict[SourceLine, None] = {}
    for text in texts if isinstance(texts, list) else []:
        frames = _FRAME.findall(text) if isinstance(text, str) else []
        if frames:
            file, line, function, code = frames[-1]
            found[SourceLine(file, int(line), function, code.strip())] = None
    return tuple(found)


def _object(data: Any) -> dict[str, Any]:
    return data if isinstance(data, dict) else {}


def _path(value: Any) -> str:
    return str(_object(value).get("file_path") or _object(value).get("filename") or "")
