"""What the results page and the headless commands show: traces, reports and tables already worked out.

Made by `engine.results` from a session or from opened files; views read it and never compute it.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from profviz.model.compile_report import CompileReport
from profviz.model.findings import Finding
from profviz.model.graph import Graph
from profviz.model.notes import Note
from profviz.model.run import Run, VariantResult
from profviz.model.tape import EagerTape
from profviz.model.trace import U8, Links, Trace


class SliceKind(enum.IntEnum):
    """What a slice does, for colour and totals; the value indexes `Side.kinds` and the theme's palette."""

    OTHER = 0
    GEMM = 1
    CONVOLUTION = 2
    ATTENTION = 3
    POINTWISE = 4
    REDUCTION = 5
    NORMALISATION = 6
    COPY = 7
    COMMUNICATION = 8
    FUSED = 9
    OPTIMIZER = 10
    RUNTIME = 11
    ANNOTATION = 12
    PYTHON = 13
    OPERATOR = 14
    COMPILED_REGION = 15

    @property
    def title(self) -> str:
        """The word the user reads: GEMM, fused, compiled region."""
        return "GEMM" if self is SliceKind.GEMM else self.name.lower().replace("_", " ")


@dataclass(frozen=True, slots=True)
class Occupancy:
    """GPU totals of one trace; all ns integers. `busy_ns` is the union over all GPU events, never their sum.

    `span_ns` runs from the first GPU start to the last GPU end; `unlinked` GPU events have a correlation id that no
    runtime or driver event has; `launches` are the calls that ask for kernels, whether or not any was recorded.
    `is_partial` says that the rest of the trace is still being read.
    """

    kernels: int
    copies: int
    kernel_sum_ns: int
    busy_ns: int
    span_ns: int
    lanes: int
    distinct_kernels: int
    unlinked: int
    graph_launches: int
    launches: int = 0
    is_partial: bool = False

    @property
    def absence(self) -> str:
        """What is to be said of a trace without GPU work, empty for one that has some."""
        if self.lanes:
            return ""
        if self.is_partial:
            return "not read so far"
        if self.launches:
            return f"{self.launches} launch{'' if self.launches == 1 else 'es'}, 0 kernels recorded"
        return "no GPU activity in this trace"


@dataclass(frozen=True, slots=True)
class Step:
    """One profiled step (ProfilerStep#N): GPU numbers count what was launched within it; None without GPU work.

    `ops` counts the innermost CPU operators and generated CPU kernels in it.
    """

    number: int
    start_ns: int
    end_ns: int
    kernels: int
    gpu_busy_ns: int | None
    gpu_first_ns: int | None
    gpu_last_ns: int | None
    ops: int


@dataclass(frozen=True, slots=True)
class KernelRow:
    """One kernel name of one trace; times in ns, `share` of the total.

    On a CPU-only trace it is one operator, with its own time: without that of the operators it calls.
    """

    name: str
    kind: SliceKind
    calls: int
    total_ns: int
    mean_ns: int
    min_ns: int
    max_ns: int
    share: float
    first_slice: int


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One variant or one opened trace. `kinds` has shape (slices,), a `SliceKind` each.

    `table_of` says what `table` lists: "kernels", or "operators" where the trace has no GPU work.
    `slices_of_kernel` gives, for a generated kernel call (`compile_report.kernel_key`), the slices that ran it.
    `slices_of_node` gives, on a side that ran eager, for a node of a compiler graph as (report, graph, node) the slices
    that did the same there. `path` is the file that holds this side alone, empty where it holds others as well.
    """

    id: str
    title: str
    trace: Trace
    notes: tuple[Note, ...]
    links: Links
    kinds: U8
    occupancy: Occupancy
    steps: tuple[Step, ...]
    table: tuple[KernelRow, ...]
    table_of: str
    result: VariantResult | None = None
    report: CompileReport | None = None
    slices_of_kernel: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    slices_of_node: Mapping[tuple[int, int, int], tuple[int, ...]] = field(default_factory=dict)
    path: str = ""

    @property
    def median_ns(self) -> int | None:
        """The median step measured without the profiler, None where none was."""
        return self.result.timing.median_ns if self.result and self.result.timing else None


@dataclass(frozen=True, slots=True)
class HeadlineItem:
    """One figure of the strip: `title` above, `value` large, `detail` below; `tone` is plain, good, warn or bad."""

    id: str
    title: str
    value: str
    detail: str = ""
    tone: str = "plain"


@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """Everything to show. `sources` maps a Python file's path to its text where the session holds it.

    Where a node is named as (report, graph, node), the numbers after the reports' are those of `tapes`.
    """

    title: str
    subtitle: str
    sides: tuple[Side, ...]
    reports: tuple[tuple[str, CompileReport], ...]
    headline: tuple[HeadlineItem, ...]
    findings: tuple[Finding, ...]
    notes: tuple[Note, ...] = ()
    run: Run | None = None
    sources: Mapping[str, str] = field(default_factory=dict)
    path: str = ""
    tapes: tuple[EagerTape, ...] = ()

    def graphs_of(self, report: int) -> tuple[Graph, ...]:
        """The graphs of a report, or the one of a tape."""
        tape = self.tape_at(report)
        return self.reports[report][1].graphs if tape is None else (tape.graph,)

    def tape_at(self, report: int) -> EagerTape | None:
        """The tape that a report's number stands for; None where it is a report's own."""
        at = report - len(self.reports)
        return self.tapes[at] if 0 <= at < len(self.tapes) else None

    def report_title(self, label: str) -> str:
        """A report is labelled with its side's id; the user knows the side by its title."""
        return next((side.title for side in self.sides if side.id == label), label)
