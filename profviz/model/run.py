"""A run: what was asked for, where it ran, and what each variant measured. Round-trips through JSON (`record`)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from profviz.model.triton_binary import TritonBinary

EAGER = "eager"
"""The id of the variant that every other one is compared with."""


@dataclass(frozen=True, slots=True)
class Device:
    """An accelerator (or the CPU) as torch describes it; `memory_bytes` 0 where unknown."""

    kind: str
    index: int
    name: str
    memory_bytes: int = 0
    capability: str = ""
    processors: int = 0


@dataclass(frozen=True, slots=True)
class VariantOption:
    """One setting of a variant, enough to build a form: `kind` is bool, int, str or choice."""

    id: str
    title: str
    kind: str
    default: Any
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class VariantSpec:
    """A way to run a workload that the worker offers. `unavailable` says why it cannot run here, else empty."""

    id: str
    title: str
    description: str
    compiled: bool
    options: tuple[VariantOption, ...] = ()
    unavailable: str = ""


@dataclass(frozen=True, slots=True)
class Environment:
    """Where the worker runs; `triton` and `cuda` are versions or empty, `compiler` the C++ compiler or empty."""

    python: str
    executable: str
    platform: str
    torch: str = ""
    triton: str = ""
    cuda: str = ""
    compiler: str = ""
    threads: int = 0
    devices: tuple[Device, ...] = ()
    variants: tuple[VariantSpec, ...] = ()
    load_average: float | None = None


@dataclass(frozen=True, slots=True)
class InputSpec:
    """One input tensor as text: `name`, `shape`, `dtype`, `device`."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    device: str


@dataclass(frozen=True, slots=True)
class Workload:
    """What discovery found in a script, and in plain words how (`found`) and what it missed (`missing`).

    `needs_shapes` is set when a module was found without inputs: the user must give shapes. `problem` is why
    nothing can run, else empty. `device` is where a run put it (cuda:0), empty before.
    """

    script: str
    model: str = ""
    model_class: str = ""
    parameters: int = 0
    inputs: tuple[InputSpec, ...] = ()
    train: bool = False
    can_train: bool = False
    found: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    needs_shapes: bool = False
    problem: str = ""
    device: str = ""


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What the user asks the worker to do.

    `variants` always begins with eager. `train` None means as discovered. `model` and `inputs` override discovery:
    a name in the script, or for `inputs` shapes such as `64x1024,64:int64`. `device` is auto, cpu, cuda or cuda:N.
    `steps` steady steps in `rounds` alternating rounds; `profile_steps` steps under the profiler afterwards, fewer
    where they would make more than `profile_event_limit` events (0: no limit).
    `keep_cache` keeps torch's compile cache instead of a fresh one. `stage_limit_s` ends a stage that hangs.
    """

    script: str
    variants: tuple[str, ...] = (EAGER, "default")
    options: dict[str, dict[str, Any]] = field(default_factory=dict)
    device: str = "auto"
    steps: int = 30
    rounds: int = 5
    profile_steps: int = 3
    train: bool | None = None
    model: str = ""
    inputs: str = ""
    keep_cache: bool = False
    with_stack: bool = False
    threads: int = 0
    stage_limit_s: float = 900.0
    profile_event_limit: int = 5_000_000


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a stage or a variant failed, as a value: user's traceback trimmed to the script's own frames."""

    what: str
    why: str = ""
    hint: str = ""
    traceback: str = ""
    stage: str = ""
    variant: str = ""


@dataclass(frozen=True, slots=True)
class Timing:
    """Steady-state step times of one variant, in order, all without the profiler.

    `clock` is cuda_event or perf_counter. `rounds[i]` is the round of sample i. `discarded_ns` are steps during
    which something compiled: shown, never averaged in.
    """

    clock: str
    samples_ns: tuple[int, ...]
    rounds: tuple[int, ...]
    discarded_ns: tuple[int, ...] = ()

    def quantile_ns(self, fraction: float) -> int | None:
        """Linear interpolation between order statistics (Hyndman and Fan's type 7); None without samples."""
        ordered = sorted(self.samples_ns)
        if not ordered:
            return None
        place = fraction * (len(ordered) - 1)
        low = int(place)
        high = min(low + 1, len(ordered) - 1)
        return round(ordered[low] + (place - low) * (ordered[high] - ordered[low]))

    @property
    def median_ns(self) -> int | None:
        return self.quantile_ns(0.5)

    @property
    def iqr_ns(self) -> int | None:
        low, high = self.quantile_ns(0.25), self.quantile_ns(0.75)
        return None if low is None or high is None else high - low


@dataclass(frozen=True, slots=True)
class OutputCheck:
    """A variant's outputs (and gradients) against eager's: `name` of the worst tensor and how far it is off.

    `max_abs` and `max_rel` are over all compared elements; `tolerance` says what was allowed for the dtype.
    """

    compared: int
    equal: bool
    name: str = ""
    max_abs: float | None = None
    max_rel: float | None = None
    tolerance: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class VariantResult:
    """All that one variant measured; fields stay None where its stage did not (yet) finish.

    `first_call_ns` is the first step alone (compilation included), `warmup_ns` the steps after it until nothing
    compiled any more, `recompiles` how many compilations happened during timing. `trace`, `compile_log` and `tape`
    name members of the session. `triton_kernels` are those that it had loaded when all was measured.
    """

    id: str
    title: str
    options: dict[str, Any] = field(default_factory=dict)
    first_call_ns: int | None = None
    warmup_ns: tuple[int, ...] = ()
    timing: Timing | None = None
    recompiles: int = 0
    peak_memory_bytes: int | None = None
    profiled_steps: int = 0
    check: OutputCheck | None = None
    counters: dict[str, dict[str, int]] = field(default_factory=dict)
    trace: str = ""
    compile_log: str = ""
    tape: str = ""
    failure: Failure | None = None
    triton_kernels: tuple[TritonBinary, ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """One capture of a workload under several variants; `state` is running, done, cancelled or failed."""

    request: RunRequest
    state: str
    started_ns: int
    environment: Environment | None = None
    workload: Workload | None = None
    variants: tuple[VariantResult, ...] = ()
    failure: Failure | None = None
    log_tail: str = ""

    def variant(self, variant_id: str) -> VariantResult | None:
        return next((variant for variant in self.variants if variant.id == variant_id), None)
