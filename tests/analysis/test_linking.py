"""Links go by identity within one document: correlation and external ids, never names."""

from __future__ import annotations

import numpy as np
import pytest
from defect_files import SHARED, load, load_path, load_text, named

from profviz.analysis.linking import clock_skew, link_trace
from profviz.model.trace import MISSING, Links, Trace


def linked(name: str) -> tuple[Trace, Links, dict[str, int]]:
    trace, _ = load(name)
    return trace, link_trace(trace), {text: index for index, text in enumerate(named(trace))}


def test_a_graph_replay_launches_many_kernels() -> None:
    trace, links, at = linked("graph_replay.json")
    replay, ordinary = at["cudaGraphLaunch"], at["cudaLaunchKernel"]
    kernels = [at["k1"], at["k2"], at["k3"]]
    assert links.launch[kernels].tolist() == [replay] * 3
    first = links.first_gpu[replay]
    assert links.launched[first : first + links.gpu_count[replay]].tolist() == kernels
    assert links.launch[at["k4"]] == ordinary
    assert links.gpu_count[ordinary] == 1
    assert links.op[at["k4"]] == links.op[ordinary] == at["aten::add"]
    assert links.op[kernels].tolist() == [MISSING] * 3
    assert trace.gpu.graph.tolist() == [2, 2, 2, MISSING]
    assert trace.gpu.graph_node.tolist() == [1, 2, 3, MISSING]


def test_any_runtime_or_driver_call_may_launch_whatever_its_name() -> None:
    _, links, at = linked("unknown_launch_names.json")
    launches = [
        at[n] for n in ("cuLaunchKernelEx", "cudaLaunchKernelExC", "hipExtModuleLaunchKernel", "futureLaunchFoo")
    ]
    assert links.launch[[at[f"k{i}"] for i in range(4)]].tolist() == launches


def test_launches_without_kernels_link_nothing_but_their_operators() -> None:
    trace, links, _ = linked("launches_without_kernels.json")
    assert not links.gpu_count.any()
    calls = [i for i, name in enumerate(named(trace)) if name == "cudaLaunchKernel"]
    assert links.op[calls].tolist() == [i - 1 for i in calls]


def test_a_kernel_before_its_launch_is_linked_all_the_same() -> None:
    trace, links, at = linked("kernel_before_launch.json")
    assert links.launch[at["k"]] == at["cudaLaunchKernel"]
    assert clock_skew(trace, links).tolist() == [3_000]


@pytest.mark.parametrize("correlation", ["0", "null", "-1"])
def test_no_correlation_is_no_link(correlation: str) -> None:
    fields = '"pid": 1, "tid": 1, "ts": 1, "dur": 1, "args": {"correlation": ' + correlation + "}}"
    launch = '{"ph": "X", "name": "l", "cat": "cuda_runtime", ' + fields
    kernel = '{"ph": "X", "name": "k", "cat": "kernel", ' + fields
    trace, _ = load_text(f"[{launch}, {kernel}]")
    assert (link_trace(trace).launch == MISSING).all()


def test_the_external_id_goes_before_the_surroundings() -> None:
    event = '{"ph": "X", "name": "%s", "cat": "%s", "pid": 1, "tid": %d, "ts": %d, "dur": %d, "args": %s}'
    text = [
        event % ("forward", "cpu_op", 1, 0, 50, '{"External id": 1}'),
        event % ("around", "cpu_op", 2, 100, 50, '{"External id": 2}'),
        event % ("launch", "cuda_runtime", 2, 110, 5, '{"External id": 1, "correlation": 4}'),
        event % ("other", "cuda_runtime", 2, 120, 5, '{"External id": 77, "correlation": 5}'),
        event % ("k", "kernel", 7, 130, 5, '{"correlation": 4}'),
        event % ("j", "kernel", 7, 140, 5, '{"correlation": 5}'),
    ]
    trace, _ = load_text(f"[{', '.join(text)}]")
    at = {name: index for index, name in enumerate(named(trace))}
    op = link_trace(trace).op
    assert (op[at["launch"]], op[at["other"]]) == (at["forward"], at["around"])
    assert op[at["j"]] == at["around"]


def test_every_linked_kernel_of_a_real_run_has_the_operator_its_launch_has() -> None:
    path = SHARED / "gpt2.eager.json.gz"
    if not path.exists():
        pytest.skip("the shared captures are not beside this checkout")
    trace, _ = load_path(path)
    links = link_trace(trace)
    gpu = trace.gpu.slice
    assert (links.launch[gpu] >= 0).all()
    assert (links.op[gpu] == links.op[links.launch[gpu]]).all()
    gemm = [i for i in gpu.tolist() if "gemm" in trace.name_of(i) or trace.name_of(i).startswith("nvjet")]
    assert {trace.name_of(int(links.op[i])) for i in gemm} <= {"aten::addmm", "aten::mm"}
    assert sorted(links.launched.tolist()) == gpu.tolist()
    calls = np.flatnonzero(links.gpu_count)
    for call in calls.tolist():
        mine = links.launched[links.first_gpu[call] : links.first_gpu[call] + links.gpu_count[call]]
        assert (links.launch[mine] == call).all()
