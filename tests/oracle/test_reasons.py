#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stragglers and their reasons: the program against the oracle, on jobs with a planted cause and on healthy ones.

ORACLE_SEEDS=20 for the long run.
"""
import os
import re
import subprocess
import sys
import tempfile

import test_jobs
import test_oracle_reasons as planted
import wl

WORDS = {"a": "slow GPU", "b": "slow kernel", "c": "more work", "d": "late host", "e": "slow copies"}


def named(rows):
    """(GPU, saving, why) of the rows of `ranks` that name a straggler; in these traces rank r runs on GPU r."""
    return [(r["device"], r["saving"], r["why"]) for r in rows if r["saving"] is not None]


def factors(why):
    """The ratios that a reason states: "1.6 times", and "5 vs 4 kernels" as 5 / 4."""
    return [float(f) for f in re.findall(r"([0-9.]+) times", why)] + [int(a) / int(b) for a, b in re.findall(r"(\d+) vs (\d+) kernels", why)]


def finding(answer):
    """Subjects of the straggler findings, as printed."""
    return [r["subject"] for r in answer["rows"] if r["code"] == "straggler"] if answer else []


def check(tally, seed, options, rank, letter, factor):
    what = "seed %d %s" % (seed, options)
    with tempfile.TemporaryDirectory(prefix="wl-jobs-") as scratch:
        path = os.path.join(scratch, "t.sqlite")
        subprocess.run([sys.executable, "-B", planted.GENERATOR, "-o", path, *(planted.SMALL % seed + options).split()], check=True, stdout=subprocess.DEVNULL)
        verdict = planted.judged(path)[0]
        _, ranks = wl.run("ranks", path)
        _, findings = wl.run("findings", path)
    tally.equal(what + ": oracle", verdict.rank if verdict else None, rank)
    got = named(ranks["rows"] if ranks else [])
    tally.equal(what + ": ranks", [g[0] for g in got], [verdict.rank] if verdict else [])
    if got and verdict:                                     # whether unlike streams are one group is open: a percent for --chain
        allowed = verdict.saving // 100 if "--chain" in options else 0
        tally.check(what + ": saving", [] if abs(got[0][1] - verdict.saving) <= allowed else [got[0][1], verdict.saving])
    if got and letter:
        tally.check(what + ": reason", [] if got[0][2].startswith(WORDS[letter]) else [got[0][2]])
    if got and factor:
        tally.check(what + ": factor", [] if any(abs(f / factor - 1) <= 0.02 for f in factors(got[0][2])) else [got[0][2]])
    said = finding(findings)
    tally.check(what + ": finding", [] if [s.split()[-1] for s in said] == ([str(rank)] if rank is not None else []) else said or ["none"])


def main():
    known = subprocess.run([sys.executable, "-B", planted.GENERATOR, "--help"], stdout=subprocess.PIPE, check=True).stdout
    if b"--slow-kernel" not in known or not test_jobs.opens_jobs():
        print("skipped: the generator plants no reasons, or the program has no verb `ranks`")
        sys.exit(77)
    tally = wl.Tally()
    for seed in wl.seeds(1):
        for plant in planted.PLANTS:
            check(tally, seed, *plant)
    tally.finish()


if __name__ == "__main__":
    main()
