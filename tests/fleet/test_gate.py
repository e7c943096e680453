#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Thirteen nights in the real ClickHouse, from the seventh on 11% slower: the gate fails every night until ack, and agrees
with regressions."""
import json
import os
import sys

import clickhouse
import fleet


def check(client, night, status):
    """What gate, push and regressions say after a night."""
    newest = client.table("newest", "gate", status=status)
    assert len(newest) == 1 and newest[0]["sha"] == "c0ffee%02d" % night, newest
    changes = client.table("changes", "regressions")
    is_open = [c for c in changes if c["state"] == "open"]
    assert (newest[0]["state"] == "open") == bool(is_open), (night, newest, changes)
    assert not is_open or status == 1, (night, status, changes)
    return newest[0], changes


def ties():
    """Which of two runs of the same millisecond is the newest is chance: all that judge it say so."""
    said = "1 run began in the same millisecond as another of the series"
    with fleet.nights(2, 2, 6, seed="60:0.001", planted=["at-once"]) as directory, clickhouse.servers(1) as (server,):
        client = fleet.Fleet(server.url)
        client.run("init")
        for night in range(2):
            client.run("push", os.path.join(directory, "night-%03d" % night))
        for words, status in ((["list"], 0), (["gate"], 4), (["regressions"], 0)):
            notes = json.dumps(client.json(*words, status=status))
            assert said in notes, (words, notes)


def main():
    ties()
    # a step of 46 ms, of which gemm has 20: 25.3% of it are 11%
    planted = ["6:gemm:1.253"]
    with fleet.nights(13, 2, 6, seed="60:0.001", planted=planted) as directory, clickhouse.servers(1) as (server,):
        client = fleet.Fleet(server.url, environment={"USER": "nightly"})
        client.run("init")
        for night in range(13):
            out, _ = client.run("push", os.path.join(directory, "night-%03d" % night))
            assert ("slower" in out) == (night >= 6), (night, out)
            if night < 6:
                assert check(client, night, 4 if night < 5 else 0)[1] == []
                continue
            newest, changes = check(client, night, 1)
            assert newest["verdict"] == "slower" and 0.10 < newest["change_ratio"] < 0.12, newest
            # confirmed by two further runs, and the same night ever since
            assert [c["sha"] for c in changes] == (["c0ffee06"] if night >= 8 else []), (night, changes)
        acknowledge(server, client)
    print("red from night 7 to 13, until it is acknowledged")
    return 0


def acknowledge(server, client):
    runs = client.table("runs", "list")
    assert all(r["acknowledged"] is None for r in runs), runs
    client.run("ack", "ffff", status=2)
    out, _ = client.run("ack", runs[6]["run"], "--why", "longer\ttexts, it's 'fine'")
    assert runs[6]["run"] in out, out
    n = server.number("SELECT count() FROM warplens.acks_rows")
    out, _ = client.run("ack", runs[6]["run_id"], "--why", "longer\ttexts, it's 'fine'")
    assert "acknowledged before" in out, out
    assert n == 1 == server.number("SELECT count() FROM warplens.acks_rows")
    # it is listed by list, show and regressions
    rows = client.table("runs", "list")
    assert [r["sha"] for r in rows if r["acknowledged"]] == ["c0ffee06"], rows
    shown = client.table("runs", "show", runs[6]["run"])[0]["acknowledged"]
    assert shown.endswith(" nightly: longer\ttexts, it's 'fine'"), shown
    change, = client.table("changes", "regressions")
    assert change["state"] == "acknowledged" and change["acknowledged"] == shown, change
    # the new level is the baseline
    out, _ = client.run("gate")
    assert "gate passed" in out, out
    for night in range(6, 13):
        client.run("gate", runs[night]["run"])
    assert client.table("newest", "gate", runs[6]["run"])[0]["verdict"] == "acknowledged"
    # another reason replaces the one before
    client.run("ack", runs[6]["run"], "--who", "ana", "--why", "")
    assert client.table("runs", "show", runs[6]["run"])[0]["acknowledged"].endswith(" ana")
    assert [r["sha"] for r in client.table("runs", "list") if r["acknowledged"]] == ["c0ffee06"]


if __name__ == "__main__":
    sys.exit(main())
