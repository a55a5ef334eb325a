"""What each exporter writes is read as its writer meant it: lanes, devices, launches, arrows and steps, without a word.

The files are made by hand; their shapes are those that the project named with each writes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from defect_files import check_trace, load_path, named

from profviz.analysis.linking import link_trace
from profviz.analysis.occupancy import measure_occupancy
from profviz.analysis.steps import find_steps
from profviz.formats.chrome.reader import HAS_NATIVE, read_chrome_trace
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
    # no category on the device's side: its lane is known by its process's name, its work by its task type
    "ascend_npu": Dialect(
        "Ascend/pytorch, torch_npu/profiler/analysis (trace_view.json); Ascend/msprof-analyze",
        ((GPU, "Ascend Hardware", "stream 47"), (CPU, "Python (CPU)", "")),
        streams=((MISSING, 47),),
        launches=(("Add", "", ""),),
        arrows=(("aten::add", "Add"), ("aten::add", "Add")),
    ),
    # the device stands in a label, waits are no work, and calls of the runtime are known by their connection
    "ascend_msprof": Dialect(
        "Ascend/msprof, analysis/csrc/application/timeline (msprof_*.json)",
        (
            (GPU, "GPU 3", "stream 2"),
            (GPU, "GPU 3", "stream 5"),
            (CPU, "CANN", "Thread 1284"),
            (OTHER, "Ascend Hardware (NPU 3)", "Stream 2"),
            (OTHER, "Overlap Analysis", "Computing"),
        ),
        streams=((3, 2), (3, 5)),
        launches=(
            ("aclnnMatmul_MatMulV3_MatMulV3", "Node@launch", ""),
            ("MEMCPY_ASYNC", "AscendCL@aclrtMemcpyAsync", ""),
        ),
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
            (GPU, "GPU 0", "XLA Ops"),
            (CPU, "/host:CPU", "python"),
            (OTHER, "/device:TPU:0", "XLA Modules"),
        ),
        streams=((0, MISSING),),
        launches=(("fusion.2", "", ""), ("copy.1", "", "")),
    ),
    # streams show what ran; modules and operators show it once more, and a plane of its own is no device
    "jax_gpu": Dialect(
        "openxla/xla, xla/backends/profiler/gpu/cupti_collector.cc and tsl/profiler/convert",
        (
            (GPU, "GPU 1", "stream 13"),
            (CPU, "/host:CPU", "python"),
            (OTHER, "/device:CUSTOM:Megascale Trace", ""),
            (OTHER, "/device:GPU:1", "XLA Modules"),
            (OTHER, "/device:GPU:1", "XLA Ops"),
        ),
        streams=((1, 13),),
        launches=(("loop_add_fusion", "cuLaunchKernelEx", ""), ("MemcpyH2D", "cuMemcpyHtoDAsync", "")),
    ),
    # the category says "Op" of all; what has a stream ran there, the other processes show when it was asked for
    "tensorflow_timeline": Dialect(
        "tensorflow/tensorflow, tensorflow/python/client/timeline.py",
        (
            (GPU, "GPU 0", "stream 14"),
            (OTHER, "/device:GPU:0/stream:all Compute", ""),
            (OTHER, "/job:localhost/replica:0/task:0/device:CPU:0 Compute", ""),
            (OTHER, "/job:localhost/replica:0/task:0/device:GPU:0 Compute", ""),
        ),
        streams=((0, 14),),
        launches=(("MatMul", "", ""),),
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


def test_details_of_device_work_become_columns(scanner: str) -> None:
    gpu = load_path(DIALECTS / "jax_gpu.json")[0].gpu
    assert (gpu.grid.tolist()[0], gpu.block.tolist()[0]) == ([64, 2, 1], [128, 1, 1])
    assert (gpu.registers.tolist(), gpu.shared_bytes.tolist()) == ([32, MISSING], [1536, MISSING])
    assert (gpu.bytes.tolist(), gpu.occupancy_pct.tolist()[0]) == ([MISSING, 4096], 87.5)
    assert (gpu.graph.tolist(), gpu.graph_node.tolist()) == ([4, MISSING], [7, MISSING])


@pytest.mark.parametrize(
    ("name", "kernels", "copies", "launched"),
    [
        ("ascend_npu", 1, 0, 0),
        ("ascend_msprof", 1, 1, 2),
        ("jax_gpu", 1, 1, 2),
        ("jax_xla", 2, 0, 0),
        ("viztracer", 0, 0, 0),
    ],
)
def test_device_work_without_a_category_counts(
    name: str, kernels: int, copies: int, launched: int, scanner: str
) -> None:
    trace, notes = load_path(DIALECTS / f"{name}.json")
    check_trace(trace)
    links = link_trace(trace)
    found = measure_occupancy(trace, links)
    assert (found.kernels, found.copies, int((links.launch >= 0).sum())) == (kernels, copies, launched)
    assert ("bare_device_work" in notes) == bool(kernels), "that it was told so is said"


def test_args_alone_tell_device_work_whose_process_has_no_name() -> None:
    args = {"Task Type": "AI_CORE", "Stream Id": 4, "Device Id": 6}
    bare = [{"ph": "X", "name": "Add", "pid": 77, "tid": 88, "ts": 1, "dur": 2, "args": args}]
    bare += [{"ph": "X", "name": "other", "pid": 1, "tid": 1, "ts": 1, "dur": 2, "args": {"Stream Id": 4}}]
    trace, _ = read_chrome_trace(json.dumps(bare).encode(), title="t")
    assert [(lane.kind, lane.device, lane.stream) for lane in trace.lanes] == [(GPU, 6, 4), (OTHER, MISSING, MISSING)]


@pytest.mark.parametrize("value", [9**40, -1, 1e300, True, [], {"a": 1}, "9" * 30, None])
def test_odd_args_and_names_of_devices_say_nothing(value: object) -> None:
    names = [
        ("process_name", "Ascend Hardware"),
        ("thread_name", f"Stream {value}"),
        ("process_labels", f"NPU {value}"),
    ]
    said: list[dict[str, object]] = [
        {"ph": "M", "name": name, "pid": 3, "tid": 9, "args": {"name": text, "labels": text}} for name, text in names
    ]
    args = {"Task Type": "AI_CORE", "Stream Id": value, "Device Id": value, "connection_id": value}
    tasks = [args, {**args, "Task Type": value}, value]
    work = [{"ph": "X", "name": "Add", "pid": 3, "tid": 9, "ts": 1, "dur": 2, "args": one} for one in tasks]
    xla = {"ph": "M", "name": "process_name", "pid": [1], "args": {"name": f"/device:GPU:{value}"}}
    details = {"kernel_details": f"regs:{value} grid:{value},1,1 occ_pct:{value}", "correlation_id": value}
    kernel = {"ph": "X", "name": "k", "pid": [1], "tid": 1, "ts": 1, "dur": 2, "args": details}
    trace, _ = read_chrome_trace(json.dumps([*said, *work, xla, kernel]).encode(), title="t")
    check_trace(trace)
    assert len(trace.slices) == 4
    assert {(lane.device, lane.stream) for lane in trace.lanes} == {(MISSING, MISSING)}


def test_a_device_process_number_is_never_its_device() -> None:
    name = {"ph": "M", "name": "process_name", "pid": 3, "args": {"name": "Ascend Hardware"}}
    work = {"ph": "X", "name": "Add", "pid": 3, "tid": 9, "ts": 1, "dur": 2, "args": {"Task Type": "AI_CORE"}}
    trace, _ = read_chrome_trace(json.dumps([name, work]).encode(), title="t")
    assert [(lane.kind, lane.device, lane.stream) for lane in trace.lanes] == [(GPU, MISSING, MISSING)]
    assert trace.lanes[0].title == "GPU · stream not said"


def test_what_the_allocator_did_is_kept() -> None:
    memory = load_path(DIALECTS / "pytorch_1_13.json")[0].memory
    assert (memory.bytes.tolist(), memory.allocated.tolist(), memory.device_type.tolist()) == ([512], [1024], [0])


def test_spans_written_by_hand_nest_and_close() -> None:
    trace, _ = load_path(DIALECTS / "by_hand.json")
    found = dict(zip(named(trace), trace.slices.dur_ns.tolist(), strict=True))
    assert found == {"request": 100_000, "parse": 15_000, "fetch": 54_000}
    assert trace.slices.parent.tolist() == [MISSING, 0, MISSING]
