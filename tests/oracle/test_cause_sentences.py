#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is said of slow ranks, of what cannot be replayed and of drifts, against the sentences and figures of their definition, on
traces whose cause is known. The figures stand in the definition's tables; the program's own are not looked at for them.
"""
import contextlib
import os
import re
import sqlite3
import statistics
import sys
import tempfile

import wl

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "jobs"))
import caused  # noqa: E402
from made import real  # noqa: E402

# case: what the first finding says, what it saves of the run in percent, its severity
SENTENCES = {
    "21": ("GPUs 0 and 1 run the same kernels (19|20)..% slower than the others: all kernels take 1.20 times as long as on GPUs 2-3 .*; one alone saves nothing", "16.4", "high"),
    "28": ("GPU 1 runs the same kernels (59|60)..% slower in steps 5-9: all kernels take 1.60 times as long", "12.7", "high"),
    "29": ("GPU 2 is slow in every 4th step: 1, 5, 9, ...: all kernels take 1.50 times as long", None, "high"),
    "35": ("GPU 2 runs the same kernels (49|50)..% slower in 6 of 20 steps: all kernels take 1.50 times as long", None, "high"),
    "01": ("GPU 3 is slow: a kernel takes 2.00 times as long .flash_fwd", None, "high"),
    "06b": ("GPU 1 .*growing.* 1.32 times", None, "high"),
    "07": ("The slow GPU changes from step to step; GPU 0 in 5 steps, 1 in 5, 2 in 5, 3 in 5.*: all kernels take 1.40 times as long where it is",
           "27.7", "high"),
    "33": ("process 90000 runs on GPU 0 for 83.* kernels take 1.50 times as long", None, "high"),
    "37": ("[Nn]odes node2(, | and )node5 .ranks 4, 5, 10, 11. are slow: all kernels take 1.20 times as long", "16.4", "high"),
    "38": ("GPUs 1 and 3 are slow", None, "high"),
}
# Of such a case every step is slow, or more than three quarters are.
ALWAYS = ("21", "01", "33", "37", "38")
# Medians of 21 in us, on GPUs 0-1 and 2-3, of all kernels whose names have these parts; a sentence has them by name.
MEDIANS = {"gemm": ("389.7", "324.7"), "flash_fwd": ("263.9", "219.8")}
# case: steps of the series, z, by how much the steps take longer in percent
DRIFTS = {"06": (23, "6.66", "35.8")}
REAL_DRIFT, REAL_Z = "instant-ngp-cudagraph-nodes", "9.2"
MOST = 64                               # numbers in a series; more steps become medians of equal blocks


def answer(verb, path, *more):
    job = ["--job"] if os.path.isdir(path) else []
    return wl.run(verb, *job, path, *more)[1]


def sentences(tally, name, path):
    row = answer("findings", path)["rows"][0]
    words, percent, severity = SENTENCES[name]
    tally.check(name + " says", [] if row["code"] == "straggler" and re.search(words, row["finding"]) else [row["finding"]])
    tally.equal(name + " severity", row["severity"], severity)
    if percent is not None:
        tally.equal(name + " saves", "%.1f" % (100 * row["saves_share"]), percent)
    if name in ALWAYS:
        tally.check(name + " names no steps", [row["finding"]] if re.search(r"slow in (step|every|\d+ of)", row["finding"]) else [])


def median_of(path, part, devices):
    with contextlib.closing(sqlite3.connect(path)) as db:
        return statistics.median(n for n, in db.execute(
            "SELECT k.end - k.start FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.shortName WHERE s.value LIKE ? AND deviceId IN (%s)"
            % ",".join(map(str, devices)), ("%" + part + "%",)))


def medians(tally, path):
    """Kernels in the sentence of 21 have the medians that its rows have, and those of the definition's sentence are there."""
    for part, want in MEDIANS.items():
        tally.equal("21 " + part, tuple("%.1f" % (median_of(path, part, on) / 1000) for on in ((0, 1), (2, 3))), want)
    told = re.findall(r"(\w+)(?: \w+)? ([\d.]+) us vs ([\d.]+) us", answer("findings", path)["rows"][0]["finding"])
    tally.check("21 has two kernels", [] if len(told) == 2 else [told])
    for name, slow, fast in told:
        got = [median_of(path, name, on) / 1000 for on in ((0, 1), (2, 3))]
        tally.check("21 " + name, [] if all(abs(g - float(t)) < 0.06 for g, t in zip(got, (slow, fast))) else [(name, slow, fast, got)])


def unexplained(tally, path, with_events):
    """Lags of up to 400 us that nothing explains: lateness, no saving, and never that nobody is late; with events it is a straggler."""
    row, ranks = answer("findings", path)["rows"][0], answer("ranks", path)
    tally.equal("43", (row["code"], row["subject"], row["saves"], row["saves_kind"]), ("straggler", "GPU 2", None, None))
    tally.check("43 says", [w for w in ("GPU 2 arrives late by 1.109 ms", "9.6%", "cannot be replayed", "88.0%") if w not in row["finding"]])
    tally.equal("43 severity, by the lateness", row["severity"], "medium")
    tally.equal("43 ranks", [r["saving"] for r in ranks["rows"] if r["saving"] is not None], [])
    tally.check("43 is not clean", [n for n in ranks["notes"] if n.startswith("no straggler")])
    row = answer("findings", with_events)["rows"][0]
    tally.equal("43e", (row["code"], row["subject"], row["saves"] is not None), ("straggler", "GPU 2", True))


def series(path):
    """The periods of the job's steps, of the process where each is longest, without the first and the last."""
    longest = {}
    for row in answer("iters", path)["rows"]:
        if row["period"] is not None:
            longest[row["iter"]] = max(longest.get(row["iter"], 0), row["period"])
    return [longest[k] for k in sorted(longest)][1:]


def middle(values):
    v = sorted(values)
    return (v[(len(v) - 1) // 2] + v[len(v) // 2]) // 2


def blocks(x):
    size = -(-len(x) // MOST)
    return [middle(x[i * size:(i + 1) * size]) for i in range(len(x) // size)]


def z_of(x):
    """Of Mann and Kendall."""
    n, s = len(x), sum((b > a) - (b < a) for i, a in enumerate(x) for b in x[i + 1:])
    return (s - (s > 0) + (s < 0)) / (n * (n - 1) * (2 * n + 5) / 18) ** 0.5


def drifts(tally, name, path):
    """z of the periods that are printed, and what is said of the slope over the series."""
    x, (count, z, percent) = series(path), DRIFTS[name]
    tally.equal(name + " series", len(x), count)
    tally.equal(name + " z", "%.2f" % z_of(x), z)
    found = [r for r in answer("findings", path)["rows"] if r["code"] == "step-time-changed"]
    tally.check(name + " says", [] if found and percent + "%" in found[0]["finding"] else found)


def main():
    tally = wl.Tally()
    with tempfile.TemporaryDirectory(prefix="wl-sentences-") as scratch:
        made = caused.write(scratch, [*SENTENCES, *DRIFTS, "43", "43e"])
        for name in SENTENCES:
            sentences(tally, name, made[name][0])
        medians(tally, made["21"][0])
        unexplained(tally, made["43"][0], made["43e"][0])
        for name in DRIFTS:
            drifts(tally, name, made[name][0])
        path = real(scratch, REAL_DRIFT)
        if path is not None:
            tally.equal(REAL_DRIFT + " z", "%.1f" % z_of(blocks(series(path))), REAL_Z)
    tally.finish()


if __name__ == "__main__":
    main()
