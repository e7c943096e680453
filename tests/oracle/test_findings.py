#!/usr/bin/env python3
"""findings against planted causes: the first finding names the cause, and its saving is what the cause costs.

Then, on random traces, that findings never claim more time than was lost, and that the summary's budget is the mean step.
ORACLE_SEEDS: how many random traces (default 150); ORACLE_BASE: the first seed (default 1). A failing trace is kept.
"""
import os
import random
import shlex
import shutil
import statistics
import tempfile

import ledger
import mktrace
import planted
import wl
from tracefile import Trace

TOLERANCE = 0.05
SMALL_SHARE = 0.01

TRAIN = ["--ranks", "2", "--layers", "2", "--iters", "20", "--variants", "4"]
WIDE = ["--ranks", "4", "--layers", "2", "--iters", "20", "--variants", "4"]
NEW = ["--schema", "2026.4"]
MOE = ["--ranks", "4", "--layers", "2", "--iters", "12", "--moe", "--chunks", "2"]
SERVING = ["--ranks", "2", "--layers", "4", "--iters", "40", "--serving"]
FEW_KERNELS = ["--ranks", "2", "--layers", "6", "--iters", "20", "--fwd-kernels", "2", "--bwd-kernels", "2"]
HEALTHY = ["--ranks", "2", "--layers", "12", "--iters", "12", "--variants", "3"]

# (options of gen_trace.py, edits by plant.py, code where the generator itself puts the cause in)
SCENARIOS = [
    (TRAIN, [["alloc", "--length", "1ms"]], None),
    (WIDE + NEW, [["alloc", "--length", "700us"]], None),
    (SERVING, [["alloc", "--length", "4ms"]], None),
    (TRAIN, [["sync", "--length", "1ms"]], None),
    (MOE, [["sync", "--length", "3ms"]], None),
    (TRAIN, [["pageable", "--length", "3ms"]], None),
    (TRAIN, [["blocking", "--length", "3ms"]], None),
    (TRAIN, [["load", "--length", "1ms"]], None),
    (TRAIN, [["profiler", "--length", "2ms"]], None),
    (TRAIN, [["host", "--length", "3ms"]], None),
    (TRAIN, [["launch", "--count", "800"]], None),
    (TRAIN, [["alloc", "--length", "3ms"], ["sync", "--length", "1ms"]], None),
    (TRAIN, [["sync", "--length", "1ms"], ["host", "--length", "4ms"], ["load", "--length", "2ms"]], None),
    (TRAIN, [["alloc", "--length", "9ms", "--every", "8"]], None),
    (WIDE + ["--straggler", "2:1.3"], [], "straggler"),
    (TRAIN + ["--slow-iter", "9:4"], [], "slow-iterations"),
    (TRAIN + ["--stall", "9:40ms"], [], "slow-iterations"),          # one step stands out, whatever it waits for
    (SERVING + ["--host-gap", "3000"], [], "host-starved"),
    (FEW_KERNELS, [], "exposed-comm"),
]


def sampled(values):
    """Of one value per iteration, those of the sample: all but the first and the last."""
    return values[1:-1]


def mean_period(truth):
    starts = truth["iteration_start_ns"]
    return statistics.mean(sampled([b - a for a, b in zip(starts, starts[1:])] + [None]))


def true_saving(truth, options, scratch):
    """What the cause that the generator put in costs per step."""
    n = truth["iterations"] - 2
    if truth["straggler"]:
        at = options.index("--straggler")
        without = planted.generate(os.path.join(scratch, "without.sqlite"), options[:at] + options[at + 2:])
        return mean_period(truth) - mean_period(without)
    if truth["slow_iter"]:
        slow, lengths = int(truth["slow_iter"].split(":")[0]), truth["iteration_len_ns"]
        return (lengths[slow] - statistics.median(lengths[:slow] + lengths[slow + 1:])) / n
    if truth["stall"]:
        return int(truth["stall"].split(":")[1][:-len("ms")]) * 10 ** 6 / n
    if truth["workload"] == "serving":
        return statistics.mean(truth["host_gap_ns"][2:])            # the gap before a step is part of the step before
    return max(statistics.mean(sampled(d["exposed_comm_per_iteration_ns"])) for d in truth["files"][0]["by_rank"].values())


def scenario(path, options, edits, code):
    """[(code, saving)] to be found in the trace at path, which this makes; the largest first."""
    truth = planted.generate(path, options)
    if not edits:
        return [(code, true_saving(truth, options, os.path.dirname(path)))]
    for edit in edits:
        source = path + ".source"
        for end in ("", ".truth.json"):
            os.replace(path + end, source + end)
        truth = planted.plant(source, path, edit)
    return sorted(((e["code"], e["saving_ns"]) for e in truth["planted"]), key=lambda pair: -pair[1])


def as_planted(rows, want):
    """Several findings may share a code (exposed communication by stage): together they are the cause."""
    out = [] if rows and rows[0]["code"] == want[0][0] else ["first are %r" % [(r["code"], r["saving"]) for r in rows[:3]]]
    for code, saving in want:
        found = sum(r["saving"] or 0 for r in rows if r["code"] == code)
        if abs(found - saving) > TOLERANCE * saving:
            out.append("%s: saving %d, truth %d (%+.1f %%)" % (code, found, saving, 100 * found / saving - 100))
    return out


def marker_of(options):
    """What is an iteration, where warplens would rather take a part of one for it."""
    return ["--marker=iteration"] if "--moe" in options else ["--marker=schedule"] if "--serving" in options else []


def in_order(rows):
    """By saving; those without one come last."""
    order = [-1 if r["saving"] is None else r["saving"] for r in rows]
    return [] if order == sorted(order, reverse=True) else ["not by saving: %r" % order]


def evidence(path, rows):
    """Each finding names a command that works and shows something."""
    out = []
    for row in rows:
        program, *arguments = shlex.split(row["evidence"])
        try:
            status, document = wl.run(*[path if a == "TRACE" else a for a in arguments])
            works = program == "warplens" and status == 0 and document.get("rows", ["a document"])
        except RuntimeError:
            works = False
        out += [] if works else ["%s: %s" % (row["code"], row["evidence"])]
    return out


def planted_causes(tally):
    with tempfile.TemporaryDirectory(prefix="wl-findings-") as scratch:
        for options, edits, code in SCENARIOS:
            path, what = os.path.join(scratch, "t.sqlite"), " ".join(sum(edits, []) + options)
            want = scenario(path, options, edits, code)
            _, document = wl.run("findings", path, *marker_of(options))
            tally.check("%s: %s" % (want[0][0], what), as_planted(document["rows"], want) + in_order(document["rows"]))
            tally.check("evidence: " + what, evidence(path, document["rows"]))
        path = os.path.join(scratch, "healthy.sqlite")
        planted.generate(path, HEALTHY)
        _, document = wl.run("findings", path)
        # Findings about compute itself have a share and no saving: they name what to look at, not what is lost.
        found = [r for r in document["rows"] if r["saving"] is not None and r["share"] >= SMALL_SHARE]
        tally.check("nothing is wrong: " + " ".join(HEALTHY), ["%s: %s" % (r["code"], r["finding"]) for r in found])


# --- no time is claimed twice ----------------------------------------------------------------------------------

def window_of(trace, r):
    """Some interval with something in it."""
    first, last = min(op.start for op in trace.ops), max(op.end for op in trace.ops)
    a, b = sorted((r.randint(first, last), r.randint(first, last)))
    return a, max(b, a + 1)


def one_seed(seed, path):
    """Yields (what, differences)."""
    mktrace.make(seed, path, rich=True)
    trace = Trace(path)
    if not trace.ops:
        return
    status, document = wl.run("findings", path, "--all", "--conventions=generic")
    if status == wl.NO_DATA:
        yield ("findings",), ["exit %d" % status]
        return
    yield ("findings",), ledger.claimed_at_most(trace, document["rows"])
    a, b = window_of(trace, random.Random("findings %d" % seed))
    arguments = ["--all", "--conventions=generic", "--window=%dns..%dns" % (a, b)]
    status, document = wl.run("findings", path, *arguments)
    if status == 0:
        yield ("findings", *arguments), ledger.claimed_in_window(trace, (a, b), document["rows"])
    _, document = wl.run("summary", path, "--section=budget", "--conventions=generic")
    yield ("summary --section=budget",), ledger.budget_differs(trace, document["rows"])


def random_traces(tally):
    count, base = int(os.environ.get("ORACLE_SEEDS", "150")), int(os.environ.get("ORACLE_BASE", "1"))
    scratch, failed = tempfile.mkdtemp(prefix="wl-findings-"), tally.failed
    for seed in range(base, base + count):
        path, bad = os.path.join(scratch, "%d.sqlite" % seed), []
        try:
            for what, differences in one_seed(seed, path):
                bad += [" ".join(what)[:200] + "\n         " + str(d)[:600] for d in differences]
        except RuntimeError as error:
            bad.append(str(error))
        tally.check("seed %d, trace %s" % (seed, path), bad)
        if not bad:
            os.remove(path)
    if tally.failed == failed:
        shutil.rmtree(scratch)


def main():
    tally = wl.Tally()
    planted_causes(tally)
    random_traces(tally)
    tally.finish()


if __name__ == "__main__":
    main()
