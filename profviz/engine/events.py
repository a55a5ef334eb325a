"""What a job tells its owner: plain values, ended by exactly one of Finished, JobFailed and JobCancelled.

They are emitted from the job's own thread; whoever listens brings them to its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from profviz.model.compile_cost import CompileCost
from profviz.model.compile_report import CompileReport
from profviz.model.errors import UserError
from profviz.model.results import Results
from profviz.model.run import Environment, Run, Workload
from profviz.protocol.messages import StageProgress


@dataclass(frozen=True, slots=True)
class Loading:
    """A file is being read: `fraction` in [0, 1], or None while unknown."""

    text: str
    fraction: float | None


@dataclass(frozen=True, slots=True)
class EnvironmentKnown:
    environment: Environment


@dataclass(frozen=True, slots=True)
class WorkloadFound:
    workload: Workload


@dataclass(frozen=True, slots=True)
class StageMoved:
    progress: StageProgress


@dataclass(frozen=True, slots=True)
class LogLine:
    """`level` is script (what the user's script printed), torch (its own noise), info, warning or error."""

    level: str
    text: str


@dataclass(frozen=True, slots=True)
class RunChanged:
    """A result came in; `run` is the whole run as known now."""

    run: Run


@dataclass(frozen=True, slots=True)
class CompileSeen:
    """What the compiler has done for a variant so far, by its growing log; a later one replaces it."""

    variant: str
    report: CompileReport
    cost: CompileCost


@dataclass(frozen=True, slots=True)
class ResultsReady:
    results: Results


@dataclass(frozen=True, slots=True)
class TraceExported:
    """How many `items` (events or rows) a file now holds, and how many of what it can't hold."""

    path: str
    items: str
    written: int
    left_out: dict[str, int]


@dataclass(frozen=True, slots=True)
class PreviewReady:
    """The beginning of files that take long to read; `ResultsReady` follows with all of it."""

    results: Results


@dataclass(frozen=True, slots=True)
class Finished:
    """`session_path` is where a run was saved, else empty; `afterwards` is what the job does once this was told."""

    session_path: str = ""
    afterwards: Callable[[], None] | None = None


@dataclass(frozen=True, slots=True)
class JobFailed:
    """`session_path` names what could be kept; `bug_report` is set when this was no user error."""

    error: UserError
    session_path: str = ""
    bug_report: str = ""


@dataclass(frozen=True, slots=True)
class JobCancelled:
    session_path: str = ""


Event = (
    Loading
    | EnvironmentKnown
    | WorkloadFound
    | StageMoved
    | LogLine
    | RunChanged
    | CompileSeen
    | ResultsReady
    | PreviewReady
    | TraceExported
    | Finished
    | JobFailed
    | JobCancelled
)
