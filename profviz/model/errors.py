"""The one exception that is meant for the user's eyes; anything else that escapes is a bug."""

from __future__ import annotations


class UserError(Exception):
    """Something the user can act on.

    `what` went wrong, `why` it did, and a `hint` at what to do; each is one plain-text sentence.
    Shown in a message strip, or on stderr with exit code 2.
    """

    def __init__(self, what: str, *, why: str = "", hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.why = why
        self.hint = hint

    def __str__(self) -> str:
        return "\n".join(part for part in (self.what, self.why, self.hint) if part)


class NothingInside(UserError):
    """A file that could be read and holds not one event: its exporter left it empty, or it is another kind of JSON."""
