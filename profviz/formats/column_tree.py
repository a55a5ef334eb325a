"""Takes frozen dataclasses apart into arrays and a JSON tree, and puts them together again by their type hints.

New fields of the model are carried without being named here; knows no file and no trace.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import enum
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, TypeVar, Union

import numpy as np
import numpy.typing as npt

R = TypeVar("R")
Array = npt.NDArray[Any]
ARRAY, TEXTS, ITEMS, JSON = "array", "texts", "items", "json"
ROWS, JOINED = "rows", "joined"
MANY = 32
"""So many dataclasses of one kind are written field by field."""
_SEQUENCES = (tuple, collections.abc.Sequence)
_MAPPINGS = (dict, collections.abc.Mapping)


def take_apart(value: Any, arrays: list[Array]) -> Any:
    """The JSON tree of a dataclass; its arrays are appended to `arrays`, fields that hold callables left out.

    Raises TypeError for a value of a kind that is not carried.
    """
    if isinstance(value, enum.Enum):
        return value.value
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {ARRAY: len(arrays) - 1}
    if dataclasses.is_dataclass(value):
        return [take_apart(getattr(value, name), arrays) for name, _ in _fields(value.__class__)]
    if isinstance(value, tuple | list):
        return _take_apart_items(value, arrays)
    if isinstance(value, Mapping):
        return {JSON: dict(value)}
    raise TypeError(f"a {type(value).__name__} is not carried")


def _take_apart_items(items: Sequence[Any], arrays: list[Array]) -> Any:
    if len(items) >= MANY and dataclasses.is_dataclass(items[0]) and len(set(map(type, items))) == 1:
        names = [name for name, _ in _fields(items[0].__class__)]
        return {ROWS: [_take_apart_field([getattr(item, name) for item in items], arrays) for name in names]}
    if not all(type(item) is str for item in items):
        return {ITEMS: [take_apart(item, arrays) for item in items]}
    ends = np.fromiter(map(len, items), dtype=np.int64, count=len(items)).cumsum()
    # half surrogates come from files that hold them; no other handler brings them back
    text = "".join(items).encode("utf-8", "surrogatepass")
    arrays += [np.frombuffer(text, dtype=np.uint8), ends]
    return {TEXTS: len(arrays) - 2}


def _take_apart_field(values: list[Any], arrays: list[Array]) -> Any:
    """One field of many dataclasses: as few arrays as there may be."""
    if all(type(value) is int and -(1 << 63) <= value < 1 << 63 for value in values):
        return take_apart(np.array(values, dtype=np.int64), arrays)
    if all(type(value) is np.ndarray and value.ndim == 1 and value.dtype == values[0].dtype for value in values):
        ends = np.fromiter(map(len, values), dtype=np.int64, count=len(values)).cumsum()
        arrays += [np.concatenate(values), ends]
        return {JOINED: len(arrays) - 2}
    return take_apart(values, arrays)


def put_together(cls: type[R], tree: Any, arrays: Sequence[Array]) -> R:
    """The dataclass that `take_apart` made `tree` and `arrays` of; raises ValueError where they do not fit."""
    try:
        return typing.cast(R, _build(cls, tree, arrays))
    except (TypeError, KeyError, IndexError, AttributeError) as error:
        raise ValueError(f"{cls.__name__}: {error}") from None


def _build(kind: Any, tree: Any, arrays: Sequence[Array]) -> Any:
    origin = typing.get_origin(kind)
    if origin in (Union, types.UnionType):
        wanted = [part for part in typing.get_args(kind) if part is not type(None)]
        return None if tree is None else _build(wanted[0], tree, arrays)
    if origin is np.ndarray:
        return arrays[tree[ARRAY]]
    if dataclasses.is_dataclass(kind):
        return _build_dataclass(typing.cast(type, kind), tree, arrays)
    if origin in _SEQUENCES:
        return _build_items(typing.get_args(kind)[0], tree, arrays)
    if origin in _MAPPINGS:
        return _expect(tree[JSON], dict)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return kind(tree)
    return tree if kind is Any else _expect(tree, kind)


def _build_dataclass(cls: type, tree: Any, arrays: Sequence[Array]) -> Any:
    made = zip(_fields(cls), _expect(tree, list), strict=True)
    return cls(**{name: _build(kind, part, arrays) for (name, kind), part in made})


def _build_items(kind: Any, tree: Any, arrays: Sequence[Array]) -> tuple[Any, ...]:
    if TEXTS in tree:
        return texts_of(arrays[tree[TEXTS]], arrays[tree[TEXTS] + 1])
    if ROWS in tree:
        return _build_rows(kind, _expect(tree[ROWS], list), arrays)
    return tuple(_build(kind, part, arrays) for part in _expect(tree[ITEMS], list))


def _build_rows(cls: Any, trees: list[Any], arrays: Sequence[Array]) -> tuple[Any, ...]:
    fields = _fields(cls)
    columns = [_build_field(kind, tree, arrays) for (_, kind), tree in zip(fields, trees, strict=True)]
    names = [name for name, _ in fields]
    return tuple(cls(**dict(zip(names, values, strict=True))) for values in zip(*columns, strict=True))


def _build_field(kind: Any, tree: Any, arrays: Sequence[Array]) -> Sequence[Any]:
    if ARRAY in tree:
        return [_expect(value, kind) for value in arrays[tree[ARRAY]].tolist()]
    if JOINED in tree:
        joined, ends = arrays[tree[JOINED]], arrays[tree[JOINED] + 1].tolist()
        return [joined[low:high] for low, high in pairwise(_places(ends, len(joined)))]
    return _build_items(kind, tree, arrays)


def _places(ends: list[int], size: int) -> list[int]:
    places = [0, *ends]
    if places != sorted(places) or places[-1] != size:
        raise ValueError("parts end where there are none")
    return places


def texts_of(blob: Array, ends: Array) -> tuple[str, ...]:
    """Texts that lie end to end in UTF-8; `ends` (shape (n,), ascending) counts characters, not bytes."""
    text = blob.tobytes().decode("utf-8", "surrogatepass")
    return tuple([text[a:b] for a, b in pairwise(_places(ends.tolist(), len(text)))])


def _expect(value: Any, kind: Any) -> Any:
    if not isinstance(value, kind):
        raise ValueError(f"a {type(value).__name__} where {kind} was written")
    return value


@cache
def _fields(cls: Any) -> tuple[tuple[str, Any], ...]:
    """Name and type of each field but those that hold callables, which have no data."""
    hints = typing.get_type_hints(cls)
    named = ((field.name, hints[field.name]) for field in dataclasses.fields(cls))
    return tuple((name, kind) for name, kind in named if typing.get_origin(kind) is not collections.abc.Callable)


def shape_of(*kinds: Any) -> str:
    """What dataclasses are made of, as text that changes when a field of any of them is added, dropped or moved."""
    return " ".join(_described(kinds))


def _described(kinds: Iterable[Any]) -> Iterable[str]:
    for kind in kinds:
        if dataclasses.is_dataclass(kind):
            parts = (f"{name}:{' '.join(_described([hint]))}" for name, hint in _fields(typing.cast(type, kind)))
            yield f"{getattr(kind, '__name__', kind)}({', '.join(parts)})"
        elif typing.get_origin(kind) is np.ndarray:
            yield "array"  # of whatever number type: those are written beside each array
        else:
            yield f"{kind}[{' '.join(_described(typing.get_args(kind)))}]"
