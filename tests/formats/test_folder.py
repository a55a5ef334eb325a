"""Folders and zip archives open as the traces and logs in them, in order; what else lies there is left alone."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest
import zstandard
from defect_files import SHARED
from packed_files import zipped

from profviz.formats import archive, source
from profviz.formats.cache import source_key
from profviz.formats.folder import rank_of
from profviz.formats.registry import expand, open_document, open_documents
from profviz.model.errors import UserError

EVENT = {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 5, "dur": 2}


def trace(name: str = "aten::mm", **others: object) -> bytes:
    return json.dumps(others | {"traceEvents": [EVENT | {"name": name}]}).encode()


def folder(tmp_path: Path, files: dict[str, bytes]) -> Path:
    names = list(files)
    random.Random(1).shuffle(names)
    for name in names:
        (tmp_path / name).write_bytes(files[name])
    return tmp_path


def names(path: Path) -> list[str]:
    return [source.name for source in expand(path)]


def test_a_file_is_itself(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(trace())
    (source,) = expand(path)
    assert (source.path, source.member, source.name) == (str(path), "", "a.json")
    with pytest.raises(UserError, match="There is no file"):
        expand(tmp_path / "other")


def test_ranks_come_in_the_order_of_numbers(tmp_path: Path) -> None:
    files = {f"run_rank{rank}.json": trace() for rank in (0, 2, 10, 9)}
    assert names(folder(tmp_path, files)) == ["run_rank0.json", "run_rank2.json", "run_rank9.json", "run_rank10.json"]


def test_a_rank_may_stand_in_the_trace_only(tmp_path: Path) -> None:
    files = {
        "c.json": trace(distributedInfo={"backend": "nccl", "rank": 0, "world_size": 3}),
        "b.json.gz": gzip.compress(trace(distributedInfo={"backend": "nccl", "rank": 1})),
        "a.json": trace(distributedInfo={"rank": 2}),
        "0.json": trace(distributedInfo={"backend": "nccl"}),
    }
    assert names(folder(tmp_path, files)) == ["c.json", "b.json.gz", "a.json", "0.json"]


@pytest.mark.parametrize(
    ("name", "head", "rank"),
    [
        ("a_rank3.json", b"", 3),
        ("Rank-12.json", b"", 12),
        ("trace.rank=7.json.gz", b'{"distributedInfo": {"rank": 1}}', 7),
        ("frank3.json", b"", None),
        ("x.json", b'{"distributedInfo": {"backend": "nccl", "rank": 4, "pg": 1}', 4),
        ("x.json", b'{"distributedInfo": {"backend": "nccl"}, "traceEvents": [{"args": {"rank": 4}}]}', None),
    ],
)
def test_where_a_rank_is_found(name: str, head: bytes, rank: int | None) -> None:
    assert rank_of(name, head) == rank


def test_only_traces_and_logs_directly_in_a_folder_count(tmp_path: Path) -> None:
    files = {
        "b10.txt": trace(),  # whatever it is called
        "b9.zst": zstandard.compress(trace()),
        "notes.md": b"# read me",
        "config.json": b'{"lr": 0.1}',
        "long.json": json.dumps({"lr": ["x" * 100] * 2_000}).encode(),
        ".hidden.json": trace(),
        "s.profviz": zipped(("manifest.json", b"{}")),
        "late.json": json.dumps({"x": ["y" * 100] * 2_000, "traceEvents": [EVENT]}).encode(),
    }
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "c.json").write_bytes(trace())
    assert names(folder(tmp_path, files)) == ["b9.zst", "b10.txt", "late.json"]


def test_a_folder_without_any_says_what_could_be_opened(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds no trace") as caught:
        expand(folder(tmp_path, {"s.profviz": zipped(("manifest.json", b"{}")), "notes.md": b"hello"}))
    assert caught.value.hint == "Open a file in it: s.profviz."


def test_a_zip_is_its_traces(tmp_path: Path) -> None:
    path = tmp_path / "all.zip"
    members = [("out/rank1.json.gz", gzip.compress(trace("one"))), ("out/rank0.json", trace("zero")), ("a.txt", b"hi")]
    path.write_bytes(zipped(*members))
    sources = expand(path)
    assert [(source.path, source.member) for source in sources] == [
        (str(path), "out/rank0.json"),
        (str(path), "out/rank1.json.gz"),
    ]
    assert json.loads(sources[1].read()[0])["traceEvents"][0]["name"] == "one"
    assert [document.title for document in open_documents(path)] == ["out/rank0", "out/rank1"]


def test_a_zip_of_one_trace_opens_as_a_file_too(tmp_path: Path) -> None:
    path = tmp_path / "t.zip"
    path.write_bytes(zipped(("config.json", b"{}"), ("t.json", trace("one"))))
    assert names(path) == ["t.json"]
    path.write_bytes(zipped(("t.json", trace("one"))))
    document = open_document(path)
    assert document.trace is not None
    assert document.trace.event_count == 1


def test_zips_in_a_folder_count_as_what_is_in_them(tmp_path: Path) -> None:
    files = {"x.zip": zipped(("rank1.json", trace()), ("rank3.json", trace())), "rank2.json": trace()}
    assert names(folder(tmp_path, files)) == ["rank1.json", "rank2.json", "rank3.json"]


def test_a_session_stays_one(tmp_path: Path) -> None:
    path = tmp_path / "s.profviz"
    path.write_bytes(zipped(("manifest.json", b"{}"), ("traces/a.json", trace())))
    (source,) = expand(path)
    assert (source.member, source.head(4)) == ("", b"PK\x03\x04")


def test_what_cannot_be_read_is_told_and_the_others_are_shown(tmp_path: Path) -> None:
    files = {
        "rank0.json": trace(),
        "rank1.json": b"",
        "rank2.json.gz": gzip.compress(b""),
        "rank3.json": b'{"schemaVersion": 1}',
        "rank4.json": trace(),
    }
    done: list[tuple[int, int]] = []
    path = folder(tmp_path, files)
    documents = open_documents(path, progress=lambda now, total: done.append((now, total)))
    assert [document.title for document in documents] == ["rank0", "rank4"]
    (note,) = [note for note in documents[0].notes if note.code == "unread_file"]
    assert sorted(sample.text.split(":")[0] for sample in note.samples) == ["rank1.json", "rank2.json.gz", "rank3.json"]
    assert all(now <= total for now, total in done)
    assert done == sorted(done)
    for name in ("rank0.json", "rank4.json"):
        (path / name).unlink()
    with pytest.raises(UserError, match=r"rank3.json is"):
        open_documents(path)


def test_a_locked_member_is_told(tmp_path: Path) -> None:
    archive = bytearray(zipped(("a.json", trace()), ("b.json", trace())))
    archive[archive.rindex(b"PK\x01\x02") + 8] |= 1
    path = tmp_path / "t.zip"
    path.write_bytes(bytes(archive))
    (document,) = open_documents(path)
    assert document.title == "a"
    assert "locked with a password" in document.notes[0].samples[0].text


@pytest.mark.skipif(not SHARED.exists(), reason="the shared traces are not here")
def test_the_ranks_of_a_real_run(tmp_path: Path) -> None:
    for name in ("ddp.eager.rank1.json.gz", "ddp.eager.rank0.json.gz", "ddp.compiled.rank0.compile-log.txt.gz"):
        (tmp_path / name).write_bytes((SHARED / name).read_bytes())
    documents = open_documents(tmp_path)
    assert [document.report is not None for document in documents] == [True, False, False]
    assert [document.trace.event_count > 1000 for document in documents if document.trace] == [True, True]


def test_members_of_one_archive_are_cached_apart(tmp_path: Path) -> None:
    path = tmp_path / "t.zip"
    path.write_bytes(bytes(300_000))
    keys = [source_key(path, member=member) for member in ("", "a", "b")]
    assert len({key.file_name for key in keys if key}) == 3
    assert len({key.prefix for key in keys if key}) == 3


def test_an_archive_of_many_files_is_listed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "many.zip"
    path.write_bytes(zipped(*((f"{number}.png", b"\x89PNG") for number in range(40)), ("t.json", trace())))
    listed = []
    monkeypatch.setattr(source, "entries", lambda file: listed.append(file) or archive.entries(file))
    (document,) = open_documents(path)
    assert (document.title, len(listed)) == ("t", 1)


def test_a_file_of_which_nothing_can_be_unpacked_is_damaged_not_empty(tmp_path: Path) -> None:
    files = {
        "a.json": trace(),
        "b.json.gz": b"\x1f\x8b" + random.Random(2).randbytes(2000),
        "c.json.gz": gzip.compress(b""),
    }
    (document,) = open_documents(folder(tmp_path, files))
    said = {sample.text.partition(":")[0]: sample.text for sample in document.notes[0].samples}
    assert "damaged" in said["b.json.gz"]
    assert "empty" in said["c.json.gz"]


@pytest.mark.parametrize("name", ["a" * 5000, "a\0b", "/".join(["a" * 200] * 30)])
def test_a_name_that_no_file_can_have_is_said_to_be_wrong(name: str) -> None:
    for ask in (open_documents, open_document):
        with pytest.raises(UserError):
            ask(Path(name))


def test_links_that_lead_nowhere_or_in_circles_are_passed_by(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(trace())
    try:
        (tmp_path / "loop.json").symlink_to("loop.json")
    except (OSError, NotImplementedError):
        pytest.skip("no links here")
    (tmp_path / "nowhere.json").symlink_to("missing")
    (tmp_path / "self").symlink_to(".")
    (tmp_path / "device.json").symlink_to("/dev/zero")
    assert names(tmp_path) == ["a.json"]
    assert [document.title for document in open_documents(tmp_path / "self" / "self")] == ["a"]
    with pytest.raises(UserError, match="no file"):
        open_documents(tmp_path / "loop.json")
