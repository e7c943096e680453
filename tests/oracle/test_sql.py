#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every verb as a table of SQL: the same cells as the verb's csv, the same refusals with the same exit status.

The names of columns and options come from --introspect and the csv, never from the SQL side. By default three fixtures, of
which one with the last choice of every option, and one without GPU rows with a quarter of the verbs; SQL_ALL=1 takes the whole corpus and the real jobs, with every choice of every option, GPUs and windows, and looks for the environment and output in all
tables.
"""
import concurrent.futures
import csv
import io
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

import wl

FIXTURES = os.environ.get("WARPLENS_FIXTURES", "")
ALL = os.environ.get("SQL_ALL")
# Row sources of the same name have one row per event, not the rows that the verb picks.
NOT_TWINS = {"ops"}
# Options that take a value that cannot be guessed, or a file.
SEARCH = "a"


def run(*arguments):
    p = subprocess.run([wl.WARPLENS, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600, check=False)
    return p.returncode, p.stdout.decode("utf-8", "surrogateescape"), p.stderr.decode("utf-8", "replace")


def cells(text):
    return list(csv.reader(io.StringIO(text)))


def complaint(err):
    lines = [line for line in err.splitlines() if line.startswith("warplens: ")]
    return lines[-1] if lines else ""


def quoted(name):
    return '"%s"' % name.replace('"', '""')


class Checks:
    def __init__(self):
        self.asked = self.tables = self.refused = self.cells = self.wrong = self.secrets = 0
        self.pool = concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count() or 1)
        self.pending = []

    def fail(self, what, *why):
        self.wrong += 1
        print("WRONG", what, *why)

    def twin(self, *arguments):
        self.asked += 1
        self.pending.append(self.pool.submit(self.compare, *arguments))

    def settle(self):
        """Wait for all that was asked."""
        for asked in self.pending:
            asked.result()
        self.pending = []

    def compare(self, verb, traces, options, conditions, call=""):
        """VERB TRACE --options -f csv, and SELECT the same columns FROM verb WHERE conditions."""
        what = " ".join([verb["name"], *options, "|", *conditions, "|", *map(os.path.basename, traces)])
        operand = [SEARCH] if verb["operands"].startswith("PATTERN") else []
        status, out, err = run(verb["name"], *operand, *traces, *options, "-f", "csv")
        table = verb["name"].replace("-", "_") + (call or ("('%s')" % SEARCH if operand else ""))
        names = cells(out)[0] if status == 0 else ["*"]
        columns = ", ".join(map(quoted, names)) if status == 0 else "*"
        where = " WHERE " + " AND ".join(conditions) if conditions else ""
        sql_status, sql_out, sql_err = run("sql", *traces, "-f", "csv", "-c", "SELECT %s FROM %s%s" % (columns, table, where))
        if status != sql_status:
            self.fail(what, "status", status, complaint(err), "but SQL", sql_status, complaint(sql_err))
        elif status:
            self.refused += 1
            if complaint(err) != complaint(sql_err):
                self.fail(what, complaint(err), "but SQL:", complaint(sql_err))
        elif cells(out) != cells(sql_out):
            a, b = cells(out), cells(sql_out)
            first = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
            self.fail(what, "%d and %d rows, row %d:" % (len(a), len(b), first), a[first:first + 1], b[first:first + 1])
        else:
            self.tables += 1
            self.cells += sum(map(len, cells(out)))


def verbs():
    status, out, _ = run("--introspect")
    assert status == 0
    return [v for v in json.loads(out)["verbs"] if v["kind"] == "analysis" and v["name"] not in NOT_TWINS]


def value_options(verb):
    """(option, its column in SQL, values): choices, and switches."""
    columns = {c["key"] for c in verb["columns"]}
    for o in verb["options"]:
        if o["group"] != "verb" or not o["long"]:
            continue
        column = o["long"].replace("-", "_")
        column += "_option" if column in columns else ""
        if o["choices"]:
            # A choice more is another table of the verb, not another way into SQL.
            for choice in o["choices"] if ALL else o["choices"][-1:]:
                yield ["--" + o["long"], choice], "%s = '%s'" % (quoted(column), choice)
        elif o["arg"] is None:
            yield ["--" + o["long"]], "%s = 1" % quoted(column)


def sections(checks, trace):
    """The tables of documents that are no verbs."""
    for document in ("info", "summary"):
        status, out, _ = run("--introspect")
        names = {v["name"] for v in json.loads(out)["verbs"]}
        info = next(v for v in json.loads(out)["verbs"] if v["name"] == document)
        for section in info["sections"]:
            if section["analysis"] in names:
                continue
            checks.asked += 1
            status, out, err = run(document, trace, "--section", section["analysis"], "-f", "csv")
            columns = ", ".join(map(quoted, cells(out)[0])) if status == 0 and out else "*"
            name = "%s_%s" % (document, section["analysis"].replace("-", "_"))
            sql_status, sql_out, sql_err = run("sql", trace, "-f", "csv", "-c", "SELECT %s FROM %s" % (columns, name))
            if status != sql_status or (status == 0 and cells(out) != cells(sql_out)):
                checks.fail(name, os.path.basename(trace), status, sql_status, complaint(err), complaint(sql_err))
            checks.tables += status == 0


def check(checks, trace, deep, every=1):
    for verb in verbs()[::every]:
        column_names = {c["key"] for c in verb["columns"]}

        def param(name):
            return quoted(name + "_option" if name in column_names else name)
        checks.twin(verb, [trace], [], [])
        if not deep:
            continue
        for options, condition in value_options(verb):
            checks.twin(verb, [trace], options, [condition])
        # Selections are the same code for all verbs, so few stand for them on each change.
        if not ALL and verb["name"] not in ("kernels", "overlap", "gaps", "nvtx", "search"):
            continue
        checks.twin(verb, [trace], ["--gpu", "0"], ["%s = 0" % param("gpu")])
        checks.twin(verb, [trace], ["--gpu", "77"], ["%s = 77" % param("gpu")])
        checks.twin(verb, [trace], ["--window", "+0ms..+5ms"], ["%s = '+0ms..+5ms'" % param("window")])
        if not verb["operands"].startswith("PATTERN"):
            checks.twin(verb, [trace], ["--window", "steady"], [], "('steady')")
            checks.twin(verb, [trace], ["--window", "iter:1", "--gpu", "0"], [], "('iter:1', 0)")
    checks.settle()
    sections(checks, trace)


def environment(db):
    """Assignments of the traced program's environment, as the file spells them, and what it printed; only long ones, which
    cannot stand elsewhere by chance."""
    tables = {row[0] for row in db.execute("SELECT name FROM sqlite_schema")}
    if "META_DATA_CAPTURE" in tables:
        for (value,) in db.execute("SELECT value FROM META_DATA_CAPTURE WHERE name LIKE '%ENVIRONMENT_VARIABLE'"):
            name, _, content = value.partition("=")
            content = content.strip('"').split("\n")[0]
            if len(content) >= 12:
                yield "%s=%s" % (name, content)
    if {"ProcessStreams", "StringIds"} <= tables:
        for (value,) in db.execute("SELECT s.value FROM ProcessStreams JOIN StringIds AS s ON s.id = contentId JOIN StringIds AS f ON "
                                   "f.id = filenameId WHERE length(s.value) > 20 AND f.value LIKE '%std%'"):
            yield value.strip().split("\n")[0][:200]


def leaks(checks, trace):
    """No cell of any table of the file has a part of the environment or the output."""
    with sqlite3.connect("file:%s?mode=ro&immutable=1" % trace, uri=True) as db:
        db.text_factory = lambda text: text.decode("utf-8", "replace")
        secrets = {secret for secret in environment(db) if len(secret) >= 20}
        tables = [row[0] for row in db.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')")]
    everything = []
    for table in tables:
        checks.asked += 1
        status, out, err = run("sql", trace, "-f", "csv", "-c", "SELECT * FROM %s" % quoted(table))
        if status and table != "ProcessStreams" and not table.startswith("sqlite_"):
            checks.fail("leaks", table, os.path.basename(trace), complaint(err))
        everything.append(out.replace('""', '"'))
    everything = "\n".join(everything)
    found = [secret for secret in secrets if secret in everything]
    if found:
        checks.fail("leaks", os.path.basename(trace), len(found), "of", len(secrets), found[0][:120])
    checks.secrets += len(secrets)


def several(checks, traces):
    """Of several traces every row says which it is of."""
    status, out, err = run("kernels", *traces, "-f", "csv")
    assert status == 0, err
    want = [row for row in csv.DictReader(io.StringIO(out))]
    status, out, err = run("sql", *traces, "-f", "csv", "-c", "SELECT trace, * FROM kernels")
    assert status == 0, err
    got = [row for row in csv.DictReader(io.StringIO(out))]
    checks.asked += 1
    if [(r["name"], r["sum"]) for r in want] != [(r["name"], r["sum"]) for r in got]:
        if sorted((r["name"], r["sum"]) for r in want) != sorted((r["name"], r["sum"]) for r in got):
            checks.fail("kernels of several traces", len(want), len(got))
    if len({r["trace"] for r in got}) != len(traces):
        checks.fail("traces of kernels", {r["trace"] for r in got})


def traces_of_ci():
    """Path, whether options are asked, and how many verbs stand for one: refusals are all made in one place."""
    yield os.path.join(FIXTURES, "tiny.sqlite"), True, 1
    yield os.path.join(FIXTURES, "two_ranks.sqlite"), False, 1
    yield os.path.join(FIXTURES, "no_gpu.sqlite"), False, 4


def main():
    checks = Checks()
    if ALL:
        wl.skip_without_corpus()
        for name, path in wl.corpus_traces():
            before = checks.asked, checks.wrong
            check(checks, path, True)
            leaks(checks, path)
            print("%-50s %5d asked %3d wrong" % (name, checks.asked - before[0], checks.wrong - before[1]), flush=True)
        jobs = os.path.join(wl.SHARED, "jobs")
        for job in sorted(os.listdir(jobs)) if os.path.isdir(jobs) else []:
            check_job(checks, os.path.join(jobs, job))
    else:
        for path, deep, every in traces_of_ci():
            check(checks, path, deep, every)
    several(checks, [os.path.join(FIXTURES, "tiny.sqlite"), os.path.join(FIXTURES, "two_ranks.sqlite")])
    print("%d asked: %d tables of %d cells are equal, %d refusals are, %d secrets are hidden, %d wrong" %
          (checks.asked, checks.tables, checks.cells, checks.refused, checks.secrets, checks.wrong))
    return 1 if checks.wrong or not checks.tables else 0


def check_job(checks, directory):
    """A job is one trace."""
    with tempfile.TemporaryDirectory(prefix="wl-sql-") as scratch:
        packed = [f for f in sorted(os.listdir(directory)) if f.endswith(".sqlite.zst")] if os.path.isdir(directory) else []
        for f in packed:
            subprocess.run(["zstd", "-dqf", os.path.join(directory, f), "-o", os.path.join(scratch, f[:-4])], check=True)
        if packed:
            check(checks, scratch, False)
            print("%-50s job" % os.path.basename(directory), flush=True)


if __name__ == "__main__":
    sys.exit(main())
