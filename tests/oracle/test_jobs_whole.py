#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Jobs as a whole: real ones, mixes of two, files under other names, and clocks that are shifted.

ORACLE_SEEDS=n sets how many random jobs are renamed and shifted (15), ORACLE_BASE=n the first seed.
"""
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "jobs"))
import job as jobs  # noqa: E402
import random_jobs  # noqa: E402
import ranks  # noqa: E402
import test_jobs  # noqa: E402
import waits  # noqa: E402
import wl  # noqa: E402



def answers(directory):
    """rank -> [(type, dur, transfer, wait, last, late, ranks)] of `nccl --list`."""
    _, answer = wl.run("nccl", "--list", directory)
    members, out = {}, {}
    rows = answer["rows"] if answer else []
    for row in rows:
        members.setdefault(row["match"], []).append(row["rank"])
    for row in sorted(rows, key=lambda r: (r["arrival"], r["type"], r["dur"])):
        out.setdefault(row["rank"], []).append((row["type"], row["dur"], row["transfer"], row["wait_all"], row["last"], row["late"], sorted(members[row["match"]])))
    return out


def different(a, b, margin):
    """Differences between two answers; with a margin, times within it and the last arriver are not compared exactly."""
    out = ["ranks %s and %s" % (sorted(a), sorted(b))] if sorted(a) != sorted(b) else []
    for rank in a if not out else ():
        if len(a[rank]) != len(b[rank]):
            out.append("rank %s: %d and %d operations" % (rank, len(a[rank]), len(b[rank])))
            continue
        for x, y in zip(a[rank], b[rank]):
            same = x[0] == y[0] and x[6] == y[6] and abs(x[5] - y[5]) <= margin and (margin or x[:5] == y[:5])
            if not same:
                out.append("rank %s: %s and %s" % (rank, x, y))
    return out


def renamed(tally, seed):
    """Other names permute rows at most, where ranks do not come from names."""
    with tempfile.TemporaryDirectory(prefix="wl-jobs-") as scratch:
        paths = random_jobs.Job(seed).write(scratch)
        job = jobs.Job(paths)
        if ranks.assign(job) in ("file", "order") or len(paths) < 2:
            return
        before = answers(scratch)
        for i, path in enumerate(sorted(paths)):
            os.rename(path, os.path.join(scratch, chr(122 - i) + ".sqlite"))
        tally.check("seed %d renamed" % seed, different(before, answers(scratch), 0))


def shifted(tally, seed):
    """A constant added to one host's clock changes nothing beyond the error bar."""
    found = []
    for added in (0, 7_000_000):
        made = random_jobs.Job(seed)
        if len(made.hosts) < 2:
            return
        host = made.hosts[-1]
        made.clock[host] = made.clock[host][0] + added, made.clock[host][1]
        with tempfile.TemporaryDirectory(prefix="wl-jobs-") as scratch:
            margin = test_jobs.Expected(made.write(scratch)).margin
            found.append(answers(scratch))
    tally.check("seed %d shifted" % seed, different(*found, margin))


def jumped(tally, seed):
    """A clock that jumps: no answer, or one that says so."""
    made = random_jobs.Job(seed)
    if len(made.hosts) < 2 or made.payload != "2.25" or made.desync:
        return
    made.jump = 5_000_000
    with tempfile.TemporaryDirectory(prefix="wl-jobs-") as scratch:
        made.write(scratch)
        status, answer = wl.run("nccl", scratch)
    notes = answer["notes"] if answer else []
    tally.check("seed %d jumped" % seed, [] if status == wl.NO_DATA or any("clock" in n for n in notes) else notes or ["no notes"])


def mixed(tally, seed):
    """Two jobs in one directory are refused: by their ids, or, where there are none, by an hour between them."""
    with tempfile.TemporaryDirectory(prefix="wl-jobs-") as scratch:
        for number, part in enumerate("ab"):
            made = random_jobs.Job(seed + number)
            made.environment = (lambda number=number: {"SLURM_JOB_ID": 100 + number}) if seed % 2 else dict
            made.epoch += 3_600_000_000_000 * number
            os.mkdir(os.path.join(scratch, part))
            for path in made.write(os.path.join(scratch, part)):
                os.rename(path, os.path.join(scratch, part + os.path.basename(path)))
            os.rmdir(os.path.join(scratch, part))
        job = jobs.Job(jobs.directory(scratch))
        tally.equal("seed %d two jobs" % seed, len(ranks.groups(job)), 2)
        tally.check("seed %d mixed" % seed, refused(scratch))


def refused(directory):
    """A mix is refused: no answer, and the message names both groups."""
    p = subprocess.run([wl.WARPLENS, "nccl", directory, "-f", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
    return [] if p.returncode not in (0, 1) and p.stderr and p.returncode > 0 else ["exit %d: %s" % (p.returncode, p.stderr[:300])]


def told_by_program(tally, directory, truth):
    """What `nccl` and `info` say of the MPI job against truth.json, which was measured from the files alone."""
    rows = [r for r in wl.run("nccl", directory)[1]["rows"] if r["type"] == "MPI_Allreduce"]
    tally.equal("cfd: nccl, calls", {r["rank"]: r["calls"] for r in rows}, dict.fromkeys(truth["ranks"], truth["count"]))
    tally.equal("cfd: nccl, late", {str(r["rank"]): r["late"] for r in rows}, truth["wait_ns"])
    tally.equal("cfd: nccl, last", {str(r["rank"]): r["last"] for r in rows}, truth["last"])
    matches = {}
    for row in wl.run("nccl", "--list", directory)[1]["rows"]:
        if row["type"] == "MPI_Allreduce":
            matches.setdefault(row["match"], {})[row["rank"]] = row["arrival"]
    tally.equal("cfd: nccl --list, matches", (len(matches), {len(m) for m in matches.values()}), (truth["count"], {len(truth["ranks"])}))
    # Ranks 3 and 4 arrive together, 0.18 ms and more after the others (medians).
    behind = {r: statistics.median(m[3] - m[r] for m in matches.values()) for r in truth["ranks"]}
    tally.check("cfd: ranks 3 and 4 arrive together", [] if abs(behind[4]) < 1_000 and min(behind[r] for r in (2, 6, 7)) > 150_000 else [str(behind)])
    files = wl.run("info", "--section", "files", directory)[1]
    tally.check("cfd: source of ranks", [] if any("OMPI_COMM_WORLD_RANK" in n for n in files["notes"]) else files["notes"])


def real_mpi(tally, scratch):
    """The MPI job: truth.json, the oracle and the program agree; three ranks are absent and nobody is named."""
    directory = wl.real_job("mpi-cfd-5of8", scratch)
    with open(os.path.join(wl.JOBS, "mpi-cfd-5of8", "truth.json"), encoding="utf-8") as f:
        truth = json.load(f)["allreduce"]
    expected = test_jobs.Expected(jobs.directory(directory))
    reduces = [m for m in expected.job.matches if m.kind == "MPI_Allreduce"]
    by = waits.by_rank(reduces)
    tally.equal("cfd: ranks", (sorted(by), expected.source), (truth["ranks"], "OMPI_COMM_WORLD_RANK"))
    tally.equal("cfd: absent", ranks.missing(expected.job), truth["absent_ranks"])
    tally.equal("cfd: matches", (len(reduces), len(expected.job.matches)), (truth["count"], truth["count"] + 1))
    tally.equal("cfd: late", {str(r): w.late for r, w in by.items()}, truth["wait_ns"])
    tally.equal("cfd: last", {str(r): w.last for r, w in by.items()}, truth["last"])
    told_by_program(tally, directory, truth)
    _, answer = wl.run("nccl", "--list", directory)
    tally.check("cfd: nccl --list", test_jobs.check_list(expected, answer["rows"]) if answer else ["no answer"])
    notes = [n for verb in ("nccl", "ranks") for n in (wl.run(verb, directory)[1] or {}).get("notes", [])]
    tally.check("cfd: absent ranks are told", [] if any(re.search(r"\b0\b.*\b1\b.*\b5\b", n) for n in notes) else notes or ["no notes"])
    _, answer = wl.run("findings", directory)
    named = [r for r in answer["rows"] if r.get("code") == "straggler"] if answer and "rows" in answer else []
    tally.equal("cfd: no straggler", named, [])


def main():
    if not test_jobs.opens_jobs():
        print("skipped: this program has no verb `ranks`")
        sys.exit(77)
    tally = wl.Tally()
    for seed in wl.seeds(15):
        renamed(tally, seed)
        shifted(tally, seed)
        jumped(tally, seed)
    for seed in range(1, 4):
        mixed(tally, seed)
    if os.path.isdir(wl.JOBS):
        with tempfile.TemporaryDirectory(prefix="wl-jobs-") as scratch:
            real_mpi(tally, scratch)
            tally.check("omp: two jobs refused", refused(wl.real_job("omp-2x8-internal", scratch)))
    else:
        print("left out: no real jobs at", wl.JOBS)
    tally.finish()


if __name__ == "__main__":
    main()
