#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stragglers and their reasons: the program against the oracle, on jobs with a planted cause and on healthy ones.

`ranks` is asked for rank, why, reason and factor, whichever it has; ORACLE_SEEDS=20 for the long run.
"""
import os
import subprocess
import sys
import tempfile

import test_jobs
import test_oracle_reasons as planted
import wl

WORDS = {"a": "slow gpu", "b": "slow kernel", "c": "more work", "d": "late host", "e": "copies"}


def named(rows):
    """(rank, reason, factor) of the rows of `ranks` that say why."""
    return [(r["rank"], (r.get("reason") or r["why"] or "").lower(), r.get("factor")) for r in rows if r.get("why")]


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
    tally.equal(what + ": ranks", [g[0] for g in got], [rank] if rank is not None else [])
    if got and "reason" in ranks["rows"][0]:
        tally.equal(what + ": reason", got[0][1], WORDS[letter])
    if got and got[0][2] is not None and factor:
        tally.check(what + ": factor", [] if abs(got[0][2] / factor - 1) <= 0.025 else [got[0][2]])
        tally.check(what + ": factor of the oracle", [] if abs(got[0][2] / verdict.factor - 1) <= 0.02 else [got[0][2], verdict.factor])
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
