#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Collectives matched across processes: the oracle and warplens against what was put in (mkcomm.py), generated jobs against
figures that were found by hand, and what must hold of any match.

ORACLE_SEEDS: how many (default 60); ORACLE_BASE: the first seed (default 1). A failing trace is kept.
"""
import os
import re
import shutil
import tempfile

import comm
import mkcomm
import oracle
import planted
import wl
from tracefile import Trace

COLUMNS = ("transfer", "wait", "late", "last", "caused", "alone")


def devices_of(text):
    """"0-2, 5" -> [0, 1, 2, 5]."""
    out = []
    for first, last in re.findall(r"(\d+)(?:-(\d+))?", text or ""):
        out += range(int(first), int(last or first) + 1)
    return out


def answers(path):
    """{(device, stream, type): sums or None} of warplens."""
    _, document = wl.run("nccl", path)
    return {(r["device"], r["stream"], r["type"]): None if r["wait"] is None else
            {**{c: r[c] for c in COLUMNS}, "group": devices_of(r["group"])} for r in document["rows"]}


def of_oracle(path):
    trace = Trace(path)
    found = comm.waited(trace, oracle.Query(trace))
    rows = {(op.device, op.stream, comm.collective_type(trace, op)): None for op in trace.ops if op.cls == "comm"}
    rows.update({(device, stream, kind): row for (device, _, _, stream, kind), row in found.items()})
    return rows


def differences(got, want):
    return ["%r: %r, truth %r" % (k, got.get(k, "no row"), want.get(k, "no row")) for k in sorted({*got, *want})
            if got.get(k, "no row") != want.get(k, "no row")]


def random_traces(tally):
    scratch, failed = tempfile.mkdtemp(prefix="wl-matching-"), tally.failed
    for seed in wl.seeds(60):
        path = os.path.join(scratch, "%d.sqlite" % seed)
        truth = mkcomm.make(seed, path)
        bad = ["oracle " + d for d in differences(of_oracle(path), truth)] + ["warplens " + d for d in differences(answers(path), truth)]
        tally.check("seed %d, trace %s" % (seed, path), bad)
        if not bad:
            os.remove(path)
    if tally.failed == failed:
        shutil.rmtree(scratch)


# --- figures of generated jobs: (options, matches, wait of each rank, (rank, caused, alone, how often last)) -----------

TRAIN = ["--ranks", "4", "--layers", "12", "--iters", "20", "--straggler", "2:1.15", "--seed", "1"]
FIGURES = [(TRAIN, 500, [642952271, 642532604, 25906, 642463234], (2, 1927877149, 641885600, 268))]


def generated(tally):
    with tempfile.TemporaryDirectory(prefix="wl-matching-") as scratch:
        path = os.path.join(scratch, "t.sqlite")
        for options, matches, waits, (rank, caused, alone, last) in FIGURES:
            planted.generate(path, options)
            for who, rows in (("oracle", of_oracle(path)), ("warplens", answers(path))):
                def total(column, device=None):
                    return sum(r[column] for (d, _, _), r in rows.items() if r and (device is None or d == device))
                what = "%s, %s: " % (who, " ".join(options))
                tally.equal(what + "matches", total("last"), matches)
                tally.equal(what + "wait", [total("wait", d) for d in range(len(waits))], waits)
                tally.equal(what + "late", [total("late", d) for d in range(len(waits))], waits)
                tally.equal(what + "straggler", tuple(total(c, rank) for c in ("caused", "alone", "last")), (caused, alone, last))
        planted.generate(path, ["--ranks", "4", "--groups", "2", "--layers", "2", "--iters", "10", "--straggler", "1:1.3,3:1.3"])
        for who, rows in (("oracle", of_oracle(path)), ("warplens", answers(path))):
            tally.equal(who + ": two communicators", {tuple(r["group"]) for r in rows.values() if r}, {(0, 1), (2, 3)})


def main():
    tally = wl.Tally()
    generated(tally)
    random_traces(tally)
    tally.finish()


if __name__ == "__main__":
    main()
