"""Autotuning alone, to tell its gain from that of CUDA graphs."""

from profviz.worker.variants.variant import Variant

VARIANT = Variant(
    id="max-autotune-no-cudagraphs",
    title="Compiled, max-autotune without CUDA graphs",
    description="Tries several kernels for each matrix product and convolution; compiles for long.",
    arguments={"mode": "max-autotune-no-cudagraphs"},
)
