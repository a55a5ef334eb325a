"""Which parts of a text are in which language, where one is written within another; knows no widget."""

from __future__ import annotations

import re

from profviz.ui.widgets.code_lexing import Segment

# The kernels' own code stands in string literals of Inductor's wrapper: each gets the colours of its language.
_EMBEDDED = re.compile(r"async_compile\.(\w+)\((?:(?!''').)*?(?P<whole>r?'''(?P<body>.*?)''')", re.DOTALL)
_LANGUAGES = {"triton": "python", "multi_kernel": "python", "cpp": "cpp", "cpp_pybinding": "cpp"}


def generated_segments(text: str) -> tuple[Segment, ...]:
    """The wrapper is Python; the bodies of its kernels are Python (Triton) or C++."""
    made, done = [], 0
    for match in _EMBEDDED.finditer(text):
        start, end = match.span("whole")
        made += [Segment(done, start, "python"), Segment(*match.span("body"), _LANGUAGES.get(match.group(1), "text"))]
        done = end
    return (*made, Segment(done, len(text), "python"))
