"""What each exporter writes is read as its writer meant it: lanes, devices, launches, arrows and steps, without a word.

The files are made by hand; their shapes are those that the project named with each writes.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from defect_files import load_path, named

from profviz.analysis.linking import link_trace
from profviz.analysis.steps import find_steps
from profviz.formats.chrome.reader import HAS_NATIVE
from profviz.formats.registry import open_document
from profviz.model.notes import Severity
from profviz.model.trace import MISSING, LaneKind, Trace

DIALECTS = Path(__file__).parents[1] / "dialects"
GPU, RANGE, CPU, OTHER = LaneKind.GPU, LaneKind.GPU_ANNOTATION, LaneKind.CPU, LaneKind.OTHER


@dataclass(frozen=True)
class Dialect:
    """What must come out: lanes as (kind, process, thread), (device, stream) of the GPU's, who launched which GPU work
    (with the operator that asked for it), arrows as pairs of names, numbers of steps."""

    source: str
    lanes: tuple[tuple[LaneKind, str, str], ...]
    streams: tuple[tuple[int, int], ...] = ()
    launches: tuple[tuple[str, str, str], ...] = ()
    arrows: tuple[tuple[str, str], ...] = ()
    steps: tuple[int, ...] = ()
    counters: tuple[str, ...] = ()


EXPECTED = {
    # whole microseconds, capitalised categories, streams as texts, arrows of category "async"
    "pytorch_1_8": Dialect(
        "pytorch/kineto, libkineto/src/output_json.cpp and tb_plugin/test of early 2021",
        ((GPU, "GPU 0", "stream 7"), (CPU, "", ""), (CPU, "", ""), (OTHER, "", ""), (OTHER, "", "")),
        streams=((0, 7),),
        launches=(("void add_kernel", "cudaLaunchKernel", "aten::add"), ("Memcpy DtoH", "", "")),
        arrows=(("cudaLaunchKernel", "void add_kernel"),),
    ),
    "pytorch_1_13": Dialect(
        "pytorch/kineto, libkineto/src/output_json.cpp of late 2022",
        ((GPU, "GPU 0", "stream 7"), (CPU, "python (CPU)", "thread 1200 (python)")),
        streams=((0, 7),),
        launches=(("sgemm", "cudaLaunchKernel", "aten::mm"),),
        arrows=(("cudaLaunchKernel", "sgemm"),),
        steps=(1,),
    ),
    # nanoseconds behind a base time that comes last; waits of a stream are no work of it and no CPU thread's
    "pytorch_2_cuda": Dialect(
        "pytorch/kineto, libkineto/src/output_json.cpp and ActivityType.h of 2024",
        (
            (GPU, "GPU 0", "stream 7"),
            (RANGE, "python (GPU 0)", "stream 7"),
            (CPU, "python (CPU)", "thread 1 (python)"),
            (OTHER, "", ""),
            (OTHER, "python", ""),
            (OTHER, "", ""),
        ),
        streams=((0, 7),),
        launches=(("triton_poi_fused_relu_0", "cuLaunchKernelEx", "aten::relu"),),
        arrows=(("cuLaunchKernelEx", "triton_poi_fused_relu_0"),),
        steps=(3,),
    ),
    "pytorch_rocm": Dialect(
        "pytorch/kineto, libkineto/src/RoctracerActivity; AMD-AGI/TraceLens",
        ((GPU, "GPU 2", "stream 0"), (CPU, "python (CPU)", "thread 88 (python)")),
        streams=((2, 0),),
        launches=(("add.kd", "hipLaunchKernel", "aten::add"), ("CopyDeviceToHost", "", "")),
        arrows=(("hipLaunchKernel", "add.kd"),),
    ),
    "pytorch_xpu": Dialect(
        "pytorch/kineto, libkineto/src/plugin/xpupti",
        ((GPU, "GPU 1", "stream 0"), (CPU, "python (CPU)", "thread 9 (python)")),
        streams=((1, 0),),
        launches=(("gemm_kernel", "urEnqueueKernelLaunch", "aten::addmm"),),
    ),
    # mtia_ccp_events are what the device did, mtia_insight is told of it
    "pytorch_mtia": Dialect(
        "pytorch/kineto, libkineto/include/ActivityType.h",
        ((GPU, "GPU 0", "stream 3"), (CPU, "", ""), (OTHER, "", "")),
        streams=((0, 3),),
        launches=(("kernel_mul", "runFunction", "aten::mul"),),
    ),
    # no category on the device's side: its lane is known by its process's name, its work by the arrows
    "ascend_npu": Dialect(
        "Ascend/pytorch, torch_npu/profiler/analysis (trace_view.json); Ascend/msprof-analyze",
        ((CPU, "Python (CPU)", ""), (OTHER, "Ascend Hardware (NPU)", "Stream 47")),
        arrows=(("aten::add", "Add"), ("aten::add", "Add")),
    ),
    "pytorch_hpu": Dialect(
        "pytorch/kineto, libkineto/include/ActivityType.h (hpu_op is a host-side runtime event)",
        ((GPU, "GPU 0", "stream 1"), (CPU, "", ""), (CPU, "", "")),
        streams=((0, 1),),
        launches=(("gemm_bf16", "synLaunch", "aten::matmul"),),
    ),
    "pytorch_mps": Dialect("pytorch/pytorch: MPS has no device events", ((CPU, "python (CPU)", ""),), steps=(1,)),
    # the process is number 0 and no GPU
    "pytorch_cpu": Dialect(
        "pytorch/pytorch, torch/profiler",
        ((CPU, "python", ""), (CPU, "python", "")),
        arrows=(("aten::add", "graph_0_cpp_fused_add_0"),),
    ),
    "jax_xla": Dialect(
        "openxla/xla, xla/tsl/profiler/convert (xplane to trace events); the last event is empty",
        (
            (OTHER, "/host:CPU", "python"),
            (OTHER, "/device:TPU:0", "XLA Modules"),
            (OTHER, "/device:TPU:0", "XLA Ops"),
        ),
    ),
    **{
        f"vllm_rank{rank}": Dialect(
            "vllm-project/vllm and sgl-project/sglang, captures with torch.profiler on every rank",
            (
                (GPU, f"GPU {rank}", "stream 7"),
                (RANGE, f"python (GPU {rank})", "stream 7"),
                (CPU, "python (CPU)", "thread 500 (python)"),
            ),
            streams=((rank, 7),),
            launches=(
                ("rms_norm_kernel", "cudaGraphLaunch", ""),
                ("ncclDevKernel_AllReduce", "cudaGraphLaunch", ""),
            ),
        )
        for rank in (0, 1)
    },
    "viztracer": Dialect(
        "gaogaotiantian/viztracer, src/viztracer/report_builder.py",
        ((CPU, "MainProcess", "MainThread"),),
        counters=("size a", "size b"),
    ),
    "by_hand": Dialect(
        "the Trace Event Format's begin, end and asynchronous events",
        ((OTHER, "", ""), (OTHER, "", ""), (OTHER, "", "io (asynchronous)")),
        counters=("queue waiting",),
    ),
}


@pytest.fixture(params=["native", "twin"])
def scanner(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "native" and not HAS_NATIVE:
        pytest.skip("the native scanner was not built here")
    if request.param == "twin":
        monkeypatch.setenv("PROFVIZ_PURE", "1")
    return str(request.param)


def launches_of(trace: Trace) -> tuple[tuple[str, str, str], ...]:
    links = link_trace(trace)
    asked = [(int(at), int(links.launch[at]), int(links.op[at])) for at in trace.gpu.slice]
    return tuple(tuple(trace.name_of(at) if at >= 0 else "" for at in row) for row in asked)  # type: ignore[misc]


@pytest.mark.parametrize("name", EXPECTED)
def test_a_dialect_is_understood(name: str, scanner: str) -> None:
    trace, notes = load_path(DIALECTS / f"{name}.json")
    expected = EXPECTED[name]
    assert [note for note in notes.values() if note.severity >= Severity.WARNING] == []
    assert tuple((lane.kind, lane.process, lane.thread) for lane in trace.lanes) == expected.lanes
    assert tuple((lane.device, lane.stream) for lane in trace.lanes if lane.kind is GPU) == expected.streams
    assert launches_of(trace) == expected.launches
    pairs = zip(trace.flows.source.tolist(), trace.flows.target.tolist(), strict=True)
    assert tuple((trace.name_of(source), trace.name_of(target)) for source, target in pairs) == expected.arrows
    assert tuple(step.number for step in find_steps(trace, link_trace(trace))) == expected.steps
    assert {counter.name for counter in trace.counters} == set(expected.counters)
    assert all(lane.device == MISSING for lane in trace.lanes if lane.kind is not GPU), "no device by process id"


def test_every_dialect_has_its_file_and_is_sniffed_as_a_trace() -> None:
    assert {path.stem for path in DIALECTS.iterdir()} == set(EXPECTED)
    for path in DIALECTS.iterdir():
        assert open_document(path).trace is not None


def test_string_times_of_19_digits_stay_exact() -> None:
    trace, _ = load_path(DIALECTS / "ascend_npu.json")
    assert trace.origin_ns == 1_700_000_000_000_100_120
    add = named(trace).index("Add")
    assert (int(trace.slices.start_ns[add]), int(trace.slices.dur_ns[add])) == (100_220, 12_020)


def test_a_base_time_behind_the_events_moves_the_origin() -> None:
    trace, _ = load_path(DIALECTS / "pytorch_2_cuda.json")
    assert trace.origin_ns == 1_712_000_000_000_000_000 + 500_001


def test_what_the_allocator_did_is_kept() -> None:
    memory = load_path(DIALECTS / "pytorch_1_13.json")[0].memory
    assert (memory.bytes.tolist(), memory.allocated.tolist(), memory.device_type.tolist()) == ([512], [1024], [0])


def test_spans_written_by_hand_nest_and_close() -> None:
    trace, _ = load_path(DIALECTS / "by_hand.json")
    found = dict(zip(named(trace), trace.slices.dur_ns.tolist(), strict=True))
    assert found == {"request": 100_000, "parse": 15_000, "fetch": 54_000}
    assert trace.slices.parent.tolist() == [MISSING, 0, MISSING]
