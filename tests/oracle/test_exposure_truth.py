#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Generated traces whose truth says which rank waits for which: warplens overlap by stage, streams and nccl against it.

The truth's compute is kernels only, ours has memory sets too. What these add is found here by brute force, so that every
difference from the truth is accounted for to the nanosecond.
"""
import json
import os
import subprocess
import sys
import tempfile

import intervals
import oracle
import windows
import wl
from conventions import PITHTRAIN, stage_of
from nvtx import forest_of, label
from tracefile import Trace

MOE = [["--ranks", "4", "--layers", "4", "--iters", "2", "--moe"],
       ["--ranks", "8", "--layers", "4", "--iters", "2", "--moe", "--pp", "4", "--seed", "7"],
       ["--ranks", "2", "--layers", "2", "--iters", "3", "--moe", "--seed", "11", "--schema", "2026.4"]]
STRAGGLERS = [(2, ["--ranks", "4", "--layers", "4", "--iters", "5", "--straggler", "2:1.15"]),
              (0, ["--ranks", "3", "--layers", "2", "--iters", "6", "--straggler", "0:1.3", "--schema", "2026.4"])]
EXPERT = 24


def generate(generator, scratch, case):
    path = os.path.join(scratch, "t.sqlite")
    for old in (path, path + ".truth.json"):
        if os.path.exists(old):
            os.remove(old)
    subprocess.run([sys.executable, generator, "-o", path, *case], stdout=subprocess.DEVNULL, check=True)
    with open(path + ".truth.json", encoding="utf-8") as f:
        return path, json.load(f)


def uncovered(op, hiding):
    return intervals.length(intervals.subtract([(op.start, op.end)], hiding))


def expert_kernels(trace, device):
    """{stage: [(length, uncovered by kernels, uncovered by kernels and memory sets)]} of the expert stream."""
    ops, forest, out = [op for op in trace.ops if op.device == device], forest_of(trace), {}
    kernels = intervals.union((op.start, op.end) for op in ops if op.kind == "kernel" and op.cls == "compute")
    compute = intervals.union((op.start, op.end) for op in ops if op.cls == "compute")
    for op in ops:
        if op.kind == "kernel" and op.stream == EXPERT:
            stage, _ = stage_of(PITHTRAIN, forest.stack(op), label)
            out.setdefault(stage, []).append((op.end - op.start, uncovered(op, kernels), uncovered(op, compute)))
    return out


def check_stages(tally, case, path, truth):
    _, document = wl.run("overlap", path, "--by", "stage", "--conventions", "pithtrain")
    rows = {(r["device"], r["stage"]): r for r in document["rows"]}
    trace, added = Trace(path), 0
    for rank, d in truth["files"][0]["by_rank"].items():
        mine = expert_kernels(trace, int(rank))
        for stage, want in d["a2a_by_stage"].items():
            row, ops = rows[int(rank), stage], mine[stage]
            ratios = [1 - bare / length for length, _, bare in ops]
            hidden_by_sets = sum(k - b for _, k, b in ops)
            added += hidden_by_sets
            got = {"kernels": row["comm_calls"], "comm_ns": row["comm_sum"], "exposed_ns": row["exposed_sum"] + hidden_by_sets}
            tally.equal("stage %s of rank %s: %s" % (stage, rank, case), got, want)
            tally.equal("rank of stage %s of rank %s: %s" % (stage, rank, case), row["rank"], int(rank))
            close = [abs(a - b) < 1e-12 for a, b in ((row["overlap_min"], min(ratios)), (row["overlap_max"], max(ratios)),
                                                     (row["overlap"], 1 - row["exposed_sum"] / want["comm_ns"]))]
            tally.equal("overlap of stage %s of rank %s: %s" % (stage, rank, case), close, [True] * 3)
        tally.equal("stages of the expert stream, rank %s: %s" % (rank, case), sorted(mine), sorted(d["a2a_by_stage"]))
    print("memory sets hide %d ns more of all-to-alls: %s" % (added, case))


def check_streams(tally, case, path):
    _, document = wl.run("streams", path, "--conventions", "pithtrain")
    found = {(r["stream"], r["class"], r["purpose"]) for r in document["rows"] if r["class"] == "comm"}
    tally.equal("streams: " + case, found, {(20, "comm", "unknown"), (EXPERT, "comm", "ep_a2a"), (28, "comm", "pp_p2p")} & found)
    tally.equal("expert streams: " + case, (EXPERT, "comm", "ep_a2a") in found, True)


def check_straggler(tally, case, path, truth, rank):
    _, document = wl.run("nccl", path)
    for kind in ("ReduceScatter", "AllReduce"):
        last = {r["device"]: r["last"] / r["calls"] for r in document["rows"] if r["type"] == kind}
        tally.equal("%s, the straggler: %s" % (kind, case), max(last, key=last.get), rank)
    tally.equal("the note: " + case, sum("GPU %d makes the others" % rank in n for n in document["notes"]), 1)
    sums = {r: sum(row["sum"] for row in document["rows"] if row["device"] == int(r)) for r in truth["files"][0]["by_rank"]}
    tally.equal("sums by rank: " + case, sums, truth["files"][0]["nccl_ns_by_rank"])


def check_bridged_window(tally, case, path):
    """Another thread launches the work of `backward`; a window on such a range is that work."""
    want = {r["device"]: r for r in oracle.overlap(windows.query(Trace(path), windows.nvtx_windows(Trace(path), "backward", 3)))}
    _, document = wl.run("overlap", path, "--window=nvtx:backward#3")
    for row in document["rows"]:
        got, mine = ({c: r[c] for c in ("window", "compute", "exposed_comm", "exposed_copy", "idle")} for r in (row, want[row["device"]]))
        tally.equal("backward#3 of GPU %d: %s" % (row["device"], case), got, mine)


def main():
    generator = os.path.join(wl.ROOT, "tests", "support", "gen_trace.py")
    tally = wl.Tally()
    with tempfile.TemporaryDirectory(prefix="wl-truth-") as scratch:
        for case in MOE:
            path, truth = generate(generator, scratch, case)
            check_stages(tally, " ".join(case), path, truth)
            check_streams(tally, " ".join(case), path)
        for rank, case in STRAGGLERS:
            path, truth = generate(generator, scratch, case)
            check_straggler(tally, " ".join(case), path, truth, rank)
            check_bridged_window(tally, " ".join(case), path)
    tally.finish()


if __name__ == "__main__":
    main()
