"""Starts the application as its own process, without a screen, and tells what children it has."""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from driving import FAKE, ROOT, StartApp


@pytest.fixture
def start_app(own_home: Path) -> Iterator[StartApp]:
    """`start_app(*arguments)` gives the process; what still runs at the end of the test is killed."""
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str | Path) -> subprocess.Popen[str]:
        environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PROFVIZ_HOME": str(own_home)}
        command = [sys.executable, "-m", "profviz", *map(str, arguments)]
        pipe = subprocess.PIPE
        started.append(subprocess.Popen(command, cwd=ROOT, env=environment, stdout=pipe, stderr=pipe, text=True))
        return started[-1]

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.fixture
def worker(tmp_path: Path) -> Callable[..., str]:
    """`worker(behaviour, stage)` is a command that stands for a Python and is the fake worker; it notes its pid."""
    if os.name != "posix" or shutil.which("sh") is None:
        pytest.skip("the fake interpreters are shell scripts")

    def make(behaviour: str, stage: str = "") -> str:
        path = tmp_path / f"python-{behaviour}-{stage}"
        path.write_text(
            f'#!/bin/sh\necho $$ >> "{tmp_path}/pids"\nexec "{sys.executable}" "{FAKE}" {behaviour} {stage}\n'
        )
        path.chmod(0o755)
        return str(path)

    return make


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "model.py"
    path.write_text("model = None  # the fake worker reads nothing of it\n")
    return path
