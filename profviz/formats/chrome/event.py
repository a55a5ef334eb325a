"""One event as the file spells it: the fields the columns need, the rest left as text."""

from __future__ import annotations

import json
from typing import Any

import msgspec

RAW = msgspec.Raw(b"")


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
    bandwidth: Any = msgspec.field(default=None, name="memory bandwidth (GB/s)")
    graph: Any = msgspec.field(default=None, name="graph id")
    graph_node: Any = msgspec.field(default=None, name="graph node id")
    dims: msgspec.Raw = msgspec.field(default=RAW, name="Input Dims")
    address: Any = msgspec.field(default=None, name="Addr")
    size: Any = msgspec.field(default=None, name="Bytes")
    allocated: Any = msgspec.field(default=None, name="Total Allocated")
    reserved: Any = msgspec.field(default=None, name="Total Reserved")
    device_type: Any = msgspec.field(default=None, name="Device Type")
    device_id: Any = msgspec.field(default=None, name="Device Id")
    name: Any = None
    labels: Any = None
    sort_index: Any = None

    @property
    def external_id(self) -> Any:
        return self.external if self.external is not None else self.external_lower


ARG_KEYS = {field.name: field.encode_name for field in msgspec.structs.fields(Args)}
"""How the profiler spells each of them; the native scanner's own list is in `scan_keys.h`."""


class Event(msgspec.Struct, gc=False):
    """The usual types; `ts`, `dur` and `id` stay text, so that no digit is lost."""

    ph: str | None = None
    name: str | None = None
    cat: str | None = None
    pid: int | str | None = None
    tid: int | str | None = None
    ts: msgspec.Raw = RAW
    dur: msgspec.Raw = RAW
    id: msgspec.Raw = RAW
    id2: msgspec.Raw = RAW
    args: Args | None = None


class OddEvent(msgspec.Struct, gc=False):
    """The same fields, of whatever types."""

    ph: msgspec.Raw = RAW
    name: msgspec.Raw = RAW
    cat: msgspec.Raw = RAW
    pid: msgspec.Raw = RAW
    tid: msgspec.Raw = RAW
    ts: msgspec.Raw = RAW
    dur: msgspec.Raw = RAW
    id: msgspec.Raw = RAW
    id2: msgspec.Raw = RAW
    args: msgspec.Raw = RAW


decode_event = msgspec.json.Decoder(Event).decode
decode_odd_event = msgspec.json.Decoder(OddEvent).decode
_decode_args = msgspec.json.Decoder(Args).decode
NO_ARGS = Args()
BAD_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def decode_args(text: bytes | msgspec.Raw) -> Args:
    """The args in an object's text; a number that no float holds makes an infinity. Raises one of `BAD_JSON`."""
    try:
        return _decode_args(text)
    except msgspec.DecodeError:
        found = msgspec.json.decode(text, type=dict[str, msgspec.Raw])
    values = {key: json.loads(bytes(raw)) for key, raw in found.items() if key != "Input Dims"}
    args = msgspec.convert(values, Args)
    args.dims = found.get("Input Dims", RAW)
    return args
