"""Guards in plain words, counted by kind and searched; pure, no Qt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from profviz.model.compile_report import Guard, GuardSet
from profviz.model.results import Results
from profviz.model.units import UNKNOWN, format_count, format_ns
from profviz.ui.widgets.table_columns import Column

NO_GUARDS = "The compile log holds no guards"
ALL = "all kinds"
MOST_KEPT = 50_000

_NAMES = (
    (re.compile(r"\bL\['(\w+)'\]"), r"\1"),
    (re.compile(r"\bG\['__import_(\w+)'\]"), lambda match: match[1].replace("_dot_", ".")),
    (re.compile(r"\bG\['(\w+)'\]"), r"\1"),
    (re.compile(r"\._(?:modules|parameters|buffers)\['(\d+)'\]"), r"[\1]"),
    (re.compile(r"\._(?:modules|parameters|buffers)\['(\w+)'\]"), r".\1"),
    (re.compile(r"\.__dict__\['(\w+)'\]"), r".\1"),
)
_TENSOR = re.compile(
    r"check_tensor\((?P<name>.+?), \w+, DispatchKeySet\((?P<device>\w+).*?\), torch\.(?P<dtype>\w+),"
    r" device=(?P<at>\w+), requires_grad=(?P<grad>\w+), size=(?P<size>\[.*?\]), stride=(?P<stride>\[.*?\])\)"
)
_WORDS: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(r"___check_obj_id\((.+), \d+\), type=<(?:class )?'?(.+?)'?>$", re.DOTALL),
        r"\1 is the same object (\2)",
    ),
    (re.compile(r"___check_type_id\((.+), \d+\), type=<class '(.+?)'>$"), r"\1 is of type \2"),
    (re.compile(r"___check_(?:obj|type)_id\((.+), \d+\)"), r"\1 is the same object"),
    (re.compile(r"not ___dict_contains\('(\w+)', (.+)\)$"), r"\2 has no \1"),
    (re.compile(r"___dict_contains\('(\w+)', (.+)\)$"), r"\2 has \1"),
    (re.compile(r"hasattr\((.+), '_dynamo_dynamic_indices'\) == False"), r"no size of \1 is marked dynamic"),
    (re.compile(r"hasattr\((.+), '(\w+)'\) == False"), r"\1 has no \2"),
    (
        re.compile(r"___check_global_state\(\).*", re.DOTALL),
        "grad mode, autocast, threads and the other switches are as they were",
    ),
    (re.compile(r"___check_torch_function_mode_stack\(\)"), "the same torch-function modes are on"),
    (re.compile(r"^utils_device\.CURRENT_DEVICE == (.+)"), r"the default device is \1"),
)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The guards of one compilation; `report` is the position of its report."""

    report: int
    title: str
    guards: GuardSet


@dataclass(frozen=True, slots=True)
class GuardRow:
    """One guard; `plain` is torch's text to be read, worked out when it is: of thousands few are ever seen."""

    guard: Guard

    @property
    def plain(self) -> str:
        return readable(self.guard.text)


@dataclass(frozen=True, slots=True)
class KindRow:
    """`kind` is torch's, empty for all of them."""

    kind: str
    count: int


def sets(results: Results) -> tuple[Chosen, ...]:
    """The compilations that have guards, in the order compiled."""
    several = len(results.reports) > 1
    made = []
    for position, (label, report) in enumerate(results.reports):
        functions = {frame.compile_id: frame.function for frame in report.frames}
        for one in report.guards:
            title = f"{one.compile_id} {functions.get(one.compile_id, '')}".strip()
            title = f"{results.report_title(label)} · " * several + f"{title} · {format_count(len(one.guards))}"
            made.append(Chosen(position, title, one))
    return tuple(made)


def kinds(chosen: GuardSet) -> tuple[KindRow, ...]:
    counts = chosen.by_kind()
    return (KindRow("", len(chosen.guards)), *(KindRow(kind, count) for kind, count in counts.items()))


def rows(chosen: GuardSet, kind: str) -> tuple[GuardRow, ...]:
    """In the order in which they are checked."""
    return tuple(GuardRow(one) for one in chosen.guards if not kind or one.kind == kind)


def sentence(chosen: GuardSet) -> str:
    count = f"{format_count(len(chosen.guards))} guard{'s' * (len(chosen.guards) != 1)}"
    if chosen.latency_ns is None:
        return f"{count}; what checking them costs a call was not measured"
    each = f", {format_ns(chosen.latency_ns / len(chosen.guards))} each" if chosen.guards else ""
    return f"{count}; checking them all takes {format_ns(chosen.latency_ns)} a call, as torch measured{each}"


@lru_cache(maxsize=MOST_KEPT)
def readable(text: str) -> str:
    """A guard's condition in words where it has a known form, else torch's text with shorter names."""
    text = short_names(text)
    tensor = _TENSOR.match(text)
    if tensor is not None:
        return _tensor(tensor)
    for pattern, words in _WORDS:
        match = pattern.match(text)
        if match is not None:
            return match.expand(words)
    return text


def short_names(text: str) -> str:
    """`L['self']._modules['last']` as `self.last`, globals by their own name."""
    for pattern, short in _NAMES:
        text = pattern.sub(short, text)
    return text


def _tensor(found: re.Match[str]) -> str:
    where = found["device"].lower() + (f":{found['at']}" if found["at"] != "None" else "")
    grad = "with" if found["grad"] == "True" else "without"
    size = found["size"].replace("None", "any")
    return f"{found['name']} is a {found['dtype']} tensor {size} on {where} {grad} grad, strides {found['stride']}"


def columns() -> tuple[Column, ...]:
    return (
        Column("kind", lambda row: row.guard.kind, width=200, tip=lambda row: row.guard.kind),
        Column(
            "condition",
            lambda row: row.plain,
            width=280,
            stretch=True,
            tip=lambda row: row.guard.text + f"\n{row.guard.remark}" * bool(row.guard.remark),
            copy=lambda row: row.guard.text,
        ),
        Column(
            "due to",
            lambda row: row.guard.source.place if row.guard.source else UNKNOWN,
            width=152,
            keep_end=True,
            tip=lambda row: row.guard.source.whole_place if row.guard.source else "",
        ),
        Column(
            "line",
            lambda row: row.guard.source.text.strip() if row.guard.source else "",
            width=200,
            stretch=True,
            mono=True,
            tip=lambda row: row.guard.source.text if row.guard.source else "",
        ),
    )


def kind_columns() -> tuple[Column, ...]:
    return (
        Column("kind", lambda row: row.kind or ALL, stretch=True, tip=lambda row: row.kind or ALL),
        Column("guards", lambda row: format_count(row.count), key=lambda row: row.count, numeric=True, width=64),
    )


def place_of(found: Sequence[Chosen], report: int, compile_id: str) -> int:
    """The position of a compilation's guards, or -1."""
    return next(
        (at for at, one in enumerate(found) if one.report == report and one.guards.compile_id == compile_id), -1
    )
