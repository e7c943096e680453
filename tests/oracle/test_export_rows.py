#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`warplens export -f csv|json|jsonl`: every operation of a trace, and nothing else, as the trace has it.

Rows are read into SQLite and compared with the trace by SQL (flatfile.py); what is derived (class, category, rank, NVTX path, iteration)
with the oracle. On fixtures, generated traces and their truth, hostile names, random traces and the corpus.
ORACLE_SEEDS: how many random ones (8); ORACLE_BASE: the first.
"""
import collections
import os
import re
import shutil
import sqlite3
import subprocess
import tempfile

import conventions
import flatfile
import iters
import mktrace
import nvtx
import planted
import wl
from flatfile import clean
from tracefile import Trace

FIXTURES = os.environ.get("WARPLENS_FIXTURES") or os.path.join(wl.ROOT, "build", "dev", "fixtures")
NO_STREAM = 4294967295
MOST_FOR_ITERATIONS, MOST_FOR_JSON = 1500, 10000 # operations: what is longer says nothing new, and takes long
FORMS = ("csv", "json", "jsonl")
GENERATED = {"default": ["--ranks", "2", "--layers", "2", "--iters", "4"],
             "node": ["--ranks", "2", "--layers", "2", "--iters", "3", "--graph", "node"],
             "graph": ["--ranks", "2", "--layers", "2", "--iters", "3", "--graph", "graph", "--schema", "2026.4"],
             "serving": ["--ranks", "2", "--layers", "2", "--iters", "6", "--serving"],
             "moe": ["--ranks", "4", "--layers", "2", "--iters", "2", "--moe"]}
HOSTILE = ["line\nfeed\r\n", 'a,"b",c', '"', "\x1b[31mred\x1b[0m\x07", "\U0001f600 \u202e \u2028", "=1+1", " > ", "tab\tand \x7f",
           "long, \"name\"\n" * 8000]


# --- running ----------------------------------------------------------------------------------------------

def export(trace, form, target, *options):
    """True when the file was written; False where the trace has nothing that could be."""
    command = [wl.WARPLENS, "export", trace, "-f", form, "-o", target, *options]
    p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
    if p.returncode not in (0, wl.NO_DATA):
        raise RuntimeError("%s: exit %d: %s" % (" ".join(command), p.returncode, p.stderr.decode("utf-8", "replace")[:400]))
    if p.stdout:
        raise RuntimeError("%s: says something on stdout" % " ".join(command))
    return p.returncode == 0


def exported(trace, scratch, form="csv", *options):
    """(keys, rows); None where there is nothing."""
    target = os.path.join(scratch, "rows." + form)
    if not export(trace, form, target, *options):
        return None
    found = flatfile.read(target, form)
    os.remove(target)
    return found


# --- what is derived --------------------------------------------------------------------------------------

def of_class(kind, category):
    """What the class lets a category be: of kernels communication or not, of what is no kernel its own."""
    return category if kind == "graph" or category in ("communication", "memory") else "another"


def text_of(name):
    """csv and json say none and empty alike here."""
    return name.replace("\0", "\ufffd") or None


def path_of(forest, op, known):
    r = forest.direct.get(op)
    if r is not None and r not in known:
        known[r] = text_of(" > ".join(forest.path(r, nvtx.exact_label)))
    return known.get(r)


def iterations_of(trace, convention):
    """{operation: number of its iteration}; None for long traces, of which the oracle takes minutes."""
    if len(trace.ops) > MOST_FOR_ITERATIONS or iters.is_open(trace, conventions=convention):
        return None
    return {op: number for found in iters.find_all(trace, conventions=convention).values()
            for number, i in enumerate(found.iterations) for op in i.ops}


def derived(trace, iteration):
    """A multiset of (what tells an operation from others, class, category as far as that tells it, path, iteration)."""
    forest, known = nvtx.forest_of(trace), {}
    return collections.Counter(
        (op.kind, op.pid, op.ordinal, op.context, None if op.stream == NO_STREAM else op.stream, op.start, op.end, op.correlation, op.cls,
         "(graph)" if op.kind == "graph" else "memory" if op.kind != "kernel" else "communication" if op.cls == "comm" else "another",
         path_of(forest, op, known),
         iteration.get(op) if iteration is not None else None)
        for op in trace.ops)


def differ(got, want):
    return ["only in the export: %r" % (r,) for r in list((got - want))[:3]] + ["only by the oracle: %r" % (r,) for r in list((want - got))[:3]]


def check_derived(keys, rows, trace, convention):
    cells = ["kind", "pid", "ordinal", "context", "stream", "start", "end", "correlation", "class", "category", "nvtx", "iteration"]
    places, iteration = [keys.index(c) for c in cells], iterations_of(trace, convention)
    kind, category = keys.index("kind"), keys.index("category")
    rows = [row[:category] + [of_class(row[kind], row[category])] + row[category + 1:] for row in map(list, rows)]
    if iteration is None:
        rows = [row[:places[-1]] + [None] + row[places[-1] + 1:] for row in rows]
    return differ(collections.Counter(tuple(row[i] for i in places) for row in rows), derived(trace, iteration))


# --- against other verbs ----------------------------------------------------------------------------------

def verb_rows(verb, path, *options):
    status, document = wl.run(verb, path, *options)
    return document["rows"] if status == 0 else []


def check_categories(db, path):
    got = set(db.execute("SELECT device, category, count(*), sum(dur) FROM got GROUP BY device, category"))
    want = {(r["device"], r["category"], r["instances"], r["sum"]) for r in verb_rows("categories", path)}
    return [] if got == want else ["got %r, categories says %r" % (got - want, want - got)]


def check_ranks(db, path):
    got = set(db.execute("SELECT DISTINCT pid, rank FROM got"))
    want = {(r["pid"], r["rank"]) for r in verb_rows("pids", path)}
    return ["got %r, pids says %r" % (got, want)] if got - want else []


def check_iterations(db, path, named):
    got = set(db.execute("SELECT pid, device, iteration, count(*) FROM got WHERE kind = 'kernel' AND iteration IS NOT NULL GROUP BY 1, 2, 3"))
    want = {(r["pid"], r["device"], r["iter"], r["kernels"]) for r in verb_rows("iters", path, named) if r["kernels"]}
    return [] if got == want else ["got %r, iters says %r" % (got - want, want - got)]


def check_forms(path, scratch, named, keys, rows):
    """json is what csv is; jsonl has the rows of json, byte for byte."""
    document, lines = os.path.join(scratch, "rows.json"), os.path.join(scratch, "rows.jsonl")
    export(path, "json", document, named)
    export(path, "jsonl", lines, named)
    problems = [] if flatfile.read(document, "json") == (keys, rows) else ["json has other rows than csv"]
    with open(lines, encoding="utf-8", newline="\n") as f:
        if f.read() != flatfile.lines_of_json(document):
            problems.append("jsonl has other rows than json")
    os.remove(document)
    os.remove(lines)
    return problems


# --- one trace --------------------------------------------------------------------------------------------

def check_trace(tally, what, path, scratch, convention=conventions.GENERIC):
    """All of it; returns the database with the table got, or None where the trace has no operations."""
    db, named = flatfile.attach(path), "--conventions=" + convention["name"]
    found = exported(path, scratch, "csv", named)
    n = db.execute("SELECT count(*) FROM op").fetchone()[0]
    if found is None:
        tally.equal(what + ": nothing to export", n, 0)
        return None
    keys, rows = found
    tally.equal(what + ": columns", sorted(keys), sorted(flatfile.COLUMNS))
    tally.equal(what + ": rows", len(rows), n)
    if len(rows) <= MOST_FOR_JSON:
        tally.check(what + ": json and jsonl", check_forms(path, scratch, named, keys, rows))
    flatfile.put_rows(db, keys, rows)
    tally.check(what + ": every operation", flatfile.differences(db))
    trace = Trace(path)
    tally.check(what + ": class, category, path, iteration", check_derived(keys, rows, trace, convention))
    in_order = [(row[keys.index("device")], row[keys.index("start")]) for row in rows]
    tally.check(what + ": order", [] if in_order == sorted(in_order) else ["not by device and start"])
    if rows:
        tally.check(what + ": categories", check_categories(db, path))
        tally.check(what + ": ranks", check_ranks(db, path))
        tally.check(what + ": iters", check_iterations(db, path, named))
    return db


# --- parts of a trace -------------------------------------------------------------------------------------

def check_parts(tally, what, path, scratch):
    """Windows, devices, ranks, streams and short operations: which rows there are, each whole."""
    db = flatfile.attach(path)
    first, last = db.execute("SELECT min(start), max(end) FROM op").fetchone()
    a, b = first + (last - first) // 3, first + (last - first) // 2
    cut = db.execute("SELECT start, end FROM op WHERE end > start AND kind = 'kernel' ORDER BY start LIMIT 1 OFFSET 50").fetchone()
    inside = "start < %d AND (end > %d OR (start = end AND start >= %d))"
    parts = [("--window=%dns..%dns" % (a, b), inside % (b, a, a)),
             ("--window=%dns..%dns" % (cut[1], b), inside % (b, cut[1], cut[1])),
             ("--window=%dns..%dns" % (cut[1] - 1, cut[1]), inside % (cut[1], cut[1] - 1, cut[1] - 1)),
             ("--window=%dns..%dns" % (last + 1, last + 2), "0"),
             ("--gpu=1", "device = 1"), ("--gpu=0,1 --stream=20", "device IN (0, 1) AND stream = 20"),
             ("--min-dur=5us", "dur >= 5000"), ("--min-dur=1s", "0"),
             ("--gpu=0 --min-dur=1500ns --window=..%dns" % b, "device = 0 AND dur >= 1500 AND start < %d" % b)]
    if what == "moe": # a device per rank
        parts += [("--rank=2", "device = 2"), ("--rank=0,3", "device IN (0, 3)")]
    for options, where in parts:
        keys, rows = exported(path, scratch, "csv", *options.split())
        flatfile.put_rows(db, keys, rows)
        tally.check("%s %s" % (what, options), flatfile.differences(db, where))


def check_bytes(tally, what, path, scratch):
    """The same rows are the same bytes: on a file and a pipe, on one thread and several, by either reader."""
    for form in FORMS:
        target = os.path.join(scratch, "rows." + form)
        export(path, form, target)
        with open(target, "rb") as f:
            want = f.read()
        for options in ([], ["-j", "1"], ["-j", "3", "--reader", "sqlite"]):
            p = subprocess.run([wl.WARPLENS, "export", path, "-f", form, *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            tally.equal("%s: %s %s again" % (what, form, options), (p.returncode, p.stdout == want), (0, True))
        os.remove(target)


# --- what was put into generated traces -------------------------------------------------------------------

def check_truth(tally, what, db, truth):
    """Sums of the generator, and the nesting and numbers of its ranges."""
    for rank, want in truth["files"][0]["by_rank"].items():
        first, last = db.execute("SELECT min(start), max(end) FROM got WHERE device = ?", (int(rank),)).fetchone()
        tally.equal("%s: span of rank %s" % (what, rank), (first, last), (want["first_ns"], want["last_ns"]))
        if "kernels" in want:
            tally.equal("%s: kernels of rank %s" % (what, rank), db.execute("SELECT count(*) FROM got WHERE kind = 'kernel' AND device = ?", (int(rank),)).fetchone()[0], want["kernels"])
    if what == "moe":
        tally.equal("moe: ranks", db.execute("SELECT DISTINCT device, rank FROM got ORDER BY 1").fetchall(), [(r, r) for r in range(4)])
    if what != "default":
        return
    paths = db.execute("SELECT DISTINCT nvtx, iteration FROM got WHERE nvtx IS NOT NULL").fetchall()
    forward = ["forward > layer.%d > %s" % (layer, what) for layer in range(2) for what in ("attention", "mlp", "NCCL:ncclAllGather")]
    main = {("iteration %d > %s" % (i, p), i) for i in range(4) for p in forward + ["optimizer", "optimizer > NCCL:ncclAllReduce"]}
    autograd = {("layer.%d.backward%s" % (layer, nccl), i) for i in range(4) for layer in range(2) for nccl in ("", " > NCCL:ncclReduceScatter")}
    want = main | autograd | {("iteration %d" % i, i) for i in range(4)}
    tally.check("default: paths and iterations as they were made", sorted(want ^ set(paths)))


def make_hostile(source, target):
    """The trace with other names: of kernels, functions and ranges."""
    shutil.copy(source, target)
    db = sqlite3.connect(target)
    strings = [i for i, in db.execute("SELECT id FROM StringIds ORDER BY id")]
    for n, i in enumerate(strings):
        name = HOSTILE[n % len(HOSTILE)]
        db.execute("UPDATE StringIds SET value = ? WHERE id = ?", ("%s %d" % (name, i), i))
    texts = [t for t, in db.execute("SELECT DISTINCT text FROM NVTX_EVENTS WHERE eventType = 59 AND text IS NOT NULL ORDER BY text")]
    for n, t in enumerate(texts):
        db.execute("UPDATE NVTX_EVENTS SET text = ? WHERE text = ?", (HOSTILE[n % (len(HOSTILE) - 1)] + t, t))
    db.commit()
    db.close()


def hostile_names(tally, scratch, plain):
    path = os.path.join(scratch, "hostile.sqlite")
    make_hostile(plain, path)
    check_trace(tally, "hostile", path, scratch)
    os.remove(path)
    planted.run("hostile.py", "make", path)
    db = flatfile.attach(path)
    for form in FORMS:
        keys, rows = exported(path, scratch, form)
        flatfile.put_rows(db, keys, rows)
        tally.check("names that nobody should give, " + form, flatfile.differences(db))
        raw = {clean(bytes(t)) for t, in db.execute("SELECT CAST(text AS BLOB) FROM t.NVTX_EVENTS")}
        tally.check("ranges that nobody should name so, " + form, sorted(raw ^ {n for n, in db.execute("SELECT nvtx FROM got WHERE nvtx IS NOT NULL")}))


# --- all --------------------------------------------------------------------------------------------------

def generated(tally, scratch):
    for what, options in GENERATED.items():
        path = os.path.join(scratch, what + ".sqlite")
        truth = planted.generate(path, options)
        db = check_trace(tally, what, path, scratch, conventions.PITHTRAIN if what == "moe" else conventions.GENERIC)
        check_truth(tally, what, db, truth)
        if what in ("default", "moe"):
            check_parts(tally, what, path, scratch)
            check_bytes(tally, what, path, scratch)
    hostile_names(tally, scratch, os.path.join(scratch, "default.sqlite"))


def fixtures(tally, scratch):
    for name in sorted(os.listdir(FIXTURES)):
        if name.endswith(".sqlite"):
            check_trace(tally, name, os.path.join(FIXTURES, name), scratch)


def random_traces(tally, scratch):
    for seed in wl.seeds(8):
        path = os.path.join(scratch, "random.sqlite")
        mktrace.make(seed, path, rich=True)
        check_trace(tally, "seed %d" % seed, path, scratch)
        os.remove(path)


def main():
    tally = wl.Tally()
    with tempfile.TemporaryDirectory(prefix="wl-rows-") as scratch:
        fixtures(tally, scratch)
        generated(tally, scratch)
        random_traces(tally, scratch)
        for name, path in wl.corpus_traces() if os.path.isdir(wl.CORPUS) else ():
            check_trace(tally, os.path.basename(path), path, scratch)
    tally.finish()


if __name__ == "__main__":
    main()
