"""What a trace shows of compiled code being called: its ranges by name and category; knows no compile log."""

from __future__ import annotations

import re

import numpy as np

from profviz.analysis.linking import Mask, category_mask
from profviz.model.categories import is_annotation, is_operator
from profviz.model.results import Side
from profviz.model.trace import I64, Trace

GRAPH_CALL = re.compile(r"## Call CompiledFxGraph (\S+) ##")
REGION = re.compile(r"Torch-Compiled Region: (\S+)")
LOOKUP = re.compile(r"TorchDynamo Cache Lookup$")
COMPILING = re.compile(r"_compile\.compile_inner|entire_(?:frame|backward)_compile$|compile_fx.*\(dynamo_timed\)")
"""What the compiler itself runs, where it is profiled at work."""


def named(trace: Trace, pattern: re.Pattern[str]) -> Mask:
    """Shape (slices,): whose name begins so."""
    found = np.array([bool(pattern.match(name)) for name in trace.names], dtype=bool)
    return found[trace.slices.name] if len(found) else np.zeros(len(trace.slices), dtype=bool)


def on_cpu(trace: Trace, pattern: re.Pattern[str]) -> Mask:
    """Shape (slices,): whose name begins so, as an operator or a range on a CPU thread; torch writes either."""
    return named(trace, pattern) & (category_mask(trace, is_annotation) | category_mask(trace, is_operator))


def in_steps(side: Side, slices: I64) -> I64:
    """Those that begin within a profiled step; all of them where no steps are known."""
    if not side.steps:
        return slices
    starts = side.trace.slices.start_ns[slices]
    within = [(starts >= step.start_ns) & (starts < step.end_ns) for step in side.steps]
    return slices[np.any(within, axis=0)]


def calls_compiled(trace: Trace) -> bool:
    """Whether compiled code is called anywhere in it."""
    return any(REGION.match(name) or GRAPH_CALL.match(name) for name in trace.names)
