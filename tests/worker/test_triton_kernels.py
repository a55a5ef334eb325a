"""Triton kernels are read off Inductor's loaded modules, in the shape that each version of torch gives them."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from profviz.model.triton_binary import TritonBinary
from profviz.worker.triton_kernels import TritonKernels

NAME = "triton_red_fused_add_0"
WHOLE = TritonBinary(NAME, "cab", (("XBLOCK", "1"), ("R0_BLOCK", "512")), 8, 2, 40, 6, 1024, 1)


def module(name: str, **values: Any) -> ModuleType:
    made = ModuleType(name)
    vars(made).update(values)
    return made


def config(**kwargs: int) -> SimpleNamespace:
    return SimpleNamespace(kwargs=kwargs or {"XBLOCK": 1, "R0_BLOCK": 512}, num_warps=8, num_stages=2)


def launcher(**values: Any) -> Any:
    """As Inductor's: a function that bears what is known of the binary behind it."""

    def launch() -> None:
        raise AssertionError("nothing may be launched")

    vars(launch).update({"config": config(), "n_regs": 40, "n_spills": 6, "shared": 1024, **values})
    return launch


def tuner(*launchers: Any, **values: Any) -> SimpleNamespace:
    """As torch 2.7 to 2.14 have it."""
    own = {
        "fn": SimpleNamespace(__name__="triton_"),
        "inductor_meta": {"kernel_name": NAME},
        "launchers": list(launchers),
        "compile_results": [object()] * len(launchers),
        "autotune_time_taken_ns": 0,
        "kernel_hash": "cab",
        "filename": "/tmp/torchinductor/ab/cab.py",
    }
    return SimpleNamespace(**{**own, **values})


def old_tuner(*launchers: Any, **values: Any) -> SimpleNamespace:
    """As torch 2.6 has it: no compile results, no hash."""
    made = tuner(*launchers, **values)
    del made.compile_results, made.kernel_hash
    return made


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """`PyCodeCache` as from torch 2.6 on."""
    made = SimpleNamespace(modules=[], modules_no_attr={})
    monkeypatch.setitem(sys.modules, "torch._inductor.codecache", module("codecache", PyCodeCache=made))
    return made


def read(cache: SimpleNamespace, **values: Any) -> tuple[TritonBinary, ...]:
    kernels = TritonKernels()
    cache.modules.append(module("graph", call=print, torch=sys, async_compile=None, **values))
    return kernels.read()


@pytest.mark.parametrize(
    "one",
    [
        tuner(launcher()),
        old_tuner(launcher()),
        tuner(launcher(n_spills=None, shared=None, bin=SimpleNamespace(n_spills=6, shared=1024))),
        tuner(launcher(shared=None, bin=SimpleNamespace(metadata=SimpleNamespace(shared=1024)))),
        tuner(launcher(), inductor_meta=None, fn=SimpleNamespace(__name__=NAME)),
    ],
    ids=["launcher", "torch 2.6", "binary", "metadata", "own kernel"],
)
def test_a_kernel_is_read_whole_in_every_shape(cache: SimpleNamespace, one: SimpleNamespace) -> None:
    assert read(cache, kernel=one) == (WHOLE,)


def test_of_a_tuned_kernel_the_choice_is_read_and_of_how_many(cache: SimpleNamespace) -> None:
    kept = tuner(launcher(), compile_results=[1, 2, 3], autotune_time_taken_ns=5)
    pruned = tuner(launcher(), autotune_time_taken_ns=5, kernel_hash="cxy")
    noted = tuner(launcher(), autotune_cache_info={"autotune_cache_state": "miss", "num_configs": 4}, kernel_hash="cz")
    cached = tuner(launcher(), autotune_cache_info={"autotune_cache_state": "hit"}, kernel_hash="ch")
    alone = tuner(launcher(), autotune_cache_info={"autotune_cache_state": "only 1 config"}, kernel_hash="c1")
    found = read(cache, a=kept, b=pruned, c=noted, d=cached, e=alone)
    assert [one.configs for one in found] == [3, None, 4, None, 1]
    assert found[0].config == WHOLE.config


def test_of_a_kernel_that_never_ran_no_choice_is_told(cache: SimpleNamespace) -> None:
    (one,) = read(cache, kernel=tuner(launcher(), launcher(n_spills=0)))
    assert (one.spills, one.registers, one.config, one.configs) == (None, None, (), 2)


def test_values_that_are_no_counts_are_unknown(cache: SimpleNamespace) -> None:
    odd = tuner(launcher(n_regs="many", n_spills=-1, shared=True, config=None), inductor_meta=[], filename=None)
    (one,) = read(cache, kernel=odd)
    assert one == TritonBinary("triton_", "cab", configs=1)


def test_the_same_kernel_counts_once_and_trials_do_not(cache: SimpleNamespace) -> None:
    same, trial = tuner(launcher()), tuner(launcher(), kernel_hash="ctrial")
    kernels = TritonKernels()
    cache.modules += [
        module("a", call=print, get_args=print, k=same),
        module("b", call=print, k=same, again=tuner(launcher())),
    ]
    cache.modules_no_attr["c"] = module("c", triton_mm_7=trial)
    cache.modules.append(module("d", call=print, get_args=print, benchmark_all_configs=print, k=trial))
    assert kernels.read() == (WHOLE,)


def test_a_kernel_among_several_of_one_is_found_and_no_future_is_waited_for(cache: SimpleNamespace) -> None:
    class Future:
        def result(self) -> None:
            raise AssertionError("nothing may be waited for")

    several = SimpleNamespace(_kernels=[Future(), tuner(launcher())])
    assert read(cache, future=Future(), several=several) == (WHOLE,)


def test_what_was_loaded_before_is_another_variants(cache: SimpleNamespace) -> None:
    assert len(read(cache, kernel=tuner(launcher()))) == 1
    assert read(cache, kernel=tuner(launcher(), kernel_hash="cnew"))[0].hash == "cnew"
    assert TritonKernels().read() == ()


def test_a_dict_of_modules_does_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    held: dict[str, ModuleType] = {}
    code = module("codecache", PyCodeCache=SimpleNamespace(cache=held))
    monkeypatch.setitem(sys.modules, "torch._inductor.codecache", code)
    kernels = TritonKernels()
    held["key"] = module("graph", call=print, kernel=tuner(launcher()))
    assert kernels.read() == (WHOLE,)


@pytest.mark.parametrize("code", [None, module("codecache"), module("codecache", PyCodeCache=object())])
def test_without_inductor_there_are_none(monkeypatch: pytest.MonkeyPatch, code: ModuleType | None) -> None:
    monkeypatch.setitem(sys.modules, "torch._inductor.codecache", code)
    assert TritonKernels().read() == ()


def test_the_installed_torch_holds_its_modules_where_they_are_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    codecache = pytest.importorskip("torch._inductor.codecache", reason="torch is not installed here")
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    kernels = TritonKernels()
    text = """
from types import SimpleNamespace as Any
config = Any(kwargs={'XBLOCK': 1, 'R0_BLOCK': 512}, num_warps=8, num_stages=2)
launcher = Any(config=config, n_regs=40, n_spills=6, shared=1024)
kernel = Any(fn=None, launchers=[launcher], inductor_meta={'kernel_name': 'triton_red_fused_add_0'}, kernel_hash='cab')
def call(args):
    return args
"""
    loaded = codecache.PyCodeCache.load(text)
    assert kernels.read() == (WHOLE,)
    assert loaded.call is not None
