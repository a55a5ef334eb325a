"""Where a frame's inputs are first used, by Dynamo's graph: what torch before 2.8 does not write at a failed guard."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from profviz.model.graph import Graph, SourceLine, Stage

_ROOT = re.compile(r"^(\w+)(.*)$")


class FirstUses:
    """Looks lines up in the graphs that Dynamo wrote; each line there has its text."""

    def __init__(self, graphs: Iterable[Graph]) -> None:
        self._lines: dict[tuple[str, str], SourceLine] = {}
        self._texts: dict[tuple[str, int], str] = {}
        for graph in graphs:
            if graph.stage is Stage.DYNAMO:
                self._learn(graph)

    def of(self, compile_id: str, name: str) -> SourceLine | None:
        """The line that first uses the input `x`, or `x.size()[0]` of it."""
        root = _ROOT.match(name.partition(".size()")[0])
        if root is None:
            return None
        placeholder = f"l_{root[1]}_" + re.sub(r"\W+", "_", root[2]).removeprefix("_")
        return self._lines.get((compile_id, placeholder.lower()))

    def with_text(self, line: SourceLine | None) -> SourceLine | None:
        """The line with its text, where only its place is known and a graph quotes it."""
        if line is None or line.text:
            return line
        return replace(line, text=self._texts.get((line.file, line.line), ""))

    def _learn(self, graph: Graph) -> None:
        for node in graph.nodes:
            if node.source is not None and node.source.text:
                self._texts.setdefault((node.source.file, node.source.line), node.source.text)
        for producer, consumer in graph.edges:
            node, source = graph.nodes[producer], graph.nodes[consumer].source
            if node.op == "placeholder" and source is not None:
                self._lines.setdefault((graph.compile_id, node.name.lower()), source)
