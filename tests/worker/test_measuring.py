"""The arithmetic of timing and of comparing outputs, in this process."""

from __future__ import annotations

import copy
import math

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed here")

from profviz.model.run import Device, RunRequest  # noqa: E402
from profviz.worker.compile_watch import CompileWatch  # noqa: E402
from profviz.worker.discovery import Parts  # noqa: E402
from profviz.worker.failures import WorkerError  # noqa: E402
from profviz.worker.outputs import check_outputs  # noqa: E402
from profviz.worker.precise import widened  # noqa: E402
from profviz.worker.tensors import map_tensors, named_tensors  # noqa: E402
from profviz.worker.timing import Samples, Stopwatch, Subject, alternate, split_steps  # noqa: E402
from profviz.worker.workload import BoundWorkload  # noqa: E402

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore::DeprecationWarning:torch")]
CPU = torch.device("cpu")


def workload(model, inputs, *, train: bool = False, **parts) -> BoundWorkload:
    return BoundWorkload(Parts(model, lambda: inputs, fixed_inputs=True, train=train, **parts), CPU)


@pytest.mark.parametrize(
    ("steps", "rounds", "expected"), [(30, 5, [6] * 5), (7, 3, [3, 2, 2]), (2, 5, [1, 1]), (1, 1, [1]), (0, 3, [1])]
)
def test_steps_are_spread_over_rounds(steps: int, rounds: int, expected: list[int]) -> None:
    assert split_steps(steps, rounds) == expected


def test_compiling_steps_are_kept_apart_even_a_whole_round_of_them() -> None:
    samples = Samples("perf_counter")
    samples.add([(5, False), (900, True)])
    samples.add([(800, True)])
    samples.add([(6, False)])
    timing = samples.timing
    assert (timing.samples_ns, timing.rounds, timing.discarded_ns) == ((5, 6), (0, 2), (900, 800))


def test_rounds_alternate_between_the_subjects() -> None:
    calls: list[str] = []

    def called(name: str):
        def call(x):
            calls.append(name)
            return x

        return call

    bound = workload(called("a"), torch.ones(1))
    stopwatch = Stopwatch(bound, CompileWatch())
    subjects = [Subject("a", bound.model), Subject("b", called("b"))]
    samples = {"a": stopwatch.samples(), "b": stopwatch.samples()}
    alternate(stopwatch, subjects, samples, rounds=[2, 1], after_round=lambda index, peaks: None)
    assert "".join(calls) == "ab" + "aabb" + "ab"
    assert samples["b"].timing.rounds == (0, 0, 1)


def test_tensors_are_found_and_moved_in_containers() -> None:
    value = {"a": (torch.ones(1), [torch.ones(2)]), "b": 3}
    assert [name for name, _ in named_tensors(value)] == ["a.0", "a.1.0"]
    doubled = map_tensors(value, lambda tensor: tensor * 2)
    assert doubled["b"] == 3
    assert float(doubled["a"][1][0][0]) == 2.0


def test_rounding_noise_is_equal_and_a_real_difference_is_not() -> None:
    model = torch.nn.Linear(64, 64).eval()
    bound = workload(model, torch.randn(8, 64))
    eager = Subject("eager", bound.model)
    close = check_outputs(bound, eager, Subject("v", lambda x: model(x) * (1 + 1e-6)))
    assert close.equal
    assert 0 < close.max_abs < 1e-4
    far = check_outputs(bound, eager, Subject("v", lambda x: model(x) + 0.01))
    assert not far.equal
    assert math.isclose(far.max_abs, 0.01, rel_tol=1e-3)


def test_half_precision_is_judged_by_how_far_eager_itself_is_off() -> None:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(256, 256), torch.nn.GELU(), torch.nn.Linear(256, 64)).bfloat16().eval()
    bound = workload(model, torch.randn(64, 256).bfloat16())
    eager = Subject("eager", bound.model)
    exact = copy.deepcopy(model).float()
    off = model(bound.next_batch()).float() - exact(bound.next_batch().float())
    fused = check_outputs(bound, eager, Subject("v", lambda x: (exact(x.float()) - 2 * off).bfloat16()))
    wrong = check_outputs(bound, eager, Subject("v", lambda x: (exact(x.float()) + 40 * off).bfloat16()))
    assert fused.equal
    assert not wrong.equal


def test_a_difference_on_one_element_is_no_rounding() -> None:
    model = torch.nn.Linear(64, 64).bfloat16().eval()
    bound = workload(model, torch.randn(8, 64).bfloat16())

    def spoilt(x: torch.Tensor) -> torch.Tensor:
        y = model(x).clone()
        y[0, 0] += 1
        return y

    assert not check_outputs(bound, Subject("eager", bound.model), Subject("v", spoilt)).equal


def test_why_there_was_no_second_opinion_is_said() -> None:
    class Picky(torch.nn.Linear):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            if x.dtype is torch.float64:
                raise TypeError("no float64 here")
            return super().forward(x)

    model = Picky(64, 64).eval()
    bound = workload(model, torch.randn(8, 64))
    check = check_outputs(bound, Subject("eager", bound.model), Subject("v", lambda x: model(x) + 0.01))
    assert not check.equal
    assert "no float64 here" in check.detail


def test_a_tied_weight_is_one_parameter_in_higher_precision_too() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 4))
    model[1].weight = model[0].weight
    wide, batch = widened(model, (torch.ones(1, 4), torch.ones(1, dtype=torch.int64)))
    assert wide[1].weight is wide[0].weight
    assert (wide[0].weight.dtype, batch[0].dtype, batch[1].dtype) == (torch.float64, torch.float64, torch.int64)


def test_nan_on_both_sides_is_equal_and_on_one_is_not() -> None:
    bound = workload(lambda x: x / x, torch.tensor([0.0, 1.0]))
    eager = Subject("eager", bound.model)
    assert check_outputs(bound, eager, Subject("v", lambda x: x / x)).equal
    other = check_outputs(bound, eager, Subject("v", lambda x: torch.ones(2)))
    assert not other.equal
    assert other.max_abs is None
    assert other.detail


def test_whole_numbers_must_be_equal() -> None:
    bound = workload(lambda x: x.argmax(-1), torch.eye(3))
    off = check_outputs(bound, Subject("eager", bound.model), Subject("v", lambda x: x.argmax(-1) + 1))
    assert not off.equal


def test_other_outputs_are_named() -> None:
    bound = workload(lambda x: (x, x), torch.ones(2))
    odd = check_outputs(bound, Subject("eager", bound.model), Subject("v", lambda x: x))
    assert not odd.equal
    assert odd.compared > 0, "nothing compared would read as unknown"
    assert "output" in odd.detail


def test_random_models_are_not_called_different() -> None:
    model = torch.nn.Dropout(0.5).train()
    bound = workload(model, torch.ones(100))
    check = check_outputs(bound, Subject("eager", model), Subject("v", lambda x: x * 0))
    assert check.compared == 0
    assert "random" in check.detail


def test_a_check_leaves_weights_buffers_and_random_state_alone() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4))
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    bound = workload(model, torch.randn(8, 4), train=True, loss_fn=lambda out: out.pow(2).mean(), optimizer=optimizer)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    seed = torch.random.get_rng_state()
    check = check_outputs(bound, Subject("eager", model), Subject("v", model))
    assert check.equal
    assert check.compared == 5
    assert all(torch.equal(before[name], value) for name, value in model.state_dict().items())
    assert torch.equal(seed, torch.random.get_rng_state())


def test_a_model_that_writes_to_its_inputs_is_compared_on_the_same_ones() -> None:
    inputs = torch.zeros(4)
    check = check_outputs(workload(None, inputs), *(Subject(name, lambda x: x.add_(1) * 2) for name in ("eager", "v")))
    assert check.equal
    assert check.max_abs == 0
    assert torch.equal(inputs, torch.zeros(4)), "and the script's own stay as they are"


def test_a_wrong_gradient_is_found_by_name() -> None:
    class Twisted(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    model = torch.nn.Linear(4, 4)
    bound = workload(model, torch.ones(2, 4), train=True, loss_fn=lambda out: out.pow(2).mean())
    check = check_outputs(bound, Subject("eager", model), Subject("v", lambda x: Twisted.apply(model(x))))
    assert not check.equal
    assert check.name.startswith("gradient of ")


def test_defaults_of_a_request_fit_the_stopwatch() -> None:
    request = RunRequest("x.py")
    assert sum(split_steps(request.steps, request.rounds)) == request.steps
    assert Device("cpu", 0, "x").kind == "cpu"


def test_inputs_that_run_out_are_explained() -> None:
    batches = iter([torch.ones(1)])
    bound = BoundWorkload(Parts(lambda x: x, lambda: next(batches), fixed_inputs=False, train=False), CPU)
    bound.next_batch()
    with pytest.raises(WorkerError, match="ran out") as error:
        bound.next_batch()
    assert "cycle" in error.value.hint
