"""Layout seconds and milliseconds a frame of the graph view, by node count; for each, the ratio to the smallest graph.

`python tests/benchmarks/bench_graph.py [NODES ...]` prints one line a graph: seconds to what is seen at first and to
the layout with everything open, and frames of the latter. Shapes: `blocks` is transformer-like, with residual edges,
weights and fused kernels; `modules` is the same with module names; `braid` has random edges, wider and harder than
real graphs.
"""

from __future__ import annotations

import os
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from profviz.model.graph import Graph, Node, Stage, TensorSpec
from profviz.ui.views.graphs.clusters import every
from profviz.ui.views.graphs.layout import Placement, lay_out
from profviz.ui.widgets.graph_canvas import GraphCanvas
from profviz.ui.widgets.palette import DARK

SIZES = (100, 500, 1500, 3000, 10_000)
BLOCK = (
    "layer_norm mul add addmm view split permute attention permute view addmm "
    "add mul pow mul add mul tanh add mul addmm"
)
FRAMES = 30
MOST_FLAT = 3000  # no engine lays out more without modules in useful time


def blocks(count: int) -> Graph:
    """Residual blocks; every other operation has a weight, runs of pointwise operations share a kernel."""
    nodes = [Node("x", "placeholder", "x", TensorSpec((32, 128, 768), "float16"))]
    edges: list[tuple[int, int]] = []
    words, last, residual = BLOCK.split(), 0, 0
    while len(nodes) < count:
        word = words[len(edges) % len(words)]
        inputs = [last]
        if word == "addmm":
            nodes.append(Node(f"p_weight_{len(nodes)}", "placeholder", "w", TensorSpec((768, 768), "float16")))
            inputs.append(len(nodes) - 1)
            residual, inputs = last, [*inputs, residual]
        kernel = (
            f"triton_poi_fused_{len(nodes) // 6}:{len(nodes) // 6}" if word in ("mul", "add", "pow", "tanh") else ""
        )
        tensor = TensorSpec((32, 128, 768), "float16")
        target = f"torch.ops.aten.{word}.default"
        nodes.append(Node(f"{word}_{len(nodes)}", "call_function", target, tensor, kernels=(kernel,) if kernel else ()))
        last = len(nodes) - 1
        edges += [(each, last) for each in dict.fromkeys(inputs)]
    return Graph(Stage.POST_GRAD_FORWARD, "0/0", tuple(nodes), tuple(edges))


def braid(count: int) -> Graph:
    """Each node uses one or two of the forty before it, and sometimes any earlier one."""
    chance = random.Random(count)
    nodes = [
        Node(f"n{i}", "call_function", "torch.ops.aten.add.Tensor", TensorSpec((8,), "float32")) for i in range(count)
    ]
    edges = set()
    for index in range(1, count):
        for _ in range(chance.choice((1, 1, 2))):
            edges.add((chance.randint(max(0, index - 40), index - 1), index))
        if chance.random() < 0.02:
            edges.add((chance.randrange(index), index))
    return Graph(Stage.POST_GRAD_FORWARD, "0/0", tuple(nodes), tuple(sorted(edges)))


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def frame_ms(canvas: GraphCanvas, move: Callable[[], None]) -> float:
    """Median of painting after a move, through the widget's own paint event."""
    QApplication.processEvents()
    times = []
    for _ in range(FRAMES):
        move()
        times.append(seconds(canvas.viewport().repaint) * 1000)
    return statistics.median(times)


def named(graph: Graph) -> list[tuple[str, ...]]:
    """Modules as a transformer has them: each block with an attention and an MLP."""
    paths: list[tuple[str, ...]] = []
    calls = 0
    for node in graph.nodes:
        block, place = divmod(calls, len(BLOCK.split()))
        paths.append(("h", str(block), "attn" if place < len(BLOCK.split()) // 2 else "mlp"))
        calls += node.op == "call_function"
    return paths


def measure(shape: Callable[[int], Graph], count: int, *, modules: bool) -> tuple[float, ...]:
    """Seconds to the first sight and to the layout of all; milliseconds a frame of all at 100 %, 40 % and whole."""
    graph = shape(count)
    paths = named(graph) if modules else []
    repeats = 3 if count <= 1500 else 1
    first_s = min(seconds(lambda: lay_out(graph, downwards=True, modules=paths)) for _ in range(repeats))
    opened = {cluster.id for cluster in every(lay_out(graph, downwards=True, modules=paths, opened=()).root)}
    made: list[Placement] = []
    all_s = min(
        seconds(lambda: made.append(lay_out(graph, downwards=True, modules=paths, opened=opened)))
        for _ in range(repeats)
    )
    canvas = GraphCanvas(DARK)
    canvas.resize(1600, 900)
    canvas.show()
    canvas.show_picture(made[-1].picture)
    frames = []
    for scale in (1.0, 0.4, None):
        canvas.fit()
        if scale is not None:
            canvas.zoom_at(canvas.rect().center().toPointF(), scale / canvas.scale)
        frames.append(
            frame_ms(canvas, lambda: canvas.verticalScrollBar().setValue(canvas.verticalScrollBar().value() + 7))
        )
    canvas.close()
    return (first_s, all_s, *frames)


def main() -> None:
    app = QApplication.instance() or QApplication([])
    sizes = [int(text) for text in sys.argv[1:]] or list(SIZES)
    print(f"{'graph':9}{'nodes':>8}{'first s':>9}{'all s':>9}{'ratio':>8}{'ms 100%':>10}{'ms 40%':>9}{'ms whole':>10}")
    for name, shape, modules in (("modules", blocks, True), ("blocks", blocks, False), ("braid", braid, False)):
        base = 0.0
        for count in sizes:
            if not modules and count > MOST_FLAT:
                continue
            first_s, all_s, near, middle, whole = measure(shape, count, modules=modules)
            base = base or all_s
            line = (
                f"{name:9}{count:8}{first_s:9.3f}{all_s:9.3f}{all_s / base:8.1f}{near:10.1f}{middle:9.1f}{whole:10.1f}"
            )
            print(line, flush=True)
    app.processEvents()


if __name__ == "__main__":
    main()
