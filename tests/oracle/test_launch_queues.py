#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Full launch queues: what waits for room is that of the oracle's graph, and savings are what twins of simulated jobs take.

tests/support/queue_sim.py simulates the jobs, of which the truth is known. ORACLE_SEEDS: how many random ones (6); ORACLE_BASE: the
first seed (1). TRACES=all compares which captures of the corpus have a full queue, else one that has and one that has not.
"""
import os
import random
import sys
import tempfile

import wl

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in ("jobs", "why", os.path.join("..", "support")):
    sys.path.insert(0, os.path.join(HERE, folder))
import opened  # noqa: E402
import path as paths  # noqa: E402
import scenarios  # noqa: E402
from cause_file import File  # noqa: E402
from cause_sim import LAUNCH, MEMCPY, Sim  # noqa: E402
from queue_sim import Queue  # noqa: E402
from replayer import Replayer  # noqa: E402

JOB = {"ranks": 4, "layers": 8, "steps": 24}
COPYING = {"ranks": 1, "layers": 3, "steps": 24}
FULL, CONTROLS = ("nsys-ai-h100-2gpu-1s",), ("nersc-sc22-ddp-4gpu-baseline",)
SCENARIOS = {"copies-free": scenarios.copies_free, "host-free": scenarios.host_free, "comm-free": scenarios.comm_free}


class Random(Queue):
    """Room is there when the operation has started; the call returns a little later, now and then much later."""
    def __init__(self, depth, wake, seed, spread=0, **changes):
        self.DEPTH, self.wake, self.spread, self.late = depth, wake, spread, random.Random(seed)
        super().__init__(seed=seed, **changes)

    def call(self, rank, name, length, gap=2000):
        queued, depth = self.queued.setdefault(rank, []), self.DEPTH + self.late.randrange(self.spread + 1)
        if name in (LAUNCH, MEMCPY) and len(queued) >= depth and queued[-depth] > self.host[rank] + length:
            length = queued[-depth] - self.host[rank] + self.late.randrange(*self.wake) * (1 if self.late.random() < 0.99 else 20)
        return Sim.call(self, rank, name, length, gap)


def large_copies(rate):
    """Every step copies 150 MB before its kernels: at 25 bytes per ns longer than these."""
    return {"input": lambda sim, r, i: sim.copy(r, i, "HtoD", 150_000_000), "rate": lambda r, i, k: rate}


def slow(factor):
    return {"dur": lambda r, i, name, ns, _: ns * factor if r == 2 else ns}


def told_of(path):
    """How many calls waited for room, by the program, and what it says of depths."""
    answer = wl.run("info", path, "--section", "dependencies")[1]
    return sum(r["count"] for r in answer["rows"] if r["edge"] == "full queue"), [n for n in answer["notes"] if "queue" in n]


def same(tally, name, path):
    """The program beside the oracle: calls that waited, the path, savings; nothing moves without a change."""
    graph = opened.open_graph(path)
    replayer = Replayer(graph)
    rooms = sum(a.room is not None for a in graph.activities)
    ranges = [q.range for p in graph.job.processes for q in p.queues]
    told, notes = told_of(path)
    tally.equal(name + ": calls that waited", told, rooms)
    depths = "at %d to %d launches" % (min(r[0] for r in ranges), max(r[1] for r in ranges)) if ranges else ""
    tally.check(name + ": depths", [] if bool(notes) == bool(ranges) and all(depths in n for n in notes) else [notes, ranges])
    tally.check(name + ": identity", replayer.moved())
    status, answer = wl.run("path", path)
    if status == 0:
        got = {r["class"]: r["time"] for r in answer["rows"] if r["time"]}
        tally.equal(name + ": path", got, paths.by_class(paths.Walk(graph).segments))
    rows = wl.run("whatif", path)[1]
    tally.check(name + ": identity of the program", [] if any(" moves 0 of " in n for n in rows["notes"]) else rows["notes"])
    for row in rows["rows"]:
        if row["scenario"] in SCENARIOS and row["saving"] is not None:
            tally.equal("%s: %s" % (name, row["scenario"]), row["saving"], replayer.saving(SCENARIOS[row["scenario"]](graph)))
    return rooms


def check_slow(tally, path, name, make):
    """A slow GPU behind a full queue: what its clean twin takes less."""
    clean, run = make(**JOB), make(**JOB, **slow(1.2))
    File(run, path)
    tally.check(name + ": full", [] if same(tally, name, path) else ["no call waits for room"])
    saved = max((r["saving"] or 0 for r in wl.run("ranks", path)[1]["rows"]), default=0)
    left = (run.span() - saved - clean.span()) / clean.span()
    tally.check(name + ": saving", [] if abs(left) <= 0.005 else [saved, run.span() - clean.span()])


def copies_free(path):
    return next((r["saving"], r["forecast"]) for r in wl.run("whatif", path, "--with", "copies-free")[1]["rows"])


def check_copies(tally, path, name, make):
    """Copies that a run waits for: a bound is not below what there is, and a scenario near it."""
    run, twin = make(**COPYING, **large_copies(25.0)), make(**COPYING, **large_copies(1e12))
    File(run, path)
    true = run.span() - twin.span()
    saving, forecast = copies_free(path)
    near = abs(saving - true) <= 0.01 * run.span()
    tally.check(name + ": bound", [] if forecast == "at most" and saving >= true - 24 * 1500 and near else [saving, forecast, true])


def check_unknown(tally, path):
    """A queue that holds now more, now fewer launches: its depth is not learned, and nothing is a bound that is below the truth."""
    def make(**changes):
        return Random(120, (2000, 12000), 7, spread=120, **changes)
    run, twin = make(**COPYING, **large_copies(25.0)), make(**COPYING, **large_copies(1e12))
    File(run, path)
    tally.equal("uneven: learned", told_of(path)[0], 0)
    saving, forecast = copies_free(path)
    true = run.span() - twin.span()
    tally.check("uneven: no bound", [] if forecast == "no bound" or saving >= true else [saving, forecast, true])
    tally.check("uneven: is one", [] if saving < 0.95 * true else ["the case shows nothing: %d of %d" % (saving, true)])


def check_corpus(tally):
    if not os.path.isdir(wl.CORPUS):
        return
    for name, path in wl.corpus_traces(main_only=True):
        if name not in FULL + CONTROLS and os.environ.get("TRACES") != "all":
            continue
        waits, notes = told_of(path)
        tally.check(name + ": full", [] if (waits > 0) == (name in FULL) else [waits, notes])
        if name in FULL:
            same(tally, name, path)


def main():
    tally = wl.Tally()
    with tempfile.TemporaryDirectory(prefix="wl-queues-") as scratch:
        path = os.path.join(scratch, "t.sqlite")
        for depth in (32, 64, 256, 1024):
            def make(depth=depth, **changes):
                return type("Deep", (Queue,), {"DEPTH": depth})(**changes)
            check_slow(tally, path, "%d launches" % depth, make)
        for depth in (64, 128):
            check_copies(tally, path, "copies, %d launches" % depth, lambda depth=depth, **changes: type("Deep", (Queue,), {"DEPTH": depth})(**changes))
        for seed in wl.seeds(6):
            source = random.Random(seed)
            depth, wake = source.choice((48, 100, 300, 700)), source.choice(((1000, 3000), (2000, 12000), (5000, 30000)))
            check_slow(tally, path, "seed %d: %d launches, back after %s ns" % (seed, depth, wake), lambda **c: Random(depth, wake, seed, **c))  # noqa: B023
        check_unknown(tally, path)
        File(Sim(**JOB), path)
        tally.equal("no queue", told_of(path), (0, []))
        check_corpus(tally)
    tally.finish()


if __name__ == "__main__":
    main()
