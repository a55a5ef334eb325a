"""Folds a worker's messages into a `Run` and the files that belong to it; pure, it writes nothing."""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import replace

from profviz.engine.worker_process import Frame
from profviz.formats.session import SessionContents
from profviz.model.record import from_json, to_json
from profviz.model.run import Failure, Run, RunRequest, VariantResult
from profviz.protocol.messages import Announce, Blob, Failed, Found, Message, Result, decode, encode

_GZIP = b"\x1f\x8b"
_UNFIT = re.compile(r"[/\\:\x00-\x1f]|^\.+$")
"""What no member's name may hold (or be)."""


class RunFold:
    """`run` and `contents` are what is known now; `problems` are messages that could not be used, as sentences."""

    def __init__(self, request: RunRequest, *, started_ns: int) -> None:
        self.run = Run(request=request, state="running", started_ns=started_ns)
        self.problems: list[str] = []
        self._traces: dict[str, bytes] = {}
        self._logs: dict[str, bytes] = {}
        self._tapes: dict[str, bytes] = {}
        self._sources: dict[str, str] = {}

    @property
    def contents(self) -> SessionContents:
        return SessionContents(
            run=self.run,
            traces=dict(self._traces),
            logs=dict(self._logs),
            sources=dict(self._sources),
            tapes=dict(self._tapes),
        )

    @property
    def measured(self) -> bool:
        """Whether there is anything to show."""
        return bool(self._traces or self._logs) or any(variant.timing for variant in self.run.variants)

    def add_source(self, path: str, text: str) -> None:
        self._sources.setdefault(path, text)

    def end(self, state: str, *, log_tail: str) -> None:
        self.run = replace(self.run, state=state, log_tail=log_tail)

    def fail(self, failure: Failure) -> None:
        """The run as a whole failed; what was measured stays."""
        self.run = replace(self.run, failure=failure)

    def take(self, frame: Frame) -> bool:
        """Folds one message; true when it is worth saving."""
        message = self._storable(frame.message)
        if isinstance(message, Announce):
            self.run = replace(self.run, environment=message.environment)
        elif isinstance(message, Found):
            self.run = replace(self.run, workload=message.workload)
        elif isinstance(message, Result):
            self._lay_over(message.variant, message.fields)
        elif isinstance(message, Blob):
            self._keep(message, frame.payload)
        elif isinstance(message, Failed):
            self._fail(message)
        else:
            return False
        return True

    def _storable(self, message: Message) -> Message | None:
        """The message with only text that UTF-8 can hold; None for one with numbers that JSON cannot."""
        try:
            text = json.dumps(encode(message), ensure_ascii=False, allow_nan=False)
            return decode(json.loads(text.encode("utf-8", "replace")))
        except ValueError as error:
            self.problems.append(f"A message of the worker was left out: {error}.")
            return None

    def _fail(self, message: Failed) -> None:
        failure = message.failure
        if not failure.variant:
            self.fail(failure)
        else:
            self._lay_over(failure.variant, {"failure": to_json(failure)})

    def _lay_over(self, variant_id: str, fields: dict[str, object]) -> None:
        """New fields replace old ones; a variant not seen yet is put behind the others."""
        known = self.run.variant(variant_id) or VariantResult(id=variant_id, title=self._title(variant_id))
        try:
            changed = from_json(VariantResult, {**to_json(known), **fields, "id": variant_id})
        except ValueError as error:
            self.problems.append(f"A result of {variant_id} could not be used: {error}.")
            return
        others = [variant for variant in self.run.variants if variant.id != variant_id]
        at = next((i for i, variant in enumerate(self.run.variants) if variant.id == variant_id), len(others))
        self.run = replace(self.run, variants=(*others[:at], changed, *others[at:]))

    def _title(self, variant_id: str) -> str:
        offered = self.run.environment.variants if self.run.environment else ()
        return next((spec.title for spec in offered if spec.id == variant_id), variant_id)

    def _keep(self, blob: Blob, payload: bytes) -> None:
        if blob.kind == "source":
            self._sources[blob.path or blob.name] = payload.decode("utf-8", "replace")
            return
        name = _UNFIT.sub("_", blob.name) or "unnamed"
        data = payload if payload.startswith(_GZIP) else gzip.compress(payload, 6, mtime=0)
        if blob.kind == "trace":
            self._traces[name] = data
            self._name_member(blob.variant, "trace", name)
        elif blob.kind == "compile_log":
            self._logs[name] = data
            self._name_member(blob.variant, "compile_log", name)
        elif blob.kind == "tape":
            self._tapes[name] = data
            self._name_member(blob.variant, "tape", name)
        else:
            self.problems.append(f"A file of an unknown kind ({blob.kind}) was left out.")

    def _name_member(self, variant: str, field: str, name: str) -> None:
        if variant:
            self._lay_over(variant, {field: name})
