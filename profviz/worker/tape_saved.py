"""What nodes save for backward, and which memory that is: each piece counted once, with who else holds it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch.multiprocessing.reductions import StorageWeakRef

from profviz.model.tape import Owner, SavedTensor, Storage

_RAW = "_raw_saved_"
NESTED = "nested tensors have no one shape"
HOOKED = "it goes through saved-tensor hooks (activation checkpointing, offloading)"


class Memory:
    """The pieces of memory met so far, by where they lie; holds none of them."""

    def __init__(self) -> None:
        self.refs: list[StorageWeakRef | None] = []
        self.holders: list[list[int]] = []
        self._bytes: list[int] = []
        self._owners: dict[tuple[str, int], tuple[Owner, str]] = {}
        self._known: dict[tuple[str, int], int] = {}
        self._owner_of: list[tuple[Owner, str]] = []

    def own(self, tensor: torch.Tensor, owner: Owner, name: str) -> None:
        """Says who holds a tensor's memory besides the tape; who said so first is right."""
        if (key := _key(tensor)) is not None:
            self._owners.setdefault(key, (owner, name))

    def number_of(self, tensor: torch.Tensor, node: int) -> int:
        """The number of the memory a tensor lies in, which `node` holds; -1 where it has none of its own."""
        key = _key(tensor)
        if key is None:
            return -1
        if key not in self._known:
            storage = tensor.untyped_storage()
            self._known[key] = len(self.refs)
            self._owner_of.append(self._owners.get(key, (Owner.TAPE, "")))
            self.refs.append(StorageWeakRef(storage) if self._owner_of[-1][0] is Owner.TAPE else None)
            self.holders.append([])
            self._bytes.append(storage.nbytes())
        found = self._known[key]
        if node not in self.holders[found]:
            self.holders[found].append(node)
        return found

    def storages(self, freed: Mapping[int, int]) -> tuple[Storage, ...]:
        return tuple(
            Storage(bytes_, owner, name, freed.get(number))
            for number, (bytes_, (owner, name)) in enumerate(zip(self._bytes, self._owner_of, strict=True))
        )


def _key(tensor: torch.Tensor) -> tuple[str, int] | None:
    """Device and address; nothing for tensors without memory (sparse ones, meta, empty)."""
    try:
        address = tensor.untyped_storage().data_ptr()
    except (RuntimeError, NotImplementedError):
        return None
    return (str(tensor.device), address) if address else None


class SavedReader:
    """`hidden(sequence)` tells where torch does not say itself (before 2.7) whether hooks took what a node saved."""

    def __init__(self, memory: Memory, *, hidden: Callable[[int | None], bool]) -> None:
        self._memory = memory
        self._hidden = hidden
        self._names: dict[type, tuple[str, ...]] = {}

    def read(self, number: int, node: Any, sequence: int | None) -> tuple[SavedTensor, ...]:
        made = []
        for name, raw, at in self._raws(node):
            title = f"{name}[{at}]" if at >= 0 else name
            if (one := self._one(number, node, sequence, title, raw, (name, at))) is not None:
                made.append(one)
        kept = getattr(node, "__dict__", None) or {}
        made += [
            self._saved(number, name, value, on_context=True)
            for name, value in kept.items()
            if isinstance(value, torch.Tensor)
        ]
        return tuple(made)

    def _raws(self, node: Any) -> Iterator[tuple[str, Any, int]]:
        """Name, torch's handle, and the place in a list or -1."""
        kind = type(node)
        if kind not in self._names:
            self._names[kind] = tuple(name for name in dir(node) if name.startswith(_RAW))
        for name in self._names[kind]:
            found = getattr(node, name)
            if isinstance(found, tuple | list):
                yield from ((name[len(_RAW) :], raw, at) for at, raw in enumerate(found))
            else:
                yield name[len(_RAW) :], found, -1

    def _one(
        self, number: int, node: Any, sequence: int | None, title: str, raw: Any, place: tuple[str, int]
    ) -> SavedTensor | None:
        tells = hasattr(raw, "unpack_hook") and hasattr(raw, "data")
        if raw.unpack_hook is not None if tells else self._hidden(sequence):
            return SavedTensor(title, unknown=HOOKED)
        try:
            value = raw.data if tells else _unpacked(node, *place)
        except RuntimeError as error:
            return SavedTensor(title, unknown=str(error).split(".")[0].split("\n")[0].lower())
        return self._saved(number, title, value) if isinstance(value, torch.Tensor) else None

    def _saved(self, number: int, name: str, value: torch.Tensor, *, on_context: bool = False) -> SavedTensor:
        if value.is_nested:
            return SavedTensor(name, unknown=NESTED, on_context=on_context)
        return SavedTensor(
            name,
            tuple(int(size) for size in value.shape),
            str(value.dtype).removeprefix("torch."),
            value.numel() * value.element_size(),
            self._memory.number_of(value, number),
            on_context=on_context,
        )


def _unpacked(node: Any, name: str, at: int) -> Any:
    found = getattr(node, f"_saved_{name}" if hasattr(node, f"_saved_{name}") else f"saved_{name}")
    return found[at] if at >= 0 else found
