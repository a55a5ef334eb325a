"""Writes what torch's structured trace says about a variant to a file in the format of TORCH_TRACE.

One record a line: glog prefix, JSON of the metadata, then the payload's lines each behind a tab. Knows nothing of
how such a file is read.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import logging
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

from profviz.worker.outbox import Outbox

_LOGGER = "torch.__trace"
_CUDA_GRAPHS = "torch._inductor.cudagraph_utils.__cudagraphs"
"""The only place where torch says why a CUDA graph was skipped or is recorded too often."""
_LETTERS = {"DEBUG": "V", "INFO": "I", "WARNING": "W", "ERROR": "E", "CRITICAL": "C"}
_PAYLOAD_PEEK = 2000
_SEND_EVERY_S = 5.0

# names of the compiler's own spans and records -> which part of it is at work
_PHASES = {
    "entire_frame_compile": "Dynamo",
    "bytecode_tracing": "Dynamo",
    "dynamo_start": "Dynamo",
    "build_guards": "Dynamo",
    "create_aot_dispatcher_function": "AOTAutograd",
    "aot_trace_joint_graph": "AOTAutograd",
    "entire_backward_compile": "Inductor (backward)",
    "inductor_compile": "Inductor",
    "fx_codegen_and_compile": "Inductor",
    "Scheduler.codegen": "Inductor: generating code",
    "compile_file": "Inductor: C++ compiler",
    "async_compile.wait": "Inductor: waiting for compilers",
    "async_compile.precompile": "Inductor: Triton",
    "CachingAutotuner.benchmark_all_configs": "Inductor: autotuning",
}


class CompileCapture(logging.Handler):
    """Records go to the file of the variant that `begin` named, and nowhere between variants.

    `on_phase` hears which part of the compiler is at work, each time that changes.
    """

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self._pid = os.getpid()
        self._file: TextIO | None = None
        self._phase = ""
        self._on_phase: Callable[[str], None] = lambda phase: None
        self._ear = _Ear(lambda text: self.note("profviz_cudagraphs", text))

    def install(self) -> None:
        """Torch must be imported already: it prepares the logger when it is."""
        log = logging.getLogger(_LOGGER)
        log.setLevel(logging.DEBUG)
        log.propagate = False
        log.isEnabledFor = lambda level: level >= log.level  # type: ignore[method-assign]  # logging.disable would mute
        # first of all: torch's own handler takes itself off at its first record, and the one behind it then misses that
        log.handlers.insert(0, self)
        logging.getLogger(_CUDA_GRAPHS).addHandler(self._ear)

    def remove(self) -> None:
        self.end()
        logging.getLogger(_LOGGER).removeHandler(self)
        logging.getLogger(_CUDA_GRAPHS).removeHandler(self._ear)

    def note(self, name: str, payload: str) -> None:
        """Adds a record of profviz's own: an artifact, with a name that none of torch's has."""
        metadata = {"artifact": {"name": name, "encoding": "string"}, "has_payload": _digest(payload)}
        record = logging.LogRecord(_LOGGER, logging.DEBUG, __file__, 0, "", (), None)
        record.metadata, record.payload = metadata, payload
        self.handle(record)

    def begin(self, path: Path, on_phase: Callable[[str], None]) -> None:
        self.end()
        with self.lock or threading.RLock():
            self._file = path.open("w", encoding="utf-8", errors="backslashreplace")
            self._phase, self._on_phase = "", on_phase
            for text, number in _interned().items():
                self._file.write(_string_record(text, number))
            self._file.flush()
        self.note("profviz_torch", _torch_version())

    def quiet(self) -> None:
        """Keeps recording but reports no phases any more."""
        self._on_phase = lambda phase: None

    def end(self) -> None:
        with self.lock or threading.RLock():
            if self._file is not None:
                self._file.close()
            self._file = None
        self.quiet()

    def emit(self, record: logging.LogRecord) -> None:
        if self._file is None or os.getpid() != self._pid:
            return
        try:
            self._file.write(format_record(record))
            self._file.flush()
            self._tell_phase(record)
        except Exception as error:  # a defect here must never fail a compilation
            logging.getLogger(__name__).warning("a compile record was lost: %r", error)

    def _tell_phase(self, record: logging.LogRecord) -> None:
        phase = phase_of(record.metadata, record.payload)  # type: ignore[attr-defined]
        if phase and phase != self._phase:
            self._phase = phase
            self._on_phase(phase)


class _Ear(logging.Handler):
    """Tells on what torch warns of."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        self._tell(record.getMessage())


def _digest(payload: str) -> str:
    return hashlib.md5(payload.encode("utf-8", "backslashreplace"), usedforsecurity=False).hexdigest()


def phase_of(metadata: dict[str, Any], payload: Any) -> str:
    """Which part of the compiler wrote the record, as far as it says; else empty."""
    if "chromium_event" in metadata and isinstance(payload, str) and len(payload) < _PAYLOAD_PEEK:
        event = json.loads(payload)
        frame = metadata.get("frame_id")
        phase = _PHASES.get(event.get("name", ""), "") if event.get("ph") == "B" else ""
        return f"{phase}, frame {frame}" if phase and frame is not None else phase
    return next((_PHASES[key] for key in metadata if key in _PHASES), "")


def format_record(record: logging.LogRecord) -> str:
    """One record with its payload, as torch's own trace handler writes it."""
    stamp = time.strftime("%m%d %H:%M:%S", time.localtime(record.created))
    letter = _LETTERS.get(record.levelname, record.levelname)
    where = f"{_relative(record.pathname)}:{record.lineno}"
    prefix = f"{letter}{stamp}.{int(record.msecs * 1000):06d} {record.process} {where}]"
    metadata = json.dumps(record.metadata, default=repr)  # type: ignore[attr-defined]
    payload = record.payload  # type: ignore[attr-defined]
    lines = "" if payload is None else "".join(f"\n\t{line}" for line in payload.split("\n"))
    return f"{prefix} {metadata}{lines}\n"


def _relative(path: str) -> str:
    _head, found, tail = path.replace(os.sep, "/").rpartition("/torch/")
    return f"torch/{tail}" if found else Path(path).name


def _torch_version() -> str:
    import torch

    return str(torch.__version__)


def _interned() -> dict[str, int]:
    """Strings that torch numbered earlier in this process; it names each only once, every log needs them all."""
    try:
        from torch._logging.structured import INTERN_TABLE

        return dict(INTERN_TABLE)
    except ImportError:
        return {}


def _string_record(text: str, number: int) -> str:
    stamp = time.strftime("%m%d %H:%M:%S", time.localtime())
    return f"V{stamp}.000000 {os.getpid()} torch/_logging/structured.py:28] {json.dumps({'str': [text, number]})}\n"


class LogSender:
    """Sends a growing log every few seconds, so that a compilation that is killed leaves what it had written."""

    def __init__(self, path: Path, *, variant: str, outbox: Outbox) -> None:
        self._path = path
        self._variant = variant
        self._outbox = outbox
        self._sent_bytes = -1
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="log sender", daemon=True)

    @property
    def name(self) -> str:
        return f"{self._variant}.compile-log.txt.gz"

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Ends the thread and sends what is new."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()
        self.send(level=6)

    def send(self, *, level: int) -> None:
        size = self._path.stat().st_size if self._path.exists() else 0
        if not size or size == self._sent_bytes:
            return
        data = gzip.compress(self._path.read_bytes(), level)
        self._outbox.blob(kind="compile_log", variant=self._variant, name=self.name, data=data)
        if self._sent_bytes < 0:
            self._outbox.result(self._variant, compile_log=self.name)
        self._sent_bytes = size

    def _watch(self) -> None:
        pause = _SEND_EVERY_S
        while not self._over.wait(pause):
            began = time.monotonic()
            self.send(level=1)
            pause = max(_SEND_EVERY_S, 20 * (time.monotonic() - began))  # never more than a twentieth of the time
