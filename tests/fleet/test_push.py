#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Facts reach the real ClickHouse exactly once, whatever happens on the way."""
import os
import sys
import time

import clickhouse
import fleet

RANKS, STEPS, TABLES = 4, 6, 9


def push_twice(server, directory):
    client = fleet.Fleet(server.url)
    out, _ = client.run("list", status=2), client.run("init")
    assert "fleet init" in out[1], out
    assert "has all tables" in client.run("init")[0]
    night = os.path.join(directory, "night-000")
    assert "%d ranks" % RANKS in client.run("push", night)[0]
    fleet.check_once(server, 1, RANKS, STEPS)
    assert "there already" in client.run("push", night)[0]
    fleet.check_once(server, 1, RANKS, STEPS)
    # texts arrive as they are
    assert server.rows("SELECT DISTINCT cause FROM warplens.idle") == [["launch\\t\\'odd\\' \\\\ cause\\n"]]
    assert server.number("SELECT count() FROM warplens.idle WHERE ns = 1234 AND step = 4294967295") == RANKS


def late_rank(server, directory):
    """Ranks that come late make a new version of the same run; readers see only that."""
    client = fleet.Fleet(server.url)
    files = sorted(os.path.join(directory, "night-001", f) for f in os.listdir(os.path.join(directory, "night-001")))
    client.run("push", *files[:2])
    assert server.number("SELECT count() FROM warplens.ranks") == RANKS + 2
    client.run("push", *files)
    fleet.check_once(server, 2, RANKS, STEPS)
    # and the part again, after the whole: it is what was pushed last
    client.run("push", *files[:2])
    assert server.number("SELECT count() FROM warplens.ranks") == RANKS + 2
    client.run("push", *files)
    fleet.check_once(server, 2, RANKS, STEPS)


def broken_ways(server, directory):
    """Requests that are lost, answers that are lost, a server that has enough: tried again."""
    night = os.path.join(directory, "night-002")
    with clickhouse.Front(server) as front:
        rules = [fleet.fails_at(2, "drop"), fleet.fails_at(3, "forget"), fleet.fails_at(TABLES, "forget"),
                 fleet.fails_at(1, "busy")]
        for number, rule in enumerate(rules):
            front.rule, front.n_inserts = rule, 0
            begin = time.monotonic()
            fleet.Fleet(front.url).run("push", os.path.join(directory, "night-%03d" % (2 + number)))
            assert 0.3 < time.monotonic() - begin < 60
            fleet.check_once(server, 3 + number, RANKS, STEPS)
            assert front.n_inserts >= TABLES + 1, front.n_inserts
    assert "there already" in fleet.Fleet(server.url).run("push", night)[0]


def killed_client(server, directory):
    """A client that is killed before each table: the run is not there, and is said to be incomplete; then it is pushed."""
    direct = fleet.Fleet(server.url)
    night = os.path.join(directory, "night-006")
    for number in (1, 4, TABLES):
        fleet.killed_before(server, number, night)
        fleet.check_once(server, 6, RANKS, STEPS)
        assert number == 1 or "1 run is not complete" in direct.run("list")[0], number
    direct.run("push", night)
    fleet.check_once(server, 7, RANKS, STEPS)
    assert "not complete" not in direct.run("list")[0]


def in_parallel(server, directory):
    """The same run and others from several clients at once."""
    client = fleet.Fleet(server.url)
    all_of_them = [client.start("push", os.path.join(directory, "night-%03d" % night)) for night in (7, 7, 7, 8, 8, 9)]
    for process in all_of_them:
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
    fleet.check_once(server, 10, RANKS, STEPS)


def older_tables(server):
    """A database of an older program: columns that it lacks are added, its rows stay."""
    client = fleet.Fleet(server.url)
    server.ask("ALTER TABLE warplens.steps_rows DROP COLUMN idle")
    server.ask("DROP TABLE warplens.labels_rows")
    _, err = client.run("list", status=2)
    assert "fleet init" in err, err
    client.run("init")
    assert server.number("SELECT count() FROM warplens.steps WHERE idle IS NULL") == 10 * RANKS * STEPS
    assert server.number("SELECT max(version) FROM warplens.schema_version") == 3
    fleet.check_once(server, 10, RANKS, STEPS)
    server.ask("INSERT INTO warplens.schema_version VALUES (99, 1)")
    _, err = client.run("list", status=2)
    assert "newer warplens" in err, err
    client.run("init", status=2)


def credentials(server, directory):
    """Passwords come from the environment or a file of the user alone, and are in no message."""
    secret = "s3cret word"
    right = fleet.Fleet(server.url, "--database", "other", environment={"WARPLENS_FLEET_USER": "writer",
                                                                        "WARPLENS_FLEET_PASSWORD": secret})
    right.run("init")
    path = os.path.join(directory, "credentials")
    with open(path, "w", encoding="utf-8") as f:
        f.write("writer:" + secret + "\n")
    os.chmod(path, 0o644)
    client = fleet.Fleet(server.url, "--database", "other", "--credentials", path)
    _, err = client.run("list", status=2)
    assert secret not in err and path in err, err
    os.chmod(path, 0o600)
    client.run("list")
    wrong = fleet.Fleet(server.url, environment={"WARPLENS_FLEET_USER": "writer", "WARPLENS_FLEET_PASSWORD": "hunter2 x"})
    _, err = wrong.run("list", status=2)
    assert "hunter2" not in err and "does not accept user \"writer\"" in err, err
    _, err = fleet.Fleet("http://db.example.com:8123").run("list", status=2)
    assert "https" in err, err
    _, err = fleet.Fleet("http://writer:pass@127.0.0.1:1").run("list", status=2)
    assert "pass@" not in err, err


def main():
    with fleet.nights(10, RANKS, STEPS) as directory, clickhouse.servers(1) as (server,):
        push_twice(server, directory)
        late_rank(server, directory)
        broken_ways(server, directory)
        killed_client(server, directory)
        in_parallel(server, directory)
        older_tables(server)
        credentials(server, directory)
    print("each fact is there once")
    return 0


if __name__ == "__main__":
    sys.exit(main())
