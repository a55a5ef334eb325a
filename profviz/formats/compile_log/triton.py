"""What Inductor logs of each Triton kernel that it compiled: how long that took, and with which settings."""

from __future__ import annotations

from typing import Any

from profviz.formats.compile_log.naming import compile_id_of
from profviz.formats.compile_log.records import Record
from profviz.model.compile_report import TritonKernel

KIND = "triton_kernel_info"


def triton_kernels(records: list[Record]) -> tuple[TritonKernel, ...]:
    """In the order of the log; an entry that is no table of facts is left out."""
    found = []
    for record in records:
        if record.kind == KIND and isinstance(data := record.json(), dict):
            compile_id = compile_id_of(record)
            found += [_kernel(compile_id, str(name), one) for name, one in data.items() if isinstance(one, dict)]
    return tuple(found)


def _kernel(compile_id: str, name: str, data: dict[str, Any]) -> TritonKernel:
    took = data.get("compile_time_us")
    count = data.get("num_configs")
    config = next((data[key] for key in ("best_config", "only_config") if data.get(key)), None)
    return TritonKernel(
        compile_id=compile_id,
        name=name,
        tuning=str(data.get("autotune_cache_state") or ""),
        config=_config(config),
        configs=count if isinstance(count, int) else 1 if data.get("only_config") else None,
        compile_ns=took * 1_000 if isinstance(took, int) else None,
    )


def _config(data: Any) -> tuple[tuple[str, str], ...]:
    """Pairs, whether they were logged as a list or as an object."""
    pairs = list(data.items()) if isinstance(data, dict) else data if isinstance(data, list) else []
    return tuple((str(pair[0]), str(pair[1])) for pair in pairs if isinstance(pair, list | tuple) and len(pair) == 2)
