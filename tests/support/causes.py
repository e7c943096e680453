#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""causes.py - writes small Nsight Systems SQLite exports in which the cause of lost time is known.

A data-parallel training job is simulated (cause_sim.py). Each case changes one thing. Beside the files, truth.json
says per case: what was planted, on which ranks, in which steps, how long the run is, how long it is without the cause
(the clean twin is simulated with the same random numbers), and so the true saving.

  causes.py -o DIR              write every case
  causes.py -o DIR 21 28 j_     write the cases whose names are or begin so
  causes.py --list              list the cases
  causes.py -o DIR --random 20 --seed 7 --lag 3 --jitter 8 [--events]   20 random causes, r0 ... r19
  causes.py -o DIR --random 20 --seed 7 --clean                         the same jobs without a cause

--lag: us from the end of a producer to the start of its dependant on another stream; --jitter: us by which ranks leave
a collective early; --events: rows that prove the waits between streams. The output is the same in every run.
plant.py edits traces of gen_trace.py instead.
"""
import argparse
import json
import os
import random
import sys

sys.dont_write_bytecode = True
from cause_file import File
from cause_sim import REDUCE, SMALL, Sim

LAYERS = 6


class Case:
    """keep: options of the clean twin too; cause_of: those that are the cause. files: how many ranks each file has."""
    def __init__(self, what, cause, ranks=None, steps=None, keep=None, files=None, more=None, **cause_of):
        self.what, self.cause, self.ranks, self.steps = what, cause, ranks, steps
        self.keep, self.files, self.more, self.cause_of = keep or {}, files, more or {}, cause_of

    def runs(self):
        """(the run, the clean run)."""
        run = Sim(**{"layers": LAYERS, **self.keep, **self.cause_of})
        return run, Sim(**{"layers": LAYERS, **self.keep}) if self.cause_of else run

    def write(self, directory, name):
        """Writes the files; what truth.json says of them."""
        run, clean = self.runs()
        files = [name + ".sqlite"]
        if self.files:
            clock, files = random.Random(3), []
            os.makedirs(os.path.join(directory, name), exist_ok=True)
            for node in range(run.ranks // self.files):
                files.append("%s/node%d.sqlite" % (name, node))
                offset, drift = (clock.randrange(2_000_000), clock.randrange(-20000, 20000)) if node else (0, 0)
                File(run, os.path.join(directory, files[-1]), list(range(node * self.files, (node + 1) * self.files)), "node%d" % node, offset, drift, True)
        else:
            File(run, os.path.join(directory, files[0]))
        saving = run.span() - clean.span()
        return {"files": files, "what": self.what, "cause": self.cause, "ranks": self.ranks, "steps": self.steps, "ranks_in_job": run.ranks,
                "steps_in_run": run.steps, "span_ns": run.span(), "clean_span_ns": clean.span(), "saving_ns": saving,
                "saving_share": round(saving / run.span(), 4), "communicators": run.groups, "event_rows": bool(run.records), **self.more}


# --- what is changed -------------------------------------------------------------------------------------------

def slow(ranks, factor, steps=None, part=""):
    """Operations of these ranks (None: all), steps and names take so many times as long."""
    def length(rank, step, name, ns, _):
        return ns * factor if (ranks is None or rank in ranks) and (steps is None or step in steps) and part in name else ns
    return length


def late(rank, layer, steps, ns):
    """The host of a rank is late before a layer."""
    def stop(sim, r, step, at):
        if r == rank and step in steps and at == layer:
            sim.host[r] += ns
    return stop


def allocate(sim, rank, _step, _layer):
    sim.call(rank, "cudaFree_v3020", 1_500_000)
    sim.call(rank, "cudaMalloc_v3020", 1_000_000)


def read_item(sim, rank, step, _layer):
    sim.copy(rank, step, "DtoH", 4, 7, 0, 0)
    sim.sync(rank, 7, 60_000)


def load_module(sim, rank, step, layer):
    if step in (6, 12) and layer == 2:
        sim.call(rank, "cuModuleLoadData", 30_000_000)


def more_kernels(ranks, count, ns, steps=None):
    def add(sim, rank, step):
        for _ in range(count if rank in ranks and (steps is None or step in steps) else 0):
            sim.kernel(rank, step, REDUCE, ns)
    return add


def tenant(rank, begin=0.0, end=1.0, pid=90000, length=250_000, every=300_000):
    """Another process runs kernels on the rank's GPU."""
    def add(sim):
        low, high = min(row[0] for row in sim.kernels), max(row[1] for row in sim.kernels)
        t, stop = int(low + (high - low) * begin), low + (high - low) * end
        while t + length <= stop:
            sim.others.append((t, t + length, rank, pid, "other_job_gemm"))
            t += every
    return add


def copied(size, stream, steps):
    """A copy to the host after these steps."""
    return lambda sim, r, i: sim.copy(r, i, "DtoH", size, stream) if i in steps else None


def gap(ranks, steps, ns):
    """Host time before a step."""
    return lambda r, i: ns if (ranks is None or r in ranks) and (steps is None or i in steps) else 30e3


# --- the cases -------------------------------------------------------------------------------------------------

def every(k, first):
    return list(range(first, 20, k))


def single():
    """One rank, or one part of the run, is the cause."""
    some = sorted(random.Random(5).sample(range(20), 6))
    yield "01", Case("one kernel twice as long on rank 3", "slow-kernel", [3], dur=slow([3], 2, None, "flash_fwd"))
    yield "02", Case("host pause of 15 ms on rank 1 in every 5th step", "late-host", [1], every(5, 2), hostgap=gap([1], every(5, 2), 15e6))
    yield "03", Case("host of rank 2 is 8 ms late before layer 3 in every 5th step", "late-host", [2], every(5, 0), prelayer=late(2, 3, every(5, 0), 8_000_000))
    yield "06b", Case("only GPU 1 slows down to +50 %", "slow-gpu-drift", [1], keep={"steps": 25},
                      dur=lambda r, i, n, d, t: d * (1 + .5 * i / 24) if r == 1 else d)
    yield "07", Case("the slow rank changes: rank i mod 4 takes 1.4 times as long", "rotating", [0, 1, 2, 3],
                     dur=lambda r, i, n, d, t: d * 1.4 if r == i % 4 else d)
    yield "07b", Case("rotating host stall of 8 ms", "rotating-host", [0, 1, 2, 3], hostgap=lambda r, i: 8e6 if r == i % 4 else 30e3)
    yield "16", Case("rank 0 runs 5 more kernels per step", "more-work", [0], poststep=more_kernels([0], 5, 600_000))
    yield "17", Case("one GPU, host stall of 20 ms in every 5th step", "slow-iterations", None, every(5, 3), keep={"ranks": 1},
                     hostgap=gap(None, every(5, 3), 20e6))
    yield "19", Case("launches of rank 2 take 400 us", "launch-bound", [2], api=lambda r, i, n: 400_000 if r == 2 else 4000)
    yield "20", Case("the host link of rank 3 copies at 3 GB/s instead of 25", "slow-copies", [3],
                     keep={"input": lambda sim, r, i: sim.copy(r, i, "HtoD", 60_000_000)}, rate=lambda r, i, k: 3.0 if r == 3 else 25.0)
    yield "21", Case("two of four ranks 1.2 times as long", "slow-gpu", [0, 1], dur=slow([0, 1], 1.2))
    yield "24", Case("two of eight ranks 1.2 times as long", "slow-gpu", [4, 5], keep={"ranks": 8}, dur=slow([4, 5], 1.2))
    yield "25", Case("half of eight ranks 1.2 times as long", "slow-gpu", [4, 5, 6, 7], keep={"ranks": 8}, dur=slow(range(4, 8), 1.2))
    yield "25b", Case("one of two ranks 1.2 times as long", "slow-gpu", [1], keep={"ranks": 2}, dur=slow([1], 1.2))
    yield "28", Case("rank 1 takes 1.6 times as long in steps 5-9", "slow-gpu", [1], list(range(5, 10)), dur=slow([1], 1.6, range(5, 10)))
    yield "29", Case("rank 2 takes 1.5 times as long in every 4th step", "slow-gpu", [2], every(4, 1), dur=slow([2], 1.5, every(4, 1)))
    yield "33", Case("a second process runs on GPU 0 all the time; rank 0 takes 1.5 times as long", "shared-gpu", [0], dur=slow([0], 1.5), foreign=tenant(0))
    yield "33b", Case("the same only in steps 8-13", "shared-gpu", [0], list(range(8, 14)), dur=slow([0], 1.5, range(8, 14)), foreign=tenant(0, .35, .74))
    yield "34", Case("the link of rank 3 is slow: transfers 4 times as long, rank 3 leaves 40 us after the others", "slow-link", [3],
                     cdur=lambda i, n, d: d * 4, rankend=lambda r, i: 40_000 if r == 3 else 0)
    yield "35", Case("rank 2 takes 1.5 times as long in 6 of 20 steps, without a pattern", "slow-gpu", [2], some, dur=slow([2], 1.5, some))
    yield "37", Case("16 ranks on 8 nodes, a file per node, clocks apart: nodes 2 and 5 take 1.2 times as long", "slow-node", [4, 5, 10, 11],
                     keep={"ranks": 16, "steps": 12}, files=2, dur=slow([4, 5, 10, 11], 1.2))
    yield "37c", Case("the same job without a slow node", None, keep={"ranks": 16, "steps": 12}, files=2)
    yield "38", Case("rank 1 takes 1.3 and rank 3 takes 1.1 times as long", "slow-gpu", [1, 3],
                     dur=lambda r, i, n, d, t: d * {1: 1.3, 3: 1.1}.get(r, 1))
    yield "40", Case("two ranks; a second process runs on GPU 0, rank 0 takes 1.5 times as long", "shared-gpu", [0], keep={"ranks": 2},
                     dur=slow([0], 1.5), foreign=tenant(0))


def common():
    """All ranks alike; 00 and 11 are clean."""
    yield "00", Case("clean control", None)
    yield "04", Case("input of 60 MB from pageable memory", "pageable-copy", input=lambda sim, r, i: sim.copy(r, i, "HtoD", 60_000_000, 14, 0, 0, 2),
                     rate=lambda r, i, k: 6.0)
    yield "05", Case("data loader takes 12 ms per step, named by NVTX", "host-starved", hostgap=lambda r, i: 12e6, gapname="next(dataloader)")
    yield "05b", Case("the same without NVTX, seen as pthread_cond_wait", "host-starved", keep={"nvtx": False},
                      hostgap=lambda r, i: 12e6, gapos="pthread_cond_wait")
    yield "06", Case("all GPUs slow down to +50 % by the end (throttling)", "drift", keep={"steps": 25}, dur=lambda r, i, n, d, t: d * (1 + .5 * i / 24))
    yield "08", Case("checkpoint copy of 400 MB on the compute stream in every 5th step", "exposed-copy", None, every(5, 4),
                     poststep=copied(400_000_000, 7, every(5, 4)))
    yield "09", Case("a copy in the background makes steps 10-14 1.25 times as long", "episode", None, list(range(10, 15)),
                     dur=slow(None, 1.25, range(10, 15)), poststep=copied(300_000_000, 33, range(10, 15)))
    yield "10", Case("80 kernels of 3 us per layer", "tiny-kernels", postlayer=lambda sim, r, i, l: [sim.kernel(r, i, SMALL, 3_000) for _ in range(80)])
    yield "11", Case("clean control without NVTX", None, keep={"nvtx": False})
    yield "12", Case("slow network: all collectives 8 times as long", "slow-link", cdur=lambda i, n, d: d * 8)
    yield "13", Case("AllGather 30 times as long in one step of 7; all ranks are there and arrive together", "slow-link", None, every(7, 3),
                     cdur=lambda i, n, d: d * 30 if i % 7 == 3 and "Gather" in n else d)
    yield "14", Case("cudaFree and cudaMalloc per layer", "alloc-in-loop", prelayer=allocate)
    yield "15", Case(".item() per layer", "host-sync-idle", postlayer=read_item)
    yield "18", Case("module load of 30 ms in steps 6 and 12", "module-load-in-loop", None, [6, 12], prelayer=load_module)
    yield "22", Case("host time grows by 0.6 ms per step", "drift-host", keep={"steps": 25}, hostgap=lambda r, i: 30e3 + i * 600e3)
    yield "27", Case("the first 4 steps take 3 times as long", "warm-up", None, [0, 1, 2, 3], dur=slow(None, 3, range(4)))
    yield "30", Case("flash_fwd takes 3 times as long from step 10 on, on all GPUs", "level", None, list(range(10, 20)),
                     dur=slow(None, 3, range(10, 20), "flash_fwd"))
    yield "31", Case("pageable device-to-host copy of 2 MB per layer", "pageable-copy", postlayer=lambda sim, r, i, l: sim.copy(r, i, "DtoH", 2_000_000, 7, 0, 0, 0))
    yield "32", Case("input of 60 MB on the compute stream", "exposed-copy", input=lambda sim, r, i: sim.copy(r, i, "HtoD", 60_000_000, 7))
    yield "36", Case("all kernels 1.3 times as long from step 12 of 30 on (power cap)", "level", None, list(range(12, 30)), keep={"steps": 30},
                     dur=slow(None, 1.3, range(12, 30)))
    yield "36b", Case("all kernels 1.3 times as long until step 11 of 30", "level", None, list(range(12)), keep={"steps": 30}, dur=slow(None, 1.3, range(12)))


def waits():
    """Communicators, ends that differ, waits between streams with and without proof."""
    apart, any_lag = {"groups": [[0, 1], [2, 3]]}, {"lag": lambda source: source.randrange(400_000)}
    yield "41", Case("two communicators in lockstep: ranks 0, 1 and ranks 2, 3; clean", None, keep=apart)
    yield "41s", Case("the same, rank 3 takes 1.2 times as long", "slow-gpu", [3], keep=apart, dur=slow([3], 1.2))
    yield "42", Case("two ranks exchange by SendRecv whose ends differ by up to 25 us; rank 1 takes 1.2 times as long", "slow-gpu", [1],
                     keep={"ranks": 2, "p2p": True, "lag": 3000, "jit": (-25000, 1)}, dur=slow([1], 1.2))
    yield "43", Case("waits that cannot be inferred: 0 to 400 us from end to dependant, no event rows; rank 2 takes 1.2 times as long", "slow-gpu", [2],
                     keep=any_lag, dur=slow([2], 1.2))
    yield "43e", Case("the same with event rows", "slow-gpu", [2], keep={**any_lag, "events": True}, dur=slow([2], 1.2))
    for us in ("0", "0.5", "1", "1.9", "3", "5", "8"):
        yield "j_lag" + us, Case("rank 2 takes 1.2 times as long; dependants start %s us after a producer, no event rows" % us, "slow-gpu", [2],
                                 keep={"lag": int(float(us) * 1000)}, dur=slow([2], 1.2))
    for early, us in (("1.5", "1"), ("3", "1.5"), ("8", "1"), ("3", "3"), ("8", "3"), ("8", "8")):
        keep, name = {"lag": int(float(us) * 1000), "jit": (-int(float(early) * 1000), 1)}, "jit-%s..0_lag%s" % (early, us)
        yield "j_" + name, Case("the same, lag %s us, ends up to %s us early" % (us, early), "slow-gpu", [2], keep=keep, dur=slow([2], 1.2))
        yield "c_" + name, Case("clean control with lag %s us, ends up to %s us early" % (us, early), None, keep=keep)
    for name, early in (("lag3", None), ("lag3_jit-3", -3000), ("lag3_jit-8", -8000)):
        keep = {"lag": 3000, "events": True, **({"jit": (early, 1)} if early else {})}
        yield "e_%s_E" % name, Case("rank 2 takes 1.2 times as long, %s, with event rows" % name, "slow-gpu", [2], keep=keep, dur=slow([2], 1.2))


def cases():
    """Name -> case: numbered ones by number, then the others as they are listed."""
    found = dict([*common(), *single(), *waits()])
    return dict(sorted(found.items(), key=lambda item: (0, int(item[0][:2]), item[0]) if item[0][0].isdigit() else (1, 0, "")))


# --- random causes ---------------------------------------------------------------------------------------------

def some_steps(r, steps):
    """(steps, how they are chosen): always, a stretch, every k-th, or any."""
    how = r.choice(["always", "stretch", "every", "any"])
    if how == "always":
        return None, how
    if how == "stretch":
        length = r.randint(3, steps // 2)
        first = r.randint(1, steps - length)
        return list(range(first, first + length)), how
    if how == "every":
        k = r.randint(2, 5)
        return list(range(r.randrange(k), steps, k)), how
    return sorted(r.sample(range(steps), r.randint(3, steps // 2))), how


def drawn(seed, number, options):
    """A random job with a random cause; the job is the same with and without --clean."""
    r = random.Random("causes %d %d" % (seed, number))
    ranks, layers, steps = r.randint(2, 8), r.randint(3, 8), r.randint(16, 24)
    keep = {"ranks": ranks, "layers": layers, "steps": steps, "seed": r.randint(1, 10 ** 6), "lag": round(options.lag * 1000), "events": options.events}
    if options.jitter:
        keep["jit"] = (-round(options.jitter * 1000), 1)
    kind = r.choice(["slow-gpu", "slow-gpu", "slow-kernel", "late-host", "more-work", "slow-copies"])
    who = sorted(r.sample(range(ranks), r.randint(1, ranks // 2)))
    when, how = some_steps(r, steps)
    factor = round(r.uniform(1.1, 1.8), 2)
    if kind == "late-host":
        factor, cause_of = None, {"hostgap": gap(who, when, r.randint(2, 9) * 1e6)}
    elif kind == "more-work":
        factor, cause_of = None, {"poststep": more_kernels(who, r.randint(3, 8), 500_000, when)}
    elif kind == "slow-copies":
        keep["input"] = lambda sim, rank, i: sim.copy(rank, i, "HtoD", 60_000_000)
        factor = r.randint(4, 9)
        cause_of = {"rate": lambda rank, i, k: 25 / factor if rank in who and (when is None or i in when) else 25}
    else:
        factor, part = (round(2 * factor, 2), r.choice(["flash_fwd", "flash_bwd", "gemm"])) if kind == "slow-kernel" else (factor, "")
        cause_of = {"dur": slow(who, factor, when, part)}
    if options.clean:
        return Case("%d ranks, %d layers, %d steps, clean" % (ranks, layers, steps), None, keep=keep)
    what = "%s on ranks %s, %s%s" % (kind, who, how, ", %g times" % factor if factor else "")
    return Case(what, kind, who, when, keep, more={"factor": factor}, **cause_of)


# --- command line ----------------------------------------------------------------------------------------------

def chosen(options):
    if options.random:
        return {"r%d" % n: drawn(options.seed, n, options) for n in range(options.random)}
    known = cases()
    return {name: case for name, case in known.items() if not options.case or name in options.case
            or any(name.startswith(c) for c in options.case if c not in known)}


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("-o", "--out", metavar="DIR", help="directory to write to (made if missing)")
    p.add_argument("--list", action="store_true", help="list the cases")
    p.add_argument("--random", type=int, default=0, metavar="N", help="N random causes instead of the cases")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--lag", type=float, default=1, metavar="US")
    p.add_argument("--jitter", type=float, default=0, metavar="US")
    p.add_argument("--events", action="store_true")
    p.add_argument("--clean", action="store_true", help="the random jobs without their cause")
    p.add_argument("case", nargs="*", help="names of cases, or how they begin (default: all)")
    options = p.parse_args()
    if not options.out and not options.list:
        p.error("-o DIR or --list is needed")
    return p, options


def main():
    parser, options = arguments()
    some = chosen(options)
    if not some:
        parser.error("no such case")
    if options.list:
        for name, case in some.items():
            print("%-22s %s" % (name, case.what))
        return
    os.makedirs(options.out, exist_ok=True)
    path = os.path.join(options.out, "truth.json")
    truth = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            truth = json.load(f)
    for name, case in some.items():
        truth[name] = case.write(options.out, name)
    with open(path, "w", encoding="utf-8") as f:
        json.dump(truth, f, indent=1)
    print("%d cases in %s" % (len(some), options.out))


if __name__ == "__main__":
    main()
