#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Figures of real traces, and of small ones that once gave a wrong answer, found by an independent reader of the files.

Skipped where neither the corpus nor the small traces are at hand; those that are absent are left out.
"""
import os
import subprocess
import tempfile

import compare
import idle
import oracle
import wl
from test_idle import listed
from tracefile import Trace

REPRO = os.path.join(wl.SHARED, "review", "repro")
HOST_SIDE = ("host", "launch", "latency", "api", "os")
MS = 10 ** 6


def unpacked(directory, name, scratch):
    """The path of a small trace, or None where it is absent."""
    packed = os.path.join(directory, name)
    if not os.path.exists(packed):
        return None
    path = os.path.join(scratch, os.path.basename(directory) + "." + name[:-len(".zst")])
    with open(path, "wb") as out:
        subprocess.run(["zstd", "-qdc", packed], stdout=out, check=True)
    return path


def rows(verb, path, *arguments):
    status, document = wl.run(verb, path, *arguments)
    return document["rows"] if status == 0 else []


def opened(path):
    """{name of the call: host-side idle time of the gaps it opened}."""
    out = {}
    for r in rows("idle", path, "--by", "detail"):
        if r["cause"] in HOST_SIDE:
            out[r["opened_by"]] = out.get(r["opened_by"], 0) + r["sum"]
    return out


def about(value, digits):
    """In milliseconds, as far as the figure was told."""
    return round(value / MS, digits)


# --- real traces -------------------------------------------------------------------------------------------------

def graph_launches(path):
    yield "each launch call once", sum(r["api_sum"] or 0 for r in rows("launch", path)), 84383798
    yield "steps are graph launches", len(rows("iters", path)), 1001


def drained_llama(path):
    yield "after cudaDeviceSynchronize", round(opened(path)["cudaDeviceSynchronize"] / MS), 598


def drained_power_iteration(path):
    found = opened(path)
    yield "after cudaMemcpyAsync", round(found["cudaMemcpyAsync"] / MS), 653
    yield "nothing else", round(100 * found["cudaMemcpyAsync"] / sum(found.values())), 100


def registered(path):
    found = rows("idle", path, "--by", "detail", "--gpu=0")
    yield "cuMemHostRegister is no plain call", [r["sum"] for r in found if r["cause"] == "api" and "HostRegister" in r["detail"]], []
    # 54.7 ms of it are idle; what MPI does with it counts as MPI.
    registered_ns = sum(r["sum"] for r in found if r["cause"] == "alloc" and "HostRegister" in r["detail"])
    mpi_ns = sum(r["sum"] for r in found if r["cause"] == "mpi")
    yield "cuMemHostRegister is an allocation, or part of an MPI call", registered_ns < 54.7e6 <= registered_ns + mpi_ns, True


def same_in_both_exports(new, old):
    """One report: the older export has the MPI calls as ranges, the newer has tables of them."""
    for scenario in "class=mpi:0", "host-starved":
        mine, other = (rows("whatif", path, "--with", scenario)[0] for path in (old, new))
        yield scenario, *({k: r[k] for k in ("saving", "replayed", "changed")} for r in (mine, other))
    mine, other = ([(r["code"], r["saving"], r["severity"]) for r in rows("findings", path) if r["saving"]] for path in (old, new))
    yield "savings of the findings", mine, other


def copies_within(path):
    row, = rows("overlap", path)
    yield "exposed copies without DtoD", about(row["exposed_copy"], 1), 20.6
    stages = [r for r in rows("overlap", path, "--by", "stage") if not r["total"]]
    yield "all-reduces with a stage", sum(r["comm_calls"] for r in stages if r["stage"] != "(none)"), 472


def migrations(path):
    found = {r["kind"]: r for r in rows("transfers", path)}
    yield "HtoD inside kernels", about(found["managed HtoD"]["inside_kernels"], 1), 22.8
    yield "and so not exposed", found["managed HtoD"]["exposed"], 0


def before_the_steps(path):
    """Idle time before the first of four steps is 28% of the window, in few gaps of host code."""
    first = min(r["start"] for r in rows("iters", path))
    gaps = sum(min(r["start"] + r["duration"], first) - r["start"] for r in rows("gaps", path, "-n", "0") if r["start"] < first)
    claimed = sum(r["gpu_time"] for r in rows("findings", path, "--all") if r["code"] == "start-up")
    yield "nearly all of it is claimed", 0.95 * gaps < claimed <= 1.05 * gaps, True


def exchanged(path):
    """Ends of the SendRecv of streams 7 and 15 lie 2 to 27 us apart, and agree far better than durations: one group."""
    found = rows("nccl", path)
    yield "SendRecv", sorted((r["device"], r["stream"], r["calls"], r["wait_all"]) for r in found), [(0, 7, 33, 11395541), (1, 15, 33, 2451989)]


CORPUS = {"instant-ngp-cudagraph-nodes": graph_launches, "llama3-inference-2024.6": drained_llama,
          "nsightful-power-iteration-2025.3": drained_power_iteration, "p2p-acc-4gpu-mpi-openacc": registered,
          "nersc-sc22-ddp-4gpu-baseline": copies_within, "icon-uvm-2025.1": migrations, "cudf-groupby-2020": before_the_steps, "nsys-ai-mfu-2gpu-before": exchanged}

PAIRS = {"p2p-acc-4gpu-mpi-openacc": ("trace.sqlite.zst", "trace-2022.4.sqlite.zst", same_in_both_exports)}


# --- small ones ---------------------------------------------------------------------------------------------------

def two_communicators(path, _):
    yield "wait", {r["device"]: r["wait_all"] for r in rows("nccl", path)}, {0: 120000, 1: 0, 2: 120000, 3: 0}
    stragglers = {r["subject"] for r in rows("findings", path, "--all") if r["code"] == "straggler"}
    yield "nobody but 1 and 3", stragglers <= {"GPU 1", "GPU 3"}, True


def crossing_domains(path, _):
    found = {r["name"]: (r["gpu_ops"], r["projected"]) for r in rows("nvtx", path)}
    yield "domA:A", found["domA:A"], (2, 60)


def epochs(path, _):
    yield "steps, not epochs", len(rows("iters", path)), 100


def layers(path, _):
    yield "turns of 8 layers", len(rows("iters", path)), 20


def stalled(path, _):
    found, = (r["finding"] for r in rows("findings", path) if r["code"] == "slow-iterations")
    yield "the step that was held up", "before step 7" in found and "step 6" not in found, True


def wrappers(path, other):
    found = {r["name"]: r["was"] for r in rows("diff", path, other, "--section", "kernels")}
    wrong = [(was, name) for name, was in found.items() if "flash::" in (was or "") and "Gemm" in name or "_add<" in (was or "") and "silu" in name]
    yield "attention is no product, and adding no activation", wrong, []


def userbuffers(path, _):
    found = {r["stream"]: r["type"] for r in rows("nccl", path)}
    yield "types", [found[s] for s in range(100, 112)], ["AllReduce"] * 3 + ["AllGather"] * 3 + ["ReduceScatter"] * 6


def partitions(path, _):
    yield "two devices", len(rows("overlap", path)), 2


def call_classes(path, _):
    query = oracle.Query(Trace(path))
    keys = ["device", "cause", "detail", "opened_by", "opened_in"]
    yield "idle", compare.rows(rows("idle", path, "--by", "detail"), idle.idle(query, True), keys), []
    yield "gaps", compare.rows(rows("gaps", path, "--min=0ns"), [listed(r) for r in idle.gaps(query, 0)], ["device", "start"]), []


SMALL = [("tp", None, two_communicators), ("cross", None, crossing_domains), ("epoch", None, epochs), ("layers", None, layers),
         ("load", None, stalled), ("da", "db", wrappers), ("ub", None, userbuffers), ("mig", None, partitions), ("apis", None, call_classes)]


def main():
    tally = wl.Tally()
    with tempfile.TemporaryDirectory(prefix="wl-known-") as scratch:
        for name, figures in CORPUS.items():
            path = unpacked(os.path.join(wl.CORPUS, name), "trace.sqlite.zst", scratch)
            for what, got, want in figures(path) if path else ():
                tally.equal("%s: %s" % (name, what), got, want)
        for name, (first, second, figures) in PAIRS.items():
            paths = [unpacked(os.path.join(wl.CORPUS, name), export, scratch) for export in (first, second)]
            for what, got, want in figures(*paths) if all(paths) else ():
                tally.equal("%s: %s" % (name, what), got, want)
        for name, other, figures in SMALL:
            path = unpacked(REPRO, name + ".sqlite.zst", scratch)
            second = unpacked(REPRO, other + ".sqlite.zst", scratch) if other else None
            for what, got, want in figures(path, second) if path else ():
                tally.equal("%s: %s" % (name, what), got, want)
    if not tally.passed and not tally.failed:
        wl.skip_without_corpus()
    tally.finish()


if __name__ == "__main__":
    main()
