"""`profviz run`: runs a script without a window, tells on stderr how far it is, prints the comparison."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
import time
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TextIO

from profviz.cli_follow import Ending, follow
from profviz.cli_json import run_json
from profviz.cli_report import run_lines
from profviz.cli_text import harmless
from profviz.engine.events import (
    EnvironmentKnown,
    Event,
    JobCancelled,
    JobFailed,
    LogLine,
    ResultsReady,
    RunChanged,
    StageMoved,
    WorkloadFound,
)
from profviz.engine.jobs import run_script
from profviz.model.errors import UserError
from profviz.model.results import Results
from profviz.model.run import EAGER, Environment, Run, RunRequest, Workload
from profviz.model.units import format_ns

DONE, FELL_SHORT, COULD_NOT, INTERRUPTED = 0, 1, 2, 130


def run_command(args: Namespace) -> int:
    """Exit code 0 when every variant ran, 1 when one failed, 2 when the run could not be done, 130 after Ctrl-C."""
    request = request_of(args)
    teller = Teller(sys.stderr)
    ending = follow(
        lambda emit: run_script(request, interpreter=args.python, session_path=args.output, emit=emit), teller
    )
    teller.clear()
    if isinstance(ending, JobFailed) and teller.run is None:
        raise ending.error
    assert teller.run is not None or isinstance(ending, JobCancelled)
    if teller.run is not None:
        show(teller.run, teller.results, ending, as_json=args.json)
    return exit_code(ending, teller.run)


def request_of(args: Namespace) -> RunRequest:
    return RunRequest(
        script=args.script,
        variants=variant_ids(args.variants),
        options=options_of(args.option),
        device=args.device,
        steps=args.steps,
        rounds=args.rounds,
        profile_steps=args.profile_steps,
        train=args.train,
        model=args.model,
        inputs=args.inputs,
        keep_cache=args.keep_cache,
        with_stack=args.with_stack,
        threads=args.threads,
        stage_limit_s=args.stage_limit,
    )


def options_of(given: Sequence[tuple[str, str, str | bool]]) -> dict[str, dict[str, Any]]:
    made: dict[str, dict[str, Any]] = {}
    for variant, name, value in given:
        made.setdefault(variant, {})[name] = value
    return made


def variant_ids(text: str) -> tuple[str, ...]:
    """Names between commas, each once; eager is what the others are compared with and comes first."""
    wanted = [part.strip() for part in text.split(",") if part.strip()]
    return tuple(dict.fromkeys([EAGER, *wanted]))


def exit_code(ending: Ending, run: Run | None) -> int:
    if isinstance(ending, JobCancelled):
        return INTERRUPTED
    if isinstance(ending, JobFailed):
        return COULD_NOT
    return FELL_SHORT if run is None or any(variant.failure for variant in run.variants) else DONE


def show(run: Run, results: Results | None, ending: Ending, *, as_json: bool) -> None:
    if as_json:
        json.dump(run_json(results, run, session=ending.session_path), sys.stdout, indent=2, ensure_ascii=False)
        print()
    else:
        print(harmless("\n".join(run_lines(run, results))))
        if ending.session_path:
            print(f"\nSession: {ending.session_path}\nOpen it with: profviz {shlex.quote(ending.session_path)}")
    if isinstance(ending, JobFailed):
        print_error(ending.error, bug_report=ending.bug_report)


def print_error(error: UserError, *, bug_report: str = "") -> None:
    """What, why and what to do, on stderr."""
    sys.stdout.flush()
    print(harmless(f"profviz: {error}"), file=sys.stderr)
    if bug_report:
        print(f"\n{bug_report}", file=sys.stderr)


@dataclass(slots=True)
class Teller:
    """Tells how far a run is; keeps the run and the results. On a terminal the line of a stage is written over."""

    out: TextIO
    run: Run | None = None
    results: Results | None = None
    _began_s: float = field(default_factory=time.monotonic)
    _passing: bool = False

    def __call__(self, event: Event) -> None:
        if isinstance(event, StageMoved):
            self._stage(event)
        elif isinstance(event, LogLine):
            if event.level != "torch":
                self._line(("│ " if event.level == "script" else f"{event.level}: ") + event.text)
        elif isinstance(event, EnvironmentKnown):
            self._line(environment_line(event.environment))
        elif isinstance(event, WorkloadFound):
            if not event.workload.device:  # told again, with its device, once the model was moved there
                for line in workload_lines(event.workload):
                    self._line(line)
        elif isinstance(event, RunChanged):
            self.run = event.run
        elif isinstance(event, ResultsReady):
            self.results = event.results

    def clear(self) -> None:
        """Takes away a line that was to be written over."""
        if self._passing:
            self.out.write("\r\x1b[K")
            self.out.flush()
        self._passing = False

    def _stage(self, event: StageMoved) -> None:
        text, state = stage_line(event), event.progress.state
        if state == "end":
            self._line(text)
        elif self.out.isatty():
            self.clear()
            self.out.write(f"{self._time()}  {text}"[: shutil.get_terminal_size().columns - 1])
            self.out.flush()
            self._passing = True
        elif state == "begin":
            self._line(f"{text} …")

    def _line(self, text: str) -> None:
        self.clear()
        print(f"{self._time()}  {text}", file=self.out, flush=True)

    def _time(self) -> str:
        return f"[{time.monotonic() - self._began_s:6.1f} s]"


def stage_line(event: StageMoved) -> str:
    """compiling (default) 3/5: 1.2 s, 2 graphs"""
    stage = event.progress
    named = stage.variant and not stage.stage.startswith(stage.variant)
    name = stage.stage.replace("_", " ") + (f" ({stage.variant})" if named else "")
    count = f" {stage.count}/{stage.total}" if stage.total else ""
    took = f": {format_ns(stage.elapsed_ns)}" if stage.state == "end" else ""
    detail = f", {stage.detail}" if stage.detail else ""
    return f"{name}{count}{took}{detail}"


def environment_line(environment: Environment) -> str:
    device = environment.devices[0].name if environment.devices else ""
    torch = f"torch {environment.torch}" if environment.torch else "no torch"
    return ", ".join(part for part in (device, torch, f"Python {environment.python}") if part)


def workload_lines(workload: Workload) -> list[str]:
    """What was found, told once: the worker says it again when it knows the device."""
    if workload.device:
        return [f"it runs on {workload.device}"]
    return [*workload.found, *(f"not found: {text}" for text in workload.missing)]
