"""What a window or a command line asks the engine to do; each call gives a `Job` that ends with one last event.

What the work needs is imported on the job's own thread: a window that starts must not wait for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from profviz.engine.events import Finished, JobCancelled, JobFailed
from profviz.engine.job import Cancellation, Emit, Job
from profviz.model.questions import ColumnTable
from profviz.model.run import RunRequest
from profviz.model.trace import I64, Trace

Ending = Finished | JobFailed | JobCancelled

__all__ = [
    "Emit",
    "Job",
    "export_file",
    "export_table",
    "inspect_script",
    "open_files",
    "run_script",
]


def open_files(paths: Iterable[str | Path], *, emit: Emit) -> Job:
    """Opens traces, compile logs or one session; two traces are a comparison, a log goes to the trace it belongs to.

    Emits `Loading`, then `ResultsReady` and `Finished`. Runs nothing that a file contains.
    """
    wanted = tuple(str(path) for path in paths)

    def work(cancellation: Cancellation, emit: Emit) -> Ending:
        from profviz.engine.open_job import open_paths

        return open_paths(wanted, cancellation=cancellation, emit=emit)

    return Job(work, emit=emit, name="open")


def export_file(trace: Trace, path: str | Path, *, window: tuple[int, int] | None = None, emit: Emit) -> Job:
    """Writes a trace, or what reaches into `window` (start, end; ns from its start), for other tools.

    The suffix says what kind of file (see `formats.export`). Emits `Loading`, then `TraceExported` and `Finished`.
    """

    def work(cancellation: Cancellation, emit: Emit) -> Ending:
        from profviz.engine.export_job import export

        return export(trace, Path(path), window=window, cancellation=cancellation, emit=emit)

    return Job(work, emit=emit, name="export")


def export_table(table: ColumnTable, rows: I64, path: str | Path, *, emit: Emit) -> Job:
    """Writes rows of a table as CSV or Parquet, whichever the suffix says; emits as `export_file` does."""

    def work(cancellation: Cancellation, emit: Emit) -> Ending:
        from profviz.engine.export_job import export_rows

        return export_rows(table, rows, Path(path), cancellation=cancellation, emit=emit)

    return Job(work, emit=emit, name="export")


def inspect_script(request: RunRequest, *, interpreter: str = "", emit: Emit) -> Job:
    """Loads a script in a worker and says what was found: `EnvironmentKnown`, `WorkloadFound`; runs no step.

    `interpreter` is the Python to use, empty for the default one (see `interpreters`).
    """

    def work(cancellation: Cancellation, emit: Emit) -> Ending:
        from profviz.engine.worker_job import ask_worker
        from profviz.protocol.messages import Inspect

        return ask_worker(Inspect(request), interpreter=interpreter, cancellation=cancellation, emit=emit)

    return Job(work, emit=emit, name="inspect")


def run_script(request: RunRequest, *, interpreter: str = "", session_path: str | Path = "", emit: Emit) -> Job:
    """Runs a script's workload under the asked variants and saves a session as results come.

    `session_path` empty: a new file in the default folder for sessions. Emits `EnvironmentKnown`, `WorkloadFound`,
    `StageMoved`, `LogLine`, `RunChanged` and `CompileSeen` as they come, `ResultsReady` before the end. The ending
    names the session.
    """

    def work(cancellation: Cancellation, emit: Emit) -> Ending:
        from profviz.engine.run_job import capture_run

        return capture_run(
            request, interpreter=interpreter, session_path=str(session_path), cancellation=cancellation, emit=emit
        )

    return Job(work, emit=emit, name="run")
