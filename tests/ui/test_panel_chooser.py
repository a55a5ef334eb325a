"""A choice knows at once how much room its buttons take, so that it can fold in time."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from profviz.ui.widgets.panel_chooser import Chooser


def test_new_choices_take_their_room_before_they_are_laid_out(qtbot: QtBot) -> None:
    chosen: list[int] = []
    chooser = Chooser(name="Side", chosen=chosen.append)
    qtbot.addWidget(chooser)
    assert chooser.wide_hint().width() == 0
    chooser.show_choices(["a", "b"], current=0)
    with qtbot.waitExposed(chooser):
        chooser.show()
    few = chooser.wide_hint().width()
    chooser.show_choices(["a long title of a side", "another such title", "and one more of them"], current=1)
    told = chooser.wide_hint()
    assert told.width() > few
    qtbot.waitUntil(lambda: chooser.row.button(2).isVisible())
    assert chooser.row.sizeHint() == told
    chooser.set_compact(compact=True)
    assert chooser.wide_hint() == told
