#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The command under Evidence shows the evidence: of every finding of all fixtures, generated traces, real traces and jobs it exits
with 0, has rows, and the rows have at least half of the time that the finding claims on its GPU. Where they are idle time by cause,
of the finding's GPU and steps, they are its claim to within a twentieth, or the caveat divides their sum: what this finding claims, what
others claim and what none claims add up to the rows, and the first part is no more than the claim.

Exceptions: findings without a saving claim no time; slow-iterations shows one step of several, and must have half of what that step
takes longer.
"""
import os
import re
import shlex
import tempfile

import planted
import wl

SMALL = ["--ranks", "2", "--layers", "2", "--iters", "8", "--variants", "3"]
NEW = SMALL + ["--schema", "2026.4"]
SERVING = ["--ranks", "2", "--layers", "2", "--iters", "12", "--serving"]
CASES = [(SMALL, []), (NEW, []), (SERVING, []), (["--moe", "--chunks", "2", "--ranks", "4", "--layers", "4", "--iters", "8"], []),
         (["--ranks", "4", "--layers", "2", "--iters", "8", "--straggler", "2:1.2", "--stall", "5:50ms"], []),
         *((SMALL, [kind, "--length", "900us"]) for kind in ("alloc", "sync", "pageable", "blocking", "load", "host", "profiler", "managed")),
         (SMALL, ["host", "--length", "9ms", "--every", "7"]), (SMALL, ["launch", "--count", "60"]), (SMALL, ["reads", "--count", "20"]),
         (SMALL, ["drain", "--count", "9"]), (SMALL, ["startup", "--length", "5ms", "--call", "load"]), (SMALL, ["dtod", "--length", "777us"]),
         (SMALL, ["bare"]), (SERVING, ["alloc", "--length", "300us"])]
# the column of each verb that has the time of its rows; exposed copies of transfers also hold up kernels
TIME = {"idle": ("sum",), "gaps": ("duration",), "transfers": ("exposed", "inside_kernels"), "kernels": ("sum",), "sync": ("gpu_idle",),
        "launch": ("exposed_launch",), "overlap": ("exposed",), "nccl": ("sum",), "stacks": ("self",), "iters": ("period",),
        "osrt": ("sum",)}
UNIT = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
OVERHEAD = re.compile(r"profiler overhead takes ([\d.]+) (ns|us|ms|s)\b")
ONE_STEP = re.compile(r"steps (?:\([\d, .]+\) )?(?:take|are).*(?:takes ([\d.]+) (ns|us|ms|s) longer|idles ([\d.]+) (ns|us|ms|s) before)")


PARTS = re.compile(r"he evidence shows ([\d.]+) (ns|us|ms|s) of (?:this|the [\d.]+ .?s that this finding claims)"
                   r"(?:(?:,| and) ([\d.]+) (ns|us|ms|s) that other findings claim)?(?: and ([\d.]+) (ns|us|ms|s) that none claims)?\.$")
# These show what a step or a time has; their rows are no sum of one cause.
OWN_ROWS = ("start-up", "slow-iterations", "straggler", "step-time-changed", "profiler-overhead", "managed-memory")


def divided(finding, window):
    """What is wrong with how the caveat divides the rows."""
    words = shlex.split(finding["evidence"])
    if words[1] != "idle" or "--where" not in words or finding["window_share"] is None or finding["code"] in OWN_ROWS:
        return []
    shown = sum(row["sum"] for row in wl.run(*words[1:])[1]["rows"])
    claim, parts = finding["window_share"] * window, PARTS.search(finding["limits"] or "")
    if not parts:
        return [] if abs(shown - claim) <= claim / 20 + 1 else ["%d ns shown, %d claimed, and nothing said: %s" % (shown, claim, finding["evidence"])]
    found = [float(n) * UNIT[u] for n, u in zip(parts.groups()[::2], parts.groups()[1::2]) if n]
    room = sum(0.0006 * ns for ns in found) + 2          # four digits of each
    wrong = [] if abs(sum(found) - shown) <= room else ["%d ns shown: %s" % (shown, parts.group(0))]
    return wrong + ([] if found[0] <= claim * 1.001 + 1 else ["%d ns claimed: %s" % (claim, parts.group(0))])


def claimed(finding, window):
    """The time that the rows should have, in ns; 0 where none is claimed."""
    of_step = ONE_STEP.search(finding["finding"]) if finding["code"] == "slow-iterations" else None
    if of_step:
        number, unit = (g for g in of_step.groups() if g)
        return float(number) * UNIT[unit]
    # Who is late because of the profiler is shown by the profiler's time on that GPU; the waits for it are on others.
    overhead = OVERHEAD.search(finding["finding"]) if finding["code"] == "straggler" else None
    if overhead:
        return float(overhead.group(1)) * UNIT[overhead.group(2)]
    return (finding["window_share"] or 0) * window


def check(path, finding, window):
    words = shlex.split(finding["evidence"])
    if words[0] != "warplens":
        return ["not a command: " + finding["evidence"]]
    try:
        status, answer = wl.run(*words[1:])
    except RuntimeError as e:
        return [str(e)]
    if status != 0:
        return ["exit %d: %s" % (status, finding["evidence"])]
    if not answer["rows"]:
        return ["no rows: " + finding["evidence"]]
    least, columns = claimed(finding, window) / 2, TIME.get(words[1])
    if not columns:
        return ["%s has no column of time, and %d ns are claimed" % (words[1], 2 * least)] if least > 0 else []
    wrong = divided(finding, window)
    if wrong:
        return wrong
    shown = sum(row.get(c) or 0 for row in answer["rows"] for c in columns)
    return [] if shown >= least else ["%d ns shown, %d ns claimed: %s" % (shown, 2 * least, finding["evidence"])]


def one_trace(name, path, tally):
    """How many findings it has."""
    status, answer = wl.run("findings", path, "--all")
    rows = answer["rows"] if status == 0 else []
    for number, finding in enumerate(rows, 1):
        tally.check("%s, finding %d, %s" % (name, number, finding["code"]), check(path, finding, answer["window"]["length"]))
    return len(rows)


def main():
    tally, n = wl.Tally(), 0
    fixtures = os.environ.get("WARPLENS_FIXTURES")
    for name in sorted(os.listdir(fixtures)) if fixtures else []:
        if name.endswith(".sqlite"):
            n += one_trace(name, os.path.join(fixtures, name), tally)
    with tempfile.TemporaryDirectory(prefix="wl-evidence-") as scratch:
        for number, (options, edit) in enumerate(CASES):
            path = os.path.join(scratch, "%d.sqlite" % number)
            planted.generate(path, options)
            if edit:
                planted.plant(path, path + ".planted.sqlite", edit)
                path += ".planted.sqlite"
            n += one_trace(" ".join(edit or options), path, tally)
        job = os.path.join(scratch, "split")
        planted.run("gen_trace.py", "-o", job, "--split", *SMALL)
        n += one_trace("a job", job, tally)
        for name in sorted(os.listdir(wl.JOBS)) if os.path.isdir(wl.JOBS) else []:
            if os.path.isdir(os.path.join(wl.JOBS, name)) and name.startswith("mpi-"):
                n += one_trace(name, wl.real_job(name, scratch), tally)
        for name, path in wl.corpus_traces() if os.path.isdir(wl.CORPUS) else []:
            n += one_trace(name, path, tally)
    tally.check("findings were compared", [] if n > 50 else ["%d" % n])
    tally.finish()


if __name__ == "__main__":
    main()
