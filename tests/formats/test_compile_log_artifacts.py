"""What a log holds word for word: one text for each payload, found again in the file it came from."""

from __future__ import annotations

import gzip
import json
import lzma
import threading
from pathlib import Path

import pytest
from log_records import artifact, metrics, record

from profviz.formats.compile_log import FORMAT, read_compile_log, read_compile_logs
from profviz.formats.document import Cancelled
from profviz.formats.source import Source
from profviz.model.artifacts import Artifact, Artifacts, Language
from profviz.model.errors import UserError

CODE = "# AOT ID: ['0_forward']\nimport torch\n"
BACKWARD = CODE.replace("forward", "backward")
EVENT = '{\n"name": "dynamo",\n"ts": 1795958014064321.25,\n"ph": "B",\n"args": {}\n}'
FIRST = {"line": 3, "name": "<module>", "filename": 4, "loc": "model(x)"}


def code(text: str, name: str, *, frame: str = "0/0") -> bytes:
    return record({"inductor_output_code": {"filename": f"/tmp/x/{name}"}}, text, frame=frame, attempt=1)


def log() -> bytes:
    passed = (("fx_graph_runnable", "import torch"), ("before_post_grad_graph", "class G: pass"))
    forward = [artifact(name, text, frame="0/0", attempt=1) for name, text in passed]
    return b"".join(
        [
            record({"str": ["/home/me/net.py", 4]}),
            record({"chromium_event": {}}, EVENT),
            record({"dynamo_start": {"stack": [FIRST, FIRST | {"name": "forward"}]}}, frame="0/0"),
            record({"describe_tensor": {"id": 1}}, frame="0/0"),
            record({"describe_tensor": {"id": 2}}, frame="0/0"),
            record({"dynamo_output_graph": {"sizes": {}}}, "class GraphModule: pass", frame="0/0", attempt=1),
            record({"chromium_event": {}}, EVENT.replace('"B"', '"E"'), frame="0/0"),
            *forward,
            code(CODE, "a.py"),
            *forward,
            code(BACKWARD, "b.py"),
            record({"from_tomorrow": {"x": 1}}, "not met before", frame="0/0", attempt=1),
            record({"from_tomorrow": {"x": 2}}, frame="0/0", attempt=1),
            metrics("0/0", guard_count=3),
        ]
    )


def read(data: bytes) -> Artifacts:
    return read_compile_log(data)[0].artifacts


def named(found: Artifacts, name: str) -> list[tuple[int, Artifact]]:
    return [(at, one) for at, one in enumerate(found.items) if one.name == name]


def test_each_payload_is_a_text_as_it_was_logged() -> None:
    found = read(log())
    ((at, one),) = named(found, "dynamo_output_graph")
    assert found.text(at) == "class GraphModule: pass"
    assert (one.compile_id, one.attempt, one.language, one.part) == ("0/0", 1, Language.PYTHON, 0)
    assert log()[one.offset : one.offset + one.size].endswith(b"\n\tclass GraphModule: pass\n")
    assert json.loads(found.records(at))["dynamo_output_graph"] == {"sizes": {}}


def test_records_without_payload_go_together_with_file_names_put_in() -> None:
    found = read(log())
    ((at, tensors),) = named(found, "describe_tensor")
    assert (tensors.records, json.loads(found.text(at))) == (2, [{"id": 1}, {"id": 2}])
    ((at, _),) = named(found, "dynamo_start")
    assert json.loads(found.text(at))["stack"][0]["filename"] == "/home/me/net.py"


def test_each_sum_of_metrics_stands_alone() -> None:
    found = read(metrics("5/0", guard_count=1) + metrics("5/0", guard_count=2))
    assert [json.loads(found.text(at))["guard_count"] for at in range(len(found))] == [1, 2]
    assert [one.part for one in found.items] == [1, 2]


def test_the_compilers_spans_are_one_trace_with_their_digits_kept() -> None:
    found = read(log())
    ((at, events),) = named(found, "chromium_event")
    assert (events.compile_id, events.records) == ("", 2)
    assert "1795958014064321.25" in found.text(at)
    assert [one["ph"] for one in json.loads(found.text(at))] == ["B", "E"]


def test_lowerings_are_told_apart_by_what_their_code_says() -> None:
    found = read(log())
    for name in ("fx_graph_runnable", "before_post_grad_graph", "inductor_output_code"):
        assert [one.direction for _, one in named(found, name)] == ["forward", "backward"]
        assert {one.part for _, one in named(found, name)} == {0}
    assert [one.label for _, one in named(found, "inductor_output_code")] == ["a.py", "b.py"]


def test_parts_of_a_split_graph_are_numbered() -> None:
    one = code(CODE, "a.py", frame="5/0")
    found = read(one + one + one)
    assert [(item.direction, item.part) for item in found.items] == [("forward", 1), ("forward", 2), ("forward", 3)]


def test_kinds_from_a_newer_torch_are_kept_and_counted() -> None:
    found = read(log())
    (text_at, with_text), (at, without) = named(found, "from_tomorrow")
    assert (with_text.is_known, without.is_known) == (False, False)
    assert (found.text(text_at), json.loads(found.text(at))) == ("not met before", {"x": 2})
    assert found.unknown_counts() == {"from_tomorrow": 2}
    assert found.counts()["fx_graph_runnable"] == 2


def test_json_is_known_by_its_encoding_or_its_looks() -> None:
    data = artifact("some_json", "[1]", frame="0/0") + record(
        {"artifact": {"name": "settings", "encoding": "string"}}, '{\n"a": 1\n}', frame="0/0"
    )
    words = record({"artifact": {"name": "words", "encoding": "string"}}, "plain { words", frame="0/0")
    found = read(data + words)
    assert [one.language for one in found.items] == [Language.JSON, Language.JSON, Language.TEXT]


def test_the_calls_that_led_to_a_compilation_are_kept_with_it() -> None:
    (frame,) = read_compile_log(log())[0].frames
    assert [(line.file, line.line, line.function, line.text) for line in frame.stack] == [
        ("/home/me/net.py", 3, "<module>", "model(x)")
    ]


@pytest.mark.parametrize(("suffix", "pack"), [("log", bytes), ("log.gz", gzip.compress), ("log.xz", lzma.compress)])
def test_texts_are_read_from_the_file_again_however_it_is_packed(tmp_path: Path, suffix: str, pack: object) -> None:
    path = tmp_path / f"a.{suffix}"
    path.write_bytes(pack(log()))  # type: ignore[operator]
    report = FORMAT.read(Source.open(path), None).report
    assert report is not None
    expected = read(log())
    for at in range(len(expected)):
        assert report.artifacts.text(at) == expected.text(at)


def test_who_stops_the_reading_leaves_no_thread_behind(tmp_path: Path) -> None:
    path = tmp_path / "a.log.gz"
    path.write_bytes(gzip.compress(log() * 20_000))

    def stop(done: int, of: int) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        FORMAT.read(Source.open(path), stop)
    assert not [one for one in threading.enumerate() if one.name == "profviz-unpacking"]


def test_a_file_that_has_changed_since_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(log())
    report = FORMAT.read(Source.open(path), None).report
    assert report is not None
    path.unlink()
    with pytest.raises(UserError):
        report.artifacts.text(0)


def test_processes_of_one_file_keep_their_own_names() -> None:
    other = log().replace(b".064000 7 ", b".064000 8 ").replace(b"net.py", b"other.py")
    reports, _ = read_compile_logs(log() + other)
    found = [report.artifacts for report in reports]
    starts = [json.loads(one.text(at))["stack"][0]["filename"] for one in found for at, _ in named(one, "dynamo_start")]
    assert starts == ["/home/me/net.py", "/home/me/other.py"]
    assert [len(named(one, "chromium_event")) for one in found] == [1, 1]


def test_graphs_of_compiled_autograd_have_torchs_own_ids() -> None:
    graph = record({"compiled_autograd_graph": {}, "compiled_autograd_id": 2}, "class C: pass")
    span = EVENT.replace('"args": {}', '"args": {"compile_id": "!2/1/0"}').replace("dynamo", "entire_frame_compile")
    times = [span, span.replace('"B"', '"E"').replace("321.25", "323.25")]
    events = b"".join(record({"chromium_event": {}}, time) for time in times)
    start = record({"dynamo_start": {"stack": []}, "compiled_autograd_id": 2}, frame="1/0")
    report, _ = read_compile_log(graph + events + start)
    assert [one.compile_id for one in report.artifacts.items] == ["!2", "", "!2/1/0"]
    assert [(frame.compile_id, frame.duration_ns) for frame in report.frames] == [("!2/1/0", 2_000)]


@pytest.mark.parametrize("deep", ["[" * 500 + "]" * 500, '{"a":' * 500 + "1" + "}" * 500])
def test_a_record_too_deep_to_walk_is_a_bad_record(deep: str) -> None:
    line = record({"known": 1}, frame="0/0")
    data = line.replace(b'"known": 1', f'"known": {deep}'.encode()) + line
    report, notes = read_compile_log(data)
    assert [note.code for note in notes if note.count] == ["bad_record", "unknown_record"]
    assert len(report.artifacts) == 1
