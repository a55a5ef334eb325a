"""Which lane an event belongs to, and what the lanes are called: by category and args, never by process id."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from profviz.formats.chrome.event import NO_ARGS, Args, Event
from profviz.model.categories import is_cpu, is_gpu_annotation, is_gpu_work
from profviz.model.trace import MISSING, Lane, LaneKind

Label = int | str | float | None

_ORDER = {LaneKind.GPU: 0, LaneKind.GPU_ANNOTATION: 1, LaneKind.CPU: 2, LaneKind.OTHER: 3}


@dataclass(slots=True)
class _Labels:
    """What metadata events say of a process or a thread."""

    name: str = ""
    labels: list[str] = field(default_factory=list)
    sort_index: int = 0


class LaneTable:
    """Numbers lanes by (pid, tid, kind, device, stream) in order of appearance."""

    def __init__(self) -> None:
        self._index: dict[tuple[Any, ...], int] = {}
        self._kinds: dict[str, LaneKind] = {}
        self._processes: dict[str, _Labels] = {}
        self._threads: dict[tuple[str, str], _Labels] = {}
        self._by_thread: dict[tuple[Label, Label], list[tuple[int, int]]] = {}

    def __len__(self) -> int:
        return len(self._index)

    def of_slice(self, pid: Label, tid: Label, category: str, args: Args, *, is_gpu: bool) -> int:
        kind = self._kinds.get(category)
        if kind is None:
            kind = self._kinds[category] = kind_of(category)
        if not is_gpu:
            return self._number((kind, pid, tid, MISSING, MISSING))
        device = args.device if type(args.device) is int else _as_int(pid)
        stream = args.stream if type(args.stream) is int else _as_int(tid)
        return self._number((kind, pid, tid, device, stream))

    def of_mark(self, pid: Label, tid: Label) -> int:
        """The lane for an instant or a counter: the thread's own where it has slices, else a new one."""
        found = self.drawn(pid, tid)
        return found if found != MISSING else self._number((LaneKind.OTHER, pid, tid, MISSING, MISSING))

    def drawn(self, pid: Label, tid: Label) -> int:
        """The foremost lane of a thread (GPU before CPU before others), MISSING when it has none."""
        lanes = self._by_thread.get((pid, tid))
        return min(lanes)[1] if lanes else MISSING

    def _number(self, key: tuple[Any, ...]) -> int:
        found = self._index.get(key)
        if found is None:
            found = self._index[key] = len(self._index)
            self._by_thread.setdefault((key[1], key[2]), []).append((_ORDER[key[0]], found))
        return found

    def take_metadata(self, event: Event) -> None:
        """Remembers names, labels and sort indices; other metadata is left in the file."""
        args = event.args or NO_ARGS
        pid, tid = spelled(event.pid), spelled(event.tid)
        if event.name in ("process_name", "process_labels", "process_sort_index"):
            target = self._processes.setdefault(pid, _Labels())
        elif event.name in ("thread_name", "thread_sort_index"):
            target = self._threads.setdefault((pid, tid), _Labels())
        else:
            return
        if event.name.endswith("_name"):
            target.name = str(args.name or "").strip()
        elif event.name.endswith("_labels"):
            target.labels.append(str(args.labels or "").strip())
        elif type(args.sort_index) is int:
            target.sort_index = args.sort_index

    def finish(self) -> tuple[tuple[Lane, ...], list[int]]:
        """The lanes in drawing order, and for each number given out its place there."""
        keys = list(self._index)
        order = sorted(range(len(keys)), key=lambda number: self._sort_key(keys[number]))
        places = [0] * len(keys)
        for place, number in enumerate(order):
            places[number] = place
        return tuple(self._lane(keys[number]) for number in order), places

    def _sort_key(self, key: tuple[Any, ...]) -> tuple[Any, ...]:
        kind, pid, tid, device, stream = key
        process = self._processes.get(spelled(pid), _Labels())
        thread = self._threads.get((spelled(pid), spelled(tid)), _Labels())
        place = process.sort_index, _natural(pid), thread.sort_index, _natural(tid)
        return (_ORDER[kind], device, stream, *place)

    def _lane(self, key: tuple[Any, ...]) -> Lane:
        kind, pid, tid, device, stream = key
        process = self._processes.get(spelled(pid), _Labels())
        thread = self._threads.get((spelled(pid), spelled(tid)), _Labels()).name
        if kind is LaneKind.GPU:
            # a CPU process may have the device's number as its pid, then both share the file's metadata
            name, thread = f"GPU {device}", thread if thread.startswith("stream") else f"stream {stream}"
        else:
            name = _process_title(process, kind)
        return Lane(kind, spelled(pid), spelled(tid), name, thread, device, stream)


def kind_of(category: str) -> LaneKind:
    """What kind of lane a category's slices are drawn on."""
    if is_gpu_work(category):
        return LaneKind.GPU
    if is_gpu_annotation(category):
        return LaneKind.GPU_ANNOTATION
    return LaneKind.CPU if is_cpu(category) else LaneKind.OTHER


def spelled(value: Label) -> str:
    """A process or thread id as text; a missing one is empty."""
    return "" if value is None else str(value)


def _as_int(value: Label) -> int:
    return value if type(value) is int else MISSING


def _natural(value: Label) -> tuple[int, int, str]:
    return (0, value, "") if isinstance(value, int) else (1, 0, spelled(value))


def _process_title(process: _Labels, kind: LaneKind) -> str:
    wanted = kind is LaneKind.GPU_ANNOTATION
    labels = [label for label in dict.fromkeys(process.labels) if label and label.startswith("GPU") == wanted]
    return " ".join([process.name, *(f"({label})" for label in labels[:1])]).strip()
