#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""kernels, transfers, api and osrt against what the real nsys 2023.4.4 printed for the corpus (oracle/*.csv).

Counts, sums, minima and maxima are compared exactly, averages and deviations to nsys's one decimal. Where the two
differ by definition:

 * Median: nsys's Med is the mean of the two middle values, our p50 the nearest rank. Both are recomputed here from
   the rows of the trace and compared with what was printed.
 * API names: nsys groups by the raw string and prints it without a suffix of exactly `_v` and four digits
   (`cudaLaunchKernel_v7000`, but `cudaStreamIsCapturing_v10000` and `cuMemAlloc_v2` stay); we drop `_v[0-9]+`, once, and group by
   what is left. So nsys may print one name twice (pipit-saxpy-mpi-2022.2: two strings, `cudaMemcpy` and `cudaMemcpy_v3020`)
   and we merge them. The raw groups are rebuilt here, held against nsys, then merged, and held against warplens.
 * Devices and memory kinds: nsys's memory reports group by operation only; our rows are added up before comparing.
   `cuda_gpu_kern_gb_sum` has no device column either, `--by grid` has one.
 * Reports nsys did not print although the rows exist: it needs ENUM_CUDA_MEMCPY_OPER for the memory reports, which
   files of 2020 and 2022.2 lack. We must answer from the rows (SILENT below).
 * OS calls: both leave out the rows that only say that tracing started or ended (event classes 31 and 32).
 * Sizes: nsys prints MB = 10^6 bytes with three decimals.

ORACLE_SELF=1 checks the oracle itself instead of warplens.
"""
import csv
import io
import os
import statistics
import subprocess

import host
import oracle
import sweep
import wl
from tracefile import COPY_KINDS, Trace

SILENT = {("cudf-groupby-2020", "cuda_gpu_mem_time_sum"), ("cudf-groupby-2020", "cuda_gpu_mem_size_sum"),
          ("pipit-saxpy-mpi-2022.2", "cuda_gpu_mem_time_sum"), ("pipit-saxpy-mpi-2022.2", "cuda_gpu_mem_size_sum")}
LABELS = {"HtoD": "Host-to-Device", "DtoH": "Device-to-Host", "DtoD": "Device-to-Device", "PtoP": "Peer-to-Peer",
          "managed HtoD": "Unified Host-to-Device", "managed DtoH": "Unified Device-to-Host"}
SELF = os.environ.get("ORACLE_SELF")


def report(name, which):
    """The rows of an oracle CSV, or None where nsys printed nothing."""
    path = os.path.join(wl.CORPUS, name, "oracle", which + ".csv")
    if os.path.exists(path):
        with open(path, "rb") as f:
            data = f.read()
    elif os.path.exists(path + ".zst"):
        data = subprocess.run(["zstd", "-qdc", path + ".zst"], stdout=subprocess.PIPE, check=True).stdout
    else:
        return None
    return list(csv.DictReader(io.StringIO(data.decode("utf-8", "replace"), newline="")))


def answer(verb, trace, *arguments, **keywords):
    """The rows of warplens (or of the oracle), [] for exit 5."""
    if SELF:
        if verb == "api":
            return oracle.api(trace)
        query = oracle.Query(trace)
        if verb == "osrt":
            return host.osrt(query)
        return oracle.transfers(query, sweep.segments) if verb == "transfers" else oracle.kernels(query, **keywords)
    status, document = wl.run(verb, trace.path, *arguments)
    return document["rows"] if status == 0 else []


def triple(text):
    return tuple(int(n) for n in text.replace("x", " ").replace(",", " ").split()) if isinstance(text, str) else tuple(text)


def added(rows, key):
    """Rows of one key added up: {key: (count, sum, min, max)}."""
    out = {}
    for r in rows:
        count = r["calls"] if "calls" in r else r["ops"]
        old = out.get(key(r), (0, 0, r["min"], r["max"]))
        out[key(r)] = (old[0] + count, old[1] + r["sum"], min(old[2], r["min"]), max(old[3], r["max"]))
    return out


def printed(rows, key, count):
    """The same of an nsys report; a key printed twice is an error of this test."""
    out = {key(r): (int(r[count]), int(r["Total Time (ns)"]), int(r["Min (ns)"]), int(r["Max (ns)"])) for r in rows}
    assert len(out) == len(rows), "nsys printed a key twice"
    return out


def differences(ours, nsys):
    return ["%r: warplens %r, nsys %r" % (k, ours.get(k), nsys.get(k)) for k in sorted({*ours, *nsys}, key=repr) if ours.get(k) != nsys.get(k)]


def groups(pairs):
    out = {}
    for key, value in pairs:
        out.setdefault(key, []).append(value)
    return out


def check_medians(tally, what, nsys, key, raw):
    """nsys's Med, Avg and StdDev are what the raw rows give (so both sides speak of the same population)."""
    bad = []
    for r in nsys:
        values = raw.get(key(r), [0])
        deviation = statistics.stdev(values) if len(values) > 1 else 0.0
        for column, value in (("Med (ns)", statistics.median(values)), ("Avg (ns)", statistics.fmean(values)), ("StdDev (ns)", deviation)):
            if abs(float(r[column]) - value) > 0.051 + 1e-9 * abs(value):
                bad.append("%r %s: printed %s, rows give %r" % (key(r), column, r[column], value))
    tally.check(what, bad)


def check_statistics(tally, what, ours, key, raw):
    """Our p50 is the nearest rank, our averages and deviations are nearest integers, share is of the whole."""
    bad, total = [], sum(sum(v) for v in raw.values())
    for r in ours:
        values = raw.get(key(r), [0])
        want = oracle.describe(values, total)
        bad += ["%r %s: warplens %r, rows give %r" % (key(r), c, r[c], want[c]) for c in ("p50", "p90", "avg", "stddev") if r[c] != want[c]]
        if total and abs(r["share"] - want["share"]) > 1e-9:
            bad.append("%r share: warplens %r, rows give %r" % (key(r), r["share"], want["share"]))
    tally.check(what, bad)


def kernels(tally, name, trace):
    nsys = report(name, "cuda_gpu_kern_sum")
    ours = answer("kernels", trace, "--by", "name", by="name")
    raw = groups((trace.kernel_name(o), o.end - o.start) for o in trace.ops if o.kind == "kernel")
    tally.check(name + ": kernels = cuda_gpu_kern_sum", differences(added(ours, lambda r: r["name"]), printed(nsys or [], lambda r: r["Name"], "Instances")))
    tally.check(name + ": nsys prints kernels iff there are any", [] if bool(nsys) == bool(raw) else [len(raw)])
    check_medians(tally, name + ": nsys's kernel medians", nsys or [], lambda r: r["Name"], raw)
    check_statistics(tally, name + ": our kernel statistics", ours, lambda r: r["name"], raw)
    by_grid = report(name, "cuda_gpu_kern_gb_sum")
    if by_grid is not None:
        ours = answer("kernels", trace, "--by", "grid", by="grid")
        tally.check(name + ": kernels --by grid = cuda_gpu_kern_gb_sum", differences(
            added(ours, lambda r: (r["name"], triple(r["grid"]), triple(r["block"]))),
            printed(by_grid, lambda r: (r["Name"], triple(r["GridXYZ"]), triple(r["BlockXYZ"])), "Instances")))


def operation(kind):
    return "[CUDA memset]" if kind == "memset" else "[CUDA memcpy %s]" % LABELS.get(kind, kind)


def megabytes(count):
    """Three decimals: ours in bytes and nsys's text agree if they differ by at most half of the last digit."""
    return count / 1e6


def transfers(tally, name, trace):
    moves = [o for o in trace.ops if o.kind in ("memcpy", "memset")]
    label = lambda o: operation("memset" if o.kind == "memset" else COPY_KINDS.get(o.row["copyKind"], "unknown"))
    times, sizes = groups((label(o), o.end - o.start) for o in moves), groups((label(o), o.row["bytes"]) for o in moves)
    ours = answer("transfers", trace)
    nsys = report(name, "cuda_gpu_mem_time_sum")
    tally.check(name + ": nsys prints transfers iff there are any", [] if bool(nsys) == bool(moves) or (name, "cuda_gpu_mem_time_sum") in SILENT else [len(moves)])
    mine = added(ours, lambda r: operation(r["kind"]))
    tally.check(name + ": transfers = the trace's rows", differences(mine, {k: (len(v), sum(v), min(v), max(v)) for k, v in times.items()}))
    if nsys is not None:
        tally.check(name + ": transfers = cuda_gpu_mem_time_sum", differences(mine, printed(nsys, lambda r: r["Operation"], "Count")))
        check_medians(tally, name + ": nsys's transfer medians", nsys, lambda r: r["Operation"], times)
    check_sizes(tally, name, ours, sizes)


def check_sizes(tally, name, ours, sizes):
    nsys, bad = report(name, "cuda_gpu_mem_size_sum"), []
    mine = {}
    for r in ours:
        mine.setdefault(operation(r["kind"]), []).append(r)
    for r in nsys or []:
        rows = mine.get(r["Operation"], [])
        if not rows:
            bad.append("%s is missing" % r["Operation"])
            continue
        values = {"Total (MB)": sum(x["bytes"] for x in rows), "Min (MB)": min(x["min_size"] for x in rows), "Max (MB)": max(x["max_size"] for x in rows),
                  "Med (MB)": statistics.median(sizes[r["Operation"]]), "Avg (MB)": statistics.fmean(sizes[r["Operation"]])}
        bad += ["%s %s: ours %r, nsys %s" % (r["Operation"], c, v, r[c]) for c, v in values.items() if abs(megabytes(v) - float(r[c])) > 0.000501]
        if sum(x["ops"] for x in rows) != int(r["Count"]):
            bad.append("%s: count" % r["Operation"])
    tally.check(name + ": transfers = cuda_gpu_mem_size_sum", bad)


def nsys_api_name(raw):
    return raw[:-6] if raw[-6:-4] == "_v" else raw


def api(tally, name, trace):
    nsys = report(name, "cuda_api_sum")
    raw = groups((c.full_name, c.end - c.start) for c in trace.calls)
    ours = answer("api", trace)
    tally.check(name + ": nsys prints API calls iff there are any", [] if bool(nsys) == bool(raw) else [len(raw)])
    figures = lambda v: (len(v), sum(v), min(v), max(v))
    from_rows = sorted((nsys_api_name(k), *figures(v)) for k, v in raw.items())
    from_nsys = sorted((r["Name"], int(r["Num Calls"]), int(r["Total Time (ns)"]), int(r["Min (ns)"]), int(r["Max (ns)"])) for r in nsys or [])
    tally.equal(name + ": cuda_api_sum = the raw API rows", from_nsys, from_rows)
    merged = groups((c.name, c.end - c.start) for c in trace.calls)
    tally.check(name + ": api = cuda_api_sum, merged by our names", differences(added(ours, lambda r: r["name"]), {k: figures(v) for k, v in merged.items()}))
    check_statistics(tally, name + ": our API statistics", ours, lambda r: r["name"], merged)


def osrt(tally, name, trace):
    nsys, ours = report(name, "osrt_sum"), answer("osrt", trace)
    raw = groups((c.name, c.end - c.start) for c in trace.osrt)
    tally.check(name + ": nsys prints OS calls iff there are any", [] if bool(nsys) == bool(raw) else [len(raw)])
    tally.check(name + ": osrt = osrt_sum", differences(added(ours, lambda r: r["name"]), printed(nsys or [], lambda r: r["Name"], "Num Calls")))
    check_medians(tally, name + ": nsys's medians of OS calls", nsys or [], lambda r: r["Name"], raw)
    check_statistics(tally, name + ": our statistics of OS calls", ours, lambda r: r["name"], raw)


def whole(tally, name, path):
    """Reports that are printed as nsys prints them, byte by byte."""
    for kind in ("cuda_gpu_sum", "cuda_api_gpu_sum", "nvtx_startend_sum"):
        nsys = os.path.join(wl.CORPUS, name, "oracle", kind + ".csv")
        if not os.path.exists(nsys):
            continue
        with open(nsys) as f:
            want = f.read().strip("\n")
        got = subprocess.run([wl.WARPLENS, "stats", "-r", kind, "-f", "csv", "-q", path], stdout=subprocess.PIPE, universal_newlines=True)
        tally.equal(name + ": " + kind + " as nsys prints it", got.stdout.strip("\n"), want)


def main():
    wl.skip_without_corpus()
    tally = wl.Tally()
    for name, path in wl.corpus_traces(main_only=True):
        trace = Trace(path)
        kernels(tally, name, trace)
        transfers(tally, name, trace)
        api(tally, name, trace)
        osrt(tally, name, trace)
        if not SELF:
            whole(tally, name, path)
    tally.finish()


if __name__ == "__main__":
    main()
