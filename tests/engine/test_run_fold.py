"""Messages become a run: fields lie over each other, files are kept, what cannot be stored is told."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

from profviz.engine.run_fold import RunFold
from profviz.engine.worker_process import Frame
from profviz.formats.session import read_session, write_session
from profviz.model.run import Environment, Failure, RunRequest, VariantSpec
from profviz.protocol.messages import Announce, Blob, Failed, Message, Result, StageProgress


def folded(*messages: Message | tuple[Message, bytes]) -> RunFold:
    fold = RunFold(RunRequest("model.py"), started_ns=1)
    for message in messages:
        fold.take(Frame(*message) if isinstance(message, tuple) else Frame(message))
    return fold


def result(variant: str, **fields: Any) -> Result:
    return Result(variant, fields)


def test_later_fields_lie_over_earlier_ones() -> None:
    fold = folded(
        result("eager", first_call_ns=5, recompiles=1),
        result("default", first_call_ns=7),
        result("eager", recompiles=2, peak_memory_bytes=9),
    )
    eager, default = fold.run.variants
    assert (eager.first_call_ns, eager.recompiles, eager.peak_memory_bytes) == (5, 2, 9)
    assert (default.id, default.first_call_ns) == ("default", 7)
    assert not fold.measured


def test_a_variant_has_the_title_the_worker_announced() -> None:
    spec = VariantSpec("default", "Compiled, default", "", compiled=True)
    environment = Environment("3.11", "python", "linux", variants=(spec,))
    fold = folded(Announce(environment), result("default"), result("other"))
    assert [variant.title for variant in fold.run.variants] == ["Compiled, default", "other"]


def test_files_are_packed_named_and_kept(tmp_path: Path) -> None:
    fold = folded(
        (Blob("trace", "eager", "../eager.json", 2), b"{}"),
        (Blob("compile_log", "default", "log.txt.gz", 22), gzip.compress(b"V", mtime=0)[:22]),
        (Blob("source", "", "net.py", 3, "/home/me/net.py"), b"a\xff\n"),
        (Blob("core_dump", "", "core", 1), b"x"),
    )
    contents = fold.contents
    assert {name: gzip.decompress(data) for name, data in contents.traces.items()} == {".._eager.json": b"{}"}
    assert fold.run.variants[0].trace == ".._eager.json"
    assert contents.sources == {"/home/me/net.py": "a\ufffd\n"}
    assert ["core_dump" in problem for problem in fold.problems] == [True]
    write_session(tmp_path / "s.profviz", contents)
    assert read_session(tmp_path / "s.profviz")[0].read(".._eager.json")


def test_a_failure_belongs_to_its_variant_or_to_the_run() -> None:
    fold = folded(Failed(Failure("one", variant="default")), Failed(Failure("all")))
    assert fold.run.variants[0].failure == Failure("one", variant="default")
    assert fold.run.failure == Failure("all")


def test_what_json_or_utf8_cannot_hold_never_reaches_the_session(tmp_path: Path) -> None:
    fold = folded(
        result("eager", check={"compared": 1, "equal": False, "max_abs": float("nan")}),
        Failed(Failure("a name that is no text: \udcff")),
    )
    assert fold.run.variants == ()
    assert len(fold.problems) == 1
    assert fold.run.failure == Failure("a name that is no text: ?")
    write_session(tmp_path / "s.profviz", fold.contents)


def test_progress_is_not_worth_saving() -> None:
    fold = RunFold(RunRequest("model.py"), started_ns=1)
    assert not fold.take(Frame(StageProgress("loading", "", "begin")))
    assert fold.take(Frame(result("eager")))
