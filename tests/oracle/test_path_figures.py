#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The critical path: figures that a brute force found from the definition, on generated jobs and real traces, and what must hold of
any path: by class, rank, name and segment, and over successive windows, it adds up to the window.

The brute force counts copies within a GPU as copies, and memory sets apart; here both are compute. It fits clocks by rank where the
definition says by host: figures of such traces are held to a tolerance.
"""
import glob
import os
import subprocess
import sys
import tempfile

import wl

GENERATOR = os.path.join(wl.ROOT, "tests", "support", "gen_trace.py")
WINDOWS = 3

TRAIN = {"compute": 1052466909, "transfer": 6225215, "dispatch": 6084000, "host": 1864677, "api": 317633, "latency": 126705,
         "dependency": 88000, "copy": 34000, "return": 28500}
# name: (arguments, times by class, tolerance in ns)
GENERATED = {
    "train": ("--ranks 4 --layers 12 --iters 20 --straggler 2:1.15 --seed 1", TRAIN, 0),
    "serving": ("--ranks 2 --layers 16 --serving --iters 200 --seed 3",
                {"compute": 408538546, "transfer": 104346278, "host": 84164303}, 0),
    # Two clocks of nanoseconds: the fit rounds.
    "split": ("--ranks 8 --split --layers 8 --iters 20 --clock-skew 2000000:20 --straggler 3:1.2 --seed 4",
              {"compute": 738914449, "transfer": 6161966, "dispatch": 4067987}, 20),
    "moe": ("--ranks 8 --layers 4 --moe --seed 2", {"compute": 584296877, "transfer": 30818975, "comm": 0}, 0),
}
# name: (window, times by class, tolerance); "copy" with copies within a GPU, "compute" without these and memory sets.
REAL = {
    "nersc-sc22-ddp-4gpu-baseline": (1828647601, {"compute": 1636560939, "copy": 68163328, "host": 55722666}, 0),
    "nsys-ai-h100-2gpu-1s": (969447605, {"copy": 940483420, "compute": 22376267}, 0),
    "llama3-inference-2024.6": (678885106, {"host": 637620082, "api": 24700578, "compute": 13710838}, 0),
    "balinski-series-02-2025.5": (73992072, {"api": 32483919, "latency": 21514446, "return": 9167544, "host": 6943338}, 0),
    "nsightful-power-iteration-2025.3": (1790613909, {"compute": 1131741372, "host": 652365308}, 0),
    "nsys-ai-mfu-2gpu-before": (299877006, {"compute": 192367576, "host": 80442849, "transfer": 5955296, "comm": 0, "unknown": 28194}, 0),
}
CFD = (5201534779, {"compute": 3867442058, "copy": 208638313}, 400000)


def sums(path, by, *more):
    """{key: ns} by a column; None where there is no path."""
    status, document = wl.run("path", path, "--by", by, *more)
    if status != 0:
        return None
    out = {}
    for row in document["rows"]:
        key = tuple(row.get(k) for k in ("rank", "pid", "class", "name", "stage", "start"))
        out[key] = out.get(key, 0) + row["time"]
    return out


def by_class(path, *more):
    found = sums(path, "class", *more)
    return None if found is None else {key[2]: time for key, time in found.items()}


def with_copies(path):
    """Times by class as the brute force counts them."""
    out = by_class(path)
    for key, time in sums(path, "name").items():
        if key[2] == "compute" and key[3] in ("[CUDA memcpy DtoD]", "[CUDA memset]"):
            out["compute"] -= time
            if key[3] == "[CUDA memcpy DtoD]":
                out["copy"] = out.get("copy", 0) + time
    return out


def check_tiling(tally, name, path):
    status, document = wl.run("path", path)
    if status != 0:
        return
    begin, end = document["window"]["begin"], document["window"]["end"]
    classes = by_class(path)
    tally.equal(name + ": classes add up to the window", sum(classes.values()), end - begin)
    for by in ("rank", "rank-class", "name", "stage", "chain", "segment"):
        tally.equal("%s: by %s" % (name, by), sum(sums(path, by).values()), end - begin)
    parts = {}
    cuts = [begin + (end - begin) * i // WINDOWS for i in range(WINDOWS)] + [end]
    for a, b in zip(cuts, cuts[1:]):
        for key, time in by_class(path, "--window", "%dns..%dns" % (a, b)).items():
            parts[key] = parts.get(key, 0) + time
    tally.equal(name + ": windows add up", parts, classes)


def check_figures(tally, name, found, figures, tolerance):
    for key, want in figures.items():
        wrong = abs(found.get(key, 0) - want) > tolerance
        tally.check("%s: %s" % (name, key), ["warplens %r, brute force %r" % (found.get(key), want)] if wrong else [])


def check_generated(tally, scratch):
    for name, (arguments, figures, tolerance) in GENERATED.items():
        path = os.path.join(scratch, name if "--split" in arguments else name + ".sqlite")
        subprocess.run([sys.executable, "-B", GENERATOR, "-o", path, *arguments.split()], stdout=subprocess.DEVNULL, check=True)
        check_figures(tally, name, by_class(path), figures, tolerance)
        check_tiling(tally, name, path)


def check_cfd(tally, scratch):
    job = os.path.join(scratch, "cfd")
    os.mkdir(job)
    for packed in glob.glob(os.path.join(wl.SHARED, "jobs", "mpi-cfd-5of8", "*.sqlite.zst")):
        with open(os.path.join(job, os.path.basename(packed)[:-len(".zst")]), "wb") as out:
            subprocess.run(["zstd", "-qdc", packed], stdout=out, check=True)
    if os.listdir(job):
        check_figures(tally, "cfd", with_copies(job), CFD[1], CFD[2])
        check_tiling(tally, "cfd", job)


def main():
    tally = wl.Tally()
    with tempfile.TemporaryDirectory(prefix="wl-path-") as scratch:
        check_generated(tally, scratch)
        check_cfd(tally, scratch)
    for name, path in wl.corpus_traces(main_only=True) if os.path.isdir(wl.CORPUS) else ():
        check_tiling(tally, name, path)
        window, figures, tolerance = REAL.get(name, (None, {}, 0))
        if window:
            tally.equal(name + ": window", sum(by_class(path).values()), window)
            check_figures(tally, name, with_copies(path), figures, tolerance)
    tally.finish()


if __name__ == "__main__":
    main()
