"""Dynamo alone: what tracing by itself costs and breaks."""

from profviz.worker.variants.variant import Variant

VARIANT = Variant(
    id="dynamo",
    title="Dynamo only",
    description='torch.compile(model, backend="eager"): the traced graph run by eager kernels; shows what tracing '
    "costs and where it breaks, and needs no C++ compiler.",
    inductor=False,
    arguments={"backend": "eager"},
)
