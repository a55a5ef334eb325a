"""Has questions of the views answered away from the GUI thread, one at a time, and keeps the answers."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from profviz.model.questions import Question
from profviz.model.results import Results

MOST_KEPT = 64
MOST_BYTES = 256 << 20
"""Of the answers that tell how large they are: tables of a million rows are, and each range makes others."""
Then = Callable[[Question, Any], None]


class Answers(QObject):
    """`ask` calls back on the GUI thread: at once where the answer is known, else when it is.

    The thread ends when nothing is left to answer. Answers about results that are no longer shown are never delivered.
    """

    _found = Signal(int, object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._results: Results | None = None
        self._age = 0
        self._kept: OrderedDict[Question, Any] = OrderedDict()
        self._then: dict[Question, list[Then]] = {}
        self._queue: deque[tuple[int, Results, Question]] = deque()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._found.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def show_results(self, results: Results | None) -> None:
        """Forgets everything about the results before."""
        self._age += 1
        self._results = results
        self._kept.clear()
        self._then.clear()
        with self._lock:
            self._queue.clear()

    def ask(self, question: Question, then: Then) -> None:
        if question in self._kept:
            self._kept.move_to_end(question)
            then(question, self._kept[question])
        elif question in self._then:
            self._then[question].append(then)
        elif self._results is not None:
            self._then[question] = [then]
            self._start(self._results, question)

    def close(self) -> None:
        """Drops what is waiting and waits for the question being answered."""
        self.show_results(None)
        thread = self._thread
        if thread is not None:
            thread.join()

    def _start(self, results: Results, question: Question) -> None:
        """When what asks has come to its end: a page of views that fills would share the interpreter with answers."""
        with self._lock:
            self._queue.append((self._age, results, question))
        QTimer.singleShot(0, self, self._begin)

    def _begin(self) -> None:
        with self._lock:
            if self._queue and self._thread is None:
                self._thread = threading.Thread(target=self._work, name="profviz answers", daemon=True)
                self._thread.start()

    def _work(self) -> None:
        from profviz.analysis.questions import answer

        while True:
            with self._lock:
                if not self._queue:
                    self._thread = None
                    return
                age, results, question = self._queue.popleft()
            self._found.emit(age, question, answer(results, question))

    def _deliver(self, age: int, question: Question, found: Any) -> None:
        if age != self._age:
            return
        self._kept[question] = found
        while len(self._kept) > MOST_KEPT or (len(self._kept) > 1 and self._bytes() > MOST_BYTES):
            self._kept.popitem(last=False)
        for then in self._then.pop(question, []):
            then(question, found)

    def _bytes(self) -> int:
        return sum(getattr(found, "nbytes", 0) for found in self._kept.values())
