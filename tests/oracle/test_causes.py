#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""causes.py keeps its word: the cases are listed, are the same in every run, and save what the truth says.

The files alone speak here, by their rows; the program is not run.
"""
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

import wl

CAUSES = os.path.join(wl.ROOT, "tests", "support", "causes.py")
TWINS = {"01": "00", "16": "00", "21": "00", "33": "00", "41s": "41", "j_jit-8..0_lag1": "c_jit-8..0_lag1"}
RANDOM = ["--random", "6", "--seed", "3", "--lag", "3", "--jitter", "8", "--events"]


def causes(*args):
    p = subprocess.run([sys.executable, "-B", CAUSES, *args], stdout=subprocess.PIPE, check=True)
    return p.stdout.decode()


def written(directory, *args):
    """Writes traces; what the truth says of them."""
    causes("-o", directory, *args)
    with open(os.path.join(directory, "truth.json"), encoding="utf-8") as f:
        return json.load(f)


def contents(path):
    """Every row of every table."""
    db = sqlite3.connect(path)
    names = [r[0] for r in db.execute("SELECT name FROM sqlite_master ORDER BY name")]
    out = {name: db.execute("SELECT * FROM " + name).fetchall() for name in names}
    db.close()
    return out


def span(path):
    """From the first start to the last end of the job's operations; kernels of another job have no call."""
    db = sqlite3.connect(path)
    rows = [r for table in ("KERNEL", "MEMCPY")
            for r in db.execute("SELECT min(start), max(end) FROM CUPTI_ACTIVITY_KIND_%s WHERE correlationId IS NOT NULL" % table)]
    db.close()
    return max(r[1] for r in rows) - min(r[0] for r in rows)


def saves(tally, what, truth, directory, clean_truth, clean_directory, pairs):
    """The truth's saving is the run minus the clean run, both measured."""
    for name, clean in pairs:
        t = truth[name]
        run, without = (span(os.path.join(d, entry["files"][0])) for d, entry in ((directory, t), (clean_directory, clean_truth[clean])))
        tally.equal("%s %s" % (what, name), (t["span_ns"], t["clean_span_ns"], t["saving_ns"]), (run, without, run - without))
        tally.equal("%s %s is clean" % (what, clean), (clean_truth[clean]["cause"], clean_truth[clean]["saving_ns"]), (None, 0))


def main():
    tally = wl.Tally()
    listed = [line.split()[0] for line in causes("--list").splitlines()]
    tally.equal("72 cases, no two of one name", (len(listed), len(set(listed))), (72, 72))
    tally.equal("cases by prefix", [line.split()[0] for line in causes("--list", "c_", "41").splitlines()],
                ["41"] + [n for n in listed if n.startswith("c_")])
    with tempfile.TemporaryDirectory(prefix="wl-causes-") as scratch:
        a, b, clean = (os.path.join(scratch, name) for name in ("a", "b", "clean"))
        names = sorted({*TWINS, *TWINS.values()})
        truth = written(a, *names)
        saves(tally, "case", truth, a, truth, a, TWINS.items())
        again = written(b, *names[:4])
        tally.equal("the truth is the same in every run", again, {n: truth[n] for n in again})
        tally.check("files are the same in every run", [n for n in names[:4] if contents(os.path.join(a, n + ".sqlite")) != contents(os.path.join(b, n + ".sqlite"))])
        drawn, without = written(a + "r", *RANDOM), written(clean, *RANDOM, "--clean")
        saves(tally, "random", drawn, a + "r", without, clean, [(n, n) for n in drawn])
        tally.check("random causes cost time", [n for n, t in drawn.items() if t["saving_ns"] <= 0 or not t["ranks"] or not t["event_rows"]])
        tally.equal("random causes are the same in every run", written(b + "r", *RANDOM), drawn)
        tally.check("another seed, other causes", [] if written(b + "s", "--random", "2", "--seed", "4") != {n: drawn[n] for n in ("r0", "r1")} else ["same"])
    tally.finish()


if __name__ == "__main__":
    main()
