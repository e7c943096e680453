#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Pipelines: which stage others wait for, what that costs against the clean twin, and that waiting for a stage is no transfer. The bubble of
stages and microbatches as planted, against a twin with twice as many microbatches of half the size; other exchanges have none.

Jobs are simulated by tests/support/pipe_sim.py. PIPELINES_ALL=1: more of them.
"""
import os
import sys
import tempfile

import wl

sys.path.append(os.path.join(wl.ROOT, "tests", "support"))
from cause_file import File  # noqa: E402
from causes import every, slow  # noqa: E402
from cause_sim import ADAM, ADD  # noqa: E402
from pipe_sim import TRANSFER, Pipe  # noqa: E402

SMALL = {"layers": 2, "steps": 12}
LONG = {"layers": 2, "steps": 20}
EIGHT = {"stages": 8, "micro": 16, "layers": 1, "steps": 8}
TWO = {"replicas": 2, **SMALL}
ALL = bool(os.environ.get("PIPELINES_ALL"))

# what: (job, change, stragglers, reason, steps)
SLOW = {
    "stage 1 is slow": (SMALL, {"dur": slow([1], 1.3)}, [1], "slow GPU", ""),
    "stage 1 in every 4th step": (LONG, {"dur": slow([1], 1.5, every(4, 1))}, [1], "slow GPU", "1, 5, 9, 13, 17"),
    "one of two replicas": (TWO, {"dur": slow([5], 1.3)}, [5], "slow GPU", ""),
    "reduced over all": ({"reduce": "all", **SMALL}, {"dur": slow([1], 1.3)}, [1], "slow GPU", ""),
    "stage 2 has more layers": (SMALL, {"work": lambda stage: 3 if stage == 2 else 2}, [2], "more work", ""),
    "the last stage has a head": (SMALL, {"head": 1_000_000}, [3], "more work", ""),
}
MORE = {
    "the last stage": (SMALL, {"dur": slow([3], 1.3)}, [3], "slow GPU", ""),
    "two stages": ({"stages": 2, **SMALL}, {"dur": slow([1], 1.4)}, [1], "slow GPU", ""),
    "eight stages": (EIGHT, {"dur": slow([6], 1.25)}, [6], "slow GPU", ""),
    "steps 5 to 7": (LONG, {"dur": slow([1], 1.5, [5, 6, 7])}, [1], "slow GPU", "5-7"),
    "without NVTX": ({"nvtx": False, **SMALL}, {"dur": slow([1], 1.3)}, [1], "slow GPU", ""),
    "both replicas": (TWO, {"work": lambda stage: 3 if stage == 2 else 2}, [2, 6], "more work", ""),
}
CLEAN = {"four": SMALL, "two replicas": TWO, "reduced": {"reduce": "all", **SMALL}, "eight": EIGHT}


def written(scratch, run):
    path = os.path.join(scratch, "t.sqlite")
    File(run, path)
    return path


def sent(answer, gpu_step):
    """What findings call exposed SendRecv, ns per step."""
    return sum(r["saving"] if r["per"] == "step" else gpu_step for r in answer["rows"] if r["code"] == "exposed-comm" and "SendRecv" in r["subject"])


def check_transfers(tally, name, run, findings):
    """No more than the transfers of a step: 2 for each neighbour and microbatch."""
    most = 4 * run.micro * TRANSFER * 1.1
    tally.check(name + ": waiting is no transfer", [] if sent(findings, most + 1) <= most else [sent(findings, most + 1), most])


def check_slow(tally, scratch, name, job, change, who, reason, steps):
    run, clean = Pipe(**job, **change), Pipe(**job)
    path = written(scratch, run)
    ranks, findings = wl.run("ranks", path)[1], wl.run("findings", path)[1]
    named = {r["device"]: r for r in ranks["rows"] if r["saving"] is not None}
    tally.equal(name + ": stragglers", sorted(named), who)
    for row in named.values():
        tally.equal(name + ": reason", row["reason"], reason)
        tally.equal(name + ": steps", row["slow_steps"] if steps else "", steps)
        left = (run.span() - row["saving"] - clean.span()) / clean.span()
        tally.check(name + ": saving", [] if abs(left) <= 0.01 else [row["saving"], run.span() - clean.span()])
    first = findings["rows"][0]
    tally.check(name + ": first finding", [] if first["code"] == "straggler" and first["look_at"] in who else [first])
    check_transfers(tally, name, run, findings)


def check_clean(tally, scratch, name, job):
    run = Pipe(**job)
    path = written(scratch, run)
    ranks, findings = wl.run("ranks", path)[1], wl.run("findings", path)[1]
    tally.equal(name + ": nobody", [r["device"] for r in ranks["rows"] if r["saving"] is not None], [])
    tally.check(name + ": by design", [] if any("stages of a pipeline" in n for n in ranks["notes"]) else ranks["notes"])
    tally.equal(name + ": no straggler", [r["subject"] for r in findings["rows"] if r["code"] == "straggler"], [])
    check_transfers(tally, name, run, findings)


def check_eager(tally, scratch):
    """Sends that do not wait for their receivers cannot be matched: that is said, and nobody is cleared or blamed."""
    for name, change in (("eager clean", {}), ("eager slow", {"dur": slow([1], 1.3)})):
        path = written(scratch, Pipe(eager=True, **SMALL, **change))
        ranks, findings = wl.run("ranks", path)[1], wl.run("findings", path)[1]
        tally.check(name + ": refused", [] if any("not matched" in n for n in ranks["notes"]) else ranks["notes"])
        tally.check(name + ": not cleared", [n for n in ranks["notes"] if n.startswith("no straggler: ")])
        told = [r for r in findings["rows"] if r["code"] == "exposed-comm"]
        tally.check(name + ": may wait", [] if told and "may be waiting" in told[0]["finding"] and "buckets" not in told[0]["action"] else told[:1])


class Irregular(Pipe):
    """The first two stages exchange once more: no schedule that counts tell."""

    def one_forward_one_backward(self, rank, step):
        if self.stage_of(rank) == 1:
            yield from self.exchange(rank, step, 0)
        if self.stage_of(rank) == 0:
            yield from self.exchange(rank, step, 1, self.kernel(rank, step, ADD, 40_000))
        yield from super().one_forward_one_backward(rank, step)


class Forward(Pipe):
    """Inference: nothing comes back."""

    def one_forward_one_backward(self, rank, step):
        before, behind = self.neighbours(rank)
        for _ in range(self.micro):
            got = yield from self.exchange(rank, step, before)
            yield from self.exchange(rank, step, behind, self.forward_one(rank, step, got))


class Halo(Pipe):
    """Neighbours exchange what both have computed."""

    def one_forward_one_backward(self, rank, step):
        for _ in range(self.micro):
            got = self.forward_one(rank, step, 0)
            for peer in self.neighbours(rank):
                got = yield from self.exchange(rank, step, peer, got)


class Apart(Pipe):
    """All microbatches forward, then all backward: each exchange goes one way."""

    def one_forward_one_backward(self, rank, step):
        before, behind = self.neighbours(rank)
        for work, source, target in ((self.forward_one, before, behind), (self.backward_one, behind, before)):
            for _ in range(self.micro):
                got = yield from self.exchange(rank, step, source)
                yield from self.exchange(rank, step, target, work(rank, step, got))


# what: (simulator, job); stages and microbatches are those of the job
BUBBLES = {
    "4 and 2": (Pipe, {"micro": 2, **SMALL}), "4 and 8": (Pipe, SMALL), "3 and 1": (Pipe, {"stages": 3, "micro": 1, **SMALL}),
    "reduced over all": (Pipe, {"micro": 3, "reduce": "all", **SMALL}), "two replicas": (Pipe, {"micro": 4, **TWO}),
    "8 and 4": (Pipe, {"stages": 8, "micro": 4, "layers": 1, "steps": 8}), "apart": (Apart, {"micro": 4, **SMALL}),
}
UNTOLD = {"irregular": (Irregular, {"micro": 4, **SMALL})}
NO_BUBBLES = {"forward": (Forward, SMALL), "halo": (Halo, SMALL), "two ranks": (Pipe, {"stages": 2, "micro": 2, **SMALL}),
              "eager": (Pipe, {"eager": True, "micro": 2, **SMALL})}


def bubbles(scratch, run):
    return [r for r in wl.run("findings", written(scratch, run), "--all")[1]["rows"] if r["code"] == "pipeline-bubble"]


def halved(rank, step, name, length, at):
    return length if name == ADAM else length / 2


def check_bubble(tally, scratch, name, simulator, job):
    run = simulator(**job)
    rows = bubbles(scratch, run)
    tally.equal(name + ": one bubble", len(rows), 1)
    if len(rows) != 1:
        return
    stages, micro = run.stages, run.micro
    said = "%d stages and %d microbatch" % (stages, micro), "; fill and drain are %.1f%% of a step of equal stages, (%d-1)/(%d+%d-1)" % (
        100 * (stages - 1) / (micro + stages - 1), stages, micro, stages)
    tally.check(name + ": said", [s for s in said if s not in rows[0]["finding"]] and [said, rows[0]["finding"]])
    twin = simulator(**{**job, "micro": 2 * micro, "dur": halved})
    # smaller microbatches, of the same run: what that saves per step; transfers, which take as long, are more
    saved = (run.span() - twin.span()) / run.steps
    tally.check(name + ": a bound", [] if saved <= rows[0]["saving"] * 1.01 else [saved, rows[0]["saving"]])
    least = saved - 8 * TRANSFER * (micro + stages)
    tally.check(name + ": of that size", [] if rows[0]["saving"] * 0.5 <= saved or least <= 0 else [saved, rows[0]["saving"]])


def check_bubbles(tally, scratch):
    for name, case in BUBBLES.items():
        check_bubble(tally, scratch, "bubble, " + name, *case)
    for name, (simulator, job) in UNTOLD.items():
        rows = bubbles(scratch, simulator(**job))
        tally.check(name + ": not told", [] if rows and "does not show how many microbatches" in rows[0]["finding"] else rows)
    for name, (simulator, job) in NO_BUBBLES.items():
        tally.check(name + ": no bubble", [r["finding"] for r in bubbles(scratch, simulator(**job))])


def main():
    tally = wl.Tally()
    with tempfile.TemporaryDirectory(prefix="wl-pipelines-") as scratch:
        for name, case in {**SLOW, **(MORE if ALL else {})}.items():
            check_slow(tally, scratch, name, *case)
        for name, job in list(CLEAN.items())[:None if ALL else 2]:
            check_clean(tally, scratch, "clean, " + name, job)
        check_eager(tally, scratch)
        check_bubbles(tally, scratch)
    tally.finish()


if __name__ == "__main__":
    main()
