"""Values that are spelled in no way they should be: unknown or mended, never an error and never endless work."""

from __future__ import annotations

import pytest
from defect_files import load_text
from hypothesis import given
from hypothesis import strategies as st

from profviz.formats.chrome import read_chrome_trace, reader
from profviz.formats.chrome.exact_time import duration_ns
from profviz.formats.chrome.mend import mend
from profviz.formats.chrome.strict import is_flat_enough
from profviz.formats.chrome.values import integer
from profviz.model.trace import MISSING

HALF_A_MILLION = 500_000


@pytest.mark.parametrize(
    ("value", "expected"),
    [("7", 7), (" -7 ", -7), ("--7", MISSING), ("- 7", MISSING), ("", MISSING), (True, MISSING), (7.0, 7)],
)
def test_integers_of_unusual_spelling(value: object, expected: int) -> None:
    assert integer(value) == expected


@pytest.mark.parametrize("arg", ["correlation", "device", "registers per thread"])
def test_an_arg_that_is_no_number_leaves_its_slice(arg: str) -> None:
    event = f'{{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2,"args":{{"{arg}":"--5"}}}}'
    trace, notes = read_chrome_trace(f"[{event}]".encode(), title="t")
    assert (len(trace.slices), len(trace.gpu), notes) == (1, 1, ())
    assert int(trace.slices.correlation[0]) == MISSING


def test_a_duration_has_one_sign() -> None:
    nanoseconds = b"1700000000000000000"
    assert duration_ns(b"-5", nanoseconds) == -5
    assert duration_ns(b"--5", nanoseconds) is None


def test_a_string_that_does_not_end_is_looked_at_once() -> None:
    open_string = b'"' + b'\\"' * HALF_A_MILLION
    assert mend(b'{"a":' + open_string).text == b'{"a":' + open_string
    assert is_flat_enough(b"[" * 500 + open_string + b"[" * 500)


def test_every_way_to_write_that_a_number_is_none_becomes_null() -> None:
    made = mend(b'{"a":NaN,"b":-Infinity,"c":nan(snan),"d":1.#QNAN,"e":"NaN",}')
    assert (made.text, made.non_finite) == (b'{"a":null,"b":null,"c":null,"d":null,"e":"NaN"}', 4)
    assert mend(b"nan(" * HALF_A_MILLION).non_finite == HALF_A_MILLION


@pytest.mark.parametrize("has_native", [True, False])
def test_a_number_that_no_float_holds_costs_only_itself(*, has_native: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "HAS_NATIVE", has_native and reader.HAS_NATIVE)
    args = '"stream": 1e400, "device": 3, "correlation": 9, "Input Dims": [[2, 1e400]]'
    text = f'[{{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 2, "args": {{{args}}}}}]'
    trace, notes = load_text(text)
    assert not notes
    assert (trace.gpu.device.tolist(), trace.gpu.stream.tolist()) == ([3], [-1])
    assert trace.slices.correlation.tolist() == [9]
    assert trace.shapes.of(0) == "[[2, 1e400]]"


@given(st.text('"{}[],:nNaAiInNfF.+-1 \n\x01\\é', max_size=30))
def test_texts_with_and_without_escapes_are_mended_alike(text: str) -> None:
    plain = text.replace("\\", "").encode()
    escaped = rb'"\\"'  # makes the whole text one that has escapes
    one, other = mend(plain), mend(escaped + plain)
    assert escaped + one.text == other.text
    assert (one.bad_text, one.non_finite) == (other.bad_text, other.non_finite)
