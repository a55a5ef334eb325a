"""Texts of a compile log as a tree, and what else is to be read of a compilation; pure, no Qt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from profviz.model.artifacts import Artifact
from profviz.model.compile_report import CompiledFrame, CompileReport, whole_id
from profviz.model.graph import SourceLine, Stage
from profviz.model.results import Results
from profviz.model.units import format_bytes, format_count, format_ns
from profviz.ui.view_state import Selection
from profviz.ui.views.artifacts.titles import BEFORE, ISSUES, is_graph, title

WHOLE_LOG = "The whole log"
FAILURES = "Failures and restarts"
_ENDINGS = {
    "✓": "compiled",
    "↻ restarted": "compiled, after it was begun again",
    "no graph": "compiled without a graph",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the tree: `artifact` is an index or -1, `compile_id` the compilation it stands for or in.

    `note` stands right of the title. A row that `is_page` has a text of its own, which is `text` where it is not
    worked out; one that `is_open` shows its children as soon as it is seen itself.
    """

    title: str
    note: str = ""
    tone: str = "plain"
    tip: str = ""
    artifact: int = -1
    compile_id: str = ""
    is_page: bool = False
    is_open: bool = False
    text: str = ""
    children: tuple[Row, ...] = ()


@dataclass(frozen=True, slots=True)
class Wanted:
    """Words to look for and in which texts they were found, how often; without words everything is shown."""

    words: str = ""
    hits: Mapping[int, int] = field(default_factory=dict)

    def has(self, at: int, one: Artifact) -> bool:
        return at in self.hits or self.words.casefold() in f"{title(one)} {one.name} {one.label}".casefold()


@dataclass(frozen=True, slots=True)
class Log:
    """A report with what is looked up for every row: frames by compile id, which were summed up, which have a graph."""

    report: CompileReport
    frames: Mapping[str, CompiledFrame]
    measured: frozenset[str]
    drawn: frozenset[str]

    @classmethod
    def of(cls, report: CompileReport) -> Log:
        items = report.artifacts.items
        return cls(
            report,
            {frame.compile_id: frame for frame in report.frames},
            frozenset(one.compile_id for one in items if one.name == "compilation_metrics"),
            frozenset(whole_id(graph.compile_id) for graph in report.graphs if graph.stage is Stage.DYNAMO),
        )


def empty(results: Results) -> str:
    if any(len(report.artifacts) for _, report in results.reports):
        return ""
    return "No compile log was opened. Open what TORCH_TRACE wrote, or run a script."


# The tree by compilation


def by_compile(log: Log, wanted: Wanted) -> tuple[Row, ...]:
    """What went wrong, then each compilation with its texts in the order of the log, then what belongs to none."""
    members: dict[str, list[int]] = {}
    for at, one in enumerate(log.report.artifacts.items):
        if wanted.has(at, one):
            members.setdefault(one.compile_id, []).append(at)
    began = {compile_id: at for at, compile_id in enumerate(log.frames)}
    named = sorted((one for one in members if one), key=lambda one: began.get(one, len(began)))
    groups = [_compilation(log, compile_id, members[compile_id], wanted) for compile_id in named]
    rest = [_text_row(log.report, at, wanted) for at in members.get("", ())]
    whole = [Row(WHOLE_LOG, note=_count(len(rest)), children=tuple(rest))] if rest else []
    return (*_failures(log.report, wanted), *_issues(log.report, wanted), *groups, *whole)


def _failures(report: CompileReport, wanted: Wanted) -> list[Row]:
    found = [frame for frame in report.frames if frame.fail or frame.restarts]
    if not found or wanted.words:
        return []
    return [Row(FAILURES, note=str(len(found)), tone="warn", is_page=True)]


def _issues(report: CompileReport, wanted: Wanted) -> list[Row]:
    """What exporting found wrong, also listed where it was found."""
    found = [at for at, one in enumerate(report.artifacts.items) if one.name in ISSUES]
    if not found or wanted.words:
        return []
    rows = tuple(replace(_text_row(report, at, wanted), tone="warn") for at in found)
    count = sum(report.artifacts.items[at].records for at in found)
    return [Row("Found while exporting", note=str(count), tone="warn", children=rows)]


def _compilation(log: Log, compile_id: str, members: Sequence[int], wanted: Wanted) -> Row:
    frame = log.frames.get(compile_id)
    word, tone = status(log, compile_id)
    place = f"{frame.function} · {frame.source.place}" if frame and frame.source else frame.function if frame else ""
    place = place or ("compiled autograd" if compile_id.startswith("!") else "")
    return Row(
        "  ".join(part for part in (compile_id, place) if part),
        note=word,
        tone=tone,
        tip=frame.source.whole_place if frame and frame.source else "",
        compile_id=compile_id,
        is_page=True,
        children=_attempts(log.report, compile_id, members, wanted),
    )


def _attempts(report: CompileReport, compile_id: str, members: Sequence[int], wanted: Wanted) -> tuple[Row, ...]:
    """Its texts, apart by attempt where there was more than one."""
    rows: dict[int, list[Row]] = {}
    for at in members:
        rows.setdefault(report.artifacts.items[at].attempt, []).append(_text_row(report, at, wanted))
    if len(rows) == 1:
        return tuple(next(iter(rows.values())))
    last = max(rows)
    return tuple(
        Row(
            f"Attempt {number}{'' if number == last else ', given up'}",
            note=_count(len(rows[number])),
            tone="plain" if number == last else "muted",
            compile_id=compile_id,
            is_open=number == last,
            children=tuple(rows[number]),
        )
        for number in sorted(rows)
    )


def status(log: Log, compile_id: str) -> tuple[str, str]:
    """How a compilation ended in a word, and its tone."""
    frame = log.frames.get(compile_id)
    if frame is None:
        return "", "plain"
    if frame.fail:
        return "✕ failed", "bad"
    if frame.restarts:
        return "↻ restarted", "warn"
    if compile_id not in log.measured:
        return "not finished", "muted"
    return ("✓", "good") if compile_id in log.drawn else ("no graph", "muted")


def _text_row(report: CompileReport, at: int, wanted: Wanted) -> Row:
    one = report.artifacts.items[at]
    hits = wanted.hits.get(at, 0)
    told = [f"{one.name}: {format_bytes(one.size)} from byte {one.offset:,} of the log"]
    told += [f"{one.records} records"] if one.records > 1 else []
    told += [one.label] if one.label else []
    told += [] if one.is_known else ["This version of profviz does not know the kind; it is shown as it is."]
    return Row(
        title(one),
        note=f"{format_count(hits)} ×" if hits else format_bytes(one.size),
        tone="plain" if one.is_known else "warn",
        tip="\n".join(told),
        artifact=at,
        compile_id=one.compile_id,
    )


def _count(number: int) -> str:
    return f"{number} text{'' if number == 1 else 's'}"


# The tree by calls


def by_calls(log: Log) -> tuple[Row, ...]:
    """Every call on the way to a compilation, indented where ways part, and the compilations below what called them."""
    known = [frame for frame in log.report.frames if frame.stack]
    rows = _calls(log, [(frame.stack, frame) for frame in known])
    rest = [_call_end(log, frame) for frame in log.report.frames if not frame.stack]
    unknown = [Row("The log does not say who called", tone="muted", children=tuple(rest))] if rest else []
    return (*rows, *unknown)


def _calls(log: Log, ways: Sequence[tuple[tuple[SourceLine, ...], CompiledFrame]]) -> tuple[Row, ...]:
    """Goes along what all ways have in common on one level."""
    rows: list[Row] = []
    while ways:
        rows += [_call_end(log, frame) for stack, frame in ways if not stack]
        ways = [(stack, frame) for stack, frame in ways if stack]
        nexts: dict[SourceLine, list[tuple[tuple[SourceLine, ...], CompiledFrame]]] = {}
        for stack, frame in ways:
            nexts.setdefault(stack[0], []).append((stack[1:], frame))
        if len(nexts) != 1:
            return (*rows, *(_call(line, _calls(log, own)) for line, own in nexts.items()))
        line, ways = next(iter(nexts.items()))
        rows.append(_call(line, ()))
    return tuple(rows)


def _call(line: SourceLine, children: tuple[Row, ...]) -> Row:
    whole = f"{line.whole_place}\n    {line.text}"
    words = f"{line.place}  {line.function}"
    return Row(words, note=line.text, tone="muted", tip=whole, text=whole, children=children)


def _call_end(log: Log, frame: CompiledFrame) -> Row:
    word, tone = status(log, frame.compile_id)
    place = frame.source.place if frame.source else ""
    return Row(
        f"{frame.compile_id}  {frame.function}",
        note="  ".join(part for part in (word, place) if part),
        tone="accent" if tone in ("plain", "good") else tone,
        tip=frame.source.whole_place if frame.source else "",
        compile_id=frame.compile_id,
        is_page=True,
    )


# Pages of their own


def page_of(log: Log, compile_id: str) -> str:
    """A compilation's own page, or that of all failures where none is named."""
    return compile_page(log, compile_id) if compile_id else failures_page(log.report)


def failures_page(report: CompileReport) -> str:
    """Each compilation that was given up or begun again, and why."""
    lines: list[str] = []
    for frame in report.frames:
        head = f"{frame.compile_id}  {frame.function}" + (f"  {frame.source.whole_place}" if frame.source else "")
        own = [f"  begun again: {text}" for text in frame.restarts]
        if frame.fail:
            own += [f"  failed: {frame.fail}"]
            own += [f"    at {frame.fail_source.whole_place}"] if frame.fail_source else []
        lines += [head, *own, ""] if own else []
    return "\n".join(lines).rstrip()


def compile_page(log: Log, compile_id: str) -> str:
    """What the log says of one compilation in short: how it came to it, what it took, how it ended."""
    report, frame = log.report, log.frames.get(compile_id)
    if frame is None:
        return f"{compile_id}: the log has texts of this compilation but not how it began or ended."
    blocks = [_facts(log, frame), *_calls_block(frame)]
    again = [one for one in report.recompiles if one.compile_id == compile_id]
    blocks += [["Why it was compiled again", *(f"  {text}" for one in again for text in one.reasons)]] if again else []
    ended = [found for found in report.breaks if compile_id in found.compile_ids]
    blocks += [["Graph breaks", *(f"  {found.source.place}  {found.reason}" for found in ended)]] if ended else []
    sizes = [one for one in report.symbols if one.compile_id == compile_id]
    made = [f"  {one.name} = {one.value}  {one.range}  {one.of}" for one in sizes]
    blocks += [["Sizes made symbolic", *made]] if made else []
    return "\n\n".join("\n".join(block) for block in blocks)


def _facts(log: Log, frame: CompiledFrame) -> list[str]:
    word, _ = status(log, frame.compile_id)
    caches = [f"{one.cache} {one.state}" for one in log.report.caches if one.compile_id == frame.compile_id]
    pairs = [
        ("function", f"{frame.function}  {frame.source.whole_place if frame.source else ''}".rstrip()),
        ("ended", _ENDINGS.get(word, word)),
        ("attempts", str(frame.attempts)),
        ("forward", format_ns(frame.duration_ns)),
        ("backward", format_ns(frame.backward_ns)),
        ("guards", format_count(frame.guards)),
        ("caches", ", ".join(caches) or "not asked"),
        *(("begun again", text) for text in frame.restarts),
        *((("failed", frame.fail),) if frame.fail else ()),
    ]
    return [frame.compile_id, *(f"  {key:<12}{value}" for key, value in pairs)]


def _calls_block(frame: CompiledFrame) -> list[list[str]]:
    if not frame.stack:
        return []
    calls = [text for line in frame.stack for text in (f"  {line.whole_place}", f"      {line.text}") if text.strip()]
    return [["Called from", *calls]]


# Comparing


@dataclass(frozen=True, slots=True)
class Partner:
    """A text that another can be compared with; `report` and `artifact` say which."""

    title: str
    report: int
    artifact: int


def partners(results: Results, report: int, at: int) -> tuple[Partner, ...]:
    """What the pass began with first, then the graphs before it, then the same kind elsewhere."""
    items = results.reports[report][1].artifacts.items
    one = items[at]
    own = [
        other
        for other in reversed(range(at))
        if (items[other].compile_id, items[other].attempt) == (one.compile_id, one.attempt) and is_graph(items[other])
    ]
    first = [other for other in own if items[other].name == BEFORE.get(one.name)][:1] if is_graph(one) else []
    graphs = [*first, *(other for other in own if other not in first)] if is_graph(one) else []
    found = [Partner(title(items[other]), report, other) for other in graphs]
    return (*found, *_same_elsewhere(results, report, at))


def _same_elsewhere(results: Results, report: int, at: int) -> list[Partner]:
    one = results.reports[report][1].artifacts.items[at]
    found = []
    for number, (label, other) in enumerate(results.reports):
        where = "" if number == report else f"{results.report_title(label)} · "
        for index, item in enumerate(other.artifacts.items):
            if item.name == one.name and (number, index) != (report, at):
                attempt = f" attempt {item.attempt}" if item.attempt else ""
                found.append(Partner(f"{where}{item.compile_id or WHOLE_LOG}{attempt} · {title(item)}", number, index))
    return found


# Other places


def chosen_elsewhere(results: Results, selection: Selection) -> tuple[int, str]:
    """Report and compile id of what is selected; -1 and empty where it belongs to no compilation."""
    pick = selection.pick
    if pick.compile_id:
        return max(0, pick.report), pick.compile_id
    for report, graph, _ in selection.nodes:
        if report < len(results.reports) and graph < len(results.reports[report][1].graphs):
            return report, whole_id(results.reports[report][1].graphs[graph].compile_id)
    for key in selection.kernels:
        compile_id = whole_id(key).split(" ")[0]
        for number, (_, report_) in enumerate(results.reports):
            ids = {whole_id(code.compile_id) for code in report_.code}
            if compile_id in ids and pick.report in (-1, number):
                return number, compile_id
    return -1, ""


def suggested_name(one: Artifact) -> str:
    """A name for a file of its own."""
    words = [one.compile_id.replace("/", "_").replace(":", "_"), one.name, one.direction]
    part = f"part{one.part}" if one.part else ""
    return "-".join(word for word in (*words, part) if word).replace("/", "_") + one.language.suffix
