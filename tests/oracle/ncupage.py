# SPDX-License-Identifier: MIT
"""Makes raw pages of ncu for the kernels of a trace, and joins and places them as docs/definitions/roofline.md says."""
import csv
import random
import sqlite3

BASE = ["ID", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size", "CC"]
VECTOR = ("fadd", "fmul", "ffma", "dadd", "dmul", "dfma", "hadd", "hmul", "hfma")
DRAM_WIDTH, DRAM_CLOCK, SM_CLOCK, FFMA_PEAK = 1024.0, 2.6e9, 1.2e9, 16896.0
GPU = "NVIDIA H100 80GB HBM3"
TENSOR_PEAK, BANDWIDTH = 989.4e12, 3350e9  # of the maker, for an H100 SXM
COUNTERS = ["gpu__time_duration.sum", "dram__bytes.sum", "sm__ops_path_tensor_src_bf16_dst_fp32.sum"] + \
    ["smsp__sass_thread_inst_executed_op_%s_pred_on.sum" % op for op in VECTOR]
SHARED = ["launch__shared_mem_per_block_static", "launch__shared_mem_per_block_dynamic"]
PEAKS = ["dram__bytes.sum.peak_sustained", "dram__cycles_elapsed.avg.per_second", "sm__cycles_elapsed.avg.per_second",
         "sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained"]


def kernels(path):
    """By (name, grid, block, shared memory): [launches, sum of durations, whether it communicates]."""
    db = sqlite3.connect("file:%s?immutable=1" % path, uri=True)
    found = {}
    for name, grid, block, shared, n, total in db.execute("""
            select s.value, gridX || ',' || gridY || ',' || gridZ, blockX || ',' || blockY || ',' || blockZ,
                   staticSharedMemory + dynamicSharedMemory, count(*), sum(end - start)
            from CUPTI_ACTIVITY_KIND_KERNEL join StringIds s on s.id = demangledName group by 1, 2, 3, 4"""):
        found[name, grid, block, shared] = [n, total, "nccl" in name]
    db.close()
    return found


def base(name):
    """The function's name: no return type, arguments or parameters."""
    depth, out = 0, ""
    for c in name:
        depth += (c == "<") - (c == ">")
        if depth == 0 and c not in "<>":
            if c == "(":
                break
            out += c
    return out.split(" ")[-1]


def launch(rng, name, grid, block, shared):
    """A launch as ncu would measure it; counters that are absent are None."""
    row = {"name": name, "grid": grid, "block": block, "shared": shared}
    row.update({c: float(rng.randrange(0, 10**6)) for c in COUNTERS})
    row["gpu__time_duration.sum"] = float(rng.randrange(1000, 10**6))
    row["dram__bytes.sum"] = float(rng.randrange(1, 10**9))
    row[COUNTERS[2]] = float(rng.choice((0, 10**9, 10**10, 10**11)))
    return row


def make(rng, found):
    """Launches of some kernels of the trace under various names, of changed configurations, and of strangers."""
    rows = []
    for (name, grid, block, shared), (_, _, comm) in sorted(found.items()):
        kind = rng.choice(("whole", "whole", "function", "other grid", "no shared", "left out"))
        if comm or kind == "left out":
            continue
        for _ in range(rng.randrange(1, 4)):
            rows.append(launch(rng, base(name) if kind == "function" else name, "7,7,7" if kind == "other grid" else grid, block,
                               None if kind == "no shared" else shared))
    rows.append(launch(rng, "stranger(int)", "1,1,1", "32,1,1", 0))
    return rows


def write(path, rows):
    head = BASE + COUNTERS + SHARED + PEAKS + ["device__attribute_display_name"]
    with open(path, "w", encoding="utf-8", newline="") as out:
        page = csv.writer(out, quoting=csv.QUOTE_ALL)
        page.writerow(head)
        page.writerow([""] * len(BASE) + ["nsecond", "byte"] + [""] * (len(head) - len(BASE) - 2))
        for i, row in enumerate(rows):
            shared = ["", ""] if row["shared"] is None else [0, row["shared"]]
            page.writerow([i, row["name"], 1, 7, "(%s)" % row["block"].replace(",", ", "), "(%s)" % row["grid"].replace(",", ", "), "9.0"] +
                          [row[c] for c in COUNTERS] + shared + [DRAM_WIDTH, DRAM_CLOCK, SM_CLOCK, FFMA_PEAK, GPU])


def join(found, rows):
    """[(key of ncu's side, its launches, [keys of the trace's side])], and the trace's keys without a partner."""
    ours = {}
    for row in rows:
        ours.setdefault((row["name"], row["grid"], row["block"], row["shared"]), []).append(row)
    pairs, taken = {k: [] for k in ours}, set()

    def fits(mine, theirs):
        return mine[1:3] == theirs[1:3] and (mine[3] is None or mine[3] == theirs[3])
    for theirs in found:
        for mine in ours:
            if mine[0] == theirs[0] and fits(mine, theirs):
                pairs[mine].append(theirs)
                taken.add(theirs)
    left, right = [k for k in ours if not pairs[k]], [k for k in found if k not in taken]
    for mine in left:
        same = [k for k in left if base(k[0]) == base(mine[0]) and k[1:3] == mine[1:3]]
        partners = [k for k in right if base(k[0]) == base(mine[0]) and k[1:3] == mine[1:3]]
        if len(same) == 1 and len(partners) == 1 and fits(mine, partners[0]):
            pairs[mine].append(partners[0])
            taken.add(partners[0])
    return [(k, ours[k], pairs[k]) for k in ours], [k for k in found if k not in taken]


def place(launches):
    """Where launches of one configuration lie on the roofline."""
    total = {c: sum(row[c] for row in launches) for c in COUNTERS}
    seconds, moved, tensor = total["gpu__time_duration.sum"] / 1e9, total["dram__bytes.sum"], total[COUNTERS[2]]
    ops = {op: total["smsp__sass_thread_inst_executed_op_%s_pred_on.sum" % op] for op in VECTOR}
    single, double, half = (ops[t + "add"] + ops[t + "mul"] + 2 * ops[t + "fma"] for t in "fdh")
    flop = single + double + half + tensor
    peaks = {"fp32": (single, 2 * FFMA_PEAK * SM_CLOCK), "tensor fp16": (tensor, TENSOR_PEAK)}
    dtype, (of_type, peak) = max(peaks.items(), key=lambda p: p[1][0] / p[1][1])
    is_known = double + half <= flop / 2 and of_type > 0  # the peaks of vectors of the others are not in the page
    compute = of_type / peak / seconds if is_known else None
    dram = moved / (DRAM_WIDTH * DRAM_CLOCK * seconds)
    by_dram = compute is None or dram > compute
    return {"tflops": flop / seconds / 1e12, "arithmetic_intensity": flop / moved, "roof": "DRAM" if by_dram else "compute",
            "roof_share": dram if by_dram else compute, "compute_share": compute, "dram_share": dram,
            "dtype": dtype if is_known else None, "peak_tflops": peak / 1e12 if is_known else None,
            "bandwidth": DRAM_WIDTH * DRAM_CLOCK / 1e9, "ncu_mean": total["gpu__time_duration.sum"] / len(launches),
            "compute_from": None if not is_known else "datasheet" if dtype == "tensor fp16" else "ncu", "dram_from": "ncu"}
