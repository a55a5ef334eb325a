"""Plain PyTorch, the variant that every other one is compared with."""

from profviz.worker.variants.variant import Variant

VARIANT = Variant(
    id="eager",
    title="Eager",
    description="The model as it is, operator by operator.",
    compiled=False,
    inductor=False,
    options=(),
)
