"""Which Python runs the worker: people keep torch in another environment than their desktop tools."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

VARIABLE = "PROFVIZ_PYTHON"


def choose_interpreter(asked: str = "") -> str:
    """What was asked for, else PROFVIZ_PYTHON, else the Python that runs profviz.

    A folder is taken for an environment. A name is looked up on PATH; the result need not exist.
    """
    wanted = asked or os.environ.get(VARIABLE, "")
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
