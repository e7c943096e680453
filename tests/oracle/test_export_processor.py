#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Perfetto's own trace processor reads what we export: no errors, and as many slices, flows and values as pfcheck counts.

It is not packaged: skipped where trace_processor_shell is not on PATH.
"""
import csv
import os
import shutil
import subprocess
import sys
import tempfile

import exported
import perfetto
import wl
from test_export import GENERATED, generate

SHELL = shutil.which("trace_processor_shell")


def query(path, sql):
    """Rows as lists of strings."""
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as f:
        f.write(sql + "\n")
        f.flush()
        p = subprocess.run([SHELL, "-q", f.name, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, text=True)
    if p.returncode != 0:
        raise RuntimeError("%s: %s" % (sql, p.stderr[-400:]))
    return list(csv.reader(p.stdout.splitlines()))[1:]


def check(tally, name, trace, path):
    exported.export(trace, path, "--flows", "all")
    counts, slices = perfetto.stats(path), perfetto.slices(path)
    tally.equal(name + ": errors", query(path, "SELECT name, value FROM stats WHERE severity != 'info' AND value > 0;"), [])
    tally.equal(name + ": slices", query(path, "SELECT count(*), coalesce(sum(dur), 0) FROM slice;"),
                [[str(len(slices)), str(sum(s.duration for s in slices))]])
    tally.equal(name + ": flows", query(path, "SELECT count(*) FROM flow;"), [[str(counts["flows"])]])
    tally.equal(name + ": values", query(path, "SELECT count(*) FROM counter;"), [[str(counts["values"])]])
    per_name = {}
    for s in slices:
        n, total = per_name.get(s.name, (0, 0))
        per_name[s.name] = n + 1, total + s.duration
    plain = {n: v for n, v in per_name.items() if n.isprintable() and '"' not in n}
    got = {n: (int(count), int(total)) for n, count, total in query(path, "SELECT name, count(*), sum(dur) FROM slice GROUP BY name;")}
    tally.equal(name + ": names", {n: got.get(n) for n in plain}, plain)


def main():
    if not SHELL:
        print("skipped: no trace_processor_shell on PATH")
        sys.exit(77)
    tally = wl.Tally()
    with tempfile.TemporaryDirectory(prefix="wl-processor-") as scratch:
        for name, arguments in GENERATED.items():
            check(tally, name, generate(scratch, name, arguments), os.path.join(scratch, "x.pftrace"))
        if os.path.isdir(wl.CORPUS):
            for name, path in wl.corpus_traces(main_only=True):
                check(tally, name, path, os.path.join(scratch, "x.pftrace"))
    tally.finish()


if __name__ == "__main__":
    main()
