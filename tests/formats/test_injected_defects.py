"""Any valid trace with one defect: every undamaged event is kept to the nanosecond, and the defect is said."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import pytest
from damage_strategies import MILD, WILD, Injected, appended, between, in_event
from defect_files import check_trace
from hypothesis import given, settings
from hypothesis import strategies as st
from trace_strategies import Document, documents

from profviz.formats.chrome.reader import read_chrome_trace
from profviz.model.trace import Trace

EXAMPLES = int(os.environ.get("PROFVIZ_EXAMPLES", "25"))
some = settings(max_examples=EXAMPLES, deadline=None)

TEXT_CODES = {"truncated", "bad_event", "bad_text", "bad_time", "non_finite", "second_document", "empty"}
"""What is said of a file's text; the other codes are of what its events mean."""
TIMED = frozenset("XBEbesfCi")


def number_of(draw: st.DrawFn, doc: Document) -> int:
    return draw(st.integers(0, len(doc.events) - 1))


def exact_ns(token: str) -> int:
    """Independent of the reader: decimal arithmetic, halves away from zero."""
    if token.lstrip("-").isdigit() and len(token.lstrip("-")) >= 19:
        return int(token)
    return int((Decimal(token) * 1000).quantize(Decimal(1), rounding=ROUND_HALF_UP))


def as_spelled(event: bytes) -> dict[str, Any]:
    """The event with its numbers left as text."""
    found: dict[str, Any] = json.loads(event, parse_float=str, parse_int=str)
    return found


def must_hold(doc: Document, made: Injected) -> None:
    trace, notes = read_chrome_trace(made.text, title="injected")
    check_trace(trace)
    said = {note.code: note for note in notes if note.code in TEXT_CODES}
    if not made.is_open:
        assert set(said) == made.codes
    for note in said.values():
        assert all(made.low <= sample.offset <= made.high for sample in note.samples), note
    events = {trace.args.offset(number): number for number in range(trace.event_count)}
    for number, place in enumerate(doc.places):
        at = place + (made.shift if place >= made.low and number != made.changed else 0)
        if number == made.changed:
            assert (at in events) == (made.became is not None)
            if made.became is not None:
                assert trace.args(events.pop(at)) == made.became
        elif not (made.is_open and at < made.high and at + len(doc.events[number]) > made.low):
            assert at in events, f"event {number} is gone"
            assert_same(trace, events.pop(at), doc, number)
    extra = [at for at in events if not (made.is_open and made.low <= at <= made.high)]
    assert not extra, "nothing is made up"


def assert_same(trace: Trace, event: int, doc: Document, number: int) -> None:
    text = doc.events[number]
    assert trace.args(event) == json.loads(text)
    found = as_spelled(text)
    rows = (trace.slices.event == event).nonzero()[0].tolist()
    assert len(rows) == (found["ph"] in "XBb")
    if found["ph"] == "X":
        start, dur = int(trace.slices.start_ns[rows[0]]), int(trace.slices.dur_ns[rows[0]])
        base = int(trace.meta.get("baseTimeNanoseconds", 0))
        whole = exact_ns(found["ts"]) >= 10**18 and found["ts"].isdigit()
        wanted = (
            found["name"] or "(unnamed)",
            exact_ns(found["ts"]),
            int(found["dur"]) if whole else exact_ns(found["dur"]),
        )
        assert (trace.name_of(rows[0]), start + trace.origin_ns - base, dur) == wanted


@some
@given(documents())
def test_a_valid_trace_is_read_whole_without_a_word(doc: Document) -> None:
    must_hold(doc, Injected(doc.text, frozenset(), 0, 0))
    trace, _ = read_chrome_trace(doc.text, title="whole")
    assert dict(trace.meta) == json.loads(json.dumps(doc.head | doc.tail))


# Inside an event


NON_FINITE = (b"NaN", b"Infinity", b"-Infinity", b"inf", b"-inf", b"nan", b"+Infinity", b"-nan", b"1.#INF", b"nan(ind)")


@some
@given(st.data(), documents())
def test_bare_numbers_that_are_none(data: st.DataObject, doc: Document) -> None:
    number, token = number_of(data.draw, doc), data.draw(st.sampled_from(NON_FINITE))
    event, whole = doc.events[number], json.loads(doc.events[number])
    form = data.draw(st.sampled_from(["args", "first", "list", "ts"]))
    if form == "args":
        text, became = appended(event, b'"args": {"x": ' + token + b', "y": 1}'), whole | {"args": {"x": None, "y": 1}}
    elif form == "first":
        text, became = b'{"extra":' + token + b"," + event[1:], whole | {"extra": None}
    elif form == "list":
        text, became = appended(event, b'"args":{"l":[1,' + token + b"]}"), whole | {"args": {"l": [1, None]}}
    else:
        text, became = appended(event, b'"ts": ' + token), whole | {"ts": None}
    codes = ["non_finite"] + ["bad_time"] * (form == "ts" and whole["ph"] in TIMED)
    must_hold(doc, in_event(doc, number, text, *codes, became=became))


BAD_TEXTS = (
    (b"a\x01b", "a\ufffdb"),
    (b"\x00", "\ufffd"),
    (b"caf\xff", "caf\ufffd"),
    (b"\xc0\xaf!", "\ufffd\ufffd!"),
    (b"\xe2\x82", "\ufffd"),
    (b"\xed\xa0\x80", "\ufffd\ufffd\ufffd"),
    (b"\\ud800", "\ufffd"),
    (b"x\\udc00\\ud83dy", "x\ufffd\ufffdy"),
    (b"\\x41", "\\x41"),
    (b"C:\\Users", "C:\\Users"),
    (b"\\u12g4", "\\u12g4"),
    (b"two\nlines", "two\nlines"),
    (b"tab\t", "tab\t"),
    (b"\r\n", "\r\n"),
)


@some
@given(st.data(), documents(), st.sampled_from(BAD_TEXTS), st.sampled_from(["name", "cat", "args"]))
def test_texts_that_json_does_not_allow(data: st.DataObject, doc: Document, bad: tuple[bytes, str], field: str) -> None:
    number, (raw, shown) = number_of(data.draw, doc), bad
    value = b'"' + raw + b'"' if field != "args" else b'{"x": "' + raw + b'"}'
    became = json.loads(doc.events[number]) | {field: shown if field != "args" else {"x": shown}}
    text = appended(doc.events[number], f'"{field}": '.encode() + value)
    codes = ["bad_text"] + ["non_finite"] * (field == "args" and became["ph"] == "C")  # no number for a counter
    must_hold(doc, in_event(doc, number, text, *codes, became=became))


RAW_QUOTES = (
    b'lib = Lib("x", "IMPL")\n(1): <module>',
    b'{"a": "b"}(12): run',
    b'a 3.5" disk',
    b'"',
    b'a"',
    b'"]',
    b'", "b',
    b'a", [1] "b',
    b'x = {"ph": "X"}["ph"]',
    b'f("{")',
)


@some
@given(st.data(), documents(), st.sampled_from(RAW_QUOTES))
def test_a_raw_quote_costs_its_event_only(data: st.DataObject, doc: Document, name: bytes) -> None:
    number = number_of(data.draw, doc)
    event = doc.events[number]
    if data.draw(st.booleans()):
        text = appended(event, b'"name": "' + name + b'"')
    else:
        text = b'{"name": "' + name + b'", ' + event[1:]
    must_hold(doc, in_event(doc, number, text, "bad_event"))


@some
@given(st.data(), documents())
def test_commas_at_the_end_of_a_list_are_overlooked(data: st.DataObject, doc: Document) -> None:
    number = number_of(data.draw, doc)
    event, whole = doc.events[number], json.loads(doc.events[number])
    member = data.draw(st.sampled_from([b'"x": 1,', b'"x": [1, ] ', b'"x": {"y": 1 ,\n}', b'"x": "1,}",']))
    value = {"1,": 1, "[1": [1], '{"': {"y": 1}, '"1': "1,}"}[member[5:7].decode()]
    must_hold(doc, in_event(doc, number, appended(event, member), became=whole | {"x": value}))


@some
@given(st.data(), documents())
def test_a_bracket_too_few_costs_its_event_only(data: st.DataObject, doc: Document) -> None:
    number = number_of(data.draw, doc)
    event = doc.events[number]
    open_ended = (event[:-1], appended(event, b'"args": {"x": 1'))
    text = data.draw(st.sampled_from([*open_ended, event[1:], appended(event, b'"args": [{}')]))
    if doc.shape == "lines" and len(doc.events) == 1 and text == event[1:]:
        return  # nothing tells it from any other text
    is_end = doc.shape == "lines" and number == len(doc.events) - 1 and text in open_ended
    must_hold(doc, in_event(doc, number, text, "truncated" if is_end else "bad_event"))


FIELDS = ("name", "cat", "pid", "tid", "dur", "args", "id", "ts")
ODD_VALUES = (
    b"null",
    b"true",
    b"5",
    b"-2.5e300",
    b'"text"',
    b"[]",
    b"[[1], 2]",
    b'{"a": 1}',
    b'""',
    b"123456789012345678901",
)


@some
@given(st.data(), documents(), st.sampled_from(FIELDS), st.sampled_from(ODD_VALUES))
def test_fields_that_are_null_or_of_another_type(data: st.DataObject, doc: Document, field: str, value: bytes) -> None:
    number = number_of(data.draw, doc)
    text = appended(doc.events[number], f'"{field}": '.encode() + value)
    whole = json.loads(doc.events[number]) | {field: json.loads(value)}
    is_timeless = field == "ts" and whole["ph"] in TIMED and value not in (b"5", b"123456789012345678901")
    if field == "ts" and value == b"123456789012345678901":
        is_timeless = whole["ph"] in TIMED  # 3,900 years in nanoseconds
    codes = ["bad_time"] if is_timeless else []
    must_hold(doc, in_event(doc, number, text, *codes, became=whole))


# Between events


@some
@given(st.data(), documents(min_events=2))
def test_commas_between_events_may_be_missing_or_too_many(data: st.DataObject, doc: Document) -> None:
    number = data.draw(st.integers(0, len(doc.events) - 1))
    form = data.draw(st.sampled_from(["double", "leading", "trailing", "missing"]))
    if form == "missing" and number:
        low = doc.end(number - 1)
        gap = doc.text[low : doc.places[number]].replace(b",", b"")
        text = doc.text[:low] + gap + doc.text[doc.places[number] :]
        must_hold(doc, Injected(text, frozenset(), doc.places[number], len(text), len(text) - len(doc.text)))
    else:
        at = {"double": doc.places[number], "leading": doc.places[0]}.get(form, doc.end(len(doc.events) - 1))
        must_hold(doc, between(doc, at, b" , "))


FOREIGN = (
    b"7",
    b"-1.5e3",
    b'"text"',
    b'", {\\"ph\\": \\"X\\"}"',
    b"null",
    b"true",
    b"[]",
    b"[1, [2, {}]]",
    b'[{"ph": "X", "name": "inner", "ts": 1, "dur": 1}]',
    b"NaN",
    b"nonsense",
    b"<!-- comment -->",
    b"// comment",
    b"\x00\xff",
    b":",
    b"}",
    b'"key": 5',
)


@some
@given(st.data(), documents(), st.sampled_from(FOREIGN))
def test_what_is_no_event_is_stepped_over(data: st.DataObject, doc: Document, element: bytes) -> None:
    number = number_of(data.draw, doc)
    if doc.shape == "lines":
        if number or element[:1] != b"[":  # a list, it seems
            must_hold(doc, between(doc, doc.places[number], element + b"\n", "bad_event"))
    elif data.draw(st.booleans()):
        must_hold(doc, between(doc, doc.places[number], element + b", ", "bad_event"))
    else:
        must_hold(doc, between(doc, doc.end(number), b", " + element, "bad_event"))


# The file


@some
@given(st.data(), documents())
def test_a_cut_anywhere_keeps_what_is_whole(data: st.DataObject, doc: Document) -> None:
    at = data.draw(st.integers(0, len(doc.text) - 1))
    whole = [number for number in range(len(doc.events)) if doc.end(number) <= at]
    kept = Document(doc.text, doc.events[: len(whole)], doc.places[: len(whole)], doc.shape)
    rest = doc.text[doc.end(whole[-1]) if whole else 0 : at].strip()
    is_whole = (doc.shape == "bare" and at > doc.array_end) or (doc.shape == "lines" and not rest)
    code = "truncated" if not is_whole else ""
    if not whole and not rest:
        code = "empty"
    must_hold(kept, Injected(doc.text[:at], frozenset({code} - {""}), 0 if not whole else doc.end(whole[-1]), at))


@some
@given(documents(), documents(), st.sampled_from([b"", b"\n", b" \r\n\n"]))
def test_of_two_documents_the_first_is_read(first: Document, second: Document, between: bytes) -> None:
    if "lines" in (first.shape, second.shape):
        return  # more events, one a line
    text = first.text + between + second.text
    must_hold(first, Injected(text, frozenset({"second_document"}), len(first.text), len(text)))


@some
@given(documents(), st.sampled_from([b"and more", b"\x00\x00\x00", b"]", b"}", b"</html>"]))
def test_what_follows_the_document_is_said(doc: Document, rest: bytes) -> None:
    text = doc.text + b"\n" + rest
    code = "truncated" if doc.shape == "lines" and rest[:1] not in b"]}" else "bad_event"  # half an event, who knows
    must_hold(doc, Injected(text, frozenset({code}), len(doc.text), len(text)))


@settings(max_examples=max(5, EXAMPLES // 4), deadline=None)
@given(st.data(), documents(), st.integers(0, 300_000))
def test_unknown_keys_of_any_size_are_no_defect(data: st.DataObject, doc: Document, size: int) -> None:
    if doc.shape != "object":
        return
    value = data.draw(
        st.sampled_from(
            [
                lambda: b'"' + b"x" * size + b'"',
                lambda: b"[" + b'{"ph": "X", "name": "no event"}, ' * (size // 40) + b"{}]",
                lambda: b'{"traceEvents": [' + b"[1], " * (size // 5) + b"{}]}",
                lambda: b"9" * min(size, 4000) + b"0",
            ]
        )
    )()
    member = b'"unknown": ' + value
    if data.draw(st.booleans()):
        at = 1
        text = doc.text[:at] + member + b"," + doc.text[at:]
    else:
        at = doc.array_end + 1
        text = doc.text[:at] + b", " + member + doc.text[at:]
    must_hold(doc, Injected(text, frozenset(), at, at, len(text) - len(doc.text)))


@pytest.mark.parametrize("make", [MILD, WILD], ids=["mild", "wild"])
@some
@given(st.data(), documents(min_events=2))
def test_overwritten_bytes_cost_what_they_touch(
    make: Callable[[st.DrawFn, Document], Injected], data: st.DataObject, doc: Document
) -> None:
    made = make(data.draw, doc)
    must_hold(doc, made)
    try:
        json.loads(made.text)
    except ValueError:
        if doc.shape != "lines":
            notes = read_chrome_trace(made.text, title="overwritten")[1]
            assert notes or made.text.count(b",") != doc.text.count(b",")
