"""Opening files: one page from any mix of them, honest about what is damaged, cancellable."""

from __future__ import annotations

import gzip
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from profviz.engine.events import Event, Finished, JobCancelled, JobFailed, Loading, PreviewReady, ResultsReady
from profviz.engine.job import Emit, Job
from profviz.engine.jobs import open_files, run_script
from profviz.formats.registry import open_document
from profviz.model.results import Results
from profviz.model.run import RunRequest

Finish = Callable[..., Any]
TRACES = Path(__file__).parent.parent.parent.parent / "shared" / "traces"


def opening(*paths: Path) -> Callable[[Emit], Job]:
    return lambda emit: open_files(paths, emit=emit)


def opened(finish: Finish, *paths: Path) -> Results:
    events = finish(opening(*paths))
    assert isinstance(events.ending, Finished), events.ending
    return events.only(ResultsReady).results  # type: ignore[no-any-return]


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "small.json.gz"
    event = {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": 5}
    path.write_bytes(gzip.compress(json.dumps({"traceEvents": [event]}).encode()))
    return path


@pytest.fixture
def session(tmp_path: Path, script: str, interpreter: Callable[..., str], finish: Finish) -> Path:
    path = tmp_path / "s.profviz"
    request = RunRequest(script)
    finish(lambda emit: run_script(request, interpreter=interpreter("normal"), session_path=path, emit=emit))
    return path


@pytest.fixture
def captures() -> Path:
    if not TRACES.is_dir():
        pytest.skip(f"the real captures are not at {TRACES}")
    return TRACES


def test_a_folder_of_ranks_is_one_page(tmp_path: Path, finish: Finish) -> None:
    for rank in (1, 0, 10):
        event = {"ph": "X", "cat": "cpu_op", "name": f"of {rank}", "pid": 1, "tid": 1, "ts": 1, "dur": 5}
        told = {"distributedInfo": {"rank": rank}, "traceEvents": [event]}
        (tmp_path / f"worker{rank}.rank{rank}.json").write_text(json.dumps(told))
    (tmp_path / "notes.txt").write_text("not to be opened")
    results = opened(finish, tmp_path)
    assert [side.trace.names for side in results.sides] == [("of 0",), ("of 1",), ("of 10",)]


def test_a_long_trace_shows_its_beginning_first(trace: Path, finish: Finish, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not finish(opening(trace)).of(PreviewReady)
    monkeypatch.setattr("profviz.formats.chrome.opening.LONG_PACKED_BYTES", 1)
    events = finish(opening(trace))
    kinds = [type(event) for event in events]
    assert kinds.index(PreviewReady) < kinds.index(ResultsReady)
    shown = events.only(PreviewReady).results
    assert [side.occupancy.absence for side in shown.sides] == ["not read so far"]
    assert [(item.id, item.value) for item in shown.headline] == [("read", "1")]
    assert shown.findings == ()


def test_what_makes_the_next_opening_short_is_done_after_the_end_was_told(
    trace: Path, finish: Finish, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    document = replace(open_document(trace), keep=lambda: done.append("kept"))
    monkeypatch.setattr("profviz.engine.open_job.open_documents", lambda *_, **__: (document,))
    seen: list[list[str]] = []

    def watched(emit: Emit) -> Job:
        def told(event: Event) -> None:
            if isinstance(event, Finished):
                seen.append(list(done))
            emit(event)

        return open_files((trace,), emit=told)

    assert isinstance(finish(watched).ending, Finished)
    assert seen == [[]]
    assert done == ["kept"]


def test_reading_tells_how_far_it_is(trace: Path, finish: Finish) -> None:
    events = finish(opening(trace))
    fractions = [event.fraction for event in events.of(Loading) if event.fraction is not None]
    assert all(0.0 <= fraction <= 1.0 for fraction in fractions)
    assert events.of(Loading)[0].text == "Reading small.json.gz"
    assert [type(event) for event in events[-2:]] == [ResultsReady, Finished]


def test_two_traces_stand_side_by_side(trace: Path, finish: Finish) -> None:
    results = opened(finish, trace, trace)
    assert [side.id for side in results.sides] == ["A", "B"]
    assert results.run is None


def test_a_log_goes_to_the_trace_that_ran_its_code(captures: Path, finish: Finish) -> None:
    names = ("mlp2.eager.json.gz", "gpt2.compile-log.txt.gz", "gpt2.compiled-default.json.gz")
    results = opened(finish, *(captures / name for name in names))
    assert [side.report is not None for side in results.sides] == [False, True]
    assert [name for name, _ in results.reports] == ["B"]
    assert results.sides[1].slices_of_kernel


def test_a_log_alone_is_shown(captures: Path, finish: Finish) -> None:
    results = opened(finish, captures / "broken_train.compile-log.txt.gz")
    assert results.sides == ()
    assert len(results.reports[0][1].breaks) == 2


def test_a_session_beside_a_trace_gives_all_their_sides(session: Path, trace: Path, finish: Finish) -> None:
    results = opened(finish, session, trace)
    titles = [side.title for side in results.sides]
    assert len({side.id for side in results.sides}) == len(titles) == 3
    assert any("Default" in title and "s.profviz" in title for title in titles)


@pytest.mark.parametrize("damage", ["missing", "garbage", "cut"])
def test_a_damaged_part_of_a_session_loses_no_other(session: Path, finish: Finish, damage: str) -> None:
    with zipfile.ZipFile(session) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    (name,) = [name for name in members if name.endswith("default.trace.json.gz")]
    data = members.pop(name)
    if damage != "missing":
        members[name] = data[: len(data) // 2] if damage == "cut" else b"\x00no trace at all"
    with zipfile.ZipFile(session, "w") as archive:
        for member, content in members.items():
            archive.writestr(member, content)
    results = opened(finish, session)
    assert results.run is not None
    assert results.run.variant("default") is not None
    assert results.sides[0].id == "eager"
    assert results.sides[0].occupancy.kernels == 1
    told = [*results.notes, *(note for side in results.sides for note in side.notes)]
    assert told, "nothing is dropped in silence"


def test_a_cut_session_says_so(session: Path, finish: Finish) -> None:
    data = session.read_bytes()
    session.write_bytes(data[: len(data) // 2])
    ending = finish(opening(session)).ending
    assert isinstance(ending, JobFailed)
    assert ending.bug_report == ""
    assert "s.profviz" in ending.error.what


def test_files_that_cannot_be_opened_end_the_job_with_a_reason(tmp_path: Path, trace: Path, finish: Finish) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    (tmp_path / "empty").mkdir()
    for paths in ([tmp_path / "gone.json"], [trace, tmp_path / "notes.txt"], [tmp_path / "empty"], []):
        ending = finish(opening(*paths)).ending
        assert isinstance(ending, JobFailed)
        assert ending.error.what
        assert ending.bug_report == ""


def test_opening_can_be_cancelled(trace: Path, finish: Finish) -> None:
    def at_once(event: Event) -> bool:
        return isinstance(event, Loading)

    events = finish(opening(*[trace] * 50), cancel_at=at_once)
    assert events.ending == JobCancelled()
    assert not events.of(ResultsReady)
