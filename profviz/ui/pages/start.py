"""The start page: what can be opened, what was opened lately, and samples; opens nothing itself."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from profviz.ui.settings import RecentFile
from profviz.ui.widgets.shell_buttons import CardButton, RowButton
from profviz.ui.widgets.shell_labels import label, panel

WIDEST = 1040


@dataclass(frozen=True, slots=True)
class Sample:
    """Something to try on the first start; two paths are opened as a comparison."""

    title: str
    detail: str
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One card: `kind` names the file dialog's filter."""

    kind: str
    heading: str
    sentence: str


CHOICES: tuple[Choice, ...] = (
    Choice("script", "Open a model script", "Run it eager and compiled, and see both side by side."),
    Choice("trace", "Open traces", "Chrome traces of torch.profiler; pick two to compare them."),
    Choice("log", "Open a compile log", "What TORCH_TRACE wrote: graphs, breaks, recompiles."),
    Choice("session", "Open a session", "A .profviz file that holds a whole run."),
)


def ago(when_s: int, *, now_s: float) -> str:
    """How long ago in the largest whole unit."""
    passed = max(0, int(now_s) - when_s)
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if passed >= size:
            return f"{passed // size} {unit} ago"
    return "just now"


class StartPage(QWidget):
    choose = Signal(str)
    open_paths = Signal(object)

    def __init__(self, samples: Sequence[Sample], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.cards = tuple(self._card(choice) for choice in CHOICES)
        self._recent_frame, self._recent = panel(title="Recent", spacing=2, inset=8)
        self.recent_rows: tuple[RowButton, ...] = ()
        samples_frame, column = panel(title="Samples", spacing=2, inset=8)
        self.sample_rows = tuple(self._row(s.title, s.detail, paths=s.paths) for s in samples)
        for row in self.sample_rows:
            column.addWidget(row)
        column.addStretch(1)
        self._lay_out(samples_frame)
        self.setFocusProxy(self.cards[0])

    def show_recent(self, files: Sequence[RecentFile]) -> None:
        while self._recent.count() > 1:
            item = self._recent.takeAt(1)
            if item.widget() is not None:
                item.widget().deleteLater()
        now = time.time()
        self.recent_rows = tuple(self._recent_row(file, now_s=now) for file in files)
        for row in self.recent_rows:
            self._recent.addWidget(row)
        if not files:
            nothing = label("Files you open appear here.", role="muted")
            nothing.setContentsMargins(8, 8, 8, 8)
            self._recent.addWidget(nothing)
        self._recent.addStretch(1)

    def _card(self, choice: Choice) -> CardButton:
        card = CardButton(choice.heading, choice.sentence)
        card.clicked.connect(lambda: self.choose.emit(choice.kind))
        return card

    def _row(self, title: str, detail: str, *, paths: tuple[str, ...], note: str = "", gone: bool = False) -> RowButton:
        row = RowButton(title, detail, note=note, gone=gone)
        row.clicked.connect(lambda: self.open_paths.emit(paths))
        return row

    def _recent_row(self, file: RecentFile, *, now_s: float) -> RowButton:
        title = "  ·  ".join(Path(path).name for path in file.paths)
        folder = str(Path(file.paths[0]).parent)
        note = "missing" if file.missing else f"{file.kind} · {ago(file.when_s, now_s=now_s)}"
        return self._row(title, folder, paths=file.paths, note=note, gone=file.missing)

    def _lay_out(self, samples: QFrame) -> None:
        body = QWidget()
        body.setMaximumWidth(WIDEST)
        column = QVBoxLayout(body)
        column.setContentsMargins(24, 32, 24, 16)
        column.setSpacing(16)
        column.addWidget(label("profviz", role="hero"))
        column.addWidget(label("See what torch.compile did to a model, and why.", role="muted"))
        column.addSpacing(8)
        column.addLayout(self._card_row())
        column.addLayout(self._lists(samples))
        hint = "Drop files anywhere in this window. Opening a trace, a log or a session never runs code."
        column.addWidget(label(hint, role="muted", wrap=True))
        column.addStretch(1)
        self._scroll(body)

    def _card_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        for card in self.cards:
            row.addWidget(card)
        return row

    def _lists(self, samples: QFrame) -> QGridLayout:
        grid = QGridLayout()
        grid.setSpacing(8)
        grid.addWidget(self._recent_frame, 0, 0)
        grid.addWidget(samples, 0, 1)
        grid.setColumnStretch(0, 3)
        grid.setColumnStretch(1, 2)
        return grid

    def _scroll(self, body: QWidget) -> None:
        centred = QWidget()
        centred.setProperty("clear", True)
        row = QHBoxLayout(centred)
        row.setContentsMargins(0, 0, 0, 0)
        row.addStretch(1)
        row.addWidget(body, 100)
        row.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(centred)
        area.setAccessibleName("Ways to begin")
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(area)
