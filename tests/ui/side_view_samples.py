"""Small results made by hand for the tests of the side and bottom views: two sides, a run, a report, notes."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
from tape_samples import hand_made

from profviz.analysis.tape_graph import graph_of
from profviz.model.artifacts import Artifact, Artifacts, Language
from profviz.model.compile_report import (
    BreakReason,
    CacheUse,
    CallChain,
    CompiledFrame,
    CompileEvent,
    CompileReport,
    GeneratedCode,
    GraphBreak,
    Recompile,
    SkippedFrame,
)
from profviz.model.findings import Evidence, Finding, Verdict
from profviz.model.graph import Graph, Node, SourceLine, Stage, TensorSpec
from profviz.model.notes import Note, Sample
from profviz.model.results import KernelRow, Occupancy, Results, Side, SliceKind, Step
from profviz.model.run import Run, RunRequest, Timing, VariantResult
from profviz.model.tape import EagerTape, TapeLinks
from profviz.model.trace import Flows, GpuColumns, Instants, Lane, LaneKind, Links, Slices, Trace

SCRIPT = "/models/net.py"
SCRIPT_TEXT = "".join(f"x{i} = torch.relu(x{i - 1})  # step {i}\n" for i in range(1, 60))
BREAK_LINE = SourceLine(SCRIPT, 40, "forward", "if x.sum().item() > 0:")
LIBRARY_LINE = SourceLine("/lib/torch/nn/linear.py", 125, "forward", "return F.linear(input, self.weight, self.bias)")
TRITON = "triton_poi_fused_add_mul_pow_tanh_view_4"
KEY = f"0/0 inference {TRITON}:2"
CODE_TEXT = f"""# AOT ID: ['0_inference']
import torch
from torch._inductor.async_compile import AsyncCompile
async_compile = AsyncCompile()

{TRITON} = async_compile.triton('{TRITON}', '''
import triton
import triton.language as tl

@triton.jit
def {TRITON}(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    tmp0 = tl.load(in_ptr0 + (x0), None)
    tmp1 = 0.5  # half
    tl.store(out_ptr0 + (x0), tmp0 * tmp1, None)
''', device_str='cuda')

cpp_fused_add_0 = async_compile.cpp_pybinding(['float*', 'const float*'], r'''
#include <torch/csrc/inductor/cpp_prefix.h>
extern "C" void kernel(float* out) {{ return; }} // done
''')

def call(args):
    # [Provenance debug handles] extern_kernels.addmm:1
    extern_kernels.addmm(arg0_1, arg1_1, out=buf0)
    # [Provenance debug handles] {TRITON}:2
    stream0 = get_raw_stream(0)
    {TRITON}.run(buf0, buf1, 4096, stream=stream0)
    cpp_fused_add_0(buf1)
    # [Provenance debug handles] {TRITON}:3
    {TRITON}.run(buf1, buf2, 4096, stream=stream0)
    return (buf2,)
"""


def trace(*, title: str = "net.eager.json", fused: bool = False, steps: int = 3) -> Trace:
    """Lane 0: launches with an operator around each; lane 1: their kernels; `steps` times five."""
    names: dict[str, int] = defaultdict(lambda: len(names))
    kernels = [TRITON, "nvjet_hsh_192x128"] if fused else list(EAGER_KERNELS)
    cpu, gpu = [], []
    for number in range(steps * len(kernels)):
        at = 10_000 * number
        cpu.append((at, 6_000, names["aten::op"], 0, -1))
        cpu.append((at + 1_000, 3_000, names["cudaLaunchKernel"], 1, 100 + number))
        gpu.append((at + 3_500, 5_123, names[kernels[number % len(kernels)]], 0, 100 + number))
    return _trace(title, cpu, gpu, tuple(names))


EAGER_KERNELS = {
    "void at::native::vectorized_elementwise_kernel<4, at::native::MulFunctor<float>>(int)": SliceKind.POINTWISE,
    "void at::native::vectorized_elementwise_kernel<4, at::native::tanh_kernel_cuda>(int)": SliceKind.POINTWISE,
    "nvjet_hsh_192x128": SliceKind.GEMM,
    "layer_norm": SliceKind.NORMALISATION,
}


def _trace(title: str, cpu: list[tuple[int, ...]], gpu: list[tuple[int, ...]], names: tuple[str, ...]) -> Trace:
    rows = np.asarray(cpu + gpu, dtype=np.int64).reshape(-1, 5)
    n, m = len(rows), len(gpu)
    lane = np.repeat([0, 1], [len(cpu), m]).astype(np.int32)
    parent = np.full(n, -1, dtype=np.int32)
    parent[1 : len(cpu) : 2] = np.arange(0, len(cpu), 2)
    slices = Slices(
        start_ns=rows[:, 0],
        dur_ns=rows[:, 1],
        name=rows[:, 2].astype(np.int32),
        category=lane.astype(np.uint16),
        lane=lane,
        row=rows[:, 3].astype(np.int32),
        parent=parent,
        correlation=rows[:, 4],
        external=np.full(n, -1, dtype=np.int64),
        event=np.arange(n, dtype=np.int64),
        flags=np.zeros(n, dtype=np.uint8),
    )
    whole = np.zeros(0, dtype=np.int64)
    lanes = (
        Lane(LaneKind.CPU, "1", "1", "python", "thread 1 (python)"),
        Lane(LaneKind.GPU, "0", "7", "GPU 0", "stream 7", device=0, stream=7),
    )
    return Trace(
        title=title,
        origin_ns=0,
        names=names,
        categories=("cpu_op", "kernel"),
        lanes=lanes,
        slices=slices,
        gpu=_gpu(np.arange(len(cpu), n, dtype=np.int64)),
        instants=Instants(whole, whole.astype(np.int32), whole.astype(np.uint16), whole.astype(np.int32), whole),
        counters=(),
        flows=Flows(whole, whole, whole.astype(np.uint16)),
        event_count=n,
        args=event_args,
    )


def event_args(event: int) -> dict[str, Any]:
    return {"ph": "X", "name": "<b>bold</b>", "args": {"Input Dims": [[32, 128], []], "queued": 0, "deep": {"a": None}}}


def _gpu(index: Any) -> GpuColumns:
    m = len(index)
    missing = np.full(m, -1, dtype=np.int64)
    return GpuColumns(
        slice=index,
        device=np.zeros(m, dtype=np.int32),
        stream=np.full(m, 7, dtype=np.int32),
        grid=np.tile(np.asarray([12288, 1, 1], dtype=np.int32), (m, 1)),
        block=np.tile(np.asarray([256, 1, 1], dtype=np.int32), (m, 1)),
        registers=np.full(m, 24, dtype=np.int32),
        shared_bytes=np.full(m, 2048, dtype=np.int64),
        bytes=missing,
        occupancy_pct=np.full(m, np.nan),
        bandwidth_gbps=np.full(m, np.nan),
        graph=missing,
        graph_node=missing,
    )


def _links(made: Trace) -> Links:
    s = made.slices
    gpu = made.gpu.slice
    launch, op = np.full(len(s), -1, dtype=np.int64), np.full(len(s), -1, dtype=np.int64)
    first, count = np.full(len(s), -1, dtype=np.int64), np.zeros(len(s), dtype=np.int64)
    launches = 1 + 2 * np.arange(len(gpu))
    launch[gpu], op[gpu], op[launches] = launches, launches - 1, launches - 1
    first[launches], count[launches] = np.arange(len(gpu)), 1
    return Links(launch=launch, op=op, first_gpu=first, gpu_count=count, launched=gpu.copy())


def side(
    *, id: str = "eager", title: str = "Eager", fused: bool = False, steps: int = 3, notes: tuple[Note, ...] = ()
) -> Side:
    made = trace(title=title, fused=fused, steps=steps)
    kinds = np.full(len(made.slices), int(SliceKind.OPERATOR), dtype=np.uint8)
    known = {**EAGER_KERNELS, TRITON: SliceKind.FUSED}
    for index in made.gpu.slice:
        kinds[index] = int(known[made.name_of(int(index))])
    return Side(
        id=id,
        title=title,
        trace=made,
        notes=notes,
        links=_links(made),
        kinds=kinds,
        occupancy=Occupancy(len(made.gpu), 0, 5_123 * len(made.gpu), 5_123 * len(made.gpu), 10, 1, 4, 0, 0),
        steps=tuple(_step(number, len(made.gpu) // max(1, steps)) for number in range(steps)),
        table=_table(made, known),
        table_of="kernels",
    )


def _step(number: int, kernels: int) -> Step:
    start = number * kernels * 10_000
    return Step(number, start, start + kernels * 10_000, kernels, kernels * 5_123, start + 3_500, start + 40_000, 12)


def _table(made: Trace, known: dict[str, SliceKind]) -> tuple[KernelRow, ...]:
    groups: dict[str, list[int]] = defaultdict(list)
    for index in made.gpu.slice:
        groups[made.name_of(int(index))].append(int(index))
    total = sum(int(made.slices.dur_ns[i]) for group in groups.values() for i in group)
    return tuple(_row(name, known[name], group, made, total) for name, group in groups.items())


def _row(name: str, kind: SliceKind, group: list[int], made: Trace, total: int) -> KernelRow:
    durations = [int(made.slices.dur_ns[index]) for index in group]
    own = sum(durations)
    return KernelRow(
        name, kind, len(group), own, own // len(group), min(durations), max(durations), own / total, group[0]
    )


EVENTS = (
    CompileEvent("dynamo", 1_000, 900, 0, "0/0"),
    CompileEvent("create_aot_dispatcher_function", 1_100, 600, 1, "0/0"),
    CompileEvent("fx_codegen_and_compile", 1_200, 400, 2, "0/0"),
    CompileEvent("Scheduler.codegen", 1_300, 200, 3, "0/0"),
    CompileEvent("dynamo", 2_400, 300, 0, "1/0"),
    CompileEvent("FxGraphCache.load", 2_500, 100, 1, "1/0"),
)


def artifacts() -> Artifacts:
    """What a log held of 0/0, compiled at its second attempt, and of 1/0."""
    texts = (
        ("dynamo_graph_break_reason", "0/0", 0, Language.TEXT, "Graph break: item()"),
        ("dynamo_output_graph", "0/0", 1, Language.PYTHON, "class G:\n    x = 1"),
        ("before_post_grad_graph", "0/0", 1, Language.PYTHON, "class P:\n    x = 1\n    y = x\n"),
        ("inductor_post_grad_graph", "0/0", 1, Language.PYTHON, "class P:\n    y = 1\n"),
        ("compilation_metrics", "0/0", 1, Language.JSON, '{"guard_count": 3}'),
        ("dynamo_output_graph", "1/0", 0, Language.PYTHON, "class Other: x = 2"),
        ("chromium_event", "", 0, Language.JSON, "[]"),
    )
    items = tuple(Artifact(name, id_, attempt, kind, len(text), 0) for name, id_, attempt, kind, text in texts)
    return Artifacts(items, text=lambda at: texts[at][4], records=lambda at: f'{{"record": {at}}}')


def report(*, broken: bool = True) -> CompileReport:
    nodes = (
        Node("arg0_1", "placeholder", "arg0_1", TensorSpec((32, 128), "float16")),
        Node("mul", "call_function", "aten.mul.Tensor", TensorSpec(("s0", 128), "float16"), BREAK_LINE, "h.0.mlp"),
        Node("view", "call_function", "aten.view.default", source=LIBRARY_LINE, kernels=(f"{TRITON}:2",)),
    )
    found = GraphBreak(
        BREAK_LINE,
        "Data-dependent branching",
        explanation="Detected data-dependent branching (e.g. `if my_tensor.sum() > 0:`).",
        hints=("Use `torch.cond` to express dynamic control flow.",),
        gb_id="GB0170",
        count=2,
        compile_ids=("0/0", "1/0"),
        chains=(CallChain((SourceLine(SCRIPT, 55, "<module>", "model(x)"), BREAK_LINE), 2, ("0/0", "1/0")),),
    )
    return CompileReport(
        torch_version="2.13.0",
        rank=None,
        frames=(
            CompiledFrame("0/0", "forward", BREAK_LINE, 2, 1_200_000_000),
            CompiledFrame("2/0", "helper", SourceLine(SCRIPT, 12, "helper"), 1, None, fail="torch.* op returned int"),
        )
        if broken
        else (),
        graphs=(Graph(Stage.POST_GRAD_INFERENCE, "0/0", nodes, ((0, 1), (1, 2))),),
        breaks=(found,) if broken else (),
        recompiles=(Recompile("0/1", "forward", SourceLine(SCRIPT, 9), ("size mismatch at index 0. expected 64",)),)
        if broken
        else (),
        events=EVENTS,
        caches=(CacheUse("1/0", "fx_graph", "hit", saved_ns=900), CacheUse("0/0", "fx_graph", "miss")),
        code=(
            GeneratedCode(
                "0/0",
                "inference",
                "/tmp/x.py",
                CODE_TEXT,
                kernels=("extern_kernels.addmm:1", f"{TRITON}:2", f"{TRITON}:3"),
                stacks={f"{TRITON}:2": (LIBRARY_LINE,)},
            ),
        ),
        artifacts=artifacts(),
        graph_count=3 if broken else 1,
        compile_ns=1_200_000_000,
        skipped=(
            SkippedFrame("helper", SourceLine(SCRIPT, 12, "helper"), None, BreakReason("torch.* op returned int")),
        )
        if broken
        else (),
    )


def run(*, compiled_ms: float = 2.8) -> Run:
    def timing(base_ms: float, *, discarded: tuple[int, ...] = ()) -> Timing:
        samples = tuple(round(base_ms * 1e6) + (i * 7919) % 200_000 for i in range(30))
        return Timing("cuda_event", samples, tuple(i // 6 for i in range(30)), discarded)

    eager = VariantResult("eager", "Eager", timing=timing(8.1), first_call_ns=12_000_000)
    compiled = VariantResult(
        "default",
        "Compiled",
        timing=timing(compiled_ms, discarded=(9_000_000, 8_500_000)),
        first_call_ns=16_600_000_000,
        warmup_ns=(3_000_000, 3_000_000),
    )
    return Run(RunRequest("net.py"), "done", 0, variants=(eager, compiled))


FINDINGS = (
    Finding("captured", "Was enough captured?", "yes", Verdict.GOOD, "99.6 % of GPU time inside 1 graph"),
    Finding(
        "breaks",
        "Do graph breaks limit it?",
        "yes",
        Verdict.BAD,
        "The graph breaks at 1 place, 3 graphs instead of one.",
        advice="Replace the branch by torch.where.",
        evidence=(
            Evidence("net.py:40  if x.sum().item() > 0:", source=BREAK_LINE),
            Evidence("the longest gap", variant="default", slice=4),
            Evidence("seen in 3 of 3 steps"),
        ),
    ),
    Finding("cost", "Is compile cost in the way?", "depends", Verdict.DEPENDS, "16.6 s; 3 131 steps to pay back"),
    Finding("dynamic", "Do inputs recompile it?", "unknown", Verdict.UNKNOWN, "the log was not recorded"),
)
NOTES = (
    Note("clock_skew", 3, (Sample(1234, "kernel a"),)),
    Note("bad_event", 1, (Sample(99, '{"ph": "<i>X</i>"'), Sample(-1, "somewhere")), "near the end"),
)


def full() -> Results:
    return Results(
        title="net.py",
        subtitle="NVIDIA H200",
        sides=(side(notes=NOTES), side(id="default", title="Compiled", fused=True)),
        reports=(("Compiled", report()),),
        headline=(),
        findings=FINDINGS,
        notes=(*NOTES, Note("missing_member", 1)),
        run=run(),
        sources={SCRIPT: SCRIPT_TEXT},
        tapes=(EagerTape("eager", hand_made(), graph_of(hand_made()), TapeLinks()),),
    )


def traces_only() -> Results:
    return Results("two traces", "", (side(), side(id="b", title="b.json", fused=True)), (), (), ())


def nothing() -> Results:
    return Results("", "", (), (), (), ())
