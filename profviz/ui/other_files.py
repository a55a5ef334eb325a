"""Opens more files beside those that are open, or another one in the place of a side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QInputDialog

if TYPE_CHECKING:  # numpy: not before the first paint
    from profviz.model.results import Results
    from profviz.ui.main_window import MainWindow


def add_files(window: MainWindow) -> None:
    """The open files stay, and what the user picks comes beside them."""
    picked = window.pick_files()
    if picked:
        window.open_paths([*window.results_page.paths, *picked])


def replace_side(window: MainWindow) -> None:
    """Asks which side where there are several, and for one file to open in its place."""
    results = window.results_page.results
    side = _choose_side(window, results) if results is not None else -1
    if results is None or side < 0:
        return
    picked = window.pick_files()
    if picked:
        window.open_paths(replaced(window.results_page.paths, results.sides[side].path, picked))


def replaced(paths: Sequence[str], old: str, new: Sequence[str]) -> list[str]:
    """The paths with `new` where `old` was; at the end where no single file is the side, as one of several of a run."""
    if old not in paths:
        return [*paths, *new]
    at = list(paths).index(old)
    return [*paths[:at], *new, *paths[at + 1 :]]


def _choose_side(window: MainWindow, results: Results) -> int:
    titles = [side.title for side in results.sides]
    if len(titles) < 2:
        return len(titles) - 1
    title, chosen = QInputDialog.getItem(window, "Replace a side", "Side", titles, 0, False)
    return titles.index(title) if chosen else -1
