"""The contract of every registry entry, and what makes a variant unavailable."""

from __future__ import annotations

import subprocess
import sys

import pytest

from profviz.model.record import from_json, to_json
from profviz.model.run import EAGER, VariantSpec
from profviz.worker.failures import WorkerError
from profviz.worker.stages import STAGES
from profviz.worker.variants import registry
from profviz.worker.variants.variant import Offer

FULL = Offer("cuda", "g++", triton=True)


@pytest.mark.parametrize("variant", registry.VARIANTS, ids=lambda variant: variant.id)
def test_every_variant_keeps_the_contract(variant) -> None:
    spec = variant.spec(FULL)
    assert from_json(VariantSpec, to_json(spec)) == spec
    assert spec.unavailable == ""
    assert spec.title
    assert spec.description.endswith(".")
    assert spec.compiled == (spec.id != EAGER)
    assert registry.find(spec.id) is variant
    assert all(option.default in option.choices for option in spec.options if option.choices)
    assert variant._chosen({option.id: option.default for option in spec.options}) is not None
    assert set(spec.id) <= set("abcdefghijklmnopqrstuvwxyz-_"), "the id is part of file names"


def test_ids_are_unique_and_eager_is_first() -> None:
    ids = [variant.id for variant in registry.VARIANTS]
    assert len(set(ids)) == len(ids)
    assert ids[0] == EAGER
    assert len({stage.id for stage in STAGES}) == len(STAGES)


@pytest.mark.parametrize(
    ("offer", "default", "dynamo"),
    [
        (Offer("cpu", "", triton=False), "C++ compiler", ""),
        (Offer("cpu", "g++", triton=False), "", ""),
        (Offer("cuda", "", triton=True), "", ""),
        (Offer("cuda", "g++", triton=False), "triton", ""),
    ],
)
def test_what_is_missing_is_said(offer: Offer, default: str, dynamo: str) -> None:
    assert default in registry.find("default").unavailable(offer)
    assert bool(registry.find("default").unavailable(offer)) == bool(default)
    assert registry.find("dynamo").unavailable(offer) == dynamo
    assert registry.find(EAGER).unavailable(offer) == ""


def test_options_are_checked() -> None:
    default = registry.find("default")
    assert default._chosen({"fullgraph": True, "dynamic": "no"}) == {"fullgraph": True, "dynamic": False}
    for wrong in ({"fullgraph": "yes"}, {"dynamic": "maybe"}, {"speed": 1}):
        with pytest.raises(WorkerError):
            default._chosen(wrong)
    with pytest.raises(WorkerError, match="no variant"):
        registry.find("turbo")


def test_the_guard_and_the_session_loop_leave_torch_unloaded() -> None:
    code = (
        "import sys, profviz.worker.guard; assert 'numpy' not in sys.modules and 'torch' not in sys.modules; "
        "import profviz.worker.session_loop; assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
