"""Actions and menus made from the command table, calling the window's methods by their names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QMainWindow, QMenu, QPushButton, QWidget

from profviz.ui.commands import COMMANDS, GROUPS, Command, view_action_ids
from profviz.ui.widgets.view_actions import Deed, ViewAction

if TYPE_CHECKING:  # numpy: not before the first paint
    from profviz.model.results import Results
    from profviz.ui.pages.panels import Panels

DeedsOf = Callable[[str], Mapping[str, Deed]]
PANEL = "panel."


class Actions:
    """One QAction a command; `menus` by group. `deeds_of` tells what a view can do while it shows."""

    def __init__(self, window: QMainWindow, *, deeds_of: DeedsOf = lambda view: {}) -> None:
        self._window = window
        self._deeds_of = deeds_of
        self._panels: Panels | None = None
        self._view_actions = view_action_ids()
        self.actions: dict[str, QAction] = {command.id: self._action(command) for command in COMMANDS}
        self.anywhere = [self._anywhere(id_, own) for id_, (_, own) in self._view_actions.items() if own.anywhere]
        self.menus: dict[str, QMenu] = {group: self._menu(group) for group in GROUPS}

    def __getitem__(self, id_: str) -> QAction:
        return self.actions[id_]

    def run(self, id_: str) -> None:
        """A command, or what a view does where it can be done now."""
        if id_ in self.actions:
            self.actions[id_].trigger()
            return
        if id_.startswith(PANEL) and self._panels is not None:
            self._panels.go_to(id_.removeprefix(PANEL))
            return
        deed = self._deed(id_)
        if deed is not None and deed.usable():
            deed.run()

    def entries(self) -> list[tuple[str, str, str]]:
        """(id, title, keys) of what can be done now, for the command palette."""
        usable = [c for c in COMMANDS if self.actions[c.id].isEnabled() and c.id != "help.palette"]
        commands = [(c.id, f"{c.group}: {c.title.rstrip('…')}", c.shortcut) for c in usable]
        return commands + self._panel_entries() + self._view_entries()

    def add_panels(self, panels: Panels) -> None:
        """A menu that shows and hides them; the command palette leads to each while they are on top."""
        self._panels = panels
        menu = self.menus["View"].addMenu("Panels")
        for dock in panels.docks.values():
            menu.addAction(dock.toggleViewAction())

    def _panel_entries(self) -> list[tuple[str, str, str]]:
        if self._panels is None or not self._panels.isVisible():
            return []
        return [(f"{PANEL}{id_}", f"Panel: {dock.windowTitle()}", "") for id_, dock in self._panels.docks.items()]

    def _view_entries(self) -> list[tuple[str, str, str]]:
        found = []
        for id_, (view, action) in self._view_actions.items():
            deed = self._deed(id_)
            if deed is not None and deed.usable():
                found.append((id_, f"{view.capitalize()}: {action.title}", "  ".join(action.keys)))
        return found

    def _deed(self, id_: str) -> Deed | None:
        view, action = self._view_actions[id_]
        return self._deeds_of(view).get(action.id)

    def _anywhere(self, id_: str, own: ViewAction) -> QAction:
        """The keys of a view's action that work wherever the keyboard is."""
        action = QAction(own.title, self._window)
        action.setShortcuts([QKeySequence(key) for key in own.keys])
        action.triggered.connect(lambda: self.run(id_))
        self._window.addAction(action)
        return action

    def _action(self, command: Command) -> QAction:
        title = command.title
        if command.shortcut and not command.bound:
            title = f"{title}\t{command.shortcut}"
        action = QAction(title, self._window)
        action.setObjectName(command.id)
        if command.shortcut and command.bound:
            action.setShortcut(QKeySequence(command.shortcut))
        action.triggered.connect(lambda: getattr(self._window, command.handler)())
        self._window.addAction(action)
        return action

    def _menu(self, group: str) -> QMenu:
        menu = self._window.menuBar().addMenu(group)
        for command in COMMANDS:
            if command.group == group:
                if command.separator:
                    menu.addSeparator()
                menu.addAction(self.actions[command.id])
        return menu


@dataclass(frozen=True, slots=True)
class Situation:
    """What decides which commands can be done: the results and whether their page is on top, a script, a run."""

    results: Results | None
    on_results: bool
    has_page: bool
    has_script: bool
    running: bool


def enabled(now: Situation) -> dict[str, bool]:
    """The commands that can't always be done, and whether they can be now."""
    has_sides = now.on_results and now.results is not None and bool(now.results.sides)
    return {
        "file.add": now.on_results,
        "file.replace_side": has_sides,
        "file.export": has_sides,
        "file.export_visible": has_sides,
        "file.save_copy": now.results is not None and now.results.path.endswith(".profviz"),
        "edit.undo": now.on_results,
        "edit.redo": now.on_results,
        "run.start": now.has_script and not now.running,
        "view.run": now.has_script,
        "view.results": now.results is not None,
        "view.reset_layout": now.has_page,
    }


class PageButtons(QWidget):
    """Three buttons at the menu bar's end that name the pages; the one shown is pressed."""

    PAGES = (("Start", "view.start"), ("Run", "view.run"), ("Results", "view.results"))

    def __init__(self, actions: Actions, parent: QWidget) -> None:
        super().__init__(parent)
        self._actions = actions
        self._buttons: dict[str, QPushButton] = {}
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 2, 8, 2)
        row.setSpacing(2)
        for title, id_ in self.PAGES:
            button = QPushButton(title, checkable=True)
            button.setProperty("flat", True)
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            button.clicked.connect(lambda _=False, id_=id_: self._go(id_))
            self._buttons[id_] = button
            row.addWidget(button)

    def refresh(self, *, shown: str) -> None:
        """`shown` is the id of the command that leads to the page on top."""
        self._shown = shown
        for id_, button in self._buttons.items():
            button.setEnabled(self._actions[id_].isEnabled())
            button.setChecked(id_ == shown)

    def _go(self, id_: str) -> None:
        self._buttons[id_].setChecked(id_ == self._shown)  # the page decides, not the click
        self._actions.run(id_)
