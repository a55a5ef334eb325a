"""Which Python runs the worker: people keep torch in another environment than their desktop tools."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

VARIABLE = "PROFVIZ_PYTHON"


@dataclass(frozen=True, slots=True)
class Candidate:
    """An interpreter that may be chosen: `path`, and `origin`, where it was found, as the user reads it."""

    path: str
    origin: str


def choose_interpreter(asked: str = "", *, setting: str = "") -> str:
    """What was asked for, else PROFVIZ_PYTHON, else the window's setting, else the Python that runs profviz.

    A folder is taken for an environment. A name is looked up on PATH; the result need not exist.
    """
    wanted = asked or os.environ.get(VARIABLE, "") or setting
    if not wanted:
        return sys.executable
    path = Path(wanted).expanduser()
    if path.is_dir():
        return str(python_of(path))
    if path.parent == Path() and not path.exists():
        return shutil.which(wanted) or wanted
    return str(path)


def python_of(environment: Path) -> Path:
    """Where an environment folder keeps its interpreter; links are left alone, for they are what makes it one."""
    if sys.platform == "win32":
        inside = environment / "Scripts" / "python.exe"
        return inside if inside.exists() else environment / "python.exe"
    return environment / "bin" / "python"


def candidates(*, setting: str = "") -> tuple[Candidate, ...]:
    """Interpreters worth offering, best first, each file once."""
    found = [
        Candidate(os.environ.get(VARIABLE, ""), VARIABLE),
        Candidate(setting, "chosen before"),
        _in_folder("VIRTUAL_ENV", "active virtual environment"),
        _in_folder("CONDA_PREFIX", "active conda environment"),
        Candidate(sys.executable, "the Python that runs profviz"),
        Candidate(shutil.which("python3") or "", "python3 on PATH"),
        Candidate(shutil.which("python") or "", "python on PATH"),
    ]
    once: dict[str, Candidate] = {}
    for candidate in found:
        if candidate.path and Path(candidate.path).is_file():
            once.setdefault(candidate.path, candidate)
    return tuple(once.values())


def _in_folder(variable: str, origin: str) -> Candidate:
    folder = os.environ.get(variable, "")
    return Candidate(str(python_of(Path(folder))) if folder else "", origin)
