"""A log that the torch of this interpreter writes now: breaks, recompiles, the recompile limit, a skipped frame."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from profviz.analysis.registry import run_diagnoses
from profviz.formats.registry import open_document
from profviz.model.compile_report import CompileReport
from profviz.model.findings import Verdict
from profviz.model.graph import Stage

pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not in this interpreter"),
]

# aot_eager: Dynamo's and AOTAutograd's records without a C++ compiler
SCRIPT = """\
import torch
def narrow(x):
    return torch.relu(x) * 2
def looped(x):
    for _ in range(2):
        print(end="")
        x = x + 1
    return x
def branching(x):
    y = x * 2
    if y.sum() > 0:
        y = y + 1
    return y
compiled = torch.compile(narrow, backend="aot_eager", dynamic=False)
for size in range(2, 13):
    compiled(torch.ones(size))
torch.compile(looped, backend="aot_eager")(torch.ones(3))
torch.compile(branching, backend="aot_eager")(torch.ones(3, requires_grad=True)).sum().backward()
"""
LIMIT = 8


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> CompileReport:
    folder = tmp_path_factory.mktemp("live")
    script = folder / "model.py"
    script.write_text(SCRIPT, encoding="utf-8")
    environment = os.environ | {"TORCH_TRACE": str(folder / "trace"), "TORCHINDUCTOR_CACHE_DIR": str(folder / "cache")}
    subprocess.run([sys.executable, str(script)], env=environment, check=True, capture_output=True, timeout=240)
    (log,) = (folder / "trace").iterdir()
    document = open_document(log)
    assert document.report is not None
    assert not [note for note in document.notes if note.code != "unknown_record"]
    return document.report


def line_of(text: str) -> int:
    return next(number for number, line in enumerate(SCRIPT.split("\n"), 1) if text in line)


def test_breaks_stand_at_the_users_lines(report: CompileReport) -> None:
    found = {(Path(one.source.file).name, one.source.line, one.source.function) for one in report.breaks}
    assert found == {("model.py", line_of("if y.sum()"), "branching")}
    assert all(one.reason and "\n" not in one.reason for one in report.breaks)


def test_a_function_that_reached_the_limit_is_named(report: CompileReport) -> None:
    narrow = [frame for frame in report.frames if frame.function == "narrow"]
    assert len(narrow) == LIMIT + 1
    assert [bool(frame.fail) for frame in narrow] == [False] * LIMIT + [True]
    assert {frame.source.line for frame in narrow if frame.source} == {line_of("def narrow")}
    recompiles = [one for one in report.recompiles if one.function == "narrow"]
    assert len(recompiles) == LIMIT
    assert "expected 2, actual 3" in recompiles[0].reasons[0]
    finding = next(one for one in run_diagnoses(None, [], [("log", report)]) if one.id == "recompiles")
    assert finding.verdict is Verdict.BAD
    assert "The limit was reached: narrow " in finding.text


def test_a_frame_that_could_not_be_split_was_skipped(report: CompileReport) -> None:
    (looped,) = (frame for frame in report.frames if frame.function == "looped")
    assert looped.fail
    (skipped,) = report.skipped
    assert skipped.source == looped.source
    assert (skipped.function, skipped.cause and skipped.cause.line) == ("looped", line_of("print("))
    assert skipped.reason.plain.startswith("Python prints here")
    finding = next(one for one in run_diagnoses(None, [], [("log", report)]) if one.id == "breaks")
    assert "1 frame could not be compiled" in finding.text


def test_graphs_of_both_directions_are_read(report: CompileReport) -> None:
    stages = {graph.stage for graph in report.graphs}
    assert {Stage.DYNAMO, Stage.AOT_FORWARD, Stage.AOT_BACKWARD, Stage.AOT_INFERENCE} <= stages
    assert all(graph.nodes and graph.nodes[-1].op == "output" for graph in report.graphs)
    assert report.compile_ns
    assert report.torch_version
