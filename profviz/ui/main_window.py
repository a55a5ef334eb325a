"""The window: a stack of pages under a strip for messages, commands, drag and drop; reads no file and runs nothing."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeyEvent
from PySide6.QtWidgets import QMainWindow, QStackedWidget, QVBoxLayout, QWidget

from profviz.model.errors import UserError
from profviz.ui import other_files, window_dialogs
from profviz.ui.exporting import export_from
from profviz.ui.menus import Actions, PageButtons, Situation, enabled
from profviz.ui.pages.start import StartPage
from profviz.ui.problems import failed_variants
from profviz.ui.settings import Settings
from profviz.ui.starting_points import samples
from profviz.ui.theme import Theme
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.shell_labels import ElidedLabel
from profviz.ui.widgets.shell_loading import LoadingBar
from profviz.ui.widgets.shell_messages import MessageStack, MessageStrip

if TYPE_CHECKING:
    from profviz.engine.events import Event
    from profviz.model.results import Results
    from profviz.model.run import RunRequest
    from profviz.ui.controller import Controller, Engine
    from profviz.ui.pages.results import ResultsPage
    from profviz.ui.pages.run import RunPage
    from profviz.ui.widgets.view_actions import Deed

FIRST_SIZE = (1600, 1000)
SMALLEST = (640, 420)
IDLE_STEP_MS = 20
IDLE_IMPORTS = ("numpy", "profviz.engine.events", "profviz.ui.views.spec", "profviz.ui.views.registry")


class MainWindow(QMainWindow):
    """Pages and the controller are made when first needed, or in the idle time after the first paint."""

    first_painted = Signal()
    results_shown = Signal()

    def __init__(
        self, theme: Theme, settings: Settings, *, engine: Engine | None = None, python: str = "", idle: bool = True
    ) -> None:
        super().__init__()
        self._theme, self._settings, self._engine, self._python = theme, settings, engine, python
        self._prepare_when_idle = idle
        self._painted = False
        self._controller: Controller | None = None
        self._run_page: RunPage | None = None
        self._results_page: ResultsPage | None = None
        self.setStyleSheet(theme.sheet)
        self.setWindowTitle("profviz")
        self.setAcceptDrops(True)
        self.setMinimumSize(*SMALLEST)
        self.messages = MessageStack()
        self.pages = QStackedWidget()
        self.start_page = StartPage(samples())
        self.loading_bar = LoadingBar()
        self.status_text = ElidedLabel(role="muted", mode=Qt.TextElideMode.ElideMiddle)
        self.actions_ = Actions(self, deeds_of=self.deeds_of)
        self._lay_out()
        self._connect()
        self.start_page.show_recent(settings.recent())
        self._update_commands()
        if not self.restoreGeometry(settings.blob("window")):
            self.resize(QSize(*FIRST_SIZE).boundedTo(self.screen().availableSize()))

    # -- parts made on demand ---------------------------------------------------------------------------------

    @property
    def controller(self) -> Controller:
        if self._controller is None:
            from profviz.ui.controller import Controller

            self._controller = made = Controller(self._engine, self)
            made.problem.connect(self.show_problem)
            made.loading.connect(self.show_loading)
            made.script_opened.connect(self._show_script)
            made.results_opened.connect(self._opened)
            made.results_begun.connect(self._show_beginning)
            made.run_results.connect(self._ran)
            made.inspection_event.connect(lambda event: self.run_page.take(event))
            made.run_event.connect(lambda event: self.run_page.take(event))
            made.inspection_ended.connect(self._inspection_ended)
            made.run_ended.connect(lambda event: self.run_page.end_run(event))
            made.bridge.running.running_changed.connect(lambda running: self._update_commands())
        return self._controller

    @property
    def run_page(self) -> RunPage:
        if self._run_page is None:
            from profviz.ui.pages.run import RunPage

            self._run_page = page = RunPage()
            page.inspect.connect(self._inspect)
            page.run.connect(self._run)
            page.cancel.connect(lambda: self.controller.cancel_run())
            page.partial.connect(lambda path: self.open_paths([path]))
            page.look.connect(self.show_results_of)
            page.watched = lambda results: self.results_page.is_only_watched(results)
            self.pages.addWidget(page)
        return self._run_page

    @property
    def results_page(self) -> ResultsPage:
        if self._results_page is None:
            from profviz.ui.mark_store import MarkStore
            from profviz.ui.pages.results import ResultsPage
            from profviz.ui.views.registry import VIEWS

            self._results_page = page = ResultsPage(VIEWS, self._theme.palette)
            page.marks = MarkStore(page.state, self._settings, page)
            page.marks.problem.connect(self.show_problem)
            page.restore_layout(self._settings.blob("panels"))
            self.actions_.add_panels(page.panels)
            self.pages.addWidget(page)
        return self._results_page

    def prepare(self) -> None:
        """Imports and makes what the first file will need, one thing a turn of the event loop."""
        steps = [partial(importlib.import_module, name) for name in IDLE_IMPORTS]
        steps += [partial(getattr, self, name) for name in ("controller", "run_page", "results_page")]
        for number, step in enumerate(steps):
            QTimer.singleShot(IDLE_STEP_MS * number, self, step)

    def open_paths(self, paths: Sequence[str], *, auto_run: bool = False) -> None:
        self.messages.clear()
        self.say("")
        self.controller.open_paths([str(path) for path in paths], auto_run=auto_run)

    def pick_files(self, kind: str = "") -> list[str]:
        if paths := window_dialogs.choose_files(self, kind, folder=self._settings.open_folder):
            self._settings.open_folder = str(Path(paths[0]).parent)
        return paths

    def choose_files(self, kind: str = "") -> None:
        if paths := self.pick_files(kind):
            self.open_paths(paths)

    def add_files(self) -> None:
        other_files.add_files(self)

    def replace_side(self) -> None:
        other_files.replace_side(self)

    def save_copy(self) -> None:
        results = self._results_page.results if self._results_page else None
        if results is not None and results.path.endswith(".profviz"):
            window_dialogs.save_copy(self, results.path)

    def export_trace(self) -> None:
        export_from(self, visible=False)

    def export_visible(self) -> None:
        export_from(self, visible=True)

    def show_problem(self, error: UserError, report: str = "") -> None:
        strip = MessageStrip(error.what, why=error.why, hint=error.hint, report=report)
        self.messages.show_message(strip)

    def tell(self, text: str, *, detail: str = "") -> None:
        self.messages.show_message(MessageStrip(text, hint=detail, tone="info"))

    def show_loading(self, text: str, fraction: float | None) -> None:
        self.loading_bar.show_progress(text, fraction)
        self._fit_status()

    def say(self, text: str) -> None:
        """Writes the status line, which takes no room while it has nothing to say."""
        self.status_text.setText(text)
        self._fit_status()

    def _fit_status(self) -> None:
        self.statusBar().setVisible(bool(self.status_text.text()) or self.loading_bar.busy)

    def _show_script(self, path: str) -> None:
        self._settings.remember((path,), kind="script")
        self._recent_changed()
        python = self._python or os.environ.get("PROFVIZ_PYTHON", "") or self._settings.interpreter
        self.run_page.open_script(path, interpreter=python)
        self.show_page(self.run_page)

    def _opened(self, results: Results, paths: tuple[str, ...]) -> None:
        from profviz.ui.controller import kind_of

        self._settings.remember(paths, kind=kind_of(paths, results))
        self._recent_changed()
        self.show_results_of(results, paths=paths)

    def _show_beginning(self, results: Results) -> None:
        """What there is to see of a large file while the rest of it is read."""
        self.show_page(self.results_page)
        self.results_page.show_results(results)
        self.setWindowTitle(f"{results.title} (reading) – profviz")

    def show_results_of(self, results: Results, *, paths: Sequence[str] = ()) -> None:
        """`paths` are the files that marks on the results belong to."""
        page = self.results_page
        self.show_page(page)
        page.show_results(results, paths=paths)
        page.focus_main()
        self.setWindowTitle(f"{results.title} – profviz")
        for strip in failed_variants(results):
            self.messages.show_message(strip)
        self._update_commands()
        self.results_shown.emit()

    def start_run(self) -> None:
        if self._run_page is not None:
            self.show_page(self._run_page)
            self._run_page.ask_run()

    def cancel(self) -> None:
        self.controller.cancel_loading()
        self.controller.cancel_run()

    def _inspect(self, request: RunRequest) -> None:
        interpreter = self.run_page.interpreter
        if interpreter != self._python:
            self._settings.interpreter = interpreter
        self.run_page.begin("inspect")
        self.controller.inspect(request, interpreter=interpreter)

    def _run(self, request: RunRequest) -> None:
        self.messages.clear()
        self.run_page.begin("run")
        self.controller.run(request, interpreter=self.run_page.interpreter)

    def _inspection_ended(self, event: Event) -> None:
        auto, self.controller.auto_run = self.controller.auto_run, False
        if self.run_page.end_inspection(event) and auto:
            self.run_page.ask_run()

    def _ran(self, results: Results, session_path: str) -> None:
        watched = self.pages.currentWidget() is self._run_page or self.run_page.has_shown(self.results_page.results)
        if session_path:
            self._settings.remember((session_path,), kind="session")
            self._recent_changed()
        if watched:
            self.show_results_of(results, paths=[session_path] if session_path else [])
            self.say(f"Saved as {session_path}" if session_path else "")
        else:
            self.tell("The run is done.", detail=f"Its session is {session_path}; it is first among the recent files.")

    # -- pages and commands -----------------------------------------------------------------------------------

    def show_page(self, page: QWidget) -> None:
        self.pages.setCurrentWidget(page)
        page.setFocus()
        self._update_commands()

    def show_start(self) -> None:
        self.start_page.show_recent(self._settings.recent())
        self.show_page(self.start_page)

    def show_run(self) -> None:
        if self._run_page is not None:
            self.show_page(self._run_page)

    def show_results(self) -> None:
        if self._results_page is not None and self._results_page.results is not None:
            self.show_page(self._results_page)

    def close_page(self) -> None:
        """Back to the start page; closes the window when that is there already."""
        if self.pages.currentWidget() is self.start_page:
            self.close()
        else:
            self.show_start()

    def undo(self) -> None:
        if self._results_page is not None:
            self._results_page.state.undo()

    def redo(self) -> None:
        if self._results_page is not None:
            self._results_page.state.redo()

    def reset_layout(self) -> None:
        self._settings.forget_blob("panels")
        if self._results_page is not None:
            self._results_page.reset_layout()

    def toggle_fullscreen(self) -> None:
        self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)

    def toggle_theme(self) -> None:
        self._theme.toggle()
        self._settings.theme = self._theme.preference

    def follow_system_theme(self) -> None:
        self._theme.prefer("system")
        self._settings.theme = "system"

    def show_palette(self) -> None:
        window_dialogs.show_picker(self, self.actions_)

    def deeds_of(self, view: str) -> Mapping[str, Deed]:
        page = self._results_page
        return page.deeds_of(view) if page is not None and self.pages.currentWidget() is page else {}

    def show_keys(self) -> None:
        window_dialogs.show_keys(self)

    def show_about(self) -> None:
        window_dialogs.show_about(self)

    def _theme_changed(self, palette: Palette) -> None:
        self.setStyleSheet(self._theme.sheet)
        if self._results_page is not None:
            self._results_page.set_palette(palette)

    def _recent_changed(self) -> None:
        self.start_page.show_recent(self._settings.recent())
        window_dialogs.fill_recent_menu(self._recent_menu, self._settings.recent(), self.open_paths)

    def _update_commands(self) -> None:
        page = self.pages.currentWidget()
        now = Situation(
            results=(results := self._results_page.results if self._results_page else None),
            on_results=results is not None and page is self._results_page,
            has_page=self._results_page is not None,
            has_script=bool(self._run_page and self._run_page.title.text()),
            running=self._controller is not None and self._controller.bridge.running.running,
        )
        for id_, on in enabled(now).items():
            self.actions_[id_].setEnabled(on)
        shown = {self.start_page: "view.start", self._run_page: "view.run", self._results_page: "view.results"}
        self._page_buttons.refresh(shown=shown.get(page, ""))

    def _lay_out(self) -> None:
        self.pages.addWidget(self.start_page)
        central = QWidget()
        column = QVBoxLayout(central)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.messages)
        column.addWidget(self.pages, 1)
        self.setCentralWidget(central)
        self.statusBar().setSizeGripEnabled(False)
        self.status_text.setIndent(8)
        self.statusBar().addWidget(self.status_text, 1)
        self.statusBar().addPermanentWidget(self.loading_bar)
        self.say("")
        self._recent_menu = window_dialogs.insert_recent_menu(self.actions_)
        self._page_buttons = PageButtons(self.actions_, self)
        self.menuBar().setCornerWidget(self._page_buttons)

    def _connect(self) -> None:
        self.start_page.choose.connect(self.choose_files)
        self.start_page.open_paths.connect(self.open_paths)
        self.loading_bar.cancelled.connect(lambda: self.controller.cancel_loading())
        self._theme.changed.connect(self._theme_changed)
        self._recent_changed()

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() == QEvent.Type.Paint and not self._painted:
            self._painted = True
            QTimer.singleShot(0, self, self._after_first_paint)
        return handled

    def _after_first_paint(self) -> None:
        self.first_painted.emit()
        if self._prepare_when_idle:
            self.prepare()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.loading_bar.busy:
            self.controller.cancel_loading()
        else:
            super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if window_dialogs.local_files(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        if paths := window_dialogs.local_files(event.mimeData()):
            event.acceptProposedAction()
            self.open_paths(paths)

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._controller is not None:
            self._controller.close()
        self._settings.keep_blob("window", self.saveGeometry())
        if self._results_page is not None:
            self._results_page.close_down(self._settings)
        self._settings.sync()
        super().closeEvent(event)
