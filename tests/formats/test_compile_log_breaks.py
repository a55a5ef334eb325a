"""The wordings in which torch tells of a graph break."""

from __future__ import annotations

import hashlib
import json

import pytest

from profviz.formats.compile_log import read_compile_log

AT = "Graph break in user code at /home/me/model.py:24\n"
WHERE = 'User code traceback:\n  File "/home/me/model.py", line 24, in forward\n    if x.sum() > 0:\n\n'


def log_of(*payloads: str) -> bytes:
    lines = []
    for payload in payloads:
        digest = hashlib.md5(payload.encode(), usedforsecurity=False).hexdigest()
        artifact = {"name": "dynamo_graph_break_reason", "encoding": "string"}
        frame = {"frame_id": 0, "frame_compile_id": 0, "attempt": 0}
        record = {"artifact": artifact, **frame, "has_payload": digest}
        lines.append(f"V1129 13:14:23.816000 52 torch/_dynamo/x.py:1] {json.dumps(record)}")
        lines += [f"\t{line}" for line in payload.split("\n")]
    return "\n".join(lines).encode() + b"\n"


@pytest.mark.parametrize(
    ("about", "reason"),
    [
        ("Graph Break Reason: Encountered graph break\nFailed to trace\n  Explanation: no.\n", "Failed to trace"),
        ("Graph Break Reason: Data-dependent branching\n  Explanation: no.\n", "Data-dependent branching"),
        ("Reason: generic_jump TensorVariable()\n", "generic_jump TensorVariable()"),
    ],
)
def test_the_reason_is_the_registrys_title_without_what_introduces_it(about: str, reason: str) -> None:
    report, notes = read_compile_log(log_of(AT + about + WHERE))
    assert notes == ()
    (found,) = report.breaks
    assert (found.reason, found.source.line, found.source.text) == (reason, 24, "if x.sum() > 0:")
