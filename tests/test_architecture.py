"""The import table of the design, and its run-time checks."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "profviz"
STDLIB = set(sys.stdlib_module_names)

CLI = {"profviz", "profviz.engine", "profviz.formats", "profviz.analysis", "profviz.model"}
COMMANDS = {f"profviz.cli_{part}" for part in ("doctor", "export", "files", "follow", "json", "report", "run", "text")}

# room -> what it may import besides the standard library and itself; the longest matching room wins
TABLE: dict[str, set[str]] = {
    "profviz.model": {"numpy"},
    "profviz.core": {"numpy"},
    "profviz.formats": {"profviz", "profviz.model", "profviz.core", "numpy", "msgspec", "zlib_ng", "zstandard"},
    "profviz.formats.export": {"profviz.model", "profviz.formats", "numpy", "msgspec", "zlib_ng", "pyarrow"},
    "profviz.analysis": {"profviz.model", "numpy"},
    "profviz.worker": {"profviz.model", "profviz.protocol", "profviz", "numpy", "torch", "triton"},
    "profviz.protocol": {"profviz.model"},
    "profviz.engine": {"profviz.model", "profviz.protocol", "profviz.formats", "profviz.analysis", "profviz", "numpy"},
    "profviz.ui.widgets": {"PySide6", "pyqtgraph", "profviz.core", "profviz.model.units", "numpy", "pygments"},
    "profviz.ui.views": {
        "PySide6",
        "pyqtgraph",
        "numpy",
        "fast_sugiyama",
        "profviz.ui.widgets",
        "profviz.ui.view_state",
        "profviz.ui.views.spec",
        "profviz.model",
        "profviz.core",
    },
    "profviz.ui.views.registry": {"profviz.ui.views"},
    "profviz.ui": {"PySide6", "numpy", "profviz", "profviz.engine", "profviz.model", "profviz.analysis"},
    "profviz.cli": CLI | COMMANDS,
    **dict.fromkeys(COMMANDS, CLI | COMMANDS),
    "profviz.__main__": {"profviz.cli", "profviz.ui", "profviz.model"},
    "profviz": set(),
}


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def module_name(path: Path) -> str:
    parts = list(path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(name: str) -> str:
    if name.startswith("profviz.ui.views.") and name.split(".")[3] not in ("spec", "registry"):
        return ".".join(name.split(".")[:4])  # each view is a room of its own
    return max((room for room in TABLE if name == room or name.startswith(room + ".")), key=len)


def imports(path: Path) -> list[tuple[int, str]]:
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno} relative import"
            found.append((node.lineno, node.module or ""))
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "importlib.import_module":
            found += [(node.lineno, arg.value) for arg in node.args if isinstance(arg, ast.Constant)]
    return found


def allowed(name: str, target: str) -> bool:
    room = room_of(name)
    table = TABLE["profviz.ui.views"] if room.startswith("profviz.ui.views.") and room not in TABLE else TABLE[room]
    if target.split(".")[0] in STDLIB:
        return True
    inside = target == room or target.startswith(room + ".")
    if inside and room != "profviz":
        return True
    exact = {"profviz"}  # the package itself (its version), never everything below it
    return any(target == entry or (entry not in exact and target.startswith(entry + ".")) for entry in table)


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_keep_to_the_table(path: Path) -> None:
    name = module_name(path)
    wrong = [f"{path}:{line} {target}" for line, target in imports(path) if not allowed(name, target)]
    assert not wrong


def unloaded(statement: str, *absent: str) -> None:
    code = f"import sys; {statement}; bad = [m for m in {absent!r} if m in sys.modules]; sys.exit(', '.join(bad) or 0)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr


def test_window_leaves_torch_unloaded() -> None:
    unloaded("import profviz.ui.main_window", "torch")


@pytest.mark.parametrize("room", ["formats.registry", "analysis.registry", "cli", "engine.jobs"])
def test_below_the_window_qt_and_torch_stay_unloaded(room: str) -> None:
    unloaded(f"import profviz.{room}", "torch", "PySide6")


def test_worker_loads_neither_qt_nor_the_readers() -> None:
    unloaded("import profviz.worker.session_loop", "PySide6", "profviz.formats", "profviz.engine", "msgspec")


def function_lengths() -> list[int]:
    return [
        (node.end_lineno or node.lineno) - node.lineno + 1
        for path in modules()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def test_functions_and_files_stay_short() -> None:
    lengths = sorted(function_lengths())
    assert lengths[len(lengths) // 2] <= 10
    assert lengths[len(lengths) * 9 // 10] <= 35
    too_long = {str(p): n for p in modules() if (n := p.read_text(encoding="utf-8").count("\n")) > 400}
    assert not too_long
