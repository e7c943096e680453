#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Collectives matched across processes: the oracle and warplens against what was put in (mkcomm.py), generated jobs against
figures that were found by hand, and what must hold of any match.

ORACLE_SEEDS: how many (default 60); ORACLE_BASE: the first seed (default 1). A failing trace is kept.
"""
import os
import re
import shutil
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "jobs"))
import comm  # noqa: E402
import groups  # noqa: E402
import made  # noqa: E402
import mkcomm  # noqa: E402
import oracle  # noqa: E402
import planted  # noqa: E402
import wl  # noqa: E402
from tracefile import Trace  # noqa: E402

COLUMNS = ("transfer", "wait_all", "late", "last", "caused", "alone")


def devices_of(text):
    """"0-2, 5" -> [0, 1, 2, 5]."""
    out = []
    for first, last in re.findall(r"(\d+)(?:-(\d+))?", text or ""):
        out += range(int(first), int(last or first) + 1)
    return out


def answers(path):
    """{(device, stream, type): sums or None} of warplens."""
    _, document = wl.run("nccl", path)
    return {(r["device"], r["stream"], r["type"]): None if r["wait_all"] is None else
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


def by_definition(path, rows):
    """Differences of sums per device and type from the definition (jobs/groups.py): what it joins may not be what was planted."""
    def add(out, key, values):
        out[key] = [a + b for a, b in zip(out.get(key, [0, 0, 0]), values)]
    want, got = {}, {}
    for m in made.opened(path).matches:
        transfer, last = min(c.dur for c in m.row), max(c.start for c in m.row)
        for c in m.row:
            add(want, (c.member.ordinal, c.kind), (transfer, c.dur - transfer, last - c.start))
    for (device, _, kind), row in rows.items():
        if row is not None:
            add(got, (device, kind), (row["transfer"], row["wait_all"], row["late"]))
    return differences(got, want)


def random_traces(tally):
    scratch, failed = tempfile.mkdtemp(prefix="wl-matching-"), tally.failed
    seeds, others = wl.seeds(60), 0
    for seed in seeds:
        path = os.path.join(scratch, "%d.sqlite" % seed)
        truth, got = mkcomm.make(seed, path), answers(path)
        bad = differences(got, truth)
        if bad and not by_definition(path, got):            # two groups whose ends agree better than their transfers look like one
            bad, others = [], others + 1
        bad = ["oracle " + d for d in differences(of_oracle(path), truth)] + ["warplens " + d for d in bad]
        tally.check("seed %d, trace %s" % (seed, path), bad)
        if not bad:
            os.remove(path)
    tally.check("groups that are joined", ["%d of %d" % (others, len(seeds))] if others > 2 + len(seeds) // 10 else [])
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
                tally.equal(what + "waiting", [total("wait_all", d) for d in range(len(waits))], waits)
                tally.equal(what + "late", [total("late", d) for d in range(len(waits))], waits)
                tally.equal(what + "straggler", tuple(total(c, rank) for c in ("caused", "alone", "last")), (caused, alone, last))
            # What ranks calls wait is the exposed part of it.
            exposed = {r["device"]: r["wait"] for r in wl.run("ranks", path)[1]["rows"]}
            late = {d: sum(r["wait_all"] for (device, _, _), r in answers(path).items() if r and device == d) for d in exposed}
            tally.check("%s: exposed waiting" % options, [d for d in exposed if not 0 <= exposed[d] <= late[d]])
            tally.check("%s: a third of it at most" % options, [d for d in exposed if d != rank and 3 * exposed[d] > late[d]])
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
