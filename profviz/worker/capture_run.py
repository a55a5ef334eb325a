"""The whole run: eager first and complete, then each variant in turn; every result is sent as soon as it exists.

Eager is timed and profiled before anything compiles, so that it stays usable when a compilation crashes or hangs.
Once a variant is warm, eager and it are timed again in alternating rounds. With one variant (the usual case) these
rounds replace eager's first ones; with several, eager's are those of all pairings in a row.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import torch

from profviz.model.record import to_json
from profviz.model.run import EAGER, RunRequest
from profviz.worker.compile_capture import CompileCapture, LogSender
from profviz.worker.compile_watch import CompileWatch, counters_snapshot, start_afresh
from profviz.worker.failures import WorkerError, failure_of
from profviz.worker.outbox import Outbox
from profviz.worker.outputs import check_outputs
from profviz.worker.profiling import initialise_profiler, plan_profile, profile_steps
from profviz.worker.stages import Stage, Stages
from profviz.worker.tape import record_tape
from profviz.worker.timing import Samples, Stopwatch, Subject, alternate, split_steps
from profviz.worker.toolchain import compile_settings, fresh_cache, prepare_compiler
from profviz.worker.triton_kernels import TritonKernels
from profviz.worker.variants import registry
from profviz.worker.variants.variant import Offer, Variant
from profviz.worker.workload import BoundWorkload


class StageFailed(Exception):
    """A stage's error with the stage's name; the cause is what happened."""

    def __init__(self, stage: str) -> None:
        super().__init__(stage)
        self.stage = stage


class CaptureRun:
    """Runs one workload under the requested variants."""

    def __init__(
        self, request: RunRequest, workload: BoundWorkload, *, stages: Stages, outbox: Outbox, offer: Offer, place: Path
    ) -> None:
        self._request = request
        self._workload = workload
        self._stages = stages
        self._outbox = outbox
        self._offer = offer
        self._place = place
        self._watch = CompileWatch()
        self._stopwatch = Stopwatch(workload, self._watch)
        self._capture = CompileCapture()
        self._eager = Subject(EAGER, workload.model)
        self._eager_paired = self._stopwatch.samples()
        self._rounds = split_steps(request.steps, request.rounds)

    def run(self) -> None:
        """Raises what makes the run impossible: an unknown variant, or an eager step that fails."""
        variants = [registry.find(name) for name in dict.fromkeys(self._request.variants) if name != EAGER]
        with self._stages.stage("loading") as stage:
            stage.step(detail="starting the profiler")
            initialise_profiler(self._workload.device)
        self._capture.install()
        self._watch.attach()
        self._run_eager()
        set_up_ns = self._prepare_compiler() if any(variant.inductor for variant in variants) else 0
        for variant in variants:
            self._run_guarded(variant, set_up_ns)
        self._capture.remove()

    def _run_eager(self) -> None:
        title = registry.find(EAGER).title
        self._outbox.result(EAGER, title=title)
        with self._stages.stage("eager_warmup", variant=EAGER) as stage:
            self._warm_up(self._eager, stage)
        with self._stages.stage("eager_timing", variant=EAGER, total=len(self._rounds)) as stage:
            self._time({EAGER: self._stopwatch.samples()}, [self._eager], stage)
        self._attempt("eager_profile", EAGER, lambda stage: self._profile(self._eager))
        with self._stages.stage("eager_tape", variant=EAGER):
            self._record_tape()

    def _prepare_compiler(self) -> int:
        with self._stages.stage("compiling") as stage:
            stage.step(detail="preparing the compiler (once a process)")
            return prepare_compiler(self._workload.device, self._outbox)

    def _run_guarded(self, variant: Variant, set_up_ns: int) -> None:
        """A variant that fails leaves the others their turn."""
        self._outbox.result(variant.id, title=variant.title, options=self._request.options.get(variant.id, {}))
        try:
            self._refuse_unavailable(variant)
            with self._afresh(variant):
                self._run_variant(variant, set_up_ns)
        except StageFailed as failed:
            self._tell_failure(failed.__cause__ or failed, stage=failed.stage, variant=variant.id)
        except Exception as error:
            self._tell_failure(error, stage="compiling", variant=variant.id)
        self._release_memory()

    def _refuse_unavailable(self, variant: Variant) -> None:
        reason = variant.unavailable(self._offer)
        if reason:
            raise WorkerError(f"{variant.title} can't run here", why=reason[:1].upper() + reason[1:] + ".")

    @contextmanager
    def _afresh(self, variant: Variant) -> Iterator[None]:
        """Nothing compiled before counts: Dynamo is reset and, unless the request keeps it, the disk cache is new."""
        with ExitStack() as stack:
            if not self._request.keep_cache and variant.inductor:
                stack.enter_context(fresh_cache(self._place))
            stack.enter_context(compile_settings())
            start_afresh(self._watch)
            yield
        start_afresh(self._watch)

    def _run_variant(self, variant: Variant, set_up_ns: int) -> None:
        log = self._place / f"{variant.id}.compile-log.txt"
        sender = LogSender(log, variant=variant.id, outbox=self._outbox)
        kernels = TritonKernels()
        try:
            subject = self._compile(variant, log, sender)
            self._time_in_turn(subject)
            self._attempt("compiled_profile", variant.id, lambda stage: self._profile(subject))
            self._attempt("check", variant.id, lambda stage: self._check(subject))
        finally:
            with self._stages.stage("graphs", variant=variant.id):
                self._capture.end()
                sender.stop()
                self._outbox.result(variant.id, counters=_counters(set_up_ns if variant.inductor else 0))
                self._tell_kernels(variant, kernels)

    def _tell_kernels(self, variant: Variant, kernels: TritonKernels) -> None:
        """What they need; Inductor's objects are its own, and one that is not as expected costs the run nothing."""
        try:
            found = kernels.read()
        except Exception as error:
            self._outbox.log(f"{variant.id}: what its Triton kernels need is unknown: {error!r}", level="warning")
            return
        if found:
            self._outbox.result(variant.id, triton_kernels=found)

    def _compile(self, variant: Variant, log: Path, sender: LogSender) -> Subject:
        with self._stages.stage("compiling", variant=variant.id) as stage, _named("compiling"):
            self._capture.begin(log, lambda phase: stage.step(detail=phase))
            sender.start()
            call = variant.build(self._workload.model, self._request.options.get(variant.id, {}))
            subject = Subject(variant.id, call, cuda_graphs=variant.cuda_graphs)
            self._warm_up(subject, stage)
            self._capture.quiet()
            sender.send(level=1)
            return subject

    def _warm_up(self, subject: Subject, stage: Stage) -> None:
        warm = self._stopwatch.warm_up(subject, lambda count: stage.step(count=count))
        self._outbox.result(subject.id, first_call_ns=warm.first_ns, warmup_ns=warm.rest_ns)
        began_ns = warm.first_began_ns
        self._capture.note("profviz_first_call", json.dumps({"start_ns": began_ns, "end_ns": began_ns + warm.first_ns}))
        if not warm.settled:
            text = f"{subject.id}: something still compiled after {len(warm.rest_ns) + 1} warm-up steps"
            self._outbox.log(text + "; steps in which it does are left out of the timing", level="warning")

    def _time_in_turn(self, subject: Subject) -> None:
        total = len(self._rounds)
        samples = {EAGER: self._eager_paired, subject.id: self._stopwatch.samples()}
        with self._stages.stage("steady_timing", variant=subject.id, total=total) as stage, _named("steady_timing"):
            self._time(samples, [self._eager, subject], stage)

    def _time(self, samples: dict[str, Samples], subjects: list[Subject], stage: Stage) -> None:
        def after_round(index: int, peaks: dict[str, int]) -> None:
            stage.step(count=index + 1)
            for name, sampled in samples.items():
                self._outbox.result(name, timing=sampled.timing, recompiles=len(sampled.discarded_ns))
            # eager's own peak is from its time alone: beside a variant it would count what that one keeps
            if subjects[-1].id in peaks:
                self._outbox.result(subjects[-1].id, peak_memory_bytes=peaks[subjects[-1].id])

        alternate(self._stopwatch, subjects, samples, rounds=self._rounds, after_round=after_round)

    def _profile(self, subject: Subject) -> None:
        name = f"{subject.id}.json.gz"
        plan = plan_profile(
            self._workload,
            self._stopwatch,
            subject,
            steps=self._request.profile_steps,
            with_stack=self._request.with_stack,
            event_limit=self._request.profile_event_limit,
        )
        for told in plan.told:
            self._outbox.log(f"{subject.id}: profiled {told}", level="warning")
        path = profile_steps(self._workload, self._stopwatch, subject, plan=plan, path=self._place / name)
        self._outbox.file(path, kind="trace", variant=subject.id, name=name)
        self._outbox.result(subject.id, trace=name, profiled_steps=plan.steps)
        path.unlink()

    def _record_tape(self) -> None:
        tape = record_tape(self._workload, self._eager.call)
        if tape.absence and self._workload.train:
            self._outbox.log(f"{EAGER}: {tape.absence}", level="warning")
        data = json.dumps(to_json(tape)).encode()
        self._outbox.blob(kind="tape", variant=EAGER, name=f"{EAGER}.tape.json", data=data)

    def _check(self, subject: Subject) -> None:
        self._outbox.result(subject.id, check=check_outputs(self._workload, self._eager, subject))

    def _attempt(self, stage_id: str, variant: str, work: Callable[[Stage], None]) -> None:
        """A stage whose failure costs only its own result."""
        with self._stages.stage(stage_id, variant=variant) as stage:
            try:
                work(stage)
            except Exception as error:
                self._tell_failure(error, stage=stage_id, variant=variant)

    def _tell_failure(self, error: BaseException, *, stage: str, variant: str) -> None:
        self._outbox.failed(failure_of(error, script=self._request.script, stage=stage, variant=variant))

    def _release_memory(self) -> None:
        self._workload.clear_gradients()
        gc.collect()
        if self._workload.device.type == "cuda":
            torch.cuda.empty_cache()


def _counters(set_up_ns: int) -> dict[str, dict[str, int]]:
    """Torch's counters, and under `profviz` the compiler's one-time set-up that no first call contains."""
    counters = counters_snapshot()
    return {**counters, "profviz": {"compiler_set_up_ns": set_up_ns}} if set_up_ns else counters


@contextmanager
def _named(stage_id: str) -> Iterator[None]:
    """Has an error carry the name of the stage it happened in; SystemExit from the model's own code is one too."""
    try:
        yield
    except (Exception, SystemExit) as error:
        raise StageFailed(stage_id) from error
