"""The session file: round trip, atomic writing, and files that are damaged, hostile, older or newer."""

from __future__ import annotations

import gzip
import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from profviz.formats import session as module
from profviz.formats.session import SessionContents, read_session, write_session
from profviz.model.errors import UserError
from profviz.model.record import to_json
from profviz.model.run import Run, RunRequest, Timing, VariantResult

TRACE = gzip.compress(b'{"traceEvents": []}', mtime=0)


def contents() -> SessionContents:
    eager = VariantResult("eager", "Eager", timing=Timing("perf_counter", (3, 4), (0, 1)), trace="eager.json.gz")
    default = VariantResult("default", "Compiled", compile_log="default.compile-log.txt.gz")
    run = Run(RunRequest("model.py"), "done", 17, variants=(eager, default))
    logs = {"default.compile-log.txt.gz": gzip.compress(b"V", mtime=0)}
    return SessionContents(run, {"eager.json.gz": TRACE}, logs, {"/home/me/ü.py": "x = 1\n"})


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "a.profviz"
    write_session(path, contents())
    return path


def rewrite(path: Path, **change: object) -> Path:
    """The same archive with a changed manifest."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(members["manifest.json"]) | change
    members["manifest.json"] = json.dumps(manifest).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def test_what_was_written_is_read(saved: Path) -> None:
    session, notes = read_session(saved)
    assert session.run == contents().run
    assert session.sources == {"/home/me/ü.py": "x = 1\n"}
    assert session.read("eager.json.gz") == TRACE
    assert gzip.decompress(session.read("default.compile-log.txt.gz")) == b"V"
    assert notes == ()
    with pytest.raises(KeyError):
        session.read("other.json.gz")


def test_bytes_are_read_like_a_file(saved: Path) -> None:
    assert read_session(saved.read_bytes())[0].run == contents().run


def test_a_failed_write_leaves_the_old_file(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = saved.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, "_write_members", full)
    with pytest.raises(UserError, match="No space left"):
        write_session(saved, contents())
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="can't be written"):
        write_session(tmp_path / "none" / "a.profviz", contents())


@pytest.mark.parametrize("name", ["../a", "a/b", "a\\b", "", "..", "C:a"])
def test_only_plain_names_are_written(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="plain"):
        write_session(tmp_path / "a.profviz", replace(contents(), traces={name: b""}))


def test_every_truncation_is_said_or_read(saved: Path) -> None:
    data = saved.read_bytes()
    for size in range(0, len(data), 7):
        with pytest.raises(UserError, match="not a whole session"):
            read_session(data[:size])


def test_every_flipped_byte_is_survived(saved: Path) -> None:
    data = bytearray(saved.read_bytes())
    for index in range(0, len(data), 3):
        data[index] ^= 0xFF
        try:
            session, _ = read_session(bytes(data))
            session.read("eager.json.gz")
        except (UserError, KeyError):
            pass
        data[index] ^= 0xFF


def test_another_zip_is_no_session(tmp_path: Path) -> None:
    path = tmp_path / "other.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", "<x/>")
    with pytest.raises(UserError, match="not a session"):
        read_session(path)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"run": 1}', '{"run": {"state": []}}'])
def test_a_manifest_that_makes_no_sense(tmp_path: Path, text: str) -> None:
    path = tmp_path / "odd.profviz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("manifest.json", text)
    with pytest.raises(UserError):
        read_session(path)


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "a\\..\\b", "C:/x", "traces/../../x", "x//y"])
def test_members_that_leave_the_archive_are_refused(saved: Path, name: str) -> None:
    with zipfile.ZipFile(saved, "a") as archive:
        archive.writestr(zipfile.ZipInfo(name), b"bad")
    session, notes = read_session(saved)
    assert [note.code for note in notes] == ["missing_member"]
    with pytest.raises(KeyError):
        session.read(name)


def test_a_source_may_not_point_outside(saved: Path) -> None:
    session, notes = read_session(rewrite(saved, sources=[["/x.py", "../x.py"], ["/y.py", 3], "z"]))
    assert session.sources == {}
    assert notes[0].samples[0].text == "/x.py"


def test_a_bomb_is_not_unpacked(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(saved, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("traces/big.json.gz", bytes(1 << 20))
    session, _ = read_session(saved)
    monkeypatch.setattr(module, "MEMBER_LIMIT_BYTES", 1 << 16)
    with pytest.raises(UserError, match="not opened"):
        session.read("big.json.gz")


def test_a_member_that_is_gone_is_noted(saved: Path) -> None:
    run = replace(contents().run, variants=(VariantResult("eager", "Eager", trace="gone.json.gz"),))
    _, notes = read_session(rewrite(saved, run=to_json(run)))
    assert [(note.code, note.samples[0].text) for note in notes] == [("missing_member", "traces/gone.json.gz")]


def test_an_older_schema_opens(saved: Path) -> None:
    run = to_json(contents().run)
    del run["state"], run["started_ns"]
    old = rewrite(saved, schema=0, run=run, sources={"/home/me/ü.py": "sources/0"})
    session, notes = read_session(old)
    assert (session.run.state, session.sources) == ("done", {"/home/me/ü.py": "x = 1\n"})
    assert notes == ()


def test_a_newer_schema_that_is_understood_says_so(saved: Path) -> None:
    session, notes = read_session(rewrite(saved, schema=99, profviz="9.9"))
    assert session.run == contents().run
    assert [(note.code, "9.9" in note.detail) for note in notes] == [("newer_schema", True)]


def test_a_newer_schema_that_is_not_understood_says_so(saved: Path) -> None:
    with pytest.raises(UserError, match="written by a newer profviz") as caught:
        read_session(rewrite(saved, schema=99, profviz="9.9", run={"other": 1}))
    assert "9.9" in caught.value.why
