"""Several processes in one log, or a log each: every one is a report of its own."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from log_records import TINY, record

from profviz.formats.compile_log import read_compile_logs
from profviz.formats.registry import open_documents

SHARED = Path(__file__).parents[2].parent / "shared" / "traces"


def test_each_process_of_one_file_is_a_report_of_its_own() -> None:
    graphs = [record({"dynamo_output_graph": {}, "rank": rank}, TINY, frame="0/0", pid=9 - rank) for rank in (1, 0)]
    nobody = record({"artifact": {"name": "torch_version"}}, '{"pytorch_version": "2.13.0"}', pid=3)
    reports, notes = read_compile_logs(b"".join([nobody, *graphs]))
    assert [(one.rank, one.process, one.whose) for one in reports] == [(0, 9, "rank 0"), (1, 8, "rank 1")]
    assert [[graph.compile_id for graph in one.graphs] for one in reports] == [["0/0"], ["0/0"]]
    assert notes == ()


def test_processes_without_a_rank_are_told_apart_by_their_number() -> None:
    graphs = [record({"dynamo_output_graph": {}}, TINY, frame="0/0", pid=pid) for pid in (8, 7)]
    reports, _ = read_compile_logs(b"".join(graphs))
    assert [one.whose for one in reports] == ["process 8", "process 7"]
    alone, _ = read_compile_logs(b"")
    assert [(one.graph_count, one.whose) for one in alone] == [(0, "")]


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared captures are not beside this checkout")
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
