"""Lanes go by category and args; instants, counters, flows and unknown phases find their place."""

from __future__ import annotations

import json

import numpy as np
from defect_files import load_text, named

from profviz.model.trace import MISSING, LaneKind


def event(phase: str, ts: float, **more: object) -> str:
    return json.dumps({"ph": phase, "name": "n", "pid": 1, "tid": 1, "ts": ts} | more)


def test_kernel_columns_come_from_args_and_missing_is_not_zero() -> None:
    args = {"device": 1, "stream": 20, "grid": [2, 3, 4], "block": [128, 1, 1], "registers per thread": 32}
    args |= {"shared memory": 4096, "est. achieved occupancy %": 54, "correlation": 9, "External id": 12}
    kernel = event("X", 1, cat="kernel", dur=2, args=args)
    copy = event("X", 5, cat="gpu_memcpy", dur=2, args={"device": 1, "stream": 20, "bytes": 64, "graph node id": 3})
    trace, _ = load_text(f"[{copy}, {kernel}]")
    gpu = trace.gpu
    assert gpu.slice.tolist() == [0, 1]
    assert gpu.device.tolist() == [1, 1]
    assert gpu.grid.tolist() == [[2, 3, 4], [MISSING] * 3]
    assert gpu.registers.tolist() == [32, MISSING]
    assert gpu.shared_bytes.tolist() == [4096, MISSING]
    assert gpu.bytes.tolist() == [MISSING, 64]
    assert gpu.graph_node.tolist() == [MISSING, 3]
    assert gpu.occupancy_pct[0] == 54
    assert np.isnan(gpu.occupancy_pct[1])
    assert trace.slices.correlation.tolist() == [9, MISSING]
    assert trace.slices.external.tolist() == [12, MISSING]
    assert trace.lanes[0].title == "GPU 1 · stream 20"


def test_two_devices_in_one_process_are_two_lanes() -> None:
    kernels = [event("X", 1, cat="kernel", dur=5, args={"device": device, "stream": 7}) for device in (0, 1)]
    trace, notes = load_text(f"[{', '.join(kernels)}]")
    assert [lane.device for lane in trace.lanes] == [0, 1]
    assert not notes


def test_vendors_and_older_files_spell_categories_their_own_way() -> None:
    cats = ["Operator", "Runtime", "hip_runtime", "privateuse1_driver", "xpu_runtime", "python_function", "Kernel"]
    cats += ["gpu_user_annotation", "Trace", "overhead"]
    trace, _ = load_text("[" + ", ".join(event("X", 1, cat=cat, dur=1, tid=i) for i, cat in enumerate(cats)) + "]")
    kinds = {trace.category_of(i): trace.lanes[int(trace.slices.lane[i])].kind for i in range(len(trace.slices))}
    assert [kinds[cat] for cat in cats[:6]] == [LaneKind.CPU] * 6
    assert kinds["Kernel"] is LaneKind.GPU
    assert kinds["gpu_user_annotation"] is LaneKind.GPU_ANNOTATION
    assert kinds["Trace"] is kinds["overhead"] is LaneKind.OTHER


def test_instants_and_counters_go_to_their_threads_lane() -> None:
    text = [event("X", 1, cat="cpu_op", dur=9), event("i", 4, s="t"), event("I", 2), event("R", 3)]
    text += [event("C", 2, args={"a": 1, "b": "2.5"}), event("C", 1, args={"a": 4}), event("i", 5, tid="other")]
    trace, notes = load_text(f"[{', '.join(text)}]")
    assert trace.instants.time_ns.tolist() == [1000, 2000, 3000, 4000]
    assert trace.instants.lane.tolist() == [0, 0, 0, 1]
    assert {c.name: (c.lane, c.time_ns.tolist(), c.value.tolist()) for c in trace.counters} == {
        "n a": (0, [0, 1000], [4, 1]),
        "n b": (0, [1000], [2.5]),
    }
    assert not notes


def test_unknown_phases_are_counted() -> None:
    trace, notes = load_text(f"[{event('N', 1)}, {event('D', 2)}, {event('O', 3)}]")
    assert notes["unknown_phase"].count == 3
    assert trace.event_count == 3


def test_one_flow_start_may_have_many_ends_and_ids_repeat_in_time() -> None:
    calls = [event("X", t, cat="cuda_runtime", dur=2) for t in (10, 20)]
    kernels = [event("X", t, cat="kernel", dur=2, pid=0, tid=7, args={"device": 0, "stream": 7}) for t in (13, 16, 23)]
    flows = [event("s", t, cat="ac2g", id=1) for t in (10, 20)]
    flows += [event("f", t, cat="ac2g", id=1, pid=0, tid=7, bp="e") for t in (13, 16, 23)]
    flows += [event("f", 23, cat="fwdbwd", id=1, pid=0, tid=7)]  # another category, another arrow, with no start
    trace, _ = load_text(f"[{', '.join(flows + calls + kernels)}]")
    assert trace.flows.source.tolist() == [3, 3, 4]
    assert trace.flows.target.tolist() == [0, 1, 2]


def test_fields_of_unusual_types_are_taken_as_far_as_they_go() -> None:
    odd = '{"ph": "X", "name": 5, "cat": ["x"], "pid": null, "tid": 3.5, "ts": "7", "dur": 1, "args": [1]}'
    trace, notes = load_text(f"[{odd}]")
    assert named(trace) == ["5"]
    assert (trace.lanes[0].pid, trace.lanes[0].tid) == ("", "3.5")
    assert not notes


def test_a_begin_event_keeps_its_args() -> None:
    begin = event("B", 1, cat="kernel", args={"device": 2, "stream": 9, "correlation": 5})
    trace, _ = load_text(f"[{begin}, {event('E', 4)}]")
    assert (trace.gpu.device.tolist(), trace.gpu.stream.tolist()) == ([2], [9])
    assert trace.slices.correlation.tolist() == [5]
    assert trace.slices.dur_ns.tolist() == [3000]


def test_args_spelled_unusually_are_as_wide_as_they_have_to_be() -> None:
    odd = {"device": "0", "stream": 7.0, "grid": [1, 2, 70_000.0], "correlation": 1 << 40, "bytes": "5000000000"}
    odd |= {"est. achieved occupancy %": "12.345678901234567", "shared memory": 3}
    trace, _ = load_text(f"[{event('X', 1, cat='kernel', dur=2, args=odd)}]")
    gpu = trace.gpu
    assert (gpu.device.tolist(), gpu.stream.tolist(), gpu.grid.tolist()) == ([0], [7], [[1, 2, 70_000]])
    assert (gpu.bytes.tolist(), gpu.shared_bytes.tolist()) == ([5_000_000_000], [3])
    assert gpu.occupancy_pct.tolist() == [12.345678901234567]
    assert trace.slices.correlation.tolist() == [1 << 40]


def test_the_allocators_records_are_columns_whatever_their_spelling() -> None:
    def record(args: str, ts: int) -> str:
        return f'{{"ph": "i", "name": "[memory]", "pid": 1, "tid": 1, "ts": {ts}, "s": "t", "args": {{{args}}}}}'

    plain = '"Addr": 4096, "Bytes": -512, "Total Allocated": 10, "Total Reserved": 20, "Device Type": 1, "Device Id": 0'
    odd = '"Addr": "140000000000000", "Bytes": 5e2, "Total Allocated": 99999999999, "Device Id": null'
    trace, notes = load_text(f"[{record(plain, 7)}, {record(odd, 5)}]")
    memory = trace.memory
    assert memory.time_ns.tolist() == [0, 2000]
    assert memory.address.tolist() == [140000000000000, 4096]
    assert memory.bytes.tolist() == [500, -512]
    assert memory.allocated.tolist() == [99999999999, 10]
    assert memory.reserved.tolist() == [-1, 20]
    assert (memory.device_type.tolist(), memory.device.tolist()) == ([-1, 1], [-1, 0])
    assert len(trace.instants.time_ns) == 0
    assert not notes
