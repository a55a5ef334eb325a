"""The working child's start: streams, life line and crash reports are set up before anything of the user's runs."""

from __future__ import annotations

import faulthandler
import sys

from profviz.worker.descendants import die_with_parent
from profviz.worker.streams import take_protocol


def run_child(*, guard_pid: int) -> int:
    """Serves one request; exit status 0 when it was served, whatever its outcome."""
    die_with_parent(guard_pid)
    requests, results = take_protocol()
    faulthandler.enable()  # a segfault leaves its Python stack on stderr
    sys.path[:] = [entry for entry in sys.path if entry != ""]
    try:
        from profviz.worker.session_loop import serve
    except ModuleNotFoundError as error:
        # nothing can be said by the protocol yet: its messages need numpy themselves
        print(f"{sys.executable} has no {error.name}, which profviz's worker needs; install it there.", file=sys.stderr)
        return 2
    return serve(requests=requests, results=results)
