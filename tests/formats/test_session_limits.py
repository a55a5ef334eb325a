"""What a session may unpack to, and texts that are no UTF-8."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from profviz.formats import session as module
from profviz.formats.session import MANIFEST, SessionContents, read_session, write_session
from profviz.model.errors import UserError
from profviz.model.record import to_json
from profviz.model.run import Run, RunRequest, VariantResult

RUN = Run(RunRequest("model.py"), "done", 17, variants=(VariantResult("eager", "Eager", trace="eager.json.gz"),))


def test_many_sources_together_may_not_unpack_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SOURCES_LIMIT_BYTES", 2500)
    sources = {f"/home/me/{number}.py": "#" * 1000 for number in range(4)}
    write_session(tmp_path / "a.profviz", SessionContents(RUN, {"eager.json.gz": b"x"}, {}, sources))
    session, notes = read_session(tmp_path / "a.profviz")
    assert list(session.sources) == ["/home/me/0.py", "/home/me/1.py"]
    assert [(note.code, note.count) for note in notes] == [("missing_member", 2)]


def test_one_bomb_named_by_many_sources_is_counted_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SOURCES_LIMIT_BYTES", 2500)
    listed = [[f"/home/me/{number}.py", "sources/0"] for number in range(1000)]
    manifest = {"schema": 1, "profviz": "1", "run": to_json(RUN), "sources": listed}
    with zipfile.ZipFile(tmp_path / "a.profviz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(MANIFEST, json.dumps(manifest))
        archive.writestr("traces/eager.json.gz", b"x")
        archive.writestr("sources/0", "#" * 1000)
    session, _ = read_session(tmp_path / "a.profviz")
    assert len(session.sources) == 2


def test_a_large_member_may_not_be_packed_tighter_than_honest_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SMALL_BYTES", 1 << 16)
    write_session(tmp_path / "a.profviz", SessionContents(RUN))
    with zipfile.ZipFile(tmp_path / "a.profviz", "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("traces/bomb.json", bytes(1 << 20))
        archive.writestr("traces/small.json", bytes(1 << 16))
    session, _ = read_session(tmp_path / "a.profviz")
    with pytest.raises(UserError, match="not opened"):
        session.read("bomb.json")
    assert len(session.read("small.json")) == 1 << 16


def test_a_path_that_is_not_utf_8_is_kept_as_it_is(tmp_path: Path) -> None:
    script = "/home/me/mod\udce8le.py"
    run = Run(RunRequest(script), "done", 17)
    write_session(tmp_path / "a.profviz", SessionContents(run, sources={script: "x = 1\n"}))
    session, notes = read_session(tmp_path / "a.profviz")
    assert (session.run.request.script, session.sources, notes) == (script, {script: "x = 1\n"}, ())
