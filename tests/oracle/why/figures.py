#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""figures.py TRACE|DIRECTORY...: what the oracle says of a trace, figure by figure.  --no-events: as if no event were recorded."""
import sys
import time

import opened
import path
import scenarios
import wl
from held_out import HeldOut
from replayer import Replayer
from steps import Steps


def show(where, events, held):
    began = time.time()
    graph = opened.open_graph(where, events)
    replayer = Replayer(graph)
    walk = path.Walk(graph)
    print("== %s: %d activities, %d segments, dropped %d, negative %d, violations %d, eps %d" % (
        where, len(graph.activities), len(walk.segments), graph.dropped, graph.negative, graph.violations, graph.job.eps))
    print("window", walk.high - walk.low, "tiling", path.tiling(walk) or "ok", "moved", len(replayer.moved()), "circles", replayer.circles)
    print("class", sorted(path.by_class(walk.segments).items(), key=lambda kv: -kv[1]))
    print("rank", sorted(path.sums(walk.segments, lambda s: s.rank).items()))
    print("bind %d free %d without %d" % (graph.bind, graph.free, graph.without), "c", sorted(set(graph.latency.values())))
    rows = wl.run("iters", where)[1] if "--told" in sys.argv else None
    steps = Steps(graph, rows["rows"] if rows else None)
    print("steps", [(len(q.bounds), sorted(q.flagged)) for q in steps.processes][:4], "comparable", len(steps.comparable()) if steps.processes else 0)
    for name, s in scenarios.standard(graph, steps).items():
        saving = replayer.saving(s)
        print("  %-14s %12d %7.3f %%  %s" % (name, saving, 100 * saving / replayer.measured, s.refused or ""))
    for pattern in ("gemm", "gemv2T", "jacobi"):
        saving = replayer.saving(scenarios.of_kernel(graph, pattern, "0.5"))
        if saving:
            print("  kernel=%-7s %12d %7.3f %%" % (pattern, saving, 100 * saving / replayer.measured))
    if held:
        found = HeldOut(replayer, steps).figures()
        print("held-out", "none" if not found else "%.3f/%.3f (%.3f/%.3f)" % found)
    print("%.1f s" % (time.time() - began), flush=True)


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        if not argument.startswith("--"):
            show(argument, "--no-events" not in sys.argv, "--no-held" not in sys.argv)
