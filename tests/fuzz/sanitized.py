"""Runs the reader's tests on extensions built with AddressSanitizer and UBSan, in a copy of the tree.

`python tests/fuzz/sanitized.py [pytest arguments]`; needs gcc. Leaks are looked for by the fuzzer, not here: the
interpreter and its libraries leave memory of their own behind.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("profviz", "resources", "samples", "tests", "setup.py", "pyproject.toml", "README.md")
FLAGS = "-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer"
TESTS = ["tests/core", "tests/formats"]


def copy_tree(into: Path) -> None:
    """What building and testing needs, without what was built before."""
    skip = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__")
    for name in PARTS:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, into / name, ignore=skip)
        elif source.exists():
            shutil.copy(source, into / name)


def build(tree: Path) -> None:
    """Both extensions, in place; an optional one that fails to build is an error here."""
    environment = os.environ | {"CC": "gcc", "CFLAGS": FLAGS, "LDFLAGS": FLAGS}
    command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    subprocess.run(command, cwd=tree, env=environment, check=True)
    built = sorted(path.name for path in (tree / "profviz" / "core").glob("_*.so"))
    print("built:", *built, flush=True)
    if len(built) != 2:
        raise SystemExit("an extension was not built: its twin would be tested in its place")


def runtime() -> str:
    """The sanitizer's library, which must be there before everything else."""
    names = ("libasan.so", "libstdc++.so")
    paths = [subprocess.check_output(["gcc", f"-print-file-name={name}"], text=True).strip() for name in names]
    return " ".join(paths)


def test(tree: Path, arguments: list[str]) -> int:
    environment = os.environ | {
        "LD_PRELOAD": runtime(),
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "QT_QPA_PLATFORM": "offscreen",
    }
    where = "import profviz.core._scan as module; print('testing:', module.__file__)"
    subprocess.run([sys.executable, "-c", where], cwd=tree, env=environment, check=True)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-o", "timeout=0", *(arguments or TESTS)]
    return subprocess.run(command, cwd=tree, env=environment, check=False).returncode


def main() -> int:
    if shutil.which("gcc") is None:
        print("gcc is needed", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="profviz-sanitized-") as folder:
        tree = Path(folder) / "tree"
        tree.mkdir()
        copy_tree(tree)
        shared = ROOT.parent / "shared"
        if shared.is_dir():
            (Path(folder) / "shared").symlink_to(shared)
        build(tree)
        return test(tree, sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
