"""A session carries Dynamo's counters beside the log; breaks shown from it are the union of both, in old ones too."""

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path
from typing import Any

from defect_files import DEFECTS

from profviz.engine.results import results_of_session
from profviz.formats.session import MANIFEST, SessionContents, read_session, write_session
from profviz.model.compile_report import CompileReport, Origin
from profviz.model.notes import Note
from profviz.model.run import Run, RunRequest, VariantResult

LOG = "default.compile-log.txt.gz"


def session_of(path: Path, counters: dict[str, dict[str, int]]) -> Path:
    variant = VariantResult("default", "Compiled", compile_log=LOG, counters=counters)
    run = Run(RunRequest("model.py"), "done", 1, variants=(variant,))
    log = gzip.compress((DEFECTS / "three_ways_to_break.log.txt").read_bytes())
    write_session(path, SessionContents(run, logs={LOG: log}))
    return path


def opened(path: Path) -> tuple[CompileReport, list[Note]]:
    session, notes = read_session(path)
    results = results_of_session(session, notes=notes, path=str(path))
    ((_, report),) = results.reports
    return report, [note for note in results.notes if note.code == "break_sources"]


def counters() -> dict[str, dict[str, int]]:
    known: dict[str, dict[str, int]] = json.loads((DEFECTS / "three_ways_to_break.counters.json").read_text())
    return known


def test_both_sources_come_out_of_a_session(tmp_path: Path) -> None:
    report, differences = opened(session_of(tmp_path / "a.profviz", counters()))
    assert [one.origin for one in report.breaks] == [Origin.BOTH] * 3
    assert differences == []


def test_what_only_the_counters_of_a_session_know_is_shown_and_said(tmp_path: Path) -> None:
    more = counters()
    more["graph_break"]["Something else\n  Explanation: no."] = 2
    report, (note,) = opened(session_of(tmp_path / "a.profviz", more))
    assert [(one.text, one.counted, one.origin) for one in report.unplaced] == [
        ("Something else", 2, Origin.COUNTERS),
    ]
    assert [sample.text for sample in note.samples] == ["only the counters: Something else (2x)"]


def test_a_session_saved_before_any_of_this_still_opens(tmp_path: Path) -> None:
    old = {group: {text.split("\n")[0]: n for text, n in known.items()} for group, known in counters().items()}
    saved = session_of(tmp_path / "new.profviz", old)

    def earlier(manifest: dict[str, Any]) -> dict[str, Any]:
        del manifest["run"]["request"]["profile_event_limit"]
        return manifest

    with zipfile.ZipFile(saved) as source, zipfile.ZipFile(tmp_path / "old.profviz", "w") as target:
        for name in source.namelist():
            data = source.read(name)
            target.writestr(name, json.dumps(earlier(json.loads(data))) if name == MANIFEST else data)
    report, differences = opened(tmp_path / "old.profviz")
    assert [one.origin for one in report.breaks] == [Origin.BOTH] * 3
    assert differences == []
    report, differences = opened(session_of(tmp_path / "none.profviz", {}))
    assert ([one.origin for one in report.breaks], differences) == ([Origin.LOG] * 3, [])
    assert [reason.counted for one in report.breaks for reason in one.reasons] == [None] * 3
