"""Read-only code with line numbers, marked lines and colours; tells which line the user asked for."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
    QSyntaxHighlighter,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from profviz.ui.widgets.code_lexing import Lexing, Mark, Segment, Span, normalised
from profviz.ui.widgets.paint_faults import told
from profviz.ui.widgets.palette import Palette
from profviz.ui.widgets.panel_style import mono_font, tone_colour, with_alpha

SLICE_S = 0.006
_TONES = {
    "comment": "muted",
    "string": "good",
    "number": "warn",
    "function": "accent",
    "added": "good",
    "removed": "bad",
}
_KINDS = {"keyword": 3, "builtin": 2}


class SpanHighlighter(QSyntaxHighlighter):
    """Paints spans worked out elsewhere; never looks at the text itself."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self.spans: list[list[Span]] = []
        self.formats: dict[str, QTextCharFormat] = {}

    def highlightBlock(self, text: str) -> None:
        number = self.currentBlock().blockNumber()
        for start, length, style in self.spans[number] if number < len(self.spans) else ():
            if style in self.formats:
                self.setFormat(start, length, self.formats[style])


class Gutter(QWidget):
    """Line numbers; the code view paints it and answers its clicks."""

    def __init__(self, view: CodeView) -> None:
        super().__init__(view)
        self._view = view
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip("Click a line number to select that line everywhere")

    def sizeHint(self) -> QSize:
        return QSize(self._view.gutter_width(), 0)

    @told
    def paintEvent(self, event: QPaintEvent) -> None:
        self._view.paint_gutter(QPainter(self), event.rect())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._view.choose_at(QPoint(0, int(event.position().y())))


class CodeView(QPlainTextEdit):
    """`line_chosen` carries the shown line number of a gutter click, or of the cursor's line on Enter."""

    line_chosen = Signal(int)

    def __init__(self, palette: Palette, *, name: str) -> None:
        super().__init__()
        self._colours = palette
        self._numbers: Sequence[int] = range(1, 2)
        self._marks: dict[int, Mark] = {}
        self._lexing: Lexing | None = None
        self._code = ""
        self._gutter = Gutter(self)
        self._highlighter = SpanHighlighter(self.document())
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._lex_on)
        self.setAccessibleName(name)
        self.setReadOnly(True)
        self.setFont(mono_font(self.font()))
        self.setUndoRedoEnabled(False)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.blockCountChanged.connect(self._fit_gutter)
        self.updateRequest.connect(self._scroll_gutter)
        self.apply(palette)

    def show_code(self, text: str, *, segments: Sequence[Segment] = (), numbers: Sequence[int] = ()) -> None:
        """Shows `text`; `numbers` are its lines' numbers when they do not count from 1. The same text stays put."""
        text = normalised(text)
        self._numbers = numbers or range(1, text.count("\n") + 2)
        if text == self._code and self.toPlainText():
            return
        self._timer.stop()
        self._code = text
        self._highlighter.spans = []
        self._lexing = Lexing(text, tuple(segments)) if segments else None
        self.setPlainText(text)
        self.show_marks(())
        self._fit_gutter()
        if self.isVisible():
            self._lex_on()

    def showEvent(self, event: QShowEvent) -> None:
        """Code behind another tab is coloured once somebody looks at it."""
        super().showEvent(event)
        if not self.coloured:
            self._timer.start(0)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()

    def show_marks(self, marks: Sequence[Mark], *, scroll_to: int | None = None) -> None:
        self._marks = {mark.line: mark for mark in marks}
        self.setExtraSelections([made for mark in marks if (made := self._selection(mark)) is not None])
        self._gutter.update()
        if scroll_to is not None:
            self.scroll_to(scroll_to)

    def scroll_to(self, line: int) -> None:
        """Brings the line with this shown number a third down from the top and puts the cursor there."""
        block = self.document().findBlockByNumber(self._position(line))
        if not block.isValid():
            return
        self.setTextCursor(QTextCursor(block))
        rows = self.viewport().height() // max(1, self.fontMetrics().lineSpacing())
        self.verticalScrollBar().setValue(max(0, block.blockNumber() - rows // 3))
        self.horizontalScrollBar().setValue(0)

    @property
    def coloured(self) -> bool:
        return self._lexing is None or self._lexing.done

    @property
    def marks(self) -> tuple[Mark, ...]:
        return tuple(self._marks.values())

    def current_line(self) -> int:
        return self._numbers[self.textCursor().blockNumber()]

    def line_text(self, line: int) -> str:
        """The text of the line with this shown number, or empty."""
        block = self.document().findBlockByNumber(self._position(line))
        return block.text() if block.isValid() else ""

    def apply(self, palette: Palette) -> None:
        self._colours = palette
        self._highlighter.formats = {style: _format(palette, style) for style in (*_TONES, *_KINDS)}
        self._highlighter.rehighlight()
        self.show_marks(self.marks)

    def gutter_width(self) -> int:
        digits = len(str(max(self._numbers[-1], 99)))
        return self.fontMetrics().horizontalAdvance("0") * (digits + 2) + 14

    def paint_gutter(self, painter: QPainter, area: QRect) -> None:
        painter.fillRect(area, QColor(self._colours.raised))
        painter.setFont(self.font())
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        while block.isValid() and top <= area.bottom():
            height = self.blockBoundingRect(block).height()
            if block.blockNumber() < len(self._numbers):
                self._paint_number(painter, self._numbers[block.blockNumber()], round(top), round(height))
            top += height
            block = block.next()

    def choose_at(self, point: QPoint) -> None:
        number = self.cursorForPosition(point).blockNumber()
        if number < len(self._numbers):
            self.line_chosen.emit(self._numbers[number])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.line_chosen.emit(self.current_line())
            return
        super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        area = self.contentsRect()
        self._gutter.setGeometry(QRect(area.left(), area.top(), self.gutter_width(), area.height()))

    @told
    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        painter.setFont(self.font())
        for mark in self._marks.values():
            if mark.note:
                self._paint_note(painter, mark)

    def _paint_note(self, painter: QPainter, mark: Mark) -> None:
        """At the right edge, on a ground of its own: long code stays below it."""
        block = self.document().findBlockByNumber(self._position(mark.line))
        if not block.isValid() or not block.isVisible():
            return
        row = self.blockBoundingGeometry(block).translated(self.contentOffset())
        width = self.fontMetrics().horizontalAdvance(mark.note) + 12
        box = QRect(self.viewport().width() - width, round(row.top()), width, round(row.height()))
        painter.fillRect(box, QColor(self._colours.raised))
        painter.setPen(QColor(tone_colour(self._colours, mark.tone)))
        painter.drawText(
            box.adjusted(6, 0, 0, 0), int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), mark.note
        )

    def _lex_on(self) -> None:
        """One slice of colouring; goes on from the event loop until done."""
        if self._lexing is None:
            return
        first = self._lexing.line
        done = self._lexing.advance(budget_s=SLICE_S)
        self._highlighter.spans = self._lexing.spans
        last = self._lexing.line if done else self._lexing.line + 1
        for number in range(first, last):
            self._highlighter.rehighlightBlock(self.document().findBlockByNumber(number))
        if done:
            self._timer.stop()
        elif not self._timer.isActive():
            self._timer.start(0)

    def _paint_number(self, painter: QPainter, number: int, top: int, height: int) -> None:
        mark = self._marks.get(number)
        width = self.gutter_width()
        tone = mark.tone if mark else "muted"
        painter.setPen(QColor(tone_colour(self._colours, tone)))
        if mark:
            painter.drawText(QRect(4, top, width, height), int(Qt.AlignmentFlag.AlignLeft), mark.sign)
        painter.drawText(QRect(0, top, width - 8, height), int(Qt.AlignmentFlag.AlignRight), str(number))

    def _selection(self, mark: Mark) -> QTextEdit.ExtraSelection | None:
        block = self.document().findBlockByNumber(self._position(mark.line))
        if not block.isValid():
            return None
        made = QTextEdit.ExtraSelection()
        made.cursor = QTextCursor(block)
        made.format.setBackground(with_alpha(tone_colour(self._colours, mark.tone), 0.16))
        made.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
        return made

    def _position(self, line: int) -> int:
        try:
            return self._numbers.index(line)
        except ValueError:
            return -1

    def _fit_gutter(self) -> None:
        self.setViewportMargins(self.gutter_width() + 4, 0, 0, 0)
        area = self.contentsRect()
        self._gutter.setGeometry(QRect(area.left(), area.top(), self.gutter_width(), area.height()))

    def _scroll_gutter(self, area: QRect, dy: int) -> None:
        if dy:
            self._gutter.scroll(0, dy)
        else:
            self._gutter.update(0, area.y(), self._gutter.width(), area.height())


def _format(palette: Palette, style: str) -> QTextCharFormat:
    made = QTextCharFormat()
    tone = _TONES.get(style)
    made.setForeground(QColor(tone_colour(palette, tone) if tone else palette.kinds[_KINDS[style]]))
    if style == "comment":
        made.setFontItalic(True)
    return made
