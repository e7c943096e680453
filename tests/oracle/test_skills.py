#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The 38 skill names that users know from another tool: all answer or abstain, their parameters are taken, and their values are
those of the verbs, or of the rows of the file as Python adds them up.

By default a generated trace and a few small real ones; SKILLS_ALL=1 takes the whole corpus.
"""
import concurrent.futures
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

import wl

GENERATOR = os.path.join(wl.ROOT, "tests", "support", "gen_trace.py")
A_FEW = ("nsys-ai-mfu-2gpu-before", "keras-cudnn-2020")

# Every parameter that a name has in that tool, with a value. START and END are times of the trace.
NAMES = {
    "top_kernels": {"limit": 5},
    "kernel_instances": {"name": "gemm", "limit": 7, "device": "all"},
    "kernel_launch_overhead": {"limit": 5, "min_launches": 2, "device": 0},
    "kernel_launch_pattern": {"limit": 10},
    "kernel_overlap_matrix": {"device": 0},
    "gpu_idle_gaps": {"min_gap_ns": 20000, "limit": 6, "device": 0},
    "overlap_breakdown": {"device": 0},
    "pipeline_bubble_metrics": {},
    "critical_path": {"device": 0},
    "nccl_breakdown": {"device": 0},
    "nccl_anomaly": {"threshold": 1.5, "limit": 8},
    "nccl_communicator_analysis": {},
    "nccl_payload_breakdown": {},
    "nccl_compile_context_breakdown": {},
    "memory_transfers": {"device": 0},
    "memory_bandwidth": {"limit": 5, "device": "all"},
    "h2d_distribution": {},
    "stream_concurrency": {"limit": 4},
    "sync_cost_analysis": {"device": 0},
    "host_sync_parent_ranges": {"limit": 5, "patterns": "opt, item"},
    "cpu_gpu_pipeline": {"limit": 5},
    "thread_utilization": {"limit": 3},
    "gc_impact": {},
    "module_loading": {},
    "iteration_timing": {"marker": "iteration", "device": "all"},
    "iteration_detail": {"iteration": 1, "marker": "iteration", "device": "all"},
    "nvtx_kernel_map": {"limit": 9},
    "nvtx_layer_breakdown": {"limit": 6, "depth": 2, "auto_depth": "true", "report": "compact"},
    "code_attribution_candidates": {"start_ns": "START", "end_ns": "END", "limit": 5, "min_overlap_pct": 2, "device": "all"},
    "region_mfu": {"name": "forward", "theoretical_flops": "1e12", "source": "nvtx", "peak_tflops": 989.5, "num_gpus": 4,
                   "occurrence_index": 2, "device_id": 0, "match_mode": "exact"},
    "theoretical_flops": {"operation": "full_model", "hidden_dim": 4096, "seq_len": 2048, "num_layers": 32, "ffn_dim": 11008,
                          "batch_size": 2, "multiplier": 3, "M": 1, "N": 1, "K": 1},
    "arithmetic_intensity": {"theoretical_flops": 1e12, "bytes_moved": 4e9, "peak_tflops": 989.5, "hbm_bw_gbps": 3350, "device": 0},
    "speedup_estimator": {"iteration_ms": 100, "compute_ms": 60, "nccl_ms": 30, "idle_ms": 20, "overlap_pct": 40, "tp_degree": 8,
                          "model_params_b": 70, "gpu_memory_gb": 80},
    "tensor_core_usage": {"limit": 5},
    "cutracer_analysis": {"trace_dir": "x"},
    "root_cause_matcher": {},
    "profile_health_manifest": {"device": 0},
    "schema_inspect": {},
}
ABSTAIN_ALWAYS = {"tensor_core_usage", "cutracer_analysis"}

# Skills that are calls of verbs: the table, and the command line that must give the same rows.
TWINS = {
    "top_kernels": [("kernels", "kernels --by name --sort sum -n 5")],
    "kernel_launch_overhead": [("launch", "launch --where calls>=2 -n 5 --gpu 0")],
    "kernel_launch_pattern": [("launch", "launch --by device")],
    "kernel_overlap_matrix": [("matrix", "matrix --gpu 0")],
    "gpu_idle_gaps": [("gaps", "gaps --min 20us -n 6 --gpu 0"), ("idle", "idle --gpu 0")],
    "overlap_breakdown": [("overlap", "overlap --gpu 0")],
    "pipeline_bubble_metrics": [("overlap", "overlap --columns device,rank,window,busy,idle,busy_share"), ("idle", "idle")],
    "critical_path": [("path", "path --by class --gpu 0"), ("path_2", "path --by name -n 20 --gpu 0")],
    "nccl_breakdown": [("nccl", "nccl --gpu 0")],
    "nccl_anomaly": [("nccl", "nccl")],
    "memory_transfers": [("transfers", "transfers --gpu 0")],
    "memory_bandwidth": [("transfers", "transfers")],
    "stream_concurrency": [("streams", "streams -n 4")],
    "sync_cost_analysis": [("sync", "sync --gpu 0")],
    "cpu_gpu_pipeline": [("launch", "launch --sort queue_sum -n 5")],
    "thread_utilization": [("threads", "threads -n 3")],
    "gc_impact": [("api", "api --where name~'Malloc|Free|MemPool'")],
    "module_loading": [("api", "api --where name~'Module|Library|LinkCreate|LinkAdd|LinkComplete'")],
    "iteration_timing": [("iters", "iters --marker iteration")],
    "iteration_detail": [("iters", "iters --where iter=1 --marker iteration"),
                         ("kernels", "kernels --by name --window iter:1 --marker iteration -n 20"),
                         ("overlap", "overlap --window iter:1 --marker iteration")],
    "nvtx_kernel_map": [("nvtx-kernels", "nvtx-kernels -n 9")],
    "nvtx_layer_breakdown": [("tree", "tree --depth 2")],
    "speedup_estimator": [("findings", "findings --columns code,severity,saving,share,finding,fixing")],
    "root_cause_matcher": [("findings", "findings")],
    "schema_inspect": [("schema", "schema")],
}


def ask(words):
    p = subprocess.run([wl.WARPLENS, *words, "-f", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600, check=False)
    return p.returncode, p.stdout.decode(), p.stderr.decode("utf-8", "replace")


def words_of(line):
    """Words as a shell has them, quotes within words included."""
    return [w.replace("'", "") for w in line.split(" ")]


def sections(text):
    doc = json.loads(text)
    return {s["analysis"]: s for s in doc.get("sections", [doc])}


class Trace:
    """Raw rows of the file."""

    def __init__(self, path):
        self.path = path
        self.db = sqlite3.connect("file:%s?mode=ro" % path, uri=True, check_same_thread=False)
        self.tables = {name for name, in self.db.execute("SELECT name FROM sqlite_master")}

    def rows(self, table, columns, where="1"):
        if table not in self.tables:
            return []
        return self.db.execute("SELECT %s FROM %s WHERE %s" % (columns, table, where)).fetchall()

    def span(self):
        times = [t for table in ("CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET")
                 for row in self.rows(table, "min(start), max(end)") for t in row if t is not None]
        return (min(times), max(times)) if times else (0, 1)


def union(intervals):
    total, until = 0, None
    for begin, end in sorted(intervals):
        begin = begin if until is None else max(begin, until)
        if end > begin:
            total += end - begin
        until = end if until is None else max(until, end)
    return total


# ---- What SQL of skills must give, from the rows of the file ----

def check_instances(trace, got):
    names = dict(trace.rows("StringIds", "id, value"))
    kernels = trace.rows("CUPTI_ACTIVITY_KIND_KERNEL", "end - start, start, demangledName")
    want = sorted(((d, s) for d, s, n in kernels if "gemm" in names[n].lower()), key=lambda r: (-r[0], r[1]))[:7]
    return [(r["duration"], r["start"]) for r in got["instances"]["rows"]] == want


def check_streams(trace, got):
    groups = {}
    for begin, end, device, stream, pid in trace.rows("CUPTI_ACTIVITY_KIND_KERNEL", "start, end, deviceId, streamId, globalPid"):
        groups.setdefault((pid, device, stream), []).append((begin, end))
    want = sorted((len(g), union(g), max(e for _, e in g) - min(b for b, _ in g)) for g in groups.values())
    have = sorted((r["kernels"], r["busy_ns"], r["span_ns"]) for r in got["streams"]["rows"])
    return len(want) > 10 or have == want


def check_h2d(trace, got):
    first = trace.span()[0]
    want = {}
    for begin, end, size in trace.rows("CUPTI_ACTIVITY_KIND_MEMCPY", "start, end, bytes", "copyKind = 1"):
        row = want.setdefault((begin - first) // 10 ** 9, [0, 0, 0])
        row[0] += 1
        row[1] += size
        row[2] += end - begin
    have = {r["second"]: [r["copies"], r["copied_bytes"], r["copy_ns"]] for r in got["seconds"]["rows"]}
    return have == want and abs(sum(r["bytes_share"] for r in got["seconds"]["rows"]) - 1) < 1e-9


def check_copies(trace, got):
    want = sorted(((b, s) for b, s in trace.rows("CUPTI_ACTIVITY_KIND_MEMCPY", "bytes, start", "bytes >= 10000000")),
                  key=lambda r: (-r[0], r[1]))[:5]
    return [(r["bytes"], r["start"]) for r in got["copies"]["rows"]] == want


def check_concurrency(trace, got):
    devices = {}
    for table in ("KERNEL", "MEMCPY", "MEMSET"):
        for begin, end, device, stream, pid in trace.rows("CUPTI_ACTIVITY_KIND_" + table,
                                                           "start, end, deviceId, streamId, globalPid"):
            devices.setdefault((pid, device), {}).setdefault(stream, []).append((begin, end))
    want = sorted((len(d), union([i for s in d.values() for i in s]), sum(union(s) for s in d.values()))
                  for d in devices.values())
    return sorted((r["streams"], r["any_busy_ns"], r["sum_busy_ns"]) for r in got["concurrency"]["rows"]) == want


def check_anomalies(trace, got):
    names = dict(trace.rows("StringIds", "id, value"))
    groups = {}
    for begin, end, name in trace.rows("CUPTI_ACTIVITY_KIND_KERNEL", "start, end, demangledName"):
        if names[name].startswith("nccl"):
            groups.setdefault(name, []).append((begin, end - begin))
    want = []
    for group in groups.values():
        mean = sum(d for _, d in group) // len(group)
        want += [(-d / mean, b, d) for b, d in group if d > 1.5 * mean]
    want = [(b, d) for _, b, d in sorted(want)[:8]]
    have = [(r["start"], r["duration"]) for r in got["anomalies"]["rows"]]
    return want and have == want and len(got["findings"]["rows"]) == min(len(have), 5)


def check_candidates(trace, got):
    begin, end = trace.asked
    text = "coalesce(text, (SELECT value FROM StringIds WHERE id = textId))"
    ranges = trace.rows("NVTX_EVENTS", "start, end, " + text, "end IS NOT NULL AND eventType IN (59, 60, 70, 71)")
    want = sorted((min(e, end) - max(b, begin) for b, e, _ in ranges if b < end and e > begin), reverse=True)
    want = [w for w in want if w * 100 >= 2 * (end - begin)][:5]
    return [r["overlap_ns"] for r in got["candidates"]["rows"]] == want


def check_flops(_, got):
    hidden, seq, layers, ffn, batch = 4096, 2048, 32, 11008, 2
    want = 3 * layers * (8 * batch * seq * hidden ** 2 + 4 * batch * seq ** 2 * hidden + 4 * batch * seq * hidden * ffn)
    return got["flops"]["rows"][0]["flops"] == want


def check_intensity(_, got):
    row = got["intensity"]["rows"][0]
    return (row["flops_per_byte"] == 250 and abs(row["ridge"] - 989.5e12 / 3350e9) < 1e-9 and row["bound"] == "memory" and
            abs(row["reachable_tflops"] - 250 * 3.35) < 1e-9)


def check_speedups(_, got):
    rows = {r["scenario"]: r for r in got["estimates"]["rows"]}
    return (rows["all communication hidden"]["saved_ms"] == 18 and rows["no idle time"]["saved_ms"] == 20 and
            rows["both"]["saved_ms"] == 38 and abs(rows["both"]["speedup"] - 100 / 62) < 1e-9 and
            rows["both"]["bf16_weights_gb_per_gpu"] == 17.5)


def check_contexts(trace, got):
    names = dict(trace.rows("StringIds", "id, value"))
    kernels = trace.rows("CUPTI_ACTIVITY_KIND_KERNEL", "end - start, demangledName")
    total = sum(d for d, n in kernels if names[n].startswith("nccl"))
    return sum(r["total_ns"] for r in got["contexts"]["rows"]) == total


def check_communicators(_, got):
    return all(r["sent_bytes"] > 0 and r["ranks"] > 1 and r["max_algbw_gbps"] > 0 for r in got["communicators"]["rows"])


def check_payloads(_, got):
    return all(r["mean_bytes"] == r["sent_bytes"] // r["calls"] > 0 for r in got["payloads"]["rows"])


def check_threads(trace, got):
    calls = {}
    for table in ("KERNEL", "MEMCPY", "MEMSET"):
        for start, pid, correlation in trace.rows("CUPTI_ACTIVITY_KIND_" + table, "start, globalPid, correlationId"):
            calls[pid >> 24, correlation] = start
    launches = {}
    for end, thread, correlation in trace.rows("CUPTI_ACTIVITY_KIND_RUNTIME", "end, globalTid, correlationId"):
        start = calls.get((thread >> 24, correlation))
        if start is not None and start >= end:
            launches.setdefault(thread & 0xffffff, []).append(start - end)
    return {r["tid"] for r in got["threads"]["rows"]} <= set(launches) and all(r["launches"] > 0 for r in got["threads"]["rows"])


def check_regions(trace, got):
    total = sum(trace.rows("CUPTI_ACTIVITY_KIND_" + t, "coalesce(sum(end - start), 0)")[0][0]
                for t in ("KERNEL", "MEMCPY", "MEMSET") if "CUPTI_ACTIVITY_KIND_" + t in trace.tables)
    rows = got["regions"]["rows"]
    return 0 < sum(r["gpu_ns"] for r in rows) <= total and all(r["comm_ns"] <= r["gpu_ns"] for r in rows)


def check_parents(trace, got):
    """The table of the verb, added up by range."""
    want = {}
    for r in json.loads(ask(["sync", trace.path])[1])["rows"]:
        if "opt" in (r["name"] + r["nvtx"]).lower() or "item" in (r["name"] + r["nvtx"]).lower():
            row = want.setdefault(r["nvtx"], [0, 0, 0])
            row[0] += r["calls"]
            row[1] += r["sum"]
            row[2] += r["gpu_idle"]
    return want == {r["parent_range"]: [r["calls"], r["sync_ns"], r["gpu_idle_ns"]] for r in got["parents"]["rows"]}


def check_mfu(trace, got):
    status, out, _ = ask(["mfu", trace.path, "--range", "re:^forward$", "--flops", "1e12", "--peak", "989.5", "--gpus", "4",
                          "--window", "nvtx:forward#1", "--gpu", "0"])
    want, have = json.loads(out)["rows"][0], got["mfu"]["rows"][0]
    return status == 0 and all(have[k] == want[k] for k in ("pieces", "wall", "busy", "tflops", "mfu", "mfu_busy"))


CHECKS = {
    "host_sync_parent_ranges": check_parents, "region_mfu": check_mfu,
    "kernel_instances": check_instances, "kernel_launch_pattern": check_streams, "h2d_distribution": check_h2d,
    "memory_bandwidth": check_copies, "stream_concurrency": check_concurrency, "nccl_anomaly": check_anomalies,
    "code_attribution_candidates": check_candidates, "theoretical_flops": check_flops, "arithmetic_intensity": check_intensity,
    "speedup_estimator": check_speedups, "nccl_compile_context_breakdown": check_contexts,
    "nccl_communicator_analysis": check_communicators, "nccl_payload_breakdown": check_payloads,
    "cpu_gpu_pipeline": check_threads, "nvtx_layer_breakdown": check_regions,
}
# Raw rows that Python adds up without the links, classes and windows of the program: of generated traces they are equal.
ANYWHERE = {"theoretical_flops", "arithmetic_intensity", "speedup_estimator", "h2d_distribution", "memory_bandwidth"}


class Checks:
    def __init__(self):
        self.asked = self.answered = self.tables = self.values = 0
        self.abstained = {}
        self.wrong = []

    def fail(self, *what):
        self.wrong.append(what)
        print("WRONG", *what, flush=True)

    def twins(self, trace, name, got):
        for table, line in TWINS.get(name, ()):
            words = words_of(line)
            status, out, err = ask([words[0], trace.path, *words[1:]])
            section = got.get(table)
            if status != 0:
                if section is not None and "rows" in section and section["rows"]:
                    self.fail(name, table, "has rows, but", line, "says", err.strip())
                continue
            want = json.loads(out)
            if section is None or section.get("rows") != want["rows"]:
                self.fail(name, table, "differs from", line, trace.path)
            self.tables += 1

    def one(self, trace, name, is_generated):
        values = {k: {"START": trace.asked[0], "END": trace.asked[1]}.get(v, v) for k, v in NAMES[name].items()}
        given = [w for k, v in values.items() for w in ("--param", "%s=%s" % (k, v))]
        status, out, err = ask(["skill", "run", name, trace.path, *given])
        self.asked += 1
        if status == 5:
            self.abstained.setdefault(name, set()).add(err.strip().splitlines()[-1])
            return
        # Steps and windows that a trace does not have are the user's mistake, and say so.
        if status == 2 and name in ("iteration_detail", "region_mfu", "iteration_timing", "code_attribution_candidates"):
            self.abstained.setdefault(name, set()).add(err.strip().splitlines()[-1])
            return
        # So is a GPU of a trace without GPU operations, as for every verb.
        if status == 2 and trace.span() == (0, 1) and "--gpu 0: no GPU operation was recorded" in err:
            self.abstained.setdefault(name, set()).add(err.strip().splitlines()[-1])
            return
        if status != 0:
            self.fail(name, trace.path, "status", status, err.strip())
            return
        self.answered += 1
        if name in ABSTAIN_ALWAYS:
            self.fail(name, "answers")
        got = sections(out)
        self.twins(trace, name, got)
        if name in CHECKS and (is_generated or name in ANYWHERE):
            self.values += 1
            if not CHECKS[name](trace, got):
                self.fail(name, trace.path, "values differ:", json.dumps(got)[:600])

    def all_of(self, path, is_generated):
        trace = Trace(path)
        begin, end = trace.span()
        trace.asked = (begin + (end - begin) // 3, begin + (end - begin) * 2 // 3)
        with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
            for asked in [pool.submit(self.one, trace, name, is_generated) for name in NAMES]:
                asked.result()

    def refusals(self, path):
        """A parameter that another skill has is refused, with what there is."""
        for name in NAMES:
            status, _, err = ask(["skill", "run", name, path, "--param", "device_no=1"])
            self.asked += 1
            if status != 2 or "no parameter \"device_no\"" not in err:
                self.fail(name, "takes any parameter:", status, err.strip())


def main():
    assert len(NAMES) == 38
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="wl-skills-") as scratch:
        path = os.path.join(scratch, "run.sqlite")
        subprocess.run([sys.executable, "-B", GENERATOR, "-o", path, "--ranks", "4", "--layers", "3", "--iters", "6", "--payloads",
                        "2.25", "--straggler", "2:1.3"], check=True, stdout=subprocess.DEVNULL)
        checks.all_of(path, True)
        silent = set(checks.abstained) - ABSTAIN_ALWAYS
        for name in sorted(silent - {"module_loading"}):
            checks.fail(name, "abstains from a trace that has all:", checks.abstained[name])
        checks.refusals(path)
        print("generated: %d asked, %d answered, abstained: %s" % (checks.asked, checks.answered, ", ".join(sorted(checks.abstained))))
    if os.path.isdir(wl.CORPUS):
        for name, path in wl.corpus_traces():
            if os.environ.get("SKILLS_ALL") or name in A_FEW:
                before = checks.asked, checks.answered, len(checks.wrong)
                checks.all_of(path, False)
                print("%-50s %3d asked %3d answered %3d wrong" % (name, checks.asked - before[0], checks.answered - before[1],
                                                                 len(checks.wrong) - before[2]), flush=True)
    else:
        print("left out: real traces, no corpus at", wl.CORPUS)
    print("%d asked, %d answered, %d tables equal their verb's, %d checked by rows, %d wrong" %
          (checks.asked, checks.answered, checks.tables, checks.values, len(checks.wrong)))
    return 1 if checks.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
