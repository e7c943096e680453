#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Waits between streams without event rows: the tables of their definition, and the program's pairs of streams beside the oracle's.

Of real traces the events are hidden in a copy: what is inferred there is compared with what the events say, and how much it finds. TRACES=all compares all
three captures, else the first; CAUSES_ALL=1 all planted traces. RANDOM_JOBS=N, ORACLE_BASE=S: the
pairs of N random jobs with random lag and jitter, too.
"""
import argparse
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in ("jobs", "why", os.path.join("..", "support")):
    sys.path.insert(0, os.path.join(HERE, folder))
import caused  # noqa: E402
import causes  # noqa: E402
import graph as graphs  # noqa: E402
import made  # noqa: E402
import opened  # noqa: E402
import opening  # noqa: E402
import wl  # noqa: E402

EVENTS = "CUPTI_ACTIVITY_KIND_CUDA_EVENT"
# capture: learned times above the least one in us, right, wrong producer, no event; of the first a second reader has 24.3 and 333; how
# many waits of the trace bind, of which the right ones are found
REAL = {
    "nersc-sc22-ddp-4gpu-baseline": (("11.1", "24.3"), (333, 5, 2), 405),
    "nersc-sc22-ddp-4gpu-nobroadcast": (("9.8", "12.5", "24.9"), (344, 10, 1), 417),
    "nersc-sc22-ddp-4gpu-bucketcap": (("5.3", "6.0", "15.9"), (323, 1, 0), 404),
}
NEAR = 0.01                             # which waits bind, of some that end at the same time, is a choice
TRAIN = "--ranks 4 --layers 12 --iters 20 --straggler 2:1.15 --seed 1"
TRAIN_WAITS = 540
# case: largest learned time in us, saving of no-straggler in ns (None: not given), what is left of the run beside the clean one in %
PLANTED = {
    "j_lag0": ("2.0", None, "-0.12"), "j_lag0.5": ("2.0", None, "-0.12"), "j_lag1": ("2.0", 35663937, "-0.12"), "j_lag1.9": ("2.4", None, "-0.12"),
    "j_lag3": ("3.75", 35663937, "-0.12"), "j_lag5": ("6.25", 35663937, "-0.12"), "j_lag8": ("10.0", None, "-0.12"),
    "j_jit-1.5..0_lag1": ("3.1", None, "-0.13"), "j_jit-3..0_lag1.5": ("5.6", 35591373, "-0.13"), "j_jit-3..0_lag3": ("7.5", None, "-0.13"),
    "j_jit-8..0_lag1": ("11.1", 35630079, "-0.12"), "j_jit-8..0_lag3": ("13.6", None, "-0.12"), "j_jit-8..0_lag8": ("19.9", None, "-0.12"),
    "e_lag3_E": (None, None, "-0.05"), "e_lag3_jit-3_E": (None, None, "-0.02"), "e_lag3_jit-8_E": (None, None, "-0.01"),
}
FEW = ("j_lag3", "j_lag8", "j_jit-3..0_lag1.5", "e_lag3_E")
MOST_HOLD = "0.002"


def as_printed(value, text):
    return "%.*f" % (len(text.split(".")[1]), value)


def hidden(path, scratch):
    """A copy of a trace without its records of events."""
    out = os.path.join(scratch, "hidden.sqlite")
    shutil.copyfile(path, out)
    db = sqlite3.connect(out)
    db.execute("DELETE FROM " + EVENTS)
    db.commit()
    db.close()
    return out


def pairs_of(graph):
    """(pid, device, stream, other stream) -> waits, and the largest lag of those that are allowed any."""
    waits = {}
    for a in graph.activities:
        for node, _, letter in a.candidates:
            if letter == "T":
                other = graph.activities[node >> 1]
                key = a.process.pid, a.row.stream, other.row.stream
                waits[key] = waits.get(key, 0) + 1
    limits = {(p.pid, of[1], other[1]): limit for (p, _), found in graph.limits.items() for (of, other), limit in found.items()}
    return {key: (n, limits.get(key, graphs.LEAST_T)) for key, n in waits.items()}


def told(path):
    """The same by the program."""
    rows = wl.run("info", path, "--section", "waits")[1]["rows"]
    return {(r["pid"], r["stream"], r["from"]): (r["waits"], r["within"]) for r in rows if r["waits"]}


def judged(truth, graph):
    """How many inferred waits are right, have another producer, and have no event at all."""
    counts = [0, 0, 0]
    for real, a in zip(truth.activities, graph.activities):
        events = [node for node, _, letter in real.candidates if letter == "E"]
        for node, _, letter in a.candidates:
            if letter == "T":
                counts[2 if not events else node not in events] += 1
    return tuple(counts)


def binding(graph):
    """How many activities wait for an event longer than for anything else."""
    def latest(a, is_event):
        return max((graph.time(node) + lag for node, lag, letter, *_ in a.candidates if (letter == "E") == is_event), default=-1)
    return sum(latest(a, True) > latest(a, False) for a in graph.activities)


def generated(tally, scratch):
    """Without the rows of events the program infers as many waits in the job of the definition."""
    path = os.path.join(scratch, "train.sqlite")
    subprocess.run([sys.executable, "-B", os.path.join(wl.ROOT, "tests", "support", "gen_trace.py"), "-o", path, *TRAIN.split()],
                   check=True, stdout=subprocess.DEVNULL)
    tally.equal("train waits", sum(n for n, _ in told(hidden(path, scratch)).values()), TRAIN_WAITS)


def real(tally, name, scratch):
    packed = os.path.join(wl.CORPUS, name, "trace.sqlite.zst")
    path = os.path.join(scratch, name + ".sqlite")
    with open(path, "wb") as out:
        subprocess.run(["zstd", "-qdc", packed], stdout=out, check=True)
    blind = hidden(path, scratch)
    truth, graph = opened.open_graph(path), opened.open_graph(blind)
    times, counts, bind = REAL[name]
    learned = {t for found in graph.limits.values() for t in found.values() if t is not None and t > graphs.LEAST_T}
    tally.equal(name + " learned", tuple(as_printed(t / 1000, text) for t, text in zip(sorted(learned), times)), times)
    tally.equal(name + " right, wrong, no event", judged(truth, graph), counts)
    found = binding(truth)
    tally.check(name + " binding waits", [] if abs(found / bind - 1) <= NEAR else ["oracle %d, table %d" % (found, bind)])
    tally.equal(name + " pairs", told(blind), pairs_of(graph))


def learned_safely(tally, scratch):
    """A real trace without events, of which one pair of streams tells more than the least time."""
    path = made.real(scratch, "keras-cudnn-2020")
    if path is None:
        return
    longer = {(stream, other): as_printed(within / 1000, "2.4") for (_, stream, other), (_, within) in told(path).items() if within > graphs.LEAST_T}
    tally.equal("keras", longer, {(21, 20): "2.4"})


def saving_of(path):
    """What the program says of no-straggler; None where it has no answer."""
    rows = wl.run("whatif", path, "--with", "no-straggler")[1]["rows"]
    return rows[0]["saving"]


def planted(tally, name, path, truth):
    longest, saving, rest = PLANTED[name]
    job = opening.Opened(path, truth["communicators"])
    pairs = pairs_of(job.graph)
    tally.equal(name + " pairs", told(path), pairs)
    if longest is not None:
        tally.equal(name + " longest", as_printed(max(limit for _, limit in pairs.values()) / 1000, longest), longest)
    tally.check(name + " holds", [h for h in job.holds().values() if "%.3f" % h > MOST_HOLD])
    got = saving_of(path)
    if saving is not None:
        tally.equal(name + " saving", got, saving)
    if got is not None:
        left = 100 * (job.run - got - truth["clean_span_ns"]) / truth["clean_span_ns"]
        tally.equal(name + " rest", as_printed(left, rest), rest)
    else:
        tally.check(name + " rest", ["no answer"])


def unexplained(tally, path, truth):
    """Lags of up to 400 us: what nothing explains is 0.88 of the run, and what crosses ranks is a lower bound."""
    tally.equal("43 hold", "%.2f" % max(opening.Opened(path, truth["communicators"]).holds().values()), "0.88")
    for scenario, forecast in (("class=compute:0.8", "at least"), ("comm-free", "at least"), ("no-wait", "at least"), ("class=copy:0.8", "prediction")):
        row = wl.run("whatif", path, "--with", scenario)[1]["rows"][0]
        tally.equal("43 " + scenario, row["forecast"], forecast)


def random_job(tally, number, scratch):
    r = random.Random("waits %d" % number)
    options = argparse.Namespace(lag=r.uniform(0, 8), jitter=r.choice((0, r.uniform(0, 8))), events=False, clean=r.random() < 0.5)
    truth = causes.drawn(number, number, options).write(scratch, "random")
    path = os.path.join(scratch, "random.sqlite")
    pairs = pairs_of(opening.Opened(path, truth["communicators"]).graph)
    tally.equal("random %d, lag %.2f, jitter %.2f: pairs" % (number, options.lag, options.jitter), told(path), pairs)


def main():
    tally = wl.Tally()
    base, count = int(os.environ.get("ORACLE_BASE", "1")), int(os.environ.get("RANDOM_JOBS", "0"))
    with tempfile.TemporaryDirectory(prefix="wl-waits-") as scratch:
        names = caused.part(PLANTED, FEW)
        cases = caused.write(scratch, names + ["43"])
        for name in names:
            planted(tally, name, *cases[name])
        unexplained(tally, *cases["43"])
        learned_safely(tally, scratch)
        generated(tally, scratch)
        for number in range(base, base + count):
            random_job(tally, number, scratch)
    if os.path.isdir(wl.CORPUS):
        for name in REAL if os.environ.get("TRACES") == "all" else list(REAL)[:1]:
            with tempfile.TemporaryDirectory(prefix="wl-waits-") as scratch:
                real(tally, name, scratch)
    tally.finish()


if __name__ == "__main__":
    main()
