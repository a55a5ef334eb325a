"""The content decides which reader opens a file; what is none of them is told what it looks like."""

from __future__ import annotations

import gzip
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from defect_files import DEFECTS, SHARED

from profviz.formats.registry import FORMATS, choose_format, open_document
from profviz.formats.source import Source
from profviz.model.errors import NothingInside, UserError

SAMPLES = Path(__file__).parents[2] / "samples" / "traces"


def test_every_format_is_whole_and_its_id_is_its_own() -> None:
    assert len({form.id for form in FORMATS}) == len(FORMATS)
    for form in FORMATS:
        assert re.fullmatch(r"[a-z_]+", form.id)
        assert form.title
        assert all(suffix.startswith(".") for suffix in form.suffixes)
        assert form.sniff(b"", "x" + form.suffixes[0]) == 0
        assert 0 <= form.sniff(b"nothing in particular", "x.txt") < 50


@pytest.mark.parametrize("name", ["mlp_eager", "mlp_compiled"])
def test_a_sample_opens_as_a_trace(name: str) -> None:
    document = open_document(SAMPLES / f"{name}.json.gz")
    assert document.title == name
    assert document.notes == ()
    assert document.trace is not None
    assert (document.report, document.session) == (None, None)


def test_a_real_compile_log_opens_as_a_report() -> None:
    path = SHARED / "gpt2.compile-log.txt.gz"
    if not path.exists():
        pytest.skip("the shared captures are not beside this checkout")
    document = open_document(path)
    assert document.report is not None
    assert document.report.graph_count == 1


def test_the_suffix_does_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "trace.profviz"
    path.write_bytes(gzip.decompress((SAMPLES / "mlp_eager.json.gz").read_bytes()))
    assert open_document(path).trace is not None


NO_TRACES = ("zero", "nothing", "compiling", ".counters.")
WHOLE_TRACES = [
    path
    for path in sorted(DEFECTS.iterdir())
    if path.name.endswith((".json", ".json.gz")) and not any(word in path.name for word in NO_TRACES)
]


@pytest.mark.parametrize("path", WHOLE_TRACES, ids=lambda path: path.name)
def test_a_damaged_trace_is_still_seen_as_one(path: Path) -> None:
    form = choose_format(Source.open(path).head(4096), path.name)
    assert form is not None
    assert form.id == "chrome_trace"


@pytest.mark.parametrize("name", ["zero_bytes.json", "gzip_of_nothing.json.gz", "no_events.json", "empty_object.json"])
def test_an_empty_file_says_who_left_it_empty(name: str) -> None:
    with pytest.raises(UserError, match="is empty: the exporter wrote no data"):
        open_document(DEFECTS / name)


@pytest.mark.parametrize(
    ("content", "looks"),
    [
        (b"import torch\nmodel = 1\n", "plain text beginning with 'import torch"),
        (b"\x7fELF\x02\x01", "a program"),
        (b"\x89PNG\r\n", "a picture"),
        (b"\x80\x04\x95\x00", "a Python pickle"),
        (b'{"model": "gpt2"}', "JSON without trace events"),
        (b"<html></html>", "a web page"),
        (b"ab\x00cd", "binary data"),
    ],
)
def test_a_foreign_file_is_told_what_it_looks_like(content: bytes, looks: str, tmp_path: Path) -> None:
    path = tmp_path / "thing"
    path.write_bytes(content)
    with pytest.raises(UserError, match="thing is not a trace, a compile log or a session") as caught:
        open_document(path)
    assert looks in caught.value.why


def test_a_foreign_zip_is_no_session(tmp_path: Path) -> None:
    path = tmp_path / "model.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "nothing")
    with pytest.raises(UserError):
        open_document(path)


def test_the_notes_of_packing_and_content_come_together() -> None:
    codes = {note.code for note in open_document(DEFECTS / "gzip_cut.json.gz").notes}
    assert codes == {"truncated_packing", "truncated"}


def test_a_long_preamble_does_not_hide_the_events(tmp_path: Path) -> None:
    path = tmp_path / "late.json"
    preamble = '{"otherData": "' + "x" * 100_000 + '"'
    path.write_text(preamble + ', "traceEvents": [{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 1}]}')
    assert open_document(path).trace is not None
    path.write_text(preamble + "}")
    with pytest.raises(UserError, match=r"late\.json is not a trace"):
        open_document(path)


def test_a_packed_file_of_which_nothing_is_left_is_damaged_not_empty(tmp_path: Path) -> None:
    path = tmp_path / "trace.json.gz"
    path.write_bytes(gzip.compress(b'{"traceEvents": []}')[:10] + b"\xff" * 100)
    with pytest.raises(UserError, match="damaged: nothing of it can be unpacked"):
        open_document(path)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_trace_behind_many_blanks_is_one(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / "late.json"
    path.write_bytes(pack(b"\n" * 200_000 + b'[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1}]'))
    trace = open_document(path).trace
    assert trace is not None
    assert trace.event_count == 1


@pytest.mark.parametrize("text", [b"", b" " * 200_000, b"[]", b"{}", b'{"traceEvents":[{}]}', b"[" + b" " * 200_000])
def test_a_file_with_nothing_inside_says_so_by_its_kind(text: bytes, tmp_path: Path) -> None:
    path = tmp_path / "none.json"
    path.write_bytes(text)
    with pytest.raises(NothingInside, match="empty"):
        open_document(path)
