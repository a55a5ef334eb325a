"""Entry point of the worker: the guard process by default, the working child with --child.

Knows nothing of torch; also called by the `__main__.py` of a bundle, where profviz is not installed.
"""

from __future__ import annotations

import sys


def main() -> int:
    """The exit status; `--child GUARD_PID` is for the guard's own use."""
    if sys.argv[1:2] == ["--child"]:
        from profviz.worker.child import run_child

        return run_child(guard_pid=int(sys.argv[2]))
    from profviz.worker.guard import run_guard

    return run_guard()


if __name__ == "__main__":
    sys.exit(main())
