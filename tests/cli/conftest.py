"""Runs `profviz` as its users do: a process, its exit code, what it printed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent
FAKE = ROOT / "tests" / "fake_worker.py"
TRACES = ROOT.parent / "shared" / "traces"


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def profviz(tmp_path: Path) -> Callable[..., Ran]:
    """`profviz("info", path)`; no display unless `env` says so."""

    def run(*arguments: str | Path, env: dict[str, str] | None = None) -> Ran:
        hidden = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
        environment = {name: value for name, value in os.environ.items() if name not in hidden}
        environment |= {"PYTHONPATH": str(ROOT), **(env or {})}
        # warnings of profviz itself are errors; the worker's torch has its own
        command = [sys.executable, "-W", "error", "-m", "profviz", *map(str, arguments)]
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=250, check=False
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def fake_python(tmp_path: Path) -> Callable[..., str]:
    """A command that runs the fake worker whatever it is told to start."""
    if os.name != "posix":
        pytest.skip("the fake interpreters are shell scripts")

    def make(behaviour: str, stage: str = "") -> str:
        path = tmp_path / f"python-{behaviour}-{stage}"
        path.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{FAKE}" {behaviour} {stage}\n')
        path.chmod(0o755)
        return str(path)

    return make


@pytest.fixture
def traces() -> Path:
    if not TRACES.is_dir():
        pytest.skip(f"the real captures are not at {TRACES}")
    return TRACES
