"""Logs of the samples by other versions of torch than the one installed: the same is read from each.

They are what profviz's worker wrote on a CPU, cut to what is read here: no tensor descriptions, wrappers, repro scripts
or configurations, of a break's text only the part before torch's own traceback, of the breaks' logs no guards and no
times; places of that machine are renamed, and digests made anew.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from profviz.analysis.break_fixes import fix_of
from profviz.formats.compile_log import read_compile_log
from profviz.model.compile_report import CompileReport, Origin
from profviz.model.graph import Stage

LOGS = Path(__file__).parent / "torch_logs"


def versions(name: str) -> list[str]:
    return sorted(path.name.removesuffix(f".{name}.log.gz") for path in LOGS.glob(f"*.{name}.log.gz"))


VERSIONS = versions("graph_breaks")
WITHOUT_PROVENANCE = ("torch-2.6.0", "torch-2.7.1", "torch-2.8.0")
FIRST_USE = "x = (x - x.mean(dim=-1, keepdim=True)) / x.std(dim=-1, keepdim=True)"
every_version = pytest.mark.parametrize("version", VERSIONS)


def report_of(version: str, name: str) -> CompileReport:
    counted = LOGS / f"{version}.{name}.counters.json"
    counters = json.loads(counted.read_text(encoding="utf-8")) if counted.exists() else None
    report, notes = read_compile_log(
        gzip.decompress((LOGS / f"{version}.{name}.log.gz").read_bytes()), counters=counters
    )
    assert {note.code for note in notes} <= {"break_sources", "not_written"}
    return report


def unknown(version: str, name: str) -> set[str]:
    data = gzip.decompress((LOGS / f"{version}.{name}.log.gz").read_bytes())
    _, notes = read_compile_log(data)
    return {sample.text.split(" (")[0] for note in notes if note.code == "not_written" for sample in note.samples}


def test_there_are_old_and_new_ones() -> None:
    assert {"torch-2.6.0", "torch-2.7.1"} <= set(VERSIONS)


@every_version
def test_every_construct_is_found_at_its_line(version: str) -> None:
    report = report_of(version, "graph_breaks")
    texts = [one.source.text for one in report.breaks]
    assert len({one.source.line for one in report.breaks}) == len(texts) == 14
    assert sum("# breaks: " in text for text in texts) == 12
    assert sum("# skipped: " in text for text in texts) == 2
    assert {one.function for one in report.skipped} == {"loop", "with_lock"}
    assert all("# skipped: " in one.cause.text for one in report.skipped if one.cause)
    assert all(one.plain and fix_of(one) for one in report.breaks)
    assert all(one.chains[0].calls[0].function == "forward" for one in report.breaks)


@every_version
def test_log_and_counters_tell_of_the_same_breaks(version: str) -> None:
    report = report_of(version, "graph_breaks")
    assert report.unplaced == ()
    assert {one.origin for one in report.breaks} == {Origin.BOTH}


@every_version
def test_a_size_that_changes_is_told_with_both_values_and_the_line(version: str) -> None:
    report = report_of(version, "dynamic_shapes")
    (found,) = report.recompiles
    (failed,) = found.failed
    assert (found.function, failed.entry, failed.name) == ("forward", "0/0", "x size at index 0")
    assert {failed.expected, failed.seen} <= {"8", "16", "24", "32"}
    assert failed.expected != failed.seen
    assert failed.source is not None
    assert failed.source.text == FIRST_USE
    assert found.dur_ns
    assert [(one.of, one.value) for one in report.symbols] == [("L['x'].size()[0]", failed.seen)]


@every_version
def test_without_dynamic_shapes_each_entry_says_what_it_wanted(version: str) -> None:
    report = report_of(version, "fixed_shapes")
    seen = [[(one.entry, one.name) for one in found.failed] for found in report.recompiles]
    size = "x size at index 0"
    assert seen == [
        [("0/0", size)],
        [("0/1", size), ("0/0", size)],
        [("0/2", size), ("0/1", size), ("0/0", size)],
    ]
    assert all(one.expected != one.seen for found in report.recompiles for one in found.failed)
    assert {one.source and one.source.text for found in report.recompiles for one in found.failed} == {FIRST_USE}


@pytest.mark.parametrize("version", versions("mlp"))
def test_training_gives_graphs_code_spans_and_cache_keys_both_ways(version: str) -> None:
    report = report_of(version, "mlp")
    assert report.graph_count == 1
    stages = {graph.stage for graph in report.graphs}
    assert {Stage.DYNAMO, Stage.AOT_FORWARD, Stage.AOT_BACKWARD} <= stages
    assert {Stage.POST_GRAD_FORWARD, Stage.POST_GRAD_BACKWARD} <= stages
    assert [(one.compile_id, one.direction) for one in report.code] == [("0/0", "forward"), ("0/0", "backward")]
    assert all(one.key and one.text for one in report.code)
    (frame,) = report.frames
    assert frame.function == "forward"
    assert frame.duration_ns
    assert frame.backward_ns
    assert frame.guards
    assert report.guards[0].guards
    assert {"entire_frame_compile", "entire_backward_compile", "compile_file"} <= {one.name for one in report.events}
    assert report.first_call is not None
    backward = next(graph for graph in report.graphs if graph.stage is Stage.AOT_BACKWARD)
    assert {node.source.text for node in backward.nodes if node.source} >= {"return self.down(x)"}
    states = [(one.cache, one.state) for one in report.caches if one.cache == "fx_graph"]
    assert states == [("fx_graph", "miss")] * 2


@pytest.mark.parametrize("version", versions("mlp"))
def test_kernels_are_linked_to_nodes_and_lines_where_torch_writes_how(version: str) -> None:
    report = report_of(version, "mlp")
    known = [bool(one.kernels) for one in report.code]
    assert known == [version not in WITHOUT_PROVENANCE] * 2
    for one in report.code:
        assert set(one.kernels) == set(one.nodes) == set(one.stacks)


def test_what_an_older_torch_does_not_write_is_unknown() -> None:
    version, kernels = "torch's own version", "which nodes and lines each generated kernel computes"
    guards, cache = "what checking guards costs a call", "what AOTAutograd's cache had"
    ids, hints = "torch's id of each kind of graph break", "torch's hints on graph breaks"
    assert unknown("torch-2.6.0", "mlp") == {version, guards, kernels, cache}
    assert unknown("torch-2.6.0", "graph_breaks") == {version, ids, hints}
    assert unknown("torch-2.7.1", "mlp") == {version, kernels}
    assert unknown("torch-2.7.1", "graph_breaks") == {version, ids}
    assert unknown("torch-2.9.1", "mlp") == {version}
    assert unknown("torch-2.14.1", "mlp") == unknown("torch-2.14.1", "graph_breaks") == set()
