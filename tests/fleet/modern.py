#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The modern dialect: all that test_push.py and test_regressions.py ask of 18.16, asked of ClickHouse 26.7; both give the same
answers."""
import os
import sys

import chdb
import clickhouse
import fleet


def answers(server, directory):
    """What each question says, with the ids of runs."""
    client = fleet.Fleet(server.url)
    assert "has version 2" in client.run("init")[0]
    assert "has all tables" in client.run("init")[0]
    client.run("watch", directory, "--once")
    assert "there already" in client.run("push", os.path.join(directory, "night-000"))[0]
    fleet.check_once(server, 60, 4, 6)
    out = [client.json(*words) for words in (("list",), ("regressions",), ("regressions", "--top", "0"))]
    newest = out[0]["rows"][-1]["run"]
    return out + [client.json("show", newest), client.json("gate", newest, status=4)]


def main():
    with fleet.nights(60, 4, 6, planted=["22:gemm:1.3", "43:norm:1:2"]) as directory:
        with clickhouse.servers(1) as (server,):
            old = answers(server, directory)
        with chdb.server() as server:
            new = answers(server, directory)
            codecs = server.ask("SELECT count() FROM system.columns WHERE database = 'warplens' AND compression_codec != ''")
            assert int(codecs) > 50, codecs
    assert old == new
    print("18.16 and 26.7 give the same answers")
    return 0


if __name__ == "__main__":
    sys.exit(main())
