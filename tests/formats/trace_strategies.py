"""Valid traces in every layout that exporters and editors write, as text whose events' places are known."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

Fields = dict[str, Any]


class Raw(str):
    """JSON text that is to be written as it stands: numbers whose digits matter."""


@dataclass(frozen=True)
class Layout:
    """How JSON is laid out: `between` members, with a `colon` each, and with a `gap` before and after events."""

    name: str
    between: str = ", "
    colon: str = ": "
    gap: str = "\n"
    newline: str = "\n"
    is_nested: bool = False
    """Whether every member stands on a line of its own, deeper ones further in."""

    def value(self, value: Any, *, depth: int = 0, escape: bool = False) -> str:
        if isinstance(value, Raw):
            return str(value)
        if isinstance(value, dict):
            items = [
                self.value(key, escape=escape) + self.colon + self.value(item, depth=depth + 1, escape=escape)
                for key, item in value.items()
            ]
            return self._bracketed("{}", items, depth)
        if isinstance(value, list):
            return self._bracketed("[]", [self.value(item, depth=depth + 1, escape=escape) for item in value], depth)
        return json.dumps(value, ensure_ascii=escape)

    def _bracketed(self, brackets: str, items: list[str], depth: int) -> str:
        if not self.is_nested or not items:
            return brackets[0] + self.between.join(items) + brackets[1]
        inner, outer = self.newline + "  " * (depth + 1), self.newline + "  " * depth
        return brackets[0] + inner + ("," + inner).join(items) + outer + brackets[1]


LAYOUTS = (
    Layout("lines"),
    Layout("kineto", gap="\n  "),
    Layout("minified", between=",", colon=":", gap=""),
    Layout("indented", gap="\n", is_nested=True),
    Layout("crlf", gap="\r\n", newline="\r\n", is_nested=True),
    Layout("tabs", between="\t,\t", colon="\t:\t", gap="\r"),
)


@dataclass(frozen=True)
class Document:
    """A trace as text. `events` are the texts of its events, `places` where each begins in `text`.

    `shape` is "object", "bare" or "lines" (one event a line, no brackets).
    """

    text: bytes
    events: tuple[bytes, ...]
    places: tuple[int, ...]
    shape: str
    base_ns: int = 0
    head: dict[str, Any] = field(default_factory=dict)
    tail: dict[str, Any] = field(default_factory=dict)

    def end(self, number: int) -> int:
        return self.places[number] + len(self.events[number])

    @property
    def array_end(self) -> int:
        """Where the `]` of the events is, or would be."""
        return self.text.index(b"]", self.end(-1)) if self.shape != "lines" else len(self.text)

    @property
    def has_lines(self) -> bool:
        """Whether every event begins a line."""
        leads = [self.text[:place].rpartition(b"\n") for place in self.places]
        return self.shape == "lines" or all(newline and not indent.strip() for _, newline, indent in leads)

    def with_event(self, number: int, text: bytes) -> bytes:
        return self.text[: self.places[number]] + text + self.text[self.end(number) :]


TRICKY_NAMES = (
    "aten::add",
    "",
    " ",
    'quote " and \\ backslash',
    '", "ph": "X", "ts": 1}, {"ph": "X"',
    "}]}",
    '"traceEvents": [',
    "\\",
    '\\"',
    "tab\tnewline\nnull\0",
    "caf\u00e9 \u6f22\u5b57 \U0001f600",
    "\u2028\x7f\ufffd\uffff",
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(int, float)",
    "x" * 300,
)
NAMES = st.one_of(st.sampled_from(TRICKY_NAMES), st.text(st.characters(exclude_categories=["Cs"]), max_size=8))
PIDS = st.sampled_from([1234, 0, 7, -1, "Spans", "", "7", 1 << 40, (1 << 63) - 1, None, Raw("7.5"), Raw("1e3")])
CATEGORIES = ("cpu_op", "user_annotation", "python_function", "cuda_runtime", "", "overhead", "a\u00e9")
EVENT_LIKE = {
    "list": [{"name": "n"}, {"ph": "X", "name": "m", "ts": 1, "dur": 1}],
    "deep": {"traceEvents": [{"ph": 1}]},
}
ARGS = st.sampled_from(
    [
        {},
        {"External id": 5, "Ev Idx": 1},
        {"Input Dims": [[2, 3], [], [[4]]], "Input type": ["float", ""]},
        EVENT_LIKE,
        {"text": ', {"ph": "X", "name": "no event", "ts": 1}', "]": "}"},
        {"a": None, "b": True, "c": [1.5, -2, 1e300], "d": {"e": {"f": []}}},
        {"External id": "12", "correlation": 3.0},
        {"\u00e9\u6f22": "\U0001f600"},
    ]
)
GPU_ARGS = st.sampled_from(
    [
        {"device": 0, "stream": 7, "correlation": 3, "grid": [1, 2, 3], "block": [32, 1, 1]},
        {"device": 1, "stream": 20, "bytes": 1 << 33, "memory bandwidth (GB/s)": Raw("12.25")},
        {"device": 0, "stream": 7, "est. achieved occupancy %": 54, "registers per thread": 32, "shared memory": 0},
        {"device": "0", "stream": 7.0, "grid": [1, 2], "correlation": 1 << 40},
        {},
    ]
)
KINDS = ("X", "X", "X", "X", "kernel", "B", "E", "b", "e", "s", "f", "C", "M", "i", "memory", "N")


@dataclass(frozen=True)
class Clock:
    """How times are written: `write` makes the token of so many ns after the clock's zero."""

    name: str
    zero_ns: int
    write: Callable[[int], str]
    grain_ns: int = 1


def _us(ns: int, zero_ns: int = 0) -> str:
    whole, rest = divmod(zero_ns + ns, 1000)
    return f"{whole}.{rest:03d}"


EPOCH = 1_712_195_495_406_752_797
CLOCKS = (
    Clock("microseconds", 5_893_108_301, lambda ns: _us(ns, 5_893_108_301)),
    Clock("epoch", EPOCH, lambda ns: _us(ns, EPOCH)),
    Clock("whole", 0, lambda ns: str(ns // 1000), 1000),
    Clock("nanoseconds", EPOCH, lambda ns: str(EPOCH + ns)),
    Clock("text", EPOCH, lambda ns: f'"{_us(ns, EPOCH)}"'),
    Clock("exponent", 0, lambda ns: f"{ns}e-3"),
    Clock("finer", 0, lambda ns: _us(ns) + "4999"),
)


@st.composite
def events(draw: st.DrawFn, clock: Clock) -> Fields:
    kind = draw(st.sampled_from(KINDS))
    found: Fields = {"name": draw(NAMES), "pid": draw(PIDS), "tid": draw(PIDS)}
    at = draw(st.integers(0, 2_000)) * max(clock.grain_ns, draw(st.sampled_from([1, 1000])))
    found["ts"] = Raw(clock.write(at))
    dur = draw(st.integers(0, 300)) * clock.grain_ns
    found |= _of_kind(draw, kind, dur if clock.name == "nanoseconds" else None, dur)
    if draw(st.booleans()):
        found = dict(draw(st.permutations(list(found.items()))))
    return found


def _of_kind(draw: st.DrawFn, kind: str, whole_ns: int | None, dur_ns: int) -> Fields:
    dur = Raw(str(whole_ns) if whole_ns is not None else _us(dur_ns))
    if kind == "X":
        return {"ph": "X", "cat": draw(st.sampled_from(CATEGORIES)), "dur": dur, "args": draw(ARGS)}
    if kind == "kernel":
        return {"ph": "X", "cat": draw(st.sampled_from(["kernel", "gpu_memcpy"])), "dur": dur, "args": draw(GPU_ARGS)}
    if kind == "C":
        values = draw(st.sampled_from([{"a": 1}, {"a": Raw("2.5"), "b": "3"}, {"a": None}, {}]))
        return {"ph": "C", "args": values}
    if kind == "M":
        name = draw(st.sampled_from(["process_name", "thread_name", "process_sort_index"]))
        return {"ph": "M", "name": name, "args": {"name": draw(NAMES), "sort_index": 3}}
    if kind == "memory":
        args = {"Addr": 140_000_000_000_000, "Bytes": -512, "Device Type": 1, "Device Id": 0, "Total Allocated": 9}
        return {"ph": "i", "s": "t", "name": "[memory]", "args": args}
    if kind in "besf":
        ids = st.sampled_from([1, 2, "0x7f", (1 << 63) + 1, "1", 1_778_655_624_745_710_730])
        return {"ph": kind, "cat": draw(st.sampled_from(["ac2g", "fwdbwd"])), "id": draw(ids)}
    return {"ph": kind}


HEADS = st.sampled_from(
    [
        {},
        {"schemaVersion": 1},
        {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H200", "totalGlobalMem": 150_000_000_000}]},
        {"displayTimeUnit": "ms", "with_stack": 0, "note": 'a "traceEvents": [ in a text'},
        {"other": {"traceEvents": [{"ph": "X", "name": "not ours"}]}, "empty": []},
    ]
)
TAILS = st.sampled_from(
    [{}, {"traceName": "/tmp/x.json"}, {"displayTimeUnit": "ns", "nested": [[{"ph": "X"}], {}]}, {"n": None}]
)
BASE_NS = 1_790_857_026_000_000_000


@st.composite
def documents(draw: st.DrawFn, *, min_events: int = 1, max_events: int = 6) -> Document:
    """A trace without a defect."""
    clock = draw(st.sampled_from(CLOCKS))
    found = draw(st.lists(events(clock), min_size=min_events, max_size=max_events))
    layout = draw(st.sampled_from(LAYOUTS))
    shape = draw(st.sampled_from(["object", "object", "bare", "lines"]))
    escape = draw(st.booleans())
    head, tail = (draw(HEADS), draw(TAILS)) if shape == "object" else ({}, {})
    base = draw(st.sampled_from(["", "before", "after"])) if shape == "object" else ""
    if base:
        target = dict(head if base == "before" else tail) | {"baseTimeNanoseconds": BASE_NS}
        head, tail = (target, tail) if base == "before" else (head, target)
    return assemble(found, layout, shape=shape, head=head, tail=tail, escape=escape)


def assemble(
    found: Sequence[Fields], layout: Layout, *, shape: str, head: Fields, tail: Fields, escape: bool = False
) -> Document:
    """Lays the events out; `head` and `tail` are the members before and after them."""
    if shape == "lines":
        layout = (
            Layout("one a line", between=layout.between, colon=layout.colon, gap="\n") if layout.is_nested else layout
        )
        opening, closing, gap = "", "", "\n"
    elif shape == "bare":
        opening, closing, gap = "[" + layout.gap, layout.gap + "]", "," + layout.gap
    else:
        members = "".join(_member(layout, item, escape=escape) + "," + layout.gap for item in head.items())
        opening = "{" + layout.gap + members + '"traceEvents"' + layout.colon + "[" + layout.gap
        closing = (
            layout.gap + "]" + "".join("," + layout.gap + _member(layout, item, escape=escape) for item in tail.items())
        )
        closing, gap = closing + layout.gap + "}", "," + layout.gap
    texts = [layout.value(one, escape=escape).encode() for one in found]
    text, places = opening.encode(), []
    for number, one in enumerate(texts):
        text += gap.encode() if number else b""
        places.append(len(text))
        text += one
    base_ns = (head | tail).get("baseTimeNanoseconds", 0)
    return Document(text + closing.encode(), tuple(texts), tuple(places), shape, base_ns, head, tail)


def _member(layout: Layout, item: tuple[str, Any], *, escape: bool) -> str:
    return layout.value(item[0], escape=escape) + layout.colon + layout.value(item[1], escape=escape)
