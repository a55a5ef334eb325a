from __future__ import annotations

import sys
from pathlib import Path

import pytest

from profviz.engine.interpreters import candidates, choose_interpreter, python_of


def test_what_was_asked_for_comes_first_and_our_own_last(monkeypatch: pytest.MonkeyPatch) -> None:
    assert choose_interpreter() == sys.executable
    assert choose_interpreter(setting="/set/python") == "/set/python"
    monkeypatch.setenv("PROFVIZ_PYTHON", "/env/python")
    assert choose_interpreter(setting="/set/python") == "/env/python"
    assert choose_interpreter("/asked/python", setting="/set/python") == "/asked/python"


def test_a_folder_is_an_environment_and_a_name_is_looked_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert choose_interpreter(str(tmp_path)) == str(python_of(tmp_path))
    tool = tmp_path / "python-of-mine"
    tool.write_text("")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert choose_interpreter("python-of-mine") == str(tool)
    assert choose_interpreter("no-such-python") == "no-such-python"


def test_links_are_not_followed(tmp_path: Path) -> None:
    """A virtual environment is known by the path of its link."""
    link = tmp_path / "python"
    link.symlink_to(sys.executable)
    assert choose_interpreter(str(link)) == str(link)


def test_candidates_exist_and_come_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python = python_of(tmp_path)
    python.parent.mkdir(parents=True)
    python.write_text("")
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path))
    monkeypatch.setenv("CONDA_PREFIX", str(tmp_path / "gone"))
    found = candidates(setting=sys.executable)
    paths = [candidate.path for candidate in found]
    assert paths[:2] == [sys.executable, str(python)]
    assert found[0].origin == "chosen before"
    assert len(set(paths)) == len(paths)
    assert str(tmp_path / "gone") not in str(paths)
