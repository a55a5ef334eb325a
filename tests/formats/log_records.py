"""Writes records of a compile log as torch does, for tests of what is made of them."""

from __future__ import annotations

import hashlib
import json

TINY = "class G(torch.nn.Module):\n    def forward(self, a):\n        return (a,)\n"
"""The text of a graph."""


def record(
    body: dict[str, object],
    payload: str | None = None,
    *,
    frame: str = "",
    attempt: int = 0,
    pid: int = 7,
    digest: str = "",
) -> bytes:
    """One record with its payload and digest (its own where none is given); `frame` is a compile id such as 0/1."""
    if frame:
        number, _, again = frame.partition("/")
        body = body | {"frame_id": int(number), "frame_compile_id": int(again), "attempt": attempt}
    if payload is not None:
        own = hashlib.md5(payload.encode(), usedforsecurity=False).hexdigest()
        body = body | {"has_payload": digest or own}
    lines = "".join(f"\n\t{line}" for line in payload.split("\n")) if payload is not None else ""
    return f"V1129 13:13:34.064000 {pid} torch/x.py:1] {json.dumps(body)}{lines}\n".encode()


def artifact(name: str, payload: str, *, frame: str, attempt: int = 0) -> bytes:
    return record({"artifact": {"name": name, "encoding": "json"}}, payload, frame=frame, attempt=attempt)


def metrics(frame: str, **values: object) -> bytes:
    """What Dynamo sums a compilation up in."""
    known = {"co_name": "forward", "co_filename": "/home/me/model.py", "co_firstlineno": 3, "pytorch_version": "2.13.0"}
    return record({"compilation_metrics": known | values}, frame=frame)
