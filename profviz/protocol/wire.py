"""Frames on a byte stream: one line of JSON a message, a blob's bytes right behind its line.

Works over any pair of pipes (local, ssh): nothing but these frames may be written to the stream.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import BinaryIO

from profviz.protocol.messages import Blob, Message, decode, encode

MAX_LINE_BYTES = 64 << 20
"""A longer line is taken for a foreign stream, not for a message."""


class WireError(Exception):
    """The stream is not the protocol, or it ended inside a frame."""


class CutOff(WireError):
    """The stream ended inside a frame: who wrote it died."""


class Writer:
    """Writes whole frames; may be shared by threads."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    def send(self, message: Message, payload: bytes = b"") -> None:
        """Raises OSError (broken pipe) when the other side is gone, ValueError when a blob's size is not its own."""
        expected = message.size if isinstance(message, Blob) else 0
        if len(payload) != expected:
            raise ValueError(f"{type(message).__name__}: {len(payload)} payload bytes, {expected} announced")
        line = json.dumps(encode(message), separators=(",", ":"), allow_nan=False).encode() + b"\n"
        with self._lock:
            self._stream.write(line)
            self._stream.write(payload)
            self._stream.flush()


def read_frames(stream: BinaryIO) -> Iterator[tuple[Message, bytes]]:
    """Yields messages with their payload until the stream ends; raises WireError when it ends inside a frame."""
    while line := stream.readline(MAX_LINE_BYTES):
        if not line.endswith(b"\n"):
            raise CutOff("the stream ended inside a message")
        try:
            message = decode(json.loads(line))
        except ValueError as error:
            raise WireError(f"not a protocol message: {line[:200]!r} ({error})") from None
        yield message, _read_payload(stream, message)


def _read_payload(stream: BinaryIO, message: Message) -> bytes:
    if not isinstance(message, Blob):
        return b""
    parts = []
    left = message.size
    while left:
        part = stream.read(min(left, 1 << 20))
        if not part:
            raise CutOff(f"the stream ended inside {message.name}")
        parts.append(part)
        left -= len(part)
    return b"".join(parts)
