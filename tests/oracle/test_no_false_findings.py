#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""findings on generated traces of all workloads in which no cause was planted: what is claimed must be there.

False is a finding of at least 1% of the step whose cause, by the truth, takes less than 1% of the time.
The second half of the traces is rough: communication starts up to 8 us late and ends up to 8 us apart on its ranks, kernels vary,
and every second one of them is of the other simulator (causes.py), with and without rows of events.
FALSE_TRACES: how many traces of each half (default 12); FALSE_BASE: the first (default 1). The same number gives the same trace.
FALSE_MOST=N: rough traces only, of which N may have false statements, also in `ranks`; all are printed and counted.
"""
import argparse
import os
import random
import sqlite3
import statistics
import sys
import tempfile

import intervals
import planted
import wl
from tracefile import Trace

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import causes

SMALL_SHARE = 0.01
COMM, COPIES = ("exposed-comm", "stream-serialisation"), ("exposed-copy", "blocking-copy", "pageable-copy", "tiny-reads", "managed-memory")
IDLE = ("launch-bound", "host-sync-idle", "host-starved")
# no cause of loss: they have a share and no saving
OF_THE_TRACE = ("dominant-kernel", "tiny-kernels", "device-copies", "idle-gpu", "idle-sms", "foreign-work", "idle-tensor-cores")


def options_of(number):
    """The options of gen_trace.py: the workloads in turn, the rest at random."""
    r = random.Random("no false findings %d" % number)
    new = ["--schema", "2026.4"]
    kinds = [[], ["--moe", "--chunks", "2"], ["--serving"], ["--graph", "node"], ["--groups", "2"], ["--serving", "--graph", "none"],
             [*new, "--graph", "graph"], [*new, "--serving", "--graph", "graph"], new, ["--serving", "--prefill-every", "5"]]
    kind = kinds[number % len(kinds)]
    ranks = r.choice([2, 4] if "--groups" in kind or "--moe" in kind else [1, 2, 3, 4])
    layers = r.choice([2, 4] if "--moe" in kind else [2, 4, 8] if ranks > 2 else [2, 4, 8, 12])
    out = [*kind, "--ranks", str(ranks), "--layers", str(layers), "--iters", str(r.choice([10, 16, 24]) * (3 if "--serving" in kind else 1)),
           "--variants", str(r.choice([3, 6])), "--seed", str(r.randint(1, 10 ** 6)), "--osrt", str(r.choice([0, 4]))]
    if "--serving" in kind:
        return out + ["--host-gap", str(r.choice([20, 400, 1500]))]
    return out + ["--fwd-kernels", str(r.choice([2, 6, 10])), "--bwd-kernels", str(r.choice([3, 9, 18]))]


def make_rough(path, r):
    """Moves starts and ends of communication of at least 50 us inwards: by at most 8 us, another most of each trace."""
    late, early = r.randint(0, 8000), r.randint(0, 8000)
    db = sqlite3.connect(path)
    if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'CUPTI_ACTIVITY_KIND_KERNEL'").fetchall():
        return                                              # graphs as wholes have no rows of their kernels
    rows = db.execute("SELECT k.rowid, k.start, k.end FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.demangledName "
                      "WHERE s.value LIKE 'nccl%' AND k.end - k.start >= 50000").fetchall()
    db.executemany("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = ?, end = ? WHERE rowid = ?",
                   [(start + r.randint(0, late), end - r.randint(0, early), row) for row, start, end in rows])
    db.commit()
    db.close()


def rough_trace(number, path):
    """(what it is, truth)."""
    r = random.Random("rough %d" % number)
    if number % 2:
        options = argparse.Namespace(lag=r.uniform(0, 8), jitter=r.uniform(0, 8), events=number % 4 == 1, clean=True)
        causes.drawn(number, number, options).write(os.path.dirname(path), os.path.basename(path)[:-len(".sqlite")])
        return "causes.py, job %d, lag %.1f, jitter %.1f%s" % (number, options.lag, options.jitter, ", events" * options.events), None
    options = options_of(number // 2)
    if not {"--serving", "--moe", "--graph", "--groups"} & set(options):
        options += ["--events"] * (number % 4 == 0) + ["--noise", "%.3f" % r.uniform(0, 0.03)]
    truth = planted.generate(path, options)
    make_rough(path, r)
    return "rough, gen_trace.py " + " ".join(options), truth


def worst(trace, lost, working):
    """Time in which something is under way that may be lost, and no work is, as a share of the device's: the largest of any device.

    lost: operations -> intervals; working: which operations are work."""
    out = []
    for device in {op.device for op in trace.ops}:
        ops = [op for op in trace.ops if op.device == device]
        rest = intervals.subtract(intervals.union(lost(ops)), intervals.union((op.start, op.end) for op in ops if working(op)))
        out.append(intervals.length(rest) / (max(op.end for op in ops) - min(op.start for op in ops)))
    return max(out)


def communication(ops):
    return [(op.start, op.end) for op in ops if op.cls == "comm"]


def copies(ops):
    """With the calls that make them, in which a device may be idle."""
    mine = [op for op in ops if op.cls == "copy"]
    return [(op.start, op.end) for op in mine + [op.launch for op in mine if op.launch]]


def compute_by_device(trace):
    return [sum(op.end - op.start for op in trace.ops if op.device == device and op.cls == "compute") for device in {op.device for op in trace.ops}]


def launching_by_device(trace):
    calls = {op.launch: op.device for op in trace.ops if op.launch}
    return [sum(call.end - call.start for call, of in calls.items() if of == device) for device in {op.device for op in trace.ops}]


def late_share(trace, host):
    """What one rank computes longer than all others, by chance; of a late host, what its launch calls take longer than those of the
    others on average: with noise one in a hundred takes some 100 us, and few steps have one of each rank."""
    of = sorted(launching_by_device(trace) if host else compute_by_device(trace))
    span = max(op.end for op in trace.ops) - min(op.start for op in trace.ops)
    if len(of) < 2:
        return 0
    return (of[-1] - (statistics.mean(of[:-1]) if host else of[-2])) / span


def whole_time(truth):
    return sum(truth["iteration_len_ns"])


def true_share(row, trace, truth):
    """Of the time, on the device where it is largest, what the generator put in of a finding's cause."""
    code = row["code"]
    if code in COMM:
        return worst(trace, communication, lambda op: op.cls == "compute")
    if code in COPIES:
        return worst(trace, copies, lambda op: op.cls != "copy")
    if code in IDLE:
        return worst(trace, lambda ops: [(min(op.start for op in ops), max(op.end for op in ops))], lambda op: True)
    if code == "straggler":
        return late_share(trace, "late because its host is slow" in row["finding"])
    if not truth:
        return 0
    if code == "slow-iterations" and truth["workload"] == "serving" and "mostly compute" not in row["finding"]:
        # host times before steps differ by chance
        gaps = truth["host_gap_ns"]
        return sum(max(0, g - statistics.median(gaps)) for g in gaps) / whole_time(truth)
    return 1 if code == "graph-mode-opaque" and truth["graph"] == "graph" else 0


def false_findings(path, truth):
    trace = Trace(path)
    _, document = wl.run("findings", path)
    claims = [r for r in document["rows"] if r["code"] not in OF_THE_TRACE and (r["saving"] is None or (r["share"] or 0) >= SMALL_SHARE)]
    shares = [(r, true_share(r, trace, truth)) for r in claims]
    return ["%s: %s (truth %.2f %%)" % (r["code"], r["finding"], 100 * share) for r, share in shares if share < SMALL_SHARE]


def named(path):
    """What ranks says of a rank that is not slower than the others."""
    trace = Trace(path)
    status, document = wl.run("ranks", path)
    rows = [r for r in document["rows"] if r["saving"] is not None] if status == 0 else []
    shares = [(r, late_share(trace, r["reason"] == "late host")) for r in rows]
    return ["ranks: GPU %s, %s (truth %.2f %%)" % (r["device"], r["why"], 100 * share) for r, share in shares if share < SMALL_SHARE]


def campaign(path, numbers, most):
    """Rough traces with a false statement, of which there may be some."""
    tally, wrong = wl.Tally(), 0
    for number in numbers:
        what, truth = rough_trace(number, path)
        found = false_findings(path, truth) + named(path)
        wrong += bool(found)
        for statement in found:
            print("%d: %s: %s" % (number, what, statement), flush=True)
    print("%d of %d clean traces with a false statement" % (wrong, len(numbers)))
    tally.check("at most %d" % most, [wrong] if wrong > most else [])
    tally.finish()


def main():
    count, base = int(os.environ.get("FALSE_TRACES", "12")), int(os.environ.get("FALSE_BASE", "1"))
    tally = wl.Tally()
    with tempfile.TemporaryDirectory(prefix="wl-false-") as scratch:
        path = os.path.join(scratch, "t.sqlite")
        if "FALSE_MOST" in os.environ:
            campaign(path, range(base, base + count), int(os.environ["FALSE_MOST"]))
        for number in range(base, base + count):
            options = options_of(number)
            truth = planted.generate(path, options)
            tally.check("%d: gen_trace.py %s" % (number, " ".join(options)), false_findings(path, truth))
        for number in range(base, base + count):
            what, truth = rough_trace(number, path)
            tally.check("%d: %s" % (number, what), false_findings(path, truth))
    tally.finish()


if __name__ == "__main__":
    main()
