"""The compile-log reader against the real captures, and against damaged records."""

from __future__ import annotations

import ast
import gzip
import json
import re
from pathlib import Path

import pytest
from log_records import TINY, artifact, record

from profviz.formats.compile_log import read_compile_log
from profviz.formats.compile_log.graph_text import parse_graph, parse_tensor
from profviz.formats.registry import open_document
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


def test_damage_costs_only_the_damaged_record() -> None:
    good = record({"dynamo_output_graph": {}}, TINY, frame="0/0")
    log = b"".join(
        (
            good,
            record({"dynamo_start": {"stack": None}}, frame="0/0"),
            record({"dynamo_output_graph": {}}, frame="0/0")[:-4] + b"\n",
            record({"from_the_future": 1}),
            record({"aot_forward_graph": {}}, TINY, frame="0/0", digest="0" * 32),
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
    report, _ = read_compile_log(record({kind: value}, "x", frame="0/0") + record({kind: value}))
    assert report.breaks == ()


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
    log = b"".join(artifact("dynamo_graph_break_reason", BREAK, frame=f"0/{n}") for n in (0, 1, 1))
    report, _ = read_compile_log(log)
    (found,) = report.breaks
    assert (found.source.file, found.source.line, found.source.text) == ("/home/me/model.py", 2, "print(x)")
    assert (found.count, found.compile_ids, found.gb_id) == (3, ("0/0", "0/1"), "GB0042")
    assert (found.reason, found.explanation, found.hints) == ("Exact title", "because.", ("do that.",))
    assert [line.function for line in found.stack] == ["forward", "helper", "print"]
    assert [(chain.count, chain.compile_ids) for chain in found.chains] == [(3, ("0/0", "0/1"))]


def test_an_old_break_text_keeps_its_reason() -> None:
    text = "\nGraph break in user code at /home/me/m.py:4\nReason: Unsupported: builtin print\nUser code traceback:\n"
    report, _ = read_compile_log(artifact("dynamo_graph_break_reason", text, frame="0/0"))
    assert [(b.source.line, b.reason) for b in report.breaks] == [(4, "builtin print")]


@pytest.mark.parametrize(
    ("payload", "reasons"),
    [("0/0: size mismatch", ("0/0: size mismatch",)), ('["0/1: a", "0/0: b"]', ("0/1: a", "0/0: b"))],
)
def test_recompile_reasons_come_as_text_or_as_a_list(payload: str, reasons: tuple[str, ...]) -> None:
    report, _ = read_compile_log(artifact("recompile_reasons", payload, frame="0/1"))
    assert [(one.compile_id, one.reasons) for one in report.recompiles] == [("0/1", reasons)]


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
    log = record({"artifact": {"name": "triton_kernel_info"}}, json.dumps(told), frame="0/0")
    report, _ = read_compile_log(log)
    found = [(one.name, one.tuning, one.config, one.configs, one.compile_ns) for one in report.triton]
    assert found == [
        ("tuned", "miss", (), 3, 7_000),
        ("fixed", "only 1 config", (("XBLOCK", "64"), ("num_warps", "4")), 1, None),
        ("odd", "", (("XBLOCK", "8"),), None, None),
    ]
    assert read_compile_log(record({"artifact": {"name": "triton_kernel_info"}}, "[]", frame="0/0"))[0].triton == ()


@needs_captures
def test_every_triton_kernel_of_gpt2_is_told_of() -> None:
    report = report_of("gpt2.compile-log.txt.gz")
    named = {handle.rpartition(":")[0] for handle in report.code[0].kernels if handle.startswith("triton_")}
    assert named == {one.name for one in report.triton}
