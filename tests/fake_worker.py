"""Speaks the worker's protocol without torch: `fake_worker.py BEHAVIOUR [STAGE]`, for tests of the engine.

Behaviours, at STAGE where one is given: normal, crash (segmentation fault), exit (status 3 without a last word),
hang, deaf (hangs and ignores that its stdin closes), brood (hangs after starting a process of its own session),
garbage (foreign bytes among the messages), fail (says why it gives up), variant_fails, version (speaks another
one), flood (prints a lot), mute (says nothing at all), bad_result (fields that do not fit).
"""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from profviz.model.run import Device, Environment, Failure, RunRequest, VariantSpec, Workload
from profviz.protocol.messages import (
    VERSION,
    Announce,
    Blob,
    Done,
    Failed,
    Found,
    Hello,
    Inspect,
    Log,
    Message,
    Probe,
    Result,
    StageProgress,
)
from profviz.protocol.wire import Writer, read_frames

STAGES = (
    ("loading", ""),
    ("eager_warmup", "eager"),
    ("eager_timing", "eager"),
    ("eager_profile", "eager"),
    ("eager_tape", "eager"),
    ("compiling", "default"),
    ("steady_timing", "default"),
    ("compiled_profile", "default"),
    ("check", "default"),
    ("graphs", "default"),
)
LOG_LINE = 'V1129 13:14:23.816000 4242 torch/_dynamo/convert_frame.py:1] {"dynamo_start": {"stack": []}, "frame_id": 0, "frame_compile_id": 0, "attempt": 0}\n'  # noqa: E501


class Fake:
    def __init__(self, behaviour: str, stage: str) -> None:
        self.behaviour = behaviour
        self.stage = stage
        self.requests = os.fdopen(os.dup(0), "rb")
        self.out = os.fdopen(os.dup(1), "wb")
        self.writer = Writer(self.out)

    def send(self, message: Message, payload: bytes = b"") -> None:
        self.writer.send(message, payload)

    def serve(self) -> int:
        if self.behaviour == "mute":
            time.sleep(600)
        version = VERSION + 1 if self.behaviour == "version" else VERSION
        self.send(Hello(version, "3.11.0", sys.executable, os.getpid()))
        frames = read_frames(self.requests)
        question, _ = next(frames)
        if self.behaviour != "deaf":
            threading.Thread(target=self.end_with_stdin, daemon=True).start()
        self.send(Announce(environment()))
        if isinstance(question, Probe):
            self.send(Done(ok=True))
            return 0
        return self.answer(question)

    def end_with_stdin(self) -> None:
        self.requests.read()
        os._exit(0)

    def answer(self, question: Message) -> int:
        request: RunRequest = question.request  # type: ignore[union-attr]
        self.send(Found(Workload(script=request.script, model="model", model_class="Net", parameters=12)))
        if isinstance(question, Inspect):
            if self.behaviour == "fail":
                self.fail("loading")
                return 0
            self.send(Done(ok=True))
            return 0
        self.send(Log("info", "the run begins"))
        for stage, variant in STAGES:
            if variant in ("", *request.variants):
                self.do_stage(stage, variant)
        self.send(Done(ok=self.behaviour != "fail"))
        return 0

    def do_stage(self, stage: str, variant: str) -> None:
        self.send(StageProgress(stage, variant, "begin"))
        if self.stage in (stage, ""):
            self.misbehave(stage, variant)
        self.send(StageProgress(stage, variant, "step", count=1, total=2, elapsed_ns=5))
        self.results_of(stage, variant)
        self.send(StageProgress(stage, variant, "end", count=2, total=2, elapsed_ns=9))

    def misbehave(self, stage: str, variant: str) -> None:
        behaviour = self.behaviour
        if behaviour == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        elif behaviour == "exit":
            os._exit(3)
        elif behaviour in ("hang", "deaf", "brood"):
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            if behaviour == "brood":
                subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
            self.send(StageProgress(stage, variant, "step", detail="stuck"))
            time.sleep(600)
        elif behaviour == "garbage":
            self.out.write(b"\x00\xffhello, I am a library that prints\n")
            self.out.flush()
            sys.exit(1)  # as one ends that goes on writing to a pipe whose reader has given up
        elif behaviour == "flood":
            self.flood()
        elif behaviour == "bad_result":
            self.send(Result("eager", {"recompiles": "many"}))
        elif behaviour == "fail":
            self.fail(stage)
            sys.exit(1)
        elif behaviour == "variant_fails" and variant == "default":
            self.send(Failed(Failure("The compiler failed.", "no C++ compiler", stage=stage, variant=variant)))

    def fail(self, stage: str) -> None:
        trace = 'Traceback:\n  File "model.py", line 3\nValueError: no'
        self.send(Failed(Failure("The script raised ValueError.", "no", "Mend line 3.", trace, stage)))

    def flood(self) -> None:
        block = b"a line of many\n" * 4000 + b"\xff\xfe\n" + b"x" * 300_000 + b"10 %\r20 %\r"
        for _ in range(30):
            os.write(2, block)
        os.write(2, b"\nthe last line\n")

    def results_of(self, stage: str, variant: str) -> None:
        median = 2_000_000 if variant == "eager" else 1_000_000
        if stage in ("eager_warmup", "compiling"):
            self.send(Result(variant, {"title": variant.title(), "first_call_ns": 40 * median, "warmup_ns": [median]}))
        elif stage.endswith("_timing"):
            samples = [median + 1000 * step for step in (-1, 0, 1)]
            timing = {"clock": "perf_counter", "samples_ns": samples, "rounds": [0, 1, 2]}
            self.send(Result(variant, {"timing": timing}))
        elif stage.endswith("_profile"):
            self.blob("trace", variant, f"{variant}.trace.json.gz", gzip.compress(json.dumps(trace(median)).encode()))
            self.send(Result(variant, {"profiled_steps": 1}))
        elif stage == "graphs":
            self.blob("compile_log", variant, f"{variant}.compile-log.txt", LOG_LINE.encode())

    def blob(self, kind: str, variant: str, name: str, data: bytes) -> None:
        self.send(Blob(kind, variant, name, len(data)), data)


def environment() -> Environment:
    variants = (
        VariantSpec("eager", "Eager", "As written.", compiled=False),
        VariantSpec("default", "Compiled", "torch.compile", compiled=True),
    )
    devices = (Device("cpu", 0, "Fake CPU"),)
    return Environment("3.11.0", sys.executable, "linux", "2.13.0", devices=devices, variants=variants, threads=2)


def trace(kernel_ns: int) -> dict[str, object]:
    """One step with one launch and its kernel; times in µs."""
    return {
        "traceEvents": [
            event("ProfilerStep#1", "user_annotation", 0, 5000, {"External id": 1}),
            event("aten::mm", "cpu_op", 10, 100, {"External id": 2}),
            event("cudaLaunchKernel", "cuda_runtime", 20, 10, {"correlation": 7, "External id": 2}),
            {
                **event("gemm", "kernel", 100, kernel_ns / 1000, {"correlation": 7, "device": 0, "stream": 7}),
                "pid": 0,
                "tid": 7,
            },
        ]
    }


def event(name: str, category: str, start_us: float, dur_us: float, args: dict[str, int]) -> dict[str, object]:
    return {
        "ph": "X",
        "cat": category,
        "name": name,
        "pid": 100,
        "tid": 100,
        "ts": start_us,
        "dur": dur_us,
        "args": args,
    }


if __name__ == "__main__":
    sys.exit(Fake(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "").serve())
