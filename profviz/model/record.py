"""Turns frozen dataclasses into JSON values and back, ignoring fields that a newer version added."""

from __future__ import annotations

import dataclasses
import enum
import types
import typing
from functools import cache
from typing import Any, TypeVar, Union

R = TypeVar("R")


def to_json(value: Any) -> Any:
    """The JSON value of a dataclass (its fields), tuple, list, dict, enum (its value) or scalar."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, tuple | list):
        return [to_json(item) for item in value]
    if isinstance(value, dict):
        return {str(key): to_json(item) for key, item in value.items()}
    return value


def from_json(cls: type[R], data: Any) -> R:
    """Builds `cls` from `to_json` output; raises ValueError that names the field which does not fit."""
    return typing.cast(R, _build(cls, data, cls.__name__))


@cache
def _hints(cls: type) -> dict[str, Any]:
    return typing.get_type_hints(cls)


def _build(kind: Any, data: Any, where: str) -> Any:
    origin = typing.get_origin(kind)
    if dataclasses.is_dataclass(kind):
        return _build_dataclass(typing.cast(type, kind), data, where)
    if kind in (Any, object):
        return data
    if origin in (Union, types.UnionType):
        return _build_union(typing.get_args(kind), data, where)
    if origin in (tuple, list):
        return _build_sequence(origin, typing.get_args(kind), data, where)
    if origin is dict:
        _expect(isinstance(data, dict), where, "an object", data)
        value = typing.get_args(kind)[1]
        return {key: _build(value, item, f"{where}.{key}") for key, item in data.items()}
    return _build_scalar(kind, data, where)


def _build_dataclass(cls: type, data: Any, where: str) -> Any:
    _expect(isinstance(data, dict), where, "an object", data)
    hints = _hints(cls)
    known = {}
    for field in dataclasses.fields(cls):
        if field.name in data:
            known[field.name] = _build(hints[field.name], data[field.name], f"{where}.{field.name}")
    try:
        return cls(**known)
    except TypeError as error:
        raise ValueError(f"{where}: {error}") from None


def _build_union(kinds: tuple[Any, ...], data: Any, where: str) -> Any:
    if data is None and type(None) in kinds:
        return None
    wanted = [kind for kind in kinds if kind is not type(None)]
    for kind in wanted[:-1]:
        try:
            return _build(kind, data, where)
        except ValueError:
            continue
    return _build(wanted[-1], data, where)


def _build_sequence(origin: Any, kinds: tuple[Any, ...], data: Any, where: str) -> Any:
    _expect(isinstance(data, list), where, "a list", data)
    if origin is tuple and kinds and kinds[-1] is not Ellipsis:
        _expect(len(data) == len(kinds), where, f"{len(kinds)} items", data)
        return tuple(_build(kind, item, where) for kind, item in zip(kinds, data, strict=True))
    return origin(_build(kinds[0], item, f"{where}[{index}]") for index, item in enumerate(data))


def _build_scalar(kind: Any, data: Any, where: str) -> Any:
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        try:
            return kind(data)
        except ValueError:
            raise ValueError(f"{where}: unknown value {data!r}") from None
    if kind is float and isinstance(data, int) and not isinstance(data, bool):
        return float(data)
    fits = isinstance(data, kind) and not (kind is int and isinstance(data, bool))
    _expect(fits, where, kind.__name__, data)
    return data


def _expect(ok: object, where: str, wanted: str, data: Any) -> None:
    if not ok:
        raise ValueError(f"{where}: expected {wanted}, got {type(data).__name__}")
