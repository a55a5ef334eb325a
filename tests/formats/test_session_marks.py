"""Marks in a session: written, replaced and read again, while everything else in it stays as it was."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from profviz.engine.marks import load_marks, save_marks
from profviz.formats.session import SessionContents, read_session, write_session
from profviz.formats.session_marks import MEMBER
from profviz.model.errors import UserError
from profviz.model.run import Run, RunRequest


@pytest.fixture
def session(tmp_path: Path) -> Path:
    path = tmp_path / "one.profviz"
    run = Run(request=RunRequest(script="model.py"), state="done", started_ns=5)
    contents = SessionContents(run, traces={"a.json.gz": b"packed" * 100}, sources={"/model.py": "x = 1\n" * 50})
    write_session(path, contents)
    return path


def members(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist() if info.filename != MEMBER}


def test_marks_come_back_and_the_last_ones_count(session: Path) -> None:
    before = members(session)
    assert load_marks(str(session)) == []
    for marks in ([{"note": "first"}, {"note": "sécond"}], [{"note": "other"}], []):
        save_marks(str(session), marks)
        assert load_marks(str(session)) == marks
    assert members(session) == before
    with zipfile.ZipFile(session) as archive:
        assert archive.namelist().count(MEMBER) == 1
        assert archive.testzip() is None
    assert list(session.parent.iterdir()) == [session]


def test_the_session_still_opens_as_it_did(session: Path) -> None:
    save_marks(str(session), [{"note": "x"}])
    opened, notes = read_session(session)
    assert notes == ()
    assert opened.read("a.json.gz") == b"packed" * 100
    assert opened.sources["/model.py"].startswith("x = 1")


def test_what_is_no_session_is_left_alone(tmp_path: Path) -> None:
    text, archive = tmp_path / "a.profviz", tmp_path / "b.profviz"
    text.write_bytes(b"no zip")
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("word/document.xml", "<w/>")
    for path in (text, archive, tmp_path / "gone.profviz"):
        before = path.read_bytes() if path.exists() else None
        assert load_marks(str(path)) == []
        with pytest.raises(UserError, match="marks"):
            save_marks(str(path), [1])
        assert (path.read_bytes() if path.exists() else None) == before


@pytest.mark.parametrize("text", ["{", '{"a": 1}', "[" * 100_000, "\xff"])
def test_damaged_marks_are_none(session: Path, text: str) -> None:
    with zipfile.ZipFile(session, "a") as archive:
        archive.writestr(MEMBER, text.encode("latin-1"))
    assert load_marks(str(session)) == []
