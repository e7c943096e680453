#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The oracle for the critical path and what-if against the figures of their definition, and against itself; the program is not run.

ORACLE_SEEDS: how many random jobs (20); ORACLE_BASE: the first. FIGURES=all: also the figures that take minutes;
TRACES_MOST_KB: without those of larger traces.
The figures count copies within a device as copies and memsets apart; by the vocabulary both are compute.
"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "why"))
import opened  # noqa: E402
import path  # noqa: E402
import random_work  # noqa: E402
import scenarios  # noqa: E402
import wl  # noqa: E402
from held_out import HeldOut  # noqa: E402
from replayer import Replayer  # noqa: E402
from steps import Steps  # noqa: E402

GENERATOR = os.path.join(os.path.dirname(HERE), "support", "gen_trace.py")
ALL = os.environ.get("FIGURES") == "all"
LONG = "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x256"

# name, window, path by class, savings in percent as printed, held-out percents as printed; the last two where they are compared
GENERATED = (
    ("train.sqlite", "--ranks 4 --layers 12 --iters 20 --straggler 2:1.15 --seed 1", 1067235639,
     {"compute": 1052466909, "transfer": 6225215, "dispatch": 6084000, "host": 1864677, "api": 317633, "latency": 126705, "dependency": 88000,
      "copy": 34000, "return": 28500}, {"comm-free": "0.583", "kernel=" + LONG: "22.33"}, ("0.00", "0.04", "0.28", "0.49")),
    ("serving.sqlite", "--ranks 2 --layers 16 --serving --iters 200 --seed 3", 622474050,
     {"compute": 408538546, "transfer": 104346278, "host": 84164303}, {"comm-free": "16.763"}, None),
    ("moe.sqlite", "--ranks 8 --layers 4 --moe --seed 2", 623493746,
     {"compute": 584296877, "transfer": 30818975, "comm": 0}, {"comm-free": "3.199"}, ("0.05", "0.21", "0.12", "0.24")),
)
CORPUS = (
    ("balinski-series-02-2025.5", 73992072, {"api": 32483919, "latency": 21514446, "return": 9167544, "host": 6943338},
     {"copies-free": "3.92", "launch-free": "32.8", "host-free": "73.9"}),
    ("llama3-inference-2024.6", 678885106, {"host": 637620082, "api": 24700578, "compute": 13710838}, {"host-free": "97.2"}),
    ("nsightful-power-iteration-2025.3", 1790613909, {"compute": 1131741372, "host": 652365308}, {"kernel=gemv2T": "30.01"}),
    ("nsys-ai-h100-2gpu-1s", 969447605, {"copy": 940483420, "compute": 22376267}, {"copies-free": "95.69"}),
    ("nsys-ai-mfu-2gpu-before", 299877006, {"compute": 192367576, "host": 80442849, "transfer": 5955296, "comm": 0, "unknown": 28194},
     {"comm-free": "1.884", "host-free": "10.3"}),
    ("nersc-sc22-ddp-4gpu-baseline", 1828647601, {"compute": 1636560939, "copy": 68163328, "host": 55722666},
     {"copies-free": "3.09", "host-free": "3.3"}),
)


def classes(walk):
    """Time by class as the figures count it."""
    def kind(s):
        if s.cls == "compute" and s.activity.kind == "op" and s.activity.row.kind in ("memcpy", "memset"):
            return {"memcpy": "copy", "memset": "memset"}[s.activity.row.kind]
        return s.cls
    return path.sums(walk.segments, kind)


def scenario(graph, steps, name):
    """A scenario as the figures have it: those of host-free are older than the rule that a first launch after a wait keeps its latency."""
    if name == "host-free":
        return scenarios.host_free(graph, kept=())
    if name.startswith("kernel="):
        return scenarios.of_kernel(graph, name[7:], "0.5")
    return scenarios.standard(graph, steps, [name])[name]


def as_printed(value, text):
    return "%.*f" % (len(text.split(".")[1]), value)


def sound(tally, name, graph, replayer, walk):
    """What holds for every trace: segments tile, parts of the window add up, the replay of what was measured moves nothing."""
    tally.check(name + " tiling", path.tiling(walk))
    tally.equal(name + " identity", (len(replayer.moved()), replayer.circles), (0, 0))
    third = (walk.high - walk.low) // 3
    cuts = [walk.low, walk.low + third, walk.low + 2 * third, walk.high]
    parts = [path.sums(walk.segments, lambda s: (s.rank, s.cls), w) for w in zip(cuts, cuts[1:])]
    whole = path.sums(walk.segments, lambda s: (s.rank, s.cls))
    tally.equal(name + " windows", {k: sum(p.get(k, 0) for p in parts) for k in whole}, whole)
    tally.equal(name + " lags", [a.index for a in graph.activities if a.lag is not None and a.lag < 0], [])
    tally.equal(name + " transfers", [a.index for a in graph.activities if a.tau is not None and a.tau < 0], [])


def graph_of_figures(name, where):
    """The graph as it was when the figures of generated traces were taken: stream waits had the wrong pair, so that no event was
    known."""
    return opened.open_graph(where, events=not name.endswith(".sqlite"))


def figures(tally, name, where, window, by_class, savings, held=None):
    graph = graph_of_figures(name, where)
    replayer, walk, steps = Replayer(graph), path.Walk(graph), Steps(graph)
    sound(tally, name, graph, replayer, walk)
    got = classes(walk)
    tally.equal(name + " window", walk.high - walk.low, window)
    tally.equal(name + " path", {c: got.get(c, 0) for c in by_class}, by_class)
    for what, text in savings.items():
        saved = 100 * replayer.saving(scenario(graph, steps, what)) / replayer.measured
        tally.equal("%s %s" % (name, what), as_printed(saved, text), text)
    if held and ALL:
        found = HeldOut(replayer, steps).figures()
        tally.equal(name + " held-out", tuple(as_printed(f, t) for f, t in zip(found, held)), held)


def unpacked(name, scratch):
    """A corpus trace by the beginning of its name."""
    packed = os.path.join(wl.CORPUS, name, "trace.sqlite.zst")
    out = os.path.join(scratch, name + ".sqlite")
    with open(out, "wb") as f:
        subprocess.run(["zstd", "-qdc", packed], stdout=f, check=True)
    return out


def random_jobs(tally, seed, scratch):
    random_work.make(seed, scratch)
    graph = opened.open_graph(scratch)
    replayer, walk = Replayer(graph), path.Walk(graph)
    sound(tally, "seed %d" % seed, graph, replayer, walk)
    steps = Steps(graph)
    free = {name: replayer.saving(s) for name, s in scenarios.standard(graph, steps).items() if s.refused is None}
    shorter = ("comm-free", "overlap", "launch-free", "host-free", "copies-free", "data")
    tally.check("seed %d savings" % seed, ["%s %d" % (n, free[n]) for n in shorter if free.get(n, 0) < 0])


def main():
    tally = wl.Tally()
    for seed in wl.seeds(20):
        with tempfile.TemporaryDirectory(prefix="wl-why-") as scratch:
            random_jobs(tally, seed, scratch)
    with tempfile.TemporaryDirectory(prefix="wl-why-") as scratch:
        for name, options, *figure in GENERATED if ALL else GENERATED[:1]:
            where = os.path.join(scratch, name)
            subprocess.run([sys.executable, "-B", GENERATOR, "-o", where, *options.split()], check=True, stdout=subprocess.DEVNULL)
            figures(tally, name, where, *figure)
        for name, *figure in CORPUS if os.path.isdir(wl.CORPUS) else ():
            packed = os.path.join(wl.CORPUS, name, "trace.sqlite.zst")
            if ALL or not (name.startswith("nersc") or wl.is_too_large(packed)):
                figures(tally, name, unpacked(name, scratch), *figure)
    tally.finish()


if __name__ == "__main__":
    main()
