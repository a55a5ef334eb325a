"""Whatever a file is packed in, its text comes out; what is damaged gives what it can."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import pytest
import zstandard

from profviz.formats import packing
from profviz.formats.source import Source
from profviz.model.errors import UserError

TEXT = b"".join(b"line %d of a text that is easily packed\n" % i for i in range(20_000))

PACKINGS = {
    "plain": TEXT,
    "gzip": gzip.compress(TEXT),
    "gzip_members": gzip.compress(TEXT[:7]) + gzip.compress(b"") + gzip.compress(TEXT[7:]),
    "gzip_twice": gzip.compress(gzip.compress(TEXT)),
    "gzip_padded": gzip.compress(TEXT) + bytes(512),
    "xz": lzma.compress(TEXT, preset=0),
    "xz_streams": lzma.compress(TEXT[:99], preset=0) + lzma.compress(TEXT[99:], preset=0),
    "zstd": zstandard.compress(TEXT),
    "zstd_frames": zstandard.compress(TEXT[:99]) + zstandard.compress(TEXT[99:]),
    "xz_in_gzip": gzip.compress(lzma.compress(TEXT, preset=0)),
    "bom": b"\xef\xbb\xbf" + TEXT,
    "utf16": TEXT.decode().encode("utf-16"),
    "utf16_big": b"\xfe\xff" + TEXT.decode().encode("utf-16-be"),
}


@pytest.mark.parametrize("packing", PACKINGS)
def test_the_text_comes_out(packing: str, tmp_path: Path) -> None:
    path = tmp_path / "some.name"
    path.write_bytes(PACKINGS[packing])
    source = Source.open(path)
    assert source.read() == (TEXT, ())
    assert source.head(100) == TEXT[:100]
    assert (source.name, source.path) == ("some.name", str(path))


@pytest.mark.parametrize("packing", ["gzip", "xz", "zstd"])
def test_a_cut_stream_gives_what_stands_before_the_cut(packing: str) -> None:
    whole = PACKINGS[packing]
    text, notes = Source(whole[: len(whole) * 3 // 4]).read()
    assert TEXT.startswith(text)
    assert [note.code for note in notes] == ["truncated_gzip"]
    assert notes[0].samples[0].offset == len(text)


def test_a_gzip_without_its_trailer_has_all_its_text() -> None:
    text, notes = Source(gzip.compress(TEXT)[:-4]).read()
    assert text == TEXT
    assert [note.code for note in notes] == ["truncated_gzip"]


def test_a_spoiled_second_member_keeps_the_first() -> None:
    second = bytearray(gzip.compress(TEXT))
    second[10:200] = bytes(190)
    text, notes = Source(gzip.compress(b"first") + bytes(second)).read()
    assert text.startswith(b"first")
    assert [note.code for note in notes] == ["truncated_gzip"]


def test_a_bomb_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "RATIO_FREE_BYTES", 1 << 20)
    monkeypatch.setattr(packing, "MAX_RATIO", 20)
    with pytest.raises(UserError, match="far more than a trace holds"):
        Source(gzip.compress(bytes(8 << 20))).read()


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
    path.write_bytes(TEXT)
    told: list[tuple[int, int]] = []
    Source.open(path).read(lambda done, total: told.append((done, total)))
    assert told[-1] == (len(TEXT), len(TEXT))


def test_the_head_of_a_damaged_stream_is_what_can_be_had() -> None:
    assert Source(gzip.compress(TEXT)[:30]).head(10) in (b"", TEXT[:10])
    assert Source(b"").head(10) == b""
