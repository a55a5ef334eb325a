"""Questions are answered away from the GUI thread, once, and never about results that are gone."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from factories import make_pair
from pytestqt.qtbot import QtBot

from profviz.analysis import questions
from profviz.model.questions import Question, Unanswered
from profviz.model.results import Results
from profviz.ui import answers as answers_module
from profviz.ui.answers import Answers


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    threads: list[int] = []

    def names(results: Results, question: Question) -> tuple[str, ...]:
        threads.append(threading.get_ident())
        return results.sides[question.side].trace.names

    monkeypatch.setattr(questions, "QUESTIONS", {"names": names, "broken": lambda results, question: 1 / 0})
    return threads


def test_an_answer_comes_once_from_another_thread_and_is_kept(qtbot: QtBot, asked: list[int]) -> None:
    answers, got = Answers(), []
    results = make_pair()
    answers.show_results(results)
    question = Question("names", 1)
    answers.ask(question, lambda *said: got.append(said))
    answers.ask(question, lambda *said: got.append(said))
    qtbot.waitUntil(lambda: len(got) == 2)
    answers.ask(question, lambda *said: got.append(said))
    assert got == [(question, results.sides[1].trace.names)] * 3
    assert len(asked) == 1
    assert asked[0] != threading.get_ident()


def test_one_that_fails_says_why_and_the_next_is_answered(qtbot: QtBot, asked: list[int]) -> None:
    answers, got = Answers(), []
    answers.show_results(make_pair())

    def take(question: Question, found: Any) -> None:
        got.append(found)

    for id_ in ("broken", "no such", "names"):
        answers.ask(Question(id_, 0), take)
    qtbot.waitUntil(lambda: len(got) == 3)
    assert isinstance(got[0], Unanswered)
    assert "ZeroDivisionError" in got[0].why
    assert isinstance(got[1], Unanswered)
    assert isinstance(got[2], tuple)


def test_nothing_is_said_of_results_that_are_gone(qtbot: QtBot, asked: list[int]) -> None:
    answers, got = Answers(), []
    answers.show_results(make_pair())
    answers.ask(Question("names", 0), lambda *said: got.append(said))
    answers.show_results(make_pair())
    answers.ask(Question("names", 1), lambda *said: got.append(said))
    qtbot.waitUntil(lambda: bool(got))
    assert [question.side for question, _ in got] == [1]
    answers.close()


def test_large_answers_do_not_pile_up(qtbot: QtBot, asked: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    class Large:
        nbytes = 60

    monkeypatch.setattr(answers_module, "MOST_BYTES", 100)
    monkeypatch.setattr(questions, "QUESTIONS", {"large": lambda results, question: asked.append(0) or Large()})
    answers, got = Answers(), []
    answers.show_results(make_pair())
    for count, side in enumerate((0, 1, 1, 0), start=1):
        answers.ask(Question("large", side), lambda *said: got.append(said))
        qtbot.waitUntil(lambda count=count: len(got) == count)
    assert len(asked) == 3, "only the last one was kept"
    answers.close()
