#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The dashboard is valid, and each of its questions gives from the loaded database what the program says."""
import os
import sys
import tempfile

import chdb
import clickhouse
import dashboards
import fleet
import test_waits

NIGHTS, CHANGED = 14, 10


def nights(board, client):
    """A series with a change, whose operation moves."""
    runs = client.table("runs", "list", "--config", "nightly")
    board.choose(project="llm", config="nightly", gpu="NVIDIA H100", world="4", run=runs[CHANGED]["run_id"])
    steps = board.panel("Step time")
    assert len(steps) == NIGHTS and [round(float(row[1]) * 1e6) for row in steps] == [r["step"] for r in runs], steps
    marks = board.marks()
    assert any(row[1].startswith("change: slower") for row in marks), marks
    verdicts = board.panel("Verdicts")
    assert len(verdicts) == NIGHTS + 1 and ["change", "slower"] in [row[2:4] for row in verdicts], verdicts
    movers = {row[0]: row[1:] for row in board.panel("Movers of the run")}
    said = [m for m in client.table("movers", "show", runs[CHANGED]["run"], "--top", "0") if m["by"] == "operation"]
    assert len(movers) == len(said) == 4 and said[0]["name"] == "gemm" == next(iter(movers)), (movers, said)
    for mover in said:
        before, after, change = (float(v) * 1e6 for v in movers[mover["name"]])
        assert abs(before - mover["before"]) < 2 and abs(after - mover["after"]) < 2 and abs(change - mover["change"]) < 4, mover


def job(board, server):
    """A run of several ranks with collectives and clocks."""
    run, gpu = server.rows("SELECT run_id, gpu FROM warplens.runs WHERE config = 'job'")[0]
    board.choose(project="llm", config="job", gpu=gpu, world="4", run=run)
    counts = dict(board.all())
    assert counts.pop("Lateness by rank and step") == test_waits.RANKS * test_waits.STEPS, counts
    assert counts.pop("Blame by host") == 2 and counts.pop("Ranks of the run") == test_waits.RANKS, counts
    assert all(n > 0 for n in counts.values()), counts
    blame = board.panel("Blame by rank")
    assert blame[0][0] == "2" and float(blame[0][1]) > 10 * float(blame[1][1]), blame
    assert board.panel("Blame by host")[0][0] == "node02"
    (error,) = board.panel("Error of clocks")
    assert 0 <= int(error[1]) <= int(error[2]), error
    assert all(0 <= float(row[2]) <= 1 for row in board.panel("Coverage"))


def bandwidth(board, files):
    """As nccl says of the traces."""
    said = {row["type"].lower(): row["busbw"] / 1e9 for row in test_waits.from_trace(files, "nccl", "nccl")}
    stored = {row[1]: float(row[5]) for row in board.panel("Bandwidth by communicator and size")}
    assert set(stored) == set(said) and len(said) >= 2, (stored, said)
    for kind, value in stored.items():
        assert abs(value - said[kind]) <= said[kind] * 1e-4, (kind, value, said[kind])


def look(server, directory, files, facts):
    client = fleet.Fleet(server.url)
    client.run("init")
    client.run("watch", directory, "--once")
    client.run("push", facts)
    client.run("regressions")
    board = dashboards.Board(client, server)
    nights(board, client)
    job(board, server)
    bandwidth(board, files)
    path = os.path.join(facts, "board.json")
    client.run("dashboard", "-o", path)
    with open(path, encoding="utf-8") as f:
        assert f.read() == client.run("dashboard")[0]


def main():
    with fleet.nights(NIGHTS, 4, 6, planted=["%d:gemm:1.6" % CHANGED]) as directory, \
            tempfile.TemporaryDirectory(prefix="wl-board-") as work:
        files, facts = test_waits.make_job(work, "--key", "project=llm", "--key", "config=job")
        with clickhouse.servers(1) as (server,):
            look(server, directory, files, facts)
        print("each question of the dashboard is answered by 18.16")
        if os.path.exists(chdb.LIBRARY):
            with chdb.server() as server:
                look(server, directory, files, facts)
            print("and by 26.7")
    return 0


if __name__ == "__main__":
    sys.exit(main())
