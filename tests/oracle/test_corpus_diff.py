#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""diff on the pairs of the corpus: the verdict and the reason that a person finds in them, sums that add up, and
every trace against itself. A baseline gives the same tables as its trace."""
import os
import shutil
import subprocess
import tempfile

import wl

# (before, after, verdict, the part that moved most in the direction of the whole); nersc's copies are within the device
PAIRS = [
    ("nersc-sc22-ddp-4gpu-baseline", "nersc-sc22-ddp-4gpu-nobroadcast", "faster", "compute"),
    ("nersc-sc22-ddp-4gpu-nobroadcast", "nersc-sc22-ddp-4gpu-baseline", "slower", "compute"),
    ("nersc-sc22-ddp-4gpu-baseline", "nersc-sc22-ddp-4gpu-bucketcap", "faster", "compute"),
    ("nsys-ai-mfu-2gpu-before", "nsys-ai-mfu-2gpu-after", "inconclusive", "host"),
    ("balinski-series-02-2025.5", "balinski-series-14-2025.5", "totals", "compute"),
    ("balinski-series-14-2025.5", "balinski-series-19-2025.5", "totals", "compute"),
]
# (before, after, copies, their calls per step): counted in the periods with SQL; some are launched between two steps
COPIES = [("nersc-sc22-ddp-4gpu-baseline", "nersc-sc22-ddp-4gpu-nobroadcast", "DtoD, device to device", 28, 4)]
SECTIONS = ("verdict", "budget", "kernels", "ranges", "idle", "categories")


def tables(*arguments):
    _, document = wl.run("diff", *arguments)
    return {s["analysis"]: s["rows"] for s in document["sections"]}


def mean_of(t):
    """The row of the mean step, or of the window where there are no steps."""
    return next((r for r in t["verdict"] if r["metric"] == "mean_step"), t["verdict"][0])


def check_sums(tally, what, t):
    """Parts make up the mean, causes the idle parts, effects the change."""
    mean = mean_of(t)
    for key in ("before", "after", "change"):
        tally.equal("%s: parts, %s" % (what, key), sum(r[key] for r in t["budget"]), mean[key])
        tally.equal("%s: idle, %s" % (what, key), sum(r[key] for r in t["idle"]),
                    sum(r[key] for r in t["budget"] if r["kind"] == "idle"))
    rows = [r for name in ("kernels", "ranges", "categories") for r in t[name]]
    tally.check("%s: effects" % what, [r for r in rows if r["count_effect"] + r["duration_effect"] != r["change"]])
    tally.check("%s: changes" % what, [r for r in rows if r["after"] - r["before"] != r["change"]])


def check_itself(tally, name, path, scratch):
    """Nothing changes, and a baseline is as good as the trace."""
    status, document = wl.run("diff", path, path)
    if status == wl.NO_DATA:
        return
    t = {s["analysis"]: s["rows"] for s in document["sections"]}
    steps = t["verdict"][0].get("n_before") or 0
    want = "totals" if not steps else "same" if steps >= 8 else "inconclusive"
    tally.equal("%s with itself" % name, t["verdict"][0]["verdict"], want)
    check_sums(tally, name, t)
    tally.check("%s: nothing changed" % name, [r for s in ("budget", "kernels", "idle") for r in t[s] if r["change"]])
    subprocess.run([wl.WARPLENS, "baseline", "tag", "x", path, "--dir", scratch], check=True, stdout=subprocess.DEVNULL)
    kept = tables("baseline:x", path, "--dir", scratch)
    for s in SECTIONS:
        tally.equal("%s: baseline, %s" % (name, s), kept[s], t[s])
    size = os.path.getsize(os.path.join(scratch, "x.json"))
    tally.check("%s: size of the baseline" % name, ["%d bytes" % size] if size >= 200000 else [])


def main():
    wl.skip_without_corpus()
    tally = wl.Tally()
    wanted = {name for pair in PAIRS for name in pair[:2]}
    with tempfile.TemporaryDirectory(prefix="wl-diff-") as scratch:
        for name, path in wl.corpus_traces(any_size=True):
            check_itself(tally, name, path, scratch)
            if name in wanted:
                shutil.copy(path, os.path.join(scratch, name + ".sqlite"))
        for before, after, verdict, part in PAIRS:
            what = "%s -> %s" % (before, after)
            t = tables(*[os.path.join(scratch, name + ".sqlite") for name in (before, after)])
            tally.equal("%s: verdict" % what, t["verdict"][0]["verdict"], verdict)
            sign = 1 if mean_of(t)["change"] > 0 else -1
            tally.equal("%s: part" % what, max(t["budget"], key=lambda r: sign * r["change"])["part"], part)
            check_sums(tally, what, t)
            for _, _, name, old, new in (c for c in COPIES if c[:2] == (before, after)):
                row, = (r for r in t["copies"] if r["name"] == name)
                tally.equal("%s: %s" % (what, name), (row["calls_before"], row["calls_after"]), (old, new))
    tally.finish()


if __name__ == "__main__":
    main()
