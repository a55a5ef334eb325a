"""Which slices ran which generated kernel: calls of compiled graphs by cache key, kernels in them by call order.

Each call of a compiled graph is a range named by the graph's cache key. The outermost operators within it stand in
the order of the debug handles of the generated code (checked on GPU and CPU captures), and GPU work follows from
them by correlation. Names are only used to refuse a pairing, never to make one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from profviz.analysis.linking import category_mask, enclosing_operator
from profviz.model.categories import is_annotation, is_operator
from profviz.model.compile_report import CompileReport, GeneratedCode, kernel_key
from profviz.model.trace import I64, MISSING, Links, Slices, Trace

_CALL = re.compile(r"## Call CompiledFxGraph (\S+) ##")
_CPU_PREFIX = re.compile(r"^graph_\d+_")
_GENERATED = re.compile(r"^(triton|cpp)_")
_NUMBER = re.compile(r":\d+$")


def match_kernels(trace: Trace, links: Links, report: CompileReport) -> dict[str, tuple[int, ...]]:
    """Slices by `kernel_key`: the GPU work of each generated kernel call, or where it has none the CPU operator.

    A call whose operators do not fit its code is left out: better no link than a wrong one.
    """
    calls = _calls(trace)
    if not calls:
        return {}
    codes: dict[str, list[GeneratedCode]] = defaultdict(list)
    for code in report.code:
        if code.key and code.kernels:
            codes[code.key].append(code)
    operators = _outermost_operators(trace, np.array(sorted(i for found in calls.values() for i in found)))
    work = gpu_work_under(
        trace, links, np.array(sorted(i for found in operators.values() for i in found), dtype=np.int64)
    )
    found: dict[str, list[int]] = defaultdict(list)
    for key, ranges in calls.items():
        for number, call in enumerate(ranges):
            if known := codes.get(key):
                # graphs split from one share their code: their calls come in the order they were compiled in
                _pair(trace, known[number % len(known)], operators[call], work, found)
    return {key: tuple(slices) for key, slices in found.items()}


def _calls(trace: Trace) -> dict[str, list[int]]:
    """CPU ranges of compiled graphs by cache key, in time order."""
    keys = {index: match[1] for index, name in enumerate(trace.names) if (match := _CALL.match(name))}
    slices = trace.slices
    on_cpu = category_mask(trace, is_annotation) | category_mask(trace, is_operator)  # torch writes either
    ranges = np.flatnonzero(np.isin(slices.name, list(keys)) & on_cpu)
    found: dict[str, list[int]] = defaultdict(list)
    for call in ranges[np.argsort(slices.start_ns[ranges], kind="stable")].tolist():
        found[keys[int(slices.name[call])]].append(call)
    return found


def _outermost_operators(trace: Trace, calls: npt.NDArray[np.int64]) -> Mapping[int, list[int]]:
    """The operators right within each call (whatever Python frames lie between), in order."""
    operator = category_mask(trace, is_operator)
    marked = operator.copy()
    marked[calls] = True
    around = enclosing_operator(trace.slices, marked)
    inside: dict[int, list[int]] = defaultdict(list)
    chosen = np.flatnonzero(operator & np.isin(around, calls))
    for index in chosen[np.argsort(trace.slices.start_ns[chosen], kind="stable")].tolist():
        inside[int(around[index])].append(index)
    return inside


def gpu_work_under(trace: Trace, links: Links, operators: I64) -> Mapping[int, list[int]]:
    """GPU slices by the operator of `operators` (ascending slice indices, none within another) that launched them."""
    owner = _owners(trace.slices, operators)
    gpu = trace.gpu.slice
    asker = np.where(links.launch[gpu] >= 0, links.launch[gpu], links.op[gpu])
    whose = np.where(asker >= 0, owner[asker], MISSING)
    work: dict[int, list[int]] = defaultdict(list)
    for index, operator in zip(gpu.tolist(), whose.tolist(), strict=True):
        if operator >= 0:
            work[operator].append(index)
    return work


def _owners(slices: Slices, seeds: I64) -> I64:
    """Shape (slices,): the seed that is a slice itself or lies around it, MISSING without one."""
    owner = np.full(len(slices), MISSING, dtype=np.int64)
    owner[seeds] = seeds
    order = np.argsort(slices.row, kind="stable")
    top = int(slices.row.max()) if len(slices) else -1
    bounds = np.searchsorted(slices.row[order], np.arange(top + 2)).tolist()
    for low, high in pairwise(bounds):
        level = order[low:high]
        parent = slices.parent[level]
        inherited = np.where(parent >= 0, owner[parent], MISSING)
        owner[level] = np.where(owner[level] >= 0, owner[level], inherited)
    return owner


def _pair(
    trace: Trace,
    code: GeneratedCode,
    operators: Sequence[int],
    work: Mapping[int, list[int]],
    found: dict[str, list[int]],
) -> None:
    names = [_CPU_PREFIX.sub("", trace.name_of(index)) for index in operators]
    chosen = align(code.kernels, names)
    if chosen is None:
        return
    for handle, at in zip(code.kernels, chosen, strict=True):
        operator = operators[at]
        found[kernel_key(code.compile_id, code.direction, handle)] += work.get(operator) or [operator]


def align(handles: Sequence[str], names: Sequence[str]) -> list[int] | None:
    """For each handle the place of its operator: all in order, with operators that no handle can mean passed over.

    None when that does not come out.
    """
    if len(handles) == len(names):
        places = list(range(len(names)))
        return places if all(may_be(handle, name) for handle, name in zip(handles, names, strict=True)) else None
    places = []
    at = 0
    for handle in handles:
        while at < len(names) and not (may_be(handle, names[at]) and is_named(handle, names[at])):
            at += 1
        if at == len(names):
            return None
        places.append(at)
        at += 1
    return places


def may_be(handle: str, name: str) -> bool:
    """Whether an operator could be a handle's: generated kernels bear their own name, anything else an operator's."""
    base = _NUMBER.sub("", handle)
    if _GENERATED.match(base):
        return name == base
    return not _GENERATED.match(name)


def is_named(handle: str, name: str) -> bool:
    """The stricter test where operators are more than handles: `extern_kernels.addmm:2` runs as `aten::addmm`."""
    base = _NUMBER.sub("", handle)
    if _GENERATED.match(base):
        return name == base
    parts = base.removeprefix("torch.ops.").removeprefix("extern_kernels.").split(".")
    return name.rpartition("::")[2] in parts
