"""Where a run's session may be saved, and where not: found out before the run, and nothing foreign replaced."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from test_run_job import launching, parts, saved, shown

from profviz.engine import session_keeper
from profviz.engine.events import (
    Finished,
    JobFailed,
    LogLine,
    StageMoved,
)
from profviz.engine.jobs import run_script
from profviz.formats.session import SessionContents
from profviz.model.errors import UserError
from profviz.model.run import RunRequest

Finish = Callable[..., Any]
Interpreter = Callable[..., str]
ROOT = Path(__file__).parent.parent.parent


def test_a_place_that_cannot_be_written_is_found_out_before_the_run(
    interpreter: Interpreter, script: str, tmp_path: Path, finish: Finish
) -> None:
    (tmp_path / "file").write_text("")
    events = finish(launching(script, interpreter("normal"), tmp_path / "file" / "out.profviz"))
    assert isinstance(events.ending, JobFailed)
    assert not events.of(StageMoved)
    assert "file" in events.ending.error.what


def test_a_file_that_is_no_session_is_not_replaced(interpreter: Interpreter, script: str, finish: Finish) -> None:
    text = Path(script).read_text()
    events = finish(launching(script, interpreter("normal"), Path(script)))
    assert isinstance(events.ending, JobFailed)
    assert "is no session" in events.ending.error.what
    assert Path(script).read_text() == text


def test_other_zip_files_are_not_replaced(
    interpreter: Interpreter, script: str, tmp_path: Path, finish: Finish
) -> None:
    precious = tmp_path / "precious.zip"
    with zipfile.ZipFile(precious, "w") as archive:
        archive.writestr("manifest.json", "{}")
    before = precious.read_bytes()
    events = finish(launching(script, interpreter("normal"), precious))
    assert isinstance(events.ending, JobFailed)
    assert precious.read_bytes() == before


def test_a_session_is_replaced_under_any_name(
    interpreter: Interpreter, script: str, tmp_path: Path, finish: Finish
) -> None:
    for _ in range(2):
        events = finish(launching(script, interpreter("normal"), tmp_path / "run.zip"))
        assert events.ending == Finished(str(tmp_path / "run.zip"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="has no named pipes")
def test_a_pipe_is_refused_not_waited_for(
    interpreter: Interpreter, script: str, tmp_path: Path, finish: Finish
) -> None:
    os.mkfifo(tmp_path / "pipe")
    events = finish(launching(script, interpreter("normal"), tmp_path / "pipe"))
    assert isinstance(events.ending, JobFailed)
    assert sorted(path.name for path in tmp_path.glob("pipe*")) == ["pipe"]


def test_a_name_too_long_for_a_file_is_told(
    interpreter: Interpreter, script: str, tmp_path: Path, finish: Finish
) -> None:
    events = finish(launching(script, interpreter("normal"), tmp_path / f"{'x' * 300}.profviz"))
    assert isinstance(events.ending, JobFailed)
    assert "can't be written" in events.ending.error.what
    assert not events.ending.bug_report


def test_a_folder_gets_a_session_of_its_own(
    interpreter: Interpreter, script: str, tmp_path: Path, finish: Finish
) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    events = finish(launching(script, interpreter("normal"), folder))
    assert isinstance(events.ending, Finished)
    assert Path(events.ending.session_path).parent == folder
    assert saved(Path(events.ending.session_path)).state == "done"


def test_a_place_that_fills_up_does_not_lose_the_run(
    interpreter: Interpreter, script: str, tmp_path: Path, finish: Finish, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = tmp_path / "full" / "out.profviz"
    write = session_keeper.write_session

    def filling(path: Path, contents: SessionContents) -> None:
        if path == wanted and contents.traces:
            raise UserError("The session can't be written.", why="No space left on device.")
        write(path, contents)

    monkeypatch.setattr(session_keeper, "write_session", filling)
    events = finish(launching(script, interpreter("normal"), wanted))
    assert isinstance(events.ending, Finished)
    rescued = Path(events.ending.session_path)
    assert rescued != wanted
    assert saved(rescued).state == "done"
    assert parts(saved(rescued), "default") == "first timing trace"
    assert any(str(rescued) in line.text and "No space" in line.text for line in events.of(LogLine))
    assert shown(events).run is not None


@pytest.mark.parametrize("name", ["gone.py", "."])
def test_a_script_that_is_not_there_says_so(
    interpreter: Interpreter, tmp_path: Path, finish: Finish, name: str
) -> None:
    events = finish(launching(str(tmp_path / name), interpreter("normal"), tmp_path / "out.profviz"))
    assert isinstance(events.ending, JobFailed)
    assert str(tmp_path) in events.ending.error.what
    assert not (tmp_path / "out.profviz").exists()


def test_a_session_without_a_place_gets_one(
    interpreter: Interpreter, script: str, own_home: Path, finish: Finish
) -> None:
    request = RunRequest(script)
    events = finish(lambda emit: run_script(request, interpreter=interpreter("normal"), emit=emit))
    path = Path(events.ending.session_path)
    assert path.parent == own_home / "sessions"
    assert saved(path).state == "done"
