"""Events reach the GUI thread in order, superseded jobs are never heard again, closing cancels."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterator

import pytest
from fake_engine import FakeJob
from PySide6.QtCore import QThread
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from profviz.engine.events import Finished, JobCancelled, Loading, LogLine
from profviz.ui.bridge import Bridge, JobSlot


class Launcher:
    """Starts fake jobs in a slot and keeps what was heard."""

    def __init__(self, slot: JobSlot) -> None:
        self.slot = slot
        self.jobs: list[FakeJob] = []
        self.heard: list[object] = []
        self.threads: set[QThread] = set()
        slot.said.connect(self._hear)

    def start(self, *, deaf: bool = False) -> FakeJob:
        def launch(emit: object) -> FakeJob:
            self.jobs.append(FakeJob(emit, deaf=deaf))
            return self.jobs[-1]

        self.slot.start(launch)
        return self.jobs[-1]

    def _hear(self, event: object) -> None:
        self.heard.append(event)
        self.threads.add(QThread.currentThread())


@pytest.fixture
def launcher(qapp: QApplication) -> Iterator[Launcher]:
    bridge = Bridge()
    made = Launcher(bridge.running)
    yield made
    for job in made.jobs:
        job.stop()
    bridge.deleteLater()


def test_events_arrive_in_order_in_the_gui_thread(launcher: Launcher, qtbot: QtBot, qapp: QApplication) -> None:
    lines = [LogLine("script", str(number)) for number in range(5000)]
    launcher.start().say(*lines, Finished("a.profviz"))
    qtbot.waitUntil(lambda: len(launcher.heard) == 5001)
    assert launcher.heard == [*lines, Finished("a.profviz")]
    assert launcher.threads == {qapp.thread()}
    assert not launcher.slot.running


def test_late_events_of_a_superseded_job_are_ignored(launcher: Launcher, qtbot: QtBot) -> None:
    first = launcher.start(deaf=True)
    first.say(Loading("first", 0.1))
    qtbot.waitUntil(lambda: len(launcher.heard) == 1)
    second = launcher.start()
    first.say(Loading("late", 0.9), Finished("late"))
    first.wait(5)
    second.say(Loading("second", 0.5), Finished("second"))
    qtbot.waitUntil(lambda: not launcher.slot.running)
    assert first.cancelled
    assert launcher.heard == [Loading("first", 0.1), Loading("second", 0.5), Finished("second")]


def test_cancel_still_delivers_the_last_word(launcher: Launcher, qtbot: QtBot) -> None:
    launcher.start()
    launcher.slot.cancel()
    qtbot.waitUntil(lambda: not launcher.slot.running)
    assert launcher.heard == [JobCancelled()]


def test_abandon_is_silent(launcher: Launcher, qtbot: QtBot) -> None:
    job = launcher.start()
    launcher.slot.abandon()
    assert job.wait(5)
    qtbot.wait(10)
    assert launcher.heard == []
    assert not launcher.slot.running


def test_closing_cancels_and_waits(launcher: Launcher) -> None:
    job = launcher.start()
    assert launcher.slot.close(timeout_s=5)
    assert job.cancelled
    assert not job.running


def test_closing_gives_up_on_a_job_that_does_not_listen(launcher: Launcher) -> None:
    launcher.start(deaf=True)
    assert not launcher.slot.close(timeout_s=0.05)


def test_a_launch_that_raises_leaves_the_slot_free(launcher: Launcher) -> None:
    def launch(emit: object) -> FakeJob:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        launcher.slot.start(launch)
    assert not launcher.slot.running


def test_the_window_gets_its_turn_while_events_flood(launcher: Launcher, qtbot: QtBot) -> None:
    """A slow listener must not see the whole flood in one turn of the event loop."""
    turns: list[int] = []
    ticking = threading.Event()
    launcher.slot.said.connect(lambda event: ticking.wait(0.0005))
    launcher.start().say(*[LogLine("script", "x")] * 400, Finished())
    while launcher.slot.running:
        QApplication.processEvents()
        turns.append(len(launcher.heard))
    assert len({count for count in turns if 0 < count < 401}) > 1


def test_a_slot_goes_with_its_last_reference(qtbot: QtBot) -> None:
    def used() -> weakref.ref[JobSlot]:
        launcher = Launcher(JobSlot())
        launcher.start().say(LogLine("script", "one"), Finished("a.profviz"))
        qtbot.waitUntil(lambda: len(launcher.heard) == 2)
        launcher.jobs[0].stop()
        launcher.slot.close(timeout_s=3)
        return weakref.ref(launcher.slot)

    left = used()
    gc.collect()
    assert left() is None
