"""One event as the file spells it: the fields the columns need, the rest left as text."""

from __future__ import annotations

from typing import Any

import msgspec


class Args(msgspec.Struct, gc=False):
    """The args the columns hold; any JSON value may stand for any of them."""

    correlation: Any = None
    external: Any = msgspec.field(default=None, name="External id")
    external_lower: Any = msgspec.field(default=None, name="external id")
    device: Any = None
    stream: Any = None
    grid: Any = None
    block: Any = None
    registers: Any = msgspec.field(default=None, name="registers per thread")
    shared: Any = msgspec.field(default=None, name="shared memory")
    bytes: Any = None
    occupancy: Any = msgspec.field(default=None, name="est. achieved occupancy %")
    graph: Any = msgspec.field(default=None, name="graph id")
    graph_node: Any = msgspec.field(default=None, name="graph node id")
    name: Any = None
    labels: Any = None
    sort_index: Any = None


class Event(msgspec.Struct, gc=False):
    """`ts`, `dur` and `id` stay text, so that no digit is lost."""

    ph: str | None = None
    name: str | None = None
    cat: str | None = None
    pid: int | str | float | None = None
    tid: int | str | float | None = None
    ts: msgspec.Raw = msgspec.Raw(b"")
    dur: msgspec.Raw = msgspec.Raw(b"")
    id: msgspec.Raw = msgspec.Raw(b"")
    args: Args | None = None


_DECODER = msgspec.json.Decoder(Event)
decode_event = _DECODER.decode
NO_ARGS = Args()


def event_of(data: dict[str, Any]) -> Event:
    """The event of an object whose fields have unusual types; what can't be used is left out."""
    args = data.get("args")
    return Event(
        ph=_text(data.get("ph")),
        name=_text(data.get("name")),
        cat=_text(data.get("cat")),
        pid=_label(data.get("pid")),
        tid=_label(data.get("tid")),
        ts=_raw(data.get("ts")),
        dur=_raw(data.get("dur")),
        id=_raw(data.get("id")),
        args=msgspec.convert(args, Args) if isinstance(args, dict) else None,
    )


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else str(value)


def _label(value: Any) -> int | str | float | None:
    return value if value is None or isinstance(value, int | str | float) else str(value)


def _raw(value: Any) -> msgspec.Raw:
    if value is None:
        return msgspec.Raw(b"")
    return msgspec.Raw(value.token.encode() if isinstance(value, Number) else str(value).encode())


class Number(float):
    """A JSON number that remembers how it was written."""

    __slots__ = ("token",)
    token: str

    def __new__(cls, token: str) -> Number:
        made = super().__new__(cls, token)
        made.token = token
        return made
