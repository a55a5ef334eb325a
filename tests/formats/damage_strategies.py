"""Ways to damage a valid trace, with what must still hold of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st
from trace_strategies import Document


@dataclass(frozen=True)
class Injected:
    """A damaged text. `low` to `high` is where notes may point, in it; events behind `low` are moved by `shift`.

    `changed` is the event that is damaged; it must be there as `became`, or must not be there where that is None.
    With `is_open` anything may have become of what lies between `low` and `high`.
    """

    text: bytes
    codes: frozenset[str]
    low: int
    high: int
    shift: int = 0
    changed: int = -1
    became: dict[str, Any] | None = None
    is_open: bool = False


def in_event(doc: Document, number: int, text: bytes, *codes: str, became: dict[str, Any] | None = None) -> Injected:
    low = doc.places[number]
    shift = len(text) - len(doc.events[number])
    return Injected(doc.with_event(number, text), frozenset(codes), low, low + len(text), shift, number, became)


def between(doc: Document, at: int, text: bytes, *codes: str) -> Injected:
    """Something stands at `at`, between events."""
    return Injected(doc.text[:at] + text + doc.text[at:], frozenset(codes), at, at + len(text), len(text))


def appended(event: bytes, member: bytes) -> bytes:
    """The event with one more member, which overrides an earlier one of the same key."""
    return event[:-1].rstrip() + b", " + member + b"}"


CLOSING_BYTES = 24
"""So near to an event's end stand the brackets that tell it from the next one."""


def overwritten(alphabet: st.SearchStrategy[bytes]) -> Callable[[st.DrawFn, Document], Injected]:
    def make(draw: st.DrawFn, doc: Document) -> Injected:
        first, last = doc.places[0], doc.end(len(doc.events) - 1)
        low = draw(st.integers(first, last - 1))
        garbage = (b"".join(draw(st.lists(alphabet, min_size=1, max_size=12))) or b"x")[: last - low]
        text = doc.text[:low] + garbage + doc.text[low + len(garbage) :]
        # whoever is touched may go, and notes point to where the touched event begins
        touched = [n for n in range(len(doc.events)) if doc.end(n) > low and doc.places[n] < low + len(garbage)]
        touched = touched or [n for n in range(len(doc.events)) if doc.end(n) <= low][-1:]
        if not doc.has_lines or b"]" in garbage:
            # nothing but brackets and quotes to go by, or an end of the list: later events may go too
            touched = list(range(touched[0], len(doc.events)))
        elif low + len(garbage) > doc.end(touched[-1]) - CLOSING_BYTES:
            touched = [n for n in (*touched, touched[-1] + 1) if n < len(doc.events)]
        start = min([low, *(doc.places[n] for n in touched)])
        end = (
            max([low + len(garbage), *(doc.end(n) for n in touched)])
            if doc.has_lines and b"]" not in garbage
            else len(text)
        )
        return Injected(text, frozenset(), start, end, is_open=True)

    return make


MILD = overwritten(st.sampled_from([b"x", b"0", b" ", b"\x00", b"\xff", b"\n", b":", b",", b"\\"]))
WILD = overwritten(st.one_of(st.sampled_from([b'"', b"{", b"}", b"[", b"]", b'{"ph":', b'"}']), st.binary(max_size=2)))
