from __future__ import annotations

import os
import stat
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_column_file import NOTES, same, small_trace

from profviz.formats import cache, cache_place, column_file
from profviz.formats.cache import SourceKey, load, source_key, store
from profviz.formats.column_file import write_columns

MIB = 1 << 20
OFFSETS = np.array([0, 4 * MIB, 9 * MIB], dtype="u8")
LENGTHS = np.array([5, 5, 5], dtype="u4")
Keep = Callable[..., bool]

pytestmark = pytest.mark.usefixtures("roomy_disk")


@pytest.fixture
def roomy_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """How full the disk of whoever runs the tests is must not decide them."""
    monkeypatch.setattr(cache, "KEEP_FREE_BYTES", 0)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A file that was written to a while ago."""
    path = tmp_path / "trace.json"
    path.write_bytes(os.urandom(cache.MIN_FILE_BYTES * 4))
    settle(path)
    return path


def settle(path: Path, *, seconds_ago: int = 100) -> None:
    then = time.time_ns() - seconds_ago * 1_000_000_000
    os.utime(path, ns=(then, then))


def key_of(path: Path) -> SourceKey:
    key = source_key(path)
    assert key is not None
    return key


def keep(path: Path, *, title: str = "t", key: SourceKey | None = None) -> bool:
    return store(key or key_of(path), trace=small_trace(title=title), notes=NOTES, offsets=OFFSETS, lengths=LENGTHS)


def entries() -> list[Path]:
    folder = cache_place.cache_folder()
    return sorted(folder.iterdir()) if folder.is_dir() else []


def test_what_was_stored_is_found_again(source: Path) -> None:
    assert load(key_of(source)) is None
    assert keep(source)
    stored = load(key_of(source))
    assert stored is not None
    assert same(small_trace(title="t"), stored.trace)
    assert stored.notes == NOTES
    assert stored.offsets.tolist() == OFFSETS.tolist()


def test_it_lies_in_the_users_cache_and_is_nobody_elses_to_read(source: Path, own_home: Path) -> None:
    keep(source)
    (entry,) = (own_home / "cache").iterdir()
    assert "trace" not in entry.name
    if os.name == "posix":
        assert stat.S_IMODE(entry.stat().st_mode) == 0o600


def test_a_folder_can_be_named(source: Path, tmp_path: Path) -> None:
    arguments: dict[str, Any] = {"trace": small_trace(), "notes": (), "offsets": OFFSETS, "lengths": LENGTHS}
    assert store(key_of(source), **arguments, folder=tmp_path / "a" / "b")
    assert load(key_of(source), folder=tmp_path / "a" / "b") is not None
    assert load(key_of(source)) is None


def overwrite(path: Path, place: int) -> None:
    """Changes one byte; size and time of last change stay."""
    about = path.stat()
    with path.open("r+b") as file:
        file.seek(place, os.SEEK_END if place < 0 else os.SEEK_SET)
        byte = file.read(1)
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte[0] ^ 1]))
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))


@pytest.mark.parametrize(
    "change",
    [
        lambda path: path.write_bytes(path.read_bytes() + b"x"),
        lambda path: settle(path, seconds_ago=50),
        lambda path: overwrite(path, 0),
        lambda path: overwrite(path, -1),
        lambda path: overwrite(path, cache.MIN_FILE_BYTES),
    ],
    ids=["longer", "later", "another head", "another tail", "another middle"],
)
def test_another_content_is_not_taken_for_it(source: Path, change: Callable[[Path], Any]) -> None:
    keep(source)
    change(source)
    assert load(key_of(source)) is None


@pytest.mark.parametrize("place", [10, -10])
def test_head_and_tail_count_even_where_the_clock_tells_nothing(source: Path, place: int) -> None:
    before = key_of(source)
    overwrite(source, place)
    assert replace(key_of(source), ctime_ns=before.ctime_ns) != before


def test_equal_files_at_two_places_are_two(source: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_bytes(source.read_bytes())
    keep(source)
    assert load(key_of(other)) is None


def test_a_path_and_the_same_path_told_otherwise_are_one(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(source)
    monkeypatch.chdir(source.parent)
    assert load(key_of(Path("..") / source.parent.name / source.name)) is not None


def test_a_file_that_changes_while_it_is_read_is_not_kept(source: Path) -> None:
    key = key_of(source)
    overwrite(source, 0)
    assert not keep(source, key=key)
    assert entries() == []


def test_a_file_that_was_written_to_just_now_is_not_kept(source: Path) -> None:
    os.utime(source)
    assert not keep(source)
    assert entries() == []


def test_another_version_reads_again(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(source)
    monkeypatch.setattr(cache, "READER_VERSION", cache.READER_VERSION + 1)
    assert load(key_of(source)) is None
    assert keep(source, title="by the new one")
    assert len(entries()) == 1  # the old one is of no use to anybody


def test_small_files_are_not_worth_it(source: Path, tmp_path: Path) -> None:
    (tmp_path / "small").write_bytes(b"x" * (cache.MIN_FILE_BYTES - 1))
    assert source_key(tmp_path / "small") is None
    few = store(key_of(source), trace=small_trace(), notes=(), offsets=OFFSETS // 2, lengths=LENGTHS)
    assert not few
    assert entries() == []


@pytest.mark.parametrize("make", [lambda path: None, lambda path: path.mkdir(), lambda path: os.mkfifo(path)])
def test_what_is_no_file_has_no_key(tmp_path: Path, make: Callable[[Path], Any]) -> None:
    if os.name != "posix":
        pytest.skip("no named pipes")
    make(tmp_path / "x")
    assert source_key(tmp_path / "x") is None


def test_a_damaged_entry_is_a_miss_and_goes(source: Path) -> None:
    keep(source)
    (entry,) = entries()
    data = bytearray(entry.read_bytes())
    data[70] ^= 1
    entry.write_bytes(data)
    assert load(key_of(source)) is None
    assert entries() == []
    assert keep(source)


def test_an_entry_under_anothers_name_is_a_miss(source: Path, tmp_path: Path) -> None:
    keep(source)
    (entry,) = entries()
    other = tmp_path / "other.json"
    other.write_bytes(os.urandom(cache.MIN_FILE_BYTES))
    entry.rename(entry.with_name(key_of(other).file_name))
    assert load(key_of(other)) is None
    assert entries() == []


def test_zero_bytes_turn_it_off(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(source)
    key = key_of(source)
    monkeypatch.setenv("PROFVIZ_CACHE_BYTES", "0")
    assert source_key(source) is None
    assert load(key) is None
    assert not keep(source, key=key)


@pytest.mark.parametrize(("text", "limit"), [("5", 5), ("-1", 0), ("lots", 4 << 30), ("", 4 << 30)])
def test_the_limit_is_read_from_the_environment(text: str, limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROFVIZ_CACHE_BYTES", text)
    assert cache.limit_bytes() == limit


def sources(folder: Path, count: int) -> list[Path]:
    made = [folder / f"{number}.json" for number in range(count)]
    for path in made:
        path.write_bytes(os.urandom(cache.MIN_FILE_BYTES))
        settle(path)
    return made


def test_what_was_used_longest_ago_is_evicted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    a, b, c, d = sources(tmp_path, 4)
    for age, path in ((300, a), (200, b), (100, c)):
        keep(path)
        settle(cache_place.cache_folder() / key_of(path).file_name, seconds_ago=age)
    assert load(key_of(a)) is not None  # so b is the oldest now
    size = entries()[0].stat().st_size
    monkeypatch.setenv("PROFVIZ_CACHE_BYTES", str(3 * size + 100))
    assert keep(d)
    assert [load(key_of(path)) is not None for path in (a, b, c, d)] == [True, False, True, True]


def test_what_is_larger_than_the_limit_evicts_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = sources(tmp_path, 2)
    keep(a)
    monkeypatch.setenv("PROFVIZ_CACHE_BYTES", "300")
    assert not keep(b)
    assert load(key_of(a)) is not None


def test_a_full_disk_is_left_alone(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "KEEP_FREE_BYTES", 1 << 62)
    assert not keep(source)
    assert entries() == []


def test_a_disk_that_fills_up_leaves_no_half_file(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(number: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert not keep(source)
    assert entries() == []


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written(source: Path, own_home: Path) -> None:
    own_home.chmod(0o500)
    try:
        assert not keep(source)
        assert load(key_of(source)) is None
    finally:
        own_home.chmod(0o700)


def test_a_file_where_the_folder_should_be(source: Path, own_home: Path) -> None:
    (own_home / "cache").write_text("in the way")
    assert not keep(source)
    assert load(key_of(source)) is None


def test_what_cannot_be_carried_is_not_kept(source: Path) -> None:
    bad = small_trace(meta={"a": object()})
    assert not store(key_of(source), trace=bad, notes=(), offsets=OFFSETS, lengths=LENGTHS)
    assert entries() == []


def test_what_a_process_that_died_left_behind_goes(source: Path) -> None:
    keep(source)
    folder = cache_place.cache_folder()
    for name, age in ((".1-ab.part-a.columns", 7 * 3600), (".1-ab.part-b.columns", 60), ("other.txt", 7 * 3600)):
        (folder / name).write_bytes(b"x")
        settle(folder / name, seconds_ago=age)
    keep(source)
    assert {path.name for path in entries()} == {".1-ab.part-b.columns", "other.txt", key_of(source).file_name}


def test_deleting_the_folder_at_any_time_is_safe(source: Path) -> None:
    keep(source)
    stored = load(key_of(source))
    for path in entries():
        path.unlink()
    cache_place.cache_folder().rmdir()
    assert load(key_of(source)) is None
    assert stored is not None
    assert same(small_trace(title="t"), stored.trace)
    assert keep(source)


def test_many_at_once_never_see_half_an_entry(source: Path) -> None:
    wrong: list[str] = []
    key = key_of(source)

    def work(title: str) -> None:
        for _ in range(20):
            keep(source, title=title)
            stored = load(key)
            if stored is not None and stored.trace.title not in ("a", "b", "c"):
                wrong.append(stored.trace.title)

    threads = [threading.Thread(target=work, args=(title,)) for title in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert [path.name for path in entries()] == [key.file_name]


@pytest.mark.parametrize(
    ("platform", "variables", "place"),
    [
        ("linux", {"XDG_CACHE_HOME": "/c"}, "/c/profviz"),
        ("linux", {}, "/h/.cache/profviz"),
        ("darwin", {}, "/h/Library/Caches/profviz"),
        ("win32", {"LOCALAPPDATA": "/l"}, "/l/profviz"),
        ("linux", {"PROFVIZ_HOME": "/p"}, "/p/cache"),
    ],
)
def test_each_platform_has_its_place(
    platform: str, variables: dict[str, str], place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA", "PROFVIZ_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HOME", "/h")
    monkeypatch.setattr(sys, "platform", platform)
    assert cache_place.cache_folder() == Path(place)


def test_an_entry_written_by_hand_with_another_label_is_a_miss(source: Path) -> None:
    folder = cache_place.cache_folder()
    folder.mkdir()
    write_columns(
        folder / key_of(source).file_name, trace=small_trace(), notes=(), offsets=OFFSETS, lengths=LENGTHS, label="x"
    )
    assert load(key_of(source)) is None


MOUNTS = """/dev/vda / ext4 rw 0 0
server:/home /home nfs4 rw 0 0
tmpfs /home/me/fast tmpfs rw 0 0
//share /mnt/a\\040b cifs rw 0 0
x /odd
"""


@pytest.mark.parametrize(
    ("folder", "said"),
    [
        ("/home/me/.cache", "remote"),
        ("/home/me/fast/x", "here"),
        ("/homer", "here"),
        ("/mnt/a b/c", "remote"),
        ("/", "here"),
    ],
)
def test_what_lies_on_another_machine_may_vanish(
    folder: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mounts").write_text(MOUNTS)
    monkeypatch.setattr(cache_place, "_MOUNTS", tmp_path / "mounts")
    monkeypatch.setattr(sys, "platform", "linux")
    assert cache_place.may_vanish(Path(folder)) is (said == "remote")


def test_where_the_mounts_are_unknown_files_may_vanish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(cache_place, "_MOUNTS", tmp_path / "none")
    assert cache_place.may_vanish(tmp_path)


def test_what_may_vanish_is_not_mapped(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(source)
    monkeypatch.setattr(cache, "may_vanish", lambda folder: True)
    seen: list[bool] = []

    def read(path: Path, *, mapped: bool) -> Any:
        seen.append(mapped)
        return column_file.read_columns(path, mapped=mapped)

    monkeypatch.setattr(cache, "read_columns", read)
    assert load(key_of(source)) is not None
    assert seen == [False]
