"""The samples that the start page offers and the file dialogs' filters; looks at names only, reads no file."""

from __future__ import annotations

from pathlib import Path

from profviz.engine import places
from profviz.ui.pages.start import Sample

_SCRIPTS = {
    "mlp.py": ("MLP", "Three linear layers with GELU, inference"),
    "transformer.py": ("Transformer", "A small one that trains"),
    "graph_breaks.py": ("Graph breaks", "One construct of each kind that breaks a graph"),
    "dynamic_shapes.py": ("Changing sizes", "What recompiles, and the guard that failed"),
}
TRACES = ("*.json", "*.json.gz")
SCRIPT = "Python scripts (*.py)"
ANY = "All files (*)"
_FORMATS = {"trace": "chrome_trace", "log": "compile_log", "session": "session"}


def dialog_filters(kind: str) -> str:
    """The filter string of a file dialog, the wanted kind (script, trace, log, session) first."""
    from profviz.engine.file_types import file_patterns  # loads the readers: no business of the first paint

    known = file_patterns()
    filters = {
        id_: f"{title[:1].upper()}{title[1:]} ({' '.join(patterns)})" for id_, (title, patterns) in known.items()
    }
    if kind == "script":
        return f"{SCRIPT};;{ANY}"
    if kind:
        return f"{filters[_FORMATS[kind]]};;{ANY}"
    every = dict.fromkeys(pattern for _, patterns in known.values() for pattern in patterns)
    return ";;".join((f"All that profviz opens (*.py {' '.join(every)})", SCRIPT, *filters.values(), ANY))


def samples() -> tuple[Sample, ...]:
    folder = places.samples_folder()
    if folder is None:
        return ()
    scripts = [path for path in sorted(folder.glob("*.py")) if path.name != "__init__.py"]
    found = [Sample(*_title(path), (str(path),)) for path in sorted(scripts, key=_order)]
    traces = sorted({path for pattern in TRACES for path in folder.rglob(pattern)}, key=_eager_first)
    if len(traces) >= 2:
        pair = tuple(str(path) for path in traces[:2])
        found.append(Sample("Compare two traces", " and ".join(path.name for path in traces[:2]), pair))
    return tuple(found)


def _title(path: Path) -> tuple[str, str]:
    return _SCRIPTS.get(path.name, (path.stem.replace("_", " ").capitalize(), path.name))


def _order(path: Path) -> tuple[int, str]:
    known = list(_SCRIPTS)
    return (known.index(path.name) if path.name in known else len(known), path.name)


def _eager_first(path: Path) -> tuple[bool, str]:
    return ("eager" not in path.name, path.name)
