#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""roofline against a computation by hand: pages of ncu for kernels of generated traces, and the reports of the corpus.

Of reports, the numbers are those of the raw pages that the real ncu printed, with their units; GPUs are an A10G, a GB200, an RTX
3070 and an RTX 4070 SUPER.
"""
import os
import random
import subprocess
import sys
import tempfile

import ncupage
import test_joined
import test_ncu
import wl

COLUMNS = ("tflops", "arithmetic_intensity", "roof", "roof_share", "compute_share", "dram_share", "dtype", "peak_tflops", "bandwidth",
           "compute_from", "dram_from")
OPS = "smsp__sass_thread_inst_executed_op_%s_pred_on.sum"
# Operations of tensor cores of a CC 10.0, and the dense peak of each: the instruction that is widest without sparsity.
TENSOR = {"tf32": (["tf32_dst_fp32"], "op_utchmma_src_tf32_dst_fp32_sparsity_off"),
          "fp16": (["bf16_dst_fp32", "fp16_dst_fp16", "fp16_dst_fp32"], "op_utchmma_src_bf16_dst_fp32_sparsity_off"),
          "fp8": (["fp4_fp6_fp8_dst_fp16", "fp4_fp6_fp8_dst_fp32"], "op_utcqmma_src_fp4_fp6_fp8_dst_fp32_sparsity_off"),
          "fp4": (["fp4_dst_fp32"], "op_utcomma_src_fp4_dst_fp32_sparsity_off"), "fp64": (["fp64"], "src_fp64")}
LISTED = {"NVIDIA GeForce RTX 3070": 448e9}  # bandwidth of the maker, where a report has no peak of it


def differs(row, want, slack):
    return ["%s is %r, want %r" % (c, row[c], want[c]) for c in COLUMNS
            if not (row[c] == want[c] or isinstance(want[c], float) and row[c] is not None and abs(row[c] - want[c]) <= slack * abs(want[c]))]


def check_generated(path, scratch, seed):
    rng, found = random.Random(seed), ncupage.kernels(path)
    rows, page = ncupage.make(rng, found), os.path.join(scratch, "page.csv")
    ncupage.write(page, rows)
    compute = sum(total for _, total, comm in found.values() if not comm)
    want = {}
    for key, launches, partners in ncupage.join(found, rows)[0]:
        want[key] = ncupage.place(launches)
        want[key]["sum"] = sum(found[p][1] for p in partners) if partners else None
    _, document = wl.run("roofline", path, "--ncu", page)
    wrong = [] if len(document["rows"]) == len(want) else ["%d rows, want %d" % (len(document["rows"]), len(want))]
    for row in document["rows"]:
        mine = want[row["kernel"], row["grid"], row["block"], row["shared"]]
        wrong += ["%s: %s" % (row["kernel"][:40], d) for d in differs(row, mine, 1e-9)]
        if row["sum"] != mine["sum"] or (mine["sum"] and abs(row["share"] - mine["sum"] / compute) > 1e-9):
            wrong.append("%s: %r of the trace, want %r" % (row["kernel"][:40], row["sum"], mine["sum"]))
    return wrong


def number(row, units, name):
    """A cell of a page in base units; None where there is none."""
    try:
        return float(row[name].replace(",", "")) * test_ncu.scale(units[name])
    except (KeyError, ValueError):
        return None


def total(row, units, name, clock):
    """A counter, also where the page has only its rate per cycle or second."""
    seconds = number(row, units, "gpu__time_duration.sum") / 1e9
    for suffix, factor in (("", 1), (".per_second", seconds), (".per_cycle_elapsed", (clock or 0) * seconds)):
        n = number(row, units, name + suffix)
        if n is not None:
            return n * factor
    return None


def place(row, units):
    """Where a launch of a raw page lies."""
    clock = number(row, units, "smsp__cycles_elapsed.avg.per_second") or number(row, units, "sm__cycles_elapsed.avg.per_second")
    seconds, gpu = number(row, units, "gpu__time_duration.sum") / 1e9, row["device__attribute_display_name"]
    moved = total(row, units, "dram__bytes.sum", None)
    if moved is None:
        parts = [total(row, units, "dram__bytes_%s.sum" % p, None) for p in ("read", "write")]
        moved = None if None in parts else sum(parts)
    width = number(row, units, "dram__bytes.sum.peak_sustained")
    bandwidth = width * number(row, units, "dram__cycles_elapsed.avg.per_second") if width else LISTED.get(gpu)
    groups = {t: [total(row, units, OPS % (t + op), clock) for op in ("add", "mul", "fma")] for t in "fdh"}
    busy = [number(row, units, "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_" + s) for s in ("elapsed", "active")]
    busy = next((b for b in busy if b is not None), None)
    flop, peaks = None, {}
    if all(None not in g for g in groups.values()):
        for t, dtype in (("f", "fp32"), ("d", "fp64"), ("h", "fp16")):
            add, mul, fma = groups[t]
            peak = number(row, units, "sm__sass_thread_inst_executed_op_%sfma_pred_on.sum.peak_sustained" % t)
            peaks[dtype] = (add + mul + 2 * fma, 2 * peak * clock if peak else None)
        counted = {}
        for dtype, (names, peak) in TENSOR.items():
            ops = [total(row, units, "sm__ops_path_tensor_src_%s.sum" % n, clock) for n in names]
            if any(o is not None for o in ops):
                per_cycle = number(row, units, "sm__ops_path_tensor_%s.sum.peak_sustained" % peak)
                counted["tensor " + dtype] = (sum(o or 0 for o in ops), per_cycle * clock if per_cycle else None)
        if counted or busy == 0:
            peaks.update(counted)
            flop = sum(f for f, _ in peaks.values())
    best = max(((f / p, d) for d, (f, p) in peaks.items() if f and p), default=None) if flop is not None else None
    unknown = sum(f for f, p in peaks.values() if not p)
    if best and unknown > flop / 2:
        best = None
    compute = best[0] / seconds if best else None
    dram = moved / (bandwidth * seconds) if moved is not None and bandwidth else None
    by_dram = compute is None or (dram is not None and dram > compute)
    share = dram if by_dram else compute
    return {"tflops": None if flop is None else flop / seconds / 1e12, "arithmetic_intensity": flop / moved if flop is not None and moved else None,
            "compute_share": compute, "dram_share": dram, "roof": None if share is None else "DRAM" if by_dram else "compute", "roof_share": share,
            "dtype": best[1] if best else None, "peak_tflops": peaks[best[1]][1] / 1e12 if best else None,
            "bandwidth": bandwidth / 1e9 if bandwidth else None, "compute_from": "ncu" if best else None,
            "dram_from": None if not bandwidth else "ncu" if width else "datasheet"}


def check_report(name, trace):
    """The page as the program reads it, against the page; the report itself differs from it by what ncu rounds."""
    page = os.path.join(wl.CORPUS, name, "raw.csv")
    units, rows = test_ncu.read_page(page)
    want = {}
    for row in rows:
        want.setdefault((row["Kernel Name"], row["Grid Size"].strip("()").replace(" ", "")), []).append(place(row, units))
    _, document = wl.run("roofline", trace, "--ncu", page)
    wrong, n = [], 0
    for row in document["rows"]:
        mine = want[row["kernel"], row["grid"]]
        if len(mine) == 1:  # means of several launches are checked with pages that are made here
            n += 1
            wrong += ["%s: %s" % (row["kernel"][:40], d) for d in differs(row, mine[0], 1e-6)]
    return wrong, n


def main():
    bad = checks = n_kernels = 0
    with tempfile.TemporaryDirectory(prefix="wl-oracle-") as scratch:
        for i, case in enumerate(test_joined.CASES):
            path = os.path.join(scratch, "t%d.sqlite" % i)
            subprocess.run([sys.executable, os.path.join(wl.ROOT, "tests", "support", "gen_trace.py"), "-o", path, *case], check=True,
                           stdout=subprocess.DEVNULL)
            for seed in wl.seeds(8):
                wrong = check_generated(path, scratch, seed)
                checks, bad = checks + 1, bad + bool(wrong)
                print("\n".join("%s, seed %d: %s" % (" ".join(case), seed, line) for line in wrong[:5]), end="\n" if wrong else "")
        for name in sorted(n for n in os.listdir(wl.CORPUS) if n.startswith("ncu-")) if os.path.isdir(wl.CORPUS) else []:
            wrong, n = check_report(name, path)
            checks, bad, n_kernels = checks + 1, bad + bool(wrong), n_kernels + n
            print("\n".join("%s: %s" % (name, line) for line in wrong[:8]), end="\n" if wrong else "")
    print("%d of %d pages agree, %d kernels of the real ncu among them" % (checks - bad, checks, n_kernels))
    return 1 if bad or not checks else 0


if __name__ == "__main__":
    sys.exit(main())
