#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""findings: what they say of real traces, against what a reader of the files found without the program.

A trace is skipped where the corpus lacks it.
"""
import bisect
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

import wl


class Answers:
    """The findings of a trace, and its rows."""
    def __init__(self, path):
        self.path, self.rows = path, wl.run("findings", path, "--all")[1]["rows"]
        self.db = sqlite3.connect("file:%s?mode=ro" % path, uri=True)

    def of(self, code):
        return next(r for r in self.rows if r["code"] == code)

    def said(self, code, pattern):
        """What the pattern's group is in the sentence of a finding; None where it has no such words."""
        m = re.search(pattern, self.of(code)["finding"])
        return m and m.group(1).replace(",", "")

    def one(self, query):
        return self.db.execute(query).fetchone()[0]

    def steps(self):
        """Begin of the first and of the last step that count, and how many lie between."""
        begins = [r["start"] for r in wl.run("iters", self.path)[1]["rows"]]
        return begins[1], begins[-1], len(begins) - 2


def calls_per_step(name):
    """Calls of a name that begin in the steps that count, over these."""
    def check(a):
        begin, end, n = a.steps()
        calls = a.one("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN StringIds s ON s.id = r.nameId "
                      "WHERE s.value LIKE '%s%%' AND r.start >= %d AND r.start < %d" % (name, begin, end))
        per_step = round(calls / n)
        yield "calls of a wait per step", a.said("host-sync-idle", r"([0-9,]+) times per step"), str(per_step) if per_step > 1 else None
    return check


def merged(rows):
    """Intervals in order, of rows in order of their start."""
    out = []
    for start, end in rows:
        if out and start <= out[-1][1]:
            out[-1][1] = max(out[-1][1], end)
        else:
            out.append([start, end])
    return out


def covered(work, ends, start, end):
    """How much of [start, end) the intervals have; ends: theirs."""
    total = 0
    for i in range(bisect.bisect_right(ends, start), len(work)):
        if work[i][0] >= end:
            break
        total += min(work[i][1], end) - max(work[i][0], start)
    return total


def longest_wait(a):
    """Of two calls that come after every few kernels the one in which the host waits longer while kernels or copies run."""
    work = merged(a.db.execute("SELECT start, end FROM CUPTI_ACTIVITY_KIND_KERNEL UNION ALL SELECT start, end FROM CUPTI_ACTIVITY_KIND_MEMCPY ORDER BY start"))
    ends, busy = [end for _, end in work], {}
    for name, start, end in a.db.execute("SELECT s.value, r.start, r.end FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN StringIds s ON s.id = r.nameId "
                                         "WHERE s.value LIKE 'cudaMemcpyFromSymbol%' OR s.value LIKE 'cudaDeviceSynchronize%'"):
        name = name.split("_v")[0]
        busy[name] = busy.get(name, 0) + covered(work, ends, start, end)
    yield "the call that waits", a.said("launch-bound", r"; (\w+) waits for the GPU after every"), max(busy, key=busy.get)


def copy_between_runs(a):
    """Between the last kernel of one run and the first of the next a result of 1 GiB is copied."""
    ns = a.one("SELECT end - start FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE bytes = 1 << 30 AND copyKind = 2 AND deviceId = 0")
    yield "the copy in the pause", a.said("start-up", r"a DtoH copy of 1\.074 GB takes (\S+) ms"), "%.2f" % (ns / 1e6)


def all_to_all(a):
    """Nearly all SendRecv kernels are launched by a thread that is in a range of an all-to-all."""
    ranges = {}
    for thread, start, end in a.db.execute("SELECT n.globalTid, n.start, n.end FROM NVTX_EVENTS n LEFT JOIN StringIds s ON s.id = n.textId "
                                           "WHERE coalesce(n.text, s.value) LIKE '%c10d::alltoall%'"):
        ranges.setdefault(thread, []).append((start, end))
    calls = a.db.execute(
        "SELECT r.globalTid, r.start FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.shortName "
        "JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = k.correlationId AND r.globalTid >> 24 = k.globalPid >> 24 WHERE s.value LIKE '%SendRecv%'")
    inside = [any(start <= at < end for start, end in ranges.get(thread, ())) for thread, at in calls]
    yield "SendRecv is an all-to-all", bool(a.said("stream-serialisation", "^(All-to-all) runs")), 2 * sum(inside) > len(inside) > 0


def reads_in_steps(a):
    """Copies of at most 64 bytes from GPU 0 that start in the steps that count."""
    begin, end, _ = a.steps()
    n = a.one("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE copyKind = 2 AND bytes <= 64 AND deviceId = 0 AND start >= %d AND start < %d" % (begin, end))
    yield "reads in the steps", a.said("tiny-reads", r" ([0-9,]+) times, and .*reads counted in steps"), str(n)


def first_has_none_before_it(a):
    yield "the first is besides none", "besides the findings before it" in a.rows[0]["fixing"], False


def no_lazy_loading(a):
    """The driver is of CUDA 10.1."""
    version = int(a.one("SELECT value FROM TARGET_INFO_SYSTEM_ENV WHERE name = 'CudaDriverVersion'"))
    lazy = [r["code"] for r in a.rows if "lazy" in r["finding"] or "CUDA_MODULE_LOADING" in (r["advice"] or "")]
    yield "lazy loading", (version < 11070, lazy), (True, [])


def lists_the_scenario(a):
    """A finding that saves 1% of the run by host-starved has its line in whatif."""
    listed = [r["scenario"] for r in wl.run("whatif", a.path)[1]["rows"]]
    row = a.of("host-starved")
    yield "host-starved is listed", (row["saves_share"] > 0.01, row["scenario"] in listed), (True, True)


def reads_make_launches_late(a):
    """Most idle time is before the read, and before the first operation that is launched after it: the read is the cause, and comes first."""
    launches = {c: (start, end) for c, start, end in a.db.execute("SELECT correlationId, start, end FROM CUPTI_ACTIVITY_KIND_RUNTIME")}
    calls = sorted((start, end, "Memcpy" in name) for start, end, name in a.db.execute(
        "SELECT r.start, r.end, s.value FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN StringIds s ON s.id = r.nameId WHERE s.value LIKE '%Memcpy%' OR s.value LIKE '%Launch%'"))
    starts, at_reads, between, done = [c[0] for c in calls], 0, 0, None
    for start, end, correlation, is_copy in a.db.execute(
            "SELECT start, end, correlationId, 0 FROM CUPTI_ACTIVITY_KIND_KERNEL UNION ALL "
            "SELECT start, end, correlationId, 1 FROM CUPTI_ACTIVITY_KIND_MEMCPY ORDER BY 1"):
        if done is not None and start > done and correlation in launches:
            before = bisect.bisect_left(starts, launches[correlation][0]) - 1
            if is_copy or before >= 0 and calls[before][2]:
                at_reads += start - done
            else:
                between += start - done
        done = max(end, done or 0)
    yield "the first of reads and launches", a.rows[0]["code"], "tiny-reads" if at_reads > between else "launch-bound"
    yield "reads and launches", {"tiny-reads", "launch-bound"} <= {r["code"] for r in a.rows[:2]}, True


def output_at_the_end(a):
    """What the thread writes that writes most, from the first to the last migration to the host behind the last kernel; it is the most of all."""
    begin, end = a.db.execute("SELECT min(start), max(end) FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE copyKind = 12 AND start >= "
                              "(SELECT max(end) FROM CUPTI_ACTIVITY_KIND_KERNEL)").fetchone()
    written = a.one("SELECT max(ns) FROM (SELECT sum(min(o.end, {1}) - max(o.start, {0})) AS ns FROM OSRT_API o JOIN StringIds s ON s.id = o.nameId "
                    "WHERE s.value LIKE 'pwrite%' AND o.start < {1} AND o.end > {0} GROUP BY o.globalTid)".format(begin, end))
    first = a.rows[0]
    yield "output behind the last kernel", (first["subject"], first["saves"], first["saves_kind"]), ("after the last kernel", written, "at most")
    yield "more than anything else", all(r["saves"] is None or r["saves"] <= written for r in a.rows), True


def exchange_of_steps(a):
    """From the launch of each kernel to the next one: MPI calls, and what computes, which hides no more of them."""
    begins = [start for start, in a.db.execute("SELECT r.start FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN CUPTI_ACTIVITY_KIND_RUNTIME r "
                                               "ON r.correlationId = k.correlationId ORDER BY 1")]
    mpi, compute = [0] * len(begins), [0] * len(begins)
    for table, sums in (("MPI_OTHER_EVENTS", mpi), ("CUPTI_ACTIVITY_KIND_KERNEL", compute), ("CUPTI_ACTIVITY_KIND_MEMSET", compute)):
        for start, end in a.db.execute("SELECT start, end FROM %s WHERE start >= %d AND start < %d" % (table, begins[0], begins[-1])):
            sums[bisect.bisect_right(begins, start) - 1] += end - start
    hidden, row = sum(map(min, mpi, compute)), a.of("host-starved")
    yield "the exchange comes first", (a.rows[0]["code"], row["scenario"]), ("host-starved", "overlap-mpi")
    yield "what kernels hide of it", abs(row["saves"] - hidden) < 0.01 * hidden and row["saves"] < 0.6 * sum(mpi), True


def queued_in_steps(a):
    """Idle time before operations whose launch was over when it began, and how long the host launches, in the steps that count."""
    begin, end, n = a.steps()
    calls = {c: (s, e) for c, s, e in a.db.execute("SELECT correlationId, start, end FROM CUPTI_ACTIVITY_KIND_RUNTIME")}
    queued, launching, done = 0, set(), None
    for start, stop, correlation in a.db.execute("SELECT start, end, correlationId FROM CUPTI_ACTIVITY_KIND_KERNEL UNION ALL "
                                                 "SELECT start, end, correlationId FROM CUPTI_ACTIVITY_KIND_MEMCPY ORDER BY 1"):
        if done is not None and start > done and calls[correlation][1] <= done:
            queued += max(0, min(start, end) - max(done, begin))
        launching.add(calls[correlation])
        done = max(stop, done or 0)
    share = sum(max(0, min(e, end) - max(s, begin)) for s, e in launching) / (end - begin)
    yield "queued in a step", a.said("launch-bound", r"for (\S+) us more per step"), "%.2f" % (queued / n / 1e3)
    yield "the host launches", a.said("launch-bound", r"in launch calls for (\S+)% of the time"), "%.1f" % (100 * share)


JOB_CHECKS = [("mpi-cfd-5of8", "report1.sqlite", exchange_of_steps), ("mpi-cfd-5of8", "report6.sqlite", exchange_of_steps)]
CHECKS = [
    ("nersc-sc22-ddp-4gpu-baseline", reads_in_steps),
    ("cudf-groupby-2020", reads_in_steps),
    ("fuser-nvtx-heavy-2025.1", first_has_none_before_it),
    ("keras-cudnn-2020", no_lazy_loading),
    ("llama3-inference-2024.6", lists_the_scenario),
    ("nsightful-power-iteration-2025.3", lists_the_scenario),
    ("nsys-ai-mfu-2gpu-before", all_to_all),
    ("nsys-ai-mfu-2gpu-after", all_to_all),
    ("gpubootcamp-jacobi-2gpu-nvlink", copy_between_runs),
    ("balinski-series-02-2025.5", longest_wait),
    ("balinski-series-19-2025.5", longest_wait),
    ("balinski-series-02-2025.5", reads_make_launches_late),
    ("balinski-series-19-2025.5", reads_make_launches_late),
    ("icon-uvm-2025.1", output_at_the_end),
    ("streams-1000", queued_in_steps),
    ("pipit-cloverleaf-2024.5", calls_per_step("cudaDeviceSynchronize")),
    ("cudf-groupby-2020", calls_per_step("cudaStreamSynchronize")),
    ("nsys-ai-mfu-2gpu-after", calls_per_step("cudaStreamSynchronize")),
]


def main():
    wl.skip_without_corpus()
    tally, n = wl.Tally(), 0
    with tempfile.TemporaryDirectory(prefix="wl-corpus-findings-") as scratch:
        for name in sorted({name for name, _ in CHECKS}):
            packed = os.path.join(wl.CORPUS, name, "trace.sqlite.zst")
            if not os.path.exists(packed) or wl.is_too_large(packed):
                print("left out:", name)
                continue
            path = os.path.join(scratch, name + ".sqlite")
            with open(path, "wb") as out:
                subprocess.run(["zstd", "-qdc", packed], stdout=out, check=True)
            answers, n = Answers(path), n + 1
            for _, check in (c for c in CHECKS if c[0] == name):
                for what, got, want in check(answers):
                    tally.equal(name + ": " + what, got, want)
            os.remove(path)
        for name, file, check in JOB_CHECKS if os.path.isdir(wl.JOBS) else ():
            path = os.path.join(scratch, name)
            path, n = os.path.join(path if os.path.isdir(path) else wl.real_job(name, scratch), file), n + 1
            for what, got, want in check(Answers(path)):
                tally.equal("%s, %s: %s" % (name, file, what), got, want)
    if n == 0:
        print("skipped: none of these traces is in the corpus")
        sys.exit(77)
    tally.finish()


if __name__ == "__main__":
    main()
