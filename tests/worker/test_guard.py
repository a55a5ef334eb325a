"""The guard: nothing the worker started outlives whoever started it, and how the child ended is passed on."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from driven_worker import Worker, needs_proc, needs_torch, run_to_end

from profviz.model.run import RunRequest
from profviz.protocol.messages import StageProgress, Start

pytestmark = [pytest.mark.torch, needs_torch, needs_proc]

HANGS_WITH_CHILDREN = """
    import subprocess, sys, time
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
    # a grandchild whose own parent is gone
    subprocess.run([sys.executable, "-c", "import subprocess, sys; subprocess.Popen([sys.executable, '-c', "
                    "'import time; time.sleep(600)'], start_new_session=True)"])
    print("hanging now")
    while True:
        time.sleep(1)
"""


def hanging(start: Callable[..., Worker], path: str) -> Worker:
    worker = start()
    worker.send(Start(RunRequest(script=path, device="cpu")))
    deadline = time.monotonic() + 60
    while len(worker.pids()) < 5 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(worker.pids()) >= 5, "guard, child and three of the script's"
    return worker


def gone(worker: Worker, limit_s: float) -> bool:
    deadline = time.monotonic() + limit_s
    while worker.pids() and time.monotonic() < deadline:
        time.sleep(0.02)
    return not worker.pids()


def scratch_of(worker: Worker) -> Path:
    child = next(pid for pid in worker.pids() if b"PROFVIZ_SCRATCH" in Path(f"/proc/{pid}/environ").read_bytes())
    entries = Path(f"/proc/{child}/environ").read_bytes().split(b"\0")
    return Path(next(e for e in entries if e.startswith(b"PROFVIZ_SCRATCH=")).partition(b"=")[2].decode())


def test_closed_stdin_ends_every_descendant_and_the_scratch_folder(start_worker, script) -> None:
    worker = hanging(start_worker, script(HANGS_WITH_CHILDREN))
    scratch = scratch_of(worker)
    assert scratch.is_dir()
    worker.process.stdin.close()
    assert gone(worker, 2.0)
    assert not scratch.exists()


def test_killed_guard_takes_the_child_along(start_worker, script) -> None:
    worker = start_worker()
    worker.send(Start(RunRequest(script=script("while True: pass"), device="cpu")))
    worker.wait_for(lambda heard: any("running" in m.detail for m in heard.of(StageProgress)))
    worker.process.send_signal(signal.SIGKILL)
    assert gone(worker, 2.0)


def test_sigterm_to_the_guard_ends_all(start_worker, script) -> None:
    worker = hanging(start_worker, script(HANGS_WITH_CHILDREN))
    worker.process.send_signal(signal.SIGTERM)
    assert gone(worker, 2.0)


@pytest.mark.slow
def test_cancel_in_the_middle_of_a_compilation(start_worker, script) -> None:
    worker = start_worker()
    path = script("""
        import torch
        model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.GELU()).eval()
        inputs = torch.randn(2, 8)
    """)
    worker.send(Start(RunRequest(script=path, device="cpu", steps=2, rounds=1)))
    worker.wait_for(lambda heard: any("C++" in m.detail for m in heard.of(StageProgress)), 200)
    worker.process.stdin.close()
    assert gone(worker, 2.0)
    heard = worker.finish()
    assert heard.result("eager")["timing"]["samples_ns"], "what was measured before is kept"
    assert "eager.json.gz" in heard.blobs


def test_segfault_is_passed_on_as_a_status_with_a_stack(start_worker, script) -> None:
    heard = run_to_end(start_worker, script("import ctypes\nctypes.string_at(0)\n"))
    assert heard.status == 128 + signal.SIGSEGV
    assert "Segmentation fault" in heard.stderr
    assert "subject.py" in heard.stderr
    assert heard.done is None


def test_exit_status_of_the_child_is_passed_on(start_worker, script) -> None:
    assert run_to_end(start_worker, script("import os\nos._exit(7)\n")).status == 7


def test_guard_ends_when_nobody_asks_anything(start_worker) -> None:
    worker = start_worker()
    worker.process.stdin.close()
    assert worker.process.wait(10) in (0, 128 + signal.SIGKILL)
    assert not worker.pids() or os.getpid() not in worker.pids()
