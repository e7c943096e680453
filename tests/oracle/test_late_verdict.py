#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether a rank is late, and whether what that costs is predicted, a lower bound or unknown, is one decision: ranks, findings, what-if,
the first screen, the page and MCP say the same, on planted causes and on jobs whose steps no replay predicts.

CAUSES_ALL=1: all planted cases; else some.
"""
import os
import random
import sys
import tempfile

import caused
import wl
from surfaces import Trace, late_rank

sys.path.append(os.path.join(wl.ROOT, "tests", "support"))
from cause_file import File  # noqa: E402
from cause_sim import Sim  # noqa: E402
from causes import cases, slow  # noqa: E402

PLANTED = [name for name in cases() if not name.startswith(("c_", "j_", "e_"))] + ["j_lag8", "c_jit-8..0_lag8", "e_lag3_E"]
FEW = "00 02 19 21 24 34 37 42 43 43e".split()
# What is known of some: 43 has waits that nothing explains, so has 42, of which a replay shows a part.
VERDICTS = {"00": "nobody", "02": "prediction", "21": "prediction", "42": "at least", "43": "unknown"}


def stalls(ns, share, seed):
    """Operations that start up to ns later, one of 1 / share: no step is like another."""
    source = random.Random(seed)
    return lambda rank, step, name: source.randrange(ns) if source.random() < share else 0


FOUR, TWO = {"ranks": 4, "layers": 3}, {"ranks": 2, "layers": 3}
WAITS = {"ranks": 4, "layers": 6, "events": True, "lag": lambda source: source.randrange(2_000_000)}
JOBS = {"stalls of two ranks": ({**TWO, "opdelay": stalls(4_000_000, .1, 1), "dur": slow([1], 1.8)}, "unknown"),
        "stalls and events": ({**FOUR, "events": True, "opdelay": stalls(4_000_000, .1, 2), "dur": slow([1], 1.8)}, "unknown"),
        "waits of up to 2 ms": ({**WAITS, "dur": slow([2], 1.2)}, "unknown"),
        "stalls, nobody slow": ({**FOUR, "events": True, "opdelay": lambda rank, step, name: 8_000_000 if step % 3 else 0}, None)}
SUMMARY = "what a late rank costs is not known"


def verdicts(path, scratch):
    """Of each surface; and whether the first screen, the page and MCP leave the cost open."""
    trace = Trace(path, scratch)
    said = [figure for _, figure in late_rank(trace)]
    is_open = {"summary": SUMMARY in trace.text("summary", path),
               "page": any(f["code"] == "straggler" and "cannot be replayed" in f["text"] for f in (trace.head() or {"findings": []})["findings"]),
               "findings": any(r["code"] == "straggler" and r["saves_share"] is None for r in trace.rows("findings"))}
    return said, is_open


def check(tally, scratch, name, path, expected=None):
    with tempfile.TemporaryDirectory(dir=scratch) as own:
        said, is_open = verdicts(path, own)
    tally.check(name + " agree", [] if len(set(said)) <= 1 else said)
    if expected:
        tally.equal(name + " verdict", sorted(set(said)), [expected])
    unknown = "unknown" in said
    tally.equal(name + " left open", is_open, dict.fromkeys(is_open, unknown))


def main():
    tally = wl.Tally()
    with tempfile.TemporaryDirectory(prefix="wl-late-verdict-") as scratch:
        for name, (path, _) in caused.write(scratch, caused.part(PLANTED, FEW)).items():
            check(tally, scratch, name, path, VERDICTS.get(name))
        for name, (job, expected) in JOBS.items():
            path = os.path.join(scratch, "job.sqlite")
            File(Sim(steps=20, **job), path)
            check(tally, scratch, name, path, expected)
    tally.finish()


if __name__ == "__main__":
    main()
