#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Perfetto exports of fixtures, generated and random traces: every event with its own times and name, and nothing else.

Each file is read by pfcheck and compared with the SQLite file (exported.py). Also: iterations, gaps and counters equal
what the verbs print; windows, selections and splits hold what SQL selects; the same bytes at each run.
ORACLE_SEEDS: random traces (default 24); ORACLE_BASE: the first seed (default 1).
"""
import gc
import gzip
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import exported
import mkmetrics
import mktrace
import perfetto
import wl
from exported_checks import blind_spots, check_file, check_iteration_window, check_projected, check_ranks, check_window, same_verbs
from tracefile import Trace

GENERATOR = os.path.join(wl.ROOT, "tests", "support", "gen_trace.py")
HOSTILE = os.path.join(wl.ROOT, "tests", "support", "hostile.py")
FIXTURES = os.environ.get("WARPLENS_FIXTURES") or os.path.join(wl.ROOT, "build", "dev", "fixtures")
GENERATED = {
    "training": ["--ranks", "2", "--layers", "2", "--iters", "4", "--osrt", "40"],
    "nodes": ["--ranks", "1", "--layers", "2", "--iters", "4", "--graph", "node", "--schema", "2026.4"],
    "graphs": ["--ranks", "1", "--layers", "2", "--iters", "4", "--graph", "graph", "--schema", "2026.4"],
    "serving": ["--ranks", "2", "--layers", "4", "--serving", "--iters", "12", "--schema", "2023.4"],
    "moe": ["--ranks", "4", "--layers", "2", "--moe", "--iters", "2"],
    "metrics": ["--ranks", "2", "--layers", "1", "--iters", "3", "--schema", "2026.4", "--gpu-metrics", "100us:31", "--nic-metrics", "100us"],
    "metrics of no device": ["--ranks", "1", "--layers", "1", "--iters", "3", "--gpu-metrics", "100us"],
    "ranks": ["--ranks", "8", "--layers", "1", "--iters", "3", "--schema", "2026.4"],
}


def generate(scratch, name, arguments):
    path = os.path.join(scratch, name + ".sqlite")
    subprocess.run([sys.executable, GENERATOR, "-o", path, *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return path


def traces(scratch):
    """(name, path) of what is not random."""
    for name in sorted(os.listdir(FIXTURES)):
        if name.endswith(".sqlite"):
            yield name, os.path.join(FIXTURES, name)
    for name, arguments in GENERATED.items():
        yield name, generate(scratch, name, arguments)
    os.mkdir(os.path.join(scratch, "skewed"))
    subprocess.run([sys.executable, GENERATOR, "-o", os.path.join(scratch, "skewed") + os.sep, "--ranks", "2", "--layers", "1", "--iters", "3",
                    "--split", "--clock-skew", "2000000:20"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for name in sorted(os.listdir(os.path.join(scratch, "skewed"))):
        if name.endswith(".sqlite"):
            yield "skewed " + name, os.path.join(scratch, "skewed", name)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def same_bytes(tally, name, trace, scratch):
    """Two runs, one thread or two, and compressed: one file."""
    first, other = os.path.join(scratch, "first.pftrace"), os.path.join(scratch, "other.pftrace")
    exported.export(trace, first, "--flows", "all")
    for options in ([], ["-j", "1"], ["-j", "2"]):
        exported.export(trace, other, "--flows", "all", *options)
        tally.check("%s: same bytes with %s" % (name, options), [] if read(first) == read(other) else ["they differ"])
    exported.export(trace, other + ".gz", "--flows", "all")
    tally.check("%s: compressed" % name, [] if gzip.decompress(read(other + ".gz")) == read(first) else ["other bytes"])


def check_protoc(path):
    """protoc takes it for protocol buffers; files of some MB would take it long."""
    if not shutil.which("protoc") or os.path.getsize(path) > 1 << 20:
        return []
    with open(path, "rb") as f:
        p = subprocess.run(["protoc", "--decode_raw"], stdin=f, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=120)
    return [p.stderr.decode("utf-8", "replace")] if p.returncode else []


def one(tally, name, path, scratch, projected=True):
    """A trace with all flows, then as people call it; projected: also ranges on the GPU, which takes the oracle long.

    Whether operations of one stream overlap."""
    out = os.path.join(scratch, "one.pftrace")
    trace = Trace(path)
    try:
        said = exported.export(path, out, "--flows", "all")
        file = exported.Exported(out)
        tally.check(name, check_file(trace, file, said) + check_protoc(out))
        tally.check(name + ": verbs", same_verbs(path, file))
        if projected:
            tally.check(name + ": ranges on the GPU", check_projected(trace, file))
        exported.export(path, out)
        tally.equal(name + ": slices without options", perfetto.stats(out)["slices"], len(file.slices))
        return any("(overlap)" in t.path and "Stream" in t.path for t in file.tracks.values())
    except (perfetto.Fault, RuntimeError, AssertionError) as error:
        tally.check(name, [repr(error)])
        return False


def hostile(tally, scratch):
    """Names with control characters, markup, wrong UTF-8, and of 100 kB are in the file as they are, but for repairs."""
    path = os.path.join(scratch, "hostile.sqlite")
    subprocess.run([sys.executable, HOSTILE, "make", path], check=True)
    db = sqlite3.connect(path)
    db.execute("UPDATE StringIds SET value = ? WHERE value = 'plain'", ("\U0001f680\u202e" * 14000 + "x" * 2000,))
    db.commit()
    db.close()
    one(tally, "hostile names", path, scratch)


def parts(tally, name, scratch):
    """Windows by iteration, ranks and splits of a generated trace."""
    path, out = os.path.join(scratch, name + ".sqlite"), os.path.join(scratch, "part.pftrace")
    trace = Trace(path)
    tally.check(name + ": --window=iter:1", check_iteration_window(trace, path, out))
    for what, bad in check_ranks(trace, path, out):
        tally.check("%s: %s" % (name, what), bad)
    exported.export(path, out)
    tally.check(name + ": what the oracle does not see", blind_spots(trace, exported.Exported(out)))


def main():
    gc.disable()                                            # thousands of times for nothing, with so many rows
    scratch, tally = tempfile.mkdtemp(prefix="wl-export-"), wl.Tally()
    overlaps = 0
    for name, path in traces(scratch):
        overlaps += one(tally, name, path, scratch)
    for name in ("training", "graphs"):
        same_bytes(tally, name, os.path.join(scratch, name + ".sqlite"), scratch)
    for name in ("moe", "ranks"):
        parts(tally, name, scratch)
    hostile(tally, scratch)
    seeds = wl.seeds(24)
    for seed in seeds:
        path = os.path.join(scratch, "%d.sqlite" % seed)
        mktrace.make(seed, path, rich=True)
        if seed % 2:
            mkmetrics.add(seed, path)
        overlaps += one(tally, "seed %d, trace %s" % (seed, path), path, scratch)
        for what, bad in check_window(random.Random(seed), Trace(path), path, os.path.join(scratch, "part.pftrace")):
            tally.check("seed %d: %s, trace %s" % (seed, what, path), bad)
    tally.check("traces in which operations of a stream overlap", [] if overlaps or not seeds else ["none"])
    if not tally.failed:
        shutil.rmtree(scratch)
    tally.finish()


if __name__ == "__main__":
    main()
