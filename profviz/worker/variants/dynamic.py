"""Symbolic shapes from the first call on."""

from profviz.worker.variants.variant import FULLGRAPH, Variant

VARIANT = Variant(
    id="dynamic",
    title="Compiled, dynamic shapes",
    description="torch.compile(model, dynamic=True): one graph for many input sizes, without recompiling for each.",
    arguments={"dynamic": True},
    options=(FULLGRAPH,),
)
