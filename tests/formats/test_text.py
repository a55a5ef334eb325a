"""The text of a file as a stream, and any part of it again, from any thread, whatever it is packed in."""

from __future__ import annotations

import contextlib
import gc
import gzip
import lzma
import os
import random
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import hypothesis.strategies as st
import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from packed_files import packings, zipped

from profviz.formats import inflating, seeking
from profviz.formats import text as text_module
from profviz.formats.document import Cancelled
from profviz.formats.source import Source
from profviz.formats.text import Text
from profviz.model.errors import UserError

TEXT = b"".join(b"line %d of a text: %d\n" % (i, i * i % 977) for i in range(40_000))
PACKINGS = packings(TEXT)
BLOCK = 50_000


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a text of a megabyte has many blocks and points."""
    monkeypatch.setattr(text_module, "BLOCK_BYTES", BLOCK)
    monkeypatch.setattr(text_module, "PLAIN_BLOCK_BYTES", BLOCK)
    monkeypatch.setattr(seeking, "POINT_BLOCKS", 2)
    monkeypatch.setattr(seeking, "SPOOL_MEMORY", 20_000)


@pytest.fixture(params=PACKINGS)
def packed(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "file"
    path.write_bytes(PACKINGS[request.param])
    return path


def open_handles() -> int:
    listed = Path("/proc/self/fd")
    return len(list(listed.iterdir())) if listed.exists() else 0


def threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("profviz")]


def places() -> list[tuple[int, int]]:
    rng = random.Random(5)
    edges = [(0, 1), (0, 0), (BLOCK - 1, 2), (BLOCK, BLOCK), (len(TEXT) - 3, 10), (len(TEXT), 5), (len(TEXT) + 99, 5)]
    return edges + [(rng.randrange(len(TEXT)), rng.choice((1, 300, 3 * BLOCK))) for _ in range(40)]


def check(text: Text) -> None:
    for offset, length in places():
        assert text.read_at(offset, length) == TEXT[offset : offset + length], (offset, length)


def test_blocks_make_up_the_text_and_parts_can_be_read_again(packed: Path) -> None:
    with Source.open(packed).text() as text:
        blocks = list(text.blocks())
        assert b"".join(blocks) == TEXT
        assert {len(block) for block in blocks[:-1]} == {BLOCK}
        assert text.done == text.size
        assert text.notes == ()
        check(text)


def test_parts_can_be_read_without_streaming(packed: Path) -> None:
    with Source.open(packed).text() as text:
        check(text)
        assert text.done == 0
        assert b"".join(text.blocks()) == TEXT


def test_parts_can_be_read_while_streaming_and_the_stream_be_begun_again(packed: Path) -> None:
    with Source.open(packed).text() as text:
        seen = b""
        for block in text.blocks():
            seen += block
            at = len(seen) // 2
            assert text.read_at(at, 300) == TEXT[at : at + 300]
        assert seen == TEXT
        assert b"".join(text.blocks()) == TEXT


def test_without_ways_parts_come_from_the_beginning(packed: Path) -> None:
    with Source.open(packed).text(keeps_ways=False) as text:
        assert b"".join(text.blocks()) == TEXT
        for offset in (len(TEXT) - 70, 5, BLOCK - 3):
            assert text.read_at(offset, 9) == TEXT[offset : offset + 9]


def test_many_threads_may_read_at_once(packed: Path) -> None:
    wrong: list[BaseException] = []
    with Source.open(packed).text() as text:

        def work() -> None:
            try:
                check(text)
            except BaseException as error:
                wrong.append(error)

        readers = [threading.Thread(target=work) for _ in range(4)]
        for reader in readers:
            reader.start()
        assert b"".join(text.blocks()) == TEXT
        for reader in readers:
            reader.join()
    assert not wrong


@pytest.mark.parametrize("end", ["close", "drop", "text"])
def test_a_stream_ended_early_leaves_nothing(packed: Path, end: str) -> None:
    handles = open_handles()
    text = Source.open(packed).text()
    blocks: Iterator[bytes] | None = text.blocks()
    assert blocks is not None
    assert next(blocks) == TEXT[:BLOCK]
    if end == "text":
        text.close()
        with pytest.raises(Cancelled):
            next(blocks)
    elif end == "close":
        blocks.close()  # type: ignore[attr-defined]
    blocks = None
    assert threads() == []
    text.close()
    assert open_handles() == handles


def test_a_stream_that_gives_nothing_for_long_can_be_ended() -> None:
    text = Source(gzip.compress(b"[") + gzip.compress(b"") * 400_000).text()
    ended: list[bool] = []

    def take() -> None:
        try:
            list(text.blocks())
        except Cancelled:
            ended.append(True)

    reader = threading.Thread(target=take)
    reader.start()
    while not threads():
        time.sleep(0.001)
    text.close()
    reader.join()
    assert ended == [True]


def test_a_stream_never_begun_starts_no_thread(packed: Path) -> None:
    with Source.open(packed).text() as text:
        text.blocks()
        assert threads() == []


def test_a_text_that_is_dropped_lets_go_of_all(packed: Path) -> None:
    handles = open_handles()
    text = Source.open(packed).text()
    for _ in text.blocks():
        pass
    del text
    gc.collect()
    assert open_handles() == handles


def test_a_closed_text_gives_nothing(packed: Path) -> None:
    text = Source.open(packed).text()
    text.close()
    text.close()
    with pytest.raises(ValueError, match="closed"):
        text.blocks()
    with pytest.raises(ValueError, match="closed"):
        text.read_at(0, 1)


def test_a_place_before_the_beginning_is_a_mistake() -> None:
    with Source(TEXT).text() as text, pytest.raises(ValueError, match="no such part"):
        text.read_at(-1, 5)


@pytest.mark.parametrize("change", ["longer", "later", "gone"])
def test_a_file_that_changed_is_noticed(packed: Path, change: str) -> None:
    with Source.open(packed).text() as text:
        for _ in text.blocks():
            pass
        assert text.read_at(10, 5) == TEXT[10:15]
        state = packed.stat()
        if change == "longer":
            with packed.open("ab") as file:
                file.write(b"more")
        elif change == "later":
            os.utime(packed, ns=(state.st_atime_ns, state.st_mtime_ns + 1_000_000))
        else:
            packed.unlink()
        with pytest.raises(UserError, match="can't be read" if change == "gone" else "has changed on disk"):
            text.read_at(10, 5)


@pytest.mark.parametrize("name", ["gzip", "xz", "zstd", "zip", "gzip_twice", "utf16_in_xz"])
def test_what_was_saved_of_a_cut_file_can_be_read_again(name: str) -> None:
    whole = PACKINGS[name]
    with Source(whole[: len(whole) * 2 // 3]).text() as text:
        saved = b"".join(text.blocks())
        assert 0 < len(saved) < len(TEXT)
        assert [note.samples[0].offset for note in text.notes] == [len(saved)]
        assert text.read_at(0, len(TEXT)) == saved
        assert text.read_at(len(saved) - 5, 10) == saved[-5:]
    with Source(whole[: len(whole) * 2 // 3]).text() as text:
        assert text.read_at(len(saved) - 5, 10) == saved[-5:]
        assert [note.samples[0].offset for note in text.notes] == [len(saved)]


def test_an_error_while_unpacking_comes_to_who_takes_the_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("profviz.formats.packing.RATIO_FREE_BYTES", 1 << 20)
    monkeypatch.setattr("profviz.formats.packing.MAX_RATIO", 20)
    with Source(gzip.compress(bytes(4 << 20))).text() as text:
        blocks = text.blocks()
        with pytest.raises(UserError, match="far more"):
            for _ in blocks:
                pass
        with pytest.raises(UserError, match="far more"):
            text.read_at(3 << 20, 1)
    assert threads() == []


def test_copies_of_layers_stay_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seeking, "MAX_POINTS", 4)
    with Source(PACKINGS["gzip"]).text() as text:
        for _ in text.blocks():
            pass
        assert text._rereading is not None
        assert isinstance(text._rereading.ways, seeking.Points)
        assert 1 < len(text._rereading.ways._layers) <= 4
        check(text)


def test_a_full_disk_costs_only_time(monkeypatch: pytest.MonkeyPatch) -> None:
    with Source(PACKINGS["zstd"]).text() as text:
        assert text._rereading is not None
        ways = text._rereading.ways
        assert isinstance(ways, seeking.Spool)
        write = ways._file.write
        written: list[int] = []

        def until_full(data: bytes) -> int:
            written.append(len(data))
            if len(written) > 3:
                raise OSError(28, "No space left on device")
            return write(data)

        monkeypatch.setattr(ways._file, "write", until_full)
        assert b"".join(text.blocks()) == TEXT
        check(text)
        assert len(written) == 4


PACKERS: tuple[Callable[[bytes], bytes], ...] = (
    gzip.compress,
    lambda data: lzma.compress(data, preset=0),
    lambda data: zstandard.compress(data, 1),
    lambda data: gzip.compress(data[: len(data) // 3]) + gzip.compress(data[len(data) // 3 :]),
    lambda data: zipped(("t.json", data)),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.text(st.characters(codec="utf-8"), min_size=9, max_size=4_000).map(lambda s: "[" + s),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    packers=st.lists(st.sampled_from(PACKERS), max_size=3),
    block=st.integers(1, 3_000),
    piece=st.integers(8, 5_000),
    machine=st.sampled_from([zlib, inflating.deflate]),
    where=st.lists(st.tuples(st.integers(0, 9_000), st.integers(0, 4_000)), max_size=6),
)
def test_any_text_in_any_packing_by_any_blocks(
    text: str,
    encoding: str,
    packers: list[Callable[[bytes], bytes]],
    block: int,
    piece: int,
    machine: ModuleType,
    where: list[tuple[int, int]],
) -> None:
    packed = text.encode(encoding)
    for pack in packers:
        packed = pack(packed)
    wanted = text.encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_module, "BLOCK_BYTES", block)
        patch.setattr(text_module, "PLAIN_BLOCK_BYTES", block)
        patch.setattr("profviz.formats.packing.PIECE", piece)
        patch.setattr("profviz.formats.packing.FIRST_PIECE", piece // 2)
        patch.setattr(inflating, "deflate", machine)
        for streamed in (True, False):
            with Source(packed).text() as opened:
                if streamed:
                    assert b"".join(opened.blocks()) == wanted
                for offset, length in where:
                    assert opened.read_at(offset, length) == wanted[offset : offset + length]
                assert opened.notes == ()


@st.composite
def spoiled(draw: st.DrawFn) -> bytes:
    """A packed file with bytes changed, left out or put in, and its end perhaps missing."""
    data = bytearray(draw(st.sampled_from(list(SMALL.values()))))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(data) - 1))
        put = draw(st.binary(max_size=5))
        data[at : at + draw(st.integers(0, 5))] = put
    return bytes(data[: draw(st.integers(1, len(data)))] if draw(st.booleans()) else data)


SMALL = packings(b"[" + TEXT[:900])


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=spoiled(), block=st.sampled_from([1, 100, 5_000]))
def test_no_damage_ever_raises_anything_but_a_sentence(data: bytes, block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_module, "BLOCK_BYTES", block)
        patch.setattr(text_module, "PLAIN_BLOCK_BYTES", block)
        with contextlib.suppress(UserError):
            with Source(data).text() as streamed:
                text = b"".join(streamed.blocks())
                assert streamed.read_at(0, len(text) + 9) == text
            with Source(data).text() as unstreamed:
                assert unstreamed.read_at(0, len(text) + 9) == text
                assert unstreamed.notes == streamed.notes
            assert Source(data).head(100) == text[:100]
