"""Whatever a file is packed in, its text comes out; what is damaged gives what it can."""

from __future__ import annotations

import gzip
import lzma
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from packed_files import packings, zipped, zipped_as_stream

from profviz.formats import inflating, packing
from profviz.formats import source as source_module
from profviz.formats.source import Source
from profviz.model.errors import UserError

TEXT = b"".join(b"line %d of a text that is easily packed\n" % i for i in range(20_000))
SHORT = b"".join(b"%d," % (i * i) for i in range(60))
PACKINGS = packings(TEXT)
CUT_OFF = {name: data for name, data in packings(SHORT).items() if name in ("gzip", "xz", "zstd", "zip", "gzip_twice")}


@pytest.mark.parametrize("name", PACKINGS)
def test_the_text_comes_out(name: str, tmp_path: Path) -> None:
    path = tmp_path / "some.name"
    path.write_bytes(PACKINGS[name])
    source = Source.open(path)
    assert source.read() == (TEXT, ())
    assert source.head(100) == TEXT[:100]
    assert (source.name, source.path, source.member) == ("some.name", str(path), "")


@pytest.mark.parametrize("name", PACKINGS)
def test_without_zlib_ng_the_standard_library_does_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inflating, "deflate", zlib)
    monkeypatch.setattr(packing, "deflate", zlib)
    assert Source(PACKINGS[name]).read() == (TEXT, ())


def test_it_imports_without_zlib_ng() -> None:
    code = (
        "import sys, zlib, gzip; sys.modules['zlib_ng'] = None; from profviz.formats import inflating, source;"
        "assert inflating.deflate is zlib; assert source.Source(gzip.compress(b'[]')).read() == (b'[]', ())"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])


@pytest.mark.parametrize("name", ["gzip", "xz", "zstd", "zip"])
def test_a_cut_stream_gives_what_stands_before_the_cut(name: str) -> None:
    whole = PACKINGS[name]
    text, notes = Source(whole[: len(whole) * 3 // 4]).read()
    assert len(text) > len(TEXT) // 3
    assert TEXT.startswith(text)
    assert [note.code for note in notes] == ["truncated_packing"]
    assert notes[0].samples[0].offset == len(text)


@pytest.mark.parametrize("name", CUT_OFF)
def test_a_cut_anywhere_is_told_and_loses_only_what_follows(name: str) -> None:
    whole = CUT_OFF[name]
    for cut in range(30 if name == "zip" else 6, len(whole)):
        text, notes = Source(whole[:cut]).read()
        assert SHORT.startswith(text) or text == b"\x1f", cut  # one byte is not enough to know a packing by
        assert [(note.code, note.samples[0].offset) for note in notes] == [("truncated_packing", len(text))], cut


def test_a_gzip_without_its_trailer_has_all_its_text() -> None:
    text, notes = Source(gzip.compress(TEXT)[:-4]).read()
    assert text == TEXT
    assert notes[0].samples[0].text == "the gzip stream ends early"


def test_damage_takes_nothing_that_stands_before_it() -> None:
    whole = bytearray(gzip.compress(TEXT))
    whole[-8] ^= 1  # only the checksum is wrong
    text, notes = Source(bytes(whole)).read()
    assert text == TEXT
    assert notes[0].samples[0].text == "the gzip stream is damaged"


@pytest.mark.parametrize("name", ["gzip", "xz", "zstd", "zip", "zip_stored"])
def test_a_spoiled_byte_never_goes_unnoticed(name: str) -> None:
    whole = packings(SHORT)[name]
    body = range(whole.index(b"json") + 4, whole.rindex(b"PK\x01\x02")) if name.startswith("zip") else range(10, 60)
    if name == "zstd":
        whole = zstandard.ZstdCompressor(write_checksum=True).compress(SHORT)
    for at in body:
        spoiled = bytearray(whole)
        spoiled[at] ^= 0x10
        text, notes = Source(bytes(spoiled)).read()
        assert text == SHORT or notes, at


def test_a_spoiled_second_member_keeps_the_first() -> None:
    second = bytearray(gzip.compress(TEXT))
    second[10:200] = bytes(190)
    text, notes = Source(gzip.compress(b"first") + bytes(second)).read()
    assert text.startswith(b"first")
    assert [note.code for note in notes] == ["truncated_packing"]


def test_the_lowest_of_several_cuts_is_the_cause() -> None:
    _, notes = Source(gzip.compress(zstandard.compress(TEXT))[:-100]).read()
    assert [(note.code, note.count) for note in notes] == [("truncated_packing", 1)]
    assert notes[0].samples[0].text == "the gzip stream ends early"


@pytest.mark.parametrize("name", ["gzip", "xz", "zstd"])
def test_other_bytes_behind_the_end_are_told(name: str) -> None:
    text, notes = Source(PACKINGS[name] + b"something else").read()
    assert text == TEXT
    assert [note.code for note in notes] == ["packed_tail"]


def test_thousands_of_empty_members_are_passed_over() -> None:
    assert Source(gzip.compress(b"") * 20_000 + gzip.compress(b"[]")).read() == (b"[]", ())
    assert Source(zstandard.compress(b"") * 20_000 + zstandard.compress(b"[]")).read() == (b"[]", ())


@pytest.mark.parametrize("pack", [gzip.compress, lambda data: lzma.compress(data, preset=0), zstandard.compress])
def test_a_bomb_is_refused(pack: object, monkeypatch: pytest.MonkeyPatch) -> None:
    assert callable(pack)
    monkeypatch.setattr(packing, "RATIO_FREE_BYTES", 1 << 20)
    monkeypatch.setattr(packing, "MAX_RATIO", 20)
    for bomb in (pack(bytes(8 << 20)), gzip.compress(pack(bytes(8 << 20))), zipped(("a.json", pack(bytes(8 << 20))))):
        with pytest.raises(UserError, match="far more than a trace holds"):
            Source(bomb).read()


def test_what_is_no_text_in_utf_16_is_counted() -> None:
    text, notes = Source(b"\xff\xfe" + "aä".encode("utf-16-le") + b"\x00\xd8" + b"b\0" + b"\x01").read()
    assert text.decode() == "aä�b�"
    assert [(note.code, note.count) for note in notes] == [("bad_text", 2)]


def test_an_xz_that_wants_all_memory_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inflating, "XZ_MEMORY", 1 << 20)
    text, notes = Source(lzma.compress(TEXT, preset=6)).read()
    assert text == b""
    assert "wants more memory" in notes[0].samples[0].text


def test_a_zip_gives_the_member_that_looks_like_a_trace() -> None:
    archive = zipped(("read.me", b"hello"), ("b.json.gz", gzip.compress(TEXT)), ("a.json", b'{"traceEvents": []}'))
    assert Source(archive).read() == (b'{"traceEvents": []}', ())
    assert Source(archive, member="b.json.gz").read() == (TEXT, ())
    assert Source(archive, member="read.me").head(3) == b"hel"
    with pytest.raises(UserError, match="has no member"):
        Source(archive, member="other").read()


def test_other_traces_in_a_zip_are_told() -> None:
    text, notes = Source(zipped(("a.json", b"[1]"), ("b.txt", b"hello"), ("c.json", b"[2]"))).read()
    assert text == b"[1]"
    assert [(note.code, note.count, note.samples[0].text) for note in notes] == [("second_document", 1, "c.json")]


def test_a_zip_without_a_trace_and_a_session_stay_as_they_are() -> None:
    for archive in (zipped(("a", b"1"), ("b", b"2")), zipped(("manifest.json", b"{}")), zipped(("x", b"1"))[-22:]):
        assert Source(archive).read() == (archive, ())


def test_a_stored_member_of_unknown_size_runs_to_the_cut() -> None:
    archive = zipped_as_stream("t.json", SHORT, method=zipfile.ZIP_STORED)
    text, notes = Source(archive[: archive.index(SHORT) + 50]).read()
    assert text == SHORT[:50]
    assert notes[0].samples[0].text == "the zip archive has no directory, so its end is missing"


def test_what_a_zip_locks_or_packs_strangely_is_told() -> None:
    locked = bytearray(zipped(("t.json", SHORT)))
    locked[locked.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(UserError, match="locked with a password"):
        Source(bytes(locked)).read()
    with pytest.raises(UserError, match="packed in a way") as caught:
        Source(zipped(("t.json", SHORT), method=zipfile.ZIP_BZIP2)).read()
    assert "method 12" in caught.value.why


def test_a_folder_and_a_missing_file_are_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is a folder") as caught:
        Source.open(tmp_path)
    assert "holds nothing" in caught.value.hint
    for name in ("b.json", "a.profviz", "notes.md"):
        (tmp_path / name).touch()
    with pytest.raises(UserError) as caught:
        Source.open(tmp_path)
    assert caught.value.hint == "Open a file in it: a.profviz, b.json."
    with pytest.raises(UserError, match="There is no file"):
        Source.open(tmp_path / "none.json")


def test_progress_counts_bytes_to_the_end(tmp_path: Path) -> None:
    path = tmp_path / "t"
    for data in (TEXT, PACKINGS["gzip"], PACKINGS["zip"]):
        path.write_bytes(data)
        told: list[tuple[int, int]] = []
        Source.open(path).read(lambda done, total, told=told: told.append((done, total)))
        assert told[-1][0] == told[-1][1] > len(data) - 200


def test_the_head_of_a_damaged_stream_is_what_can_be_had() -> None:
    assert Source(gzip.compress(TEXT)[:30]).head(10) in (b"", TEXT[:10])
    assert Source(b"").head(10) == b""
    assert Source(b"").read() == (b"", ())


def test_a_file_that_goes_away_is_told(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_bytes(b"[]")
    source = Source.open(path)
    path.unlink()
    with pytest.raises(UserError, match="can't be read"):
        source.read()


def test_a_zip_that_lost_bytes_gives_its_first_member() -> None:
    archive = zipped(("t.json", b"[" + SHORT))
    lost = archive[: archive.index(b"PK\x01\x02") - 3] + archive[archive.index(b"PK\x01\x02") :]
    text, notes = Source(lost).read()
    assert text[:200] == (b"[" + SHORT)[:200]
    assert [note.code for note in notes] == ["truncated_packing"]


def test_a_directory_that_points_nowhere_is_told() -> None:
    archive = bytearray(zipped(("t.json", SHORT)))
    archive[archive.index(b"PK\x01\x02") + 42] = 5
    with pytest.raises(UserError, match="can't be found in the zip archive"):
        Source(bytes(archive)).read()


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_text_is_known_by_what_stands_behind_its_blanks(pack: Callable[[bytes], bytes]) -> None:
    blanks = b" \n" * 100_000
    source = Source(pack(blanks + TEXT))
    assert source.beginning(1000) == TEXT[:1000]
    assert Source(pack(TEXT)).beginning(1000) == TEXT[:1000]
    assert Source(pack(blanks + b"x")).beginning(1000) == b"x"
    assert Source(pack(blanks)).beginning(1000) == b""


def test_no_more_than_some_blanks_are_looked_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_module, "MAX_BLANKS", 1 << 20)
    assert Source(b" " * (5 << 20) + TEXT).beginning(10) == b""
