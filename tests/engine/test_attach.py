"""Which opened compile log belongs to which opened trace."""

from __future__ import annotations

import json
from dataclasses import replace

from profviz.engine.attach import attach_reports, called_keys
from profviz.formats.chrome import read_chrome_trace
from profviz.model.compile_report import CompileReport, GeneratedCode
from profviz.model.trace import Trace


def trace(*names: str) -> Trace:
    events = [
        {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": 10 * at, "dur": 5}
        for at, name in enumerate(names)
    ]
    return read_chrome_trace(json.dumps({"traceEvents": events}).encode(), title="t")[0]


def report(*keys: str) -> CompileReport:
    code = tuple(GeneratedCode("0/0", "forward", "", "", key=key) for key in keys)
    return CompileReport("2.11", None, (), (), (), (), (), code, len(code), None)


def call(key: str) -> str:
    return f"## Call CompiledFxGraph {key} ##"


EAGER = trace("aten::mm")
OLD = trace("Torch-Compiled Region: 0/0", "aten::mm")


def test_a_trace_names_the_graphs_it_calls() -> None:
    assert called_keys(trace(call("fabc"), call("fxyz"), call("fabc"), "## Call Other ##")) == {"fabc", "fxyz"}


def test_keys_decide_whatever_the_order_of_the_files() -> None:
    first, second = report("fabc"), report("fxyz")
    found = attach_reports([EAGER, trace(call("fxyz")), trace(call("fabc"))], [first, second])
    assert found == {1: second, 2: first}


def test_most_keys_in_common_win_and_one_log_may_serve_two_traces() -> None:
    some, most = report("fa"), report("fa", "fb")
    compiled = trace(call("fa"), call("fb"))
    found = attach_reports([compiled, compiled], [some, most])
    assert found[0] is most
    assert found[1] is most


def test_without_keys_the_order_decides_and_eager_gets_none() -> None:
    first, second = report(), report()
    found = attach_reports([EAGER, OLD, OLD], [first, second])
    assert list(found) == [1, 2]
    assert found[1] is first
    assert found[2] is second


def test_a_trace_of_another_compilation_gets_none() -> None:
    assert attach_reports([trace(call("fa"), "Torch-Compiled Region: 0/0")], [report("fb")]) == {}
    assert attach_reports([EAGER], [report("fa")]) == {}
    assert attach_reports([OLD], []) == {}


def test_of_logs_that_fit_alike_each_trace_gets_its_ranks() -> None:
    marked, other = ["Torch-Compiled Region: 0/0"], [call("k")]
    for names, keys in ((marked, ()), (other, ("k",))):
        traces = [replace(trace(*names), meta={"distributedInfo": {"rank": rank}}) for rank in (0, 1)]
        logs = [replace(report(*keys), rank=rank) for rank in (1, 0)]
        assert attach_reports(traces, logs) == {0: logs[1], 1: logs[0]}
