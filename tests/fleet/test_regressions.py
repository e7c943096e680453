#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sixty nights in the real ClickHouse: watch pushes them, regressions finds both planted changes, gate stops the first."""
import os
import shutil
import signal
import sys
import time

import clickhouse
import fleet

PLANTED = {22: "gemm", 43: "norm"}


def watched(server, client, directory):
    """A watch that is killed in the middle and begun again loses and doubles nothing; it prints a verdict for each run."""
    inbox = os.path.join(directory, "inbox")
    os.mkdir(inbox)
    for night in range(30):
        shutil.move(os.path.join(directory, "night-%03d" % night), inbox)
    first = client.start("watch", inbox, "--every", "0.1")
    while server.number("SELECT count() FROM warplens.runs") < 7:
        time.sleep(0.02)
    first.kill()
    first.communicate()
    second = client.start("watch", inbox, "--every", "0.1")
    for night in range(30, 60):
        # as facts arrive: made elsewhere, then renamed; a file without facts is reported and passed over
        shutil.move(os.path.join(directory, "night-%03d" % night), inbox)
    with open(os.path.join(inbox, "broken.wlfacts"), "wb") as f:
        f.write(b"nothing")
    until = time.monotonic() + 120
    # a run is stored before it is judged
    while server.number("SELECT count() FROM warplens.verdicts WHERE kind = 'run'") < 60 and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(0.3)
    second.send_signal(signal.SIGTERM)
    out, err = second.communicate(timeout=30)
    assert second.returncode == 0, (second.returncode, err)
    assert err.count("broken.wlfacts") == 1, err
    assert 30 <= out.count("run ") <= 54 and "slower" in out, out
    fleet.check_once(server, 60, 4, 6)
    out, err = client.run("watch", inbox, "--once", status=6)
    assert "run " not in out and "broken.wlfacts" in err, (out, err)


def verdicts(server, client, runs):
    """watch has stored a verdict for each run, regressions the changes; judging again stores nothing."""
    ids = {r["run_id"]: n for n, r in enumerate(runs)}
    judged = server.rows("SELECT run_id, verdict, base_id, delta, lo, hi FROM warplens.verdicts WHERE kind = 'run'")
    assert len(judged) == 60 == len({row[0] for row in judged}), len(judged)
    for run, verdict, base, delta, low, high in judged:
        night = ids[run]
        assert night >= 5 or verdict == "insufficient", (night, verdict)
        # the newest of those before that is no outlier and in no open change
        assert ids[base] < night if night else base == "", (night, base)
        assert not night or ids[base] == night - 1 or night > 22, (night, ids[base])
        assert verdict == "insufficient" or int(low) <= int(delta) <= int(high), (night, delta, low, high)
        assert night not in PLANTED or verdict == "slower", (night, verdict)
    changed = server.rows("SELECT run_id, delta > 0, runs_after FROM warplens.verdicts WHERE kind = 'change' AND verdict = 'slower'")
    assert {ids[row[0]] for row in changed} == set(PLANTED) and all(row[1] == "1" for row in changed), changed
    n = server.number("SELECT count() FROM warplens.verdicts_rows")
    client.run("regressions")
    client.run("gate", status=1)
    client.run("gate", "--threshold", "3%", status=1)
    assert server.number("SELECT count() FROM warplens.verdicts_rows") == n
    # a change that is none any more
    server.ask("INSERT INTO warplens.verdicts_rows (run_id, version, t, ingested, metric, kind, verdict) SELECT run_id, version, t, 5, "
               "'step_p50', 'change', 'slower' FROM warplens.runs WHERE run_id = '%s'" % runs[30]["run_id"])
    client.run("regressions")
    assert server.rows("SELECT verdict FROM warplens.verdicts WHERE kind = 'change' AND run_id = '%s'" % runs[30]["run_id"]) == \
        [["withdrawn"]]


def main():
    planted = ["22:gemm:1.3", "43:norm:1:2"]
    with fleet.nights(60, 4, 6, planted=planted) as directory, clickhouse.servers(1) as (server,):
        client = fleet.Fleet(server.url)
        client.run("init")
        watched(server, client, directory)
        runs = client.table("runs", "list")
        assert [r["sha"] for r in runs] == ["c0ffee%02d" % n for n in range(60)]
        changes = client.table("changes", "regressions")
        assert {int(c["sha"][6:]): c["verdict"] for c in changes} == {22: "slower", 43: "slower"}, changes
        movers = client.table("movers", "regressions", "--top", "1")
        for change in changes:
            mine = {m["by"]: m for m in movers if m["run"] == change["run"]}
            night = int(change["sha"][6:])
            assert mine["operation"]["name"] == PLANTED[night], mine
            by_count = mine["operation"]["count_effect"] > mine["operation"]["duration_effect"]
            assert by_count == (night == 43), mine
            assert set(mine) == {"operation", "rank", "host"}
        verdicts(server, client, runs)
        # the gate: the night of the first change is slower, the one before is not
        assert client.table("newest", "gate", runs[22]["run"], status=1)[0]["verdict"] == "slower"
        assert client.table("newest", "gate", runs[21]["run_id"], status=4)[0]["verdict"] == "inconclusive"
        assert client.table("newest", "gate", runs[3]["run"], status=4)[0]["verdict"] == "insufficient"
        assert client.table("newest", "gate", "--threshold", "100%")[0]["verdict"] == "same"
        # both changes are open until someone acknowledges the later one, which accepts its level
        assert [c["state"] for c in changes] == ["open", "open"], changes
        newest = client.table("newest", "gate", status=1)
        assert len(newest) == 1 and newest[0]["state"] == "open" and newest[0]["since"] == runs[22]["run_id"], newest
        client.run("ack", runs[43]["run"], "--who", "ana", "--why", "twice the layers")
        assert [c["state"] for c in client.table("changes", "regressions")] == ["acknowledged"] * 2
        out, _ = client.run("gate", status=4)
        assert "gate inconclusive" in out, out
        assert client.table("runs", "show", runs[5]["run"])[0]["run_id"] == runs[5]["run_id"]
        client.run("show", "ffffffffffff", status=2)
        client.run("list", "--project", "it's none", status=2)
        assert len(client.table("runs", "list", "--project", "llm", "--branch", "main")) == 60
    print("both changes found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
