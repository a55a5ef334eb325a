"""The messages as frozen values, and their JSON names; versioned, unknown kinds and fields are let through."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from profviz.model.record import from_json, to_json
from profviz.model.run import Environment, Failure, RunRequest, Workload

VERSION = 1


@dataclass(frozen=True, slots=True)
class Hello:
    """First message of a worker, before torch is imported."""

    version: int
    python: str
    executable: str
    pid: int


@dataclass(frozen=True, slots=True)
class Announce:
    """Torch, devices and variants, once torch is imported."""

    environment: Environment


@dataclass(frozen=True, slots=True)
class Found:
    """What discovery found in the script."""

    workload: Workload


@dataclass(frozen=True, slots=True)
class StageProgress:
    """Where the worker is: `state` is begin, step or end; `count` of `total` (0: unknown); time since its begin."""

    stage: str
    variant: str
    state: str
    count: int = 0
    total: int = 0
    elapsed_ns: int = 0
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """Fields of `VariantResult` that are known now, to be laid over what came before for that variant."""

    variant: str
    fields: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Blob:
    """A file's bytes follow: `kind` is trace, compile_log, tape or source; `name` a plain file name.

    A later blob of the same kind and name replaces the earlier one. `path` is where a source file came from.
    """

    kind: str
    variant: str
    name: str
    size: int
    path: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """A stage failed. With a variant the run goes on with the others; without one it is over."""

    failure: Failure


@dataclass(frozen=True, slots=True)
class Log:
    """Something worth a line in the log; what the script prints arrives on stderr instead."""

    level: str
    text: str


@dataclass(frozen=True, slots=True)
class Done:
    """The last message of an inspection or a run."""

    ok: bool


@dataclass(frozen=True, slots=True)
class Inspect:
    """Engine to worker: load the script and say what was found; runs no step."""

    request: RunRequest


@dataclass(frozen=True, slots=True)
class Start:
    """Engine to worker: do the whole run."""

    request: RunRequest


@dataclass(frozen=True, slots=True)
class Probe:
    """Engine to worker: announce the environment and stop."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """A message of a newer version; kept so that it can be logged."""

    kind: str
    data: dict[str, Any] = field(default_factory=dict)


Message = (
    Hello | Announce | Found | StageProgress | Result | Blob | Failed | Log | Done | Inspect | Start | Probe | Unknown
)

_KINDS: dict[str, type[Any]] = {
    "hello": Hello,
    "announce": Announce,
    "found": Found,
    "stage": StageProgress,
    "result": Result,
    "blob": Blob,
    "failed": Failed,
    "log": Log,
    "done": Done,
    "inspect": Inspect,
    "start": Start,
    "probe": Probe,
}
_NAMES = {cls: kind for kind, cls in _KINDS.items()}


def encode(message: Message) -> dict[str, Any]:
    """The JSON object of a message: its fields under `data`, its name under `kind`."""
    if isinstance(message, Unknown):
        return {"kind": message.kind, "data": message.data}
    return {"kind": _NAMES[type(message)], "data": to_json(message)}


def decode(data: Any) -> Message:
    """The message of a JSON object; raises ValueError when it is none, gives `Unknown` for a kind not known."""
    if not isinstance(data, dict) or not isinstance(data.get("kind"), str):
        raise ValueError("a message needs a kind")
    fields = data.get("data") or {}
    cls = _KINDS.get(data["kind"])
    if cls is None:
        return Unknown(data["kind"], fields)
    message: Message = from_json(cls, fields)
    return message
