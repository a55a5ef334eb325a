"""What an event category of PyTorch's profiler stands for, whatever the vendor and age of the file.

Decisions about lanes, links and kinds go by category and args, never by process id or event name.
"""

from __future__ import annotations

_KERNEL = frozenset({"kernel", "concurrent_kernel", "gpu_kernel", "mtia_ccp_events"})
_COPY = frozenset({"gpu_memcpy", "gpu_memset", "memcpy", "memset", "gcu_memcpy", "gcu_memset"})
GPU_WORK = _KERNEL | _COPY
"""Everything that `is_gpu_work` knows, in lower case."""
_OPERATOR = frozenset({"cpu_op", "operator"})
_ANNOTATION = frozenset({"user_annotation"})
_PYTHON = frozenset({"python_function", "python", "fee"})  # the last is viztracer's "function entry and exit"
_CPU_PREFIXES = ("cpu_", "cuda_", "hip_", "hsa_", "xpu_", "mtia_", "hpu_", "privateuse1_", "external_correlation")
_ON_DEVICE = frozenset(
    {"cuda_sync", "cuda_event", "cuda_profiler_range", "xpu_scope_profiler", "mtia_insight", "mtia_workloadd"}
)
"""What is recorded of a device but is no work: its ids are those of the device, never of a CPU thread."""
FORWARD_TO_BACKWARD = "fwdbwd"
"""The category of the arrows from an operator to the autograd node that undoes it."""


def is_kernel(category: str) -> bool:
    """A kernel that ran on a device."""
    return category.lower() in _KERNEL


def is_copy(category: str) -> bool:
    """A copy or a fill that a device did."""
    return category.lower() in _COPY


def is_gpu_work(category: str) -> bool:
    """Anything a device did: kernels, copies, fills."""
    return is_kernel(category) or is_copy(category)


def is_gpu_annotation(category: str) -> bool:
    """A range of the user's, as projected onto the device's time."""
    return category.lower() == "gpu_user_annotation"


def is_runtime(category: str) -> bool:
    """A call into a vendor's runtime or driver, such as a launch."""
    lowered = category.lower()
    return lowered in ("runtime", "driver", "hpu_op") or lowered.endswith(("_runtime", "_driver"))


def is_operator(category: str) -> bool:
    """A PyTorch operator on the CPU (generated CPU kernels included)."""
    return category.lower() in _OPERATOR


def is_annotation(category: str) -> bool:
    """A range that the user's code or the profiler named on the CPU."""
    return category.lower() in _ANNOTATION


def is_python(category: str) -> bool:
    """A Python frame."""
    return category.lower() in _PYTHON


def is_cpu(category: str) -> bool:
    """Anything that happens on a CPU thread and nests there."""
    lowered = category.lower()
    known = is_operator(category) or is_annotation(category) or is_python(category) or is_runtime(category)
    return known or (lowered.startswith(_CPU_PREFIXES) and lowered not in _ON_DEVICE | GPU_WORK)
