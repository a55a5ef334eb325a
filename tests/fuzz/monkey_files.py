"""What the monkey may open and where it may write: small traces, logs, damaged files and sessions made on the spot."""

from __future__ import annotations

import gzip
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

from PySide6.QtWidgets import QFileDialog, QInputDialog

from profviz.engine import jobs
from profviz.formats.session import SessionContents, write_session
from profviz.model.record import to_json
from profviz.model.run import Run, RunRequest, VariantResult

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import tape_samples  # noqa: E402

SAMPLES = ROOT / "samples" / "traces"
DEFECTS = ROOT / "tests" / "defects"
SHARED = ROOT.parent / "shared" / "traces"
FAKE = ROOT / "tests" / "fake_worker.py"
LARGEST_BYTES = 1 << 20
WORDS = (
    "aten", "gemm", "kernel dur>1us", "dur<10us", "/(a|b", "/[", "/a*b", "/.*", "arg:stream=7", "args:int",
    "kind:gemm -void", "total>1ms", "calls>=2", "share>5%", "kind=gemm", "name!=", '"', '"two words" ', "<", "ß漢字",
    "%", "&", "\\", "", "zzzz", "stream:7", "((((", "x" * 300,
)  # fmt: skip


class Files:
    """Groups of paths by what they are; `work` is a folder of this run."""

    def __init__(self, work: Path, *, small: bool = False) -> None:
        self.work = work
        self.samples = sorted(SAMPLES.glob("*.json.gz"))
        self.shared = [] if small else self._shared()
        self.damaged = sorted(path for path in DEFECTS.iterdir() if path.suffix != ".py")
        self.sessions = [self._session("normal"), self._session("variant_fails"), self._taped()]
        self.runs = self._runs()
        self.odd = [self._not_json(), self._cut(), work / "not there.json", work, Path("/dev/null")]
        self.script = work / "model.py"
        self.script.write_text("model = None  # the fake worker reads nothing of it\n")

    @staticmethod
    def _shared() -> list[Path]:
        found = [*SHARED.glob("*.json.gz"), *SHARED.glob("*.txt.gz")] if SHARED.is_dir() else []
        return sorted(path for path in found if path.stat().st_size < LARGEST_BYTES)

    @property
    def pair(self) -> list[Path]:
        """What memory is compared on: the same each time."""
        eager = SHARED / "gpt2.eager.json.gz"
        compiled = SHARED / "gpt2.compiled-default.json.gz"
        return [eager, compiled] if eager in self.shared and compiled in self.shared else self.samples

    def _runs(self) -> list[list[Path]]:
        """Eager, compiled and the log of one capture: all views have something to show."""
        names = {path.name.partition(".")[0] for path in self.shared if "compile-log" in path.name}
        groups = [[path for path in self.shared if path.name.startswith(f"{name}.")] for name in sorted(names)]
        return groups or [[path] for path in self.sessions]

    def choose(self, random: Random) -> list[Path]:
        kinds = ["trace", "pair", "damaged", "session", "odd", "mixed", "run"]
        kind = random.choices(kinds, weights=[5, 6, 4, 4, 2, 1, 5])[0]
        whole = self.samples + self.shared
        if kind == "run":
            return random.choice(self.runs)
        if kind == "pair":
            return random.sample(whole, 2)
        if kind == "mixed":
            return random.sample(whole + self.damaged + self.sessions, 3)
        group = {"trace": whole, "damaged": self.damaged, "session": self.sessions, "odd": self.odd}[kind]
        return [random.choice(group)]

    def worker(self, behaviour: str) -> str:
        """A command that stands for a Python and is the fake worker."""
        path = self.work / f"python-{behaviour}"
        path.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{FAKE}" {behaviour}\n')
        path.chmod(0o755)
        return str(path)

    def _taped(self) -> Path:
        """A session with an autograd tape, which the fake worker records none of."""
        path = self.work / "taped.profviz"
        eager = VariantResult("eager", "Eager", trace="eager.json.gz", tape="eager.tape.json")
        contents = SessionContents(
            Run(RunRequest("net.py"), "done", 0, variants=(eager,)),
            traces={"eager.json.gz": gzip.compress(json.dumps({"traceEvents": tape_samples.events()}).encode())},
            tapes={"eager.tape.json": gzip.compress(json.dumps(to_json(tape_samples.hand_made())).encode())},
        )
        write_session(path, contents)
        return path

    def _session(self, behaviour: str) -> Path:
        path = self.work / f"{behaviour}.profviz"
        script = self.work / "model.py"
        script.touch()
        request = RunRequest(script=str(script))
        job = jobs.run_script(request, interpreter=self.worker(behaviour), session_path=path, emit=lambda event: None)
        job.wait(60)
        assert path.is_file(), "the fake worker gave no session"
        return path

    def _not_json(self) -> Path:
        path = self.work / "picture.json"
        path.write_bytes(b"\x89PNG\r\n" + bytes(range(256)))
        return path

    def _cut(self) -> Path:
        path = self.work / "cut.json"
        whole = gzip.decompress(self.samples[0].read_bytes())
        path.write_bytes(whole[: len(whole) // 2])
        return path


def answer_dialogs(files: Files, random: Callable[[], Random]) -> None:
    """The platform's dialogs would wait for a person: they answer at once, with good places and bad ones."""
    places = [
        files.work / "out.json", files.work / "out.json.gz", files.work / "out.csv", files.work / "out.parquet",
        files.work / "no folder" / "out.csv", files.work, Path("/dev/full"), "",
    ]  # fmt: skip

    def place(*_: object, **__: object) -> tuple[str, str]:
        return str(random().choice(places)), ""

    QFileDialog.getSaveFileName = place  # type: ignore[method-assign, assignment]
    QFileDialog.getOpenFileName = lambda *_, **__: (sys.executable, "")  # type: ignore[method-assign, assignment]
    QFileDialog.getOpenFileNames = lambda *_, **__: ([], "")  # type: ignore[method-assign, assignment]
    QInputDialog.getItem = lambda *a, **__: (a[3][0], random().random() < 0.9)  # type: ignore[method-assign, assignment]


def own_home(work: Path) -> None:
    os.environ["PROFVIZ_HOME"] = str(work / "home")
