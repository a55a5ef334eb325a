"""The window's dialogs and overlays, and what a drop holds; each is a function of the window it stands over."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from PySide6.QtCore import QMimeData, Qt
from PySide6.QtWidgets import QFileDialog, QMenu, QMessageBox, QWidget

import profviz
from profviz.model.errors import UserError
from profviz.ui.commands import key_sheet
from profviz.ui.menus import Actions
from profviz.ui.settings import RecentFile
from profviz.ui.starting_points import dialog_filters
from profviz.ui.widgets.shell_keys import KeySheet
from profviz.ui.widgets.shell_picker import Picker


def choose_files(window: QWidget, kind: str, *, folder: str) -> list[str]:
    paths, _ = QFileDialog.getOpenFileNames(window, "Open", folder, dialog_filters(kind))
    return list(paths)


def save_copy(window: QWidget, source: str) -> None:
    """Raises UserError when the copy cannot be written."""
    target, _ = QFileDialog.getSaveFileName(window, "Save a copy", Path(source).name, dialog_filters("session"))
    if target:
        copy_session(source, target)


def copy_session(source: str, target: str) -> None:
    if not Path(source).is_file():
        hint = "What is shown stays until the window closes: its traces can still be exported."
        raise UserError(f"The session {source} is gone.", why="It was moved or deleted after it was opened.", hint=hint)
    try:
        shutil.copyfile(source, target)
    except (OSError, shutil.SameFileError) as error:
        raise UserError(f"The copy {target} could not be written.", why=str(error)) from None


def show_picker(window: QWidget, actions: Actions) -> Picker:
    picker = Picker(actions.entries(), window)
    picker.picked.connect(actions.run)
    picker.show_over(top=64)
    return picker


def show_keys(window: QWidget) -> KeySheet:
    sheet = KeySheet(key_sheet(), window)
    sheet.show_over()
    return sheet


def show_about(window: QWidget) -> QMessageBox:
    box = QMessageBox(window)
    box.setWindowTitle("About profviz")
    box.setText(f"profviz {profviz.__version__}")
    box.setInformativeText("See what torch.compile did to a PyTorch model, and why.")
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.open()
    return box


def insert_recent_menu(actions: Actions) -> QMenu:
    """Puts the submenu of recent files behind Open."""
    file_menu = actions.menus["File"]
    menu = QMenu("Open recent", file_menu)
    file_menu.insertMenu(actions["file.save_copy"], menu)
    return menu


def fill_recent_menu(menu: QMenu, files: Iterable[RecentFile], open_paths: Callable[[Sequence[str]], None]) -> None:
    """One entry for each of the recent files that still exist."""
    menu.clear()
    for file in files:
        if not file.missing:
            text = "  ·  ".join(Path(path).name for path in file.paths).replace("&", "&&")
            menu.addAction(text).triggered.connect(lambda _=False, paths=file.paths: open_paths(paths))
    menu.setEnabled(not menu.isEmpty())


def local_files(data: QMimeData) -> list[str]:
    return [url.toLocalFile() for url in data.urls() if url.isLocalFile()]
