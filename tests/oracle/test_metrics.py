#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""metrics of warplens against the oracle (metrics.py), on random traces with samples of counters.

Identity: value times time of all steps and of what is outside of them adds up to that of the window, and so do two halves.
ORACLE_SEEDS: how many (default 60); ORACLE_BASE: the first seed (default 1). A failing trace is kept. METRICS_CORPUS: real
traces, too.
"""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

import compare
import iters
import metrics
import mkmetrics
import mktrace
import oracle
import wl
from test_random import random_selection, random_window
from tracefile import Trace

KEYS = {"metric": [], "step": ["iter", "pid"], "category": ["category"], "range": ["range"]}
REALS = ("mean", "p50", "p90", "max", "min", "rate")


def rows_of(path, *arguments):
    status, document = wl.run("metrics", path, *arguments)
    rows = [] if status == wl.NO_DATA else document["rows"]
    for row in rows:
        row.update((c, float(row[c])) for c in REALS if row[c] is not None)
    return rows


def areas(rows):
    """{series: sum of mean times covered}"""
    out = {}
    for row in rows:
        key = row["device"], row["nic"], row["metric"], row["unit"], row["gpu_id"]
        out[key] = out.get(key, 0) + (row["mean"] or 0) * row["covered"]
    return {k: v for k, v in out.items() if v}


def adds_up(what, parts, whole):
    parts, whole = areas(parts), areas(whole)
    wrong = [k for k in {**parts, **whole} if abs(parts.get(k, 0) - whole.get(k, 0)) > 1e-9 * abs(whole.get(k, 0)) + 1e-6]
    return ["%s: %r: %r is not %r" % (what, k, parts.get(k), whole.get(k)) for k in wrong[:3]]


def halves(path, query):
    begin, end = query.span
    middle = (begin + end) // 2
    if not begin < middle < end:
        return []
    both = [row for a, b in ((begin, middle), (middle, end)) for row in rows_of(path, "--window=%dns..%dns" % (a, b))]
    return adds_up("halves", both, rows_of(path, "--window=%dns..%dns" % (begin, end)))


def views(path, trace, query, arguments):
    """Yields (what, differences)."""
    whole = rows_of(path, *arguments)
    for by in KEYS:
        if by == "step" and (iters.is_open(trace) or not iters.find_all(trace)):
            continue
        given = ["--by", by] + arguments
        got, want = rows_of(path, *given), metrics.metrics(query, by)
        yield given, compare.rows(got, want, ["device", "gpu_id", "nic", "metric", "unit"] + KEYS[by])
        if by == "step" and not any(len({op.process for op in trace.ops if op.device == d}) > 1 for d in query.devices):
            known = [row for row in whole if row["device"] is not None]
            yield given, adds_up("steps", [row for row in got if row["nic"] is None], known)


def one_seed(seed, path):
    maker = mktrace.make(seed, path, rich=True)
    mkmetrics.add(seed, path)
    trace, r = Trace(path), random.Random(seed * 7919 + 11)
    window, per_device, common = random_window(r, maker, trace) if trace.ops else ([], None, None)
    selection, chosen = random_selection(r, trace) if trace.ops else ([], {})
    if window and common is None or window and "+" in window[0]:
        selection, chosen = [], {}
    query = oracle.Query(trace, window=per_device, **chosen)
    yield from views(path, trace, query, window + selection)
    if trace.ops and not chosen and not window:
        yield ["halves"], halves(path, query)


def adapters(path, planted):
    """As below, of the adapters: in the window of each rank, and while collectives of any GPU run."""
    bad = []
    for rank, truth in planted["nic_metrics_ns"].items():
        own = planted["by_rank"][rank]
        rows = rows_of(path, "--gpu", rank, "--window=%dns..%dns" % (own["first_ns"], own["last_ns"]), "--where", 'nic = "mlx5_%s:1"' % rank)
        got = {row["metric"]: (row["mean"] * row["covered"], row["rate"]) for row in rows}
        for name, want in truth.items():
            area, rate = got.get(name, (-1, None))
            per_second = None if "waits" in name else want / (own["last_ns"] - own["first_ns"]) * 1000
            if abs(area - want) > 1e-9 * want or (rate is None) != (per_second is None) or abs((rate or 0) - (per_second or 0)) > 1e-9 * (per_second or 0):
                bad.append("rank %s, %s: %r is not %r, %r" % (rank, name, got.get(name), want, per_second))
    most = [r["max"] for r in rows_of(path, "--by", "category", "--gpu", "0", "--where", 'category = communication and metric ~ sent and nic = "mlx5_0:1"')]
    return bad + ([] if most == [20000000] else ["bytes sent while communication runs: %r" % most])


def generated(directory):
    """What the generator planted: value times time of each counter, rank by rank."""
    path = os.path.join(directory, "generated.sqlite")
    subprocess.run([sys.executable, os.path.join(wl.ROOT, "tests", "support", "gen_trace.py"), "-o", path, "--ranks", "2", "--layers", "2", "--iters", "5",
                    "--schema", "2026.4", "--gpu-metrics", "50us:31", "--nic-metrics", "50us:20000000"], check=True, stdout=subprocess.DEVNULL)
    with open(path + ".truth.json", encoding="utf-8") as f:
        planted = json.load(f)["files"][0]
    bad = []
    for rank, truth in planted["gpu_metrics_ns"].items():
        own = planted["by_rank"][rank]
        rows = rows_of(path, "--gpu", rank, "--window=%dns..%dns" % (own["first_ns"], own["last_ns"]))
        got = {row["metric"]: row["mean"] * row["covered"] * (1e6 if row["unit"] == "MHz" else 1) for row in rows}
        for name, want in truth.items():
            have = got.get(name.split(" [")[0], -1)
            if abs(have - want) > 1e-9 * want:
                bad.append("rank %s, %s: %r is not %r" % (rank, name, have, want))
    bad += adapters(path, planted)
    sms = [r["max"] for r in rows_of(path, "--by", "category", "--where", "category = gemm and metric ~ sms") if r["unit"] == "%"]
    return bad + ([] if sms and max(sms) == 31 else ["SMs active while gemm runs: %r" % sms])


def main():
    scratch, tally = tempfile.mkdtemp(prefix="wl-metrics-"), wl.Tally()
    for seed in wl.seeds(60):
        path, bad = os.path.join(scratch, "%d.sqlite" % seed), []
        try:
            for what, differences in one_seed(seed, path):
                bad += [" ".join(what)[:200] + "\n         " + str(d)[:600] for d in differences]
        except RuntimeError as error:
            bad.append(str(error))
        tally.check("seed %d, trace %s" % (seed, path), bad)
        if not bad:
            os.remove(path)
    tally.check("generated", generated(scratch))
    if os.environ.get("METRICS_CORPUS"):
        wl.skip_without_corpus()
        for name, path in wl.corpus_traces(main_only=True):
            trace = Trace(path)
            if metrics.series_of(trace):
                wrong = [d for what, found in views(path, trace, oracle.Query(trace), []) for d in found]
                tally.check(name, [str(d)[:600] for d in wrong])
    if not tally.failed:
        shutil.rmtree(scratch)
    tally.finish()


if __name__ == "__main__":
    main()
