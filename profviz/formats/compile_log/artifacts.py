"""All that a log holds, word for word: which records make up one text, and the text again from the log's own bytes.

Holds no text itself: only where each stands.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from profviz.formats.compile_log.code import OUTPUT, direction_of
from profviz.formats.compile_log.naming import compile_id_of
from profviz.formats.compile_log.records import Record, envelopes
from profviz.model.artifacts import Artifact, Artifacts, Language

ReadAt = Callable[[int, int], bytes]
"""Bytes of the unpacked log by offset and length."""

EVENTS = "chromium_event"
_GRAPH = re.compile(
    r"graph|^compiled_|_runnable$|_prologue$|_epilogue$|^compiled_fn_wrapper$|_orchestration$|^exported_"
)
_LOWERING = re.compile(
    r"^(fx_graph_(runnable|cache_\w+)|before_post_grad_graph|inductor_post_grad_graph|inductor_output_code"
    r"|triton_kernel_info|inductor_provenance_tracking_\w+|inductor_runtime_and_tensor_meta|cudagraph_policy)$"
)


@dataclass(slots=True)
class _Group:
    """Records that make up one text."""

    first: Record
    records: list[Record] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an item's records stand, and the file names of the process that wrote them."""

    spans: tuple[tuple[int, int], ...]
    strings: dict[int, str]


def artifacts(records: list[Record], is_known: Callable[[str], bool], read_at: ReadAt) -> Artifacts:
    """Each payload is a text of its own, and each sum of metrics; other records without a payload go together by kind
    and attempt of a compilation.

    The compiler's own spans, of which there are thousands, are one text: a trace that other viewers open.
    """
    groups = _groups(records)
    made = [_artifact(group, compile_id_of(group.first), is_known) for group in groups]
    items = _with_parts(_with_directions(made, groups))
    places = [
        _Place(tuple((one.offset, one.end - one.offset) for one in group.records), group.first.strings)
        for group in groups
    ]
    log = _Log(items, places, read_at)
    return Artifacts(items, text=log.text, records=log.records)


def _groups(records: Iterable[Record]) -> list[_Group]:
    groups: list[_Group] = []
    shared: dict[tuple[str, ...], _Group] = {}
    for record in records:
        key = _key(record)
        group = shared.get(key) if key else None
        if group is None:
            group = _Group(record)
            groups.append(group)
            if key:
                shared[key] = group
        group.records.append(record)
    return groups


def _key(record: Record) -> tuple[str, ...]:
    """What it shares with the records that it goes together with; empty for one that stands alone."""
    if record.kind == EVENTS:
        return (EVENTS,)
    if record.payload or "_metrics" in record.kind:
        return ()
    return record.kind, str(record.pid), compile_id_of(record), str(record.attempt)


def _artifact(group: _Group, compile_id: str, is_known: Callable[[str], bool]) -> Artifact:
    first = group.first
    is_events = first.kind == EVENTS
    return Artifact(
        name=first.kind or "(no kind)",
        compile_id="" if is_events else compile_id,
        attempt=0 if is_events else first.attempt,
        language=_language(first),
        size=sum(one.end - one.offset for one in group.records),
        offset=first.offset,
        records=len(group.records),
        label=_label(first.value),
        is_known=is_known(first.kind),
    )


def _language(record: Record) -> Language:
    encoding = record.value.get("encoding") if isinstance(record.value, dict) else None
    if not record.payload or record.kind == EVENTS or encoding == "json" or _looks_like_json(record.payload):
        return Language.JSON
    if record.kind == OUTPUT or (_GRAPH.search(record.kind) and record.kind != "dynamo_graph_break_reason"):
        return Language.PYTHON
    return Language.TEXT


def _looks_like_json(text: str) -> bool:
    """Some is logged as a string."""
    return text[:1] + text[-1:] in ("{}", "[]")


def _label(value: Any) -> str:
    """What tells it from others of its kind: a file's or a part's name, or the address of a link."""
    if not isinstance(value, dict):
        return ""
    if isinstance(url := value.get("url"), str):
        return url
    name = value.get("file_path") or value.get("filename") or ("" if "encoding" in value else value.get("name"))
    return name.replace("\\", "/").rpartition("/")[2] if isinstance(name, str) else ""


def _with_directions(made: list[Artifact], groups: list[_Group]) -> list[Artifact]:
    """A lowering's records stand together, the next one begins where a kind comes again; its code says which it is."""
    found = list(made)
    lowerings: dict[tuple[str, int], list[int]] = defaultdict(list)

    def settle(members: list[int]) -> None:
        codes = [groups[at].first.payload for at in members if made[at].name == OUTPUT]
        direction = direction_of(codes[0]) if codes else ""
        for at in members:
            found[at] = replace(made[at], direction=direction)

    for at, one in enumerate(made):
        if not one.compile_id or not _LOWERING.match(one.name):
            continue
        members = lowerings[one.compile_id, one.attempt]
        if any(made[other].name == one.name for other in members):
            settle(members)
            members.clear()
        members.append(at)
    for members in lowerings.values():
        settle(members)
    return found


def _with_parts(made: list[Artifact]) -> tuple[Artifact, ...]:
    """Numbers those that nothing else tells apart."""
    keys = [(one.compile_id, one.attempt, one.name, one.direction) for one in made]
    several = {key for key, count in Counter(keys).items() if count > 1}
    seen: Counter[tuple[str, int, str, str]] = Counter()
    found = []
    for key, one in zip(keys, made, strict=True):
        seen[key] += 1
        found.append(replace(one, part=seen[key]) if key in several else one)
    return tuple(found)


class _Log:
    """The texts of a log's artifacts, read from it each time they are wanted."""

    def __init__(self, items: tuple[Artifact, ...], places: list[_Place], read_at: ReadAt) -> None:
        self._items = items
        self._places = places
        self._read_at = read_at

    def _raw(self, index: int) -> bytes:
        return b"".join(self._read_at(*span) for span in _joined(self._places[index].spans))

    def text(self, index: int) -> str:
        found = list(envelopes(self._raw(index)))
        if self._items[index].name == EVENTS:
            return "[\n" + ",\n".join(payload.replace("\n", "") for _, payload in found if payload) + "\n]"
        if len(found) == 1 and found[0][1]:
            return found[0][1]
        values = [_without_envelope(envelope) for envelope, _ in found]
        return _json(self._named(values[0] if len(values) == 1 else values, index))

    def records(self, index: int) -> str:
        found = [envelope for envelope, _ in envelopes(self._raw(index))]
        return _json(self._named(found[0] if len(found) == 1 else found, index))

    def _named(self, value: Any, index: int) -> Any:
        return _with_files(value, self._places[index].strings)


def _joined(spans: tuple[tuple[int, int], ...]) -> list[tuple[int, int]]:
    """Spans of offset and length, with neighbours read at once."""
    joined: list[tuple[int, int]] = []
    for offset, length in spans:
        if joined and sum(joined[-1]) == offset:
            joined[-1] = joined[-1][0], joined[-1][1] + length
        else:
            joined.append((offset, length))
    return joined


def _without_envelope(envelope: dict[str, Any]) -> Any:
    """What stands under the kind, alone where nothing else was said."""
    outer = ("rank", "compiled_autograd_id", "frame_id", "frame_compile_id", "attempt", "has_payload", "subgraph_name")
    own = {key: value for key, value in envelope.items() if key not in outer}
    return next(iter(own.values())) if len(own) == 1 else own


def _with_files(value: Any, strings: dict[int, str]) -> Any:
    """File names in the place of their numbers, in stacks anywhere in it."""
    if isinstance(value, list):
        return [_with_files(one, strings) for one in value]
    if not isinstance(value, dict):
        return value
    named = {key: _with_files(one, strings) for key, one in value.items()}
    number = named.get("filename")
    if isinstance(number, int) and number in strings:
        named["filename"] = strings[number]
    return named


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
