"""The text of each event, kept for what the columns do not hold."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from profviz.formats.chrome.mend import mend
from profviz.formats.chrome.scan import BAD_JSON


class EventText:
    """The full JSON object of an event by its number, read from the file's text when asked for."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._offsets: Any = np.zeros(0, dtype=np.int64)
        self._lengths: Any = np.zeros(0, dtype=np.int32)

    def fill(self, offsets: list[int], lengths: list[int]) -> None:
        self._offsets = np.array(offsets, dtype=np.int64)
        self._lengths = np.array(lengths, dtype=np.int32)

    def offset(self, event: int) -> int:
        """Where the event's text begins in the file's."""
        return int(self._offsets[event])

    def __call__(self, event: int) -> dict[str, Any]:
        if not 0 <= event < len(self._offsets):
            return {}
        at = int(self._offsets[event])
        text = self._data[at : at + int(self._lengths[event])]
        try:
            value = msgspec.json.decode(text)
        except BAD_JSON:
            value = mend(text).value
        return value if isinstance(value, dict) else {}
