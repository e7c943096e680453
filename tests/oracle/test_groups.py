#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Groups and matches of `nccl --list` against the definition (jobs/groups.py): generated, real and planted traces.

GROUPS_ALL: also the larger ones, and all planted causes.
"""
import os
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "jobs"))
import groups  # noqa: E402
import made  # noqa: E402
import test_oracle_groups as figures  # noqa: E402
import wl  # noqa: E402

REAL = ["nsys-ai-mfu-2gpu-before", "nsys-ai-mfu-2gpu-after"]
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
    late = {str(rank): "%.4g us" % (after / 1000) for (rank, _), (after, is_fact) in groups.leaves(job.matches).items() if is_fact}
    tally.equal(what + " leaves", leaves(path), late)


def main():
    tally = wl.Tally()
    with tempfile.TemporaryDirectory(prefix="wl-groups-") as scratch:
        for options in [figures.M8, figures.STRAGMOE, figures.TRAIN, figures.SPLIT] + ([figures.MOE, figures.SERVING] if figures.ALL else []):
            compare(tally, options, made.generated(scratch, options))
        for name in REAL:
            path = made.real(scratch, name)
            if path is not None:
                compare(tally, name, path)
        for name, path in made.planted(scratch, [] if figures.ALL else PLANTED).items():
            compare(tally, name, path)
    tally.finish()


if __name__ == "__main__":
    main()
