"""The variants in the order they are offered."""

from __future__ import annotations

from profviz.worker.failures import WorkerError
from profviz.worker.variants import (
    aot_eager,
    default,
    dynamic,
    dynamo,
    eager,
    max_autotune,
    max_autotune_no_cudagraphs,
    reduce_overhead,
)
from profviz.worker.variants.variant import Variant

VARIANTS: tuple[Variant, ...] = (
    eager.VARIANT,
    default.VARIANT,
    reduce_overhead.VARIANT,
    max_autotune.VARIANT,
    max_autotune_no_cudagraphs.VARIANT,
    dynamic.VARIANT,
    dynamo.VARIANT,
    aot_eager.VARIANT,
)


def find(variant_id: str) -> Variant:
    """Raises WorkerError for an id that is not listed."""
    for variant in VARIANTS:
        if variant.id == variant_id:
            return variant
    known = ", ".join(variant.id for variant in VARIANTS)
    raise WorkerError(f"There is no variant {variant_id!r}", hint=f"This worker has: {known}.")
