"""A panel behind other tabs asks for nothing, although Qt calls it visible; brought to the front it asks at once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot
from side_view_samples import full

from profviz.model.questions import Question
from profviz.ui.pages.results import ResultsPage
from profviz.ui.views.registry import VIEWS
from profviz.ui.widgets.palette import DARK

ASKS = {"tables": {"table"}, "breakdown": {"breakdown"}, "over_time": {"memory", "queues"}}
"""Ids of the panels that share the tabs at the bottom, and of the questions that only they ask."""


@pytest.fixture
def page(qtbot: QtBot) -> Iterator[ResultsPage]:
    made = ResultsPage(VIEWS, DARK)
    qtbot.addWidget(made)
    made.resize(1600, 1000)
    with qtbot.waitExposed(made):
        made.show()
    yield made
    made.answers.close()


@pytest.mark.parametrize("front", ASKS)
def test_only_the_panel_in_front_asks(qtbot: QtBot, page: ResultsPage, front: str) -> None:
    asked: list[Question] = []
    page.state.ask = lambda question, then: asked.append(question)  # type: ignore[method-assign]
    page.panels.reveal(front)
    qtbot.wait(20)
    page.show_results(full())
    qtbot.wait(20)
    behind = {id_ for other, ids in ASKS.items() if other != front for id_ in ids}
    assert {question.id for question in asked} & (behind | ASKS[front]) == ASKS[front]


@pytest.mark.parametrize("later", ["breakdown", "over_time"])
def test_a_panel_asks_once_it_is_brought_to_the_front(qtbot: QtBot, page: ResultsPage, later: str) -> None:
    asked: list[Question] = []
    page.state.ask = lambda question, then: asked.append(question)  # type: ignore[method-assign]
    page.panels.reveal("tables")
    qtbot.wait(20)
    page.show_results(full())
    qtbot.wait(20)
    page.panels.reveal(later)
    qtbot.waitUntil(lambda: {question.id for question in asked} >= ASKS[later])
