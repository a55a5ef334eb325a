"""Dynamo and AOTAutograd without code generation."""

from profviz.worker.variants.variant import Variant

VARIANT = Variant(
    id="aot_eager",
    title="Dynamo and AOTAutograd",
    description='torch.compile(model, backend="aot_eager"): forward and backward graphs traced ahead of time and run '
    "by eager kernels; needs no C++ compiler.",
    inductor=False,
    arguments={"backend": "aot_eager"},
)
