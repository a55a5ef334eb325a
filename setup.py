"""The native core: optional, so that the install also works without a compiler; the Python twins then do its work."""

from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

NATIVE = Path("profviz/core/native")
LIMITED_API = "0x030b0000"  # Python 3.11, which has the buffer protocol in it


def native(name: str, pattern: str) -> Extension:
    """The extension `profviz.core.<name>` of the C files that fit."""
    sources = sorted(path.as_posix() for path in NATIVE.glob(pattern))
    headers = sorted(path.as_posix() for path in NATIVE.glob("*.h"))
    return Extension(
        f"profviz.core.{name}",
        sources,
        depends=headers,
        define_macros=[("Py_LIMITED_API", LIMITED_API)],
        py_limited_api=True,
        optional=True,
    )


class Build(build_ext):
    """Optimises where the compiler takes the usual flags."""

    def build_extensions(self) -> None:
        if self.compiler.compiler_type != "msvc":
            for extension in self.extensions:
                extension.extra_compile_args += ["-O3", "-g0", "-fvisibility=hidden"]
        super().build_extensions()


setup(
    ext_modules=[native("_scan", "scan*.c"), native("_columns", "columns*.c")],
    cmdclass={"build_ext": Build},
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
