"""Layout seconds and milliseconds a frame of the graph view, by node count; for each, the ratio to the smallest graph.

`python tests/benchmarks/bench_graph.py [NODES ...]` prints one line a graph. Shapes: `blocks` is transformer-like, with
residual edges, weights and fused kernels; `braid` is as many nodes with random edges, wider and harder than real ones.
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
from profviz.ui.views.graphs.layout import lay_out
from profviz.ui.widgets.graph_canvas import GraphCanvas
from profviz.ui.widgets.palette import DARK

SIZES = (100, 500, 1500, 3000, 10_000)
BLOCK = (
    "layer_norm mul add addmm view split permute attention permute view addmm "
    "add mul pow mul add mul tanh add mul addmm"
)
FRAMES = 30


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


def measure(shape: Callable[[int], Graph], count: int) -> tuple[float, float, float, float]:
    """Layout seconds; milliseconds a frame panning at 100 %, at 40 % and with everything in view."""
    graph = shape(count)
    layout_s = min(seconds(lambda: lay_out(graph, downwards=True)) for _ in range(3 if count <= 1500 else 1))
    canvas = GraphCanvas(DARK)
    canvas.resize(1600, 900)
    canvas.show()
    canvas.show_picture(lay_out(graph, downwards=True).picture)
    frames = []
    for scale in (1.0, 0.4, None):
        canvas.fit()
        if scale is not None:
            canvas.zoom_at(canvas.rect().center().toPointF(), scale / canvas.scale)
        frames.append(
            frame_ms(canvas, lambda: canvas.verticalScrollBar().setValue(canvas.verticalScrollBar().value() + 7))
        )
    canvas.close()
    return (layout_s, *frames)


def main() -> None:
    app = QApplication.instance() or QApplication([])
    sizes = [int(text) for text in sys.argv[1:]] or list(SIZES)
    print(f"{'graph':8}{'nodes':>8}{'layout s':>10}{'ratio':>8}{'ms 100%':>10}{'ms 40%':>9}{'ms whole':>10}")
    for shape in (blocks, braid):
        base = 0.0
        for count in sizes:
            layout_s, near, middle, whole = measure(shape, count)
            base = base or layout_s
            ratio = layout_s / base
            print(
                f"{shape.__name__:8}{count:8}{layout_s:10.3f}{ratio:8.1f}{near:10.1f}{middle:9.1f}{whole:10.1f}",
                flush=True,
            )
    app.processEvents()


if __name__ == "__main__":
    main()
