"""What the compiler did, as read from a structured compile log: one value, whatever torch version wrote it."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from profviz.model.artifacts import Artifacts
from profviz.model.graph import Graph, SourceLine


class Origin(enum.Enum):
    """Who knows of a break: the compile log, Dynamo's counters, or both."""

    LOG = "log"
    COUNTERS = "counters"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class BreakReason:
    """Why Dynamo could not go on: `text` is torch's own title, `plain` the same in plain words where we have them.

    `gb_id` is torch's registry id (GB0124) where given. `count` is how often the log tells of it, `counted` how often
    Dynamo's counters do; None where there are no counters, 0 where they do not know it. `near` is a line that
    torch's explanation quotes: where a condition was computed, which need not be where it branches.
    """

    text: str
    plain: str = ""
    explanation: str = ""
    hints: tuple[str, ...] = ()
    gb_id: str = ""
    count: int = 1
    counted: int | None = None
    near: SourceLine | None = None

    @property
    def key(self) -> tuple[str, str]:
        """What is the same reason, wherever it is met."""
        return self.gb_id, self.text

    @property
    def origin(self) -> Origin:
        if not self.counted:
            return Origin.LOG
        return Origin.BOTH if self.count else Origin.COUNTERS


@dataclass(frozen=True, slots=True)
class CallChain:
    """One way in which the user's code came to a break: `calls` from the outermost call to the broken line.

    Library frames between the user's are left out; `count` is how often the log reports the break for this chain.
    """

    calls: tuple[SourceLine, ...]
    count: int = 1
    compile_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GraphBreak:
    """All breaks at one line of the user's: one row, whatever called it and however often it was compiled.

    `reason` to `gb_id` are those of the first of `reasons` (a line may break for several). `count` is how often the
    log reports a break here (each call chain and recompile once), `chains` how the code came here, `frames` the
    functions it split, `compile_ids` the compilations that ended here.
    """

    source: SourceLine
    reason: str
    plain: str = ""
    explanation: str = ""
    hints: tuple[str, ...] = ()
    gb_id: str = ""
    count: int = 1
    compile_ids: tuple[str, ...] = ()
    chains: tuple[CallChain, ...] = ()
    frames: tuple[str, ...] = ()
    reasons: tuple[BreakReason, ...] = ()

    @property
    def origin(self) -> Origin:
        found = {one.origin for one in self.reasons}
        return found.pop() if len(found) == 1 else Origin.BOTH if found else Origin.LOG

    @property
    def stack(self) -> tuple[SourceLine, ...]:
        """The first call chain."""
        return self.chains[0].calls if self.chains else ()


@dataclass(frozen=True, slots=True)
class SkippedFrame:
    """A function that Dynamo gave up on as a whole, so that it runs eager: no break, which still compiles the rest.

    `source` is where the function begins, `cause` the line that could not be traced, None where the log does not say.
    """

    function: str
    source: SourceLine | None
    cause: SourceLine | None
    reason: BreakReason
    count: int = 1
    compile_ids: tuple[str, ...] = ()
    chain: tuple[SourceLine, ...] = ()


@dataclass(frozen=True, slots=True)
class FailedGuard:
    """The guard of one cache entry that did not hold: `entry` is the compile id it was to be taken from.

    `name` says what was guarded, `expected` and `seen` its two values as text; empty where the log does not say.
    `source` is the user's line that made it a condition, `remark` torch's own word on it.
    """

    text: str
    entry: str = ""
    name: str = ""
    expected: str = ""
    seen: str = ""
    source: SourceLine | None = None
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Recompile:
    """A frame compiled again, or refused (`over_limit`): one failed guard for every cache entry.

    `reasons` are torch's texts, `failed` the same taken apart. `dur_ns` is what compiling it again took, forward and
    backward; None where the log does not say.
    """

    compile_id: str
    function: str
    source: SourceLine | None
    reasons: tuple[str, ...]
    failed: tuple[FailedGuard, ...] = ()
    dur_ns: int | None = None
    over_limit: bool = False


@dataclass(frozen=True, slots=True)
class Guard:
    """One condition under which compiled code may be used: `kind` is torch's (TENSOR_MATCH), `text` the check.

    `source` is the line it is due to, `stack` the user's whole stack where the log has it.
    """

    kind: str
    text: str
    source: SourceLine | None = None
    remark: str = ""
    stack: tuple[SourceLine, ...] = ()


@dataclass(frozen=True, slots=True)
class GuardSet:
    """All guards of one compilation; `latency_ns` is what torch measured for one check of all, else None."""

    compile_id: str
    guards: tuple[Guard, ...]
    latency_ns: int | None = None

    def by_kind(self) -> dict[str, int]:
        """How many there are of each kind, most first."""
        return dict(Counter(guard.kind for guard in self.guards).most_common())


@dataclass(frozen=True, slots=True)
class Symbol:
    """A size that was compiled as a symbol: `of` is what it stands for (`L['x'].size()[0]`), `value` what it was."""

    compile_id: str
    name: str
    value: str
    range: str
    of: str
    stack: tuple[SourceLine, ...] = ()


@dataclass(frozen=True, slots=True)
class CacheUse:
    """A look into one of the compiler's caches: `cache` is fx_graph or aotautograd, `state` hit, miss or bypass.

    `reason` says why it was bypassed; `saved_ns` is what torch says a hit saved.
    """

    compile_id: str
    cache: str
    state: str
    key: str = ""
    reason: str = ""
    saved_ns: int | None = None


@dataclass(frozen=True, slots=True)
class CudaGraph:
    """What became of CUDA graphs: `what` is skip, record or re-record, `reason` torch's, empty where it gives none."""

    compile_id: str
    what: str
    reason: str = ""
    direction: str = ""
    start_ns: int | None = None
    dur_ns: int | None = None


@dataclass(frozen=True, slots=True)
class CompiledFrame:
    """One compile id `frame/attempt`; `fail` says why it was skipped and ran eager, else empty.

    `duration_ns` covers Dynamo and what it called (AOTAutograd, Inductor forward); `backward_ns` the lazily
    compiled backward; None where the log does not say. `fail_source` is the user's line it failed at. `is_guarded`
    says whether code came of it: a frame without was left eager. `attempts` counts how often Dynamo began, `restarts`
    says why it began again. `stack` are the calls that came to it, outermost first, without the function itself; empty
    where the log does not say.
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
    fail_source: SourceLine | None = None
    is_guarded: bool | None = None
    restarts: tuple[str, ...] = ()
    stack: tuple[SourceLine, ...] = ()

    @property
    def is_over_limit(self) -> bool:
        """Whether it was recompiled so often that Dynamo gave up on it."""
        return "recompile limit" in self.fail.lower() or "cache_size_limit" in self.fail


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


@dataclass(frozen=True, slots=True)
class TritonKernel:
    """What was logged of compiling a Triton kernel: `tuning` is torch's word on autotuning (miss, only 1 config).

    `config` are the chosen settings (XBLOCK, num_warps), empty where the log does not say; of `configs` it was chosen.
    """

    compile_id: str
    name: str
    tuning: str = ""
    config: tuple[tuple[str, str], ...] = ()
    configs: int | None = None
    compile_ns: int | None = None


def whole_id(compile_id: str) -> str:
    """A compile id as a trace has it: without the part of a split graph that a log's graphs and code have behind it."""
    return compile_id.partition(" part ")[0]


def kernel_key(compile_id: str, direction: str, handle: str) -> str:
    """Identity of a generated kernel call across graphs: handles alone repeat from graph to graph."""
    return f"{compile_id} {direction} {handle}"


@dataclass(frozen=True, slots=True)
class CompileReport:
    """Everything a log says of one process. `graph_count` is the number of graphs Dynamo handed to the backend.

    `unplaced` are reasons for breaks that only Dynamo's counters know, which say no line. `first_call` is the wall
    clock's begin and end of the first call, where profviz ran it. `process` is the system's number of the process.
    """

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
    skipped: tuple[SkippedFrame, ...] = ()
    unplaced: tuple[BreakReason, ...] = ()
    guards: tuple[GuardSet, ...] = ()
    symbols: tuple[Symbol, ...] = ()
    caches: tuple[CacheUse, ...] = ()
    cuda_graphs: tuple[CudaGraph, ...] = ()
    first_call: tuple[int, int] | None = None
    triton: tuple[TritonKernel, ...] = ()
    process: int | None = None
    artifacts: Artifacts = field(default_factory=Artifacts, compare=False, repr=False)

    @property
    def whose(self) -> str:
        """`rank 0`, or `process 4711` where no rank is known; tells the processes of one job apart."""
        if self.rank is not None:
            return f"rank {self.rank}"
        return "" if self.process is None else f"process {self.process}"
