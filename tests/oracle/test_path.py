#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`path`: the program against the oracle, on random jobs and on traces of the corpus.

ORACLE_SEEDS: how many random jobs (20); ORACLE_BASE: the first seed (1). TRACES=all compares the whole corpus. A job that differs is kept.
"""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "why"))
import opened  # noqa: E402
import graph as graphs  # noqa: E402
import path  # noqa: E402
import random_work  # noqa: E402
import wl  # noqa: E402

SMALL = ("balinski-series-02-2025.5", "llama3-inference-2024.6", "nsightful-power-iteration-2025.3")
TROUBLES = ("lost", "early")
REFUSED = 0.1                           # a larger share of unknown time is no answer


def has_verb(verb):
    return subprocess.run([wl.WARPLENS, "help", verb], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def merged(pieces):
    """(start, end, rank, class) in order, neighbours of one rank and class as one."""
    out = []
    for start, end, *what in sorted(pieces, key=lambda p: p[:2]):
        if start == end:
            continue
        if out and out[-1][1] == start and out[-1][2:] == what:
            out[-1][1] = end
        else:
            out.append([start, end, *what])
    return [tuple(p) for p in out]


def last_difference(got, want):
    """Where the two part, seen from the end, where the path begins to be found."""
    for g, w in zip(reversed(got), reversed(want)):
        if g != w:
            return ["warplens %s, oracle %s" % (g, w)]
    return [] if len(got) == len(want) else ["warplens %d pieces, oracle %d" % (len(got), len(want))]


class Answers:
    """What the program says of a trace."""
    def __init__(self, where):
        self.status, self.segments = wl.run("path", where, "--by", "segment")
        if self.segments is not None:
            self.begin = self.segments["window"]["begin"]
            self.length = self.segments["window"]["length"]
            third = self.length // 3
            self.windows = [(self.begin, self.begin + third), (self.begin + third, self.begin + self.length)]
            self.by = {by: wl.run("path", where, "--by", by)[1]["rows"] for by in ("name", "chain", "rank", "class")}
            self.sums = [times(wl.run("path", where)[1])]
            self.sums += [times(wl.run("path", where, "--window", "%dns..%dns" % w)[1]) for w in self.windows]


def times(answer):
    return {r["class"]: r["time"] for r in answer["rows"] if r["time"]}


def is_refused(graph, walk):
    """Whether there is no answer: too much unknown time, too many contradictions, or clocks that are apart."""
    unknown = path.by_class(walk.segments).get("unknown", 0)
    bad = graph.dropped + graph.negative + graph.violations
    return unknown > REFUSED * (walk.high - walk.low) or bad > REFUSED * len(graph.activities) or skewed(graph)


def differences(answers, graph):
    """Segments by rank and class, sums by class, and both parts of a divided window."""
    walk = path.Walk(graph)
    if answers.status == wl.NO_DATA:
        return [] if is_refused(graph, walk) else ["no answer; unknown %s" % path.by_class(walk.segments)]
    if is_refused(graph, walk):
        return ["an answer; %d of %d contradict, %s" % (graph.dropped + graph.negative + graph.violations, len(graph.activities),
                                                         path.by_class(walk.segments))]
    rank_of = {p.pid: p.rank for p in graph.job.processes}
    rows = [(r["start"], r["start"] + r["time"], r["rank"] if r["rank"] is not None else rank_of.get(r["pid"]), r["class"]) for r in answers.segments["rows"]]
    shift = answers.begin - walk.low                        # a job's clock may count from another file's beginning
    found = last_difference(merged(rows), merged((s.start + shift, s.end + shift, s.rank, s.cls) for s in walk.segments))
    for window, got in zip([None] + answers.windows, answers.sums):
        want = path.by_class(walk.segments, window and (window[0] - shift, window[1] - shift))
        found += [] if got == want else ["%s: warplens %s, oracle %s" % (window or "whole", got, want)]
    return found + summed_differences(answers.by, walk, rank_of, shift)


def summed_differences(by, walk, rank_of, shift):
    """Names, the chain of ranks, slack, and means over GPUs."""
    def rank(row):
        return row["rank"] if row["rank"] is not None else rank_of.get(row["pid"])
    names = {}
    for r in by["name"]:
        key = r["class"], None if r["class"] == "host" else r["name"]
        names[key] = names.get(key, 0) + r["time"]
    told = {"names": names, "chain": [(r["start"], r["start"] + r["time"], rank(r)) for r in by["chain"]],
            "slack": {rank(r): r["slack"] for r in by["rank"]},
            "mean": {r["class"]: (r["mean"], r["imbalance"]) for r in by["class"] if r["mean"] is not None}}
    times_of, usual = path.by_class(walk.segments), path.means(walk)
    want = {"names": path.by_name(walk.segments), "chain": [(a + shift, b + shift, r) for a, b, r in path.chain(walk.segments)],
            "slack": path.slack(walk), "mean": {c: usual[c] for c in usual if c in times_of}}
    found = ["%s: warplens %s, oracle %s" % (k, told[k], want[k]) for k in ("names", "chain", "slack") if told[k] != want[k]]
    near = told["mean"].keys() == want["mean"].keys() and all(
        abs(m - want["mean"][c]) <= 1 and abs(i - (times_of[c] - want["mean"][c])) <= 1 for c, (m, i) in told["mean"].items())
    return found if near else found + ["mean: warplens %s, oracle %s" % (told["mean"], want["mean"])]


def compare(tally, name, where):
    """open: whether T also speaks in a process whose events explain few starts; either reading will do."""
    answers = Answers(where)
    job = opened.open_job(where)
    if not any(p.ops for p in job.processes):
        return
    found = differences(answers, graphs.Graph(job, "few"))
    if found:
        found = found if differences(answers, graphs.Graph(job)) else []
    tally.check(name, found)


def skewed(graph):
    """Whether most launches of a process come after their operations."""
    for p in graph.job.processes:
        latencies = [o.start - o.launch.start for o in p.ops if o.launch is not None]
        if 2 * sum(x < 0 for x in latencies) > len(latencies):
            return True
    return False


def random_job(tally, seed, compare_with, trouble=None):
    scratch = tempfile.mkdtemp(prefix="wl-why-")
    before = tally.failed
    made = random_work.make(seed, scratch, trouble)
    where = scratch if len(made) > 1 else made[0]
    compare_with(tally, "seed %d%s" % (seed, " " + trouble if trouble else ""), where)
    if tally.failed == before:
        shutil.rmtree(scratch)
    else:
        print("     kept:", where)


def run(verb, compare_with, rare=()):
    """Random jobs, those of rare seeds too, and small real traces, each given to compare_with(tally, name, trace)."""
    if not has_verb(verb):
        print("skipped: this program has no verb `%s`" % verb)
        sys.exit(77)
    tally = wl.Tally()
    for seed in [*rare, *wl.seeds(20)]:
        random_job(tally, seed, compare_with)
        if seed % 4 == 0:                                   # captures that may be refused
            random_job(tally, seed, compare_with, TROUBLES[seed // 4 % len(TROUBLES)])
    for name, where in wl.corpus_traces(main_only=True) if os.path.isdir(wl.CORPUS) else ():
        if name in SMALL or os.environ.get("TRACES") == "all":
            compare_with(tally, name, where)
    tally.finish()


if __name__ == "__main__":
    run("path", compare)
