"""What Inductor's comments tell of the nodes a kernel computes."""

from __future__ import annotations

from profviz.formats.compile_log.fragments import nodes_of_calls

FRAGMENT = """
# Source node to ATen node mapping:
#   mul => mul
# Graph fragment:
#   %given : Tensor "f16[4]" = PlaceHolder[target=given]
#   %mul : Tensor "f16[4]"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%given, 2))
#   %sum_1 : Tensor "f16[]"[num_users=1] = call_function[target=torch.ops.aten.sum.default](args = (%mul,))
#   return %sum_1
triton_per_fused_mul_0 = async_compile.triton('triton_per_fused_mul_0', '''
# Graph fragment:
#   %inside : Tensor "f16[4]"[num_users=1] = call_function[target=no.comment.of.a.kernel]
x = 1
''', device_str='cuda')

# Graph fragment:
#   %relu : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%sum_1,))

cpp_fused_relu_1 = async_compile.cpp_pybinding(['half*'], r'''
''')
"""


def test_where_the_log_has_no_mapping_the_comment_above_a_kernel_tells_its_nodes() -> None:
    calls = ("triton_per_fused_mul_0:1", "extern_kernels.mm:2", "cpp_fused_relu_1:3")
    assert nodes_of_calls(FRAGMENT, calls) == {
        "triton_per_fused_mul_0:1": ("mul", "sum_1"),
        "cpp_fused_relu_1:3": ("relu",),
    }


def test_a_kernel_that_several_calls_share_is_told_of_none() -> None:
    assert nodes_of_calls(FRAGMENT, ("triton_per_fused_mul_0:1", "triton_per_fused_mul_0:4")) == {}
