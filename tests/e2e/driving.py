"""What the end-to-end tests share: where things are, and waiting for what happens in other processes."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
FAKE = ROOT / "tests" / "fake_worker.py"
LIMIT_S = 60.0
"""A safeguard: an application that takes longer hangs."""

StartApp = Callable[..., "subprocess.Popen[str]"]


def wait_until(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < deadline, f"{what} did not come about"
        time.sleep(0.05)


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def worker_pids(folder: Path) -> list[int]:
    path = folder / "pids"
    return [int(line) for line in path.read_text().split()] if path.exists() else []
