"""CUDA graphs on top of the default."""

from profviz.worker.variants.variant import Variant

VARIANT = Variant(
    id="reduce-overhead",
    title="Compiled, reduce-overhead",
    description="Replays the step as CUDA graphs, so that small kernels cost no launches; takes more memory. "
    "On a CPU it runs, but there are no CUDA graphs and it equals the default.",
    cuda_graphs=True,
    arguments={"mode": "reduce-overhead"},
)
