"""The window driven as a user would, with an engine that says what the test wants: open, run, cancel, drop, close."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import side_view_samples
from fake_engine import ENVIRONMENT, WORKLOAD, FakeEngine
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from profviz.engine.events import (
    EnvironmentKnown,
    Finished,
    JobFailed,
    Loading,
    LogLine,
    PreviewReady,
    ResultsReady,
    WorkloadFound,
)
from profviz.model.errors import UserError
from profviz.model.results import HeadlineItem, Results
from profviz.model.run import Failure
from profviz.ui.main_window import MainWindow
from profviz.ui.pages.results import ResultsPage
from profviz.ui.settings import Settings
from profviz.ui.theme import Theme


@pytest.fixture
def script(tmp_path: Path) -> str:
    path = tmp_path / "mlp.py"
    path.write_text("model = None\n")
    return str(path)


@pytest.fixture
def results() -> Results:
    item = HeadlineItem("speedup", "speed-up", "2.89×", "2.83 – 2.96", "good")
    return replace(side_view_samples.full(), headline=(item,))


def messages(window: MainWindow) -> list[str]:
    return [strip.texts[0] for strip in window.messages.strips]


def drop(window: MainWindow, *paths: str) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(path) for path in paths])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    try:  # Qt 6.12 wants fractions of a pixel, before it knew none
        enter = QDragEnterEvent(QPointF(5, 5), Qt.DropAction.CopyAction, data, buttons, keys)
    except TypeError:
        enter = QDragEnterEvent(QPoint(5, 5), Qt.DropAction.CopyAction, data, buttons, keys)
    window.dragEnterEvent(enter)
    assert enter.isAccepted()
    window.dropEvent(QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, data, buttons, keys))


def test_opening_traces_leads_to_the_results(
    window: MainWindow, engine: FakeEngine, qtbot: QtBot, results: Results
) -> None:
    window.open_paths(["/traces/a.json", "/traces/b.json"])
    engine.job.say(Loading("Reading a.json", 0.25))
    qtbot.waitUntil(lambda: window.loading_bar.bar.value() == 250)
    assert window.loading_bar.busy
    with qtbot.waitSignal(window.results_shown):
        engine.job.say(ResultsReady(results), Finished())
    assert engine.opened == [("/traces/a.json", "/traces/b.json")]
    assert window.pages.currentWidget() is window.results_page
    assert not window.loading_bar.busy
    assert window.results_page.headline.cells[0].value.text() == "2.89×"
    (recent,) = Settings().recent()
    assert recent.kind == "comparison"


def test_a_file_that_cannot_be_read_is_told_and_nothing_is_lost(
    window: MainWindow, engine: FakeEngine, qtbot: QtBot, results: Results
) -> None:
    window.show_results_of(results)
    window.open_paths(["/traces/a.json"])
    engine.job.say(JobFailed(UserError("a.json is not a trace.", why="It is a picture.")))
    qtbot.waitUntil(lambda: bool(window.messages.strips))
    assert messages(window) == ["a.json is not a trace."]
    assert window.pages.currentWidget() is window.results_page
    assert window.results_page.results is results


def test_the_beginning_of_a_large_file_is_shown_while_the_rest_is_read(
    window: MainWindow, engine: FakeEngine, qtbot: QtBot
) -> None:
    window.open_paths(["large.json"])
    shown: list[bool] = []
    window.results_shown.connect(lambda: shown.append(True))
    beginning, whole = side_view_samples.traces_only(), side_view_samples.full()
    engine.job.say(PreviewReady(beginning))
    qtbot.waitUntil(lambda: window.windowTitle().startswith(f"{beginning.title} (reading)"))
    page = window.pages.currentWidget()
    assert isinstance(page, ResultsPage)
    assert page.results is beginning
    assert shown == []
    engine.job.say(Loading("Reading large.json", 0.5))
    qtbot.waitUntil(lambda: window.loading_bar.busy)
    engine.job.say(ResultsReady(whole), Finished())
    qtbot.waitUntil(lambda: page.results is whole)
    assert window.windowTitle() == f"{whole.title} – profviz"
    assert shown == [True]


def test_a_second_open_supersedes_the_first(
    window: MainWindow, engine: FakeEngine, qtbot: QtBot, results: Results
) -> None:
    window.open_paths(["/traces/first.json"])
    first = engine.job
    window.open_paths(["/traces/second.json"])
    first.say(ResultsReady(replace(results, title="late")), Finished())
    with qtbot.waitSignal(window.results_shown):
        engine.job.say(ResultsReady(replace(results, title="second")), Finished())
    assert first.cancelled
    assert window.windowTitle().startswith("second")


def test_loading_can_be_cancelled_with_escape(window: MainWindow, engine: FakeEngine, qtbot: QtBot) -> None:
    window.open_paths(["/traces/a.json"])
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not window.loading_bar.busy)
    assert engine.job.cancelled
    assert window.pages.currentWidget() is window.start_page


def test_a_script_from_the_window_waits_for_run(
    window: MainWindow, engine: FakeEngine, qtbot: QtBot, script: str, results: Results
) -> None:
    window.open_paths([script])
    engine.job.say(EnvironmentKnown(ENVIRONMENT), WorkloadFound(WORKLOAD), Finished())
    qtbot.waitUntil(lambda: window.run_page.run_button.isEnabled())
    assert engine.ran == []
    window.actions_.run("run.start")
    with qtbot.waitSignal(window.results_shown):
        engine.job.say(LogLine("script", "hello"), ResultsReady(results), Finished("/sessions/mlp.profviz"))
    assert [request.script for request in engine.ran] == [script]
    assert "/sessions/mlp.profviz" in window.status_text.text()
    assert "/sessions/mlp.profviz" in window.run_page.status.text()
    assert [file.kind for file in Settings().recent()] == ["session", "script"]


def test_a_script_from_the_command_line_runs_when_complete(
    window: MainWindow, engine: FakeEngine, qtbot: QtBot, script: str
) -> None:
    window.open_paths([script], auto_run=True)
    engine.job.say(EnvironmentKnown(ENVIRONMENT), WorkloadFound(WORKLOAD), Finished())
    qtbot.waitUntil(lambda: len(engine.ran) == 1)
    assert window.run_page.cancel_button.isVisible()


@pytest.mark.parametrize(
    "workload",
    [replace(WORKLOAD, problem="There is no model."), replace(WORKLOAD, needs_shapes=True)],
    ids=["problem", "needs shapes"],
)
def test_an_incomplete_script_does_not_run_by_itself(
    window: MainWindow, engine: FakeEngine, qtbot: QtBot, script: str, workload: object
) -> None:
    window.open_paths([script], auto_run=True)
    engine.job.say(EnvironmentKnown(ENVIRONMENT), WorkloadFound(workload), Finished())
    qtbot.waitUntil(lambda: not window.controller.bridge.inspecting.running)
    assert engine.ran == []
    assert window.run_page.status.text() == window.run_page.blocked


def test_a_failed_run_keeps_what_was_measured(
    window: MainWindow, engine: FakeEngine, qtbot: QtBot, script: str
) -> None:
    window.open_paths([script], auto_run=True)
    engine.job.say(EnvironmentKnown(ENVIRONMENT), WorkloadFound(WORKLOAD), Finished())
    qtbot.waitUntil(lambda: len(engine.ran) == 1)
    engine.job.say(JobFailed(UserError("The worker died."), "/sessions/kept.profviz", bug_report="Traceback"))
    qtbot.waitUntil(lambda: window.run_page.partial_button.isVisible())
    assert messages(window) == ["The worker died."]
    qtbot.mouseClick(window.run_page.partial_button, Qt.MouseButton.LeftButton)
    assert engine.opened == [("/sessions/kept.profviz",)]


def test_cancelling_a_run_is_no_error(window: MainWindow, engine: FakeEngine, qtbot: QtBot, script: str) -> None:
    window.open_paths([script], auto_run=True)
    engine.job.say(EnvironmentKnown(ENVIRONMENT), WorkloadFound(WORKLOAD), Finished())
    qtbot.waitUntil(lambda: len(engine.ran) == 1)
    qtbot.mouseClick(window.run_page.cancel_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.run_page.status.text().startswith("Cancelled"))
    assert messages(window) == []
    assert window.run_page.run_button.isEnabled()


def test_results_of_a_run_do_not_take_over_another_page(
    window: MainWindow, engine: FakeEngine, qtbot: QtBot, script: str, results: Results
) -> None:
    window.open_paths([script], auto_run=True)
    engine.job.say(EnvironmentKnown(ENVIRONMENT), WorkloadFound(WORKLOAD), Finished())
    qtbot.waitUntil(lambda: len(engine.ran) == 1)
    window.show_start()
    engine.job.say(ResultsReady(results), Finished("/sessions/mlp.profviz"))
    qtbot.waitUntil(lambda: bool(window.messages.strips))
    assert messages(window) == ["The run is done."]
    assert window.pages.currentWidget() is window.start_page


def test_a_variant_that_failed_is_told_beside_the_results(window: MainWindow, results: Results) -> None:
    assert results.run is not None
    eager, compiled = results.run.variants
    failure = Failure("The C++ compiler is missing.", hint="Install g++.", traceback="Traceback", variant="default")
    run = replace(results.run, variants=(eager, replace(compiled, failure=failure)))
    window.show_results_of(replace(results, run=run))
    assert messages(window) == [f"{compiled.title}: The C++ compiler is missing."]
    assert window.pages.currentWidget() is window.results_page


def test_another_script_during_a_run_is_refused(
    window: MainWindow, engine: FakeEngine, qtbot: QtBot, script: str
) -> None:
    window.open_paths([script], auto_run=True)
    engine.job.say(EnvironmentKnown(ENVIRONMENT), WorkloadFound(WORKLOAD), Finished())
    qtbot.waitUntil(lambda: len(engine.ran) == 1)
    window.open_paths([script])
    assert messages(window) == ["A run is going on."]
    assert len(engine.inspected) == 1


def test_dropped_files_are_opened_together(window: MainWindow, engine: FakeEngine, tmp_path: Path) -> None:
    drop(window, str(tmp_path / "a.json"), str(tmp_path / "b.json"))
    assert engine.opened == [(str(tmp_path / "a.json"), str(tmp_path / "b.json"))]


def test_a_script_among_other_files_is_refused(window: MainWindow, engine: FakeEngine, script: str) -> None:
    drop(window, script, "/traces/a.json")
    assert engine.opened == engine.inspected == []
    assert messages(window) == ["A script cannot be opened together with other files."]


def test_a_script_that_is_not_there(window: MainWindow, engine: FakeEngine) -> None:
    window.open_paths(["/nowhere/x.py"])
    assert messages(window) == ["There is no script /nowhere/x.py."]
    assert engine.inspected == []


def test_the_interpreter_asked_for_reaches_the_worker_and_is_not_remembered(
    qapp: QApplication, qtbot: QtBot, engine: FakeEngine, script: str
) -> None:
    window = MainWindow(Theme(qapp), Settings(), engine=engine, python="/envs/a/bin/python", idle=False)
    qtbot.addWidget(window, before_close_func=lambda window: window.controller.close())
    window.open_paths([script])
    assert engine.interpreters == ["/envs/a/bin/python"]
    assert Settings().interpreter == ""
    window.run_page.form.interpreter.setText("/envs/b/bin/python")
    window.run_page.form.interpreter.editingFinished.emit()
    assert engine.interpreters[-1] == "/envs/b/bin/python"
    assert Settings().interpreter == "/envs/b/bin/python"


def test_pages_are_made_ready_in_the_idle_time(qapp: QApplication, qtbot: QtBot, engine: FakeEngine) -> None:
    window = MainWindow(Theme(qapp), Settings(), engine=engine)
    qtbot.addWidget(window)
    with qtbot.waitSignal(window.first_painted):
        window.show()
    qtbot.waitUntil(lambda: window.pages.count() == 3)
    assert window.pages.currentWidget() is window.start_page


def test_closing_the_page_goes_back_then_closes(window: MainWindow, results: Results) -> None:
    window.show_results_of(results)
    window.close_page()
    assert window.pages.currentWidget() is window.start_page
    window.close_page()
    assert not window.isVisible()


def test_closing_the_window_cancels_what_runs(window: MainWindow, engine: FakeEngine) -> None:
    window.open_paths(["/traces/a.json"])
    window.close()
    assert engine.job.cancelled
    assert not engine.job.running


def test_commands_that_make_no_sense_are_off(window: MainWindow, results: Results) -> None:
    off = {"run.start", "view.results", "edit.undo", "file.save_copy"}
    assert all(not window.actions_[id_].isEnabled() for id_ in off)
    window.show_results_of(replace(results, path="/sessions/a.profviz"))
    assert all(window.actions_[id_].isEnabled() for id_ in ("view.results", "edit.undo", "file.save_copy"))
