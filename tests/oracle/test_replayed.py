#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""findings: what fixing a finding saves by replay, against a twin without the cause. plant.py and gen_trace.py put a cause into a
job; the finding of the bad one names its scenario itself, and the good one says what the run takes without it.
"""
import os
import sys
import tempfile

import planted
import wl
from test_twins import pinned_call, span

TRAIN = ["--ranks", "4", "--layers", "4", "--iters", "12"]
SMALL = ["--ranks", "2", "--layers", "3", "--iters", "12"]
STEPS = 12

# code, scenario, most relative error of the predicted run, the good one's options, what is worse about the bad one
TWINS = (
    ("straggler", "no-straggler", 0.01, TRAIN, ["--straggler", "2:1.25"]),
    ("straggler", "no-straggler", 0.02, TRAIN, ["--slow-kernel", "1:flash_bwd:1.6"]),
    ("slow-iterations", "slow-iterations", 0.01, SMALL, ["--stall", "5:20ms"]),
    ("slow-iterations", "slow-iterations", 0.01, SMALL, ["--slow-iter", "5:1.6"]),
    ("slow-iterations", "slow-iterations", 0.02, SMALL, ("alloc", "--length", "9ms", "--every", "8")),
    ("host-sync-idle", "no-sync=cudaDeviceSynchronize", 0.05, SMALL, ("sync", "--length", "1ms")),
    ("alloc-in-loop", "alloc-in-loop", 0.05, SMALL, ("alloc", "--length", "1ms")),
    ("module-load-in-loop", "module-load-in-loop", 0.05, SMALL, ("load", "--length", "1ms")),
    ("host-starved", "host-starved", 0.05, SMALL, ("host", "--length", "1ms")),
    ("pageable-copy", "pinned", 0.02, SMALL, ("pageable", "--length", "2ms")),
    ("blocking-copy", "blocking-copy", 0.03, SMALL, ("blocking", "--length", "2ms")),
    ("tiny-reads", "tiny-reads", 0.05, SMALL, ("reads", "--count", "60", "--length", "20us")),
)


def make(scratch, base, bad):
    good, worse = (os.path.join(scratch, name) for name in ("good.sqlite", "bad.sqlite"))
    planted.generate(good, [*base, "--seed", 7])
    if isinstance(bad, list):
        planted.generate(worse, [*base, *bad, "--seed", 7])
        return good, worse
    planted.plant(good, worse, bad)
    if bad[0] == "pageable":            # a copy of pinned memory is left
        planted.plant(good, good + ".pinned", ("blocking", "--length", "%dns" % pinned_call(good)))
        good += ".pinned"
    return good, worse


def check(scratch, code, scenario, most, base, bad):
    """What is wrong; and the relative error."""
    good, worse = make(scratch, base, bad)
    rows = [r for r in wl.run("findings", worse, "--all")[1]["rows"] if r["code"] == code]
    if not rows:
        return ["no finding"], 1.0
    row = rows[0]
    if row["scenario"] != scenario or row["replayed"] is None:
        return ["scenario %r, replayed %r: %s" % (row["scenario"], row["replayed"], row["fixing"])], 1.0
    said = span(worse) - row["replayed"] * (STEPS if row["per"] == "step" else 1)
    error = abs(said - span(good)) / span(good)
    wrong = []
    if error > most:
        wrong.append("predicted %d of %d, the good one takes %d" % (said, span(worse), span(good)))
    if row["replayed"] > row["saving"]:
        wrong.append("replayed %d is above the bound %d" % (row["replayed"], row["saving"]))
    if row["per"] == "step":                                # one figure for both, unless the bound is less
        per_step = wl.run("whatif", worse, "--with", scenario)[1]["rows"][0]["per_step"]
        if per_step is not None and row["replayed"] != min(per_step, row["saving"]):
            wrong.append("replayed %d of a step, whatif says %d" % (row["replayed"], per_step))
    if ", replayed" not in row["fixing"]:
        wrong.append("says %r" % row["fixing"])
    return wrong, error


MOE = ["--moe", "--ranks", "4", "--layers", "4", "--iters", "8"]
SERVING = ["--serving", "--ranks", "2", "--layers", "8", "--iters", "60"]


def saved(path, *scenarios):
    """What a replay of these scenarios together saves, in ns, and which sort of number that is."""
    row = wl.run("whatif", path, *(word for s in scenarios for word in ("--with", s)))[1]["rows"][0]
    return row["saving"], row["forecast"]


def check_only_order(scratch):
    """The host waits for kernels and launches the all-to-all of their results. Where events are recorded these order it as well;
    where not, the replay has no order left without that wait, and its number is no more than a bound of the true one."""
    path, wrong = [os.path.join(scratch, name + ".sqlite") for name in ("order", "events")], []
    planted.generate(path[0], MOE)
    planted.generate(path[1], MOE + ["--events"])
    (most, kind), (true, with_events) = (saved(p, "no-sync=cudaStreamSynchronize") for p in path)
    if (kind, with_events) != ("at most", "prediction"):
        wrong.append("forecasts are %s without events and %s with them" % (kind, with_events))
    if true > most:
        wrong.append("at most %d, and %d with events" % (most, true))
    return wrong


def check_advice(scratch):
    """Where layers are split over GPUs the next kernel needs each result: another stream is no advice."""
    path = os.path.join(scratch, "advice.sqlite")
    planted.generate(path, SERVING)
    said = [r["action"] for r in wl.run("findings", path)[1]["rows"] if r["code"] == "stream-serialisation"]
    return [] if said == ["Fuse it with compute, or split the batch"] else [str(said)]


def check_others(scratch):
    """The small call sites of communication together save no more than all communication does."""
    path = os.path.join(scratch, "others.sqlite")
    planted.generate(path, TRAIN + ["--straggler", "2:1.15"])
    others = [r["saves_alone"] for r in wl.run("findings", path, "--all")[1]["rows"] if (r["code"], r["subject"]) == ("exposed-comm", "others")]
    most = saved(path, "comm-free")[0]
    return [] if len(others) == 1 and 0 < others[0] <= most else ["%s of at most %d" % (others, most)]


def main():
    failed = 0
    with tempfile.TemporaryDirectory(prefix="wl-replayed-") as scratch:
        for twin in TWINS:
            wrong, error = check(scratch, *twin)
            failed += bool(wrong)
            print("%s%-20s %-40s %.2f %%%s" % ("FAIL " if wrong else "", twin[0], " ".join(twin[4]), 100 * error,
                                              "".join("; " + w for w in wrong)))
        for name, wrong in (("a wait is the only order", check_only_order(scratch)),
                            ("small call sites", check_others(scratch)), ("advice of serving", check_advice(scratch))):
            failed += bool(wrong)
            print("%s%s%s" % ("FAIL " if wrong else "", name, "".join("; " + w for w in wrong)))
    print("%d pairs, %d failed" % (len(TWINS), failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
