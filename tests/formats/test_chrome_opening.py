"""Opening a trace file: its beginning before the whole of it, and its columns instead of its text the next time."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from profviz.formats import cache
from profviz.formats.chrome import opening, read_chrome_trace
from profviz.formats.chrome.opening import FORMAT
from profviz.formats.document import Cancelled, Document
from profviz.formats.source import Source
from profviz.model.errors import UserError

LONG_AGO_S = 1_000_000_000


def made(path: Path, *, count: int = 400) -> Path:
    events = [
        {
            "ph": "X",
            "cat": "cpu_op",
            "name": f"op {n % 7}",
            "pid": 1,
            "tid": 1,
            "ts": 10 * n,
            "dur": 5,
            "args": {"n": n},
        }
        for n in range(count)
    ]
    path.write_text(json.dumps({"traceEvents": [*events, {"ph": "X", "name": "cut", "ts": 1, "dur": -5}]}))
    os.utime(path, (LONG_AGO_S, LONG_AGO_S))  # what was written just now may be written to again
    return path


def opened(path: Path) -> Document:
    return FORMAT.read(Source.open(path), None)


@pytest.fixture
def cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A trace in a cache that keeps small files too."""
    monkeypatch.setattr(cache, "MIN_FILE_BYTES", 1)
    monkeypatch.setattr(cache, "MIN_TEXT_BYTES", 1)
    monkeypatch.setattr(cache, "KEEP_FREE_BYTES", 1)
    return made(tmp_path / "a.json")


def refuse(*_: object, **__: object) -> None:
    raise AssertionError("the text was read again")


def test_the_second_opening_reads_no_text(cached: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = opened(cached)
    assert first.keep is not None
    first.keep()
    monkeypatch.setattr(opening, "read_stream", refuse)
    again = opened(cached)
    assert again.keep is None
    assert again.notes == first.notes
    assert first.trace is not None
    assert again.trace is not None
    assert np.array_equal(again.trace.slices.start_ns, first.trace.slices.start_ns)
    assert again.trace.args(17) == first.trace.args(17)
    assert again.trace.args(17)["args"] == {"n": 17}


def test_a_changed_file_is_read_again(cached: Path) -> None:
    first = opened(cached)
    assert first.keep is not None
    first.keep()
    made(cached, count=401)
    again = opened(cached)
    assert again.trace is not None
    assert again.trace.event_count == 402
    assert first.trace is not None
    with pytest.raises(UserError, match="changed"):
        first.trace.args(17)


def test_only_long_files_have_a_beginning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made(tmp_path / "a.json")
    assert FORMAT.preview is not None
    assert FORMAT.preview(Source.open(path)) is None
    monkeypatch.setattr(opening, "LONG_BYTES", 1)
    monkeypatch.setattr(opening, "PREVIEW_BYTES", 1)
    shown = FORMAT.preview(Source.open(path))
    assert shown is not None
    assert shown.trace is not None
    assert [note.code for note in shown.notes] == ["beginning"]
    assert 0 < shown.trace.event_count <= 401


def test_a_beginning_is_not_read_of_what_was_kept(cached: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "LONG_BYTES", 1)
    assert FORMAT.preview is not None
    assert FORMAT.preview(Source.open(cached)) is not None
    first = opened(cached)
    assert first.keep is not None
    first.keep()
    assert FORMAT.preview(Source.open(cached)) is None


def test_reading_stops_when_told_to(tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        FORMAT.read(Source.open(made(tmp_path / "a.json")), stop)


def test_a_second_list_of_events_in_one_object_is_said_to_be_left_out() -> None:
    event = b'{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1}'
    text = b'{"traceEvents":[' + event + b'],"schemaVersion":1,"traceEvents":[' + event + b"]}"
    trace, notes = read_chrome_trace(text, title="t")
    assert (len(trace.slices), trace.meta) == (1, {"schemaVersion": 1})
    assert [note.code for note in notes] == ["second_document"]
