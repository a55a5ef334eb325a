"""torch.compile as most people call it."""

from profviz.worker.variants.variant import Variant

VARIANT = Variant(
    id="default",
    title="Compiled",
    description="torch.compile(model): Inductor fuses operators into Triton kernels on a GPU, C++ on a CPU.",
)
