#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""whatif: pairs of generated jobs that differ by one cause. What the replay of the bad one predicts is compared with what the
good one takes; the program finds the cause itself.

TWINS_ALL=1: all pairs, else a few of each class. A failing pair names both traces, and the worst pair of each class is printed.
"""
import contextlib
import os
import sqlite3
import sys
import tempfile

import planted
import wl

TRAIN = ["--ranks", "4", "--layers", "4", "--iters", "12"]
SMALL = ["--ranks", "2", "--layers", "3", "--iters", "12"]
# Where only events say what waits for what: a copy before the first kernel, a host that is late.
EVENTS = TRAIN + ["--events"]
COPY = EVENTS + ["--batch", "67108864"]
# All-to-alls do not end together: payloads identify their members.
MOE = ["--moe", "--ranks", "4", "--layers", "4", "--iters", "8", "--payloads", "2.25"]
OPERATIONS = tuple("CUPTI_ACTIVITY_KIND_" + t for t in ("KERNEL", "MEMCPY", "MEMSET"))
PINNED_BYTES = 1 << 24                  # of the copies that plant.py makes


class Pairs:
    """Good ones by options of gen_trace.py, bad ones by more options, or both by edits of plant.py."""

    def __init__(self, name, most, base, bad, seed, n, few, scenario="no-straggler", good=None):
        self.name, self.most, self.base, self.bad, self.seed, self.n, self.few = name, most, base, bad, seed, n, few
        self.scenario, self.good = scenario, good


PAIRS = (
    Pairs("straggler", 0.01, TRAIN, lambda i: ["--straggler", "%d:%.2f" % (i % 4, 1.05 + 0.05 * i)], 100, 10, 2),
    Pairs("stall", 0.01, SMALL, lambda i: ["--stall", "%d:%dms" % (3 + i, 20 + 30 * i)], 200, 5, 1, "slow-steps"),
    Pairs("slow iteration", 0.01, SMALL, lambda i: ["--slow-iter", "%d:%.2f" % (3 + i, 1.2 + 0.2 * i)], 300, 5, 1, "slow-steps"),
    Pairs("slow copies", 0.01, COPY, lambda i: ["--slow-copies", "%d:%d" % (i % 4, 2 + i)], 400, 4, 1),
    Pairs("pageable", 0.01, SMALL, lambda i: ("pageable", "--length", "%dms" % (2 + i)), 450, 4, 1, "pinned",
          lambda path: ("blocking", "--length", "%dns" % pinned_call(path))),
    Pairs("one more sync", 0.05, SMALL, lambda i: ("sync", "--length", "%dus" % (500 + 500 * i)), 480, 4, 1, None, lambda path: None),
    Pairs("all-to-all", 0.02, MOE, lambda i: ["--straggler", "%d:%.2f" % (i % 4, 1.15 + 0.05 * i)], 700, 4, 1),
    Pairs("with events", 0.01, MOE + ["--events"], lambda i: ["--straggler", "%d:%.2f" % (i % 4, 1.15 + 0.05 * i)], 700, 4, 1),
    Pairs("slower kernel", 0.05, TRAIN, lambda i: ["--slow-kernel", "%d:flash_bwd:%.1f" % (i % 4, 1.4 + 0.2 * i)], 500, 4, 1),
    Pairs("late host", 0.05, EVENTS, lambda i: ["--late-host", "%d:%dms" % (i % 4, 2 + i)], 600, 4, 1),
)


def pinned_call(path):
    """How long plant.py's blocking call must be for its copy to have the median rate of pinned memory: 95% of it is the copy."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        rates = sorted(b / (e - s) for s, e, b in db.execute(
            "SELECT start, end, bytes FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE copyKind = 1 AND srcKind = 1 AND end > start"))
    return int(PINNED_BYTES / rates[(len(rates) - 1) // 2] / 0.95)


def span(path):
    """From the first start of a GPU operation to the last end."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        tables = [t for t, in db.execute("SELECT name FROM sqlite_master") if t in OPERATIONS]
        ends = [db.execute("SELECT min(start), max(end) FROM " + t).fetchone() for t in tables]
        ends = [e for e in ends if e[0] is not None]
    return max(e[1] for e in ends) - min(e[0] for e in ends)


def find(path):
    """The call that waits longest while its GPU is idle."""
    rows = wl.run("sync", path)[1]["rows"]
    return "no-sync=" + max(rows, key=lambda r: r["gpu_idle"] or 0)["name"]


def predict(path, scenario):
    """What the run takes in the scenario; None where it has no answer."""
    status, answer = wl.run("whatif", path, "--with", scenario or find(path))
    rows = answer["rows"] if status == 0 else []
    return rows[0]["replayed"] if rows else None


def pair(scratch, of, i):
    good, bad = (os.path.join(scratch, name) for name in ("good.sqlite", "bad.sqlite"))
    base = [*of.base, "--seed", of.seed + i]
    planted.generate(good, base)
    if not of.good:
        planted.generate(bad, base + of.bad(i))
        return good, bad
    planted.plant(good, bad, of.bad(i))
    if of.good(good):
        planted.plant(good, good + ".planted", of.good(good))
        good += ".planted"
    return good, bad


def try_pair(scratch, of, i):
    """(relative error, what was tried)"""
    good, bad = pair(scratch, of, i)
    said, took = predict(bad, of.scenario), span(good)
    error = abs(said - took) / took if said is not None else 1.0
    what = "%s --seed %d" % (" ".join(map(str, [*of.base, *of.bad(i)])), of.seed + i)
    if error > of.most:
        print("FAIL %s: %s: predicted %s of %d, the good one takes %d (%.2f %%)" % (of.name, what, said, span(bad), took, 100 * error))
    return error, what


def main():
    failed = done = 0
    with tempfile.TemporaryDirectory(prefix="wl-twins-") as scratch:
        for of in PAIRS:
            errors = [try_pair(scratch, of, i) for i in range(of.n if os.environ.get("TWINS_ALL") else of.few)]
            failed += sum(error > of.most for error, _ in errors)
            done += len(errors)
            print("%-14s worst %.3f %% of at most %g %%: %s" % (of.name, 100 * max(errors)[0], 100 * of.most, max(errors)[1]))
    print("%d pairs, %d failed" % (done, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
