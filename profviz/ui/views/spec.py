"""What a view is to the window: a small frozen value with a stable id and a factory."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtWidgets import QWidget

from profviz.model.results import Results
from profviz.ui.view_state import ViewState
from profviz.ui.widgets.palette import Palette


class Area(enum.Enum):
    """Where a view stands until the user moves it."""

    LEFT = "left"
    CENTRE = "centre"
    RIGHT = "right"
    BOTTOM = "bottom"


class View(Protocol):
    """A view's widget: it is handed results and palettes, subscribes to the state, and fetches nothing."""

    def show_results(self, results: Results) -> None: ...

    def set_palette(self, palette: Palette) -> None: ...

    def widget(self) -> QWidget: ...


@dataclass(frozen=True, slots=True)
class ViewSpec:
    """`empty` says in plain words why there is nothing to show for these results, or is empty when there is."""

    id: str
    title: str
    area: Area
    factory: Callable[[ViewState, Palette], View]
    empty: Callable[[Results], str]
