"""Records are written as torch's own trace handler writes them, to the file of the variant at work and to no other."""

from __future__ import annotations

import gzip
import io
import logging
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed here")

from profviz.formats.compile_log import read_compile_log  # noqa: E402
from profviz.protocol.messages import Blob  # noqa: E402
from profviz.protocol.wire import Writer, read_frames  # noqa: E402
from profviz.worker.compile_capture import CompileCapture, LogSender, format_record, phase_of  # noqa: E402
from profviz.worker.outbox import Outbox  # noqa: E402

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore::DeprecationWarning:torch")]


def record(metadata: dict, payload: str | None) -> logging.LogRecord:
    made = logging.LogRecord("torch.__trace", logging.DEBUG, torch.__file__, 12, "", (), None)
    made.metadata, made.payload = metadata, payload
    return made


@pytest.mark.parametrize("payload", [None, "", "one", "two\nlines\n", "\ttab"])
def test_format_equals_that_of_torch(payload: str | None) -> None:
    from torch._logging._internal import TorchLogsFormatter

    made = record({"artifact": {"name": "x"}, "frame_id": 0}, payload)
    assert format_record(made) == TorchLogsFormatter(trace=True).format(made) + "\n"


def test_what_is_no_json_is_written_as_its_repr() -> None:
    assert '"odd": "<class \'object\'>"' in format_record(record({"odd": object}, None))


def test_records_go_only_to_the_variant_at_work(tmp_path: Path) -> None:
    log = logging.getLogger("torch.__trace")
    before = (log.level, log.propagate)
    capture = CompileCapture()
    capture.install()
    phases: list[str] = []
    try:
        log.debug("", extra={"metadata": {"before": 1}, "payload": None})
        capture.begin(tmp_path / "a", phases.append)
        log.debug("", extra={"metadata": {"dynamo_start": {}}, "payload": "α\nβ"})
        assert "\n\tα\n\tβ\n" in (tmp_path / "a").read_text("utf-8"), "whole on disk at once"
        capture.begin(tmp_path / "b", phases.append)
        log.debug("", extra={"metadata": {"second": 1}, "payload": None})
        capture.end()
        log.debug("", extra={"metadata": {"after": 1}, "payload": None})
    finally:
        capture.remove()
        log.setLevel(before[0])
        log.propagate = before[1]
        del log.isEnabledFor
    a, b = (tmp_path / "a").read_text("utf-8"), (tmp_path / "b").read_text("utf-8")
    assert "dynamo_start" in a
    assert "second" in b
    assert not any(word in a + b for word in ("before", "after"))
    assert phases == ["Dynamo"]


def test_torchs_handler_may_take_itself_off_at_the_first_record(tmp_path: Path) -> None:
    class Lazy(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            log.removeHandler(self)

    log = logging.getLogger("torch.__trace")
    before = (log.level, log.propagate)
    log.addHandler(Lazy())
    capture = CompileCapture()
    capture.install()
    try:
        capture.begin(tmp_path / "a", lambda phase: None)
        log.debug("", extra={"metadata": {"first": 1}, "payload": None})
        assert '"first": 1' in (tmp_path / "a").read_text("utf-8")
    finally:
        capture.remove()
        log.setLevel(before[0])
        log.propagate = before[1]
        del log.isEnabledFor


def test_what_torch_says_of_cuda_graphs_and_the_first_call_is_in_the_log(tmp_path: Path) -> None:
    from torch._inductor.cudagraph_utils import cudagraphs_log

    log = logging.getLogger("torch.__trace")
    before = (log.level, log.propagate)
    capture = CompileCapture()
    capture.note("too_early", "x")
    capture.install()
    try:
        capture.begin(tmp_path / "a", lambda phase: None)
        cudagraphs_log.warning("skipping cudagraphs due to %s\nsecond line", "α")
        capture.note("profviz_first_call", '{"start_ns": 10, "end_ns": 25}')
    finally:
        capture.remove()
        log.setLevel(before[0])
        log.propagate = before[1]
        del log.isEnabledFor
    cudagraphs_log.warning("nobody hears this")
    report, notes = read_compile_log((tmp_path / "a").read_bytes())
    assert notes == ()
    assert [(one.what, one.reason) for one in report.cuda_graphs] == [
        ("skip", "skipping cudagraphs due to α\nsecond line"),
    ]
    assert report.first_call == (10, 25)


def test_a_record_that_can_not_be_written_never_reaches_the_compiler(tmp_path: Path) -> None:
    capture = CompileCapture()
    capture.begin(tmp_path / "a", lambda phase: None)
    made = record({}, None)
    made.payload = 3
    capture.emit(made)
    capture.end()


def test_phases() -> None:
    begin = '{"name": "compile_file", "ph": "B"}'
    assert phase_of({"chromium_event": {}, "frame_id": 2}, begin) == "Inductor: C++ compiler, frame 2"
    assert phase_of({"chromium_event": {}}, begin.replace('"B"', '"E"')) == ""
    assert phase_of({"chromium_event": {}}, begin + " " * 9000) == ""
    assert phase_of({"dynamo_start": {}}, None) == "Dynamo"
    assert phase_of({"guard_added_fast": {}}, None) == ""


def test_the_sender_sends_what_is_new(tmp_path: Path) -> None:
    stream = io.BytesIO()
    path = tmp_path / "log"
    sender = LogSender(path, variant="v", outbox=Outbox(Writer(stream)))
    sender.send(level=1)
    path.write_text("one\n")
    sender.send(level=1)
    sender.send(level=1)
    path.write_text("one\ntwo\n")
    sender.stop()
    stream.seek(0)
    blobs = [gzip.decompress(payload) for message, payload in read_frames(stream) if isinstance(message, Blob)]
    assert blobs == [b"one\n", b"one\ntwo\n"]
