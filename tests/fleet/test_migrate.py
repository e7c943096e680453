#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A database that version 1 made: "init" adds what it lacks, its rows stay as they are, and runs are pushed beside them."""
import os
import re
import sys

import clickhouse
import fleet

RUNS, RANKS, STEPS = 6, 2, 3


def statements():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "schema-1.sql"), encoding="utf-8") as f:
        return [line for line in f.read().splitlines() if line and not line.startswith("--")]


def old_columns():
    """The columns of each table of version 1, in order."""
    return {m.group(1): re.findall(r"`(\w+)` ", m.group(2))
            for m in (re.match(r"CREATE TABLE IF NOT EXISTS warplens\.(\w+_rows) \((.*?)\) ENGINE", s) for s in statements()) if m}


def fill(server):
    """Runs as version 1 pushed them, each in two versions, of which the later one counts."""
    columns = {"ranks": "rank, number, host", "steps": "rank, step, period, exposed_comm", "ops": "op, class, name",
               "op_step": "step, op, ranks, calls, sum, min", "runs": "project, config, gpu, world, ranks, steps, step_p50"}
    rows = {table: [] for table in columns}
    for run in range(RUNS):
        for version, ingested in (("a", 1), ("b", 2)):
            head = "'run%d', '%s', %d, %d, " % (run, version, 1700000000000 + run * 86400000, ingested)
            rows["ranks"] += [head + "%d, %d, 'node%d'" % (rank, rank, rank) for rank in range(RANKS)]
            rows["steps"] += [head + "%d, %d, %d, 5" % (rank, step, 50000000 + run) for rank in range(RANKS) for step in range(STEPS)]
            rows["ops"].append(head + "7, 'compute', 'gemm'")
            rows["op_step"].append(head + "0, 7, 2, 2, 90, 40")
            rows["runs"].append(head + "'llm', 'nightly', 'NVIDIA H100', 2, 2, 3, %d" % (50000000 + run * 1000))
    for table, names in columns.items():
        server.ask("INSERT INTO warplens.%s_rows (run_id, version, t, ingested, %s) VALUES %s"
                   % (table, names, ", ".join("(%s)" % row for row in rows[table])))


def dump(server, columns):
    """All rows of all tables and views of version 1, with its columns."""
    return {table: sorted(server.rows("SELECT %s FROM warplens.%s" % (", ".join("`%s`" % c for c in names if c != "ingested"), table)))
            for rows, names in columns.items() for table in (rows, rows[:-len("_rows")])}


def main():
    columns = old_columns()
    assert len(columns) == 12, columns
    with fleet.nights(1, RANKS, STEPS) as directory, clickhouse.servers(1) as (server,):
        client = fleet.Fleet(server.url)
        for statement in statements():
            server.ask(statement)
        fill(server)
        before = dump(server, columns)
        assert len(before["steps"]) == RUNS * RANKS * STEPS and len(before["steps_rows"]) == 2 * RUNS * RANKS * STEPS, before
        _, err = client.run("push", os.path.join(directory, "night-000"), status=2)
        assert "fleet init" in err, err
        assert dump(server, columns) == before
        assert "has version 3 now" in client.run("init")[0]
        assert server.number("SELECT max(version) FROM warplens.schema_version") == 3
        assert dump(server, columns) == before
        assert "has all tables" in client.run("init")[0]
        newest = client.table("newest", "gate")
        assert newest[0]["after"] == 50005000 and newest[0]["before"] == 50002000, newest
        assert server.number("SELECT count() FROM warplens.verdicts") == 1
        client.run("push", os.path.join(directory, "night-000"))
        assert server.number("SELECT count() FROM warplens.runs") == RUNS + 1
        assert server.number("SELECT count() FROM warplens.waits") == RANKS
    print("version 1 became version 2")
    return 0


if __name__ == "__main__":
    sys.exit(main())
