"""The slowest compile and, often, the fastest step."""

from profviz.worker.variants.variant import Variant

VARIANT = Variant(
    id="max-autotune",
    title="Compiled, max-autotune",
    description="Tries several kernels for each matrix product and convolution and replays CUDA graphs; compiles for "
    "long. On a CPU it runs without CUDA graphs.",
    cuda_graphs=True,
    arguments={"mode": "max-autotune"},
)
