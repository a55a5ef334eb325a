"""A session's tape: read as it was written, refused as a whole where numbers lead nowhere, unknown to old sessions."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from tape_samples import events, hand_made

from profviz.cli_json import tape_json
from profviz.engine.results import results_of_session
from profviz.formats.session import SessionContents, read_session, write_session
from profviz.formats.tape import read_tape
from profviz.model.errors import UserError
from profviz.model.record import to_json
from profviz.model.results import Results
from profviz.model.run import Run, RunRequest, VariantResult
from profviz.model.tape import Tape


def packed(tape: Tape) -> bytes:
    return json.dumps(to_json(tape)).encode()


def opened(path: Path, data: bytes, *, tape: str = "eager.tape.json") -> Results:
    eager = VariantResult("eager", "Eager", trace="eager.json.gz", tape=tape)
    trace = gzip.compress(json.dumps({"traceEvents": events()}).encode())
    contents = SessionContents(
        Run(RunRequest("net.py"), "done", 0, variants=(eager,)),
        traces={"eager.json.gz": trace},
        tapes={"eager.tape.json": gzip.compress(data)} if tape else {},
    )
    write_session(path, contents)
    session, notes = read_session(path)
    return results_of_session(session, notes=notes, path=str(path))


def test_what_was_written_is_read() -> None:
    assert read_tape(packed(hand_made()), title="a") == hand_made()


def test_a_session_shows_its_tape_tied_to_the_trace(tmp_path: Path) -> None:
    shown = opened(tmp_path / "a.profviz", packed(hand_made()))
    (tape,) = shown.tapes
    assert (tape.label, tape.side, tape.tape) == ("eager", 0, hand_made())
    assert len(tape.links.backward) == 5
    assert shown.graphs_of(0) == (tape.graph,)
    assert shown.notes == ()
    assert shown.run is not None
    told = tape_json(shown, shown.run.variants[0])
    assert told == {
        "nodes": 5,
        "edges": 4,
        "parameters": 1,
        "saved_tensors": 5,
        "saved_bytes": 192,
        "peak_bytes": None,
        "kept_bytes": 0,
        "linked": 5,
        "absence": "",
        "notes": ["1 node: what is saved is not counted: hooks took it."],
    }


def test_a_session_of_before_has_none(tmp_path: Path) -> None:
    shown = opened(tmp_path / "a.profviz", b"", tape="")
    assert (shown.tapes, shown.notes) == ((), ())
    assert shown.run is not None
    assert tape_json(shown, shown.run.variants[0]) is None


def test_why_there_is_no_tape_is_kept(tmp_path: Path) -> None:
    shown = opened(tmp_path / "a.profviz", packed(Tape(absence="No tape: it only infers.")))
    assert shown.tapes[0].tape.absence == "No tape: it only infers."
    assert shown.tapes[0].graph.nodes == ()


def changed(**change: Any) -> dict[str, Any]:
    return to_json(hand_made()) | change


@pytest.mark.parametrize(
    "data",
    [
        b"\xff",
        b"[]",
        b"[" * 100_000,
        json.dumps(changed(edges=[[0, 99, 0]])).encode(),
        json.dumps(changed(storages=[])).encode(),
        json.dumps(changed(allocated=[1])).encode(),
        json.dumps(changed(nodes=[{"name": "A", "order": 3}], edges=[])).encode(),
        json.dumps(changed(nodes=[{"name": "A"}, {"name": "B", "order": 0}], edges=[])).encode(),
        json.dumps(changed(storages=[{"bytes": -1, "owner": "tape"}] * 3)).encode(),
        json.dumps(changed(storages=[{"bytes": 1 << 61, "owner": "tape"}] * 3)).encode(),
    ],
)
def test_a_damaged_tape_costs_only_itself(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(UserError):
        read_tape(data, title="a")
    shown = opened(tmp_path / "a.profviz", data)
    assert shown.tapes == ()
    assert len(shown.sides) == 1
    assert [note.code for note in shown.notes] == ["missing_member"]
