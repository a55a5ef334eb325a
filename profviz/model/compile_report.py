"""What the compiler did, as read from a structured compile log: one value, whatever torch version wrote it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from profviz.model.graph import Graph, SourceLine


@dataclass(frozen=True, slots=True)
class GraphBreak:
    """One reason for which a graph broke at one location of the user's; a line may break for several.

    `count` is how often the log reports it (each call chain and recompile once). `stack` runs from the outermost
    frame to the broken line. `reason` is torch's own sentence, `gb_id` its registry id (GB0124) where given.
    """

    source: SourceLine
    reason: str
    explanation: str = ""
    hints: tuple[str, ...] = ()
    gb_id: str = ""
    count: int = 1
    compile_ids: tuple[str, ...] = ()
    stack: tuple[SourceLine, ...] = ()


@dataclass(frozen=True, slots=True)
class Recompile:
    """A frame compiled again: one failed guard for every cache entry, as logged."""

    compile_id: str
    function: str
    source: SourceLine | None
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CompiledFrame:
    """One compile id `frame/attempt`; `fail` says why it was skipped and ran eager, else empty.

    `duration_ns` covers Dynamo and what it called (AOTAutograd, Inductor forward); `backward_ns` the lazily
    compiled backward; None where the log does not say.
    """

    compile_id: str
    function: str
    source: SourceLine | None
    attempts: int
    duration_ns: int | None
    backward_ns: int | None = None
    guards: int | None = None
    cache: str = ""
    fail: str = ""


@dataclass(frozen=True, slots=True)
class CompileEvent:
    """A stage span of the compiler: wall clock `start_ns` since the epoch; `dur_ns`; nesting `depth`."""

    name: str
    start_ns: int
    dur_ns: int
    depth: int
    compile_id: str


@dataclass(frozen=True, slots=True)
class GeneratedCode:
    """Inductor's output for one graph: `direction` is forward, backward or inference.

    `key` is the FX graph cache key, equal to the name in the profiler's `## Call CompiledFxGraph key ##` range.
    `kernels` are debug handles `name:number` in call order; `nodes` maps a handle to post-grad node names, `stacks`
    to its source lines.
    """

    compile_id: str
    direction: str
    path: str
    text: str
    key: str = ""
    kernels: tuple[str, ...] = ()
    nodes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    stacks: Mapping[str, tuple[SourceLine, ...]] = field(default_factory=dict)


def kernel_key(compile_id: str, direction: str, handle: str) -> str:
    """Identity of a generated kernel call across graphs: handles alone repeat from graph to graph."""
    return f"{compile_id} {direction} {handle}"


@dataclass(frozen=True, slots=True)
class CompileReport:
    """Everything one process's log says. `graph_count` is the number of graphs Dynamo handed to the backend."""

    torch_version: str
    rank: int | None
    frames: tuple[CompiledFrame, ...]
    graphs: tuple[Graph, ...]
    breaks: tuple[GraphBreak, ...]
    recompiles: tuple[Recompile, ...]
    events: tuple[CompileEvent, ...]
    code: tuple[GeneratedCode, ...]
    graph_count: int
    compile_ns: int | None
