#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""nvtx and nvtx-kernels with exact names against what the real nsys 2023.4.4 printed for the corpus, and against the truth of
generated traces.

Compared row by row: nvtx_sum, nvtx_pushpop_sum, nvtx_startend_sum (instances, total), nvtx_gpu_proj_sum (projected time,
operations), nvtx_kern_sum (time per range and kernel). Where the two differ by definition:

 * A range without a name: nsys prints nothing for the text, we `(unnamed)`; a domain stands before either.
 * A range without an end (nvtx-end-null): nsys prints empty cells, ours ends with the trace. Only the count is compared.
 * Minima, maxima and the median of two middle values have no column with us; the average is rounded to a nanosecond.
 * nvtx_gpu_proj_sum lists ranges that own operations only, so `Range Instances` are those; we count all instances. It counts
   one operation per graph launch, we each row of a graph: on traces with CUDA graph nodes `Total GPU Ops` is not compared.
   Nested ranges of one name: nsys counts an operation once per instance, we once per row; with both, the sum of instances
   is not compared but must not be smaller (NESTED, found by looking at the trace).
 * nvtx_kern_sum lists a kernel under every range around it, we once, under the path. Our rows are spread over their paths.
   Two API rows of one correlation id (DOUBLED) count a kernel twice there.
 * nvtx_gpu_proj_trace numbers ranges by the rows of NVTX_EVENTS, we by `nvtx_ranges.key`: ids are replaced by the range that
   they stand for, in ParentId and RangeStack as well, and rows are compared in any order. Its row without a name, of
   operations outside all ranges, has the PID and TID of one of them: we leave it out.
"""
import collections
import csv
import io
import json
import os
import subprocess
import sys
import tempfile

import wl
from nvtx import PUSH_POP, exact_label, forest_of
from test_nsys_stats import report
from test_oracle_nsys import DOUBLED, UNCLOSED, differences, number
from tracefile import Trace

STYLES = {"push/pop": "PushPop", "start/end": "StartEnd"}
CASES = [["--ranks", "2", "--layers", "2", "--iters", "4"],
         ["--ranks", "4", "--layers", "3", "--iters", "3", "--straggler", "2:1.15", "--schema", "2026.4"],
         ["--ranks", "2", "--layers", "2", "--iters", "3", "--moe", "--chunks", "2"],
         ["--ranks", "2", "--layers", "3", "--iters", "10", "--serving"]]


def ours(name):
    return name.replace("(unnamed)", "")


def rows_of(verb, path, exact=True):
    status, document = wl.run(verb, path, *["--exact-names"] * exact)
    return document["rows"] if status == 0 else []


def host(tally, name, rows):
    mine = {(STYLES[r["style"]], ours(r["name"])): r for r in rows}
    for which, style in (("nvtx_sum", None), ("nvtx_pushpop_sum", "PushPop"), ("nvtx_startend_sum", "StartEnd")):
        nsys, chosen = report(name, which), {k: r for k, r in mine.items() if style in (None, k[0])}
        tally.check("%s: %s is printed iff there are ranges" % (name, which), [] if bool(nsys) == bool(chosen) else [len(chosen)])
        wanted = {(r.get("Style", style), r["Range"]): r for r in nsys or []}
        unclosed = name in UNCLOSED
        got = {k: (r["count"], None if unclosed else r["host_sum"]) for k, r in chosen.items()}
        want = {k: (int(r["Instances"]), number(r["Total Time (ns)"])) for k, r in wanted.items()}
        tally.check("%s: nvtx = %s" % (name, which), differences(got, want))
        bad = [k for k, r in chosen.items() if not unclosed and k in wanted and abs(r["host_avg"] - float(wanted[k]["Avg (ns)"])) > 0.551]
        tally.check("%s: averages of %s" % (name, which), bad)


def nested(trace, forest):
    """Names of push/pop ranges that lie in a range of the same name."""
    return {exact_label(r) for r in forest.pushed for a in forest.ancestors(r)[1:] if exact_label(a) == exact_label(r)}


def projection(tally, name, trace, rows):
    nsys = report(name, "nvtx_gpu_proj_sum")
    if nsys is None:
        return
    want = {(r["Style"], r["Range"]): (int(r["Total Proj Time (ns)"]), int(r["Total GPU Ops"])) for r in nsys}
    got = {(STYLES[r["style"]], ours(r["name"])): (r["projected"], r["gpu_ops"]) for r in rows if r["gpu_ops"]}
    tally.check(name + ": projected = nvtx_gpu_proj_sum", differences({k: v[0] for k, v in got.items()}, {k: v[0] for k, v in want.items()}))
    if any(o.row.get("graphNodeId") for o in trace.ops):
        return
    twice = nested(trace, forest_of(trace))
    bad = ["%r: %r, nsys %r" % (k, v[1], want[k][1]) for k, v in got.items() if k in want and v[1] != want[k][1] and k[1] not in twice]
    bad += ["%r: more than nsys counts" % (k,) for k, v in got.items() if k in want and v[1] > want[k][1]]
    tally.check(name + ": gpu_ops = nvtx_gpu_proj_sum", bad)


def with_ranges(rows):
    """Rows of nvtx_gpu_proj_trace, sorted, with ranges in place of their ids."""
    own = {r["RangeId"]: tuple(r[c] for c in ("PID", "TID", "Style", "Orig Start (ns)", "Orig Duration (ns)", "Name")) for r in rows}
    assert len(own) == len(rows), "an id twice"
    return sorted((*(v for k, v in r.items() if k not in ("RangeId", "ParentId", "RangeStack")), own[r["RangeId"]],
                   own[r["ParentId"]] if r["ParentId"] else None, tuple(own[i] for i in r["RangeStack"].split(":")[1:])) for r in rows)


def projection_trace(tally, name, path):
    nsys = report(name, "nvtx_gpu_proj_trace")
    if nsys is None:
        return
    got = subprocess.run([wl.WARPLENS, "stats", "-r", "nvtx_gpu_proj_trace", "-f", "csv", "-q", path], stdout=subprocess.PIPE, check=True)
    rows = list(csv.DictReader(io.StringIO(got.stdout.decode("utf-8", "replace"), newline="")))
    wanted = [r for r in nsys if r["RangeId"]]
    tally.equal(name + ": columns of nvtx_gpu_proj_trace", got.stdout.decode().split("\n")[0].strip().split(","), list(nsys[0]))
    tally.equal(name + ": rows of nvtx_gpu_proj_trace", len(rows), len(wanted))
    bad = [p for p in zip(with_ranges(rows), with_ranges(wanted)) if p[0] != p[1]]
    tally.check(name + ": nvtx_gpu_proj_trace", ["warplens %r, nsys %r" % p for p in bad])


def kernels(tally, name, trace, path):
    nsys = report(name, "nvtx_kern_sum")
    if nsys is None:
        return
    got, want = collections.Counter(), collections.Counter()
    labels = sorted({exact_label(r) for r in trace.ranges if r.type in PUSH_POP}, key=len)
    if any(" > " in x for x in labels):
        return
    for row in rows_of("nvtx-kernels", path):
        for label in row["path"].split(" > "):
            got[ours(label), row["kernel"]] += row["sum"] * (2 if name in DOUBLED else 1)
    for r in nsys:
        if r["Style"] == "PushPop":
            want[r["NVTX Range"], r["Kernel Name"]] += int(r["Total Time (ns)"])
    tally.check(name + ": nvtx-kernels = nvtx_kern_sum, spread over paths", differences(got, want))


def generated(tally):
    """Projection per name and self times of traces whose truth is known."""
    generator = os.path.join(wl.ROOT, "tests", "support", "gen_trace.py")
    with tempfile.TemporaryDirectory(prefix="wl-nvtx-truth-") as scratch:
        for n, case in enumerate(CASES):
            path, what = os.path.join(scratch, "%d.sqlite" % n), " ".join(case)
            subprocess.run([sys.executable, "-B", generator, "-o", path, *case], stdout=subprocess.DEVNULL, check=True)
            with open(path + ".truth.json", encoding="utf-8") as f:
                ranks = json.load(f)["files"][0]["by_rank"]
            want = {}
            for truth in ranks.values():
                for name, t in truth["nvtx_projected"].items():
                    old = want.get(name, (0, 0))
                    want[name] = old[0] + t["projected_ns"], old[1] + t["gpu_ops"]
            rows = rows_of("nvtx", path) + [{**r, "name": r["name"].replace("#", "*")} for r in rows_of("nvtx", path, exact=False)]
            got = {r["name"]: (r["projected"], r["gpu_ops"]) for r in rows if r["name"] in want}
            tally.check("projection of generated ranges: " + what, differences(got, want))
            rows = [r for r in rows_of("tree", path) if r["style"] == "push/pop"]
            roots = sum(r["host_sum"] for r in rows if r["parent"] is None)
            tally.equal("self times add up to the roots: " + what, sum(r["self"] for r in rows), roots)


def main():
    tally = wl.Tally()
    generated(tally)
    if not os.path.isdir(wl.CORPUS):
        print("no corpus at", wl.CORPUS)
        tally.finish()
    for name, path in wl.corpus_traces(main_only=True):
        trace, rows = Trace(path), rows_of("nvtx", path)
        host(tally, name, rows)
        projection(tally, name, trace, rows)
        projection_trace(tally, name, path)
        kernels(tally, name, trace, path)
    tally.finish()


if __name__ == "__main__":
    main()
