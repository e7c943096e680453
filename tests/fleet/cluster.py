#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Two shards: pushes in parallel, a client that is killed between tables, a shard that is killed before and while it writes, one that
stays away, a full disk, and runs of 1,024 ranks. Afterwards each fact is there once, counted by SQL on both shards, or the run is not
there and said to be incomplete."""
import contextlib
import os
import subprocess
import sys
import threading
import time

import clickhouse
import fleet

RANKS, STEPS, TABLES, NIGHTS = 4, 6, 9, 60


def check_both(servers, n_runs, ranks=RANKS, steps=STEPS):
    for server in servers:
        fleet.check_once(server, n_runs, ranks, steps)


def away(server, seconds):
    """Kill a server, which comes back after a while."""
    server.kill()
    thread = threading.Timer(seconds, server.start)
    thread.start()
    return thread


def spread(servers, client, directory):
    all_of_them = [client.start("push", os.path.join(directory, "night-%03d" % night)) for night in (0, 1, 2, 3, 3, 4, 5, 5)]
    for process in all_of_them:
        _, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
    check_both(servers, 6)
    for server in servers:
        assert server.number("SELECT uniqExact(run_id) FROM warplens.runs_rows") > 0
    rows = [server.number("SELECT uniqExact(run_id) FROM warplens.steps_rows") for server in servers]
    assert sum(rows) == 6, rows


def killed_shard(servers, directory, night):
    """The shard of the run is killed before an insert, and back after 3 s, within the time that a client tries. Returns the next
    night."""
    with clickhouse.Front(servers[0]) as front:
        client = fleet.Fleet("%s,%s" % (front.url, servers[1].url), "--cluster", clickhouse.CLUSTER)
        for number in (2, 4, TABLES):
            is_hit = False
            while not is_hit:
                before = servers[1].number("SELECT count() FROM warplens.runs_rows")
                timers = []

                def rule(query, n, number=number, timers=timers):
                    if n == number and not timers:
                        timers.append(away(servers[1], 3))
                front.rule, front.n_inserts = rule, 0
                client.run("push", os.path.join(directory, "night-%03d" % night))
                night += 1
                for timer in timers:
                    timer.join()
                check_both(servers, night)
                # a run of the other shard does not notice
                is_hit = servers[1].number("SELECT count() FROM warplens.runs_rows") > before
    return night


def absent_shard(servers, client, directory, night):
    """A shard that does not come back in time: the push fails, and is there after another one."""
    done = night
    for night in range(done, NIGHTS):
        servers[1].kill()
        process = client.start("push", os.path.join(directory, "night-%03d" % night))
        _, err = process.communicate(timeout=300)
        servers[1].start()
        if process.returncode == 0:
            # all of it was for the other shard
            done += 1
            check_both(servers, done)
            continue
        check_both(servers, done)
        client.run("push", os.path.join(directory, "night-%03d" % night))
        done += 1
        check_both(servers, done)
        return done
    return done


def killed_client(servers, client, directory, done):
    """A client that is killed between tables: no shard has the run, and the next push completes it. Returns the next night."""
    night = os.path.join(directory, "night-%03d" % done)
    for number in (2, 5, TABLES):
        fleet.killed_before(servers[0], number, night, [servers[1].url], ["--cluster", clickhouse.CLUSTER])
        check_both(servers, done)
        assert "1 run is not complete" in client.run("list")[0], number
    client.run("push", night)
    check_both(servers, done + 1)
    return done + 1


def full_disk(directory):
    """The disk of the server is full: the push fails with a sentence, and succeeds once there is room."""
    with contextlib.ExitStack() as stack:
        (server,) = stack.enter_context(clickhouse.servers(1))
        server.stop()
        data = os.path.join(server.directory, "data")
        os.rename(data, data + ".old")
        os.mkdir(data)
        mount = ["mount", "-t", "tmpfs", "-o", "size=24m", "none", data]
        if os.geteuid() != 0 or subprocess.run(mount, stderr=subprocess.DEVNULL, check=False).returncode != 0:
            print("not tried: a full disk, which needs root")
            return
        stack.callback(subprocess.run, ["umount", data], check=False)
        server.start()
        stack.callback(server.kill)
        client = fleet.Fleet(server.url)
        client.run("init")
        free = os.statvfs(data)
        with open(os.path.join(data, "ballast"), "wb") as f:
            f.write(b"\0" * (free.f_bavail * free.f_frsize - 20000))
        process = client.start("push", os.path.join(directory, "night-000"))
        _, err = process.communicate(timeout=300)
        assert process.returncode not in (0, -11, -6), (process.returncode, err)
        assert server.number("SELECT count() FROM warplens.runs") == 0
        os.remove(os.path.join(data, "ballast"))
        client.run("push", os.path.join(directory, "night-000"))
        fleet.check_once(server, 1, RANKS, STEPS)


def push_large(servers, client, night, ranks, steps):
    """How long a run of that many ranks takes."""
    size = sum(os.path.getsize(os.path.join(night, f)) for f in os.listdir(night))
    before, served = os.times(), sum(server.cpu_seconds() for server in servers)
    out, _ = client.run("push", night)
    after = os.times()
    check_both(servers, 1, ranks, steps)
    stored = sum(server.number("SELECT sum(bytes_on_disk) FROM system.parts WHERE database = 'warplens' AND active")
                 for server in servers)
    print("%d ranks x %d steps: %.1f kB of facts, %s: %.1f s, client %.1f CPU-s, servers %.1f CPU-s, stored %.1f kB"
          % (ranks, steps, size / 1e3, out.strip(), after.elapsed - before.elapsed,
             after.children_user - before.children_user + after.children_system - before.children_system,
             sum(server.cpu_seconds() for server in servers) - served, stored / 1e3), flush=True)


def killed_while_writing(servers, directory, done, ranks, steps):
    """The second shard is killed a few milliseconds after an insert left the client, while it writes. Returns how many runs there
    are."""
    with clickhouse.Front(servers[0]) as front:
        client = fleet.Fleet("%s,%s" % (front.url, servers[1].url), "--cluster", clickhouse.CLUSTER)
        for number, delay in ((1, 0.002), (2, 0.01), (3, 0.03), (4, 0.005)):
            timers = []

            def rule(query, n, number=number, delay=delay, timers=timers):
                if n == number and not timers:
                    timers.append(threading.Timer(delay, lambda: timers.append(away(servers[1], 3))))
                    timers[0].start()
            front.rule, front.n_inserts = rule, 0
            client.run("push", os.path.join(directory, "night-%03d" % done))
            done += 1
            for timer in timers:
                timer.join()
            check_both(servers, done, ranks, steps)
    return done


def large(servers, client, ranks, steps):
    """Runs of that many ranks: pushed, pushed again, from several clients at once, and with a shard that dies while it writes."""
    with fleet.nights(6, ranks, steps, seed=7) as directory:
        for server in servers:
            server.ask("DROP DATABASE warplens")
        client.run("init")
        first, second = (os.path.join(directory, "night-%03d" % night) for night in (0, 1))
        push_large(servers, client, first, ranks, steps)
        assert "there already" in client.run("push", first)[0]
        check_both(servers, 1, ranks, steps)
        for process in [client.start("push", night) for night in (second, first, second)]:
            _, err = process.communicate(timeout=300)
            assert process.returncode == 0, err
        check_both(servers, 2, ranks, steps)
        done = killed_while_writing(servers, directory, 2, ranks, steps)
        assert "not complete" not in client.run("list")[0]
        print("%d runs of %d ranks, each fact once" % (done, ranks), flush=True)


def main():
    with fleet.nights(NIGHTS, RANKS, STEPS) as directory, clickhouse.servers(2) as servers:
        client = fleet.Fleet(",".join(server.url for server in servers), "--cluster", clickhouse.CLUSTER)
        client.run("init")
        assert "has all tables" in client.run("init")[0]
        begin = time.monotonic()
        spread(servers, client, directory)
        done = killed_client(servers, client, directory, killed_shard(servers, directory, 6))
        done = absent_shard(servers, client, directory, done)
        assert "not complete" not in client.run("list")[0]
        print("%d runs on two shards, each fact once, in %.0f s" % (done, time.monotonic() - begin))
        large(servers, client, 1024, 20)
        full_disk(directory)
    return 0


if __name__ == "__main__":
    sys.exit(main())
