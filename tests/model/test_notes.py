from __future__ import annotations

import pytest

from profviz.model.notes import KINDS, NoteBook, Severity


def test_samples_are_capped_but_counts_are_not() -> None:
    book = NoteBook(keep=2)
    for offset in range(5):
        book.add("bad_event", text=f"event {offset}", offset=offset)
    (note,) = book.notes()
    assert (note.count, [sample.offset for sample in note.samples]) == (5, [0, 1])


def test_worst_first_and_merged() -> None:
    first, second = NoteBook(), NoteBook(keep=3)
    first.add("bad_text", count=2)
    first.add("bad_event", text="x", offset=9)
    second.extend(first.notes())
    second.extend(first.notes())
    assert [(note.code, note.count) for note in second.notes()] == [("bad_event", 2), ("bad_text", 4)]


def test_an_undocumented_code_is_a_bug() -> None:
    with pytest.raises(KeyError):
        NoteBook().add("no_such_code")


@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
def test_each_kind_says_what_was_done(kind) -> None:
    assert KINDS[kind.code] is kind
    assert kind.title
    assert kind.did
    assert isinstance(kind.severity, Severity)
