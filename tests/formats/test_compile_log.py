"""The compile-log reader against the real captures, and against damage of each kind."""

from __future__ import annotations

import ast
import gzip
import hashlib
import json
import re
from pathlib import Path

import pytest

from profviz.formats.compile_log import read_compile_log, read_compile_logs
from profviz.formats.compile_log.graph_text import parse_graph, parse_tensor
from profviz.formats.registry import open_document, open_documents
from profviz.model.compile_report import CompileReport
from profviz.model.graph import Graph, Stage, TensorSpec

SHARED = Path(__file__).parents[2].parent / "shared" / "traces"
LOGS = sorted(path.name for path in SHARED.glob("*compile-log*"))
needs_captures = pytest.mark.skipif(not LOGS, reason="the shared captures are not beside this checkout")


def report_of(name: str) -> CompileReport:
    document = open_document(SHARED / name)
    assert document.notes == ()
    assert document.report is not None
    return document.report


@needs_captures
def test_broken_train_breaks_at_its_two_lines() -> None:
    report = report_of("broken_train.compile-log.txt.gz")
    breaks = [(Path(b.source.file).name, b.source.line, b.gb_id, b.count, b.source.text) for b in report.breaks]
    assert breaks == [
        ("capture_one.py", 40, "GB0124", 1, "if x.sum().item() > 0:"),
        ("capture_one.py", 43, "GB0059", 1, 'print("", end="")'),
    ]
    assert "capture_scalar_outputs" in report.breaks[0].hints[0]
    assert report.breaks[0].reason == "Unsupported Tensor.item() call with capture_scalar_outputs=False"
    stages = [graph.stage for graph in report.graphs]
    assert [stages.count(s) for s in (Stage.DYNAMO, Stage.AOT_FORWARD, Stage.POST_GRAD_BACKWARD)] == [3, 3, 3]
    assert (report.graph_count, len(report.code), report.recompiles) == (3, 6, ())
    assert [(frame.attempts, frame.cache, frame.fail) for frame in report.frames] == [
        (2, "miss", ""),
        (2, "miss", ""),
        (1, "miss", ""),
    ]


@needs_captures
def test_gpt2_is_one_graph_without_a_break() -> None:
    report = report_of("gpt2.compile-log.txt.gz")
    assert (report.graph_count, report.breaks, report.torch_version) == (1, (), "2.11.0+cu130")
    (code,) = report.code
    assert (code.direction, len(code.kernels), code.key[:8]) == ("inference", 103, "fcvkt2zq")
    post_grad = next(graph for graph in report.graphs if graph.stage is Stage.POST_GRAD_INFERENCE)
    assert {handle for node in post_grad.nodes for handle in node.kernels} == set(code.kernels)
    assert report.compile_ns is not None
    assert report.frames[0].duration_ns is not None
    assert report.frames[0].duration_ns <= report.compile_ns


@needs_captures
def test_a_graph_split_for_ddp_is_numbered_and_ranks_are_kept() -> None:
    report = report_of("ddp.compiled.rank1.compile-log.txt.gz")
    assert report.rank == 1
    backward = [graph.compile_id for graph in report.graphs if graph.stage is Stage.POST_GRAD_BACKWARD]
    assert backward[:2] == ["5/0 part 14", "5/0 part 13"] or "7/0" in backward
    assert len(set(backward)) == len(backward) == 15


def independent_counts(text: str) -> tuple[int, set[tuple[str, str]]]:
    """Nodes and distinct edges of a graph text, found with Python's own parser."""
    source = text[text.index("def forward") :]
    lines = source.split("\n")
    stop = next((i for i, line in enumerate(lines) if i and re.match(r"\s*(class|def) ", line)), len(lines))
    indent = next(len(line) - len(line.lstrip()) for line in lines[1:] if line.strip())
    body = [lines[0]] + [line if not line.strip() or line.startswith(" ") else " " + line for line in lines[1:stop]]
    function = ast.parse("\n".join(body)).body[0]
    assert indent
    assert isinstance(function, ast.FunctionDef)
    alias = {argument.arg: argument.arg for argument in function.args.args if argument.arg != "self"}
    count, edges = len(alias), set()
    written: dict[str, set[str]] = {}
    for statement in function.body:
        if isinstance(statement, ast.AnnAssign) and statement.value is None:
            continue  # the joint graph announces what it takes its parameters apart into
        if isinstance(statement, ast.AugAssign):
            assert isinstance(statement.target, ast.Name)
            users = {alias[n.id] for n in ast.walk(statement.value) if isinstance(n, ast.Name) and n.id in alias}
            written[statement.target.id] = users
            continue
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Tuple):
            alias = {name.id: name.id for name in statement.targets[0].elts if isinstance(name, ast.Name)}
            count = len(alias)
            continue
        if isinstance(statement, ast.Assign | ast.AnnAssign):
            target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
            value = statement.value
            assert isinstance(target, ast.Name)
            if isinstance(value, ast.Constant) and value.value is None:
                continue  # `x = None` lets a tensor go
            if isinstance(value, ast.Name) and value.id not in written and alias.get(value.id) == value.id:
                alias[target.id] = value.id
                continue
            assert value is not None
            if isinstance(value, ast.Name) and value.id in written:
                edges |= {(user, target.id) for user in written.pop(value.id)}
            edges |= {(alias[n.id], target.id) for n in ast.walk(value) if isinstance(n, ast.Name) and n.id in alias}
            alias[target.id] = target.id
            count += 1
        elif isinstance(statement, ast.Return):
            names = ast.walk(statement)
            edges |= {(alias[n.id], "output") for n in names if isinstance(n, ast.Name) and n.id in alias}
            count += 1
    return count, edges


def edges_of(graph: Graph) -> set[tuple[str, str]]:
    def name(index: int) -> str:
        node = graph.nodes[index]
        return node.target if node.op == "placeholder" else node.name

    return {(name(a), name(b)) for a, b in graph.edges}


@needs_captures
@pytest.mark.parametrize("log", LOGS)
def test_nodes_and_edges_equal_an_independent_count(log: str) -> None:
    for graph in report_of(log).graphs:
        count, edges = independent_counts(graph.text)
        assert (graph.title, len(graph.nodes)) == (graph.title, count)
        assert edges_of(graph) == edges
        assert len(graph.edges) == len(edges)


GRAPH = """class GraphModule(torch.nn.Module):
    def forward(self, L_x_: "f32[s0, 4][4, 1]cpu", mask: "b8[]"):
        l_x_ = L_x_

        # File: /home/me/a.py:3 in f, code: y = x.relu() + "mask"
        relu: "f32[s0, 4][4, 1]cpu" = l_x_.relu();  l_x_ = None
        add = relu + 1
        w: "f32[4]" = self.linear_weight
        # No stacktrace found for following nodes
        where: "f32[s0, 4]" = torch.where(mask, add, 0, note = 'add', mask = w);  mask = None
        getitem = where[0];  where = None
        neg = -getitem
        neg += add;  neg_1: "f32[4]" = neg;  neg = None
        return (
            neg_1,  # PlainAOTOutput(idx=0)
            None,
        )

    class inner(torch.nn.Module):
        def forward(self, arg: "f32[1]"):
            return (arg,)
"""


def test_each_form_of_statement() -> None:
    graph = parse_graph(GRAPH, stage=Stage.DYNAMO, compile_id="0/0")
    assert [(node.name, node.op, node.target) for node in graph.nodes] == [
        ("l_x_", "placeholder", "L_x_"),
        ("mask", "placeholder", "mask"),
        ("relu", "call_method", "relu"),
        ("add", "call_function", "add"),
        ("w", "get_attr", "linear_weight"),
        ("where", "call_function", "torch.where"),
        ("getitem", "call_function", "getitem"),
        ("neg", "call_function", "neg"),
        ("neg_1", "call_function", "iadd"),
        ("output", "output", "output"),
    ]
    assert graph.nodes[0].tensor == TensorSpec(("s0", 4), "float32", (4, 1), "cpu")
    assert graph.nodes[2].source is not None
    assert (graph.nodes[2].source.line, graph.nodes[2].source.text) == (3, 'y = x.relu() + "mask"')
    assert graph.nodes[5].source is None
    assert edges_of(graph) == {
        ("L_x_", "relu"),
        ("relu", "add"),
        ("mask", "where"),
        ("add", "where"),
        ("w", "where"),
        ("where", "getitem"),
        ("getitem", "neg"),
        ("neg", "neg_1"),
        ("add", "neg_1"),
        ("neg_1", "output"),
    }


@pytest.mark.parametrize("text", ["", "nonsense", "def forward(", "    def forward(self, a):\n", "\0" * 50])
def test_a_text_that_is_no_graph_is_an_empty_one(text: str) -> None:
    assert len(parse_graph(text, stage=Stage.DYNAMO, compile_id="0/0").nodes) <= 1


@pytest.mark.parametrize(("text", "spec"), [("Sym(s0)", None), ("", None), ("bf16[][]cuda:0", ((), "bfloat16"))])
def test_annotations(text: str, spec: tuple[object, str] | None) -> None:
    tensor = parse_tensor(text)
    assert (None if tensor is None else (tensor.shape, tensor.dtype)) == spec


def record(body: dict[str, object], payload: str | None = None, *, pid: int = 7, digest: str = "") -> bytes:
    if payload is not None:
        body = body | {"has_payload": digest or hashlib.md5(payload.encode()).hexdigest()}
    lines = "".join(f"\n\t{line}" for line in payload.split("\n")) if payload is not None else ""
    return f"V1129 13:13:34.064000 {pid} torch/x.py:1] {json.dumps(body)}{lines}\n".encode()


FRAME = {"frame_id": 0, "frame_compile_id": 0, "attempt": 0}
TINY = "class G(torch.nn.Module):\n    def forward(self, a):\n        return (a,)\n"


def test_damage_costs_only_the_damaged_record() -> None:
    good = record({"dynamo_output_graph": {}} | FRAME, TINY)
    log = b"".join(
        (
            good,
            record({"dynamo_start": {"stack": None}} | FRAME),
            record({"dynamo_output_graph": {}} | FRAME)[:-4] + b"\n",
            record({"from_the_future": 1}),
            record({"aot_forward_graph": {}} | FRAME, TINY, digest="0" * 32),
            b"no record at all\n",
        )
    )
    report, notes = read_compile_log(log)
    assert {note.code: note.count for note in notes} == {"bad_record": 2, "bad_digest": 1, "unknown_record": 1}
    assert [graph.stage for graph in report.graphs] == [Stage.DYNAMO, Stage.AOT_FORWARD]
    offsets = {note.code: [sample.offset for sample in note.samples] for note in notes}
    assert log[offsets["bad_record"][1] :].startswith(b"no record")


@pytest.mark.parametrize("value", [None, 1, "x", [], [1], {}, {"stack": [1, None, {"line": "a"}]}, True])
@pytest.mark.parametrize("kind", ["dynamo_start", "compilation_metrics", "artifact", "str", "inductor_output_code"])
def test_odd_values_are_survived(kind: str, value: object) -> None:
    report, _ = read_compile_log(record({kind: value} | FRAME, "x") + record({kind: value}))
    assert report.breaks == ()


def artifact(name: str, payload: str, *, attempt: int = 0, compile_number: int = 0, pid: int = 7) -> bytes:
    frame = {"frame_id": 0, "frame_compile_id": compile_number, "attempt": attempt}
    return record({"artifact": {"name": name, "encoding": "string"}} | frame, payload, pid=pid)


BREAK = """
Graph break in user code at /site-packages/lib/a.py:9
Graph Break Reason: general

  Exact title
  Explanation: because.
  Hint: do that.

 For more details: https://example.org/gb/gb0042.html

User code traceback:
  File "<string>", line 1, in <module>
  File "/home/me/model.py", line 5, in forward
    return helper(x)
  File "/home/me/model.py", line 2, in helper
    print(x)
  File "/site-packages/lib/a.py", line 9, in print
    pass

Traceback (most recent call last):
"""


def test_the_same_break_three_times_is_one_row() -> None:
    log = b"".join(artifact("dynamo_graph_break_reason", BREAK, compile_number=n) for n in (0, 1, 1))
    report, _ = read_compile_log(log)
    (found,) = report.breaks
    assert (found.source.file, found.source.line, found.source.text) == ("/home/me/model.py", 2, "print(x)")
    assert (found.count, found.compile_ids, found.gb_id) == (3, ("0/0", "0/1"), "GB0042")
    assert (found.reason, found.explanation, found.hints) == ("Exact title", "because.", ("do that.",))
    assert [line.function for line in found.stack] == ["forward", "helper", "print"]
    assert [(chain.count, chain.compile_ids) for chain in found.chains] == [(3, ("0/0", "0/1"))]


def test_an_old_break_text_keeps_its_reason() -> None:
    text = "\nGraph break in user code at /home/me/m.py:4\nReason: Unsupported: builtin print\nUser code traceback:\n"
    report, _ = read_compile_log(artifact("dynamo_graph_break_reason", text))
    assert [(b.source.line, b.reason) for b in report.breaks] == [(4, "builtin print")]


@pytest.mark.parametrize(
    ("payload", "reasons"),
    [("0/0: size mismatch", ("0/0: size mismatch",)), ('["0/1: a", "0/0: b"]', ("0/1: a", "0/0: b"))],
)
def test_recompile_reasons_come_as_text_or_as_a_list(payload: str, reasons: tuple[str, ...]) -> None:
    report, _ = read_compile_log(artifact("recompile_reasons", payload, compile_number=1))
    assert [(one.compile_id, one.reasons) for one in report.recompiles] == [("0/1", reasons)]


def span(phase: str, name: str, time_us: str, *, pid: int = 7, compile_id: str = "0/0") -> bytes:
    args = json.dumps({"compile_id": compile_id})
    event = f'{{"name": "{name}", "ts": {time_us}, "ph": "{phase}", "tid": 0, "pid": 0, "args": {args}}}'
    return record({"chromium_event": {}} | FRAME, event, pid=pid)


def test_spans_nest_exactly_and_outermost_time_is_not_counted_twice() -> None:
    base = 1_795_958_014_064_321
    log = b"".join(
        (
            span("B", "dynamo", f"{base}.2"),
            span("B", "entire_frame_compile", f"{base + 1}.203"),
            span("E", "entire_frame_compile", f"{base + 3}.204"),
            span("E", "dynamo", f"{base + 5}.2"),
            span("E", "never_begun", f"{base + 5}.2"),
            span("B", "never_ended", f"{base + 6}"),
            span("i", "tick", f"{base + 8}"),
        )
    )
    report, notes = read_compile_log(log)
    assert [(e.name, e.depth, e.dur_ns) for e in report.events] == [
        ("dynamo", 0, 5000),
        ("entire_frame_compile", 1, 2001),
        ("never_ended", 0, 2000),
    ]
    assert report.events[0].start_ns == base * 1000 + 200
    assert report.compile_ns == 7000
    assert {note.code for note in notes} == {"unfinished", "cut_span"}


def test_times_beyond_any_clock_cost_their_span_alone() -> None:
    far = str(2**70)
    first_call = record({"profviz_first_call": {}}, json.dumps({"start_ns": 1, "end_ns": 2**70}))
    log = b"".join(
        (span("B", "far", far), span("B", "dynamo", "1000"), span("E", "dynamo", far), span("B", "early", "-5"))
    )
    report, notes = read_compile_log(log + first_call)
    assert [(event.name, event.start_ns) for event in report.events] == [("dynamo", 1_000_000)]
    assert {note.code: note.count for note in notes} == {"bad_record": 3, "unfinished": 1}
    assert report.first_call is None


def test_a_thread_without_a_compile_id_has_none() -> None:
    log = b"".join(span(phase, "compile_file", at, compile_id="None") for phase, at in (("B", "1"), ("E", "2")))
    report, _ = read_compile_log(log)
    assert [event.compile_id for event in report.events] == [""]


def test_helper_threads_may_end_out_of_order() -> None:
    order = ("B outer", "B file", "B wait", "E file", "E wait", "B lost", "E outer", "i tick")
    spans = (span(*text.split(), f"{1000 + at}") for at, text in enumerate(order))
    report, notes = read_compile_log(b"".join(spans))
    assert [(e.name, e.depth, e.dur_ns) for e in report.events] == [
        ("outer", 0, 6000),
        ("file", 1, 2000),
        ("wait", 2, 2000),
        ("lost", 1, 1000),
    ]
    assert [note.code for note in notes] == ["unfinished"]


def test_each_process_of_one_file_is_a_report_of_its_own() -> None:
    graphs = [record({"dynamo_output_graph": {}, "rank": rank} | FRAME, TINY, pid=9 - rank) for rank in (1, 0)]
    nobody = record({"artifact": {"name": "torch_version"}}, '{"pytorch_version": "2.13.0"}', pid=3)
    reports, notes = read_compile_logs(b"".join([nobody, *graphs]))
    assert [(one.rank, one.process, one.whose) for one in reports] == [(0, 9, "rank 0"), (1, 8, "rank 1")]
    assert [[graph.compile_id for graph in one.graphs] for one in reports] == [["0/0"], ["0/0"]]
    assert notes == ()


def test_processes_without_a_rank_are_told_apart_by_their_number() -> None:
    graphs = [record({"dynamo_output_graph": {}} | FRAME, TINY, pid=pid) for pid in (8, 7)]
    reports, _ = read_compile_logs(b"".join(graphs))
    assert [one.whose for one in reports] == ["process 8", "process 7"]
    alone, _ = read_compile_logs(b"")
    assert [(one.graph_count, one.whose) for one in alone] == [(0, "")]


@needs_captures
def test_a_folder_of_logs_is_read_rank_by_rank_and_so_is_one_file_of_both(tmp_path: Path) -> None:
    names = [f"ddp.compiled.rank{rank}.compile-log.txt.gz" for rank in (0, 1)]
    for name in names:
        (tmp_path / name).write_bytes((SHARED / name).read_bytes())
    documents = open_documents(tmp_path)
    assert [document.report and document.report.rank for document in documents] == [0, 1]
    heads = [gzip.decompress((SHARED / name).read_bytes())[:600_000] for name in names]
    both = b"".join(head[: head.rindex(b"\nV") + 1] for head in heads)
    (tmp_path / "both.log").write_bytes(both)
    together = open_documents(tmp_path / "both.log")
    assert [one.title for one in together] == ["both.log · rank 0", "both.log · rank 1"]
    for one, alone in zip(together, documents, strict=True):
        assert one.report is not None
        assert alone.report is not None
        assert [found.source for found in one.report.breaks] == [found.source for found in alone.report.breaks]
        assert [frame.compile_id for frame in one.report.frames][:5] == ["0/0", "1/0", "2/0", "3/0", "4/0"]


@needs_captures
def test_every_cut_of_a_log_is_read_up_to_the_cut() -> None:
    data = gzip.decompress((SHARED / "broken_train.compile-log.txt.gz").read_bytes())
    for size in range(0, len(data), len(data) // 40):
        report, _ = read_compile_log(data[:size])
        assert len(report.breaks) <= 2


def test_triton_kernels_say_what_they_launch_with() -> None:
    told = {
        "tuned": {"autotune_cache_state": "miss", "num_configs": 3, "compile_time_us": 7},
        "fixed": {"autotune_cache_state": "only 1 config", "only_config": [["XBLOCK", 64], ["num_warps", 4]]},
        "odd": {"best_config": {"XBLOCK": 8}, "num_configs": "many", "compile_time_us": None},
        "no table": 1,
    }
    log = record({"artifact": {"name": "triton_kernel_info"}} | FRAME, json.dumps(told))
    report, _ = read_compile_log(log)
    found = [(one.name, one.tuning, one.config, one.configs, one.compile_ns) for one in report.triton]
    assert found == [
        ("tuned", "miss", (), 3, 7_000),
        ("fixed", "only 1 config", (("XBLOCK", "64"), ("num_warps", "4")), 1, None),
        ("odd", "", (("XBLOCK", "8"),), None, None),
    ]
    assert read_compile_log(record({"artifact": {"name": "triton_kernel_info"}} | FRAME, "[]"))[0].triton == ()


@needs_captures
def test_every_triton_kernel_of_gpt2_is_told_of() -> None:
    report = report_of("gpt2.compile-log.txt.gz")
    named = {handle.rpartition(":")[0] for handle in report.code[0].kernels if handle.startswith("triton_")}
    assert named == {one.name for one in report.triton}
