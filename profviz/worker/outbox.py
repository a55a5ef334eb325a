"""What the worker sends: thin names for the protocol's messages, so that stages say what they mean."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from profviz.model.run import Failure
from profviz.protocol.messages import Blob, Failed, Log, Message, Result
from profviz.protocol.wire import Writer


class Outbox:
    """May be shared by threads. When nobody listens any more the process ends: no result can reach anyone."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    def send(self, message: Message, payload: bytes = b"") -> None:
        try:
            self._writer.send(message, payload)
        except OSError:
            os._exit(1)

    def result(self, variant: str, **fields: Any) -> None:
        self.send(Result(variant, fields))

    def blob(self, *, kind: str, variant: str, name: str, data: bytes, path: str = "") -> None:
        self.send(Blob(kind, variant, name, len(data), path), data)

    def file(self, path: Path, *, kind: str, variant: str, name: str) -> None:
        self.blob(kind=kind, variant=variant, name=name, data=path.read_bytes())

    def failed(self, failure: Failure) -> None:
        self.send(Failed(failure))

    def log(self, text: str, *, level: str = "info") -> None:
        self.send(Log(level, text))
