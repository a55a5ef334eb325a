"""Memory as step functions a device, from what the allocator itself counted."""

from __future__ import annotations

import json
from typing import Any

import pytest
from defect_files import SHARED, load_path, load_text

from profviz.analysis.memory_over_time import memory_over_time
from profviz.model.over_time import MemoryOverTime


def event(
    ts: float, size: int, *, total: int | None, reserved: int | None = None, device: int = 0, kind: int = 1
) -> dict[str, Any]:
    args = {"Bytes": size, "Addr": 1000, "Device Type": kind, "Device Id": device}
    if total is not None:
        args["Total Allocated"] = total
    if reserved is not None:
        args["Total Reserved"] = reserved
    return {
        "ph": "i",
        "s": "t",
        "name": "[memory]",
        "cat": "cpu_instant_event",
        "pid": 1,
        "tid": 1,
        "ts": ts,
        "args": args,
    }


def read(*events: dict[str, Any]) -> MemoryOverTime:
    begin = {"ph": "X", "cat": "cpu_op", "name": "begin", "pid": 1, "tid": 1, "ts": 0, "dur": 50}
    return memory_over_time(load_text(json.dumps([begin, *events]))[0])


def test_values_hold_from_the_begin_on_and_the_peak_is_told() -> None:
    found = read(
        event(10, 100, total=600, reserved=1024),
        event(20, 300, total=900, reserved=2048),
        event(20, -300, total=600, reserved=2048),
        event(30, -100, total=500, reserved=2048),
    )
    (track,) = found.tracks
    assert (track.title, track.device_type, track.device) == ("GPU 0", 1, 0)
    assert track.time_ns.tolist() == [0, 10_000, 20_000, 20_000, 30_000]
    assert track.allocated.tolist() == [500, 600, 900, 600, 500]
    assert track.reserved is not None
    assert track.reserved.tolist() == [1024, 1024, 2048, 2048, 2048]
    assert (track.peak_bytes, track.peak_ns, track.peak_reserved_bytes) == (900, 20_000, 2048)
    assert found.notes == ()


def test_devices_are_apart_and_accelerators_first() -> None:
    found = read(
        event(1, 8, total=8, reserved=0, device=-1, kind=0),
        event(2, 8, total=8, reserved=64, device=1),
        event(3, 9, total=9, reserved=64, device=0),
        event(4, 9, total=9, reserved=64, device=0, kind=13),
    )
    assert [track.title for track in found.tracks] == ["GPU 0", "GPU 1", "device type 13 0", "CPU"]
    assert found.tracks[-1].reserved is None
    assert found.tracks[-1].peak_reserved_bytes is None


def test_what_does_not_say_its_total_is_left_out_and_said() -> None:
    found = read(event(1, 8, total=None), event(2, 8, total=16))
    assert found.tracks[0].allocated.tolist() == [8, 16]
    assert found.notes[0].startswith("1 of 2 allocations")


def test_a_trace_without_memory_says_how_to_record_it() -> None:
    assert read().tracks == ()
    assert "profile_memory" in read().notes[0]


def test_a_real_capture_has_the_peak_that_its_file_says() -> None:
    path = SHARED / "broken_train.eager.json.gz"
    if not path.exists():
        pytest.skip("the shared captures are not here")
    gpu, cpu = memory_over_time(load_path(path)[0]).tracks
    assert (gpu.title, gpu.peak_bytes, gpu.peak_reserved_bytes) == ("GPU 0", 99_797_504, 113_246_208)
    assert (cpu.title, cpu.peak_bytes, cpu.reserved) == ("CPU", 8, None)
