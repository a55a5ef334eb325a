"""What the compiler's caches had, and what became of CUDA graphs, from the records that tell of each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from profviz.formats.compile_log.naming import compile_id_of
from profviz.formats.compile_log.records import Record, integer
from profviz.model.compile_report import CacheUse, CompileEvent, CudaGraph

_CACHE = re.compile(r"^(fx_graph|aotautograd)_cache_(hit|miss|bypass)$")
_METRICS = {"compilation_metrics": "forward", "bwd_compilation_metrics": "backward"}
_RECORDING = "CUDAGraphNode.record"
TOLD = "profviz_cudagraphs"
"""The artifact in which profviz's own worker keeps what torch says of CUDA graphs to its logger only."""


def cache_uses(records: list[Record]) -> tuple[CacheUse, ...]:
    """Every look into a cache, in the order of the log."""
    found = []
    for record in records:
        match = _CACHE.match(record.kind)
        if match:
            data = record.json()
            found.append(_use(match[1], match[2], data if isinstance(data, dict) else {}, compile_id_of(record)))
    return tuple(found)


def _use(cache: str, state: str, data: dict[str, Any], compile_id: str) -> CacheUse:
    saved_ns, saved_ms = integer(data.get("time_saved_ns")), integer(data.get("time_saved_ms"))
    return CacheUse(
        compile_id=compile_id,
        cache=cache,
        state=state,
        key=str(data.get("key") or ""),
        reason=str(data.get("cache_bypass_reason") or ""),
        saved_ns=saved_ns if saved_ms is None else saved_ms * 1_000_000,
    )


def cuda_graphs(
    records: list[Record], events: tuple[CompileEvent, ...], graphs: Mapping[str, int]
) -> tuple[CudaGraph, ...]:
    """Skips with their reason, recordings, and what torch warned of.

    `graphs` counts the generated graphs of each compile id: recordings beyond one for each were made again.
    """
    found = [
        CudaGraph(compile_id_of(record), "skip", reason, _METRICS[record.kind])
        for record in records
        if record.kind in _METRICS and isinstance(record.value, dict)
        for reason in [str(record.value.get("cudagraph_skip_reason") or "")]
        if reason
    ]
    known = {one.reason for one in found}
    for record in records:
        if record.kind == TOLD and (text := record.payload.strip()) and text not in known:
            found.append(CudaGraph(compile_id_of(record), "re-record" if _tells_again(text) else "skip", text))
    return (*found, *_recordings(events, graphs))


def _tells_again(text: str) -> bool:
    return bool(re.search(r"re-?record|distinct sizes|static input", text, re.IGNORECASE))


def _recordings(events: tuple[CompileEvent, ...], graphs: Mapping[str, int]) -> tuple[CudaGraph, ...]:
    """Torch does not say whether forward or backward is recorded, nor which recording takes the place of which."""
    seen: Counter[str] = Counter()
    found = []
    for event in events:
        if event.name == _RECORDING:
            seen[event.compile_id] += 1
            what = "record" if seen[event.compile_id] <= max(1, graphs.get(event.compile_id, 1)) else "re-record"
            found.append(CudaGraph(event.compile_id, what, start_ns=event.start_ns, dur_ns=event.dur_ns))
    return tuple(found)
