"""`profviz run` with the real worker and torch on a tiny model; the CPU is enough."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="no torch in this interpreter"),
]

Profviz = Callable[..., Any]
ROOT = Path(__file__).parent.parent.parent
QUICK = ("--device", "cpu", "--steps", "4", "--rounds", "2", "--profile-steps", "2")
SCRIPT = """\
import torch
print("hello from the script")
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.GELU(), torch.nn.Linear(16, 4))
inputs = torch.randn(2, 8)
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.py"
    path.write_text(SCRIPT)
    return path


def test_eager_alone_is_measured(profviz: Profviz, script: Path) -> None:
    ran = profviz("run", script, *QUICK, "--variants", "eager", "-o", "s.profviz", "--json")
    assert ran.code == 0, ran.err
    (eager,) = ran.json["variants"]
    assert eager["median_ns"] > 0
    assert eager["samples"] == 4
    assert eager["profiled_steps"] == 2
    assert eager["gpu"]["kernels"] == 0
    assert eager["gpu"]["busy_ns"] is None
    assert eager["gpu_busy_ns"] is None
    assert [step["ops"] > 0 for step in eager["steps"]] == [True, True]
    assert ran.json["environment"]["torch"]
    assert "hello from the script" in ran.err


def test_a_script_that_raises_shows_its_own_traceback(profviz: Profviz, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(
        "import torch\n\ndef build():\n    return torch.nn.Linear(2, -3)\n\nmodel = build()\n"
    )
    ran = profviz("run", "bad.py", *QUICK, "-o", "s.profviz")
    assert ran.code == 2
    assert "line 4" in ran.out + ran.err
    assert "profviz/worker" not in ran.out


def test_a_script_without_a_model_says_what_was_looked_for(profviz: Profviz, tmp_path: Path) -> None:
    (tmp_path / "empty.py").write_text("x = 1\n")
    ran = profviz("run", "empty.py", *QUICK, "-o", "s.profviz")
    assert ran.code == 2
    assert "model" in ran.err
    assert "median step" not in ran.out, "a table of nothing"


@pytest.mark.slow
def test_eager_and_compiled_side_by_side(profviz: Profviz, script: Path) -> None:
    ran = profviz("run", script, *QUICK, "-o", "s.profviz", "--json")
    assert ran.code == 0, ran.err
    eager, compiled = ran.json["variants"]
    assert compiled["median_ns"] > 0
    assert compiled["first_call_ns"] > eager["first_call_ns"]
    assert compiled["compile"]["graphs"] == 1
    assert compiled["compile"]["breaks"] == []
    assert compiled["compile"]["compile_ns"] > 0
    assert compiled["check"]["equal"]
    assert ran.json["findings"]
    assert ran.err.count("model: `model`") == 1
    assert "warning" not in ran.err
    assert "USDT:" not in ran.err
    opened = profviz("info", "s.profviz", "--json")
    assert opened.json["variants"] == ran.json["variants"]
    assert profviz("compare", "s.profviz").code == 0


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for processes in /proc")
def test_killing_the_application_while_it_compiles_leaves_no_process(script: Path, tmp_path: Path) -> None:
    mark = f"{tmp_path.name}-{os.getpid()}"
    command = [sys.executable, "-m", "profviz", "run", str(script), *QUICK, "-o", str(tmp_path / "s.profviz")]
    environment = {**os.environ, "PROFVIZ_MARK": mark}
    with subprocess.Popen(
        command, env=environment, cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as application:
        assert application.stderr is not None
        for line in application.stderr:
            if "compiling" in line:
                break
        time.sleep(1.0)  # well into it
        assert len(marked(mark)) >= 3
        application.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 20.0
    while left := marked(mark):
        assert time.monotonic() < deadline, left
        time.sleep(0.05)


def marked(mark: str) -> list[int]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            text = (folder / "environ").read_bytes()
        except OSError:
            continue
        if mark.encode() in text:
            found.append(int(folder.name))
    return found
