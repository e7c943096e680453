#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""nvtx, tree, nvtx-kernels and phases on random rich traces (mktrace.py) against the oracle (ranges.py).

ORACLE_SEEDS: how many (default 150); ORACLE_BASE: the first seed (default 1). A failing trace is kept.
"""
import json
import os
import random
import shutil
import tempfile

import compare
import mktrace
import oracle
import ranges
import wl
from test_random import random_selection, random_window
from tracefile import Trace

PHASE_MAPS = [{"forward": ["forward", "fwd"], "rest": ["re:."]}, {"communication": ["NCCL", "re:^Send"], "steps": ["STEP", "iter"]},
              {"odd": ["re:[13579]$"], "empty": [], "layers": ["re:(?i)layer\\s*\\d", "stage"]}, {"nothing": ["there is no such range"]},
              {"comm": ["NCCL:"], "rest": ["re:."]}, {"reduce": ["NCCL:re:Reduce", "x:y"], "comm": {"domain": "NCCL"}},
              {"send": {"domain": "NCCL", "patterns": ["send", "gather"]}, "forward": ["NCCL:forward", "layer"]}]


def differences_of_order(rows, total):
    """Rows, or siblings, come by falling total; ties by name, then by style. Kernels follow ranges, by falling GPU time."""
    keys = [(r["style"] == "kernel", -r["gpu_sum" if r["style"] == "kernel" else total], r["name"].encode(), r["style"]) for r in rows]
    return [] if keys == sorted(keys) else ["wrong order: %r" % keys]


def figures(r, trace):
    """Arguments that the oracle knows too: (command line, keyword arguments, whether the bridged columns are there)."""
    line, options = [], {"exact": r.random() < 0.4}
    line += ["--exact-names"] if options["exact"] else []
    if r.random() < 0.3:
        domains = sorted({x.domain or "" for x in trace.ranges} | {"no such domain"})
        options["domain"] = r.choice(domains)
        line.append("--domain=%s" % (options["domain"] or r.choice(["", "default"])))
    bridge = r.random() < 0.8
    return line + ([] if bridge else ["--no-bridge"]), options, bridge


def without_bridge(rows):
    """What is left of rows of the oracle when nothing is bridged."""
    kept = [r for r in rows if r["count"] or r["gpu_ops"]]
    return [{k: v for k, v in r.items() if not k.startswith("bridged")} for r in kept]


def coverage_differs(document, query, domain, bridge):
    if domain is not None:
        return []                                           # the oracle's is of all domains
    want = {"kernels_in_ranges": ranges.coverage(query)["direct"]}
    if bridge:
        want["kernels_in_ranges_bridged"] = ranges.coverage(query)["bridged"]
    got = {k: (v["have"], v["of"]) for k, v in document["coverage"].items()}
    return [] if got == want else ["coverage %r, oracle %r" % (got, want)]


def check_nvtx(r, path, query, arguments):
    line, options, bridge = figures(r, query.trace)
    _, document = wl.run("nvtx", path, *line, *arguments)
    want = ranges.nvtx(query, **options)
    bad = compare.rows(document["rows"], want if bridge else without_bridge(want), ["name", "style"])
    bad += differences_of_order(document["rows"], "host_sum") + coverage_differs(document, query, options.get("domain"), bridge)
    kernels = ranges.coverage(query)["bridged" if bridge else "direct"]
    said = "GPU columns cover %.1f%% of the kernel time: the rest was launched outside push/pop ranges"
    told = [n for n in document["notes"] if "of the kernel time: " in n]
    if "domain" not in options and told != ([said % (100.0 * kernels[0] / kernels[1])] if kernels[0] < 0.7 * kernels[1] else []):
        bad.append("warning: %r with coverage %r" % (document["notes"], kernels))
    return ["nvtx", *line], bad


def with_paths(rows):
    """Rows of a tree with the path of plain names that leads to each; rows come after their parents."""
    paths, children = {None: ()}, {}
    for row in rows:
        row["path"] = paths[row["id"]] = paths[row["parent"]] + (compare.plain(row["name"]),)
        children.setdefault(row["parent"], []).append(row)
    return rows, children


def kept(rows, depth, minimum):
    """The oracle's rows with their limits, and what stands above them."""
    kernels, rows = [r for r in rows if r["style"] == "kernel"], [r for r in rows if r["style"] != "kernel"]
    paths = {r["path"] for r in rows if r["host_sum"] >= minimum and (not depth or len(r["path"]) <= depth)}
    above = {p[:n] for p in paths for n in range(1, len(p))}
    rows = [r for r in rows if r["host_sum"] >= minimum and r["path"] in paths or r["path"] in above and r["style"] == "push/pop"]
    pushed = {r["path"] for r in rows if r["style"] == "push/pop"}
    return rows + [r for r in kernels if r["path"][:-1] in pushed and r["gpu_sum"] >= minimum and (not depth or len(r["path"]) <= depth)]


def check_tree(r, path, query, arguments):
    line, options, bridge = figures(r, query.trace)
    want = ranges.tree(query, **options)
    want = want if bridge else without_bridge(want)
    present = {(row["path"], row["style"]) for row in want}
    depth = r.choice([0, 0, 1, 2, 3])
    minimum = r.choice([0, 0] + [(row["host_sum"] or 0) + r.choice([0, 1]) for row in want])
    if r.random() < 0.3:
        line, want = line + ["--no-kernels"], [row for row in want if row["style"] != "kernel"]
    line += ["--depth=%d" % depth] * (depth > 0) + ["--min=%dns" % minimum] * (minimum > 0)
    _, document = wl.run("tree", path, *line, *arguments)
    rows, children = with_paths(document["rows"])
    want = [{**row, "path": tuple(map(compare.plain, row["path"]))} for row in kept(want, depth, minimum)]
    # A range that touches the window's edge may be outside and yet contain one of no length that is inside: a row of zeroes.
    empty = [row for row in rows if not row["count"] and not row["gpu_ops"] and not row.get("bridged")]
    for row in empty:
        assert row["host_sum"] == row["self"] == 0
        rows.remove(row)
    columns = [c for c in (want[0] if want else []) if c not in ("name", "parent", "depth")]
    bad = compare.rows(rows, [{c: row[c] for c in columns} for row in want], ["path", "style"])
    bad += [d for siblings in children.values() for d in differences_of_order(siblings, "host_sum")]
    if present and not empty:
        bad += coverage_differs(document, query, options.get("domain"), bridge)
    return ["tree", *line], bad


def check_kernels(r, path, query, arguments):
    line, exact = r.choice([([], False), (["--exact-names"], True)])
    status, document = wl.run("nvtx-kernels", path, *line, *arguments)
    if not query.trace.calls or not any(o.kind == "kernel" for o in query.trace.ops):
        return ["nvtx-kernels"], [] if status == wl.NO_DATA else ["the trace has no kernels or no calls"]
    want = [{**row, "path": " > ".join(row["path"])} for row in ranges.nvtx_kernels(query, exact)]
    bad = compare.rows(document["rows"], want, ["path", "kernel"]) + coverage_differs(document, query, None, False)
    keys = [(-row["sum"], row["path"].encode(), row["kernel"].encode()) for row in document["rows"]]
    return ["nvtx-kernels", *line], bad + ([] if keys == sorted(keys) else ["wrong order: %r" % keys])


def check_phases(r, path, query, arguments):
    phase_map, line = r.choice(PHASE_MAPS), r.choice([[], [], ["--no-bridge"]])
    with open(path + ".json", "w", encoding="utf-8") as f:
        json.dump(phase_map, f)
    _, document = wl.run("phases", path, r.choice(["--phase-map=", "--phases-json="]) + path + ".json", *line, *arguments)
    os.remove(path + ".json")
    want = ranges.phases(query, phase_map, not line)
    got = [row["phase"] for row in document["rows"]]
    bad = compare.rows(document["rows"], want, ["phase"]) + ([] if got == [*phase_map, "(none)"] else ["order: %r" % got])
    return ["phases", json.dumps(phase_map), *line], bad


def each_has_its_own(trace):
    """True when every process with ranges has devices, and shares none of them."""
    devices = {p: set(trace.devices_of(p)) for p in {x.process for x in trace.ranges} | {o.process for o in trace.ops}}
    return all(devices.values()) and sum(map(len, devices.values())) == len(set().union(*devices.values()))


def one_seed(seed, path):
    """Yields (what, differences) for each call."""
    maker = mktrace.make(seed, path, rich=True)
    trace, r = Trace(path), random.Random(seed * 6271 + 5)
    window, per_device, common = random_window(r, maker, trace) if trace.ops else ([], None, None)
    selection, chosen = random_selection(r, trace)
    if window and common is None and ("nvtx:" not in window[0] or not each_has_its_own(trace)):
        window, per_device = [], None       # open: what an open end, or the hull of several processes, means to host rows
    if window and common is None or window and "+" in window[0]:
        selection, chosen = [], {}          # as in test_random.py
    query = oracle.Query(trace, window=per_device, **chosen)
    if not trace.ranges:
        for verb in ("nvtx", "tree", "nvtx-kernels"):
            yield [verb], [] if wl.run(verb, path)[0] == wl.NO_DATA else ["the trace has no ranges"]
        return
    for check in (check_nvtx, check_tree, check_kernels, check_phases):
        what, bad = check(r, path, query, window + selection)
        yield what + window + selection, bad


def main():
    scratch, tally = tempfile.mkdtemp(prefix="wl-nvtx-"), wl.Tally()
    for seed in wl.seeds(150):
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
