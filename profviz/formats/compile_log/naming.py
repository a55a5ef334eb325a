"""Compile ids as text, as torch prints them: `frame/version`, behind `!number/` for graphs of compiled autograd."""

from __future__ import annotations

from profviz.formats.compile_log.code import Unit
from profviz.formats.compile_log.records import Record


def compile_id_of(record: Record | Unit) -> str:
    """Of the compilation that a record tells of; empty outside of one."""
    frame = record.frame
    own = "" if frame is None else f"{frame[0]}/{frame[1]}"
    if record.autograd is None:
        return own
    return f"!{record.autograd}/{own}" if own else f"!{record.autograd}"


def code_of(compile_id: str) -> str:
    """The frame part of a compile id: all compilations of one code object share it."""
    return compile_id.rpartition("/")[0]
