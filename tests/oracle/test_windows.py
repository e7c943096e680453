#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The window that an answer prints is the window that it applies.

Every verb is asked without --window, and again with the window that the first answer names: rows are the same. whatif is
the exception, and says so: it replays the whole run. Where windows of verbs of one trace differ, a note says which rows
the window spans and when GPUs worked.
"""
import glob
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

W = os.environ["WARPLENS"]
HERE = os.path.dirname(os.path.abspath(__file__))
ASKED = {"search": ["e"], "phases": None}
# Columns that hold commands: these name the window.
COMMANDS = {"evidence"}
REPLAYED = ("saves", "saves_share", "saves_error", "saves_alone", "replayed", "replayed_error", "fixing")
OUTSIDE = "before and after the GPU work count"
WHOLE_RUN = "the whole run is replayed, with host calls outside of the window"


def ask(verb, trace, *more):
    p = subprocess.run([W, verb, *(ASKED.get(verb) or []), trace, "-f", "json", *more], capture_output=True, text=True)
    return p.returncode, json.loads(p.stdout) if p.returncode == 0 else p.stderr


def plain(rows):
    """But for commands, and for what replays of findings give: without a window they have host calls outside of GPU work."""
    return [{k: v for k, v in r.items() if k not in COMMANDS and k not in REPLAYED} for r in rows]


def notes(doc):
    return doc.get("notes", [])


def check(trace, verbs, more=()):
    failures, n, gpu = [], 0, None
    name = os.path.basename(trace)
    status, overlap = ask("overlap", trace)
    if status == 0:
        gpu = (overlap["window"]["begin"], overlap["window"]["end"])
    for verb in verbs:
        status, doc = ask(verb, trace, *more.get(verb, ()))
        window = doc.get("window") if status == 0 else None
        if not window or "begin" not in window:
            continue # it is about the whole trace, or about nothing
        times = "%dns..%dns" % (window["begin"], window["end"])
        status, again = ask(verb, trace, "--window", times, *more.get(verb, ()))
        if verb == "whatif":
            if not any(WHOLE_RUN in x for x in notes(doc)):
                failures.append("%s: whatif does not say that it replays the whole run" % name)
        elif window["begin"] == window["end"]:
            continue # nothing is inside of an empty window
        elif status != 0:
            failures.append("%s: %s --window %s: %s" % (name, verb, times, again))
        elif plain(doc["rows"]) != plain(again["rows"]) and not any(OUTSIDE in x for x in notes(doc)):
            changed = [(a, b) for a, b in zip(doc["rows"], again["rows"]) if a != b][:1]
            failures.append("%s: %s prints the window %s and applies another: %s" % (name, verb, times, changed))
        if gpu and (window["begin"], window["end"]) != gpu and not any("the window spans the" in x for x in notes(doc)):
            failures.append("%s: %s has the window %s, overlap %s, and no note says why" % (name, verb, times, gpu))
        n += 1
    return n, failures


def generated(work):
    gen = os.path.join(HERE, "..", "support", "gen_trace.py")
    for name, options in (("train", ["--ranks", "2", "--layers", "2", "--iters", "4"]),
                          ("moe", ["--ranks", "2", "--layers", "2", "--iters", "3", "--moe"])):
        path = os.path.join(work, name + ".sqlite")
        subprocess.run([sys.executable, gen, "-o", path, *options], check=True, stdout=subprocess.DEVNULL)
        if name == "moe": # a range long before all GPU work, as an initialisation is
            db = sqlite3.connect(path)
            row = db.execute("SELECT * FROM NVTX_EVENTS WHERE end IS NOT NULL LIMIT 1")
            columns = [c[0] for c in row.description]
            values = dict(zip(columns, row.fetchone()), start=-900000000, end=-100000000)
            db.execute("INSERT INTO NVTX_EVENTS (%s) VALUES (%s)" % (", ".join('"%s"' % c for c in columns), ", ".join("?" * len(columns))),
                       [values[c] for c in columns])
            db.commit()
            db.close()
        yield path


def corpus(work):
    most = int(os.environ.get("TRACES_MOST_KB") or "600")
    for packed in sorted(glob.glob(os.path.join(os.environ.get("WARPLENS_SHARED", "/nonexistent"), "corpus", "*", "trace.sqlite.zst"))):
        if os.path.getsize(packed) > most * 1024:
            continue
        path = os.path.join(work, os.path.basename(os.path.dirname(packed)) + ".sqlite")
        if subprocess.run(["zstd", "-dqfo", path, packed]).returncode == 0:
            yield path
            os.remove(path)


def main():
    intro = json.loads(subprocess.run([W, "--introspect"], capture_output=True, text=True, check=True).stdout)
    verbs = [v["name"] for v in intro["verbs"] if v["kind"] == "analysis"]
    failures, n = [], 0
    with tempfile.TemporaryDirectory() as work:
        phases = os.path.join(work, "phases.json")
        with open(phases, "w") as f:
            f.write('{"all": ["re:."]}')
        more = {"phases": ["--phase-map", phases]}
        for trace in generated(work):
            seen, bad = check(trace, verbs, more)
            n += seen
            failures += bad
        # What a user of the moe trace saw: the range counts, and the window contains it.
        moe = os.path.join(work, "moe.sqlite")
        for verb in ("nvtx", "tree", "phases", "nvtx_sum"):
            doc = ask(verb, moe, *more.get(verb, ()))[1]
            if doc["window"]["begin"] != -900000000:
                failures.append("moe: %s counts a range from -900 ms on, in a window from %d ns" % (verb, doc["window"]["begin"]))
        doc = ask("overlap", moe, "--window", "-900ms..")[1]
        if not any("lie outside of all GPU work" in x for x in notes(doc)):
            failures.append("moe: overlap counts 0.9 s before the first operation as idle, and does not say so")
        if n < 50:
            failures.append("only %d answers were compared" % n)
        for trace in corpus(work):
            seen, bad = check(trace, verbs, more)
            n += seen
            failures += bad
    for text in failures[:40]:
        print("FAIL:", text)
    print("%d answers compared, %d failures" % (n, len(failures)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
