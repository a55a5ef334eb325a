"""What this machine has and lacks to show a window and to compile; each check says what brings what is missing."""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from profviz.engine import places
from profviz.engine.display import has_display
from profviz.engine.events import EnvironmentKnown, Event
from profviz.engine.interpreters import choose_interpreter
from profviz.engine.job import Cancellation
from profviz.engine.worker_job import ask_worker
from profviz.model.errors import UserError
from profviz.model.run import Environment

OK, WARN, MISSING = "ok", "warn", "missing"
QT_LIMIT_S = 60.0

# The Debian and Ubuntu package of each shared library that Qt wants and a bare server lacks.
PACKAGES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libGLX.so.0": "libgl1",
    "libOpenGL.so.0": "libopengl0",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libX11.so.6": "libx11-6",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libSM.so.6": "libsm6",
    "libICE.so.6": "libice6",
    "libxcb.so.1": "libxcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
}


@dataclass(frozen=True, slots=True)
class Check:
    """`status` is ok, warn (something works less well) or missing; `fix` is the command that mends it, or empty."""

    id: str
    title: str
    status: str
    text: str
    fix: str = ""


def check_all(*, interpreter: str = "", cancellation: Cancellation | None = None) -> list[Check]:
    """Every check, in the order they are shown; starts a Qt and a worker in processes of their own."""
    checks = [check_python(), check_qt(), check_display(), check_fonts()]
    checks += check_worker(choose_interpreter(interpreter), cancellation or Cancellation())
    return [*checks, check_core(), check_samples(), check_data_folder()]


def check_python() -> Check:
    version = platform.python_version()
    fits = (3, 11) <= sys.version_info[:2] <= (3, 13)
    text = f"{version} ({sys.executable})"
    return Check("python", "Python", OK if fits else WARN, text if fits else f"{text}; 3.11 to 3.13 are supported")


def check_qt() -> Check:
    """Starts Qt without a display: that needs everything but the display's own libraries."""
    code = "from PySide6 import QtCore, QtGui, QtWidgets; QtWidgets.QApplication(['check']); print(QtCore.qVersion())"
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    try:
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            env=environment,
            timeout=QT_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Check("qt", "Qt", MISSING, f"it could not be started: {error}")
    if done.returncode == 0:
        return Check("qt", "Qt", OK, f"Qt {done.stdout.strip()}")
    return qt_problem(done.stderr)


def qt_problem(stderr: str) -> Check:
    """What keeps Qt from starting, from what it printed."""
    last = stderr.strip().splitlines()[-1] if stderr.strip() else "it gave no reason"
    libraries = re.findall(r"(lib[\w.+-]+\.so[.\d]*): cannot open shared object", stderr)
    if libraries:
        return Check("qt", "Qt", MISSING, f"the system lacks {', '.join(libraries)}", install_command(libraries))
    if "No module named" in stderr:
        return Check("qt", "Qt", MISSING, last, "pip install PySide6-Essentials")
    return Check("qt", "Qt", MISSING, last)


def check_display() -> Check:
    if not has_display():
        text = "none: neither DISPLAY nor WAYLAND_DISPLAY is set; run, info and compare work without"
        return Check("display", "Display", WARN, text)
    libraries = missing_display_libraries()
    if libraries and os.environ.get("DISPLAY") and os.environ.get("QT_QPA_PLATFORM", "xcb") == "xcb":
        return Check("display", "Display", MISSING, f"Qt lacks {', '.join(libraries)}", install_command(libraries))
    names = [name for name in ("WAYLAND_DISPLAY", "DISPLAY", "QT_QPA_PLATFORM") if os.environ.get(name)]
    return Check("display", "Display", OK, ", ".join(f"{name}={os.environ[name]}" for name in names) or "the system's")


def missing_display_libraries() -> list[str]:
    """Shared libraries that Qt's X11 plug-in wants and the system lacks (Linux)."""
    found = importlib.util.find_spec("PySide6")
    places_of_qt = list(found.submodule_search_locations or ()) if found else []
    plugins = [path for place in places_of_qt for path in Path(place).glob("Qt/plugins/platforms/libqxcb.so")]
    try:
        texts = [
            subprocess.run(["ldd", str(path)], capture_output=True, text=True, timeout=20, check=False).stdout
            for path in plugins
        ]
    except (OSError, subprocess.TimeoutExpired):
        return []
    return sorted(set(re.findall(r"(\S+) => not found", "\n".join(texts))))


def check_fonts() -> Check:
    """Qt brings no fonts: without any on Linux every text is empty."""
    folders = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), Path.home() / ".local/share/fonts")
    if not sys.platform.startswith("linux"):
        return Check("fonts", "Fonts", OK, "the system's")
    if any(next(folder.rglob(f"*.{kind}"), None) for folder in folders for kind in ("ttf", "otf", "ttc")):
        return Check("fonts", "Fonts", OK, "found")
    return Check("fonts", "Fonts", MISSING, "none found", apt("fonts-dejavu-core"))


def check_worker(interpreter: str, cancellation: Cancellation) -> list[Check]:
    """Asks the interpreter that would run scripts what it has."""
    found: list[Environment] = []

    def emit(event: Event) -> None:
        if isinstance(event, EnvironmentKnown):
            found.append(event.environment)

    try:
        ask_worker_for_environment(interpreter, cancellation, emit)
    except UserError as error:
        text = " ".join(part for part in (error.what, error.why.partition("\n")[0]) if part)
        return [Check("torch", "torch", MISSING, text, f"{interpreter} -m pip install torch")]
    if not found:
        return [Check("torch", "torch", MISSING, "the worker told nothing about itself")]
    return environment_checks(found[0])


def ask_worker_for_environment(interpreter: str, cancellation: Cancellation, emit: Callable[[Event], None]) -> None:
    from profviz.protocol.messages import Probe

    ask_worker(Probe(), interpreter=interpreter, cancellation=cancellation, emit=emit)


def environment_checks(environment: Environment) -> list[Check]:
    pip = f"{environment.executable} -m pip install"
    if not environment.torch:
        text = f"{environment.executable} has none"
        return [Check("torch", "torch", MISSING, text, f"{pip} torch"), check_compiler(environment)]
    cuda = [device for device in environment.devices if device.kind == "cuda"]
    checks = [Check("torch", "torch", OK, f"{environment.torch} ({environment.executable})")]
    if cuda:
        names = ", ".join(device.name for device in cuda)
        checks.append(Check("cuda", "CUDA", OK, f"{environment.cuda}: {names}"))
        triton = Check("triton", "Triton", OK, environment.triton)
        lacks = Check("triton", "Triton", MISSING, "compiling for the GPU needs it", f"{pip} triton")
        checks.append(triton if environment.triton else lacks)
    else:
        why = "torch sees no GPU" if environment.cuda else "this torch was built without CUDA"
        checks.append(Check("cuda", "CUDA", WARN, f"{why}; scripts run on the CPU"))
    return [*checks, check_compiler(environment)]


def check_compiler(environment: Environment) -> Check:
    if environment.compiler:
        return Check("compiler", "C++ compiler", OK, environment.compiler)
    fixes = {"darwin": "xcode-select --install", "win32": "winget install Microsoft.VisualStudio.2022.BuildTools"}
    text = "none: torch.compile cannot build code for the CPU"
    return Check("compiler", "C++ compiler", MISSING, text, fixes.get(sys.platform) or apt("g++"))


def check_core() -> Check:
    """Whether traces are read by the C core or by its Python twins."""
    from profviz.formats.chrome.reader import HAS_NATIVE  # readers and numpy: not before they are needed

    if HAS_NATIVE:
        return Check("core", "C core", OK, "built")
    text = "not built when profviz was installed: opening a trace takes about 17 times the work"
    return Check("core", "C core", WARN, text, f"{apt('gcc')}; then install profviz again")


def check_samples() -> Check:
    folder = places.samples_folder()
    scripts = sorted(path.name for path in folder.glob("*.py") if path.name != "__init__.py") if folder else []
    if folder is None or not scripts:
        return Check("samples", "Samples", WARN, "this installation has none", "pip install --force-reinstall profviz")
    return Check("samples", "Samples", OK, f"{folder}: {', '.join(scripts)}")


def check_data_folder() -> Check:
    folder = places.sessions_folder()
    try:
        places.make_folder(folder)
    except UserError as error:
        return Check(
            "sessions", "Sessions", MISSING, f"{error.what} {error.why}", f"export {places.HOME_VARIABLE}=FOLDER"
        )
    if not os.access(folder, os.W_OK):
        text = f"{folder} cannot be written"
        return Check("sessions", "Sessions", MISSING, text, f"export {places.HOME_VARIABLE}=FOLDER")
    return Check("sessions", "Sessions", OK, str(folder))


def install_command(libraries: Iterable[str]) -> str:
    """The command that brings shared libraries on Debian and Ubuntu; empty when one is not known."""
    wanted = {PACKAGES.get(library, "") for library in libraries}
    return apt(*sorted(wanted)) if wanted and "" not in wanted else ""


def apt(*packages: str) -> str:
    root = not hasattr(os, "geteuid") or os.geteuid() == 0
    return f"{'' if root else 'sudo '}apt-get install {' '.join(packages)}"
