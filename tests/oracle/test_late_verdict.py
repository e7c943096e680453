#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether a rank is late, and whether what that costs is predicted, a lower bound or unknown, is one decision: ranks, findings, what-if,
the first screen, the page and MCP say the same, on planted causes and on jobs whose steps no replay predicts. A lower bound is not
above the truth, and a prediction is as near to it as the errors that are known allow.

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
# In 43e events prove these waits: what they take is in the error.
VERDICTS = {"00": "nobody", "02": "prediction", "21": "prediction", "42": "at least", "43": "unknown", "43e": "prediction"}


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


# How far predictions are from the truth, in % of the run without the cause: the shared JOBS.md has these, section 21.
ERROR = {"07b": 4.3, "43e": 1.6, "19": 0.8}


def check_truth(tally, name, path, truth, error=0.5):
    """No lower bound exceeds the truth; predictions of stragglers are near it, or within their own error."""
    for row in wl.run("findings", path, "--all")[1]["rows"]:
        if row["code"] != "straggler" or row["saves"] is None:
            continue
        above = row["saves"] - truth["saving_ns"]
        if row["saves_kind"] == "at least":
            tally.check(name + " at least", [] if above <= 0 else ["%d, truth %d" % (row["saves"], truth["saving_ns"])])
        else:
            most = max(error / 100 * truth["clean_span_ns"], row["saves_error"] or 0)
            tally.check(name + " prediction", [] if abs(above) <= most else ["%d, truth %d" % (row["saves"], truth["saving_ns"])])


def waits_of(most, factor, events):
    return {"ranks": 4, "layers": 6, "events": events, "lag": lambda source: source.randrange(most)}, {"dur": slow([2], factor)}


def check_waits(tally, scratch):
    """Waits that take up to 20 us to 1 ms, with events and without."""
    for most in (20_000, 60_000, 150_000, 400_000, 1_000_000) if caused.ALL else (60_000, 400_000):
        for factor in (1.2, 1.6):
            for events in (False, True):
                keep, cause = waits_of(most, factor, events)
                name = "waits of up to %d us, %.1f%s" % (most // 1000, factor, ", events" if events else "")
                bad, good = Sim(steps=20, **keep, **cause), Sim(steps=20, **keep)
                path = os.path.join(scratch, "waits.sqlite")
                File(bad, path)
                check(tally, scratch, name, path)
                truth = {"saving_ns": bad.span() - good.span(), "clean_span_ns": good.span()}
                check_truth(tally, name, path, truth, 3)


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
        for name, (path, truth) in caused.write(scratch, caused.part(PLANTED, FEW)).items():
            check(tally, scratch, name, path, VERDICTS.get(name))
            if truth["ranks"]:
                check_truth(tally, name, path, truth, ERROR.get(name, 0.5))
        check_waits(tally, scratch)
        for name, (job, expected) in JOBS.items():
            path = os.path.join(scratch, "job.sqlite")
            File(Sim(steps=20, **job), path)
            check(tally, scratch, name, path, expected)
    tally.finish()


if __name__ == "__main__":
    main()
