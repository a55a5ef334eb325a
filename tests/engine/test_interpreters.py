from __future__ import annotations

import sys
from pathlib import Path

import pytest

from profviz.engine.interpreters import choose_interpreter, python_of


def test_what_was_asked_for_comes_first_and_our_own_last(monkeypatch: pytest.MonkeyPatch) -> None:
    assert choose_interpreter() == sys.executable
    monkeypatch.setenv("PROFVIZ_PYTHON", "/env/python")
    assert choose_interpreter() == "/env/python"
    assert choose_interpreter("/asked/python") == "/asked/python"


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
