"""Layout seconds and milliseconds a frame of the graph view, by node count; for each, the ratio to the smallest graph.

`python tests/benchmarks/bench_graph.py [NODES ...]` prints one line a graph, all in time of this thread's processor:
seconds to what is seen at first and to the layout with everything open, and frames of the latter: the median while it
is panned at 100 %, at 40 % and as a whole, the worst of all these, and one of the run from boxes to groups.
Shapes: `blocks` is transformer-like, with residual edges, weights and fused kernels; `modules` is the same with module
names; `braid` has random edges, wider and harder than real graphs. Flat ones are laid out to some thousand nodes.
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
from profviz.ui.views.graphs.fusing import blended
from profviz.ui.views.graphs.layout import Placement, lay_out
from profviz.ui.widgets.graph_canvas import GraphCanvas
from profviz.ui.widgets.palette import DARK

SIZES = (250, 1000, 1500, 2000, 3000, 10_000)
BLOCK = (
    "layer_norm mul add addmm view split permute attention permute view addmm "
    "add mul pow mul add mul tanh add mul addmm"
)
FRAMES = 40
STEP = 23  # pixels a frame, both ways
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
    """Of this thread on a processor: what else the machine does is not in it."""
    began = time.thread_time()
    work()
    return time.thread_time() - began


def frames_ms(canvas: GraphCanvas) -> list[float]:
    """Panning there and back, each frame through the widget's own paint event."""
    QApplication.processEvents()
    canvas.viewport().repaint()
    times = []
    for frame in range(FRAMES):
        for bar in (canvas.horizontalScrollBar(), canvas.verticalScrollBar()):
            bar.setValue(bar.value() + (STEP if frame < FRAMES // 2 else -STEP))
        times.append(seconds(canvas.viewport().repaint) * 1000)
    return times


def morph_ms(canvas: GraphCanvas, placement: Placement) -> float:
    """Median of a frame on the way from boxes to groups."""

    def frame(share: float) -> None:
        canvas.recolour(blended(placement.picture, placement.fused, share), moving=True)
        canvas.viewport().repaint()

    return statistics.median(seconds(lambda share=share: frame(share / 10)) * 1000 for share in range(1, 10))


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
    """Seconds to the first sight and to the layout of all; milliseconds a frame, see above."""
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
    canvas.show_picture(made[-1].fused)
    frames = []
    for scale in (1.0, 0.4, None):
        canvas.fit()
        if scale is not None:
            canvas.zoom_at(canvas.rect().center().toPointF(), scale / canvas.scale)
        frames.append(frames_ms(canvas))
    morph = morph_ms(canvas, made[-1])
    canvas.close()
    return (first_s, all_s, *(statistics.median(each) for each in frames), max(max(each) for each in frames), morph)


def main() -> None:
    app = QApplication.instance() or QApplication([])
    sizes = [int(text) for text in sys.argv[1:]] or list(SIZES)
    heads = ("ms 100%", "ms 40%", "ms whole", "ms worst", "ms morph")
    print(f"{'graph':9}{'nodes':>8}{'first s':>9}{'all s':>9}{'ratio':>8}" + "".join(f"{head:>10}" for head in heads))
    for name, shape, modules in (("modules", blocks, True), ("blocks", blocks, False), ("braid", braid, False)):
        base = 0.0
        for count in sizes:
            if not modules and count > MOST_FLAT:
                continue
            first_s, all_s, *frames = measure(shape, count, modules=modules)
            base = base or all_s
            line = f"{name:9}{count:8}{first_s:9.3f}{all_s:9.3f}{all_s / base:8.1f}"
            print(line + "".join(f"{each:10.1f}" for each in frames), flush=True)
    app.processEvents()


if __name__ == "__main__":
    main()
