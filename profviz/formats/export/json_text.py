"""Strictly valid JSON: what other tools choke on (NaN, half surrogates, broken bytes) does not come out of here."""

from __future__ import annotations

import json
import math
import re
from functools import cache
from typing import Any

import msgspec

from profviz.formats.chrome.event import BAD_JSON

Fields = dict[str, bytes]
"""An object's fields, each value as JSON text."""
_HALF = re.compile("[\ud800-\udfff]")
_FIELDS = msgspec.json.Decoder(dict[str, msgspec.Raw])


def encode(value: Any) -> bytes:
    """The JSON text of a value; what is no finite number becomes null, half a surrogate pair a replacement mark."""
    try:
        return msgspec.json.encode(value)
    except (ValueError, OverflowError, TypeError):  # half surrogates, integers of any length
        return json.dumps(_clean(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def whole(text: str) -> str:
    """Without half surrogates, which UTF-8 has no place for."""
    return _HALF.sub("\ufffd", text)


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, dict):
        return {_clean(str(key)): _clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(item) for item in value]
    return value


def fields_of(text: bytes) -> Fields | None:
    """The fields of an object's text, every value as it is spelled; None when that is not strictly valid."""
    try:
        text.decode()
        return {key: bytes(value) for key, value in _FIELDS.decode(text).items()}
    except BAD_JSON:
        return None


@cache
def _key(name: str) -> bytes:
    return encode(name) + b":"


def object_text(fields: Fields) -> bytes:
    return b"{" + b",".join([_key(name) + value for name, value in fields.items()]) + b"}"


def us_text(time_ns: int) -> bytes:
    """Integer nanoseconds as microseconds with three decimals, exactly."""
    whole, rest = divmod(abs(time_ns), 1_000)
    return b"%s%d.%03d" % (b"-" if time_ns < 0 else b"", whole, rest)
