"""JSON values to what a column holds: exact where they can be, unknown where they can't."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from profviz.formats.chrome.event import BAD_JSON, NO_ARGS, RAW, Args, OddEvent, decode_args, decode_odd_event
from profviz.formats.chrome.mend import mend
from profviz.model.trace import MISSING

NO_EVENT = OddEvent()


def odd_event(text: bytes) -> OddEvent:
    """The fields of an event's text as they are spelled; none when it can't be read."""
    try:
        return decode_odd_event(text)
    except BAD_JSON:
        pass
    try:
        return decode_odd_event(mend(text).text)
    except BAD_JSON:
        return NO_EVENT


def args_of(event: OddEvent) -> Args:
    """The args of an event, whatever their types."""
    try:
        return decode_args(event.args) if bytes(event.args)[:1] == b"{" else NO_ARGS
    except BAD_JSON:
        return NO_ARGS


def all_args_of(event: OddEvent) -> dict[str, Any]:
    try:
        value = msgspec.json.decode(event.args) if event.args != RAW else {}
    except BAD_JSON:
        return {}
    return value if isinstance(value, dict) else {}


def integer(value: Any, *, bits: int = 63) -> int:
    """A column's integer of a JSON value; MISSING where it is none or does not fit."""
    if value is None:
        return MISSING
    if type(value) is not int:
        value = _odd_integer(value)
    return value if -(1 << bits) <= value < 1 << bits else MISSING


def _odd_integer(value: Any) -> int:
    if isinstance(value, str) and len(value) < 30 and value.strip().removeprefix("-").isdecimal():
        return int(value)
    if isinstance(value, float) and value == value and abs(value) < 1 << 53 and value == int(value):
        return int(value)
    return MISSING


def triple(value: Any) -> tuple[int, int, int]:
    """Three integers of a JSON list; MISSING three times where it is none."""
    if not isinstance(value, list) or len(value) != 3:
        return MISSING, MISSING, MISSING
    x, y, z = (integer(item, bits=31) for item in value)
    return x, y, z


def real(value: Any) -> float:
    """A finite number of a JSON value, NaN where it is none."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return float("nan")
    return number if np.isfinite(number) else float("nan")
