#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The oracle of groups and matches against figures of the definition and against what was planted; the program is not run.

GROUPS_ALL: also the larger traces, all generated truths, extra jitter, and random causes.
"""
import collections
import json
import os
import random
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "jobs"))
import groups  # noqa: E402
import made  # noqa: E402
import random_jobs  # noqa: E402
import test_oracle_jobs  # noqa: E402
import wl  # noqa: E402

ALL = bool(os.environ.get("GROUPS_ALL"))
M8 = "--moe --ranks 8 --layers 3 --iters 5 --seed 78 --pp 4"
MOE = "--ranks 8 --layers 4 --moe --seed 2"
STRAGMOE = "--moe --ranks 4 --layers 4 --iters 8 --seed 5 --straggler 1:1.25"
TRAIN = "--ranks 4 --layers 12 --iters 20 --straggler 2:1.15 --seed 1"
SPLIT = "--ranks 8 --split --layers 8 --iters 20 --clock-skew 2000000:20 --straggler 3:1.2 --seed 4"
SERVING = "--ranks 2 --layers 16 --serving --iters 200 --seed 3"
TRUTHS = test_oracle_jobs.TRUTHS if ALL else [t for t in test_oracle_jobs.TRUTHS if "--mesh" in t[0] or "--cut" in t[0] or "desync" in t[0]]


def found(job):
    """(kind, class of the stream) -> ranks of each group -> matches."""
    out = {}
    for m in job.matches:
        who = tuple(sorted(r for r, _ in m.group.members()))
        by = out.setdefault((m.kind, m.row[0].role[0]), collections.Counter())
        by[who] += 1
    return {key: dict(by) for key, by in out.items()}


def held(tally, what, job, want, operations):
    """Groups and their matches, and how many operations are matched of how many."""
    tally.equal(what + " groups", found(job), want)
    tally.equal(what + " operations", (len(job.collectives) - groups.unmatched(job.collectives)[0], len(job.collectives)), (operations, operations))
    tally.equal(what + " violations", groups.violations(job.matches), 0)


def everybody(n):
    return tuple(range(n))


def ratio(job, lane, *ranks):
    """R1 and R2 of two sets of single queues of a lane (kind, class of the stream)."""
    def queues(wanted):
        out = None
        for key, members in groups.lanes(job.collectives).items():
            for m, q in members:
                if m.rank in wanted and (q[0].kind, q[0].role[0]) == lane and len(q) > 100:
                    one = groups.Group(key, m, q)
                    out = one if out is None else out.take(one, 0, groups.Verdict(True)) or out
        return out
    verdict = groups.belong(*(queues(r) for r in ranks))
    return verdict.r1, verdict.r2


# --- figures ----------------------------------------------------------------------------------------------------

MFU = {     # GPU 0, GPU 1
    "nsys-ai-mfu-2gpu-before": {"matches": 33, "r1": 8.50, "r2": 404.15, "wait": [11395541, 2451989], "late": [10898336, 2477480],
                                "caused": [2477480, 10898336], "last": [11, 22]},
    "nsys-ai-mfu-2gpu-after": {"matches": 31, "r1": 9.40, "r2": 734.52, "wait": [4511180, 18275249], "late": [4266638, 18218556],
                               "caused": [18218556, 4266638], "last": [15, 16]},
}


def real(tally, scratch):
    for name, want in MFU.items():
        path = made.real(scratch, name)
        if path is None:
            continue
        job = made.opened(path)
        held(tally, name, job, {("SendRecv", "compute"): {(0, 1): want["matches"]}}, 2 * want["matches"])
        group, = (g for g in job.groups if len(g.queues) > 1)
        tally.equal(name + " R1, R2", tuple(round(r / 1000, 2) for r in (group.verdict.r1, group.verdict.r2)), (want["r1"], want["r2"]))
        by = [w for _, w in sorted(groups.waits(job.matches).items())]
        for column in ("wait", "late", "caused", "last"):
            tally.equal("%s %s" % (name, column), [getattr(w, column) for w in by], want[column])


def exchanges(tally, scratch):
    """All-to-alls and pipelines, whose members do not leave together."""
    job = made.opened(made.generated(scratch, M8))
    pairs = [(0, 1), (2, 3), (4, 5), (6, 7)]
    held(tally, "m8", job, {("AllReduce", "comm"): {everybody(8): 5}, ("AllReduce", "compute"): dict.fromkeys(pairs, 20),
                            ("SendRecv", "comm"): {**dict.fromkeys(pairs, 240), **{(i, i + 2): 20 for i in range(6)}}}, 2360)
    apart = [groups.belong(a, b) for a in job.groups for b in job.groups if a.lane == b.lane and a.lane[1] == "AllReduce"
             and (a.members(), b.members()) == (frozenset([(4, 4), (5, 5)]), frozenset([(6, 6), (7, 7)]))]
    tally.equal("m8 {4,5} and {6,7}", [(round(v.r1), round(v.r2), bool(v)) for v in apart], [(835, 570, False)])
    job = made.opened(made.generated(scratch, STRAGMOE))
    held(tally, "stragmoe", job, {("AllReduce", "comm"): {everybody(4): 8}, ("AllReduce", "compute"): {(0, 1): 32, (2, 3): 32},
                                  ("SendRecv", "comm"): {(0, 1): 512, (2, 3): 512, (0, 2): 32, (1, 3): 32}}, 2336)
    right = [r1 / r2 for r1, r2 in (ratio(job, ("SendRecv", "comm"), {a}, {b}) for a, b in ((0, 1), (2, 3)))]
    wrong = [groups.belong(*(groups.Group(None, m, q) for m, q in queues)) for lane, members in groups.lanes(job.collectives).items()
             for queues in ((x, y) for x in members for y in members if x[0].rank < 2 <= y[0].rank) if lane[1] == "SendRecv" and len(members[0][1]) == 512]
    tally.check("stragmoe pairs", [] if round(right[0], 2) == 0.05 and 0.50 <= right[1] <= 0.56 else [right])
    tally.check("stragmoe wrong pairs", [(v.r1, v.r2) for v in wrong if v])
    if ALL:
        job = made.opened(made.generated(scratch, MOE))
        both = [(0, 1, 2, 3), (4, 5, 6, 7)]
        held(tally, "moe", job, {("AllReduce", "comm"): {everybody(8): 10}, ("AllReduce", "compute"): dict.fromkeys(both, 40),
                                 ("SendRecv", "comm"): {**dict.fromkeys(both, 640), **{(i, i + 4): 40 for i in range(4)}}}, 5840)


def collectives(tally, scratch):
    job = made.opened(made.generated(scratch, TRAIN))
    held(tally, "train", job, {("AllGather", "comm"): {everybody(4): 240}, ("ReduceScatter", "comm"): {everybody(4): 240}, ("AllReduce", "comm"): {everybody(4): 20}}, 2000)
    by = [w for _, w in sorted(groups.waits(job.matches).items())]
    tally.equal("train rank 2", (by[2].caused, by[2].alone, by[2].last), (1927877149, 641885600, 268))
    for column in ("wait", "late"):
        tally.equal("train " + column, [getattr(w, column) for w in by], [642952271, 642532604, 25906, 642463234])
    job = made.opened(made.generated(scratch, SPLIT))
    held(tally, "split", job, {("AllGather", "comm"): {everybody(8): 160}, ("ReduceScatter", "comm"): {everybody(8): 160}, ("AllReduce", "comm"): {everybody(8): 20}}, 2720)
    by = [w for _, w in sorted(groups.waits(job.matches).items())]
    tally.check("split rank 3", [] if abs(by[3].caused - 3127602771) <= 8 * 32 * 340 else [by[3].caused])
    tally.check("split wait and late", [(w.wait, w.late) for w in by if abs(w.wait - w.late) > 32 * 340])
    if ALL:
        job = made.opened(made.generated(scratch, SERVING))
        tally.equal("serving", (len(job.matches), groups.unmatched(job.collectives)[0]), (6600, 0))


def causes(tally, scratch):
    paths = made.planted(scratch, ["00", "21", "34", "41", "41s", "42", "j_jit-8..0_lag1", "c_jit-8..0_lag1", "37"])
    four, two = {everybody(4): 120}, {(0, 1): 120, (2, 3): 120}
    of = {name: made.opened(path) for name, path in paths.items()}
    for name, job in of.items():
        if name == "42":
            held(tally, name, job, {("SendRecv", "comm"): {(0, 1): 240}}, 480)
            continue
        want = {everybody(16): 72} if name == "37" else two if name.startswith("41") else four
        held(tally, name, job, {("AllGather", "comm"): want, ("ReduceScatter", "comm"): want}, 2304 if name == "37" else 960)
    for kind, low, high in (("AllGather", 0.69, 0.75), ("ReduceScatter", 0.27, 0.36)):
        ratios = [r1 / r2 for r1, r2 in (ratio(of["c_jit-8..0_lag1"], (kind, "comm"), {a}, {b}) for a in range(4) for b in range(a))]
        tally.check("c_jit-8..0_lag1 " + kind, [] if (low, high) == (round(min(ratios), 2), round(max(ratios), 2)) else [ratios])
    tally.equal("34 leaves", groups.leaves(of["34"].matches), {(r, r): (40000 * (r == 3), r == 3) for r in range(4)})
    tally.check("nobody else leaves late", [(n, groups.leaves(j.matches)) for n, j in of.items() if n != "34" and any(f for _, f in groups.leaves(j.matches).values())])


# --- what was planted -------------------------------------------------------------------------------------------

def against_truth(tally, scratch, options, open_ns):
    """The generator's account of its collectives: number by type; wait, late, caused, alone and last by rank."""
    path = made.generated(scratch, options)
    with open(os.path.join(path, "split.truth.json") if os.path.isdir(path) else path + ".truth.json", encoding="utf-8") as f:
        truth = json.load(f)["job"]["matching"]
    counted = [m for m in made.opened(path).matches if m.kind not in ("SendRecv", "MPI_Barrier")]
    tally.equal(options + ": by type", dict(collections.Counter(m.kind.replace("MPI_", "") for m in counted)), truth["by_type"])
    by, wrong = {rank: w for (rank, _), w in groups.waits(counted).items()}, []
    for rank, want in truth["by_rank"].items():
        for name in ("wait", "late", "caused", "alone", "last"):
            got = getattr(by[int(rank)], name)
            if abs(got - want[name if name == "last" else name + "_ns"]) > open_ns * len(counted):
                wrong.append("rank %s %s: oracle %s, planted %s" % (rank, name, got, want))
    tally.check(options, wrong)


def random_job(tally, seed):
    """Cut captures, clocks apart, several communicators: every planted collective is matched and nothing else."""
    with tempfile.TemporaryDirectory(prefix="wl-groups-") as scratch:
        planted = random_jobs.Job(seed)
        got, want = test_oracle_jobs.matched(made.opened(*planted.write(scratch))), planted.expected()
        tally.check("random job %d" % seed, ["missing %d, too many %d of %d" % (len(want - got), len(got - want), len(want))] if got != want else [])


def jittered(tally, scratch):
    """3 us of extra jitter on every end: all-to-alls stay right, of the pipeline some are left unmatched and none is wrong."""
    for what, options, wide, pipe in (("m8", M8, [(0, 1), (2, 3), (4, 5), (6, 7)], 2), ("moe", MOE, [(0, 1, 2, 3), (4, 5, 6, 7)], 4)):
        job, r = made.opened(made.generated(scratch, options)), random.Random(1)
        for c in job.collectives:
            c.end += r.randrange(-3000, 1)
            c.dur = c.end - c.start
        job.groups, job.matches = groups.find(job.collectives)
        got = found(job)["SendRecv", "comm"]
        tally.equal(what + " all-to-all", sorted(g for g in got if len(g) > 2 or g[1] - g[0] == 1), wide)
        tally.check(what + " pipeline", [g for g in got if g not in wide and g[1] - g[0] != pipe])


def random_causes(tally, scratch):
    """One communicator of all ranks, whatever the cause, with ends up to 8 us early."""
    for number, more in enumerate(((), ("--clean",), ("--lag", "8"))):
        paths = made.planted(scratch, [], "--random", "14", "--seed", str(number), "--jitter", "8", *more)
        for name, path in paths.items():
            job = made.opened(path)
            whole = len({m.key for m in (c.member for c in job.collectives)})
            tally.check("random cause %d %s" % (number, name), [found(job)] if groups.unmatched(job.collectives)[0]
                        or any(len(m.row) < whole for m in job.matches) else [])


def main():
    tally = wl.Tally()
    with tempfile.TemporaryDirectory(prefix="wl-groups-") as scratch:
        for part in (real, exchanges, collectives, causes) + ((jittered, random_causes) if ALL else ()):
            part(tally, scratch)
        for options, open_ns in TRUTHS:
            against_truth(tally, scratch, options, open_ns)
    for seed in wl.seeds(60 if ALL else 6):
        random_job(tally, seed)
    tally.finish()


if __name__ == "__main__":
    main()
