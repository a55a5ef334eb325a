"""Turns an exception that escaped into a report that the user can copy; says what of a run failed."""

from __future__ import annotations

import platform
import sys
import traceback
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING

import PySide6

import profviz
from profviz.model.errors import UserError
from profviz.ui.widgets.shell_messages import MessageStrip

if TYPE_CHECKING:  # numpy: not before the first paint
    from profviz.model.results import Results
    from profviz.model.run import Failure


def report_text(error: BaseException) -> str:
    """The traceback with the versions that matter, as plain text."""
    head = (
        f"profviz {profviz.__version__}, PySide6 {PySide6.__version__}, "
        f"Python {platform.python_version()}, {platform.platform()}"
    )
    return head + "\n\n" + "".join(traceback.format_exception(error))


def install_hook(show: Callable[[UserError, str], None]) -> None:
    """Sends whatever escapes a slot to `show` with its report, and to stderr; a UserError comes without a report."""

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        if isinstance(error, UserError):
            show(error, "")
            return
        text = report_text(error)
        print(text, file=sys.stderr)
        show(bug(error), text)

    sys.excepthook = hook


def bug(error: BaseException) -> UserError:
    return UserError(
        "Something in profviz went wrong; this is a bug.",
        why=f"{type(error).__name__}: {error}",
        hint="Copy the report and send it with what you did; your files are untouched.",
    )


def failed_variants(results: Results) -> list[MessageStrip]:
    """What of a run did not work although the rest did: a strip for each such variant."""
    variants = results.run.variants if results.run is not None else ()
    return [_strip(variant.title or variant.id, variant.failure) for variant in variants if variant.failure is not None]


def _strip(variant: str, failure: Failure) -> MessageStrip:
    what = f"{variant}: {failure.what}"
    return MessageStrip(what, why=failure.why, hint=failure.hint, report=failure.traceback, tone="warning")
