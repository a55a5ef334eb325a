"""What a generated kernel was launched with, as torch notes it at the call in the profiler's trace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def launch_settings(event: Mapping[str, Any]) -> str:
    """`XBLOCK 64, num_warps 4, num_stages 1` of a launching operator's event; empty where it says none.

    Of an autotuned kernel that is what tuning chose. Written by `torch._inductor.runtime.triton_heuristics`.
    """
    args = event.get("args")
    if not isinstance(args, Mapping) or not args.get("kernel_kwargs"):
        return ""
    sizes = str(args["kernel_kwargs"]).replace("=", " ").replace(",", ", ")
    return ", ".join([sizes, *(f"{word} {args[word]}" for word in ("num_warps", "num_stages") if word in args)])
