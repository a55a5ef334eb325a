"""What each Triton kernel that a run loaded needs, as the compiler's own metadata has it; plain values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from profviz.model.units import format_count

_NAMED_ALIKE = "triton_"
"""What every kernel is called on the GPU where Inductor's `unique_kernel_names` is off."""


@dataclass(frozen=True, slots=True)
class TritonBinary:
    """One kernel as it is launched; None is unknown. `hash` names the file of its code, as traces and code do.

    `config` are its block sizes, of an autotuned kernel those that tuning chose of `configs`. `registers` are a
    thread's, `spills` its 4-byte values that did not fit into them (Triton divides the bytes of local memory by four),
    `shared_bytes` are a block's.
    """

    name: str
    hash: str = ""
    config: tuple[tuple[str, str], ...] = ()
    num_warps: int | None = None
    num_stages: int | None = None
    registers: int | None = None
    spills: int | None = None
    shared_bytes: int | None = None
    configs: int | None = None

    @property
    def settings(self) -> str:
        """`XBLOCK 64, num_warps 4, num_stages 1`, as `launch_settings` has them of the trace."""
        counts = (("num_warps", self.num_warps), ("num_stages", self.num_stages))
        told = [f"{key} {value}" for key, value in self.config]
        return ", ".join([*told, *(f"{key} {value}" for key, value in counts if value is not None)])

    @property
    def spilling(self) -> str:
        """The number of spills, and of some what they mean."""
        if not self.spills:
            return "unknown" if self.spills is None else "0"
        return (
            f"{format_count(self.spills)}: so many 4-byte values of each thread did not fit into registers "
            "and go through memory, which is slower"
        )


def find_binary(
    binaries: Iterable[TritonBinary], *, name: str, hash_: str = "", settings: str = ""
) -> TritonBinary | None:
    """The kernel behind a launch or a definition; None where there is none, or several that nothing tells apart.

    Names repeat from graph to graph: the hash decides, and of kernels loaded twice what they were launched with.
    Without a hash (a replayed CUDA graph) a name will do that only one kernel bears.
    """
    found = [one for one in binaries if name == one.name or (hash_ and name == _NAMED_ALIKE)]
    if hash_:
        found = [one for one in found if one.hash in ("", hash_)]
    if len(found) > 1 and settings:
        found = [one for one in found if one.settings == settings]
    return found[0] if len(found) == 1 else None


def hash_of_path(path: str) -> str:
    """The file's name without folder and ending, of a path of any system."""
    return PureWindowsPath(PurePosixPath(path).name).stem if path else ""


def hash_of_launch(event: Mapping[str, Any]) -> str:
    """Of a launching operator's event; empty where it names no kernel's file."""
    args = event.get("args")
    if not isinstance(args, Mapping):
        return ""
    return str(args.get("kernel_hash") or hash_of_path(str(args.get("kernel_file") or "")))
