"""Random hands on the real window for as long as wanted: `python tests/fuzz/monkey.py --minutes 60 --seed 1`.

Goes round by round, each with a seed of its own; a failing one is done again with `--seed S --actions K --rounds 1`.
"""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import argparse
import ctypes
import faulthandler
import gc
import sys
import tempfile
import threading
import time
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import median
from typing import TextIO

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from monkey_files import Files, answer_dialogs, own_home
from monkey_hands import Hands
from monkey_seeing import described, guard_overrides, linger, send_deletes, wait_for
from PySide6.QtCore import QThread, QTimer, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from profviz.model.errors import UserError
from profviz.ui.main_window import MainWindow
from profviz.ui.problems import install_hook
from profviz.ui.settings import Settings
from profviz.ui.theme import Theme

STUCK_S = 300
"""After so long one action hangs: stacks are printed and the process ends. It may stand still while others measure."""
LONG_S = 2.0
MOST_GROWTH = 0.20
MOST_THREADS = 24
"""Each inspection of a script has three, and those given up a moment ago still have theirs."""
FEWEST_CHECKPOINTS = 8
"""Below this many there is no second half worth comparing."""
TAIL = 25
HARMLESS = ("This plugin does not support", "Mouse event at ")
"""Offscreen says the first of every window; QTest says the other of a drag that leaves the window."""


class Broken(Exception):
    """What must not be; the round ends."""


class Watch:
    """Collects what went wrong outside any action's own call: hooks, threads, Qt's messages."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self.users_errors = 0
        qInstallMessageHandler(self._qt_said)
        guard_overrides(self._raised)
        threading.excepthook = lambda args: self._raised(args.exc_value)
        sys.unraisablehook = lambda args: self._raised(args.exc_value)

    def over(self, window: MainWindow) -> None:
        """Takes the hook's place as the application would have it for this window."""
        install_hook(window.show_problem)
        shown = sys.excepthook

        def hook(kind: type[BaseException], error: BaseException, trace: object) -> None:
            if isinstance(error, UserError):
                self.users_errors += 1
                shown(kind, error, trace)  # type: ignore[arg-type]
            else:
                self._raised(error)

        sys.excepthook = hook

    def _raised(self, error: BaseException | None) -> None:
        if error is not None:
            self.problems.append("".join(traceback.format_exception(error)))

    def _qt_said(self, kind: QtMsgType, context: object, text: str) -> None:
        if kind in (QtMsgType.QtDebugMsg, QtMsgType.QtInfoMsg) or any(text.startswith(start) for start in HARMLESS):
            return
        if kind == QtMsgType.QtFatalMsg:
            print(f"Qt says: {text}", file=sys.stderr, flush=True)
        self.problems.append(f"Qt says: {text}\n{''.join(traceback.format_stack(limit=12))}")


@dataclass
class Tally:
    """What is told at the end."""

    actions: int = 0
    rounds: int = 0
    windows: int = 0
    failed: list[str] = field(default_factory=list)
    slow: list[tuple[float, float, str]] = field(default_factory=list)
    checkpoints: list[tuple[float, int, int, int]] = field(default_factory=list)
    """(MiB, threads, widgets, Python objects) after opening the same files again."""


class Session:
    """A window, closed and made anew now and then, and everything that is checked on it."""

    def __init__(self, app: QApplication, files: Files, watch: Watch) -> None:
        self.app, self.files, self.watch = app, files, watch
        self.tally = Tally()
        self.random = Random(0)
        self.log: list[str] = []
        self.diary: TextIO | None = None
        """Where each deed is written before it is done, for what ends the process itself."""
        self._window: MainWindow | None = None
        self._theme: Theme | None = None
        self._threads = threading.active_count()
        answer_dialogs(files, lambda: self.random)

    @property
    def window(self) -> MainWindow:
        if self._window is None:
            self._theme = Theme(self.app, preference="dark")
            self._window = MainWindow(self._theme, Settings())
            self._window.resize(1600, 1000)
            self.watch.over(self._window)
            self._window.show()
            self._window.activateWindow()
            self.tally.windows += 1
        return self._window

    def round(self, seed: int, actions: int) -> None:
        self.log = []
        if self.diary is not None:
            print(f"round {seed}", file=self.diary, flush=True)
        hands = Hands(self.window, self.files)
        self.random = Random(f"{seed} opening")
        self.log.append(hands.open(self.random))
        for number in range(actions):
            self.random = Random(f"{seed} {number}")
            self._act(hands, number)
            if not self.window.isVisible():
                self.log.append("the window closed")
                break
        self.tally.rounds += 1

    def _act(self, hands: Hands, number: int) -> None:
        faulthandler.dump_traceback_later(STUCK_S, exit=True)
        wall, own = time.monotonic(), time.thread_time()
        if self.diary is not None:
            print(f"{number} begins, after {self.log[-1]}", file=self.diary, flush=True)
        try:
            self.log.append(f"{number}: {hands.act(self.random)}")
            self.app.processEvents()
            send_deletes()
        except Exception:
            self.log.append(f"{number}: {hands.doing}, which raised")
            raise
        finally:
            faulthandler.cancel_dump_traceback_later()
        took = time.thread_time() - own, time.monotonic() - wall
        if took[0] > LONG_S / 4 or took[1] > LONG_S:
            self.tally.slow = sorted([*self.tally.slow, (*took, self.log[-1])], reverse=True)[:12]
        self.tally.actions += 1
        self.check()

    def check(self) -> None:
        if self.watch.problems:
            problems, self.watch.problems = self.watch.problems, []
            raise Broken("\n".join(problems[:3]))
        for strip in self.window.messages.strips:
            if any("bug" in text for text in strip.texts):
                raise Broken(f"a message says: {strip.texts}\n{strip._report}")
        names = [thread.name for thread in threading.enumerate()]
        if len(names) > self._threads + MOST_THREADS:
            raise Broken(f"{len(names)} threads: {names}")

    def checkpoint(self) -> None:
        """Opens the same files as at the last one and measures."""
        hands = Hands(self.window, self.files)
        hands.clear_away()
        if not self.window.isVisible():
            self.close()
        window = self.window
        window.showNormal()
        window.resize(1600, 1000)
        window.open_paths([str(path) for path in self.files.pair])
        hands.wait_loaded()
        linger(400)
        self.check()
        settle()
        found = resident_mib(), threading.active_count(), len(QApplication.allWidgets()), len(gc.get_objects())
        self.tally.checkpoints.append(found)

    def close(self) -> None:
        """Closes the window and looks for what outlives it."""
        if self._window is None:
            return
        window, self._window = self._window, None
        Hands(window, self.files).clear_away()
        window.close()
        window.deleteLater()
        if self._theme is not None:
            self._theme.deleteLater()
        del window
        send_deletes()
        settle()
        self._nothing_stays()

    def _nothing_stays(self) -> None:
        if not wait_for(lambda: threading.active_count() <= self._threads, limit_s=5):
            raise Broken(f"threads outlive the window: {[thread.name for thread in threading.enumerate()]}")
        timers = [timer for timer in self.app.findChildren(QTimer) if timer.isActive()]
        timers += [one for one in gc.get_objects() if isinstance(one, QTimer) and is_active(one)]
        threads = [one for one in self.app.findChildren(QThread) if one.isRunning()]
        widgets = [one for one in QApplication.allWidgets() if one.isVisible()]
        if timers or threads or widgets:
            raise Broken(f"outlive the window: {[described(timer) for timer in timers]} {threads} {widgets}")
        if self.watch.problems:
            raise Broken("\n".join(self.watch.problems[:3]))


def is_active(timer: QTimer) -> bool:
    try:
        return timer.isActive()
    except RuntimeError:  # the C++ side is gone
        return False


def settle() -> None:
    """Frees what can be freed, so that what is measured is what is held."""
    for _ in range(2):
        send_deletes()
        gc.collect()
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).malloc_trim(0)


def resident_mib() -> float:
    if not sys.platform.startswith("linux"):
        return 0.0
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def growth(values: list[float]) -> float:
    """By how much the last quarter is above the quarter after the middle's start, as a share."""
    quarter = max(1, len(values) // 4)
    middle = len(values) // 2
    before, after = median(values[middle : middle + quarter]), median(values[-quarter:])
    return after / before - 1 if before else 0.0


def tell(text: str) -> None:
    print(f"[{time.strftime('%H:%M:%S')}] {text}", flush=True)


def play(session: Session, options: argparse.Namespace) -> int:
    ends, told, seed = time.monotonic() + options.minutes * 60, time.monotonic(), options.seed
    while session.tally.rounds < options.rounds or time.monotonic() < ends:
        try:
            session.round(seed, options.actions)
            session.checkpoint()
            if seed % 3 == 0:
                session.close()
        except Exception as error:
            report_failure(session, seed, error)
            if not options.keep_going:
                return 1
            abandon(session)
        seed += 1
        if time.monotonic() - told > 60:
            told = time.monotonic()
            tell(progress(session))
    return finish(session)


def report_failure(session: Session, seed: int, error: Exception) -> None:
    number = max(1, len(session.log) - 1)
    again = f"--seed {seed} --actions {number} --rounds 1"
    text = str(error) if isinstance(error, Broken) else "".join(traceback.format_exception(error))
    session.tally.failed.append(again)
    session.tally.rounds += 1
    tell(f"FAILED; again with {again}\n" + "\n".join(session.log[-TAIL:]) + f"\n{text}")


def abandon(session: Session) -> None:
    """Goes on with a new window after a failure."""
    session.watch.problems.clear()
    try:
        session.close()
    except Exception as error:
        tell(f"closing after the failure: {error}")
    session.watch.problems.clear()


def progress(session: Session) -> str:
    tally = session.tally
    mib, threads, widgets, objects = tally.checkpoints[-1] if tally.checkpoints else (0.0, 0, 0, 0)
    return (
        f"{tally.actions} actions in {tally.rounds} rounds on {tally.windows} windows, {len(tally.failed)} failed; "
        f"{mib:.0f} MiB, {threads} threads, {widgets} widgets, {objects} objects"
    )


def finish(session: Session) -> int:
    tally = session.tally
    try:
        session.close()
    except Broken as error:
        tell(str(error))
        tally.failed.append("closing at the end")
    tell(progress(session))
    print(f"errors told to the user: {session.watch.users_errors}")
    for own, wall, what in tally.slow:
        print(f"slow: {own:.2f} s of its own, {wall:.2f} s on the wall: {what}")
    resident = [one[0] for one in tally.checkpoints]
    if resident:
        print("MiB at the checkpoints: " + " ".join(f"{mib:.0f}" for mib in resident))
    if len(resident) >= FEWEST_CHECKPOINTS:
        grown = growth(resident)
        print(f"growth over the second half: {grown:+.1%}")
        if grown > MOST_GROWTH:
            tally.failed.append("memory grows")
    for again in tally.failed:
        print(f"failed: {again}")
    return 1 if tally.failed else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=0, help="go on for so long")
    parser.add_argument("--rounds", type=int, default=1, help="do at least so many")
    parser.add_argument("--actions", type=int, default=150, help="of each round")
    parser.add_argument("--seed", type=int, default=1, help="of the first round; the next has the next")
    parser.add_argument("--small", action="store_true", help="only files of the repository")
    parser.add_argument("--diary", type=argparse.FileType("w"), help="file for every action as it is done")
    parser.add_argument("--keep-going", action="store_true", help="after a failure, with a new window")
    options = parser.parse_args()
    faulthandler.enable()
    with tempfile.TemporaryDirectory(prefix="profviz-monkey-", ignore_cleanup_errors=True) as work:
        own_home(Path(work))
        app = QApplication([sys.argv[0]])
        app.setQuitOnLastWindowClosed(False)
        session = Session(app, Files(Path(work), small=options.small), Watch())
        session.diary = options.diary
        return play(session, options)


if __name__ == "__main__":
    sys.exit(main())
