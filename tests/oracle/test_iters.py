#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Iterations, the windows made of them, and setup: warplens against the oracle.

On rich random traces, and on traces of tools/gen_trace.py against what was put into them.
ORACLE_SEEDS: how many random ones (150); ORACLE_BASE: the first seed. A failing trace is kept.
"""
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import compare
import iters
import kinds
import layout
import mktrace
import oracle
import windows
import wl
from conventions import COORDINATE, GENERIC, PITHTRAIN
from tracefile import Trace

KEYS = ["pid", "iter", "device"]
PARTS = ("compute", "exposed_comm", "exposed_copy", "idle")
MARKERS = ["step", "re:^layer", "FORWARD", "re:.", "re:^step [0-9]*[02468]$", "nothing is called so"]


def rows_of(verb, path, *arguments):
    """Rows, or None where the trace has no data."""
    status, document = wl.run(verb, path, *arguments)
    return None if status == wl.NO_DATA else document["rows"]


def differ(got, want, keys):
    if got is None or want is None:
        return [] if got == want else ["warplens %r, oracle %r" % (got, want)]
    return compare.rows(got, want, keys)


# --- random traces ----------------------------------------------------------------------------------------

def naming(r):
    """(arguments, keyword arguments of the oracle)."""
    marker = r.choice([None, None, *MARKERS])
    conventions = r.choice([GENERIC, GENERIC, PITHTRAIN])
    given = ["--conventions=" + conventions["name"]] + (["--marker=" + marker] if marker else [])
    return given, {"marker": marker, "conventions": conventions}


def wanted(trace, marker, conventions=GENERIC):
    """The oracle's rows. open: whether a graph replay hides communication from an empty window."""
    rows = iters.rows(trace, marker, conventions)
    return [dict(x, exposed_comm=compare.OPEN) if (x["span"] if x["period"] is None else x["period"]) == 0 else x for x in rows]


def is_refused(trace, marker):
    return marker is not None and not iters.marks(trace, marker)


def list_of(trace, path, r):
    """iters, whole, in a window, of some devices, and only the steady ones."""
    given, named = naming(r)
    if is_refused(trace, named["marker"]):
        yield ("iters", *given), [] if wl.refuses("iters", path, *given) else ["a marker that matches nothing is taken"]
        return
    if iters.is_open(trace, **named):
        return
    found = iters.find_all(trace, **named)
    want = wanted(trace, **named) if found else None
    got = rows_of("iters", path, *given)
    yield ("iters", *given), differ(got, want, KEYS)
    for row in got or []:
        period = row["period"] if row["period"] is not None else row["span"]
        if sum(row[c] or 0 for c in PARTS) != period:
            yield ("iters", *given), ["parts do not add up: %r" % row]
    if not found:
        return
    steady = {(p & 0xFFFFFF, n) for p, n in iters.steady(found).items()}
    yield ("iters --steady", *given), differ(rows_of("iters", path, "--steady", *given), [x for x in want if (x["pid"], x["iter"]) in steady], KEYS)
    edges = sorted({x["start"] for x in want} | {x["start"] + 1 for x in want})
    a, b = r.choice(edges), r.choice(edges)
    if a <= b:
        inside = [x for x in want if a <= x["start"] < b]
        yield ("iters --window", *given), differ(rows_of("iters", path, "--window=%dns..%dns" % (a, b), *given), inside, KEYS)
    devices = {x["device"] for x in want}
    some = set(r.sample(sorted(devices), r.randint(1, len(devices))))
    gpu = "--gpu=" + ",".join(map(str, some))
    yield ("iters", gpu, *given), differ(rows_of("iters", path, gpu, *given), [x for x in want if x["device"] in some], KEYS)


def kernel_marker(trace, r):
    """A part of the short or demangled name of a kernel, in any case, or a regular expression for it, or a name that no kernel has."""
    kernels = [op for op in trace.ops if op.kind == "kernel"]
    if not kernels or r.random() < 0.05:
        return "kernel:nothing is called so"
    name = trace.kernel_name(r.choice(kernels), r.choice(["short", "demangled"]))
    plain = re.match("[ -~]{0,60}", name).group()           # up to what a terminal cannot show
    if r.random() < 0.3:
        return "kernel:re:^" + re.escape(plain)
    begin = r.randrange(len(plain) + 1)
    part = plain[begin:begin + r.randint(1, 30)] or plain or "sgemm"
    return "kernel:" + r.choice([str, str.lower, str.upper])(part)


def kernels_of(trace, path, r):
    """Steps from runs of kernels: rows, and the notes that say what a step is."""
    marker = kernel_marker(trace, r)
    given = ["--conventions=generic", "--marker=" + marker]
    if is_refused(trace, marker):
        yield given, [] if wl.refuses("iters", path, *given) else ["a marker that matches nothing is taken"]
        return
    if iters.is_open(trace, marker):
        return
    _, document = wl.run("iters", path, *given)
    found = iters.find_all(trace, marker)
    yield given, differ(document["rows"], wanted(trace, marker), KEYS)
    yield given, kinds.check_notes(document["notes"], [(f, kinds.kinds(trace, p, f)) for p, f in found.items()])


def windows_of(trace, path, r):
    """overlap in windows by iteration."""
    given, named = naming(r)
    if is_refused(trace, named["marker"]) or iters.is_open(trace, **named):
        return
    first = r.randint(0, 3)
    last = r.choice([None, first, first + 1, first + 50])
    for spec, by_process in (("steady", windows.steady_windows(trace, **named)),
                             ("iter:%d" % first if last is None else "iter:%d..%d" % (first, last), windows.iteration_windows(trace, first, last, **named))):
        if not iters.find_all(trace, **named):
            yield (spec, *given), differ(rows_of("overlap", path, "--window=" + spec, *given), None, [])
            continue
        if not by_process:
            continue                                    # a wrong command line, or nothing steady
        want = oracle.overlap(windows.query(trace, by_process))
        got = rows_of("overlap", path, "--window=" + spec, *given)
        if got is None:
            yield (spec, *given), ["exit %d" % wl.NO_DATA]
            continue
        empty = [x for x in got if x["window"] == 0]
        yield (spec, *given), differ([x for x in got if x["window"]], [x for x in want if x["window"]], ["device"])
        yield (spec, *given), [x for x in empty if any(x[c] for c in PARTS)]


def setup_of(trace, path):
    want = layout.setup(trace)
    got = rows_of("setup", path)
    for g in got:
        g["mesh"] = {k: at if size is None else "%s/%s" % (at, size) for k, at, size in
                     ((m.group(1), m.group(2), m.group(3)) for m in COORDINATE.finditer(g["mesh"] or ""))}
    for w in want:
        w["mesh"] = {k: w.pop(k) for k in set(w) - {"pid", "rank", "device", "name", "process_name", "threads", "first", "last"}}
        if w["name"] is None:
            del w["name"]                               # all GPUs of one model: warplens tells it without knowing which
    bad = []
    for w in want:
        mine = [g for g in got if all(g[k] == w[k] for k in ("pid", "device", "first", "last"))]
        ok = any(all(g[k] == v or isinstance(v, str) and compare.plain(g[k]) == compare.plain(v) for k, v in w.items()) for g in mine)
        bad += [] if ok else ["oracle %r, warplens %r" % (w, mine or got)]
    yield ("setup",), bad + ([] if len(got) == len(want) else ["%d rows, oracle %d" % (len(got), len(want))])


def one_seed(seed, path):
    mktrace.make(seed, path, rich=True)
    trace, r = Trace(path), random.Random("iters %d" % seed)
    if not trace.ops:
        return
    yield from list_of(trace, path, r)
    yield from windows_of(trace, path, r)
    yield from setup_of(trace, path)
    yield from kernels_of(trace, path, random.Random("kernel markers %d" % seed))


def random_traces(tally):
    scratch = tempfile.mkdtemp(prefix="wl-iters-")
    failed = tally.failed
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


# --- what was put in --------------------------------------------------------------------------------------

SMALL = ["--ranks", "2", "--layers", "2", "--variants", "2"]
CASES = [(SMALL + ["--iters", "6"], None, "`iteration #`"),
         (SMALL + ["--iters", "6", "--graph", "node"], None, "`iteration #`"),
         (SMALL + ["--iters", "6", "--graph", "graph", "--schema", "2026.4"], None, "`iteration #`"),
         (["--ranks", "4", "--layers", "2", "--iters", "6", "--variants", "2", "--moe", "--chunks", "2"], "iteration", "(marker;"),
         (["--ranks", "2", "--layers", "3", "--iters", "30", "--variants", "3", "--serving"], "schedule", "(marker;"),
         # no range owns the time alone: schedule, prefill or decode, and sampling do together
         (["--ranks", "2", "--layers", "3", "--iters", "30", "--variants", "3", "--serving"], None, "from one NVTX range `schedule`"),
         (["--ranks", "1", "--layers", "4", "--iters", "24", "--serving", "--graph", "none", "--prefill-every", "5"], None, "from one NVTX range `schedule`")]
FREE = [SMALL + ["--iters", "12"], ["--ranks", "2", "--layers", "3", "--iters", "30", "--variants", "3", "--serving"]]


def generate(path, options):
    generator = os.path.join(wl.ROOT, "tests", "support", "gen_trace.py")
    subprocess.run([sys.executable, generator, "-o", path, *options], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(path + ".truth.json" if os.path.exists(path + ".truth.json") else path[:-len(".sqlite")] + ".truth.json", encoding="utf-8") as f:
        return json.load(f)


def spans(tally, path, options, marker, words):
    truth = generate(path, options)
    given = ["--marker=" + marker] if marker else []
    _, document = wl.run("iters", path, *given)
    tally.check("the way is said: %s" % " ".join(options), [] if any(words in n for n in document["notes"]) else document["notes"])
    for rank, pid in enumerate(truth["pids"]):
        mine = [x for x in document["rows"] if x["pid"] == pid]
        d = truth["files"][0]["by_rank"][str(rank)]
        tally.equal("iterations of rank %d: %s" % (rank, " ".join(options)), len(mine), len(truth["iteration_start_ns"]))
        inside = [s <= x["start"] < s + n for x, s, n in zip(mine, truth["iteration_start_ns"], truth["iteration_len_ns"])]
        tally.equal("they begin where they do, rank %d: %s" % (rank, " ".join(options)), all(inside), True)
        if truth["workload"] != "serving":
            tally.equal("spans of rank %d: %s" % (rank, " ".join(options)), [x["span"] for x in mine], d["iteration_gpu_span_ns"])
        busy = [x["compute"] + (x["exposed_comm"] or 0) + x["exposed_copy"] for x in mine]
        last = -1 if truth["workload"] == "serving" else None
        tally.equal("busy of rank %d: %s" % (rank, " ".join(options)), busy[:last], d["busy_per_iteration_ns"][:last])


def marker_free(tally, path, options):
    """Without NVTX each period begins inside a true iteration, and each iteration has one."""
    truth = generate(path, options)
    with sqlite3.connect(path) as db:
        db.execute("DELETE FROM NVTX_EVENTS")
    _, document = wl.run("iters", path)
    tally.check("the doubt is said", [] if any("not a step" in n for n in document["notes"]) else document["notes"])
    for pid in truth["pids"]:
        starts = [x["start"] for x in document["rows"] if x["pid"] == pid]
        where = [next((i for i, (s, n) in enumerate(zip(truth["iteration_start_ns"], truth["iteration_len_ns"])) if s <= t < s + n), None) for t in starts]
        tally.equal("marker-free, pid %d: %s" % (pid, " ".join(options)), where, list(range(len(truth["iteration_start_ns"]))))


def nothing_is_invented(tally, path):
    """One iteration without ranges repeats nothing."""
    generate(path, SMALL + ["--iters", "1"])
    r = random.Random(1)
    with sqlite3.connect(path) as db:
        names = [x[0] for x in db.execute("SELECT id FROM StringIds")]
        kernels = [x[0] for x in db.execute("SELECT rowid FROM CUPTI_ACTIVITY_KIND_KERNEL")]
        db.execute("DELETE FROM NVTX_EVENTS")
        db.executemany("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET demangledName = ? WHERE rowid = ?", [(r.choice(names), k) for k in kernels])
    status, _ = wl.run("iters", path)
    tally.equal("no repetition, no iterations", status, wl.NO_DATA)


def main():
    tally = wl.Tally()
    with tempfile.TemporaryDirectory(prefix="wl-iters-truth-") as scratch:
        for number, (options, marker, words) in enumerate(CASES):
            spans(tally, os.path.join(scratch, "%d.sqlite" % number), options, marker, words)
        for number, options in enumerate(FREE):
            marker_free(tally, os.path.join(scratch, "free%d.sqlite" % number), options)
        nothing_is_invented(tally, os.path.join(scratch, "none.sqlite"))
    random_traces(tally)
    tally.finish()


if __name__ == "__main__":
    main()
