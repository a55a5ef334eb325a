"""The run page: a form made from what the worker says, a request made from the form, progress, log."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fake_engine import ENVIRONMENT, WORKLOAD
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QLineEdit
from pytestqt.qtbot import QtBot

from profviz.engine.events import EnvironmentKnown, LogLine, RunChanged, StageMoved, WorkloadFound
from profviz.model.run import Failure, Run, RunRequest, Timing, VariantResult
from profviz.protocol.messages import StageProgress
from profviz.ui.pages.run import RunPage
from profviz.ui.pages.run_form import device_choices
from profviz.ui.pages.run_progress import LOG_LINES, StageList


@pytest.fixture
def page(qtbot: QtBot) -> RunPage:
    made = RunPage()
    qtbot.addWidget(made)
    made.resize(1200, 800)
    made.show()
    made.open_script("/models/mlp.py", interpreter="/envs/torch/bin/python")
    return made


@pytest.fixture
def ready(page: RunPage) -> RunPage:
    page.take(EnvironmentKnown(ENVIRONMENT))
    page.take(WorkloadFound(WORKLOAD))
    return page


def shown_texts(page: RunPage) -> list[str]:
    return [label.text() for label in page.form.findChildren(QLabel)]


def moved(stage: str, variant: str, state: str, **more: int) -> StageMoved:
    return StageMoved(StageProgress(stage, variant, state, **more))


def test_nothing_runs_before_the_workload_is_known(page: RunPage, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(page.run):
        page.ask_run()
    assert not page.run_button.isEnabled()
    assert "looked at" in page.run_button.toolTip()


def test_opening_asks_for_an_inspection(page: RunPage, qtbot: QtBot) -> None:
    with qtbot.waitSignal(page.inspect) as asked:
        page.open_script("/models/other.py", interpreter="")
    assert asked.args[0].script == "/models/other.py"


def test_what_was_found_and_missed_is_shown(ready: RunPage) -> None:
    texts = shown_texts(ready)
    assert "model: Sequential, 25 174 016 parameters" in texts
    assert set(WORKLOAD.found) | set(WORKLOAD.missing) <= set(texts)
    assert "64 × 1024" in texts
    assert "Python 3.11.7 · torch 2.13.0" in texts


def test_the_default_request(ready: RunPage) -> None:
    assert ready.form.request() == RunRequest(script="/models/mlp.py")


def test_the_request_follows_the_form(ready: RunPage) -> None:
    form = ready.form
    form.device.setCurrentIndex(form.device.findData("cuda:0"))
    form.mode.setCurrentIndex(1)
    form.steps.setValue(7)
    form.rounds.setValue(2)
    form.profile_steps.setValue(1)
    form.model.setCurrentText("Net")
    form.inputs.setText("8x4")
    form.keep_cache.setChecked(True)
    form.with_stack.setChecked(True)
    assert form.request() == RunRequest(
        script="/models/mlp.py",
        device="cuda:0",
        train=True,
        steps=7,
        rounds=2,
        profile_steps=1,
        model="Net",
        inputs="8x4",
        keep_cache=True,
        with_stack=True,
    )


def test_variants_and_their_options_come_from_the_worker(ready: RunPage) -> None:
    eager, default, autotune = ready.form.variants.rows
    assert eager.checked
    assert not eager.box.isEnabled()
    assert default.checked
    assert not autotune.box.isEnabled()
    assert "Not here: needs a GPU" in [label.text() for label in autotune.findChildren(QLabel)]
    default.findChildren(QComboBox)[0].setCurrentText("on")
    next(box for box in default.findChildren(QCheckBox) if box.accessibleName() == "One graph or fail").setChecked(True)
    next(line for line in default.findChildren(QLineEdit) if line.accessibleName() == "Backend").setText("eager")
    assert ready.form.request().options == {
        "default": {"dynamic": "on", "fullgraph": True, "backend": "eager"},
    }
    default.box.setChecked(False)
    assert ready.form.request().variants == ("eager",)
    assert ready.form.request().options == {}


def test_the_choice_of_variants_survives_another_answer(ready: RunPage) -> None:
    ready.form.variants.rows[1].box.setChecked(False)
    better = replace(ENVIRONMENT, variants=tuple(replace(spec, unavailable="") for spec in ENVIRONMENT.variants))
    ready.take(EnvironmentKnown(better))
    assert ready.form.request().variants == ("eager",)
    ready.form.variants.rows[2].box.setChecked(True)
    assert ready.form.request().variants == ("eager", "max-autotune")


def test_shapes_are_asked_for(page: RunPage, qtbot: QtBot) -> None:
    page.take(WorkloadFound(replace(WORKLOAD, inputs=(), needs_shapes=True, problem="The inputs are not known.")))
    assert page.blocked == "The inputs' shapes are missing."
    assert page.focusWidget() is page.form.inputs, "so that they can be typed at once"
    page.form.inputs.setText("64x1024")
    assert page.blocked == ""
    assert page.run_button.isEnabled()


def test_a_problem_blocks_the_run(page: RunPage) -> None:
    page.take(WorkloadFound(replace(WORKLOAD, problem="There is no model in the script.")))
    assert page.blocked == "There is no model in the script."
    assert "There is no model in the script." in shown_texts(page)


def test_overriding_the_model_inspects_again_once(ready: RunPage, qtbot: QtBot) -> None:
    with qtbot.waitSignal(ready.inspect) as asked:
        ready.form.model.setCurrentText("Net")
        ready.form.model.lineEdit().editingFinished.emit()
    assert asked.args[0].model == "Net"
    with qtbot.assertNotEmitted(ready.inspect):
        ready.form.model.lineEdit().editingFinished.emit()


def test_training_is_offered_only_where_it_can_be(ready: RunPage) -> None:
    assert ready.form.mode.model().item(1).isEnabled()
    ready.take(WorkloadFound(replace(WORKLOAD, can_train=False)))
    assert not ready.form.mode.model().item(1).isEnabled()


def test_escape_cancels_while_something_goes_on(ready: RunPage, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(ready.cancel):
        qtbot.keyClick(ready, Qt.Key.Key_Escape)
    ready.begin("run")
    assert ready.cancel_button.isVisible()
    assert not ready.run_button.isEnabled()
    with qtbot.waitSignal(ready.cancel):
        qtbot.keyClick(ready, Qt.Key.Key_Escape)
    ready.end("Cancelled")
    assert not ready.cancel_button.isVisible()


def test_progress_shows_stages_with_counts(ready: RunPage) -> None:
    ready.begin("run")
    ready.take(moved("timing", "eager", "begin"))
    ready.take(moved("timing", "eager", "step", count=3, total=30, elapsed_ns=5_000_000))
    ready.take(moved("steady_timing", "default", "begin"))
    table = ready.stages
    assert table.rowCount() == 2
    assert [table.item(0, column).text() for column in (1, 2, 3)] == ["Timing", "Eager", "3 / 30"]
    assert table.item(1, 1).text() == "Timing eager and compiled in turn"
    ready.end("Failed", tone="bad", session="kept.profviz")
    assert {row.state for row in table.stages.rows} == {"stopped"}
    assert ready.partial_button.isVisible()


def test_elapsed_time_goes_on_only_while_a_stage_runs() -> None:
    now = [100.0]
    stages = StageList(clock=lambda: now[0])
    stages.move(moved("timing", "eager", "step", elapsed_ns=1_000_000_000, count=2, total=5))
    assert stages.rows[0].elapsed_at(102.0) == 3_000_000_000
    stages.move(moved("timing", "eager", "end", elapsed_ns=4_000_000_000))
    assert stages.rows[0].elapsed_at(200.0) == 4_000_000_000
    assert stages.rows[0].count_text() == "2 / 5"


def test_the_log_is_plain_bounded_and_in_order(ready: RunPage) -> None:
    ready.take(LogLine("script", "<b>first</b>"))
    ready.take(LogLine("warning", "careful"))
    ready.log.flush()
    assert ready.log.toPlainText() == "<b>first</b>\n[warning] careful"
    for number in range(LOG_LINES + 100):
        ready.take(LogLine("script", str(number)))
    ready.log.flush()
    assert ready.log.blockCount() <= LOG_LINES
    assert ready.log.toPlainText().endswith(str(LOG_LINES + 99))


def test_partial_results_appear_and_failures_are_logged_once(ready: RunPage) -> None:
    failure = Failure("The compiler failed.", why="no C++ compiler", traceback="Traceback …", variant="default")
    variants = (
        VariantResult("eager", "Eager", timing=Timing("perf_counter", (8_000_000, 8_200_000), (0, 0))),
        VariantResult("default", "Compiled", failure=failure),
    )
    run = Run(RunRequest("mlp.py"), "running", 0, variants=variants)
    ready.take(RunChanged(run))
    ready.take(RunChanged(run))
    ready.log.flush()
    assert [cell.value.text() for cell in ready.figures.cells] == ["8.10 ms", "failed"]
    assert ready.log.toPlainText().count("The compiler failed.") == 1
    assert "Traceback …" in ready.log.toPlainText()


def test_devices_are_named() -> None:
    assert device_choices(ENVIRONMENT.devices) == [
        ("auto", "Automatic"),
        ("cpu", "8 cores (cpu)"),
        ("cuda:0", "NVIDIA H200 (cuda:0, 139 GiB)"),
    ]
