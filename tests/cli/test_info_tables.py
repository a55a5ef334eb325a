"""What `info --json` and the tables both say is the same."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from defect_files import SHARED, load_path

from profviz import cli
from profviz.analysis.linking import category_mask
from profviz.analysis.sides import make_side
from profviz.analysis.tables.registry import TABLES
from profviz.analysis.tables.within import Within
from profviz.model.categories import is_kernel
from profviz.model.questions import UNKNOWN, ColumnTable
from profviz.model.results import Results, Side

pytestmark = pytest.mark.skipif(not SHARED.exists(), reason="the shared captures are not beside this checkout")
NAMES = ("gpt2.eager", "gpt2.compiled-reduce-overhead", "broken_train.compiled-default", "ddp.eager.rank0")


def table(side: Side, id_: str) -> ColumnTable:
    made = TABLES[id_].build(Results("", "", (side,), (), (), ()), 0, Within())
    assert isinstance(made, ColumnTable)
    return made


@pytest.mark.parametrize("name", NAMES)
def test_tables_and_json_agree(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = SHARED / f"{name}.json.gz"
    assert cli.main(["info", "--json", str(path)]) == 0
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    side = make_side(id="a", title=name, trace=load_path(path)[0], notes=())
    gpu = told["gpu"]

    kernels, launches, steps = table(side, "kernels"), table(side, "launches"), table(side, "steps")
    kernel = category_mask(side.trace, is_kernel)[kernels.slice]
    calls, total = kernels.column("calls").values, kernels.column("total_ns").values
    assert int(calls[kernel].sum()) == gpu["kernels"]
    assert int(calls[~kernel].sum()) == gpu["copies"]
    assert int(total[kernel].sum()) == gpu["kernel_sum_ns"]
    assert int(kernel.sum()) == gpu["distinct_kernels"]

    api = launches.column("api")
    called = [api.texts[at].lower() for at in api.values.tolist()]
    assert sum("launch" in one for one in called) == gpu["launches"]
    assert sum("graphlaunch" in one for one in called) == gpu["graph_launches"]
    assert int(launches.column("gpu_count").values.sum()) == gpu["kernels"] + gpu["copies"] - gpu["unlinked"]

    told_steps = told["steps"]
    for id_, key in (("number", "number"), ("length_ns", "dur_ns"), ("kernels", "kernels"), ("ops", "ops")):
        assert steps.column(id_).values.tolist() == [step[key] for step in told_steps]
    busy = steps.column("busy_ns").values
    assert np.where(busy == UNKNOWN, -1, busy).tolist() == [
        -1 if step["gpu_busy_ns"] is None else step["gpu_busy_ns"] for step in told_steps
    ]
    assert int(table(side, "categories").column("total_ns").values.sum()) == int(total.sum())
