"""Each table against plain loops over the slices of real captures, and the rows that defects ask for."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from defect_files import SHARED
from table_checks import ask, by, cells, reason, results_of, rows, side_of

from profviz.analysis.linking import category_mask, enclosing_operator
from profviz.analysis.occupancy import union_length_ns
from profviz.analysis.questions import answer
from profviz.analysis.tables.registry import TABLES
from profviz.model.categories import is_operator
from profviz.model.questions import ColumnTable, Question, Unanswered
from profviz.model.results import Results, Side, SliceKind
from profviz.model.run import VariantResult
from profviz.model.trace import MISSING
from profviz.model.triton_binary import TritonBinary

needs_captures = pytest.mark.skipif(not SHARED.exists(), reason="the shared captures are not beside this checkout")
GPT2, TRAIN = "gpt2.eager.json.gz", "broken_train.eager.json.gz"
COMPILED, REPLAYED = "broken_train.compiled-default.json.gz", "gpt2.compiled-reduce-overhead.json.gz"
DDP = "ddp.compiled.rank0.json.gz"
CAPTURES = (GPT2, TRAIN, REPLAYED, DDP)


def ranges_of(side: Side) -> list[tuple[tuple[int, int], ...]]:
    """The whole, and two ranges that cut slices at both ends."""
    span = side.trace.span_ns
    return [(), ((span // 5 + 1, span // 2), (span * 2 // 3, span * 3 // 4))]


def cut(start: int, end: int, ranges: tuple[tuple[int, int], ...]) -> int:
    return sum(max(0, min(end, high) - max(start, low)) for low, high in ranges) if ranges else end - start


def is_in(start: int, end: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return not ranges or any(start < high and (end > low or start >= low) for low, high in ranges)


def gpu_by(side: Side, key: Any, ranges: tuple[tuple[int, int], ...]) -> dict[Any, list[int]]:
    slices = side.trace.slices
    found: dict[Any, list[int]] = defaultdict(list)
    for index in side.trace.gpu.slice.tolist():
        if is_in(int(slices.start_ns[index]), int(slices.end_ns[index]), ranges):
            found[key(index)].append(index)
    return found


def lengths(side: Side, indices: list[int], ranges: tuple[tuple[int, int], ...]) -> list[int]:
    slices = side.trace.slices
    return [cut(int(slices.start_ns[one]), int(slices.end_ns[one]), ranges) for one in indices]


@needs_captures
@pytest.mark.parametrize("name", CAPTURES)
def test_kernels_are_those_of_a_plain_loop(name: str) -> None:
    side = side_of(name)
    for ranges in ranges_of(side):
        expected = gpu_by(side, side.trace.name_of, ranges)
        table = ask("kernels", name, *ranges)
        found = by(table, "name")
        assert set(found) == set(expected)
        whole = sum(sum(lengths(side, indices, ranges)) for indices in expected.values())
        for text, indices in expected.items():
            times = lengths(side, indices, ranges)
            row = found[text]
            assert (row["calls"], row["total_ns"], row["min_ns"], row["max_ns"]) == (
                len(times),
                sum(times),
                min(times),
                max(times),
            )
            assert row["mean_ns"] == round(sum(times) / len(times))
            assert row["share"] == pytest.approx(sum(times) / whole)
        members = [sorted(expected[text]) for text in cells(table.columns[0])]
        assert [table.slices_of(row).tolist() for row in range(len(table))] == members
        assert table.slice.tolist() == [indices[0] for indices in members]


@needs_captures
def test_how_kernels_were_launched_is_said_where_all_calls_agree() -> None:
    side = side_of(DDP)
    gpu = side.trace.gpu
    found = by(ask("kernels", DDP), "name")
    expected: dict[str, list[int]] = defaultdict(list)
    for at, index in enumerate(gpu.slice.tolist()):
        expected[side.trace.name_of(index)].append(at)
    assert {"varies"} < {row["grid"] for row in found.values()}
    assert (gpu.occupancy_pct == 0).any()  # as the profiler says of kernels that use much shared memory
    for text, places in expected.items():
        grids = {tuple(gpu.grid[at].tolist()) for at in places}
        row = found[text]
        alike = "×".join(map(str, next(iter(grids))))
        assert row["grid"] == (None if grids == {(-1, -1, -1)} else alike if len(grids) == 1 else "varies")
        registers = max(int(gpu.registers[at]) for at in places)
        assert row["registers"] == (None if registers == MISSING else registers)
        told = [float(gpu.occupancy_pct[at]) for at in places if gpu.occupancy_pct[at] > 0]
        assert row["occupancy"] == (pytest.approx(sum(told) / len(told) / 100) if told else None)
        copied = [at for at in places if gpu.bytes[at] >= 0]
        moved = sum(int(gpu.bytes[at]) for at in copied)
        taken = sum(int(side.trace.slices.dur_ns[gpu.slice[at]]) for at in copied)
        assert row["bytes"] == (moved if copied else None)
        assert row["bandwidth"] == (pytest.approx(moved / taken) if copied else None)


@needs_captures
@pytest.mark.parametrize("name", CAPTURES)
def test_operators_are_those_of_a_plain_loop(name: str) -> None:
    side = side_of(name)
    trace, slices = side.trace, side.trace.slices
    operator = category_mask(trace, is_operator)
    around = enclosing_operator(slices, operator)
    for ranges in ranges_of(side):
        total, own, calls, gpu = (defaultdict(int) for _ in range(4))
        for index in np.flatnonzero(operator).tolist():
            start, end = int(slices.start_ns[index]), int(slices.end_ns[index])
            if is_in(start, end, ranges):
                calls[trace.name_of(index)] += 1
                total[trace.name_of(index)] += cut(start, end, ranges)
                own[trace.name_of(index)] += cut(start, end, ranges)
            if around[index] >= 0:
                within = min(end, int(slices.end_ns[around[index]]))
                own[trace.name_of(int(around[index]))] -= cut(start, within, ranges)
        for index in trace.gpu.slice.tolist():
            launch, op = int(side.links.launch[index]), int(side.links.op[index])
            if op >= 0 and trace.name_of(launch) != "cudaGraphLaunch":
                gpu[trace.name_of(op)] += sum(lengths(side, [index], ranges))
        shown = {row["name"]: row for row in rows(ask("operators", name, *ranges)) if row["kind"] != "CUDA graph"}
        assert set(calls) | {key for key, time in gpu.items() if time} == set(shown)
        for text, row in shown.items():
            assert (row["calls"], row["total_ns"] or 0, row["self_ns"] or 0) == (calls[text], total[text], own[text])
            assert row["gpu_ns"] == gpu[text]


@needs_captures
def test_shapes_count_the_different_inputs_of_an_operator() -> None:
    trace = side_of(GPT2).trace
    expected = defaultdict(set)
    for index, text in zip(trace.shapes.slice.tolist(), trace.shapes.text.tolist(), strict=True):
        expected[trace.name_of(index)].add(text)
    for name, row in by(ask("operators", GPT2), "name").items():
        assert row["shapes"] == (len(expected[name]) or None)


def test_a_replayed_graph_is_a_row_and_its_kernels_are_nobody_elses() -> None:
    table = ask("operators", "graph_replay.json")
    found = by(table, "name")
    assert list(found) == ["CUDA graph #2 (3 kernels)", "aten::add"]
    graph = found["CUDA graph #2 (3 kernels)"]
    assert (graph["kind"], graph["calls"], graph["gpu_ns"], graph["gpu_count"]) == ("CUDA graph", 1, 15_000, 3)
    assert graph["total_ns"] is graph["self_ns"] is graph["mean_ns"] is graph["share"] is None
    assert "Operator attribution is not available" in table.column("self_ns").unknown
    assert "Operator attribution is not available for kernels that a CUDA graph replayed" in table.footer
    assert [side_of("graph_replay.json").trace.name_of(one) for one in table.slices_of(0)] == ["k1", "k2", "k3"]
    assert (found["aten::add"]["gpu_ns"], found["aten::add"]["gpu_count"]) == (5_000, 1)


@needs_captures
def test_a_graph_without_an_id_is_known_by_the_call_that_launched_it() -> None:
    side = side_of(REPLAYED)
    found = by(ask("operators", REPLAYED), "name")
    graph = found["CUDA graph, id not recorded (103 kernels)"]
    assert (graph["calls"], graph["gpu_count"]) == (side.occupancy.graph_launches, 384)
    assert found["Pregraph bytecode"]["gpu_ns"] == 0, "it stands around the launch of a graph, no more"
    assert sum(row["gpu_ns"] for row in found.values()) == int(side.trace.slices.dur_ns[side.trace.gpu.slice].sum())


@needs_captures
@pytest.mark.parametrize("name", CAPTURES)
def test_launches_are_those_of_a_plain_loop(name: str) -> None:
    side = side_of(name)
    slices, links = side.trace.slices, side.links
    of_call: dict[int, list[int]] = defaultdict(list)
    for index in side.trace.gpu.slice.tolist():
        if links.launch[index] >= 0:
            of_call[int(links.launch[index])].append(index)
    table = ask("launches", name)
    shown = rows(table)
    assert [row["start_ns"] for row in shown] == sorted(row["start_ns"] for row in shown)
    assert {call for call, row in zip(table.slice.tolist(), shown, strict=True) if row["gpu_count"]} == set(of_call)
    assert sum("launch" in row["api"].lower() for row in shown) == side.occupancy.launches
    for call, row in list(zip(table.slice.tolist(), shown, strict=True))[:: max(1, len(shown) // 100)]:
        work = of_call[call]
        if not work:
            assert row["delay_ns"] is row["depth"] is row["kernel"] is None
            continue
        first = min(work, key=lambda index: slices.start_ns[index])
        assert row["delay_ns"] == slices.start_ns[first] - slices.start_ns[call]
        assert (row["gpu_count"], row["kernel"]) == (len(work), side.trace.name_of(first))
        began = slices.start_ns[call]
        waiting = [
            index
            for asked, queued in of_call.items()
            for index in queued
            if slices.start_ns[asked] < began < slices.start_ns[index] and slices.lane[index] == slices.lane[first]
        ]
        assert row["depth"] == len(waiting)


def test_a_delay_below_zero_is_shown_and_in_no_mean() -> None:
    table = ask("launches", "kernel_before_launch.json")
    assert [row["delay_ns"] for row in rows(table)] == [-3_000]
    assert "clock skew" in table.footer
    assert "median" not in table.footer


def test_launches_without_kernels_are_listed_as_such() -> None:
    table = ask("launches", "launches_without_kernels.json")
    assert [(row["gpu_count"], row["delay_ns"], row["stream"]) for row in rows(table)] == [(0, None, None)] * 3
    assert "3 without any recorded" in table.footer


@needs_captures
@pytest.mark.parametrize("name", [TRAIN, COMPILED])
def test_memory_pairs_each_allocation_with_the_next_free_of_its_address(name: str) -> None:
    recorded = side_of(name).trace.memory
    open_at: dict[tuple[int, int, int], int] = {}
    freed: dict[int, int | None] = {}
    older = 0
    for place in range(len(recorded)):
        key = (int(recorded.device_type[place]), int(recorded.device[place]), int(recorded.address[place]))
        if recorded.bytes[place] >= 0:
            freed[place] = None
            open_at[key] = place
        elif key in open_at:
            freed[open_at.pop(key)] = int(recorded.time_ns[place])
        else:
            older += 1
    table = ask("memory", name)
    expected = [
        (
            int(recorded.bytes[at]),
            int(recorded.time_ns[at]),
            end,
            None if end is None else end - int(recorded.time_ns[at]),
        )
        for at, end in freed.items()
    ]
    assert [(row["bytes"], row["allocated_ns"], row["freed_ns"], row["life_ns"]) for row in rows(table)] == expected
    assert sum(row["state"] == "not freed" for row in rows(table)) == list(freed.values()).count(None)
    assert f"{older} frees of memory allocated before" in table.footer
    assert {row["device"] for row in rows(table)} == {"CPU", "GPU 0"}


@needs_captures
def test_memory_names_the_operator_around_the_allocation() -> None:
    side = side_of(TRAIN)
    slices, operator = side.trace.slices, category_mask(side.trace, is_operator)
    for row, at in zip(rows(ask("memory", TRAIN)), np.flatnonzero(side.trace.memory.bytes >= 0), strict=True):
        lane, time = side.trace.memory.lane[at], side.trace.memory.time_ns[at]
        holds = operator & (slices.lane == lane) & (slices.start_ns <= time) & (slices.end_ns > time)
        deepest = max(np.flatnonzero(holds).tolist(), key=lambda index: slices.row[index], default=None)
        assert row["op"] == (None if deepest is None else side.trace.name_of(deepest))


@needs_captures
@pytest.mark.parametrize("name", CAPTURES)
def test_categories_are_those_of_a_plain_loop(name: str) -> None:
    side = side_of(name)
    slices = side.trace.slices
    for ranges in ranges_of(side):
        expected = gpu_by(side, lambda index: SliceKind(int(side.kinds[index])).title, ranges)
        found = by(ask("categories", name, *ranges), "kind")
        assert set(found) == set(expected)
        for title, indices in expected.items():
            pieces = [
                (max(low, int(slices.start_ns[one])), min(high, int(slices.end_ns[one])))
                for one in indices
                for low, high in (ranges or ((0, side.trace.span_ns),))
            ]
            pieces = [(low, high) for low, high in pieces if high > low]
            union = union_length_ns(*np.array(pieces or [(0, 0)], dtype=np.int64).T)
            row = found[title]
            assert (row["calls"], row["total_ns"]) == (len(indices), sum(lengths(side, indices, ranges)))
            assert row["union_ns"] == union


def test_without_gpu_work_categories_sum_the_operators_own_time() -> None:
    side = side_of("cpu_only.json")
    assert sum(row["total_ns"] for row in rows(ask("categories", "cpu_only.json"))) == sum(
        row.total_ns for row in side.table
    )
    assert reason("kernels", "cpu_only.json") == "no GPU activity in this trace"
    assert "GPU" in ask("operators", "cpu_only.json").column("gpu_ns").unknown
    assert set(cells(ask("operators", "cpu_only.json").column("gpu_ns"))) == {None}


@needs_captures
@pytest.mark.parametrize("name", CAPTURES)
def test_steps_are_those_of_the_side_and_lead_to_their_marks(name: str) -> None:
    side = side_of(name)
    table = ask("steps", name)
    assert [
        (row["step"], row["number"], row["start_ns"], row["length_ns"], row["busy_ns"], row["kernels"], row["ops"])
        for row in rows(table)
    ] == [
        (place, one.number, one.start_ns, one.end_ns - one.start_ns, one.gpu_busy_ns, one.kernels, one.ops)
        for place, one in enumerate(side.steps, start=1)
    ]
    assert all(row["idle_ns"] == row["span_ns"] - row["busy_ns"] for row in rows(table))
    assert [side.trace.name_of(one) for one in table.slice] == [f"ProfilerStep#{one.number}" for one in side.steps]
    low, high = side.steps[1].start_ns + 1, side.steps[1].start_ns + 2
    assert [(row["step"], row["number"]) for row in rows(ask("steps", name, (low, high)))] == [
        (2, side.steps[1].number)
    ]


def test_one_of_a_kind_is_not_told_as_several() -> None:
    assert ask("kernels", "kernel_before_launch.json").footer.startswith("1 kernel · 1 distinct name · ")
    assert ask("kernels", "two_streams_at_once.json").footer.startswith("2 kernels · ")


def test_rows_know_their_slices_and_slices_their_rows() -> None:
    table = ask("kernels", "graph_replay.json")
    for row in range(len(table)):
        assert table.rows_of(table.slices_of(row).tolist()).tolist() == [row]
    assert table.rows_of([MISSING, 10_000]).tolist() == []
    launched = ask("launches", "graph_replay.json")
    assert launched.rows_of([int(launched.slice[1]), MISSING]).tolist() == [1]
    assert launched.slices_of(1).tolist() == [launched.slice[1]]


@pytest.mark.parametrize("id_", TABLES)
@pytest.mark.parametrize("name", ["no_events.json", "cpu_only.json", "odd_durations.json", "partial_overlap.json"])
def test_every_table_answers_or_says_why_not(id_: str, name: str) -> None:
    for ranges in ((), ((1, 2),)):
        found = answer(results_of(name), Question("table", 0, (id_, ranges)))
        if isinstance(found, Unanswered):
            assert "bug" not in found.why
        else:
            assert isinstance(found, ColumnTable)
            assert {len(column.values) for column in found.columns} == {len(found)}
            assert found.footer


@needs_captures
def test_spills_stand_beside_the_registers_where_a_run_recorded_them() -> None:
    side = side_of(COMPILED)
    names = sorted({side.trace.name_of(one) for one in side.trace.gpu.slice.tolist()})
    some, none, other, *_ = (name for name in names if name.startswith("triton_"))
    binaries = (
        TritonBinary(some, "c1", spills=3),
        TritonBinary(some, "c2", spills=8),
        TritonBinary(none, "c3", spills=0),
        TritonBinary(other, "c4", spills=4),
        TritonBinary(other, "c5"),
    )
    known = replace(side, result=VariantResult("default", "Compiled", triton_kernels=binaries))
    table = answer(Results("", "", (known,), (), (), ()), Question("table", 0, ("kernels", ())))
    assert isinstance(table, ColumnTable)
    found = {name: row["spills"] for name, row in by(table, "name").items()}
    assert {name: found.pop(name) for name in (some, none, other)} == {some: 8, none: 0, other: None}
    assert set(found.values()) == {None}
    assert "spills" not in {column.id for column in ask("kernels", COMPILED).columns}
