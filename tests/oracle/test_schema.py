#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""schema against sqlite_master, PRAGMA table_info and count(*), on every corpus trace: every table and column once."""
import sqlite3

import wl


def expected(path):
    """{(table, column): (declared type, rows of the table)}."""
    db, out = sqlite3.connect("file:%s?mode=ro&immutable=1" % path, uri=True), {}
    for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").fetchall():
        quoted = '"%s"' % table.replace('"', '""')
        count = db.execute("SELECT count(*) FROM " + quoted).fetchone()[0]
        for _, column, kind, *_ in db.execute("PRAGMA table_info(%s)" % quoted):
            out[table, column] = (kind, count)
    db.close()
    return out


def differences(rows, want):
    got, out = {(r["table"], r["column"]): (r["type"] or "", r["rows"]) for r in rows}, []
    if len(got) != len(rows):
        out.append("a column is listed twice")
    out += ["not in warplens: %s.%s" % k for k in want if k not in got]
    out += ["only in warplens: %s.%s" % k for k in got if k not in want]
    out += ["%s.%s: warplens %r, SQLite %r" % (*k, got[k], want[k]) for k in want if k in got and got[k] != want[k]]
    return out


def main():
    wl.skip_without_corpus()
    tally = wl.Tally()
    for name, path in wl.corpus_traces():
        status, document = wl.run("schema", path)
        tally.equal(name + ": exit status", status, 0)
        tally.check(name + ": schema = SQLite's own", differences(document["rows"] if document else [], expected(path)))
    tally.finish()


if __name__ == "__main__":
    main()
