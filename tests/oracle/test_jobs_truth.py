#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Jobs of tests/support/gen_trace.py: their truth recomputed from the rows of their files; warplens is not run."""
import os
import random
import shutil
import tempfile

import planted
import wl
from jobrows import Job

COUNT = int(os.environ.get("ORACLE_SEEDS", "12"))
EPOCH = 1700000000000000000
NEAR = 3                                # ns: rounding of a drifting clock, on both sides
LAG = 15000                             # ns: the longest launch call and its latency
VARIABLE = {"torch": "RANK", "ompi": "OMPI_COMM_WORLD_RANK", "slurm": "SLURM_PROCID"}
# What NCCL 2.16 and 2.25 declare, as real files have it: by schema [(entry, offset, length)]; 0 CommInitRank, 4 AllGather,
# 5 AllReduce, 7 ReduceScatter, 9 Send, 10 Recv.
ID, SIZE, OP, PEER, RANKS, RANK, DEVICE = ("NCCL communicator ID", "Message size [bytes]", "Reduction operation", "Peer rank", "No. of ranks", "Rank", "CUDA device")
LAYOUT = {
    "2.16": {0: [(RANK, 0, 4), (RANKS, 4, 4), (DEVICE, 8, 4)], 4: [(SIZE, 0, 8)], 5: [(SIZE, 0, 8), (OP, 8, 4)], 7: [(SIZE, 0, 8), (OP, 8, 4)],
             9: [(SIZE, 0, 8), (PEER, 8, 4)], 10: [(SIZE, 0, 8), (PEER, 8, 4)]},
    "2.25": {0: [(ID, 0, 8), (RANKS, 8, 4), (RANK, 12, 4), (DEVICE, 16, 4)], 4: [(ID, 0, 8), (SIZE, 8, 8)], 5: [(ID, 0, 8), (SIZE, 8, 8), (OP, 16, 4)],
             7: [(ID, 0, 8), (SIZE, 8, 8), (OP, 16, 4)], 9: [(ID, 0, 8), (SIZE, 8, 8), (PEER, 16, 4)], 10: [(ID, 0, 8), (SIZE, 8, 8), (PEER, 16, 4)]},
}

JOBS = [
    "--ranks 4 --layers 3 --iters 4 --job-truth",
    "--ranks 4 --layers 2 --iters 3 --groups 2 --job-truth --straggler 1:1.3",
    "--ranks 8 --layers 2 --iters 3 --split --hosts 2 --clock-skew 2000000:20 --straggler 3:1.2",
    "--ranks 4 --layers 2 --iters 3 --split --hosts 2 --split-by host --schema 2026.4 --clock-skew 500000",
    "--ranks 4 --layers 2 --iters 3 --split --env ompi --missing 0,3 --names report --first-report 9",
    "--ranks 4 --layers 2 --iters 3 --split --env slurm --begin 3720s --names report --schema 2026.4 --utc-jitter 13",
    "--ranks 4 --layers 2 --iters 3 --split --env torchrun --names report --no-hostname",
    "--ranks 4 --layers 2 --iters 3 --events --noise 0.03",
    "--ranks 4 --layers 2 --iters 3 --events --slow-copies 1:4",
    "--mesh tp=2,pp=2,dp=2 --layers 4 --iters 3 --straggler 5:1.2",
    "--mesh tp=2,dp=2 --layers 2 --iters 3 --no-labels --split --hosts 2 --clock-skew 100000 --stream-shift",
    "--mesh pp=4 --layers 4 --iters 3 --payloads 2.25",
    "--ranks 5 --layers 2 --iters 3 --chain 2 --straggler 0:1.3",
    "--ranks 4 --layers 2 --iters 3 --payloads 2.16",
    "--ranks 4 --layers 2 --iters 3 --payloads 2.25 --blobs hex --split --hosts 2 --groups 2",
    "--mesh tp=2,dp=2 --layers 2 --iters 3 --payloads json --split",
    "--ranks 4 --layers 2 --iters 2 --moe --payloads 2.25",
    "--ranks 4 --layers 2 --iters 2 --moe --events --straggler 1:1.25",
    "--ranks 2 --layers 2 --iters 14 --serving --job-truth",
    "--ranks 4 --layers 3 --iters 3 --mpi new --straggler 2:1.3",
    "--ranks 4 --layers 3 --iters 3 --mpi old --split --hosts 2 --clock-skew 1000000:10 --env ompi",
    "--ranks 4 --layers 2 --iters 3 --mpi new --groups 2",
    "--ranks 4 --layers 3 --iters 3 --mpi new --groups 2 --split --env ompi --late-host 0:1ms",
    "--ranks 4 --layers 2 --iters 5 --split --cut 1:10ms:5ms --payloads json",
    "--ranks 4 --layers 2 --iters 6 --split --hosts 2 --clock-skew 300000:5 --cut all:20ms:20ms",
    "--ranks 4 --layers 2 --iters 5 --desync 2:3",
    "--ranks 4 --layers 2 --iters 5 --desync 1:2:size --payloads 2.25",
    "--ranks 4 --layers 2 --iters 5 --desync 3:0:drop",
]
# (the good twin, what makes it bad, rank)
TWINS = [
    ("--ranks 4 --layers 4 --iters 4 --events", "--straggler 2:1.15", 2),
    ("--ranks 4 --layers 4 --iters 4 --events", "--slow-kernel 1:flash_bwd:1.6", 1),
    ("--ranks 4 --layers 4 --iters 4 --events", "--more-work 3:launches:1.25", 3),
    ("--ranks 4 --layers 4 --iters 4 --events", "--more-work 0:grid:1.3", 0),
    ("--ranks 4 --layers 4 --iters 4 --events", "--late-host 2:3ms", 2),
    ("--ranks 4 --layers 4 --iters 4 --events --batch 67108864", "--slow-copies 1:4", 1),
    ("--mesh tp=2,pp=2,dp=2 --layers 4 --iters 3", "--slow-kernel 6:flash_fwd:1.8", 6),
    ("--ranks 4 --layers 4 --iters 4 --chain 2", "--straggler 0:1.3", 0),
]


def close(got, want, most):
    return abs(got - want) <= most


def skewed(job):
    return any(s["drift_ppb"] for s in job.truth.get("clock_skew", []))


def check_hosts(job):
    """Host names, clocks by UTC, session starts, ranks in the environment."""
    out, truth = [], job.job
    for f in job.files:
        host = next((h for h in truth["hosts"] if f.ranks[0] in h["ranks"]))
        utc, = f.one("SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME")
        start, = f.one("SELECT startTime FROM ANALYSIS_DETAILS")
        offset = next((s["offset_ns"] for s in job.truth.get("clock_skew", []) if s["rank"] == f.ranks[0]), 0)
        if truth["env"]:
            rows = f.db.execute("SELECT value FROM TARGET_INFO_SYSTEM_ENV WHERE name = 'Hostname' UNION ALL SELECT value FROM META_DATA_CAPTURE WHERE name = 'DEVICE_DISPLAY_NAME'").fetchall()
            if not rows or set(rows) != {(host["name"],)}:
                out.append("host of %s" % f.ranks)
            jitter = utc + offset - EPOCH - truth["begin_ns"] - host["offset_ns"]
            if abs(jitter) > 13 or utc != truth["utc_epoch_ns"][f.ranks[0]]:
                out.append("UTC of %s is wrong by %d" % (f.ranks, jitter))
            if job.truth["schema"] == "2026.4" and not close(utc - start, host["boot_utc_ns"], 0):
                out.append("boot of %s" % host["name"])
        env, name = f.environment(), VARIABLE.get(truth["env"])
        want = str(f.ranks[0]) if name and len(f.ranks) == 1 else "0" if truth["env"] == "ompi" and name == "SLURM_PROCID" else None
        if env.get(name) != want:
            out.append("%s of %s is %s" % (name, f.ranks, env.get(name)))
        if truth["env"] == "ompi" and env["SLURM_PROCID"] != "0":
            out.append("SLURM_PROCID")
    if truth["rank_source"] == "file name":
        got = {str(f["ranks"][0]): int("".join(c for c in f["path"] if c.isdigit())) for f in job.truth["files"]}
        if got != truth["rank_shown"]:
            out.append("ranks by file name: %s, truth %s" % (got, truth["rank_shown"]))
    present = {r for f in job.files for r in f.ranks}
    if sorted(set(range(job.truth["ranks"])) - present) != truth["missing"]:
        out.append("missing ranks")
    return out


def sequence(rank):
    """A rank's collectives in the order of their launches: (name, bytes or None, start, end)."""
    calls, out = [c for c in rank.nccl_calls() if c[4]], []
    for k in sorted(rank.comm, key=lambda k: k["corr"]):
        call = rank.calls.get(k["corr"])
        size = next((p.get("Message size [bytes]") for s, e, t, _, p in calls if call and t == call["thread"] and s <= call["start"] and call["end"] <= e), None)
        out.append((k["name"], size, k["start"], k["end"]))
    return out


def check_desync(job):
    """The first place where the members' sequences differ; returns (problems, when the collective that differs began)."""
    want = job.job["desync"]
    lists = [sequence(job.ranks[r]) for r in job.job["communicators"][want["communicator"]]["members"]]
    for i, same in enumerate(zip(*lists)):
        if len({s[:2] for s in same}) > 1:
            stop = max(s[want["instance"]][2] for s, r in zip(lists, job.ranks) if r != want["rank"])
            return ([] if i == want["seen_at"] else ["differs at %d, truth %d" % (i, want["seen_at"])]), stop
    return ["no difference"], 0


def instances(job, comm, stop, used):
    """[[(start, end) per member]] of one communicator, in order: kernels of one name that end together. Larger groups come
    first, so what is used belongs to one of them."""
    members = comm["members"]
    if len(members) < 2:
        return []
    if job.job["mpi"]:
        return [list(x) for x in zip(*(job.ranks[r].mpi("MPI_Allreduce", comm["all"]) for r in members))]
    ends = []
    for r in members:
        at = {}
        for k in job.ranks[r].comm:
            if (r, k["corr"]) in used:
                continue
            for t in range(k["end"] - NEAR, k["end"] + NEAR + 1) if skewed(job) else (k["end"],):
                at[(k["name"], t)] = (k["start"], k["end"], k["corr"])
        ends.append(at)
    out = []
    for k in job.ranks[members[0]].comm:
        same = [at.get((k["name"], k["end"])) for at in ends]
        if all(same) and (stop is None or max(s[0] for s in same) < stop):
            used.update((r, s[2]) for r, s in zip(members, same))
            out.append([s[:2] for s in same])
    return out


def sums(members, found):
    total = {r: dict(wait_ns=0, late_ns=0, caused_ns=0, alone_ns=0, last=0) for r in members}
    for same in found:
        last, shortest = max(s for s, _ in same), min(e - s for s, e in same)
        culprit = min(r for r, (s, _) in zip(members, same) if s == last)
        rest = [s for r, (s, _) in zip(members, same) if r != culprit]
        total[culprit]["caused_ns"] += sum(last - s for s, _ in same)
        total[culprit]["alone_ns"] += last - max(rest)
        total[culprit]["last"] += 1
        for r, (s, e) in zip(members, same):
            total[r]["wait_ns"] += e - s - shortest
            total[r]["late_ns"] += last - s
    return total


def check_matching(job, stop=None):
    out, used = [], set()
    for comm, want in sorted(zip(job.job["communicators"], job.job["matching"]["by_communicator"]), key=lambda x: -len(x[0]["members"])):
        if job.truth["workload"] == "moe" and comm["tag"] == "ep":
            continue                    # all-to-alls do not end together
        comm = dict(comm, all=comm["members"], members=[r for r in comm["members"] if r in job.ranks])
        found = instances(job, comm, stop, used)
        if len(found) != want["matches"]:
            out.append("communicator %d: %d matches, truth %d" % (comm["id"], len(found), want["matches"]))
        most = 2 * len(comm["members"]) * len(found) if skewed(job) else 0
        for r, got in sums(comm["members"], found).items():
            for key, value in got.items():
                if want["matches"] and not close(value, want["by_rank"][str(r)][key], most):
                    out.append("communicator %d, rank %d, %s: %d, truth %d" % (comm["id"], r, key, value, want["by_rank"][str(r)][key]))
    return out


def check_payloads(job):
    """Layouts, communicators, sizes and order of the calls; inits name every communicator of a rank."""
    out, truth = [], job.job
    for f in job.files:
        got = {s - 16777216: [(n, *at) for n, at in e.items()] for s, e in f.schemas.items()}
        if got != LAYOUT.get(truth["payloads"], {}):
            out.append("layouts: %s" % got)
    for r, rank in job.ranks.items():
        mine = [c for c in truth["communicators"] if r in c["members"]]
        calls = [c for c in rank.nccl_calls() if c[4]]
        inits = [p for _, _, _, name, p in calls if name == "ncclCommInitRank"]
        if not truth["windows"][r][0] and sorted((p["No. of ranks"], p["Rank"]) for p in inits) != sorted((len(c["members"]), c["members"].index(r)) for c in mine):
            out.append("inits of rank %d" % r)
        if truth["payloads"] == "2.16":
            want = [(None, kind, size) for _, kind, size in expected(job, r)]
        else:
            want = expected(job, r)
        got = [(p.get("NCCL communicator ID"), name[4:], p["Message size [bytes]"]) for _, _, _, name, p in calls if name != "ncclCommInitRank"]
        if job.truth["workload"] != "moe" and "desync" not in truth and truth["windows"][r] == [None, None] and got != want:
            out.append("calls of rank %d: %s, truth %s" % (r, got[:4], want[:4]))
        if {g[0] for g in got} - {None} - {c["hash"] for c in mine}:
            out.append("unknown communicator on rank %d" % r)
    for f in job.files:
        ids = {}
        for number, size in [(n, (h, c)) for n, h, c in f.rows("NCCL_GPU_OPERATIONS", "operationId,commHash,count")]:
            ids.setdefault(number, set()).add(size)
        if any(len(s) > 1 for s in ids.values()):
            out.append("an operationId has two communicators")
    return out


def expected(job, r):
    """What the truth says about the calls of a rank: (hash, function, bytes); SendRecv is a send or a receive."""
    out = []
    for v in job.job["iteration_variant"]:
        for comm, kind, size, _, times in job.job["variants"][v]:
            c = job.job["communicators"][comm]
            if r in c["members"]:
                out.append((c["hash"], kind, size))
    if not any(k == "SendRecv" for _, k, _ in out):
        return out
    names = iter([n[4:] for _, _, _, n, p in job.ranks[r].nccl_calls() if n in ("ncclSend", "ncclRecv")])
    return [(h, next(names) if k == "SendRecv" else k, s) for h, k, s in out]


def check_events(job, complete):
    """Every wait has its record and is obeyed; complete: nothing else delays an operation than what the rows name."""
    out = []
    for r, rank in job.ranks.items():
        ops = sorted(rank.kernels + rank.copies + rank.sets, key=lambda o: o["corr"])
        lanes = {}
        for o in ops:
            lanes.setdefault(o["stream"], []).append(o)
        released = {}                   # stream: [(correlation of the wait, end of what it waits for)]
        for w in sorted(rank.waits, key=lambda w: w["corr"]):
            record = [c for c in rank.records if c[2] == w["event"] and c[0] < w["corr"]]
            if not record:
                out.append("rank %d: no record of event %d" % (r, w["event"]))
                continue
            number, source, _ = record[-1]
            before = [o for o in lanes.get(source, []) if o["corr"] < number]
            since = before[-1]["corr"] if before else 0
            ends = [o["end"] for o in before[-1:]] + [e for c, e in released.get(source, []) if since < c < number]
            if ends:
                released.setdefault(w["stream"], []).append((w["corr"], max(ends)))
        for stream, lane in lanes.items():
            past, earlier = None, 0
            for o in lane:
                ends = [e for c, e in released.get(stream, []) if earlier < c < o["corr"]]
                if any(e > o["start"] + 1 for e in ends):
                    out.append("rank %d: an operation of stream %d starts before what it waits for" % (r, stream))
                bound = max(ends + [rank.calls[o["corr"]]["start"]] + ([past] if past is not None else []))
                if complete and o["start"] - bound > LAG:
                    out.append("rank %d: %s of stream %d starts %d ns late for no reason" % (r, o.get("name", "copy"), stream, o["start"] - bound))
                past, earlier = max(o["end"], past or 0), o["corr"]
    return out


def check_windows(job):
    out = []
    for r, rank in job.ranks.items():
        first, last = job.job["windows"][r]
        times = [(o["start"], o["end"]) for o in rank.kernels + rank.copies] + [(c["start"], c["end"]) for c in rank.calls.values()]
        if first is not None and min((s for s, _ in times), default=first) < first - 1 or last is not None and max((e for _, e in times), default=last) > last + 1:
            out.append("rank %d has rows outside its window" % r)
    return out


def check_twin(good, bad, rank):
    """The rank differs by its cause alone, the others by nothing; the whole takes longer."""
    out, plant = [], bad.job["plants"][0]
    lengths = [{r: [k["end"] - k["start"] for k in sorted(x.compute, key=lambda k: k["corr"])] for r, x in j.ranks.items()} for j in (good, bad)]
    if any(lengths[0][r] != lengths[1][r] for r in good.ranks if r != rank):
        out.append("kernels of other ranks differ")
    a, b = good.ranks[rank], bad.ranks[rank]
    def ratio(key): return sum(map(key, b.compute)) / sum(map(key, a.compute))
    length = lambda k: k["end"] - k["start"]
    named = lambda k: length(k) if plant.get("kernel", "") in k["name"] else 0
    other = lambda k: 0 if plant.get("kernel", "") in k["name"] else length(k)
    if plant["reason"] == "a" and not close(ratio(length), plant["factor"], .001):
        out.append("factor %.4f" % ratio(length))
    if plant["reason"] == "b" and (not close(ratio(named), plant["factor"], .001) or ratio(other) != 1):
        out.append("factor %.4f" % ratio(named))
    if plant["reason"] == "c":
        got = ratio(lambda k: 1) if plant["how"] == "launches" else ratio(lambda k: k["grid"][0])
        if not close(got, plant["factor"], .01) or not close(ratio(length), plant["factor"], .05):
            out.append("work %.4f, time %.4f" % (got, ratio(length)))
    if plant["reason"] in "de" and lengths[0][rank] != lengths[1][rank]:
        out.append("kernels of the late rank differ")
    if plant["reason"] == "e":
        got = [sum(c["end"] - c["start"] for c in x.copies if c["kind"] == 1) for x in (a, b)]
        if not close(got[1] / got[0], plant["factor"], .001):
            out.append("copies %.4f" % (got[1] / got[0]))
    if plant["reason"] in "abc" and plant.get("how") != "launches" and not close(plant["measured"]["time"], plant["factor"], .05):
        out.append("measured %.4f" % plant["measured"]["time"])
    if plant.get("how") == "launches" and plant["measured"]["launches"] != ratio(lambda k: 1):
        out.append("measured %.4f" % plant["measured"]["launches"])
    whole = [sum(j.truth["iteration_len_ns"]) for j in (good, bad)]
    if plant["reason"] == "d" and not close((whole[1] - whole[0]) / len(bad.truth["iteration_len_ns"]), plant["ns_per_step"], 100_000):
        out.append("late by %d" % (whole[1] - whole[0]))
    if whole[1] < whole[0] * 1.02 or bad.job["culprit"] != rank:
        out.append("costs %.2f %%" % (100 * whole[1] / whole[0] - 100))
    return out


def random_options(seed):
    r = random.Random(seed)
    work = r.choice(["--ranks 4 --layers 2", "--ranks 6 --layers 2 --groups 3", "--mesh tp=2,pp=2 --layers 2", "--mesh dp=2,pp=3 --layers 3 --microbatches 1",
                     "--mesh tp=2,dp=2 --layers 1", "--ranks 4 --layers 2 --chain %d" % r.choice([2, 3]), "--ranks 4 --layers 3 --mpi " + r.choice(["old", "new"]),
                     "--ranks 4 --layers 1 --moe"])
    rank = r.randrange(4)
    out = [work, "--iters %d" % r.randint(2, 5), "--seed %d" % seed]
    out += r.choice([[], ["--straggler %d:1.%d" % (rank, r.randint(1, 5))], ["--late-host %d:%dus" % (rank, r.randint(300, 5000))], ["--noise 0.0%d" % r.randint(1, 5)],
                     ["--more-work %d:%s:1.%d" % (rank, r.choice(["grid", "launches"]), r.randint(1, 9))], ["--slow-copies %d:3" % rank]])
    if "--mpi" not in work and r.random() < .4:
        out += ["--payloads " + r.choice(["2.16", "2.25", "2.25 --blobs hex", "json"])]
    if r.random() < .3:
        out += ["--schema 2026.4"]
    out += ["--events"] if r.random() < .5 else ["--job-truth"]
    if r.random() < .6:
        out += ["--split", "--hosts " + r.choice("12"), "--clock-skew %d:%d" % (r.choice([0, 1000, 3000000]), r.choice([0, 20]))]
        out += r.choice([[], ["--split-by host"], ["--names report"], ["--cut all:%dms:%dms" % (r.randint(1, 9), r.randint(1, 9))], ["--missing %d" % rank, "--env slurm"]])
    if r.random() < .2:
        out += ["--stream-shift"]
    if "--cut" not in " ".join(out) and "--ranks 4 --layers 2" in work and "--chain" not in work and "--missing" not in " ".join(out) and r.random() < .3:
        out += ["--desync %d:1" % rank]
    return " ".join(out)


def made(scratch, options):
    path = os.path.join(scratch, "job" if "--split" in options else "job.sqlite")
    shutil.rmtree(path, ignore_errors=True)
    planted.run("gen_trace.py", "-o", path, *options.split())
    return Job(path)


def main():
    tally = wl.Tally()
    with tempfile.TemporaryDirectory(prefix="wl-jobs-") as scratch:
        for options in JOBS + [random_options(seed) for seed in range(1, COUNT + 1)]:
            job, stop, problems = made(scratch, options), None, []
            if "desync" in job.job:
                problems, stop = check_desync(job)
            tally.check("desync: " + options, problems)
            tally.check("hosts: " + options, check_hosts(job))
            tally.check("matching: " + options, check_matching(job, stop))
            tally.check("windows: " + options, check_windows(job))
            if job.job["payloads"]:
                tally.check("payloads: " + options, check_payloads(job))
            if "--cut" not in options and "--desync" not in options and "--serving" not in options:
                complete = (job.truth["workload"] in ("mesh", "chain", "mpi") or "--events" in options) and "--noise" not in options
                tally.check("events: " + options, check_events(job, complete))
            job.close()
        for good, cause, rank in TWINS:
            first = made(os.path.join(scratch), good + " --job-truth")
            second = os.path.join(scratch, "second")
            os.makedirs(second, exist_ok=True)
            bad = made(second, good + " " + cause)
            tally.check("twin: %s %s" % (good, cause), check_twin(first, bad, rank))
            tally.check("events: %s %s" % (good, cause), check_events(bad, True))
            first.close(), bad.close()
    tally.finish()


if __name__ == "__main__":
    main()
