#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Captures that begin late and stop early: `nccl` against the generator's truth, however much is cut."""
import json
import os
import tempfile

import planted
import wl

JOB = "--ranks 4 --layers 4 --iters 8 --split --straggler 2:1.1 "
SKEWED = "--hosts 2 --clock-skew 2000000:20 "
CUTS = [
    "--cut 3:10ms:5ms",                                     # less than half
    "--cut 3:40ms:25ms",                                    # more than half, on both sides
    "--cut 3:75ms:", "--cut 3::75ms",
    "--cut 0:75ms:", "--cut 0::75ms", "--cut 0:40ms:25ms",  # the first one, which the others are compared with
    "--cut 0:40ms:30ms --cut 3:40ms:30ms",
    "--cut 0:45ms: --cut 3::45ms",                          # the two have little in common
    "--cut all:60ms:20ms",
    "--cut 3:60ms: --payloads 2.16", "--cut 0:40ms:25ms --payloads 2.25", "--cut 1:60ms: --payloads json",
    SKEWED + "--cut 3:40ms:25ms", SKEWED + "--cut 0:50ms:", SKEWED + "--cut 0:50ms: --payloads 2.25",
    "--groups 2 --cut 1:40ms:25ms --cut 2:60ms:",
    "--stream-shift --cut 2:40ms:25ms",
]
SUMS = (("wait_all", "wait_ns"), ("late", "late_ns"), ("caused", "caused_ns"), ("alone", "alone_ns"), ("last", "last"))


def truth_of(path):
    with open(os.path.join(path, "split.truth.json"), encoding="utf-8") as f:
        return json.load(f)["job"]


def check(path, is_skewed):
    """Differences of matches and sums by rank. Clocks that were fitted leave some ns per match open."""
    truth = truth_of(path)["matching"]
    status, answer = wl.run("nccl", path)
    if status == wl.NO_DATA:
        return ["no answer"]
    rows, out = answer["rows"], []
    matched = {}
    for row in rows:
        into = matched.setdefault(str(row["rank"]), dict.fromkeys([k for k, _ in SUMS], 0))
        for key, _ in SUMS:
            into[key] += row[key] or 0
    _, listed = wl.run("nccl", "--list", path)
    n = len({row["match"] for row in listed["rows"]})
    if n != truth["matches"]:
        out.append("%d matches, truth %d" % (n, truth["matches"]))
    open_ns = 60 * truth["matches"] * len(truth["by_rank"]) if is_skewed else 0
    for rank, want in truth["by_rank"].items():
        for key, name in SUMS:
            got = matched.get(rank, {}).get(key)
            allowed = (truth["matches"] if key == "last" else open_ns) if is_skewed else 0
            if got is None or abs(got - want[name]) > allowed:
                out.append("rank %s %s: warplens %s, truth %s" % (rank, key, got, want[name]))
    return out


def main():
    tally = wl.Tally()
    for number, cut in enumerate(CUTS):
        if number % int(os.environ.get("ORACLE_PART", "1")) != 0:
            continue
        with tempfile.TemporaryDirectory(prefix="wl-cuts-") as path:
            planted.run("gen_trace.py", "-o", path, *(JOB + cut).split())
            tally.check(cut, check(path, "--clock-skew" in cut))
    tally.finish()


if __name__ == "__main__":
    main()
