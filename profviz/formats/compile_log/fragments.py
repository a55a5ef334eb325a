"""Which post-grad nodes a kernel computes, from the comment that Inductor writes above its code.

Used where the log's own mapping is empty, as torch before 2.14 leaves it for backward graphs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

_KERNEL = re.compile(r"^[ \t]*(\w+) = async_compile\.")
_BEGIN = "# Graph fragment:"
_NODE = re.compile(r"^[ \t]*#[ \t]+%(\w+) : .*? = call_\w+\[")
_COMMENT = re.compile(r"^[ \t]*#")


def nodes_of_calls(text: str, handles: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Node names by debug handle `name:number`.

    Left out are calls into libraries, which have no such comment, and kernels that several calls share: the comment
    tells of the first of them.
    """
    by_kernel = _fragments(text)
    calls = Counter(handle.rpartition(":")[0] for handle in handles)
    named = ((handle, handle.rpartition(":")[0]) for handle in handles)
    return {handle: by_kernel[name] for handle, name in named if by_kernel.get(name) and calls[name] == 1}


def _fragments(text: str) -> Mapping[str, tuple[str, ...]]:
    """Node names by kernel: what its fragment calls, without what it is given."""
    found: dict[str, tuple[str, ...]] = {}
    names: list[str] = []
    inside = False
    for line in text.splitlines():
        if line.endswith(_BEGIN):
            names, inside = [], True
        elif inside and _COMMENT.match(line):
            names += [match[1]] if (match := _NODE.match(line)) else []
        else:
            if inside and (kernel := _KERNEL.match(line)) and kernel[1] not in found:
                found[kernel[1]] = tuple(dict.fromkeys(names))
            inside = inside and not line.strip()
    return found
