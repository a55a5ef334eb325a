"""Three tabs, the Python source, the generated code and the graph's text, all scrolled to what is selected."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QDockWidget, QHBoxLayout, QPushButton, QSplitter, QVBoxLayout, QWidget

from profviz.model.break_cost import BreakAccount
from profviz.model.graph import SourceLine
from profviz.model.questions import Question, Unanswered
from profviz.model.results import Results
from profviz.ui.view_state import Pick, Selection, ViewState
from profviz.ui.views.source import kernels, layout
from profviz.ui.views.source.graph_page import GraphPage
from profviz.ui.views.source.layout import GENERATED, PYTHON
from profviz.ui.views.spec import Area, ViewSpec
from profviz.ui.widgets.code_lexing import Mark, Segment
from profviz.ui.widgets.code_segments import generated_segments
from profviz.ui.widgets.code_view import CodeView
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_style import plain_tip
from profviz.ui.widgets.panel_text import Panel, TextLabel, ToggleRow

BREAKS = "breaks"
MOST_HEIGHT = 10_000


class SourceView(Panel):
    """A selection with a line shows it; one with a kernel scrolls the generated code to it as well."""

    def __init__(self, state: ViewState, palette: Palette) -> None:
        super().__init__(name="Source")
        self._state = state
        self._results: Results | None = None
        self._entries: tuple[layout.CodeEntry, ...] = ()
        self._paths: tuple[str, ...] = ()
        self._path = ""
        self._found: layout.Found | None = None
        self._accounts: dict[int, BreakAccount] = {}
        self.tabs = ToggleRow(name="What to show", chosen=self._show_tab)
        self.files = QComboBox()
        self.codes = QComboBox()
        self.jump = QPushButton("Go to call")
        self.note = TextLabel(role="warn")
        self.python = CodeView(palette, name="Python source")
        self.generated = CodeView(palette, name="Generated code")
        self.no_code = TextLabel(role="muted")
        self.facts = TextLabel(role="muted")
        self.spills = TextLabel(role="warn")
        self.graph = GraphPage(palette)
        self._pages = QSplitter(Qt.Orientation.Horizontal)
        self._tab = PYTHON
        self._build()
        self.set_palette(palette)
        state.selection_changed.connect(self._show_selection)

    def show_results(self, results: Results) -> None:
        self._results = results
        self._entries = layout.code_entries(results)
        self._paths = layout.paths(results)
        self._found = None
        self._accounts = {}
        self.graph.show_results(results)
        self.show_message(layout.empty(results))
        with QSignalBlocker(self.files), QSignalBlocker(self.codes):
            self.files.clear()
            self.files.addItems(layout.titles(self._paths))
            self.codes.clear()
            self.codes.addItems([entry.title for entry in self._entries])
        self._show_python(self._paths[0] if self._paths else "", ())
        self._show_code(0)
        self._show_selection(self._state.selection)
        for position, (_, report) in enumerate(results.reports):
            if report.breaks:
                self._state.ask(Question(BREAKS, -1, (position,)), partial(self._answered, results))

    def set_palette(self, palette: Palette) -> None:
        self.apply(palette)
        self.python.apply(palette)
        self.generated.apply(palette)
        self.graph.apply(palette)

    def widget(self) -> SourceView:
        return self

    def _build(self) -> None:
        self.tabs.show_choices(["Python", "Generated", "Graph"], current=PYTHON)
        self.files.setAccessibleName("Source file")
        self.codes.setAccessibleName("Generated code of")
        self.jump.setAccessibleName("Go to the kernel's call or back to its definition")
        self._pages.addWidget(_page(self.files, self.note, self.python))
        self._pages.addWidget(_page(self.codes, self.jump, self.no_code, self.facts, self.spills, self.generated))
        self._pages.addWidget(self.graph)
        self._pages.setChildrenCollapsible(False)
        self._arrange()
        top = QHBoxLayout()
        top.addWidget(self.tabs)
        top.addStretch(1)
        self.column.addLayout(top)
        self.column.addWidget(self._pages, 1)
        self.files.activated.connect(self._choose_file)
        self.codes.activated.connect(self._choose_code)
        self.jump.clicked.connect(self._jump)
        self.python.line_chosen.connect(self._pick_line)
        self.generated.line_chosen.connect(self._pick_kernel)
        self.graph.node_chosen.connect(
            lambda *place: self._state.pick(Pick(report=place[0], graph=place[1], node=place[2]))
        )

    def _show_tab(self, index: int) -> None:
        self.tabs.set_current(index)
        self._tab = index
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Where there is room the Python source and what was made of it stand beside each other."""
        for index in range(self._pages.count()):
            self._pages.widget(index).setVisible(index in layout.beside(self._tab, self.width()))
        line = self.fontMetrics().lineSpacing()
        for label in (
            self.note,
            self.facts,
            self.spills,
        ):  # in a low panel the code needs the room, and tips say the rest
            label.setMaximumHeight(line if self.height() < layout.LOW else MOST_HEIGHT)

    def _answered(self, results: Results, question: Question, found: Any) -> None:
        """What breaks cost comes when it is known; the lines stay where they are."""
        if results is not self._results or isinstance(found, Unanswered):
            return
        self._accounts[int(question.args[0])] = found  # type: ignore[call-overload]
        self.python.show_marks(self._marks(self._path, layout.selected_lines(self._state.selection)))

    def _marks(self, path: str, lines: tuple[SourceLine, ...]) -> tuple[Mark, ...]:
        return layout.marks(self._results, path, lines, self._accounts) if self._results is not None else ()

    def _show_selection(self, selection: Selection) -> None:
        if self._results is None:
            return
        lines = layout.selected_lines(selection)
        if lines:
            self._show_python(lines[0].file, lines)
        self._show_kernel(selection)
        self.graph.show_selection(selection)
        if selection.pick.source is not None:
            self._show_tab(PYTHON)
            self._come_forward()
        elif self._found is not None and not lines:
            self._show_tab(GENERATED)

    def _show_python(self, path: str, lines: tuple[SourceLine, ...]) -> None:
        if self._results is None or not path:
            self.python.show_code("")
            return
        shown = layout.python_text(self._results, path, lines)
        self.python.show_code(shown.text, segments=(Segment(0, len(shown.text), "python"),), numbers=shown.numbers)
        marks = self._marks(path, lines)
        target = next((line.line for line in lines if line.file == path), marks[0].line if marks else None)
        self.python.show_marks(marks, scroll_to=target)
        self.note.show_text(shown.note)
        self.note.setToolTip(plain_tip(shown.note))
        self.note.setVisible(bool(shown.note))
        self.files.setToolTip(plain_tip(path))
        if path not in self._paths:
            self._paths = (*self._paths, path)
            self.files.addItem(layout.titles((path,))[0])
        self.files.setCurrentIndex(self._paths.index(path))
        self._path = path

    def _come_forward(self) -> None:
        """Who asks for a line wants to see it, also when this view's dock stands behind another or was closed."""
        parent = self.parentWidget()
        while parent is not None and not isinstance(parent, QDockWidget):
            parent = parent.parentWidget()
        if isinstance(parent, QDockWidget):
            parent.show()
            parent.raise_()

    def _choose_file(self, index: int) -> None:
        """What is selected stays marked in whichever file is shown."""
        self._show_python(self._paths[index], layout.selected_lines(self._state.selection))

    def _show_kernel(self, selection: Selection) -> None:
        self._found = layout.find_kernel(self._entries, selection.kernels, selection.pick.report)
        if self._found is not None:
            self.codes.setCurrentIndex(self._found.entry)
            self._show_code(self._found.entry)
            self.generated.show_marks(
                layout.code_marks(self._found), scroll_to=self._found.definition or self._found.call or None
            )
        else:
            self.generated.show_marks(())
        self._tell_kernel(selection)
        both = self._found is not None and self._found.definition > 0 and self._found.call > 0
        self.jump.setVisible(both)
        self.jump.setText("Go to call")

    def _tell_kernel(self, selection: Selection) -> None:
        found, texts = self._found, ("", "")
        if found is not None and self._results is not None:
            entry = self._entries[found.entry]
            asked = (self._results, entry.report, entry.code, found.handle, selection.slices)
            texts = kernels.facts(*asked), kernels.warning(*asked)
        for label, text in zip((self.facts, self.spills), texts, strict=True):
            label.show_text(text)
            label.setToolTip(plain_tip(text))
            label.setVisible(bool(text))

    def _choose_code(self, index: int) -> None:
        self._show_code(index)
        self.generated.show_marks(())
        self.jump.hide()

    def _show_code(self, index: int) -> None:
        has_code = bool(self._entries)
        self.no_code.setVisible(not has_code)
        self.no_code.show_text("" if has_code else "No generated code: the compile log holds none, or none is open")
        self.generated.setVisible(has_code)
        self.codes.setVisible(has_code)
        self.jump.hide()
        text = self._entries[index].code.text if has_code else ""
        self.generated.show_code(text, segments=generated_segments(text) if text else ())

    def _jump(self) -> None:
        if self._found is None:
            return
        at_call = self.generated.current_line() == self._found.call
        self.generated.scroll_to(self._found.definition if at_call else self._found.call)
        self.jump.setText("Go to call" if at_call else "Go to definition")

    def _pick_kernel(self, line: int) -> None:
        """A line of a kernel's code or call leads to its slices, nodes and source lines."""
        at = self.codes.currentIndex()
        if 0 <= at < len(self._entries):
            key = kernels.kernel_at(self._entries[at].code, line)
            if key:
                self._state.pick(Pick(report=self._entries[at].report, kernel=key))

    def _pick_line(self, line: int) -> None:
        self._state.pick(Pick(source=SourceLine(file=self._path, line=line, text=self.python.line_text(line))))


def _page(*parts: QWidget) -> QWidget:
    """Controls in a row, the label and the code below."""
    page = QWidget()
    column = QVBoxLayout(page)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(6)
    row = QHBoxLayout()
    for part in parts:
        if isinstance(part, QComboBox | QPushButton):
            row.addWidget(part, 1 if isinstance(part, QComboBox) else 0)
    column.addLayout(row)
    for part in parts:
        if not isinstance(part, QComboBox | QPushButton):
            column.addWidget(part, 1 if isinstance(part, CodeView) else 0)
    return page


SPEC = ViewSpec(id="source", title="Source", area=Area.RIGHT, factory=SourceView, empty=layout.empty)
