"""What of a name tells what it does, first: for bars and cells, which cut off the end."""

from __future__ import annotations

import re

LONGEST = 4_096
"""Of an endless name only the beginning is looked at."""

_FRAME = re.compile(r"^(?:[^()]*[/\\])?(?P<file>[^/\\()]+\(\d+\)): (?P<function>\S.*)$")
_BUILT_IN = re.compile(r"^<built-in (?:method|function) (?P<function>\w+)[ >]")
_TEMPLATE = re.compile(r"<[^<>]*>")
_SIGNATURE = re.compile(r"^\w+\(.*\)$", re.DOTALL)
_CALL = re.compile(r"\(.*$", re.DOTALL)
_SHELLS = re.compile(r"^(?:\w*elementwise_kernel\w*|reduce_kernel|multi_tensor_apply_kernel)$")
"""Kernels that run what their template argument says."""

_PART = re.compile(r"L[a-z]n?\d+E|[ST][0-9A-Z]*_|(?P<length>\d{1,4})")
"""Of a mangled name: a number as template argument, something that stood before, or the length of an identifier."""

_WRAPPER = re.compile(r"^(?:[AB]?Unary|Binary|\w*Op|\w*OpScalar|\w*OpScalarList|func_wrapper)$")
_TELLING = re.compile(
    r"\b(?:CUDAFunctor(?:OnSelf)?_(\w+)|(\w+?)_?[Ff]unctor\b|(\w+?)Ops<|launch_(\w+)|(\w+?)_cuda_out\b"
    r"|(\w+?)_kernel(?:_cuda|_impl)?\b|std::(plus|minus|multiplies|divides)\b|::(\w+_calc_\w+)\b|::([A-Z][a-z]+)<float>)"
)


def short_name(name: str) -> str:
    """A C++ kernel without return type, namespaces, template arguments and parameters; anything else as it is.

    `add · vectorized_elementwise_kernel` for a kernel that runs what it is given, `cutlass_80_…` for CUTLASS' shell.
    Of a Python frame the function, then the file: `forward · model.py(12)`.
    """
    name = _unmangled(name[:LONGEST])
    if frame := _FRAME.match(name):
        return f"{frame['function']} · {frame['file']}"
    if built_in := _BUILT_IN.match(name):
        return f"{built_in['function']} · built-in"
    is_qualified = name.startswith("void ") or "::" in name
    if not ((is_qualified and ("<" in name or "(" in name)) or _SIGNATURE.match(name)):
        return name
    text = name.removeprefix("void ").replace("(anonymous namespace)::", "")
    while (shorter := _TEMPLATE.sub("", text)) != text:
        text = shorter
    short = _CALL.sub("", text).rsplit("::", 1)[-1].strip()
    inner = name.partition(f"{short}<")[2] if short else ""
    if short == "Kernel2" and inner:
        return re.split(r"[<>(,]", inner, maxsplit=1)[0]
    told = _told(inner) if _SHELLS.match(short) else ""
    return f"{told} · {short}" if told else short or name


def _unmangled(name: str) -> str:
    """A C++ name as the Itanium ABI mangles it, `at::native::kernel<what its arguments name>`; any other as it is."""
    if not name.startswith("_Z"):
        return name
    at, parts = 3 if name[2:3] == "N" else 2, []
    while (found := _PART.match(name, at)) and found["length"]:
        at = found.end() + int(found["length"])
        parts.append(name[found.end() : at])
    inner, path = [], "::".join(part for part in parts if not part.startswith("_GLOBAL_"))
    while found := _PART.search(name, at):
        at = found.end() + int(found["length"] or 0)
        inner += [name[found.end() : at]] if found["length"] else []
    return f"::{path}<{', '.join(inner)}>()" if path and at <= len(name) else name


def _told(arguments: str) -> str:
    """The first thing in the template arguments that does something and wraps nothing else."""
    for found in _TELLING.finditer(arguments):
        word = next(group for group in found.groups() if group)
        if not _WRAPPER.match(word):
            return word
    return ""
