"""Kinds of real kernel and operator names."""

from __future__ import annotations

import numpy as np
import pytest
from defect_files import SHARED, load_path, load_text

from profviz.analysis.kinds import kind_of, slice_kinds
from profviz.model.results import SliceKind as K


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("nvjet_sm90_hsh_192x128_64x5_1x2_h_bz_coopB_bias_NNT", K.GEMM),
        ("void cutlass::Kernel2<cutlass_80_tensorop_f16_s16816gemm_f16_256x128_64x3_nn_align2>", K.GEMM),
        ("sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize64x64x8_stage3_warpsize1x4x1_ffma", K.GEMM),
        ("void cublasLt::splitKreduce_kernel<32, 16, int, float>", K.GEMM),
        ("Cijk_Ailk_Bljk_HHS_BH_MT128x128x32", K.GEMM),
        ("triton_tem_fused_addmm_0", K.GEMM),
        ("sm90_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x64", K.CONVOLUTION),
        ("cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7", K.ATTENTION),
        ("fmha_cutlassF_f32_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel)", K.ATTENTION),
        ("triton_poi_fused_add_mul_pow_tanh_view_4", K.FUSED),
        ("triton_per_fused_native_layer_norm_0", K.FUSED),
        ("triton_red_fused_sum_1", K.FUSED),
        ("void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>", K.POINTWISE),
        ("void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda>", K.COPY),
        ("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps>>", K.REDUCTION),
        ("void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float>", K.NORMALISATION),
        ("void (anonymous namespace)::softmax_warp_forward<c10::Half, c10::Half>", K.NORMALISATION),
        ("void at::native::(anonymous namespace)::multi_tensor_apply_kernel<TensorListMetadata<1>>", K.OPTIMIZER),
        ("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", K.COMMUNICATION),
        ("my_handwritten_kernel", K.OTHER),
    ],
)
def test_kernels(name: str, kind: K) -> None:
    assert kind_of(name, "kernel") is kind


@pytest.mark.parametrize(
    ("name", "category", "kind"),
    [
        ("aten::addmm", "cpu_op", K.GEMM),
        ("aten::mm", "cpu_op", K.GEMM),
        ("aten::linear", "cpu_op", K.GEMM),
        ("mkl::_mkl_linear", "cpu_op", K.GEMM),
        ("aten::mkldnn_convolution", "cpu_op", K.CONVOLUTION),
        ("aten::_scaled_dot_product_flash_attention_for_cpu", "cpu_op", K.ATTENTION),
        ("graph_0_cpp_fused_gelu_0", "cpu_op", K.FUSED),
        ("cpp_fused_native_layer_norm_1", "cpu_op", K.FUSED),
        ("aten::gelu", "cpu_op", K.POINTWISE),
        ("aten::threshold_backward", "cpu_op", K.POINTWISE),
        ("aten::add_", "cpu_op", K.POINTWISE),
        ("aten::sum", "cpu_op", K.REDUCTION),
        ("aten::native_layer_norm", "cpu_op", K.NORMALISATION),
        ("aten::copy_", "cpu_op", K.COPY),
        ("aten::_local_scalar_dense", "cpu_op", K.COPY),
        ("aten::_foreach_copy_", "cpu_op", K.COPY),
        ("aten::_foreach_addcdiv_", "cpu_op", K.OPTIMIZER),
        ("aten::view", "cpu_op", K.OPERATOR),
        ("AddBackward0", "cpu_op", K.OPERATOR),
        ("Torch-Compiled Region: 0/0", "cpu_op", K.COMPILED_REGION),
        ("CompiledFunctionBackward", "cpu_op", K.COMPILED_REGION),
        ("## Call CompiledFxGraph fqqrrg ##", "user_annotation", K.COMPILED_REGION),
        ("ProfilerStep#2", "user_annotation", K.ANNOTATION),
        ("ProfilerStep#2", "gpu_user_annotation", K.ANNOTATION),
        ("Optimizer.step#AdamW.step", "user_annotation", K.ANNOTATION),
        ("cudaLaunchKernel", "cuda_runtime", K.RUNTIME),
        ("train.py(12): step", "python_function", K.PYTHON),
        ("Memcpy DtoH (Device -> Pinned)", "gpu_memcpy", K.COPY),
        ("PyTorch Profiler (0)", "Trace", K.OTHER),
    ],
)
def test_the_rest(name: str, category: str, kind: K) -> None:
    assert kind_of(name, category) is kind


def test_one_name_in_two_categories_has_two_kinds() -> None:
    event = '{"ph": "X", "name": "ncclAllReduce", "cat": "%s", "pid": 1, "tid": %d, "ts": 1, "dur": 1}'
    trace, _ = load_text(f"[{event % ('kernel', 1)}, {event % ('cuda_runtime', 2)}]")
    assert slice_kinds(trace).tolist() == [K.COMMUNICATION, K.RUNTIME]


@pytest.mark.parametrize("name", ["gpt2.eager", "gpt2.compiled-default", "resnet50.eager", "broken_train.eager"])
def test_no_gpu_work_of_a_real_run_stays_without_a_kind(name: str) -> None:
    path = SHARED / f"{name}.json.gz"
    if not path.exists():
        pytest.skip("the shared captures are not beside this checkout")
    trace, _ = load_path(path)
    kinds = slice_kinds(trace)[trace.gpu.slice]
    assert not np.any(kinds == K.OTHER)


def test_only_the_beginning_of_an_endless_name_is_searched() -> None:
    assert kind_of("triton_poi_fused_add" + "x" * 100_000, "kernel") is K.FUSED
    assert kind_of("x" * 100_000 + "_gemm_", "kernel") is K.OTHER
