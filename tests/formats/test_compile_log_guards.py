"""Guards, recompiles with both values, caches and CUDA graphs, from records as torch 2.11 and 2.13 write them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from log_records import artifact, metrics, record

from profviz.formats.compile_log import read_compile_log
from profviz.formats.compile_log.recompiles import plain_name, values_of
from profviz.formats.registry import open_document
from profviz.model.compile_report import CompileReport

SHARED = Path(__file__).parents[2].parent / "shared" / "traces"
TREE = """
TREE_GUARD_MANAGER:
+- RootGuardManager
| +- GLOBAL_STATE: ___check_global_state() against {"grad_mode":true}
| +- GuardManager: source=L['x'], accessed_by=FrameLocalsGuardAccessor(key='x'), type=<class 'torch.Tensor'>
| | +- TENSOR_MATCH: check_tensor(L['x'], Tensor, DispatchKeySet(CPU), torch.float32, device=None, \
requires_grad=False, size=[6, 3], stride=[3, 1])  # y = self.a(x)  # me/model.py:5 in forward
| +- GuardManager: source=L['self'], accessed_by=FrameLocalsGuardAccessor(key='self'), type=<class 'm.Net'>
| | +- TYPE_MATCH: ___check_type_id(L['self'], 7), type=<class 'm.Net'>  (HINT: type Net)
| | | +- EQUALS_MATCH: L['self'].calls == 1                  # if self.calls:  # me/model.py:6 in forward (HINT: an int)

Guard latency = 48.62 us"""
STRINGS = record({"str": ["/home/me/model.py", 3]})


def read(*records: bytes) -> CompileReport:
    report, notes = read_compile_log(b"".join((STRINGS, *records)))
    assert {note.code for note in notes} <= {"not_written"}
    return report


def test_each_check_is_a_guard_with_the_line_it_is_due_to() -> None:
    report = read(record({"dynamo_cpp_guards_str": {}}, TREE, frame="0/1"))
    (found,) = report.guards
    assert (found.compile_id, found.latency_ns) == ("0/1", 48_620)
    assert found.by_kind() == {"GLOBAL_STATE": 1, "TENSOR_MATCH": 1, "TYPE_MATCH": 1, "EQUALS_MATCH": 1}
    _, tensor, kind, equal = found.guards
    assert tensor.source is not None
    assert (tensor.source.file, tensor.source.line, tensor.source.text) == ("/home/me/model.py", 5, "y = self.a(x)")
    assert (kind.text, kind.remark) == ("___check_type_id(L['self'], 7), type=<class 'm.Net'>", "HINT: type Net")
    assert (equal.text, equal.remark) == ("L['self'].calls == 1", "HINT: an int")


def test_the_users_stack_of_a_guard_is_taken_from_where_the_log_has_it() -> None:
    frames = [{"filename": 3, "line": 5, "name": "forward", "loc": "y = self.a(x)"}, None]
    listed = json.dumps([{"code": "L['self'].calls == 1", "user_stack": frames}, 4, {"code": None}])
    report = read(
        record({"dynamo_guards": {}}, listed, frame="0/1"), record({"dynamo_cpp_guards_str": {}}, TREE, frame="0/1")
    )
    (found,) = report.guards
    stacks = {guard.kind: [line.file for line in guard.stack] for guard in found.guards}
    assert stacks == {"GLOBAL_STATE": [], "TENSOR_MATCH": [], "TYPE_MATCH": [], "EQUALS_MATCH": ["/home/me/model.py"]}


@pytest.mark.parametrize(
    ("check", "found"),
    [
        ("tensor 'x' size mismatch at index 0. expected 4, actual 6", ("x size at index 0", "4", "6")),
        ("tensor 'L['x']' stride mismatch at index 1. expected 4, actual 6", ("x stride at index 1", "4", "6")),
        ("tensor 'x' dtype mismatch. expected Float, actual Double", ("x dtype", "Float", "Double")),
        ("tensor 'x' rank mismatch. expected 2, actual 3", ("x rank", "2", "3")),
        ("tensor 'x' requires_grad mismatch. expected requires_grad=0", ("x requires_grad", "0", "1")),
        ("self.calls == 0", ("self.calls", "0", "1")),
        ("L['self'].calls == 0", ("self.calls", "0", "1")),
        ("x.size()[0] == 8", ("x.size()[0]", "8", "6")),
        ("2 <= x.size()[0] <= 4096", ("x.size()[0]", "2 to 4096", "6")),
        ("len(xs) == 3", ("len(xs)", "3", "")),
        ("x.size()[0] != 1", ("x.size()[0]", "!= 1", "6")),
        ("GLOBAL_STATE changed: grad_mode", ("GLOBAL_STATE changed: grad_mode", "", "")),
    ],
)
def test_both_values_of_a_failed_guard(check: str, found: tuple[str, str, str]) -> None:
    assert values_of(check, {"self.calls": "1", "x.size()[0]": "6"}) == found


def test_names_are_the_same_however_they_are_written() -> None:
    assert plain_name("L['self'].blocks[0] + G[\"scale\"]") == "self.blocks[0] + scale"
    assert plain_name("d['x']") == "d['x']", "a dictionary is no scope"


def test_a_recompile_tells_each_entry_the_line_the_values_and_what_it_took() -> None:
    stack = 'User stack trace:\n  File "/home/me/model.py", line 6, in forward\n    if self.calls:'
    reasons = [
        "0/0: tensor 'x' size mismatch at index 0. expected 4, actual 6",
        f"0/0: self.calls == 0    # if self.calls:  # me/model.py:6 in forward (HINT: an int)\n{stack}",
    ]
    older = TREE.replace("size=[6, 3]", "size=[4, 3]").replace("calls == 1", "calls == 0")
    spans = [
        record({"chromium_event": {}}, json.dumps(event), frame="0/1")
        for event in (
            {"name": "entire_frame_compile", "ts": 10, "ph": "B", "tid": 0, "args": {"compile_id": "0/1"}},
            {"name": "entire_frame_compile", "ts": 12.5, "ph": "E", "tid": 0},
        )
    ]
    report = read(
        metrics("0/0"),
        record({"dynamo_cpp_guards_str": {}}, older, frame="0/0"),
        artifact("recompile_reasons", json.dumps(reasons), frame="0/1"),
        record({"dynamo_cpp_guards_str": {}}, TREE, frame="0/1"),
        *spans,
        metrics("0/1"),
    )
    (found,) = report.recompiles
    assert (found.compile_id, found.function, found.dur_ns, found.over_limit) == ("0/1", "forward", 2500, False)
    size, calls = found.failed
    assert (size.entry, size.name, size.expected, size.seen) == ("0/0", "x size at index 0", "4", "6")
    assert size.source is not None
    assert (size.source.line, size.source.text) == (5, "y = self.a(x)")
    assert (calls.text, calls.expected, calls.seen, calls.remark) == ("self.calls == 0", "0", "1", "HINT: an int")
    assert calls.source is not None
    assert (calls.source.file, calls.source.line) == ("/home/me/model.py", 6)


def test_a_line_of_torch_gives_way_to_the_users_that_led_there() -> None:
    library = TREE.replace("y = self.a(x)  # me/model.py:5", "return F.linear(x)  # nn/modules/linear.py:134")
    made = {
        "symbol": "s0",
        "val": "6",
        "vr": "[2, int_oo]",
        "source": "L['x'].size()[0]",
        "user_stack": [
            {"filename": 3, "line": 5, "name": "forward", "loc": "y = self.a(x)"},
            {"filename": 4, "line": 134, "name": "forward", "loc": "return F.linear(x)"},
        ],
    }
    reasons = "0/0: tensor 'x' size mismatch at index 0. expected 4, actual 6"
    records = (
        record({"str": ["/usr/lib/python3/site-packages/torch/nn/modules/linear.py", 4]}),
        record({"dynamo_cpp_guards_str": {}}, library, frame="0/0"),
        artifact("recompile_reasons", reasons, frame="0/1"),
    )
    (found,) = read(*records).recompiles[0].failed
    assert found.source is not None
    assert found.source.file.endswith("torch/nn/modules/linear.py"), "which is all that this log has"
    (found,) = read(*records, record({"create_symbol": made}, frame="0/1")).recompiles[0].failed
    assert found.source is not None
    assert (found.source.file, found.source.line) == ("/home/me/model.py", 5)


def test_a_frame_over_the_limit_is_a_recompile_that_was_refused_and_no_skip() -> None:
    limit = "Dynamo recompile limit exceeded\n  Explanation: too many."
    report = read(
        metrics("0/0"),
        artifact("recompile_reasons", "0/0: x.size()[0] == 8", frame="0/8"),
        metrics("0/8", fail_type="Unsupported", fail_reason=limit),
        metrics("1/8", fail_type="Unsupported", fail_reason=limit),
    )
    assert [(one.compile_id, one.over_limit, len(one.reasons)) for one in report.recompiles] == [
        ("0/8", True, 1),
        ("1/8", True, 0),
    ]
    assert report.skipped == ()


def test_a_failure_without_a_break_record_is_a_skipped_frame_at_its_line() -> None:
    report = read(
        metrics(
            "0/0",
            fail_type="BackendCompilerFailed",
            fail_reason="backend='x' raised: no",
            fail_user_frame_filename="/home/me/model.py",
            fail_user_frame_lineno=9,
        )
    )
    (found,) = report.skipped
    assert (found.function, found.reason.text) == ("forward", "backend='x' raised: no")
    assert found.source is not None
    assert found.cause is not None
    assert (found.source.line, found.cause.line) == (3, 9)


def test_attempts_and_why_dynamo_began_again() -> None:
    report = read(
        record({"dynamo_start": {"stack": []}}, frame="0/0"),
        record({"dynamo_start": {"stack": []}}, frame="0/0", attempt=1),
        metrics("0/0", restart_reasons=["Failed to trace\n  Explanation: x", None, ""]),
    )
    assert [(one.attempts, one.restarts) for one in report.frames] == [(2, ("Failed to trace", "None"))]


def test_caches_say_hit_miss_and_why_they_were_passed_by() -> None:
    hit = json.dumps({"key": "fabc", "time_saved_ns": 3_747_472_260})
    passed = json.dumps({"key": None, "cache_bypass_reason": "cannot pickle"})
    report = read(
        artifact("fx_graph_cache_hit", hit, frame="0/0"),
        artifact("fx_graph_cache_miss", "no json", frame="0/0"),
        artifact("aotautograd_cache_bypass", passed, frame="1/0"),
        artifact("aotautograd_cache_hit", json.dumps({"time_saved_ms": 25, "time_saved_ns": True}), frame="2/0"),
    )
    found = [(one.compile_id, one.cache, one.state, one.key, one.reason, one.saved_ns) for one in report.caches]
    assert found == [
        ("0/0", "fx_graph", "hit", "fabc", "", 3_747_472_260),
        ("0/0", "fx_graph", "miss", "", "", None),
        ("1/0", "aotautograd", "bypass", "", "cannot pickle", None),
        ("2/0", "aotautograd", "hit", "", "", 25_000_000),
    ]


def test_cuda_graphs_are_skipped_recorded_and_recorded_again() -> None:
    code = [
        record({"inductor_output_code": {}}, f"# AOT ID: ['0_{way}']\n", frame="0/0") for way in ("forward", "backward")
    ]
    spans = [
        record({"chromium_event": {}}, json.dumps(event), frame="0/0")
        for at in range(3)
        for event in (
            {"name": "CUDAGraphNode.record", "ts": 10 + at, "ph": "B", "tid": 0, "args": {"compile_id": "0/0"}},
            {"name": "CUDAGraphNode.record", "ts": 10.5 + at, "ph": "E", "tid": 0},
        )
    ]
    report = read(
        *code,
        *spans,
        metrics("1/0", cudagraph_skip_reason="skipping cudagraphs due to mutated inputs (1 instances)"),
        artifact("profviz_cudagraphs", "skipping cudagraphs due to mutated inputs (1 instances)", frame="1/0"),
        artifact("profviz_cudagraphs", "Re-recording function 0: static input data pointer changed.", frame="0/0"),
    )
    assert [(one.compile_id, one.what, one.reason[:15], one.start_ns, one.dur_ns) for one in report.cuda_graphs] == [
        ("1/0", "skip", "skipping cudagr", None, None),
        ("0/0", "re-record", "Re-recording fu", None, None),
        ("0/0", "record", "", 10_000, 500),
        ("0/0", "record", "", 11_000, 500),
        ("0/0", "re-record", "", 12_000, 500),
    ]


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared captures are not beside this checkout")
def test_guards_and_caches_of_a_real_log() -> None:
    report = open_document(SHARED / "broken_train.compile-log.txt.gz").report
    assert report is not None
    assert [(one.compile_id, len(one.guards), one.latency_ns) for one in report.guards] == [
        ("0/0", 24, 62_370),
        ("1/0", 36, 68_110),
        ("2/0", 24, 75_310),
    ]
    assert [frame.restarts for frame in report.frames] == [
        ("Unsupported Tensor.item() call with capture_scalar_outputs=False",),
        ("Failed to trace builtin operator",),
        (),
    ]
    assert [frame for one in report.breaks for frame in one.frames] == ["forward", "forward"]
    assert {(one.cache, one.state) for one in report.caches} == {("aotautograd", "miss"), ("fx_graph", "miss")}
    assert len(report.caches) == 9
    assert (report.recompiles, report.cuda_graphs, report.skipped) == ((), (), ())


@pytest.mark.parametrize("payload", ["", "{", "null", "[1]", "Guard latency = x us", "| +- A_B: "])
@pytest.mark.parametrize(
    "kind", ["dynamo_cpp_guards_str", "dynamo_guards", "recompile_reasons", "fx_graph_cache_hit", "profviz_cudagraphs"]
)
def test_odd_payloads_are_survived(kind: str, payload: str) -> None:
    read_compile_log(record({kind: None}, payload, frame="0/0") + artifact(kind, payload, frame="0/0"))
