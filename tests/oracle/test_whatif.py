#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`whatif`: the program against the oracle, on random jobs and on traces of the corpus; how steps are found is `iters`'s affair.

ORACLE_SEEDS: how many random jobs (20); ORACLE_BASE: the first seed (1). TRACES=all compares the whole corpus. A job that differs is kept.
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "why"))
import opened  # noqa: E402
import graph as graphs  # noqa: E402
import path  # noqa: E402
import scenarios  # noqa: E402
import test_path  # noqa: E402
import wl  # noqa: E402
from held_out import HeldOut  # noqa: E402
from replayer import Replayer  # noqa: E402
from steps import Steps  # noqa: E402

# No-straggler is compared by test_reasons.py; STRICT=1 compares it here too, and slow-steps where the definition leaves it open.
ELSEWHERE = ("no-straggler",)
ASKED = {
    "kernel=gemm:0.5": lambda graph: scenarios.of_kernel(graph, "gemm", "0.5"),
    "kernel=softmax:0": lambda graph: scenarios.of_kernel(graph, "softmax", "0"),
    "class=comm:0.5": lambda graph: scenarios.of_comm(graph, "0.5"),
    "class=compute:4/5": lambda graph: scenarios.of_class(graph, "compute", "4/5"),
    "class=copy:1/3": lambda graph: scenarios.of_class(graph, "copy", "1/3"),
    "category=gemm:0.7": lambda graph: scenarios.of_category(graph, "gemm", "0.7"),
    "category=memory:0.5": lambda graph: scenarios.of_memory(graph, "0.5"),
    "exposed-copy=within a GPU": lambda graph: scenarios.local_copies_free(graph),
    "tiny-kernels": lambda graph: scenarios.tiny_kernels(graph),
    "kernel=softmax:2 + tiny-kernels": lambda graph: scenarios.together(scenarios.of_kernel(graph, "softmax", "2"), scenarios.tiny_kernels(graph)),
    "host-callback": lambda graph: scenarios.host_callback(graph),
    "rank=0:0.6": lambda graph: scenarios.of_rank(graph, 0, "0.6"),
    "no-sync=cudaStreamSynchronize": lambda graph: scenarios.no_sync(graph, "cudaStreamSynchronize"),
    "no-sync=cudaMemcpyAsync": lambda graph: scenarios.no_sync(graph, "cudaMemcpyAsync"),
    "no-sync=cudaDeviceSynchronize": lambda graph: scenarios.no_sync(graph, "cudaDeviceSynchronize"),
    "kernel=gemm:0.5 + comm-free": lambda graph: scenarios.together(scenarios.of_kernel(graph, "gemm", "0.5"), scenarios.comm_free(graph)),
    "copies-free + no-sync=cudaDeviceSynchronize + overlap": lambda graph: scenarios.together(
        scenarios.copies_free(graph), scenarios.no_sync(graph, "cudaDeviceSynchronize"), scenarios.overlap(graph)),
}
ASKED_OF_STEPS = {"overlap-mpi": scenarios.overlap_mpi}
# Jobs in which a rule counts that it hardly ever does: slow steps side by side, whose gaps are of two rules.
RARE = (20073,)
STRICT = os.environ.get("STRICT") == "1"
HELD = re.compile(r"unseen steps: ([0-9.]+)% median, ([0-9.]+)% p90 \(without a replay: ([0-9.]+)%, ([0-9.]+)%; ([0-9,]+) pairs\)")


class Answers:
    """What the program says of a trace: scenario -> saving, None where it refuses; notes; steps."""
    def __init__(self, where):
        self.status, answer = wl.run("whatif", where)
        steps = wl.run("iters", where)[1]
        self.steps = steps["rows"] if steps else []
        if answer is None:
            return
        self.saving = {r["scenario"]: None if r["forecast"] == "refused" else r["saving"] for r in answer["rows"]}
        self.notes = answer["notes"]
        for ask in [*ASKED, *ASKED_OF_STEPS]:
            try:
                answer = wl.run("whatif", where, *(word for one in ask.split(" + ") for word in ("--with", one)))[1]
            except RuntimeError:                            # nothing is called so
                answer = None
            self.saving[ask] = None if answer is None or answer["rows"][0]["forecast"] == "refused" else answer["rows"][0]["saving"]


def readings(graph, name, scenario):
    """The scenarios that an answer may be: the definition's; open: comm-free without MPI, which has a class of its own."""
    other = {"comm-free": lambda: scenarios.comm_free(graph, mpi=False)}
    return [scenario] + ([other[name]()] if name in other else [])


def is_told(told, errors):
    """Whether a note has these errors."""
    figures = errors.figures()
    return figures is not None and int(told.group(5).replace(",", "")) == len(errors.errors) \
        and all(abs(float(t) - w) <= 0.0051 for t, w in zip(told.groups(), figures))


def is_elsewhere(graph, steps, name):
    return name in ELSEWHERE or name == "slow-steps" and scenarios.slow_steps_open(graph, steps)


def held_out_readings(replayer, rows):
    """The errors that may be told: the definition's; reported: returns are exchanged too; open: positions by name."""
    steps = Steps(replayer.graph, rows)
    for by_name in (True, False):
        for returns in (True, False):
            yield HeldOut(replayer, steps, returns, by_name)


def differences(answers, graph):
    """Savings to the nanosecond, and the errors of held-out steps as printed."""
    replayer, walk = Replayer(graph), path.Walk(graph)
    if answers.status == wl.NO_DATA and test_path.is_refused(graph, walk):
        return []
    steps, found = Steps(graph, answers.steps), []
    errors = HeldOut(replayer, steps)
    figures = errors.figures()
    if answers.status == wl.NO_DATA:                        # more than 5 % of error; where calls wait in some steps only it is open
        wrong = any(h.figures() and h.figures()[0] > 5 for h in held_out_readings(replayer, answers.steps))
        return [] if wrong or errors.is_open(steps) else ["no answer; held-out %s" % (figures,)]
    asked = scenarios.standard(graph, steps)
    asked.update({ask: make(graph) for ask, make in ASKED.items()})
    asked.update({ask: make(graph, steps) for ask, make in ASKED_OF_STEPS.items()})
    for name, scenario in asked.items():
        if answers.saving.get(name) is None or scenario.refused is not None or not STRICT and is_elsewhere(graph, steps, name):
            continue
        want = [replayer.saving(s) for s in readings(graph, name, scenario)]
        if answers.saving[name] not in want:
            found.append("%s: warplens %s, oracle %s" % (name, answers.saving[name], " or ".join(map(str, sorted(set(want))))))
    told = next((m for m in map(HELD.search, answers.notes) if m), None)
    if told and not errors.is_open(steps) and not any(is_told(told, h) for h in held_out_readings(replayer, answers.steps)):
        found.append("held-out: warplens %s, oracle %s of %d pairs" % (told.group(0), figures, len(errors.errors)))
    return found


def compare(tally, name, where):
    """open: whether T also speaks in a process whose events explain few starts; either reading will do."""
    answers = Answers(where)
    job = opened.open_job(where)
    if not any(p.ops for p in job.processes):
        return
    found = differences(answers, graphs.Graph(job, "few"))
    if found:
        found = found if differences(answers, graphs.Graph(job)) else []
    tally.check(name, found)


if __name__ == "__main__":
    test_path.run("whatif", compare, RARE)
