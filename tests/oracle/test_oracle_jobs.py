#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The oracle for jobs against what was planted, and against the figures of the definition; the program is not run."""
import collections
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "jobs"))
import clocks  # noqa: E402
import graph  # noqa: E402
import job as jobs  # noqa: E402
import random_jobs  # noqa: E402
import ranks  # noqa: E402
import reasons  # noqa: E402
import replay  # noqa: E402
import waits  # noqa: E402
import wl  # noqa: E402

TWIN_OFF = 0.0067                       # the worst prediction of a straggler's twin in the definition of inferred waits, without experts
GENERATOR = os.path.join(os.path.dirname(HERE), "support", "gen_trace.py")


def opened(paths):
    job = jobs.Job(paths)
    ranks.assign(job)
    return clocks.settle(job)


def generate(out, options):
    subprocess.run([sys.executable, "-B", GENERATOR, "-o", out, *options.split()], check=True, stdout=subprocess.DEVNULL)
    return out


def matched(job):
    """The matches of GPU operations as sets of (file, pid, correlation id)."""
    return {frozenset((c.member.process.file.name, c.member.process.pid, c.row.correlation) for c in m.row)
            for m in job.matches if not m.kind.startswith("MPI_")}


def planted(tally, seed):
    """Random jobs: every planted collective is matched and nothing else; the replay changes nothing; clocks are found."""
    with tempfile.TemporaryDirectory(prefix="wl-jobs-") as scratch:
        made = random_jobs.Job(seed)
        job = opened(made.write(scratch))
        got, want = matched(job), made.expected()
        tally.check("seed %d matches" % seed, ["missing %d, too many %d" % (len(want - got), len(got - want))] if got != want else [])
        wrong, circles = replay.identity(graph.Graph(job))
        tally.equal("seed %d identity" % seed, (len(wrong), circles), (0, 0))
        tally.equal("seed %d one job" % seed, len(ranks.groups(job)), 1)
        tally.equal("seed %d violations" % seed, job.violations, 0)


def jumped(tally, seed):
    """A clock that jumps fits no line: cross-host statements are refused."""
    made = random_jobs.Job(seed)
    if len(made.hosts) < 2 or made.payload != "2.25" or made.desync:
        return
    made.jump = 5_000_000
    with tempfile.TemporaryDirectory(prefix="wl-jobs-") as scratch:
        tally.equal("seed %d refused" % seed, opened(made.write(scratch)).refused, True)


def twin(tally, scratch, name, options, figures):
    """(measured, predicted without the straggler's slow kernels, factor in thousandths) of a job with a straggler. Where the prediction
    depends on waits that are inferred, whose definition is younger than the figures, it is compared with the measured clean twin."""
    job = opened([generate(os.path.join(scratch, name), options)])
    for process in job.processes:                           # the figures were taken without event edges
        process.file.side["CUPTI_ACTIVITY_KIND_CUDA_EVENT"] = []
    made = graph.Graph(job)
    wrong, circles = replay.identity(made)
    tally.equal(name + " identity", (len(wrong), circles), (0, 0))
    own, others = reasons.peers(job, made, reasons.suspect(job))
    measured, kernels = reasons.savings(made, own, others)[:2]
    want, predicted, factor = figures
    tally.equal(name + " twin", (measured, round(1000 * reasons.kernel_factor(own, others)[0])), (want, factor))
    if isinstance(predicted, dict):
        tally.check(name + " prediction", [] if abs(kernels - predicted["clean"]) <= TWIN_OFF * predicted["clean"] else [kernels])
    else:
        tally.equal(name + " prediction", kernels, predicted)
    return job


def figures(tally, scratch):
    job = twin(tally, scratch, "train.sqlite", "--ranks 4 --layers 12 --iters 20 --straggler 2:1.15 --seed 1", (1067235639, {"clean": 932250641}, 1149))
    by = waits.by_rank(job.matches)
    tally.equal("train matches", len(job.matches), 500)
    tally.equal("train rank 2", (by[2].caused, by[2].alone, by[2].last), (1927877149, 641885600, 268))
    tally.equal("train wait", [by[r].wait for r in range(4)], [642952271, 642532604, 25906, 642463234])
    tally.equal("train late", [by[r].late for r in range(4)], [642952271, 642532604, 25906, 642463234])
    twin(tally, scratch, "small.sqlite", "--ranks 4 --layers 6 --iters 16 --seed 5 --straggler 1:1.25", (473474628, 380876648, 1249))
    twin(tally, scratch, "moe.sqlite", "--moe --ranks 4 --layers 4 --iters 8 --seed 5 --straggler 1:1.25", (609272547, 502699838, 1246))
    split = os.path.join(scratch, "split")
    generate(split, "--ranks 8 --split --layers 8 --iters 20 --clock-skew 2000000:20 --straggler 3:1.2 --seed 4")
    job = opened(jobs.directory(split))
    tally.equal("split matches", len(job.matches), 340)
    by = waits.by_rank(job.matches)
    tally.check("split caused", [] if abs(by[3].caused - 3127602771) < 20 * 340 * 8 else [by[3].caused])
    tally.check("split wait and late", [(w.wait, w.late) for w in by.values() if abs(w.wait - w.late) > 32 * 340])
    tally.equal("split one job", ranks.groups(job), [list(range(8))])


TRUTHS = (                                                  # options, nanoseconds that clocks leave open per collective
    ("--ranks 4 --layers 2 --iters 4 --payloads json", 0),
    ("--ranks 4 --layers 2 --iters 4 --payloads 2.16", 0),
    ("--ranks 4 --layers 2 --iters 4 --payloads 2.25 --blobs hex", 0),
    ("--ranks 4 --layers 2 --iters 8 --desync 2:5:size --payloads 2.25", 0),
    ("--ranks 4 --layers 2 --iters 8 --stream-shift --job-truth", 0),
    ("--ranks 4 --layers 3 --iters 4 --mpi new", 0),
    ("--ranks 4 --layers 3 --iters 4 --mpi old", 0),
    ("--ranks 4 --layers 2 --iters 8 --split --hosts 2 --split-by host --env torch --job-truth", 0),
    ("--ranks 8 --layers 2 --iters 8 --split --hosts 2 --clock-skew 2000000:20 --job-truth", 40),
    ("--ranks 4 --layers 2 --iters 12 --split --cut all:20ms:20ms --job-truth", 0),
    ("--ranks 4 --layers 2 --iters 12 --split --cut all:20ms:20ms --payloads 2.25", 0),
    ("--ranks 8 --layers 2 --iters 6 --mesh tp=2,pp=2,dp=2 --no-labels", 0),
    ("--ranks 8 --layers 2 --iters 12 --mesh tp=2,pp=2,dp=2 --split --hosts 2 --cut all:20ms:20ms", 0),
)


def against_truth(tally, scratch, number, options, open_ns):
    """The generator's account of its collectives: number by type; wait, late, caused, alone and last by rank."""
    out = os.path.join(scratch, "truth%d" % number + ("" if "--split" in options else ".sqlite"))
    generate(out, options)
    with open(os.path.join(out, "split.truth.json") if os.path.isdir(out) else out + ".truth.json", encoding="utf-8") as f:
        truth = json.load(f)["job"]["matching"]
    job = opened(jobs.directory(out) if os.path.isdir(out) else [out])
    counted = [m for m in job.matches if m.kind not in ("SendRecv", "MPI_Barrier")]
    by_type = collections.Counter(m.kind.replace("MPI_", "") for m in counted)
    tally.equal(options + ": by type", dict(by_type), truth["by_type"])
    by, wrong = waits.by_rank(counted), []
    for rank, want in truth["by_rank"].items():
        for name in ("wait", "late", "caused", "alone", "last"):
            got = getattr(by[int(rank)], name)
            if abs(got - want[name if name == "last" else name + "_ns"]) > open_ns * len(counted):
                wrong.append("rank %s %s: oracle %s, planted %s" % (rank, name, got, want[name if name == "last" else name + "_ns"]))
    tally.check(options, wrong)


def main():
    tally = wl.Tally()
    for seed in wl.seeds(30):
        planted(tally, seed)
        jumped(tally, seed)
    with tempfile.TemporaryDirectory(prefix="wl-jobs-") as scratch:
        figures(tally, scratch)
        for number, (options, open_ns) in enumerate(TRUTHS):
            against_truth(tally, scratch, number, options, open_ns)
    tally.finish()


if __name__ == "__main__":
    main()
