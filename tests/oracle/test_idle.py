#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random rich traces: idle, gaps, launch and graphs of warplens against the oracle, with random windows and selections.

Per device the rows of `idle` must also add up to `idle` of `overlap`, and tiles of a window to the window.
ORACLE_SEEDS: how many (default 150); ORACLE_BASE: the first seed (default 1). A failing trace is kept.
"""
import os
import random
import shutil
import tempfile

import compare
import idle
import launch
import mktrace
import oracle
import wl
from test_random import random_selection, random_window
from tracefile import Trace

TID_MASK = 0xFFFFFF


def listed(row):
    """A gap of the oracle as warplens prints it."""
    thread = row.pop("thread")
    row["pid"] = None if thread is None else thread >> 24 & TID_MASK
    row["tid"] = None if thread is None else thread & TID_MASK
    return row


def check(verb, path, arguments, want, keys):
    """Differences of one call, and the rows."""
    status, document = wl.run(verb, path, *arguments)
    if status == wl.NO_DATA:
        return ["exit %d" % status], []
    got = document["rows"]
    out = compare.rows(got, want, keys)
    if len(got) != len(want):
        out.append("%d rows, oracle %d" % (len(got), len(want)))
    return out, got


def in_order(got, want, columns):
    """The order of rows is defined: the oracle's."""
    def plain(rows):
        return [[compare.normal(c, r[c]) for c in columns] for r in rows]
    return [] if plain(got) == plain(want) else ["order: warplens %r, oracle %r" % (plain(got)[:6], plain(want)[:6])]


def adds_up(rows, path, arguments):
    """Sums by cause are idle of the account (time.md), for each device."""
    _, document = wl.run("overlap", path, *arguments)
    sums = {}
    for row in rows:
        sums[row["device"]] = sums.get(row["device"], 0) + row["sum"]
    return ["idle of device %d: %d by cause, %d by overlap" % (r["device"], sums.get(r["device"], 0), r["idle"])
            for r in document["rows"] if sums.get(r["device"], 0) != r["idle"]]


def one_seed(seed, path):
    """Yields (what, differences) for each call."""
    maker = mktrace.make(seed, path, rich=True)
    trace, r = Trace(path), random.Random(seed * 7919 + 3)
    if not trace.ops:
        return
    window, per_device, common = random_window(r, maker, trace)
    selection, chosen = random_selection(r, trace)
    if window and common is None or window and "+" in window[0]:
        selection, chosen = [], {}
    query, some = oracle.Query(trace, window=per_device, **chosen), window + selection
    for by, keys in (("cause", ["device", "cause"]), ("detail", ["device", "cause", "detail", "opened_by", "opened_in"])):
        want = idle.idle(query, by == "detail")
        differences, rows = check("idle", path, ["--by", by, *some], want, keys)
        yield ("idle", "--by", by, *some), differences + adds_up(rows, path, some)
    least = r.choice([0, 1, 10_000, 100_000])
    want = [listed(row) for row in idle.gaps(query, least)]
    differences, rows = check("gaps", path, ["--min=%dns" % least, *some], want, ["device", "start"])
    yield ("gaps", *some), differences + in_order(rows, want, ["duration", "device", "start"])
    yield from launches(trace, query, path, some)
    host_rows = (not window or common is not None) and chosen.keys() <= {"pids"}
    yield ("graphs", *some), graphs(query, path, some, host_rows)


def launches(trace, query, path, some):
    """launch by name and by device; without API calls, or without kernels by name, there is no answer."""
    kernels, graphs = (any(o.kind == kind for o in trace.ops) for kind in ("kernel", "graph"))
    for by in ("name", "device"):
        has_data = trace.calls and (kernels or graphs and by == "device")
        arguments = ["--by", by, *some]
        if not has_data:
            status, _ = wl.run("launch", path, *arguments)
            yield ("launch", *arguments), [] if status == wl.NO_DATA else ["exit %d without data" % status]
        elif by == "name":
            want = sorted(launch.launch(query), key=lambda row: (-row["exposed_launch"], -row["calls"]))
            differences, rows = check("launch", path, arguments, want, ["name"])
            yield ("launch", *arguments), differences + in_order(rows, want, ["exposed_launch", "calls"])
        else:
            want = launch.rates(query)
            for row in want:
                if row["busy_bins"]:
                    row["launches_per_second"] = (2000 * row["launches"] + row["busy_bins"]) // (2 * row["busy_bins"])
            differences, rows = check("launch", path, arguments, want, ["device"])
            yield ("launch", *arguments), differences + in_order(rows, want, ["device"])


def graphs(query, path, some, host_rows):
    """open: how far open ends and nvtx: reach for host rows, and whose of them --gpu and --stream select; then only devices'."""
    want = launch.graphs(query)
    for row in want:
        row["nodes_per_replay"] = None if row["nodes_per_replay"] is None else float(row["nodes_per_replay"])
    _, document = wl.run("graphs", path, *some)
    if document is None:  # status 5: no graph is recorded
        return compare.rows([], want, ["pid", "device", "graph"])
    got, want = ([r for r in rows if host_rows or r["device"] is not None] for rows in (document["rows"], want))
    return compare.rows(got, want, ["pid", "device", "graph"])


def main():
    scratch, tally = tempfile.mkdtemp(prefix="wl-idle-"), wl.Tally()
    for seed in wl.seeds(150):
        path, bad = os.path.join(scratch, "%d.sqlite" % seed), []
        try:
            for what, differences in one_seed(seed, path):
                bad += [" ".join(what)[:200] + "\n         " + str(d)[:600] for d in differences]
        except RuntimeError as error:
            bad.append(str(error))
        tally.check("seed %d, trace %s" % (seed, path), bad)
        if not bad and os.path.exists(path):
            os.remove(path)
    if not tally.failed:
        shutil.rmtree(scratch)
    tally.finish()


if __name__ == "__main__":
    main()
