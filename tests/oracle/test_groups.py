#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Groups and matches of `nccl --list` against the definition (jobs/groups.py): generated, real and planted traces.

GROUPS_ALL: also the larger ones, and all planted causes. RANDOM_JOBS=N, ORACLE_BASE=S: besides, N random jobs from seed S on. Copies whose ends are early by up to 3 and 8 us are compared, too, with what
their definition says of them.
"""
import glob
import os
import random
import re
import sqlite3
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "jobs"))
import groups  # noqa: E402
import made  # noqa: E402
import test_oracle_groups as figures  # noqa: E402
import wl  # noqa: E402

# type, ranks -> matches, as the definition's table has them. Options for which it has none are of our own: each layer of a training job
# has one AllGather and one ReduceScatter, each step one AllReduce; each layer of a server two AllReduces, each step one AllGather.
FOUR = tuple(range(4))
TABLE = {
    figures.M8: {("AllReduce", tuple(range(8))): 5, **{(kind, pair): n for pair in ((0, 1), (2, 3), (4, 5), (6, 7)) for kind, n in (("AllReduce", 20), ("SendRecv", 240))},
                 **{("SendRecv", (i, i + 2)): 20 for i in range(6)}},
    figures.MOE: {("AllReduce", tuple(range(8))): 10, **{(kind, half): n for half in (FOUR, (4, 5, 6, 7)) for kind, n in (("AllReduce", 40), ("SendRecv", 640))},
                  **{("SendRecv", (i, i + 4)): 40 for i in range(4)}},
    figures.STRAGMOE: {("AllReduce", FOUR): 8, **{(kind, pair): n for pair in ((0, 1), (2, 3)) for kind, n in (("AllReduce", 32), ("SendRecv", 512))},
                       ("SendRecv", (0, 2)): 32, ("SendRecv", (1, 3)): 32},
    figures.TRAIN: {("AllGather", FOUR): 240, ("ReduceScatter", FOUR): 240, ("AllReduce", FOUR): 20},
    figures.SPLIT: {("AllGather", tuple(range(8))): 160, ("ReduceScatter", tuple(range(8))): 160, ("AllReduce", tuple(range(8))): 20},
    figures.SERVING: {("AllReduce", (0, 1)): 6400, ("AllGather", (0, 1)): 200},
    "nsys-ai-mfu-2gpu-before": {("SendRecv", (0, 1)): 33}, "nsys-ai-mfu-2gpu-after": {("SendRecv", (0, 1)): 31},
    **{case: {(kind, FOUR): 120 for kind in ("AllGather", "ReduceScatter")} for case in ("00", "21", "34", "j_jit-8..0_lag1", "c_jit-8..0_lag1")},
    **{case: {(kind, pair): 120 for pair in ((0, 1), (2, 3)) for kind in ("AllGather", "ReduceScatter")} for case in ("41", "41s")},
    "42": {("SendRecv", (0, 1)): 240},
}
# ranks, layers, iterations, more
OWN = ((2, 3, 8, "--seed 61"), (3, 2, 10, "--seed 62 --noise 0.03"), (4, 2, 6, "--seed 63 --straggler 0:1.3"), (5, 1, 12, "--seed 64 --events"),
       (6, 2, 5, "--seed 65"), (8, 2, 4, "--seed 66 --noise 0.05"), (4, 3, 20, "--seed 67 --serving"))
REAL = ["nsys-ai-mfu-2gpu-before", "nsys-ai-mfu-2gpu-after"]
UNIT = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
ROUNDED = 20                            # ns: three times are rounded on each clock, and medians of them are taken
PLANTED = ["00", "21", "34", "41", "41s", "42", "j_jit-8..0_lag1", "c_jit-8..0_lag1"]


def ours(path):
    """(type, ranks) -> first arrival and (dur, transfer, wait_all, late) of each member, by match."""
    status, answer = wl.run("nccl", "--list", path)
    out, matches = {}, {}
    for row in answer["rows"] if status == 0 else []:
        matches.setdefault(row["match"], []).append(row)
    for rows in matches.values():
        def rank(row):
            return row["device"] if row["rank"] is None else row["rank"]
        rows.sort(key=rank)
        out.setdefault((rows[0]["type"], tuple(map(rank, rows))), []).append(
            (min(r["arrival"] for r in rows), [(r["dur"], r["transfer"], r["wait_all"], r["late"]) for r in rows]))
    return {key: [m for _, m in sorted(found)] for key, found in out.items()}


def oracle(job):
    out = {}
    for m in job.matches:
        row = sorted(m.row, key=lambda c: c.member.key)
        last, transfer = max(c.start for c in row), min(c.dur for c in row)
        out.setdefault((m.kind, tuple(c.member.rank for c in row)), []).append(
            (min(c.start for c in row), [(c.dur, transfer, c.dur - transfer, last - c.start) for c in row]))
    return {key: [m for _, m in sorted(found)] for key, found in out.items()}


def close(got, want, slack):
    return all(abs(a - b) <= slack for x, y in zip(got, want) for a, b in zip(x, y))


def leaves(path):
    """What notes of `nccl` say: rank -> time after the others, as it is printed."""
    status, answer = wl.run("nccl", path)
    notes = answer["notes"] if status == 0 else []
    return dict(m.groups() for m in (re.fullmatch(r"(?:rank (?=\d+ \()|GPU )(\d+)(?: \(GPU \d+\))? leaves collectives (.*) after the others", n) for n in notes) if m)


def in_table(tally, what, path, got):
    """Groups and matches, and that no operation is left over."""
    tally.equal(what + " groups", {key: len(found) for key, found in got.items()}, TABLE[what])
    calls = sum(r["calls"] for r in wl.run("nccl", path)[1]["rows"])
    tally.equal(what + " operations", (sum(len(ranks) * len(found) for (_, ranks), found in got.items()), calls), (calls, calls))


def own(tally, scratch):
    """Jobs of one communicator: all operations are matched."""
    for ranks, layers, iters, more in OWN:
        options, everybody = "--ranks %d --layers %d --iters %d %s" % (ranks, layers, iters, more), tuple(range(ranks))
        TABLE[options] = {("AllReduce", everybody): 2 * layers * iters, ("AllGather", everybody): iters} if "serving" in more else {
            ("AllGather", everybody): layers * iters, ("ReduceScatter", everybody): layers * iters, ("AllReduce", everybody): iters}
        path = made.generated(scratch, options)
        in_table(tally, options, path, ours(path))


def times(path):
    """(type, ranks) -> of each match, in order of its first arrival, the arrival and the end of its members."""
    out, matches = {}, {}
    for row in wl.run("nccl", "--list", path)[1]["rows"]:
        matches.setdefault(row["match"], []).append((row["device"] if row["rank"] is None else row["rank"], row))
    for rows in matches.values():
        rows.sort(key=lambda r: r[0])
        key = rows[0][1]["type"], tuple(rank for rank, _ in rows)
        out.setdefault(key, []).append([(row["arrival"], row["arrival"] + row["dur"]) for _, row in rows])
    return {key: sorted(found, key=min) for key, found in out.items()}


def spreads(one, other):
    """R1 and R2 of two sets of members, in ns, of what the program has matched."""
    d, da = [], []
    for k in groups.sampled(0, len(one)):
        ends = groups.middle([end for _, end in other[k]]) - groups.middle([end for _, end in one[k]])
        d.append(ends)
        da.append(ends - max(start for start, _ in other[k]) + max(start for start, _ in one[k]))
    return groups.spread(d), groups.spread(da)


def part(matches, i):
    return [[row[i]] for row in matches]


def agreement(tally, what, path):
    """What the table has of R1 and R2, and of waiting."""
    if what in figures.MFU:
        found, want = times(path)["SendRecv", (0, 1)], figures.MFU[what]
        tally.equal(what + " R1, R2", tuple(round(r / 1000, 2) for r in spreads(part(found, 0), part(found, 1))), (want["r1"], want["r2"]))
        tally.check(what + " ends", [row for row in found if min(end for _, end in row) < max(start for start, _ in row)])
    if what == figures.M8:
        r1, r2 = spreads(*(times(path)["AllReduce", pair] for pair in ((4, 5), (6, 7))))
        tally.equal(what + " {4,5} and {6,7}", (round(r1), round(r2)), (835, 570))
    if what == "c_jit-8..0_lag1":
        for kind, low, high in (("AllGather", 0.69, 0.75), ("ReduceScatter", 0.27, 0.36)):
            found = times(path)[kind, FOUR]
            ratios = [r1 / r2 for r1, r2 in (spreads(part(found, a), part(found, b)) for a in range(4) for b in range(a))]
            tally.equal("%s %s" % (what, kind), (round(min(ratios), 2), round(max(ratios), 2)), (low, high))


def waits(tally, what, path):
    rows, want = sorted(wl.run("nccl", path)[1]["rows"], key=lambda r: r["device"]), figures.MFU[what]
    for column, name in (("wait_all", "wait"), ("late", "late"), ("caused", "caused"), ("last", "last")):
        tally.equal("%s %s" % (what, name), [r[column] for r in rows], want[name])


def compare(tally, what, path):
    """Equal to the ns on one clock; clocks that were fitted leave some open."""
    job = made.opened(path)
    got, want = ours(path), oracle(job)
    slack = 2000 if len({p.host for p in job.processes}) > 1 else 0
    bad = ["%s: program %d, oracle %d" % (k, len(got.get(k, ())), len(want.get(k, ()))) for k in sorted({*got, *want}, key=repr)
           if len(got.get(k, ())) != len(want.get(k, ()))]
    bad += ["%s, match %d: program %s, oracle %s" % (k, i, g, w) for k in want if not bad
            for i, (g, w) in enumerate(zip(got[k], want[k])) if not close(g, w, slack)]
    tally.check(what, bad)
    if what in TABLE:
        in_table(tally, what, path, got)
        agreement(tally, what, path)
    if what in figures.MFU:
        waits(tally, what, path)
    # On fitted clocks, times differ by what rounding the fit leaves: the least digit of a median may be another one.
    late = {str(rank): after for (rank, _), (after, is_fact) in groups.leaves(job.matches).items() if is_fact}
    said = {rank: float(text.split()[0]) * UNIT[text.split()[1]] for rank, text in leaves(path).items()}
    tally.check(what + " leaves", ["%s: program %s, oracle %s" % (rank, said.get(rank), late.get(rank)) for rank in sorted({*said, *late})
                                   if rank not in said or rank not in late or
                                   abs(said[rank] - late[rank]) > 0.0005 * late[rank] + 1 + (ROUNDED if slack else 0)])


# --- ends that jitter -------------------------------------------------------------------------------------------

EIGHT = [(0, 1), (2, 3), (4, 5), (6, 7)]
PIPE = [(i, i + 2) for i in range(6)]
SOONEST = 0.04                          # by how much the share of matched operations may differ from the definition's, by chance


def make_early(path, most, seed):
    """Communication on GPUs ends by up to so many ns sooner."""
    r = random.Random(seed)
    for name in sorted(glob.glob(os.path.join(path, "*.sqlite"))) if os.path.isdir(path) else [path]:
        db = sqlite3.connect(name)
        rows = db.execute("SELECT k.rowid, k.start, k.end FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.demangledName "
                          "WHERE s.value LIKE '%nccl%' OR s.value LIKE '%cross_device_reduce%' ORDER BY k.rowid").fetchall()
        db.executemany("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = ? WHERE rowid = ?",
                       [(max(start + 1, end - r.randrange(most + 1)), row) for row, start, end in rows])
        db.commit()
        db.close()


def early(tally, scratch, name, options, most, is_compared=True):
    path = made.generated(scratch, options)
    make_early(path, most, 1)
    if is_compared:
        compare(tally, "%s, ends up to %d us early" % (name, most // 1000), path)
    return {key: len(found) for key, found in ours(path).items()}


def exchanges_that_jitter(tally, scratch):
    """All-to-alls stay right, 240 and 640 matches each; of the pipeline of m8 about 89% are matched where ends differ by 3 us, and none
    with the wrong rank. Reductions of groups in step may be one, but never of a part of a group."""
    halves, across = [(0, 1, 2, 3), (4, 5, 6, 7)], [(i, i + 4) for i in range(4)]
    m8, moe = ("m8", figures.M8, EIGHT, 240, PIPE), ("moe", figures.MOE, halves, 640, across)
    for (name, options, wide, each, pipe), most in ((m8, 3000), (m8, 8000), (moe, 3000), (moe, 8000))[:4 if figures.ALL else 2]:
        got = early(tally, scratch, name, options, most, figures.ALL or most == 3000)
        reduced = [ranks for kind, ranks in got if kind == "AllReduce"]
        tally.check(name + " reductions", [ranks for ranks in reduced if any(set(g) & set(ranks) and not set(g) <= set(ranks) for g in wide)])
        sends = {ranks: n for (kind, ranks), n in got.items() if kind == "SendRecv"}
        tally.equal(name + " all-to-all", {g: sends.get(g) for g in wide}, dict.fromkeys(wide, each))
        tally.check(name + " exchanges", [g for g in sends if g not in wide and g not in pipe])
        if name == "m8" and most == 3000:
            share = sum(sends.get(g, 0) for g in PIPE) / 120
            tally.check("m8 pipeline", [] if abs(share - 0.89) <= SOONEST else [share])


def too_short_to_match(tally, scratch):
    """Reductions of 10 us hardly overlap where ends differ by 8 us: no group is made up for them."""
    got = early(tally, scratch, "serving", figures.SERVING, 8000)
    tally.equal("serving early", got, {("AllGather", (0, 1)): 200})


def files_that_jitter(tally, scratch):
    """Eight files on clocks of their own: all are one group once the clocks are fitted."""
    got = early(tally, scratch, "split", figures.SPLIT.replace("--seed 4", "--seed 44"), 3000)
    everybody = tuple(range(8))
    tally.equal("split early", got, {("AllGather", everybody): 160, ("ReduceScatter", everybody): 160, ("AllReduce", everybody): 20})


# --- random jobs ------------------------------------------------------------------------------------------------

def random_options(r):
    """Of gen_trace.py, of small jobs: with one communicator or two, on a mesh, with experts, of a server, or a file per rank."""
    kind = r.choice(("train", "train", "groups", "mesh", "mesh", "moe", "serving", "split", "chain"))
    ranks, layers, iters = r.choice((2, 3, 4, 6, 8)), r.choice((1, 2, 4)), r.choice((3, 6, 10))
    out = {"train": "--ranks %d" % ranks, "groups": "--ranks %d --groups 2" % r.choice((4, 6, 8)), "moe": "--ranks %d --moe --chunks 2" % r.choice((4, 8)),
           "mesh": "--mesh tp=%d,pp=%d,dp=%d --microbatches %d" % (r.choice((1, 2)), r.choice((1, 2, 4)), r.choice((1, 2)), r.choice((1, 2, 3))),
           "serving": "--ranks %d --serving" % r.choice((2, 4)), "chain": "--ranks %d --chain 2" % r.choice((4, 6)),
           "split": "--ranks %d --split --clock-skew %d:%d" % (ranks, r.randint(0, 10 ** 6), r.randint(0, 20))}[kind]
    out += " --layers %d --iters %d --seed %d" % (layers if kind != "moe" else 2, iters, r.randint(1, 10 ** 6))
    if kind not in ("serving", "moe") and r.random() < 0.4:
        out += " --noise %.3f" % r.uniform(0, 0.05)
    return out + (" --no-labels" if kind == "mesh" and r.random() < 0.5 else "")


def random_job(tally, scratch, number):
    r = random.Random("groups %d" % number)
    options, most = random_options(r), r.choice((0, 0, 500, 1500, 3000, 8000))
    path = made.generated(scratch, options)
    if most:
        make_early(path, most, number)
    compare(tally, "random %d: gen_trace.py %s, ends up to %d ns early" % (number, options, most), path)


def main():
    tally = wl.Tally()
    base = int(os.environ.get("ORACLE_BASE", "1"))
    for number in range(base, base + int(os.environ.get("RANDOM_JOBS", "0"))):
        with tempfile.TemporaryDirectory(prefix="wl-groups-") as scratch:
            random_job(tally, scratch, number)
    with tempfile.TemporaryDirectory(prefix="wl-groups-") as scratch:
        for options in [figures.M8, figures.STRAGMOE, figures.TRAIN, figures.SPLIT] + ([figures.MOE, figures.SERVING] if figures.ALL else []):
            compare(tally, options, made.generated(scratch, options))
        own(tally, scratch)
        exchanges_that_jitter(tally, scratch)
        files_that_jitter(tally, scratch)
        if figures.ALL:
            too_short_to_match(tally, scratch)
        for name in REAL:
            path = made.real(scratch, name)
            if path is not None:
                compare(tally, name, path)
        for name, path in made.planted(scratch, [] if figures.ALL else PLANTED).items():
            compare(tally, name, path)
    tally.finish()


if __name__ == "__main__":
    main()
