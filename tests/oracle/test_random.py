#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random traces (mktrace.py): warplens against the brute-force oracle, with random windows and selections.

ORACLE_SEEDS: how many (default 500); ORACLE_BASE: the first seed (default 1). A failing trace is kept.
"""
import os
import random
import shutil
import sys
import tempfile

import compare
import mktrace
import oracle
import wl
from tracefile import Trace

KEYS = {"overlap": ["device"], "transfers": ["kind", "src", "dst", "device"], "api": ["name"], "search": ["kind", "name"]}


def units(r, ns):
    """A time with a unit that keeps it exact."""
    choices = [(1, "ns")] + [(f, u) for f, u in ((1000, "us"), (10 ** 6, "ms"), (10 ** 9, "s")) if ns % f == 0]
    factor, unit = r.choice(choices)
    return "%d%s" % (ns // factor, unit)


def random_window(r, maker, trace):
    """(arguments, device -> interval or None, the interval where it is one for all)."""
    first, last = min(o.start for o in trace.ops), max(o.end for o in trace.ops)
    kind = r.choice(["all", "all", "closed", "closed", "left", "right", "plus", "nvtx"])
    margin = max(2, (last - first) // 10)
    a, b = sorted(r.sample(range(first - margin, last + margin + 1), 2)) if last - first < 1 << 40 else (first, last)
    if r.random() < 0.5:                                    # edges that coincide with rows
        edges = sorted({t for o in trace.ops for t in (o.start, o.end)})
        if len(edges) > 1:
            a, b = sorted(r.sample(edges, 2))
    if a > last or b < first:                               # refused: nothing was recorded there
        a, b = first, last
    if kind == "closed":
        return ["--window=%s..%s" % (units(r, a), units(r, b))], lambda d: (a, b), (a, b)
    if kind == "plus" and first <= a < b:
        return ["--window=+%s..%s" % (units(r, a - first), units(r, b - first))], lambda d: (a, b), (a, b)
    if kind == "left" and first < b:
        return ["--window=..%s" % units(r, b)], lambda d: (first, b), None
    if kind == "right" and a < last:
        return ["--window=%s.." % units(r, a)], lambda d: (a, last), None
    if kind == "nvtx" and maker.window_instances:
        k = r.randrange(maker.window_instances)
        hulls = nvtx_windows(trace, mktrace.WINDOW_RANGE, k)
        return ["--window=nvtx:%s#%d" % (mktrace.WINDOW_RANGE, k)], hulls.get, None
    return [], None, None


def nvtx_windows(trace, name, k):
    """Per device the hull of its processes' projections of instance k."""
    spans = {}
    for process in {o.process for o in trace.ops}:
        instances = sorted((r for r in trace.ranges if r.name == name and r.thread >> 24 == process), key=lambda r: r.start)
        it = instances[k]
        mine = [o for o in trace.ops if o.launch and o.launch.thread == it.thread and it.start <= o.launch.start and o.launch.end <= it.end]
        for device in {o.device for o in trace.ops if o.process == process}:
            span = spans.get(device, (min(o.start for o in mine), 0 - (1 << 62)))
            spans[device] = (min([span[0]] + [o.start for o in mine]), max([span[1]] + [o.end for o in mine]))
    return spans


def random_selection(r, trace):
    """(arguments, keyword arguments of Query)."""
    kind = r.choice(["none", "none", "none", "gpu", "pid", "stream"])
    values = {"gpu": {o.device for o in trace.ops}, "pid": {o.pid for o in trace.ops}, "stream": {o.stream for o in trace.ops}}.get(kind)
    if not values:
        return [], {}
    chosen = set(r.sample(sorted(values), r.randint(1, len(values))))
    return ["--%s=%s" % (kind, ",".join(map(str, sorted(chosen))))], {kind + "s": chosen}


def expect(verb, trace, query, r):
    """(arguments, rows, whether the whole trace has data for the verb, key columns)."""
    if verb == "overlap":
        return [], oracle.overlap(query) if trace.ops else [], bool(trace.ops), KEYS[verb]
    if verb == "transfers":
        return [], oracle.transfers(query), any(o.kind in ("memcpy", "memset") for o in trace.ops), KEYS[verb]
    name, by = r.choice(["demangled", "demangled", "short"]), r.choice(["device", "device", "name", "pid", "stream", "grid"])
    keys = ["name"] + {"device": ["device"], "name": []}.get(by, ["device", by] + (["block"] if by == "grid" else []))
    arguments = ([] if by == "device" else ["--by", by]) + ([] if name == "demangled" else ["--name", name])
    return arguments, oracle.kernels(query, name, by), any(o.kind == "kernel" for o in trace.ops), keys


def check(verb, path, arguments, want, has_data, keys):
    """Differences of one call."""
    status, document = wl.run(*verb, path, *arguments)
    if (status == wl.NO_DATA) == has_data:
        return ["exit %d, but the trace has %s data" % (status, "the" if has_data else "no")]
    if not has_data:
        return []
    out = compare.rows(document["rows"], want, keys)
    if document["rows_total"] != len(want):
        out.append("rows_total %r, oracle %d" % (document["rows_total"], len(want)))
    for row in document["rows"] if verb == ["overlap"] else []:
        parts = [row[c] or 0 for c in ("compute", "exposed_comm", "exposed_copy", "idle")]
        if sum(parts) != row["window"]:
            out.append("identity broken: %r" % row)
    return out


def one_seed(seed, path):
    """Yields (what, differences) for each call."""
    maker = mktrace.make(seed, path)
    trace, r = Trace(path), random.Random(seed * 7919 + 1)
    window, per_device, common = random_window(r, maker, trace) if trace.ops else ([], None, None)
    selection, chosen = random_selection(r, trace)
    if window and common is None or window and "+" in window[0]:
        selection, chosen = [], {}          # open: whether open ends, + and nvtx: look at the selected rows or at all
    query = oracle.Query(trace, window=per_device, **chosen)
    for verb in ["overlap", r.choice(["kernels", "transfers"])]:
        arguments, want, has_data, keys = expect(verb, trace, query, r)
        arguments += window + selection
        yield (verb, *arguments), check([verb], path, arguments, want, has_data, keys)
    if r.random() < 0.5:
        pids = {"pids": chosen["pids"]} if "pids" in chosen else {}
        arguments = (window if common else []) + (selection if pids else [])
        want = oracle.api(trace, window=common, **pids)
        yield ("api", *arguments), check(["api"], path, arguments, want, bool(trace.calls), KEYS["api"])
    else:
        pattern = r.choice(["nccl", "^cu", "[Kk]ernel", "a.*a", "\\bdispatch\\b", "(?i)NCCL", "window"])
        has_names = bool(trace.calls or trace.nvtx_rows or any(o.kind == "kernel" for o in trace.ops))
        want = oracle.search(trace, pattern)
        yield ("search", pattern), check(["search", pattern], path, [], want, has_names, KEYS["search"])


def main():
    scratch, tally = tempfile.mkdtemp(prefix="wl-random-"), wl.Tally()
    for seed in wl.seeds(500):
        path, bad = os.path.join(scratch, "%d.sqlite" % seed), []
        try:
            for what, differences in one_seed(seed, path):
                bad += [" ".join(what)[:200] + "\n         " + str(d)[:600] for d in differences]
        except RuntimeError as error:
            bad.append(str(error))
        tally.check("seed %d, trace %s" % (seed, path), bad)
        if not bad:
            os.remove(path)
    if not tally.failed:
        shutil.rmtree(scratch)
    tally.finish()


if __name__ == "__main__":
    main()
