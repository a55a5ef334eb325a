"""C++ names, plain and mangled, by what they do; names that only look like them as they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from profviz.model.short_names import short_name

ADD = "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_addIfEESt5arrayIPcLm3EEEEviT0_T1_"
SUM = (
    "_ZN2at6native13reduce_kernelILi512ELi1ENS0_8ReduceOpIfNS0_14func_wrapper_tIfZNS0_11sum_functorIfffEclE"
    "RNS_14TensorIteratorEEUlffE_EEjfLi4EEEEEvT1_"
)


@pytest.mark.parametrize(
    ("name", "short"),
    [
        (ADD, "add · vectorized_elementwise_kernel"),
        (SUM, "sum · reduce_kernel"),
        ("_ZN2at6native12_GLOBAL__N_120softmax_warp_forwardIfffLi7ELb0EEEvPT0_PKT_iii", "softmax_warp_forward"),
        ("_ZN7cutlass7Kernel2I24cutlass_80_tensorop_bf16EEvNT_6ParamsE", "cutlass_80_tensorop_bf16"),
        ("_Z16flash_fwd_kernelI12Flash_traitsEv12Flash_params", "flash_fwd_kernel"),
        ("_Z3addPf", "add"),
        ("void gemmSN_TN_kernel<float, 128, cublasTensor<float const> >(cublasParams<float>)", "gemmSN_TN_kernel"),
        ("void is what comes of it", "void is what comes of it"),
        ("_Zoo", "_Zoo"),
        ("_Z99999999999999999999x", "_Z99999999999999999999x"),
    ],
)
def test_a_kernel_is_called_by_what_it_does(name: str, short: str) -> None:
    assert short_name(name) == short


@given(st.text(st.sampled_from("0129EINSTLZabi_:<>("), max_size=40))
def test_whatever_follows_the_sign_of_a_mangled_name_gives_a_name(rest: str) -> None:
    assert short_name("_Z" + rest)
