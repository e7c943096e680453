#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A push of the facts of several ranks stores how they wait for each other: collectives as the kernels of the traces give them,
waits and clocks as "ranks" and "clocks" of the traces say."""
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time

import clickhouse
import fleet

RANKS, STEPS = 4, 8


def make_job(directory, *keys):
    """Four ranks on two hosts, whose clocks differ; rank 2 is late. Yesterday: servers remove what is old."""
    traces = os.path.join(directory, "job")
    subprocess.run([sys.executable, "-B", os.path.join(clickhouse.ROOT, "tests", "support", "gen_trace.py"), "-o", traces, "--ranks",
                    str(RANKS), "--split", "--hosts", "2", "--clock-skew", "2000000:20", "--layers", "4", "--iters", str(STEPS),
                    "--straggler", "2:1.15", "--payloads", "2.25", "--begin",
                    "%ds" % (time.time() - 1700000000 - 86400)], check=True, stdout=subprocess.DEVNULL)
    files = sorted(os.path.join(traces, f) for f in os.listdir(traces) if f.endswith(".sqlite"))
    facts = os.path.join(directory, "facts")
    subprocess.run([fleet.WARPLENS, "fleet", "scatter", *files, "-o", facts, *keys], check=True, stdout=subprocess.DEVNULL)
    return files, facts


def kernels(path):
    """Lengths of the kernels of NCCL, by name, in the order of ends."""
    found = {}
    with sqlite3.connect(path) as db:
        for name, start, end in db.execute("SELECT s.value, k.start, k.end FROM CUPTI_ACTIVITY_KIND_KERNEL AS k "
                                           "JOIN StringIds AS s ON s.id = k.shortName WHERE s.value LIKE 'nccl%' ORDER BY k.end"):
            found.setdefault(name, []).append(end - start)
    return found


def from_trace(files, verb, section, *options):
    """The rows that the directory of traces gives, as one job."""
    answer = json.loads(subprocess.run([fleet.WARPLENS, verb, os.path.dirname(files[0]), *options, "-f", "json"], check=True,
                                       stdout=subprocess.PIPE, text=True).stdout)
    return [s for s in answer.get("sections", [answer]) if s["analysis"] == section][0]["rows"]


def check_colls(server, files):
    ranks = [kernels(path) for path in files]
    shortest = sorted(min(lengths) for name in ranks[0] for lengths in zip(*(rank[name] for rank in ranks)))
    stored = server.rows("SELECT ranks, transfer, skew, last_rank, bytes FROM warplens.colls")
    assert len(stored) == len(shortest) > 50, (len(stored), len(shortest))
    assert server.number("SELECT count() FROM (SELECT DISTINCT comm, seq FROM warplens.colls)") == len(stored)
    assert all(row[0] == str(RANKS) and int(row[4]) > 0 for row in stored), stored
    # a clock that is made faster by 20 parts in a million moves lengths
    for ours, theirs in zip(sorted(int(row[1]) for row in stored), shortest):
        assert abs(ours - theirs) <= 1 + theirs * 5e-5, (ours, theirs)
    late = [row[3] for row in stored if int(row[2]) > 1000000]
    assert len(late) >= STEPS and set(late) == {"2"}, late


def is_near(stored, row, keys):
    """A clock that is corrected moves each end by a rounded number."""
    return all(abs(int(v) - row[k]) <= 50 + row[k] * 5e-5 for v, k in zip(stored, keys))


def check_waits(server, files):
    keys = ("wait", "transfer", "lateness", "caused", "alone")
    for row in from_trace(files, "ranks", "ranks"):
        (stored,) = server.rows("SELECT wait, transfer, lateness, caused, alone FROM warplens.waits WHERE rank = %d" % row["rank"])
        assert is_near(stored, row, keys), (row, stored)
    for row in from_trace(files, "ranks", "ranks", "--by", "step"):
        if row.get("step") is None:
            continue
        (stored,) = server.rows("SELECT wait, transfer, lateness, caused FROM warplens.step_waits WHERE rank = %d AND step = %d"
                                % (row["rank"], row["step"]))
        assert is_near(stored, row, keys), (row, stored)
    assert server.number("SELECT count() FROM warplens.step_waits") == RANKS * STEPS


def check_clocks(server, files):
    hosts = {row["host"]: row for row in from_trace(files, "info", "clocks")}
    stored = server.rows("SELECT host, offset, drift, residual_p50, residual_p99 FROM warplens.waits AS w ANY LEFT JOIN "
                         "warplens.ranks AS r USING (run_id, rank)")
    assert len(stored) == RANKS and {row[0] for row in stored} == set(hosts) and len(hosts) == 2, (stored, hosts)
    for host, offset, drift, p50, p99 in stored:
        assert int(drift) == hosts[host]["drift_ppb"] and int(p99) == hosts[host]["residual"] >= int(p50), (stored, hosts)
        assert abs(int(offset) - hosts[host]["offset"]) < 100000, (stored, hosts)


def main():
    with tempfile.TemporaryDirectory(prefix="wl-waits-") as directory, clickhouse.servers(1) as (server,):
        files, facts = make_job(directory)
        client = fleet.Fleet(server.url)
        client.run("init")
        client.run("push", facts)
        check_colls(server, files)
        check_waits(server, files)
        check_clocks(server, files)
        n = server.number("SELECT count() FROM warplens.colls")
        assert "there already" in client.run("push", facts)[0]
        client.run("push", *sorted(os.path.join(facts, f) for f in os.listdir(facts))[:2])
        assert server.number("SELECT max(ranks) FROM warplens.colls") == 2
        client.run("push", facts)
        assert server.number("SELECT count() FROM warplens.colls") == n
    print("collectives, waits and clocks are stored once")
    return 0


if __name__ == "__main__":
    sys.exit(main())
