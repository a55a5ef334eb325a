"""Every row of `cases.md`: its files, and what a reader and the analyses must make of them, with either scanner."""

from __future__ import annotations

import numpy as np
import pytest
from defect_files import DEFECTS, load, named
from defect_rows import row

from profviz import cli
from profviz.analysis.headline import gpu_use, make_headline
from profviz.analysis.linking import clock_skew, link_trace
from profviz.analysis.occupancy import measure_occupancy
from profviz.analysis.questions import answer
from profviz.analysis.sides import make_side
from profviz.cli_report import side_lines
from profviz.formats.chrome import reader
from profviz.formats.registry import open_document
from profviz.model.notes import Note, Severity
from profviz.model.questions import Question
from profviz.model.results import Results, Side
from profviz.model.trace import MISSING, Flag, LaneKind


@pytest.fixture(autouse=True, params=["native", "twin"])
def scanner(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "native" and not reader.HAS_NATIVE:
        pytest.skip("the native scanner was not built here")
    if request.param == "twin":
        monkeypatch.setenv("PROFVIZ_PURE", "1")
    return str(request.param)


def side(name: str) -> Side:
    trace, notes = load(name)
    return make_side(id=name, title=name, trace=trace, notes=tuple(notes.values()))


def places(name: str) -> dict[str, int]:
    """The last slice of each name."""
    return {text: index for index, text in enumerate(named(load(name)[0]))}


def counts(notes: dict[str, Note]) -> dict[str, int]:
    return {code: note.count for code, note in notes.items()}


# A. Files that do not parse cleanly


@row(1, "truncated_array.json", "truncated_in_args.json")
def test_a_file_cut_by_a_crash_shows_what_it_holds(name: str) -> None:
    trace, notes = load(name)
    assert named(trace) == ["aten::add", "aten::mul"]
    assert set(notes) == {"truncated"}
    assert notes["truncated"].severity is Severity.WARNING
    (sample,) = notes["truncated"].samples
    assert sample.text == "last complete event: aten::mul"
    text = (DEFECTS / name).read_bytes()
    assert text[: sample.offset].count(b'"ph"') == 2, "the offset is where what is whole ends"


@row(3, "final_empty_event.json")
def test_a_final_empty_event_is_no_event_and_no_defect() -> None:
    trace, notes = load("final_empty_event.json")
    assert trace.event_count == 1
    assert notes == {}


@row(4, "raw_quotes_in_name.json", "dict_as_file_name.json", "odd_raw_quote_in_name.json")
def test_a_name_with_raw_quotes_costs_only_its_event(name: str) -> None:
    trace, notes = load(name)
    assert named(trace) == ["aten::add", "aten::relu"]
    assert counts(notes) == {"bad_event": 1}
    offset = notes["bad_event"].samples[0].offset
    assert (DEFECTS / name).read_bytes()[offset:].startswith(b'{"ph": "X", "cat": "python_function"')


@row(6, "control_and_invalid_bytes.json")
def test_bytes_that_are_no_text_show_as_marks() -> None:
    trace, notes = load("control_and_invalid_bytes.json")
    assert named(trace) == ["run\N{REPLACEMENT CHARACTER}now", "caf\N{REPLACEMENT CHARACTER}"]
    assert counts(notes) == {"bad_text": 2}


@row(7, "bare_inf_and_nan.json")
def test_bare_inf_and_nan_are_unknown_not_zero() -> None:
    trace, notes = load("bare_inf_and_nan.json")
    assert counts(notes) == {"non_finite": 2}
    copy = trace.gpu.slice.tolist().index(named(trace).index("Memcpy HtoD"))
    assert np.isnan(trace.gpu.bandwidth_gbps[copy])
    assert trace.gpu.bytes[copy] == 64
    (counter,) = trace.counters
    assert (counter.time_ns.tolist(), counter.value.tolist()) == ([26_000], [0.5])


@row(9, "gzip_of_nothing.json.gz", "zero_bytes.json", "empty_object.json", "no_events.json")
def test_an_empty_file_is_said_to_be_one(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert set(load(name)[1]) == {"empty"}
    assert cli.main(["info", str(DEFECTS / name)]) == 1
    assert "is empty: the exporter wrote no data" in capsys.readouterr().err


@row(10, "gzip_two_halves.json.gz")
def test_two_gzip_members_may_be_one_text() -> None:
    trace, notes = load("gzip_two_halves.json.gz")
    assert (trace.event_count, notes) == (3, {})


@row(10, "gzip_cut.json.gz")
def test_a_gzip_without_its_end_gives_what_came_before() -> None:
    trace, notes = load("gzip_cut.json.gz")
    assert named(trace) == [f"aten::op{i}" for i in range(trace.event_count)]
    assert trace.event_count > 40
    assert set(notes) == {"truncated_packing", "truncated"}


@row(10, "gzip_two_traces.json.gz")
def test_of_two_traces_in_one_file_the_first_is_shown_and_the_second_said() -> None:
    trace, notes = load("gzip_two_traces.json.gz")
    assert named(trace) == ["aten::add", "aten::mul", "aten::relu"]
    assert counts(notes) == {"second_document": 1}
    assert notes["second_document"].kind.title == "Two traces in one file"


@row(12, "string_times_19_digits.json")
def test_times_and_ids_beyond_floats_are_exact() -> None:
    trace, notes = load("string_times_19_digits.json")
    assert notes == {}
    first, second = named(trace).index("K1"), named(trace).index("K2")
    slices = trace.slices
    assert trace.origin_ns + slices.end_ns[first] == 1_778_655_624_745_716_360
    assert slices.start_ns[second] - slices.end_ns[first] == 10
    assert slices.row[[first, second]].tolist() == [0, 0]
    assert trace.flows.target.tolist() == [first, second]
    assert len(set(trace.flows.source.tolist())) == 2


# B. Well-formed JSON, awkward timing


@row(15, "partial_overlap.json")
def test_overlapping_kernels_are_both_there() -> None:
    made = side("partial_overlap.json")
    assert made.trace.slices.row.tolist() == [0, 1]
    assert made.trace.slices.parent.tolist() == [MISSING, MISSING]
    assert (made.occupancy.kernel_sum_ns, made.occupancy.busy_ns) == (90_000, 70_000)
    (note,) = made.notes
    assert (note.code, note.count) == ("overlap", 1)
    assert note.samples[0].text == "A and B from 20000 ns to 40000 ns", "from the trace's begin at 100 us"


@row(17, "child_ends_after_parent.json")
def test_a_child_may_end_a_little_later_than_its_parent() -> None:
    trace, notes = load("child_ends_after_parent.json")
    slices = trace.slices
    assert slices.dur_ns.tolist() == [10_123, 8_424, 10_123, 8_425, 10_123, 9_900]
    assert slices.parent.tolist() == [MISSING, 0, MISSING, 2, MISSING, MISSING]
    assert slices.row.tolist() == [0, 1, 0, 1, 0, 1]
    assert counts(notes) == {"overlap": 1}


@row(18, "odd_durations.json")
def test_unfinished_negative_and_endless_durations_spoil_no_view() -> None:
    made = side("odd_durations.json")
    trace, at = made.trace, places("odd_durations.json")
    assert trace.span_ns == 60_000
    assert {note.code: note.count for note in made.notes} == {
        "negative_duration": 1,
        "absurd_duration": 1,
        "unfinished": 1,
    }
    flags = {name: Flag(int(trace.slices.flags[place])) for name, place in at.items()}
    assert flags["aten::never_ended"] is Flag.UNFINISHED
    assert flags["aten::endless"] is Flag.ABSURD
    assert trace.slices.end_ns[at["aten::never_ended"]] == trace.span_ns
    assert sum(found.total_ns for found in made.table) == 20_000


@row(20, "kernel_before_launch.json")
def test_a_kernel_before_its_launch_is_linked_and_its_delay_no_delay() -> None:
    made, at = side("kernel_before_launch.json"), places("kernel_before_launch.json")
    assert made.links.launch[at["k"]] == at["cudaLaunchKernel"]
    assert clock_skew(made.trace, made.links).tolist() == [3_000]
    (note,) = made.notes
    assert (note.code, note.severity) == ("clock_skew", Severity.INFO)
    assert "3000 ns" in note.detail


# C. Linking and meaning


@row(22, "graph_replay.json")
def test_one_launch_of_a_graph_has_many_kernels() -> None:
    made, at = side("graph_replay.json"), places("graph_replay.json")
    replay, kernels = at["cudaGraphLaunch"], [at["k1"], at["k2"], at["k3"]]
    assert made.links.launch[kernels].tolist() == [replay] * 3
    assert made.links.gpu_count[replay] == 3
    assert made.links.op[kernels].tolist() == [MISSING] * 3, "no operator is made up"
    assert made.links.op[at["k4"]] == at["aten::add"]
    assert (made.table_of, len(made.table)) == ("kernels", 4)
    assert made.trace.gpu.graph.tolist() == [2, 2, 2, MISSING]
    assert made.trace.gpu.graph_node.tolist() == [1, 2, 3, MISSING]
    results = Results("", "", (made,), (), (), ())
    kernel_table, operators = (answer(results, Question("table", 0, (id_,))) for id_ in ("kernels", "operators"))
    assert kernel_table.column("calls").values.tolist() == [1, 1, 1, 1]
    names = operators.column("name")
    assert [names.texts[at] for at in names.values.tolist()] == ["CUDA graph #2 (3 kernels)", "aten::add"]
    assert operators.column("gpu_ns").values.tolist() == [15_000, 5_000]
    assert "Operator attribution is not available for kernels that a CUDA graph replayed" in operators.footer


@row(25, "unknown_launch_names.json")
def test_launches_are_known_by_category_not_by_name() -> None:
    made, at = side("unknown_launch_names.json"), places("unknown_launch_names.json")
    calls = ("cuLaunchKernelEx", "cudaLaunchKernelExC", "hipExtModuleLaunchKernel", "futureLaunchFoo")
    assert made.links.launch[[at[f"k{i}"] for i in range(4)]].tolist() == [at[call] for call in calls]
    assert made.occupancy.unlinked == 0


@row(26, "launches_without_kernels.json", "cpu_only.json")
def test_a_trace_without_gpu_work_says_so(name: str) -> None:
    made = side(name)
    assert (made.occupancy.kernels, made.occupancy.busy_ns, made.occupancy.unlinked) == (0, 0, 0)
    said = "3 launches, 0 kernels recorded" if "launches" in name else "no GPU activity in this trace"
    assert any(said in line for line in side_lines(made))
    assert gpu_use(made) is None, "and no share of nothing"
    assert [note for note in made.notes if note.severity >= Severity.WARNING] == []
    launches = sum(text == "cudaLaunchKernel" for text in named(made.trace))
    assert launches == (3 if name == "launches_without_kernels.json" else 0)


@row(28, "no_distributed_info.json", "distributed_info_without_rank.json")
def test_one_rank_needs_no_distributed_info(name: str) -> None:
    document = open_document(DEFECTS / name)
    assert document.notes == ()
    assert document.trace is not None
    assert document.trace.event_count == 1
    assert document.title == name.removesuffix(".json"), "two such files are told apart by their names"
    assert "rank" not in document.trace.meta.get("distributedInfo", {})


@row(29, "equal_ids_rank0.json", "equal_ids_rank1.json")
def test_ranks_with_equal_ids_stay_apart(name: str) -> None:
    made, rank = side(name), int(name.removesuffix(".json")[-1])
    (process,) = {lane.process for lane in made.trace.lanes if lane.kind is LaneKind.CPU}
    assert process == f"python rank {rank}"
    assert made.links.launch[made.trace.gpu.slice].tolist() == [2, 3]
    assert (made.trace.flows.source.tolist(), made.trace.flows.target.tolist()) == ([2, 3], [0, 1])


@row(31, "cpu_process_with_pid_0.json")
def test_a_cpu_process_with_a_devices_number_is_no_gpu() -> None:
    trace, _ = load("cpu_process_with_pid_0.json")
    found = {(lane.kind, lane.process, lane.device) for lane in trace.lanes}
    assert found == {(LaneKind.GPU, "GPU 0", 0), (LaneKind.CPU, "python (CPU)", MISSING)}
    assert [trace.lanes[lane].kind for lane in trace.slices.lane] == [LaneKind.GPU, LaneKind.CPU]
    assert named(trace) == ["k", "aten::add"]


@row(33, "two_streams_at_once.json")
def test_two_streams_are_never_busier_than_the_clock() -> None:
    made = side("two_streams_at_once.json")
    found = measure_occupancy(made.trace, link_trace(made.trace))
    assert (found.kernel_sum_ns, found.busy_ns, found.span_ns) == (140_000, 100_000, 100_000)
    items = {item.id: item for item in make_headline(None, [made], [])}
    assert items["busy"].value == "100 %"
    assert (items["kernel_time"].value, items["kernel_time"].detail) == ("140 µs", "sum over streams")
