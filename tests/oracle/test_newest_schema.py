#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The documented schema of nsys 2026.5 (3.30.1), of which there are no public files: made with all its tables, and read.

Every verb answers without an error, totals are those of SQL, and no table or column is unknown: the list of what the schema has is
that of the generator, the list of what is known is the program's. Tables that no version has are named, with their rows, once.
"""
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

import wl

GENERATOR = os.path.join(wl.ROOT, "tests", "support", "gen_trace.py")
CASES = {"plain": [], "nodes": ["--graph", "node"], "graphs": ["--graph", "graph"], "payloads": ["--payloads", "2.25", "--blobs", "hex"],
         "serving": ["--serving", "--iters", "8"]}
# Of these no document gives the columns, only the name.
ONLY_NAMED = ("BLOCK_PHASE_TRACE", "WARP_PHASE_TRACE")
FUTURE = (("ANOTHER_TRACE", 7), ("LATER_EVENTS", 2), ("TARGET_INFO_LATER", 1), ("LATER_BUT_EMPTY", 0))
TIMES = {"kernels": "CUPTI_ACTIVITY_KIND_KERNEL", "api": "CUPTI_ACTIVITY_KIND_RUNTIME"}
QUESTIONS = {"search": ["gemm"], "mfu": ["--flops", "1e9", "--peak", "1000"], "phases": ["--phase-map", "phases.json"]}


def prepare(directory):
    """Answers go there, and what verbs read beside a trace lies there."""
    answer.directory = directory
    with open(os.path.join(directory, "phases.json"), "w") as f:
        json.dump({"forward": ["forward"], "backward": ["backward"]}, f)


def generate(directory, name, options):
    path = os.path.join(directory, name + ".sqlite")
    subprocess.run([sys.executable, GENERATOR, "-o", path, "--ranks", "2", "--layers", "2", "--iters", "4", "--schema", "2026.5", *options],
                   check=True, stdout=subprocess.DEVNULL)
    return path


def answer(*args):
    p = subprocess.run([wl.WARPLENS, *args], cwd=answer.directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
    return p.returncode, p.stdout.decode("utf-8", "replace"), p.stderr.decode("utf-8", "replace")


def verbs():
    known = json.loads(answer("--introspect")[1])["verbs"]
    return [v["name"] for v in known if v["kind"] in ("analysis", "document") and v["name"] not in ("diff", "ncu")]


def every_verb(tally, name, path):
    for verb in verbs():
        status, _, err = answer(verb, path, *QUESTIONS.get(verb, []), "-n", "0")
        tally.check("%s: %s answers" % (name, verb), [] if status in (0, wl.NO_DATA) else ["exit %d: %s" % (status, err[:300])])
    for word, args in (("diff", [path, path]), ("sql", [path, "SELECT count(*) FROM kernels"]), ("facts", [path, "-o", name + ".wlfacts"]), ("report", [path, "-o", name + ".report"]),
                       ("export", [path, "-o", name + ".json"]), ("index", [path]), ("timeline", [path, "-o", name + ".html"])):
        status, _, err = answer(word, *args)
        tally.check("%s: %s" % (name, word), [] if status in (0, wl.NO_DATA) else ["exit %d: %s" % (status, err[:300])])


def totals(tally, name, path):
    db = sqlite3.connect(path)
    for verb, table in TIMES.items():
        if not db.execute("SELECT count(*) FROM sqlite_master WHERE name = ?", (table,)).fetchone()[0]:
            continue
        want = db.execute("SELECT sum(end - start) FROM " + table).fetchone()[0]
        _, document = wl.run(verb, path)
        tally.equal("%s: time of %s" % (name, verb), sum(r["sum"] for r in document["rows"]), want)
    db.close()


def tables(path):
    db = sqlite3.connect(path)
    found = {t: [c[1] for c in db.execute('PRAGMA table_info("%s")' % t)] for (t,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    db.close()
    return found


def unknown(out):
    return [line for line in out.splitlines() if "does not know" in line]


def known(tally, name, path):
    """What the file has, the catalogue has."""
    _, document = wl.run("info", path, "--schema")
    meaning = {(r["table"], r["column"]): r["meaning"] for r in document["rows"]}
    missing = ["%s.%s" % (t, c) for t, columns in tables(path).items() for c in columns if not meaning.get((t, c)) and t not in ONLY_NAMED]
    tally.check(name + ": every column is known", missing)
    tally.check(name + ": no table is unknown", unknown(answer("info", path)[1]) + unknown(answer("schema", path)[1]))


def later(tally, name, path):
    """A schema of tomorrow: three tables with rows that nobody knows, and one without."""
    db = sqlite3.connect(path)
    for table, n in FUTURE:
        db.execute("CREATE TABLE %s (start INTEGER, what TEXT)" % table)
        db.executemany("INSERT INTO %s VALUES (?, 'x')" % table, [(i,) for i in range(n)])
    db.execute("CREATE TABLE DYNAMIC_NVTXPAYLOAD_DATATYPE_281474976710656_0_16778116 (eventId INTEGER, batch INTEGER)")
    db.execute("INSERT INTO DYNAMIC_NVTXPAYLOAD_DATATYPE_281474976710656_0_16778116 VALUES (1, 2)")
    db.commit()
    db.close()
    for verb in ("info", "schema"):
        notes = unknown(" ".join(answer(verb, path)[1].split()).replace("note: ", "\nnote: "))
        wrong = [] if len(notes) == 1 and "3 tables that this version does not know" in notes[0] else ["%d notes: %s" % (len(notes), notes)]
        for table, n in FUTURE:
            if (("%s (%d row%s)" % (table, n, "" if n == 1 else "s")) in " ".join(notes)) != (n > 0):
                wrong.append("%s: %s" % (table, notes))
        tally.check("%s: %s names tables that nobody knows" % (name, verb), wrong)


def main():
    tally = wl.Tally()
    with tempfile.TemporaryDirectory(prefix="wl-newest-") as directory:
        prepare(directory)
        for name, options in CASES.items():
            path = generate(directory, name, options)
            known(tally, name, path)
            totals(tally, name, path)
            every_verb(tally, name, path)
        later(tally, "later", path)
    tally.finish()


if __name__ == "__main__":
    main()
