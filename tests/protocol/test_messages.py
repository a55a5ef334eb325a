"""Messages survive the wire unchanged, and what a newer version says is let through."""

from __future__ import annotations

import io
import json

import pytest

from profviz.model.run import Device, Environment, Failure, InputSpec, OutputCheck, RunRequest, Timing, Workload
from profviz.protocol.messages import (
    VERSION,
    Announce,
    Blob,
    Done,
    Failed,
    Found,
    Hello,
    Inspect,
    Log,
    Probe,
    Result,
    StageProgress,
    Start,
    Unknown,
    decode,
    encode,
)
from profviz.protocol.wire import WireError, Writer, read_frames

REQUEST = RunRequest("a b.py", variants=("eager", "x"), options={"x": {"fullgraph": True}}, train=None, threads=2)
MESSAGES = [
    Hello(VERSION, "3.11", "/bin/python", 7),
    Announce(Environment("3.11", "p", "Linux", devices=(Device("cuda", 0, "H", 1 << 40),), load_average=0.5)),
    Found(Workload("s.py", inputs=(InputSpec("0", (2, 3), "float32", "cpu"),), found=("ä",), needs_shapes=True)),
    StageProgress("compiling", "default", "step", 1, 0, 5, "Inductor"),
    Result("default", {"first_call_ns": 9007199254740993}),
    Failed(Failure("what", traceback="line\nline")),
    Log("info", "\udcff"),
    Done(ok=False),
    Inspect(REQUEST),
    Start(REQUEST),
    Probe(),
]


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)
def test_round_trip(message) -> None:
    stream = io.BytesIO()
    Writer(stream).send(message)
    stream.seek(0)
    assert list(read_frames(stream)) == [(message, b"")]


def test_blob_carries_its_bytes_whatever_they_are() -> None:
    payload = b'\n{"kind":"done"}\n\0\xff'
    stream = io.BytesIO()
    writer = Writer(stream)
    blob = Blob("source", "", "a.py", len(payload), path="/x/a.py")
    writer.send(blob, payload)
    writer.send(Done(ok=True))
    stream.seek(0)
    assert list(read_frames(stream)) == [(blob, payload), (Done(ok=True), b"")]


def test_result_values_become_plain_json() -> None:
    fields = {"timing": Timing("perf_counter", (1, 2), (0, 0)), "check": OutputCheck(1, equal=True)}
    data = json.loads(json.dumps(encode(Result("v", fields))))
    assert data["data"]["fields"]["timing"] == {
        "clock": "perf_counter",
        "samples_ns": [1, 2],
        "rounds": [0, 0],
        "discarded_ns": [],
    }


def test_unknown_kind_and_field_are_let_through() -> None:
    assert decode({"kind": "telepathy", "data": {"a": 1}}) == Unknown("telepathy", {"a": 1})
    assert decode({"kind": "done", "data": {"ok": True, "mood": "fine"}}) == Done(ok=True)


@pytest.mark.parametrize(
    ("stream", "says"),
    [
        (b"hello from a script\n", "not a protocol message"),
        (b'{"kind":"done","data":{"ok":3}}\n', "Done.ok"),
        (b'{"kind":"done"', "inside a message"),
        (b'{"kind":"blob","data":{"kind":"trace","variant":"e","name":"t","size":9}}\nabc', "inside t"),
        (b"[]\n", "needs a kind"),
    ],
)
def test_a_foreign_or_cut_stream_is_an_error(stream: bytes, says: str) -> None:
    with pytest.raises(WireError, match=says):
        list(read_frames(io.BytesIO(stream)))


def test_a_blob_of_another_size_than_announced_is_refused() -> None:
    with pytest.raises(ValueError, match="announced"):
        Writer(io.BytesIO()).send(Blob("trace", "e", "t", 5), b"four")
