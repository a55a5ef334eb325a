"""Stacked bars and the table beside: scale, places, waterfall and paint in both themes."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from profviz.ui.widgets.palette import DARK, LIGHT, Palette
from profviz.ui.widgets.stack_bars import StackedBars
from profviz.ui.widgets.stack_figures import FigureTable, waterfall
from profviz.ui.widgets.stack_values import FigureRow, Fill, Pattern, Piece, StackRow
from profviz.ui.widgets.time_ruler import ruler_step


def piece(id_: int, amount: int, pattern: Pattern = Pattern.SOLID) -> Piece:
    return Piece(id_, amount, Fill("accent", pattern), ("long text of it", "t"), f"<b>{id_}</b>")


def row(id_: int, title: str, *pieces: Piece, group: str = "") -> StackRow:
    return StackRow(id_, title, sum(piece.amount for piece in pieces), lambda: pieces, "1.00 µs", group)


ROWS = (
    row(0, "first", piece(0, 600), piece(1, 400, Pattern.RISING), group="Group"),
    row(1, "second", piece(0, 250), piece(2, 0), piece(1, 250, Pattern.CROSSED)),
)


def bars(qtbot: QtBot, palette: Palette = DARK) -> StackedBars:
    made = StackedBars(palette, name="Bars")
    qtbot.addWidget(made)
    made.resize(600, 200)
    made.show_rows(ROWS)
    made.show()
    return made


def test_all_rows_have_one_scale_and_pieces_meet(qtbot: QtBot) -> None:
    made = bars(qtbot)
    first, second = (made._places(row) for row in ROWS)
    assert first[0][2] + first[1][2] == pytest.approx(2 * (second[0][2] + second[2][2]))
    assert first[1][1] == pytest.approx(first[0][1] + first[0][2])
    assert made.piece_at(QPointF(first[1][1] + 3, 22 + 24 + 10)) == (0, ROWS[0].pieces[1])
    assert made.piece_at(QPointF(4, 22 + 24 + 10)) == (0, None)
    assert made.piece_at(QPointF(4, 5)) is None


def test_a_click_tells_row_and_piece(qtbot: QtBot) -> None:
    made = bars(qtbot)
    _, left, _ = made._places(ROWS[1])[2]
    told: list[tuple[int, ...]] = []
    made.row_chosen.connect(lambda row: told.append((row,)))
    made.piece_chosen.connect(lambda row, piece: told.append((row, piece)))
    qtbot.mouseClick(made.viewport(), Qt.MouseButton.LeftButton, pos=QPointF(left + 4, 22 + 24 + 26 + 10).toPoint())
    assert told == [(1,), (1, 1)]


def test_thousands_of_rows_scroll_and_only_what_is_seen_is_painted(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = bars(qtbot)
    made.show_rows([row(n, f"row {n}", piece(0, 100 + n)) for n in range(5_000)])
    painted: list[int] = []
    paint = StackedBars._paint_row
    monkeypatch.setattr(
        StackedBars, "_paint_row", lambda self, painter, at, top: (painted.append(at), paint(self, painter, at, top))
    )
    made.verticalScrollBar().setValue(made.verticalScrollBar().maximum())
    painted.clear()
    made.grab()
    assert 4_999 in painted
    assert len(painted) < 20
    qtbot.keyClick(made, Qt.Key.Key_Down)
    assert made.verticalScrollBar().value() == 0


@pytest.mark.parametrize("palette", [DARK, LIGHT], ids=["dark", "light"])
def test_a_pattern_is_seen_in_both_themes(qtbot: QtBot, palette: Palette) -> None:
    made = bars(qtbot, palette)
    _, left, width = made._places(ROWS[0])[1]
    image: QImage = made.grab().toImage()
    scale = image.devicePixelRatio()
    pixels = [QColor(image.pixel(int((left + 4 + n) * scale), int((22 + 24 + 7) * scale))).name() for n in range(24)]
    assert width > 40
    assert len(set(pixels)) > 1


def test_the_ruler_has_round_steps_that_have_room() -> None:
    assert [ruler_step(most, 450) for most in (1, 10, 1_000, 999_999, 7 * 10**12)] == [1, 2, 200, 200_000, 2 * 10**12]


def test_a_waterfall_goes_on_from_where_it_was_and_its_sum_starts_at_zero() -> None:
    assert waterfall([-30, 10, -20], left=0, width=300) == [(300, 0), (0, 100), (300, 100)]
    assert waterfall([None, 5, 5], left=10, width=50)[0] is None
    assert waterfall([0, 0], left=0, width=10) == [(0, 0), (0, 0)]


def test_the_table_tells_the_row_and_shows_all_figures_when_narrow(qtbot: QtBot) -> None:
    made = FigureTable(LIGHT, name="Figures")
    qtbot.addWidget(made)
    rows = (
        FigureRow(
            4,
            "a part with a long name that goes on",
            Fill("warn", Pattern.DOTTED),
            ("1 ms", "2 ms", "+1 ms"),
            "tip",
            10,
        ),
        FigureRow(-1, "wall", None, ("1 ms", "2 ms", "+1 ms"), change=10),
    )
    made.show_figures(("before", "after", "change"), rows)
    made.show()
    for width in (made.minimumWidth(), 900):
        made.resize(width, made.height())
        columns, _, _ = made._columns()
        assert columns[-1][0] <= width
        assert not made.grab().isNull()
    with qtbot.waitSignal(made.chosen) as told:
        qtbot.mouseClick(made, Qt.MouseButton.LeftButton, pos=QPointF(20, 24 + 30).toPoint())
    assert told.args == [-1]
    assert made.as_text().splitlines()[1] == "a part with a long name that goes on\t1 ms\t2 ms\t+1 ms"
