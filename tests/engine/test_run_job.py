"""Whole runs against the fake worker: what ends how, and what the session holds at each end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from profviz.engine.events import (
    Event,
    Finished,
    JobCancelled,
    JobFailed,
    LogLine,
    ResultsReady,
    RunChanged,
    StageMoved,
)
from profviz.engine.job import Emit, Job
from profviz.engine.jobs import open_files, run_script
from profviz.formats.session import read_session
from profviz.model.results import Results
from profviz.model.run import Run, RunRequest

Finish = Callable[..., Any]
Interpreter = Callable[..., str]
ROOT = Path(__file__).parent.parent.parent

# where the worker ends, and which (eager, default) parts must be in the session by then
KEPT = {
    "loading": ("", ""),
    "eager_warmup": ("", ""),
    "eager_timing": ("first", ""),
    "eager_profile": ("first timing", ""),
    "eager_tape": ("first timing trace", ""),
    "compiling": ("first timing trace", ""),
    "steady_timing": ("first timing trace", "first"),
    "compiled_profile": ("first timing trace", "first timing"),
    "check": ("first timing trace", "first timing trace"),
    "graphs": ("first timing trace", "first timing trace"),
}


def launching(script: str, python: str, session: Path, **options: Any) -> Callable[[Emit], Job]:
    request = RunRequest(script, **options)
    return lambda emit: run_script(request, interpreter=python, session_path=session, emit=emit)


def saved(path: Path) -> Run:
    session, notes = read_session(path)
    assert not notes
    return session.run


def parts(run: Run, variant_id: str) -> str:
    variant = run.variant(variant_id)
    if variant is None:
        return ""
    had = {"first": variant.first_call_ns, "timing": variant.timing, "trace": variant.trace}
    return " ".join(name for name, value in had.items() if value)


def shown(events: Any) -> Results:
    return events.only(ResultsReady).results  # type: ignore[no-any-return]


def test_a_run_ends_with_results_and_a_session(
    interpreter: Interpreter, script: str, tmp_path: Path, finish: Finish
) -> None:
    session = tmp_path / "out.profviz"
    events = finish(launching(script, interpreter("normal"), session))
    assert events.ending == Finished(str(session))
    results = shown(events)
    assert [side.id for side in results.sides] == ["eager", "default"]
    assert [side.occupancy.busy_ns for side in results.sides] == [2_000_000, 1_000_000]
    assert [name for name, _ in results.reports] == ["default"]
    run = saved(session)
    assert run.state == "done"
    assert parts(run, "default") == "first timing trace"
    assert run.workload is not None
    assert run.environment is not None
    stages = [event.progress.stage for event in events.of(StageMoved) if event.progress.state == "begin"]
    assert stages == list(KEPT)
    assert LogLine("info", "the run begins") in events
    assert read_session(session)[0].sources[script] == Path(script).read_text()


def test_results_come_as_they_are_measured(
    interpreter: Interpreter, script: str, tmp_path: Path, finish: Finish
) -> None:
    events = finish(launching(script, interpreter("normal"), tmp_path / "out.profviz"))
    seen = [tuple(parts(event.run, name) for name in ("eager", "default")) for event in events.of(RunChanged)]
    milestones = list(dict.fromkeys(seen))
    assert milestones == list(dict.fromkeys(KEPT.values()))
    assert events.of(RunChanged)[-1].run.state == "done"


@pytest.mark.parametrize("stage", KEPT)
def test_a_crash_keeps_what_came_before(
    interpreter: Interpreter, script: str, tmp_path: Path, finish: Finish, stage: str
) -> None:
    session = tmp_path / "out.profviz"
    events = finish(launching(script, interpreter("crash", stage), session))
    assert isinstance(events.ending, JobFailed)
    assert events.ending.session_path == str(session)
    assert "segmentation fault" in events.ending.error.what
    assert stage.replace("_", " ") in events.ending.error.what
    run = saved(session)
    assert run.state == "failed"
    assert run.failure is not None
    assert (parts(run, "eager"), parts(run, "default")) == KEPT[stage]
    assert bool(events.of(ResultsReady)) == ("timing" in KEPT[stage][0])


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        ("exit", "ended with exit status 3"),
        ("garbage", "messages cannot be read"),
        ("fail", "The script raised ValueError"),
    ],
)
def test_every_other_bad_end_keeps_it_too(
    interpreter: Interpreter, script: str, tmp_path: Path, finish: Finish, behaviour: str, words: str
) -> None:
    session = tmp_path / "out.profviz"
    events = finish(launching(script, interpreter(behaviour, "compiling"), session))
    assert isinstance(events.ending, JobFailed)
    assert words in events.ending.error.what
    assert not events.ending.bug_report
    run = saved(session)
    assert (run.state, parts(run, "eager")) == ("failed", "first timing trace")
    assert run.failure is not None
    assert words in run.failure.what


def test_a_variant_that_fails_leaves_the_others(
    interpreter: Interpreter, script: str, tmp_path: Path, finish: Finish
) -> None:
    session = tmp_path / "out.profviz"
    events = finish(launching(script, interpreter("variant_fails", "compiling"), session))
    assert isinstance(events.ending, Finished)
    run = saved(session)
    failed = run.variant("default")
    assert failed is not None
    assert failed.failure is not None
    assert failed.failure.why == "no C++ compiler"
    assert parts(run, "eager") == "first timing trace"


def test_a_result_that_does_not_fit_is_told_and_left_out(
    interpreter: Interpreter, script: str, tmp_path: Path, finish: Finish
) -> None:
    events = finish(launching(script, interpreter("bad_result", "compiling"), tmp_path / "out.profviz"))
    assert isinstance(events.ending, Finished)
    (warning,) = [line.text for line in events.of(LogLine) if line.level == "warning"]
    assert "recompiles" in warning


def test_a_flood_of_prints_is_bounded_and_its_end_is_kept(
    interpreter: Interpreter, script: str, tmp_path: Path, finish: Finish
) -> None:
    session = tmp_path / "out.profviz"
    events = finish(launching(script, interpreter("flood", "eager_timing"), session))
    assert isinstance(events.ending, Finished)
    lines = [line.text for line in events.of(LogLine) if line.level == "script"]
    assert "the last line" in lines
    assert any("left out" in line for line in lines)
    assert sum(map(len, lines)) < 3_000_000
    assert "the last line" in saved(session).log_tail


@pytest.mark.parametrize("behaviour", ["hang", "deaf", "brood"])
@pytest.mark.parametrize("stage", ["loading", "compiling", "graphs"])
def test_cancel_ends_any_stage_and_keeps_what_was_measured(
    interpreter: Interpreter,
    script: str,
    tmp_path: Path,
    finish: Finish,
    behaviour: str,
    stage: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session, mark = tmp_path / "out.profviz", f"{tmp_path.name}-{os.getpid()}-{stage}"
    monkeypatch.setenv("PROFVIZ_MARK", mark)

    def stuck(event: Event) -> bool:
        return isinstance(event, StageMoved) and event.progress.detail == "stuck" and len(marked(mark)) > 0

    events = finish(launching(script, interpreter(behaviour, stage), session), cancel_at=stuck)
    assert events.ending == JobCancelled(str(session))
    run = saved(session)
    assert run.state == "cancelled"
    assert (parts(run, "eager"), parts(run, "default")) == KEPT[stage]
    assert gone(mark)


def gone(mark: str) -> bool:
    """Whether no process has `mark` in its command line or environment, within some patience."""
    deadline = time.monotonic() + 20.0
    while marked(mark):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def marked(mark: str) -> list[int]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            text = (folder / "environ").read_bytes()
        except OSError:
            continue
        if mark.encode() in text and int(folder.name) != os.getpid():
            found.append(int(folder.name))
    return found


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for processes in /proc")
@pytest.mark.parametrize("stage", ["eager_warmup", "compiling", "graphs"])
def test_killing_the_application_leaves_no_process_and_a_session(
    interpreter: Interpreter, script: str, tmp_path: Path, finish: Finish, stage: str
) -> None:
    session, mark = tmp_path / "out.profviz", f"{tmp_path.name}-{os.getpid()}-{stage}"
    command = [
        sys.executable,
        "-m",
        "profviz",
        "run",
        script,
        "--python",
        interpreter("hang", stage),
        "-o",
        str(session),
    ]
    environment = {**os.environ, "PROFVIZ_MARK": mark}
    with subprocess.Popen(
        command, env=environment, cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as application:
        assert application.stderr is not None
        for line in application.stderr:
            if stage.replace("_", " ") in line:
                break
        assert len(marked(mark)) >= 2
        wait_for(lambda: (parts(saved(session), "eager"), parts(saved(session), "default")) == KEPT[stage])
        application.send_signal(signal.SIGKILL)
    assert gone(mark)
    run = saved(session)
    assert run.state == "running"
    opened = shown(finish(lambda emit: open_files([session], emit=emit)))
    assert opened.run is not None
    assert opened.run.state == "failed"
    assert opened.run.failure is not None
    assert "interrupted" in opened.run.failure.what


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20.0
    while not condition():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.05)


def test_what_a_stage_measured_is_saved_before_the_next_begins(
    interpreter: Interpreter, script: str, tmp_path: Path, finish: Finish, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = tmp_path / "out.profviz"
    found: dict[str, tuple[str, str]] = {}
    monkeypatch.setattr("profviz.engine.session_keeper.PAUSE_S", 3600.0)

    def look(event: Event) -> bool:
        if isinstance(event, StageMoved) and event.progress.state == "begin":
            found[event.progress.stage] = (parts(saved(session), "eager"), parts(saved(session), "default"))
        return False

    finish(launching(script, interpreter("normal"), session), cancel_at=look)
    assert found == {stage: KEPT[stage] for stage in found}
    assert "compiled_profile" in found


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for processes in /proc")
def test_a_run_under_nohup_outlives_its_terminal(interpreter: Interpreter, script: str, tmp_path: Path) -> None:
    session = tmp_path / "out.profviz"
    command = [sys.executable, "-m", "profviz", "run", script, "--python", interpreter("hang", "compiling")]
    with subprocess.Popen(
        ["nohup", *command, "-o", str(session)], cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as application:
        assert application.stderr is not None
        for line in application.stderr:
            if "compiling" in line:
                break
        application.send_signal(signal.SIGHUP)
        with pytest.raises(subprocess.TimeoutExpired):
            application.wait(1.0)
        application.send_signal(signal.SIGTERM)
        application.communicate(timeout=60)
    assert application.returncode == 130


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for processes in /proc")
def test_ctrl_c_saves_what_was_measured(interpreter: Interpreter, script: str, tmp_path: Path) -> None:
    session = tmp_path / "out.profviz"
    command = [sys.executable, "-m", "profviz", "run", script, "--python", interpreter("hang", "compiling")]
    with subprocess.Popen(
        [*command, "-o", str(session), "--json"], cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as application:
        assert application.stderr is not None
        for line in application.stderr:
            if "compiling" in line:
                break
        application.send_signal(signal.SIGINT)
        out, _ = application.communicate(timeout=60)
    assert application.returncode == 130
    assert json.loads(out)["state"] == "cancelled"
    assert saved(session).state == "cancelled"
    assert parts(saved(session), "eager") == "first timing trace"
