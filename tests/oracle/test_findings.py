#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
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

import iters
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

GROUPS = WIDE + ["--groups", "2"]
GRAPH = TRAIN + ["--graph", "node"]

# (options of gen_trace.py, edits by plant.py, code where the generator itself puts the cause in[, marker of iterations])
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
    (TRAIN, [["startup", "--length", "300ms"]], None),
    (TRAIN, [["startup", "--length", "400ms", "--call", "launch"]], None),
    (WIDE + NEW, [["startup", "--length", "300ms", "--call", "alloc"]], None),
    (TRAIN, [["reads", "--count", "60"]], None),
    (TRAIN + NEW, [["reads", "--count", "80", "--length", "30us"]], None),
    (TRAIN, [["managed", "--length", "3ms"]], None),
    (TRAIN, [["dtod", "--length", "3ms"], ["alloc", "--length", "1ms"]], None),
    (TRAIN, [["layout", "--length", "3ms"]], None),
    (TRAIN, [["drain", "--count", "60"]], None),
    (GROUPS + ["--straggler", "1:1.3,3:1.3"], [], "straggler"),
    (TRAIN, [["alloc", "--length", "1ms"], ["epochs", "4"]], None),
    (TRAIN, [["load", "--length", "1ms"], ["layers", "4"]], None),
    (GRAPH, [["alloc", "--length", "1ms"], ["bare"]], None),
    (TRAIN, [["sync", "--length", "3ms"], ["bare"]], None),
    (SERVING, [["alloc", "--length", "4ms"]], None, None),          # prefill and decode: warplens finds the steps itself
]
# Copies within a device are work: no rule may call their time lost.
NOT_OF_DTOD = ("exposed-copy", "blocking-copy", "pageable-copy")


def sampled(values):
    """Of one value per iteration, those of the sample: all but the first and the last."""
    return values[1:-1]


def mean_period(truth):
    starts = truth["iteration_start_ns"]
    return statistics.mean(sampled([b - a for a, b in zip(starts, starts[1:])] + [None]))


def true_saving(truth, options, scratch):
    """What the cause that the generator put in costs per step; a slow step is in one of them, so all of it in the window."""
    if truth["straggler"]:
        at = options.index("--straggler")
        without = planted.generate(os.path.join(scratch, "without.sqlite"), options[:at] + options[at + 2:])
        return mean_period(truth) - mean_period(without)
    if truth["slow_iter"]:
        slow, lengths = int(truth["slow_iter"].split(":")[0]), truth["iteration_len_ns"]
        return (lengths[slow] - statistics.median(lengths[:slow] + lengths[slow + 1:]))
    if truth["stall"]:
        return int(truth["stall"].split(":")[1][:-len("ms")]) * 10 ** 6
    if truth["workload"] == "serving":
        return statistics.mean(truth["host_gap_ns"][2:])            # the gap before a step is part of the step before
    return max(statistics.mean(sampled(d["exposed_comm_per_iteration_ns"])) for d in truth["files"][0]["by_rank"].values())


class Cause:
    """What findings should say: a code, its saving per step or per window, and what it speaks of where several share the code."""
    def __init__(self, code, saving, per="step", subject=None):
        self.code, self.saving, self.per, self.subject = code, saving, per, subject

    def is_about(self, row):
        return row["code"] == self.code and (self.subject is None or self.subject in row["subject"].split(", "))


def scenario(path, options, edits, code):
    """(causes to be found in the trace at path, which this makes, the largest first; codes that must not claim anything)."""
    truth = planted.generate(path, options)
    if not edits:
        saving = true_saving(truth, options, os.path.dirname(path))
        ranks = [one.split(":")[0] for one in truth["straggler"].split(",")] if truth["groups"] > 1 else []
        return [Cause(code, saving, subject="GPU " + r) for r in ranks] or [Cause(code, saving, "window" if code == "slow-iterations" else "step")], ()
    for edit in edits:
        source = path + ".source"
        for end in ("", ".truth.json"):
            os.replace(path + end, source + end)
        truth = planted.plant(source, path, edit)
    causes = [Cause(e["code"], e["saving_ns"], e["per"]) for e in truth["planted"] if e["code"]]
    return sorted(causes, key=lambda c: -c.saving), NOT_OF_DTOD if any(e["kind"] == "dtod" for e in truth["planted"]) else ()


def is_first(rows, code):
    """A sync that the planted call delays may stand before it: a replay without the sync saves that time as well, and as a
    prediction it counts whole, where the planted cause is a bound."""
    found = [r for r in rows if r["code"] == code]
    sync = rows[0] if rows and rows[0]["code"] == "host-sync-idle" else None
    return bool(found) and (rows[0] is found[0] or bool(sync and sync["saves_alone"] > 2 / 3 * found[0]["saves_alone"]))


def as_planted(rows, want, never):
    """Several findings may share a code (exposed communication by stage): together they are the cause."""
    out = [] if rows and is_first(rows, want[0].code) else ["first are %r" % [(r["code"], r["saving"]) for r in rows[:3]]]
    for cause in want:
        mine = [r for r in rows if cause.is_about(r)]
        found = sum(r["saving"] or 0 for r in mine)
        if abs(found - cause.saving) > TOLERANCE * cause.saving:
            out.append("%s: saving %d, truth %d (%+.1f %%)" % (cause.code, found, cause.saving, 100 * found / cause.saving - 100))
        out += ["%s: per %s, truth per %s" % (cause.code, r["per"], cause.per) for r in mine if r["per"] != cause.per]
    return out + ["%s: %s" % (r["code"], r["finding"]) for r in rows if r["code"] in never and (r["share"] or 0) >= SMALL_SHARE]


def marker_of(options):
    """What is an iteration, where warplens would rather take a part of one for it."""
    return "iteration" if "--moe" in options else "schedule" if "--serving" in options else None


def in_order(rows):
    """By what fixing it saves of the run, a bound by two thirds of it; those without a saving come last. The saving of findings of
    one scenario is that of the first."""
    rows = [b for a, b in zip([None] + rows, rows) if not (a and b["scenario"] and a["scenario"] == b["scenario"])]
    order = [-1 if r["saves_share"] is None else score(r) for r in rows]
    wrong = [(a, b) for a, b in zip(order, order[1:]) if b - a > 1e-9]
    return ["not by what they save: %r" % order] if wrong else []


def score(row):
    return row["saves_share"] * (2 / 3 if row["saves_kind"] == "at most" else 1)


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
        for options, edits, code, *marker in SCENARIOS:
            path, what = os.path.join(scratch, "t.sqlite"), " ".join(sum(edits, []) + options)
            want, never = scenario(path, options, edits, code)
            marker = marker[0] if marker else marker_of(options)
            _, document = wl.run("findings", path, *(["--marker=" + marker] if marker else []))
            tally.check("%s: %s" % (want[0].code, what), as_planted(document["rows"], want, never) + in_order(document["rows"]))
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
    if iters.is_open(trace):
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
    scratch, failed = tempfile.mkdtemp(prefix="wl-findings-"), tally.failed
    for seed in wl.seeds(150):
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
