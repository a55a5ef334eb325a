"""Finds slices: by name over the names, by other columns with numpy, by other arguments one event at a time."""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from profviz.analysis.search_query import QueryError, Term, length_ns, parse, text_matcher
from profviz.model.questions import Question, Unanswered
from profviz.model.results import Results, Side, SliceKind
from profviz.model.searches import BINS, MOST_LISTED, Found
from profviz.model.trace import MISSING, Lane, LaneKind

Mask = npt.NDArray[np.bool_]
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    ":": operator.eq,
    "=": operator.eq,
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
}
_GPU_COLUMNS = {
    "grid": "grid",
    "block": "block",
    "registers": "registers",
    "registers per thread": "registers",
    "stream": "stream",
    "device": "device",
    "bytes": "bytes",
    "shared": "shared_bytes",
    "shared memory": "shared_bytes",
    "graph": "graph",
}
_ID_COLUMNS = {"correlation": "correlation", "external": "external", "external id": "external"}
_SHAPES = ("shapes", "input dims", "shape")


def search(results: Results, question: Question) -> Found | Unanswered:
    """The slices of one side that meet the words `args[0]`, which are a regular expression where `args[1]` is true."""
    text, is_regex = question.args
    side = results.sides[question.side]
    try:
        terms = parse(str(text), is_regex=bool(is_regex))
        mask = _mask(side, terms)
    except QueryError as error:
        return Unanswered(str(error))
    return _found(side, mask, reads_args=any(_is_read(term) for term in terms))


def search_args(results: Results, question: Question) -> tuple[int, ...] | Unanswered:
    """Those of the slices `args[2]` whose events meet the words `args[0]` (`args[1]` as in `search`)."""
    text, is_regex, slices = question.args
    side = results.sides[question.side]
    assert isinstance(slices, tuple)
    try:
        terms = [term for term in parse(str(text), is_regex=bool(is_regex)) if _is_read(term)]
        return tuple(index for index in slices if _read_meets(side, index, terms))
    except QueryError as error:
        return Unanswered(str(error))


def _found(side: Side, mask: Mask, *, reads_args: bool) -> Found:
    hits = np.flatnonzero(mask)
    start = side.trace.slices.start_ns[hits]
    bin_ns = max(1, -(-max(1, side.trace.span_ns) // BINS))
    density = np.bincount(np.clip(start // bin_ns, 0, BINS - 1), minlength=BINS).astype(np.int64)
    count = len(hits)
    if count > MOST_LISTED:
        first = np.argpartition(start, MOST_LISTED)[:MOST_LISTED]
        hits, start = hits[first], start[first]
    order = np.lexsort((hits, start))
    return Found(count, hits[order].astype(np.int64), density, bin_ns, reads_args)


def _mask(side: Side, terms: Iterable[Term]) -> Mask:
    mask = np.ones(len(side.trace.slices), dtype=np.bool_)
    for term in terms:
        if not _is_read(term):
            own = _term_mask(side, term)
            mask &= ~own if term.negated else own
    return mask


def _term_mask(side: Side, term: Term) -> Mask:
    slices, trace = side.trace.slices, side.trace
    if term.field == "name":
        return _of(trace.names, term)[slices.name]
    if term.field == "cat":
        return _of(trace.categories, term)[slices.category]
    if term.field == "kind":
        return _of([kind.title for kind in SliceKind], term)[side.kinds]
    if term.field in ("stream", "track"):
        return _of_lanes(trace.lanes, term)[slices.lane]
    if term.field == "dur":
        found: Mask = _COMPARE[term.op](slices.dur_ns, np.int64(length_ns(term.value)))
        return found
    if term.field == "step":
        return _of_step(side, int(term.value))
    return _of_arg(side, term)


def _of(texts: Sequence[str], term: Term) -> Mask:
    matches = text_matcher(term)
    return np.fromiter((matches(text) for text in texts), dtype=np.bool_, count=len(texts))


def _of_lanes(lanes: Sequence[Lane], term: Term) -> Mask:
    """A stream by its number alone where a number is asked for, else by what the title says."""
    if term.field == "stream" and term.value.isdigit():
        return np.array([lane.stream == int(term.value) for lane in lanes], dtype=np.bool_)
    titles = [f"{lane.title} {lane.process}" for lane in lanes]
    found = _of(titles, term)
    if term.field == "stream":
        found &= np.array([lane.kind is LaneKind.GPU for lane in lanes], dtype=np.bool_)
    return found


def _of_step(side: Side, number: int) -> Mask:
    """Slices that begin within a step, and the GPU work launched in it; steps are counted from 1 as they are shown."""
    if not 1 <= number <= len(side.steps):
        return np.zeros(len(side.trace.slices), dtype=np.bool_)
    step, start = side.steps[number - 1], side.trace.slices.start_ns
    launch = side.links.launch
    moment = np.where(launch >= 0, start[np.maximum(launch, 0)], start) if len(start) else start
    return (moment >= step.start_ns) & (moment < step.end_ns)


# Arguments


def _is_read(term: Term) -> bool:
    """Whether the events themselves have to be looked at."""
    key = term.key.casefold()
    return term.field == "args" or (
        term.field == "arg" and key not in _GPU_COLUMNS and key not in _ID_COLUMNS and key not in _SHAPES
    )


def _of_arg(side: Side, term: Term) -> Mask:
    key, slices = term.key.casefold(), side.trace.slices
    mask = np.zeros(len(slices), dtype=np.bool_)
    if key in _ID_COLUMNS:
        return _compared(getattr(slices, _ID_COLUMNS[key]), term)
    if key in _SHAPES:
        shapes = side.trace.shapes
        mask[shapes.slice[_shapes_meet(shapes.texts, term)[shapes.text]]] = True
        return mask
    gpu = side.trace.gpu
    mask[gpu.slice[_compared(getattr(gpu, _GPU_COLUMNS[key]), term)]] = True
    return mask


def _shapes_meet(texts: Sequence[str], term: Term) -> Mask:
    """Blanks do not count: `[8,128` finds `[[8, 128], []]`."""
    wanted = "".join(term.value.split())
    return np.fromiter((wanted in "".join(text.split()) for text in texts), dtype=np.bool_, count=len(texts))


def _compared(values: npt.NDArray[Any], term: Term) -> Mask:
    """Known values that meet the term; a grid is compared as written (128,2,1 or 128x2x1) or by how many it makes."""
    if values.ndim == 2:
        return _compared_dims(values, term)
    known: Mask = values != MISSING
    if not term.value:
        return known
    return known & np.asarray(_COMPARE[term.op](values.astype(np.int64), _whole(term)), dtype=np.bool_)


def _compared_dims(values: npt.NDArray[Any], term: Term) -> Mask:
    known: Mask = values[:, 0] != MISSING
    if not term.value:
        return known
    if term.op in (":", "="):
        parts = [part for part in term.value.strip("[]()").replace("×", ",").replace("x", ",").split(",") if part]
        if not all(part.strip().isdigit() for part in parts) or not 1 <= len(parts) <= 3:
            raise QueryError(f"arg:{term.key} is followed by one to three numbers, as in arg:{term.key}=128,2,1")
        wanted = np.array([int(part) for part in parts] + [1] * (3 - len(parts)), dtype=np.int64)
        return known & np.asarray((values == wanted).all(axis=1), dtype=np.bool_)
    made = values.astype(np.int64).prod(axis=1)
    return known & np.asarray(_COMPARE[term.op](made, _whole(term)), dtype=np.bool_)


def _whole(term: Term) -> int:
    try:
        return max(-(2**62), min(2**62, int(term.value)))
    except ValueError:
        raise QueryError(f"arg:{term.key} is compared with a whole number, not with {term.value}") from None


def _read_meets(side: Side, index: int, terms: Iterable[Term]) -> bool:
    event = side.trace.args(int(side.trace.slices.event[index]))
    args = event.get("args")
    own = args if isinstance(args, dict) else {}
    return all(_event_meets(own, term) is not term.negated for term in terms)


def _event_meets(args: dict[str, Any], term: Term) -> bool:
    if term.field == "args":
        matches = text_matcher(term)
        return any(matches(f"{key} {_text(value)}") for key, value in args.items())
    key = term.key.casefold()
    return any(_value_meets(value, term) for name, value in args.items() if str(name).casefold() == key)


def _value_meets(value: Any, term: Term) -> bool:
    if not term.value:
        return True
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return bool(_COMPARE[term.op](value, float(term.value) if "." in term.value else int(term.value)))
    except ValueError:
        return False
    wanted = "".join(term.value.casefold().split())
    return term.op in (":", "=") and wanted in "".join(_text(value).casefold().split())


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
