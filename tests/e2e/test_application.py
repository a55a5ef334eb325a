"""The application as users start it: open, run, picture, Ctrl-C, SIGKILL."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from driving import LIMIT_S, ROOT, StartApp, alive, wait_until, worker_pids
from PySide6.QtGui import QColor, QImage

TRACES = sorted((ROOT / "samples" / "traces").glob("*.json*"), reverse=True)
TINY_SCRIPT = """
import torch
model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.Linear(32, 16)).eval()
inputs = torch.randn(4, 16)
print("the script talks")
"""


def colours(path: Path) -> set[str]:
    image = QImage(str(path))
    assert not image.isNull()
    across, down = range(0, image.width(), 3), range(0, image.height(), 3)
    return {QColor(image.pixel(x, y)).name() for x in across for y in down}


def test_two_traces_lead_to_a_picture_of_the_comparison(start_app: StartApp, tmp_path: Path) -> None:
    out = tmp_path / "shot.png"
    app = start_app("--screenshot", out, "--size", "1280x800", "--theme", "dark", *TRACES)
    _, errors = app.communicate(timeout=LIMIT_S)
    assert app.returncode == 0, errors
    assert errors == ""
    image = QImage(str(out))
    assert (image.width(), image.height()) == (1280, 800)
    assert {"#14171c", "#1b1f26"} <= colours(out)
    assert len(colours(out)) > 50


def test_without_files_the_start_page_is_pictured(start_app: StartApp, tmp_path: Path) -> None:
    out = tmp_path / "shot.png"
    app = start_app("--screenshot", out, "--theme", "light", "--size", "1024x640")
    _, errors = app.communicate(timeout=LIMIT_S)
    assert app.returncode == 0, errors
    assert "#ffffff" in colours(out)


def test_a_file_that_is_no_trace_ends_the_picture_with_2(start_app: StartApp, tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_bytes(b"\x89PNG\r\n")
    app = start_app("--screenshot", tmp_path / "shot.png", bad)
    _, errors = app.communicate(timeout=LIMIT_S)
    assert app.returncode == 2
    assert "bad.json" in errors
    assert "Traceback" not in errors
    assert not (tmp_path / "shot.png").exists()


def test_a_size_that_is_none_is_refused(start_app: StartApp, tmp_path: Path) -> None:
    app = start_app("--screenshot", tmp_path / "shot.png", "--size", "big")
    _, errors = app.communicate(timeout=LIMIT_S)
    assert app.returncode == 2
    assert "1600x1000" in errors


def test_ctrl_c_closes_the_window_and_its_worker(
    start_app: StartApp, worker: Callable[..., str], script: Path, tmp_path: Path
) -> None:
    app = start_app("--python", worker("hang", "compiling"), script)
    wait_until(lambda: len(worker_pids(tmp_path)) >= 2, "the run")  # the first one inspected
    app.send_signal(signal.SIGINT)
    _, errors = app.communicate(timeout=LIMIT_S)
    assert app.returncode == 0, errors
    wait_until(lambda: not any(map(alive, worker_pids(tmp_path))), "the worker's end")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_killing_the_application_leaves_no_worker(
    start_app: StartApp, worker: Callable[..., str], script: Path, tmp_path: Path
) -> None:
    app = start_app("--python", worker("hang", "compiling"), script)
    wait_until(lambda: len(worker_pids(tmp_path)) >= 2, "the run")
    app.kill()
    app.communicate(timeout=LIMIT_S)
    wait_until(lambda: not any(map(alive, worker_pids(tmp_path))), "the worker's end")


def test_a_script_is_inspected_run_and_shown(
    start_app: StartApp, worker: Callable[..., str], script: Path, tmp_path: Path, own_home: Path
) -> None:
    out = tmp_path / "shot.png"
    app = start_app("--screenshot", out, "--python", worker("normal"), script)
    _, errors = app.communicate(timeout=LIMIT_S)
    assert app.returncode == 0, errors
    assert len(list((own_home / "sessions").glob("model-*.profviz"))) == 1
    assert len(colours(out)) > 20


@pytest.mark.torch
@pytest.mark.slow
def test_a_real_script_is_run_and_its_session_opens_again(start_app: StartApp, tmp_path: Path, own_home: Path) -> None:
    pytest.importorskip("torch", reason="needs torch in this interpreter")
    script = tmp_path / "tiny.py"
    script.write_text(TINY_SCRIPT)
    first, second = tmp_path / "run.png", tmp_path / "session.png"
    app = start_app("--screenshot", first, script)
    _, errors = app.communicate(timeout=2 * LIMIT_S)
    assert app.returncode == 0, errors
    (session,) = (own_home / "sessions").glob("tiny-*.profviz")
    again = start_app("--screenshot", second, "--theme", "light", session)
    _, errors = again.communicate(timeout=LIMIT_S)
    assert again.returncode == 0, errors
    assert len(colours(second)) > 50
