"""What holds for every test: it leaves no thread and no child process behind, and touches no file of the user's."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

EXAMPLES_VARIABLE = "PROFVIZ_EXAMPLES"
"""How many examples each generated test takes: with it they are new ones each time, without it always the same."""
settings.register_profile("steady", derandomize=True, deadline=None)
if EXAMPLES_VARIABLE not in os.environ:
    settings.load_profile("steady")

PATIENCE_S = 3.0
"""How long what was told to end may take before it counts as left behind."""


@pytest.fixture(autouse=True)
def nothing_left_behind() -> Iterator[None]:
    """Fails a test after which a thread or child process still runs that was not there before."""
    threads, children = set(threading.enumerate()), child_processes()
    yield
    deadline = time.monotonic() + PATIENCE_S
    while (left := left_behind(threads, children)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not left, f"left behind: {', '.join(left)}"


def left_behind(threads: set[threading.Thread], children: dict[int, str]) -> list[str]:
    new_threads = [thread for thread in threading.enumerate() if thread not in threads and matters(thread)]
    new_children = {pid: name for pid, name in child_processes().items() if pid not in children}
    return [f"thread {thread.name}" for thread in new_threads] + [
        f"process {pid} {name}" for pid, name in new_children.items()
    ]


def matters(thread: threading.Thread) -> bool:
    """Daemon threads of libraries may stay; ours may not."""
    return thread.is_alive() and (not thread.daemon or thread.name.startswith("profviz"))


def child_processes() -> dict[int, str]:
    """Living children of this process with their names, empty where the system does not list them."""
    found = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = entry.read_text(errors="replace").partition("(")[2].rpartition(")")
        except OSError:
            continue
        state, parent = rest.split()[:2]
        if int(parent) == os.getpid() and state != "Z":
            found[int(entry.parent.name)] = name
    return found


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Sessions, settings and caches of a test go to a folder of its own."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("PROFVIZ_HOME", str(home))
    monkeypatch.delenv("PROFVIZ_PYTHON", raising=False)
    return home
