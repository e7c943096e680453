#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""findings: on traces with one planted cause of lost time, the first finding names it, and no other finding stands before it. Where no
rank is slow there is no suspect, and where steps do not change over time no finding says so.
"""
import os
import random
import re
import sqlite3
import subprocess
import sys
import tempfile

import caused
import wl

sys.path.append(os.path.join(wl.ROOT, "tests", "support"))
from cause_sim import COMPUTE  # noqa: E402
from causes import Case, late  # noqa: E402

# cause: code of the first finding, and the reason that `ranks` gives where it is a straggler
STRAGGLERS = {"slow-gpu": "slow GPU", "slow-node": "slow GPU", "rotating": "slow GPU", "slow-gpu-drift": "slow GPU", "slow-kernel": "slow kernel",
              "shared-gpu": "shared GPU", "more-work": "more work", "slow-copies": "slow copies", "late-host": "late host",
              "rotating-host": "late host", "launch-bound": "late host"}
CODES = {**dict.fromkeys(STRAGGLERS, "straggler"), **dict.fromkeys(("drift", "drift-host", "episode", "level"), "step-time-changed"),
         "warm-up": "slow-iterations", "slow-link": "exposed-comm"}
CANNOT_BE_REPLAYED = "43"
# No rank is slow. In 17 there is one GPU.
NO_SUSPECT = ("00 11 27 37c 41 04 05 05b 06 08 09 10 12 13 14 15 18 22 30 31 32 34 36 36b c_jit-1.5..0_lag1 c_jit-3..0_lag1.5 c_jit-8..0_lag1 "
              "c_jit-3..0_lag3 c_jit-8..0_lag3 c_jit-8..0_lag8").split()
# Of a change of one rank the straggler says "growing" or "in steps"; 27 has too short a warm-up, which is slow steps.
CHANGED = "06 22 30 36 36b 09".split()


def input_of(size):
    return lambda sim, rank, step: sim.copy(rank, step, "HtoD", size)


def who_and_when():
    """Jobs whose rank loses what all ranks lose, but more of it: who it is comes first, and what all lose is left for what says when."""
    slower = {r: lambda rank, step, kind, r=r: float(r) if rank == 3 else 25.0 for r in (12, 15, 18)}
    return {"copies at 18 of 25 GB/s": (Case("", "slow-copies", keep={"input": input_of(60_000_000)}, rate=slower[18]), "exposed-copy"),
            "copies at 12 of 25 GB/s": (Case("", "slow-copies", keep={"input": input_of(60_000_000)}, rate=slower[12]), "exposed-copy"),
            "a copy engine at 15 of 25 GB/s": (Case("", "slow-copies", keep={"input": input_of(400_000_000)}, rate=slower[15]), "exposed-copy"),
            "a host that takes 8 ms, the others 4": (
                Case("", "late-host", keep={"hostgap": lambda rank, step: 4e6}, hostgap=lambda rank, step: 8e6 if rank == 1 and step else 4e6),
                "host-starved")}


def wait_each_layer(host):
    """Rank 1 waits for its stream after each layer, and its host does something then."""
    return lambda sim, rank, step, layer: sim.sync(rank, COMPUTE, host) if rank == 1 else None


def wait_twice(host):
    """All ranks wait after each layer and do something before they wait again, for nothing: rank 1 for longer."""
    def wait(sim, rank, step, layer):
        sim.sync(rank, COMPUTE, host if rank == 1 else 2000)
        sim.sync(rank, COMPUTE)
    return wait


def late_hosts():
    """Jobs whose rank is late by its launch calls, in few steps, or by waits that no other rank has."""
    return {"launches of 300 us in every 5th step": Case("", "late-host", api=lambda rank, step, name: 300_000 if rank == 2 and step % 5 == 1 else 4000),
            "a wait after each layer": Case("", "late-host", postlayer=wait_each_layer(200_000)),
            "a short wait after each layer": Case("", "late-host", postlayer=wait_each_layer(60_000)),
            "host code before a wait that is over": Case("", "late-host", keep={"postlayer": wait_twice(2000)}, postlayer=wait_twice(200_000)),
            "a pause in each layer": Case("", "late-host", prelayer=late(2, 3, range(20), 3_000_000))}


def read_scalar(synchronise, host):
    """The host reads 4 bytes after each layer and works then. A copy to pageable memory holds its call until it is over."""
    def read(sim, rank, step, _layer):
        end = sim.copy(rank, step, "DtoH", 4, COMPUTE, 0, 0)
        start, _, *rest = sim.calls[-1]
        sim.calls[-1], sim.host[rank] = (start, end + 2000, *rest), end + 4000
        if synchronise:
            sim.sync(rank, COMPUTE)
        sim.host[rank] += host
    return read


def scalar_reads():
    """A copy that blocks, with and without a call that waits for it again; without the read the host works ahead."""
    def work(sim, rank, _step, _layer):
        sim.host[rank] += 200_000

    def case(synchronise):
        return Case("", "host-sync-idle", keep={"postlayer": work}, postlayer=read_scalar(synchronise, 200_000))
    return {"a copy that blocks, and a wait for it": case(True), "a copy that blocks": case(False)}


def check_read(tally, scratch, name, case):
    """What the finding says is saved without that call and what only waits for the same again; its command says so, too."""
    truth = case.write(scratch, "read")
    path = os.path.join(scratch, truth["files"][0])
    first = first_of(path)[0]
    tally.equal(name + " is first", (first["code"], first["saves_kind"], first["scenario"]), ("host-sync-idle", "prediction", "no-sync=cudaMemcpyAsync"))
    replayed = wl.run("whatif", path, "--with", first["scenario"])[1]["rows"][0]["saving"]
    for what, ns in (("saving", first["saves"]), ("scenario", replayed)):
        off = abs(ns - truth["saving_ns"]) / truth["span_ns"]
        tally.check("%s: %s" % (name, what), [] if off < 0.01 else ["%d, truth %d of %d" % (ns, truth["saving_ns"], truth["span_ns"])])


def check_profiler(tally, scratch):
    """The host of one rank stops for 30 ms in one step: where the trace has the profiler's overhead there, that is why, and not the host."""
    truth = Case("", "late-host", hostgap=lambda rank, step: 30e6 if rank == 1 and step == 7 else 0).write(scratch, "profiled")
    path = os.path.join(scratch, truth["files"][0])
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE PROFILER_OVERHEAD (start, end, globalTid, correlationId, nameId, returnValue)")
    db.execute("INSERT INTO StringIds VALUES (999999, 'CUPTI: Buffer flush')")
    threads = {}
    for thread, start, end in db.execute("SELECT globalTid, start, end FROM CUPTI_ACTIVITY_KIND_RUNTIME ORDER BY 1, 2"):
        threads.setdefault(thread, []).append((start, end))
    stop, begin, end, thread = max((b[0] - a[1], a[1], b[0], t) for t, calls in threads.items() for a, b in zip(calls, calls[1:]))
    for part, is_host in ((stop // 5, True), (stop - 1000, False)):
        db.execute("DELETE FROM PROFILER_OVERHEAD")
        db.execute("INSERT INTO PROFILER_OVERHEAD VALUES (?, ?, ?, NULL, 999999, 0)", (begin + 500, begin + 500 + part, thread))
        db.commit()
        first = first_of(path)[0]
        said = "GPU 1 is late because %s in step 7" % ("its host is slow" if is_host else "the profiler stops its host")
        tally.check("a profiler's stall of %d ns" % part, [] if first["code"] == "straggler" and said in first["finding"] else [first["finding"]])
        tally.equal("a profiler's stall of %d ns: action" % part, "Record less" in first["action"], not is_host)
    db.close()


def load_first(sim, rank, step, _layer):
    for _ in range(4 if step == 0 else 0):
        sim.call(rank, "cuModuleLoadData", 8_000_000)


def tune(steps):
    """Kernels that only these steps run, each once."""
    def run(sim, rank, step, layer):
        for n in range(20 if step in steps else 0):
            sim.kernel(rank, step, "tuned_%d_%d_kernel" % (layer, n), 400_000)
    return run


def starts():
    """name -> (case, kind of the saving, what the finding says); None: nothing is lost."""
    only = r"^Step 0 takes .* longer than the others, once in 19 steps .*, mostly loading and compiling \(`cuModuleLoadData`\)"
    return {"module loads in step 0": (Case("", "start", prelayer=load_first), "prediction", only),
            "the first 3 steps tune kernels": (Case("", "start", prelayer=tune(range(3))), "at most", r"^3 of 19 steps \(0-2\) .* kernels instead of "),
            "the first step tunes kernels": (Case("", "start", prelayer=tune([0])), "at most", "^Step 0 takes .* kernels instead of "),
            "other work in every 5th step, the first one too": (Case("", None, prelayer=tune([0, 5, 10, 15])), None, "run a different number of kernels: other work"),
            "other work in the first step and one more": (Case("", None, prelayer=tune([0, 9])), None, "runs a different number of kernels: other work")}


def recompile(steps, also=()):
    """In these steps the host compiles for 20 ms and loads the result; in others it only loads something."""
    def run(sim, rank, step, layer):
        if layer == 1 and step in steps:
            sim.host[rank] += 20_000_000
        if layer == 1 and (step in steps or step in also):
            sim.call(rank, "cuModuleLoadData", 300_000)
    return run


def loads():
    """name -> (case, what the finding says, the steps that alone call it)."""
    return {"compiling in steps 5 and 11": (Case("", "loads", prelayer=recompile([5, 11])), "; these steps alone call `cuModuleLoadData`", (5, 11)),
            "compiling in steps 0, 5 and 11, cheap in 0": (
                Case("", "loads", prelayer=recompile([5, 11], [0])), "; but for step 0 these steps alone call `cuModuleLoadData`", (5, 11)),
            "compiling in step 7": (Case("", "loads", prelayer=recompile([7])), "; it alone calls `cuModuleLoadData`", (7,)),
            "loading in another step": (Case("", "loads", prelayer=recompile([5, 11], [9])), "mostly host code", ())}


def check_loads(tally, scratch, name, case, words, steps):
    truth = case.write(scratch, "loads")
    first = first_of(os.path.join(scratch, truth["files"][0]))[0]
    tally.equal(name + " is first", first["code"], "slow-iterations")
    tally.check(name + " says", [] if words in first["finding"] and ("alone" in first["finding"]) == bool(steps) else [first["finding"]])
    step = re.match(r"Find what step (\d+) loads \(window step:\1\)", first["action"])
    tally.check(name + ": what to do", [] if (int(step.group(1)) in steps if step else not steps) else [first["action"]])


def check_start(tally, scratch, name, case, kind, words):
    """A run that starts slowly: the first steps are named, and what the others do not have is saved."""
    truth = case.write(scratch, "start")
    rows = first_of(os.path.join(scratch, truth["files"][0]))
    own = [r for r in rows if r["code"] == "slow-iterations"]
    tally.check(name + " says", [] if len(own) == 1 and re.search(words, own[0]["finding"]) else [str([r["finding"] for r in rows])])
    if kind is None:
        tally.check(name + " is no loss", ["%s: %s" % (r["code"], r["finding"]) for r in rows if r["severity"] in ("high", "medium")])
        return
    tally.equal(name + " is first", (rows[0]["code"], rows[0]["saves_kind"]), ("slow-iterations", kind))
    off = abs(rows[0]["saves"] - truth["saving_ns"]) / truth["span_ns"]
    tally.check(name + " saving", [] if off < 0.005 else ["%d, truth %d of %d" % (rows[0]["saves"], truth["saving_ns"], truth["span_ns"])])


def check_late_host(tally, scratch, name, case):
    truth = case.write(scratch, "host")
    first = first_of(os.path.join(scratch, truth["files"][0]))[0]
    tally.equal(name + " is first", (first["code"], first["saves_kind"]), ("straggler", "prediction"))
    off = abs(first["saves"] - truth["saving_ns"]) / truth["span_ns"]
    tally.check(name + " saving", [] if off < 0.005 else ["%d, truth %d" % (first["saves"], truth["saving_ns"])])


def first_of(path):
    """The findings; a job is a directory."""
    return wl.run("findings", path)[1]["rows"]


# Words of the first finding, by case; what none may say.
WORDS = {"07": "changes from step to step; .* the others wait for it", "38": r"all kernels take 1\.10 to 1\.30 times as long as on GPUs 0, 2",
         "37": r"^Nodes node2 and node5 \(ranks 4, 5, 10, 11\) are slow: all kernels take 1\.20 times as long", "24": "the other 6 GPUs wait for them",
         "25b": "GPU 0 waits for it", "01": "a kernel takes 2.00 times as long"}
NEVER = re.compile(r"\b1\.00 times|the other 4 GPUs wait for them: .* on GPU 3")


def check_words(tally, name, path, rows):
    notes = wl.run("ranks", path)[1]["notes"]
    tally.check(name + " words", [t for t in [r["finding"] for r in rows] + notes if NEVER.search(t)])
    if name in WORDS:
        tally.check(name + " says", [] if re.search(WORDS[name], rows[0]["finding"]) else [rows[0]["finding"]])
    if name == CANNOT_BE_REPLAYED:
        text = subprocess.run([wl.WARPLENS, "summary", path], stdout=subprocess.PIPE, check=True).stdout.decode()
        tally.check(name + " summary", [] if "\nwhat a late rank costs is not known\n" in text else [text])


def check(tally, name, path, truth):
    rows, cause = first_of(path), truth["cause"]
    check_words(tally, name, path, rows)
    notes, codes = wl.run("ranks", path)[1]["notes"], [r["code"] for r in wl.run("findings", path, "--all")[1]["rows"]]
    if name != "17":
        tally.equal(name + " has no suspect", any(n.startswith("no straggler: ") for n in notes), name in NO_SUSPECT)
    tally.equal(name + " is named", "straggler" in codes, name not in NO_SUSPECT and name != "17")
    tally.equal(name + " changes", codes.count("step-time-changed"), int(name in CHANGED))
    if cause is None:
        tally.check(name + " is healthy", ["%s: %s" % (r["code"], r["finding"]) for r in rows if r["severity"] in ("high", "medium")])
        return
    tally.equal(name + " first finding", rows[0]["code"] if rows else None, CODES.get(cause, cause))
    if cause == "tiny-kernels":
        others = [r["code"] for r in rows if r["severity"] in ("high", "medium")]
        tally.equal(name + " is the only cause", (others, rows[0]["saves_kind"]), ([cause], "at most"))
        # one kernel of each run stays, which the clean run has not
        off = abs(rows[0]["saves"] - truth["saving_ns"]) / truth["clean_span_ns"]
        tally.check(name + " saving", [] if off < 0.01 else ["%d, truth %d" % (rows[0]["saves"], truth["saving_ns"])])
    if cause in STRAGGLERS and name != CANNOT_BE_REPLAYED:
        reasons = {r["reason"] for r in wl.run("ranks", path)[1]["rows"] if r["saving"] is not None}
        tally.equal(name + " reason", reasons, {STRAGGLERS[cause]})


def check_leaves(tally, name, path):
    """Rank 3 leaves 40 us after the others: a number of ranks, and no lateness."""
    rows = wl.run("ranks", path)[1]["rows"]
    tally.equal(name + " leaves", [r["leaves"] for r in rows], [0, 0, 0, 40_000])
    tally.equal(name + " nobody is named", [r["saving"] for r in rows], [None] * 4)


def check_slow_kernels(tally, scratch):
    """All kernels take longer, by two factors: no single kernel is blamed."""
    case = Case("", "slow-kernel", dur=lambda rank, step, name, ns, start: ns * (1.4 if "flash" in name else 1.15) if rank == 3 else ns)
    truth = case.write(scratch, "kernels")
    first = first_of(os.path.join(scratch, truth["files"][0]))[0]["finding"]
    tally.check("kernels of two factors", [] if "GPU 3 is slow: all kernels take longer: 1.40 times (flash" in first else [first])


def check_tenant(tally, name, path, truth):
    """Steps are those of the ranks, and one of them is the steady step of all; the other program is named."""
    rows, notes = (wl.run("iters", path)[1][k] for k in ("rows", "notes"))
    tally.equal(name + " steps by process", {r["pid"]: sum(q["pid"] == r["pid"] for q in rows) for r in rows},
                {70000 + 16 * rank: truth["steps_in_run"] for rank in range(truth["ranks_in_job"])})
    tally.check(name + " the other program is named", [] if any(n.startswith("process 90000 shares a GPU") for n in notes) else notes)
    tally.equal(name + " one steady step", len({r["iter"] for r in wl.run("iters", path, "--steady")[1]["rows"]}), 1)
    tally.equal(name + " steps by its own marker", len([r for r in wl.run("iters", path, "--marker", "kernel:other_job")[1]["rows"] if r["pid"] == 90000]) > 1,
                True)


def check_who_and_when(tally, scratch, name, case, second):
    """The straggler has its saving, and the finding behind it what it saves besides."""
    truth = case.write(scratch, "when")
    rows = first_of(os.path.join(scratch, truth["files"][0]))
    tally.equal(name + " findings", [r["code"] for r in rows[:2]], ["straggler", second])
    off = abs(rows[0]["saves"] - truth["saving_ns"]) / truth["span_ns"]
    tally.check(name + " saving", [] if off < 0.005 else ["%d, truth %d" % (rows[0]["saves"], truth["saving_ns"])])
    rest = wl.run("whatif", os.path.join(scratch, truth["files"][0]), "--with", rows[1]["scenario"])[1]["rows"][0]["saving"]
    left = rest - rows[0]["saves"]
    tally.check(name + " rest", [] if abs(rows[1]["saves"] - left) < 0.005 * truth["span_ns"] else ["%d, left %d" % (rows[1]["saves"], left)])


def checkpoint(sim, rank, step):
    """A copy to the host at the end of a step, that is waited for."""
    if rank == 1 and step % 6 == 5:
        sim.copy(rank, step, "DtoH", 500_000_000, COMPUTE)
        sim.sync(rank, COMPUTE)


def counted_once():
    """(case, words of the first finding): a stop of which two steps have a part is one."""
    stop = {(1, 3): 41_200_000, (2, 9): 40_300_000, (2, 15): 40_300_000}
    return {"all are held up, one rank for longer": (
                Case("", "slow-iterations", hostgap=lambda rank, step: stop.get((rank, step), 40_000_000) if step % 6 == 3 else 30_000),
                r"^3 of 18 steps \(3, 9, 15\) are delayed"),
            "a checkpoint at the end of a step": (
                Case("", "late-host", poststep=checkpoint, hostgap=lambda rank, step: 30e6 if rank == 1 and step and step % 6 == 0 else 30e3),
                r"in every 6th step: 5, 11, 17: .* take 30\.\d+ ms vs .*; copies take 20\.\d+ ms vs")}


def lengths(rank, step, name, ns, _):
    """Sequences of other lengths on each rank in each step: attention is quadratic in them."""
    of = random.Random("%d,%d" % (rank, step)).uniform(.6, 1.5)
    return ns * (of * of if "flash" in name else of)


def now_and_then(rank, step, name, ns, start):
    """Another process takes its turn on the GPU of rank 1: in a quarter of all milliseconds kernels take longer."""
    return ns * 2.2 if rank == 1 and random.Random("%d,%d" % (step, start // 1_000_000)).random() < .25 else ns


def hang():
    """One run of a kernel takes 100 ms more."""
    seen = []

    def length(rank, step, name, ns, _):
        if rank != 2 or step != 7 or "flash_fwd" not in name or seen:
            return ns
        seen.append(name)
        return ns + 100e6
    return length


def in_turn(rank, step, name, ns, _):
    """Two GPUs, each slow in its half of the run."""
    return ns * (1.2 if rank == 1 and step < 10 else 1.1 if rank == 3 and step >= 10 else 1)


# name: (case, words of the first finding and of its action)
SAID = {"sequence lengths": (Case("", "straggler", dur=lengths),
                             r"^The work of a step is uneven between ranks; the GPU that takes longest changes \(GPU 0 in \d+ steps?, 1 in",
                             "^Spread the work of each step evenly"),
        "a tenant that is not in the trace": (Case("", "slow-gpu", dur=now_and_then), r"^GPU 1 is slow: some runs of its kernels take longer, on average \(",
                                              "^Find why"),
        "one run": (Case("", "slow-kernel", dur=hang()), r"^GPU 2 is slow in step 7: one run of a kernel takes 100\.\d ms \(flash_fwd.*, median 2\d\d", "^Find why"),
        "two GPUs, one after the other": (Case("", "slow-gpu", dur=in_turn), r"^GPUs 1 and 3 are slow \(GPU 1 in steps 0-9; GPU 3 in steps 10-19\): ",
                                          "^Compare clocks")}


def check_said(tally, scratch, name, case, words, action):
    """What the sentence says is what the numbers in it are of; one step is not spread over all."""
    truth = case.write(scratch, "said")
    rows = first_of(os.path.join(scratch, truth["files"][0]))
    tally.check(name + " says", [] if re.search(words, rows[0]["finding"]) and re.search(action, rows[0]["action"]) else [str(rows[0])[:600]])
    tally.check(name + " numbers differ", [m.group(0) for m in re.finditer(r"(\d+)\.\d+ (us|ms) vs \1\.\d+ \2", rows[0]["finding"])])
    tally.equal(name + " is at most", rows[0]["saves_kind"], "at most" if name == "sequence lengths" else "prediction")
    tally.check(name + " has no dominant kernel of one run", [r["finding"] for r in rows if name == "one run" and "flash_fwd" in r["finding"] and r["code"] == "dominant-kernel"])


def check_turns(tally, name, path):
    """The transfer behind a wait is not what the others wait for those that take turns."""
    first, waits = first_of(path)[0], {r["device"]: r["wait"] for r in wl.run("ranks", path)[1]["rows"]}
    steps = len({r["iter"] for r in wl.run("iters", path)[1]["rows"]}) - 2
    tally.check(name + " waits", [] if first["saving"] * steps <= waits[first["device"]] else ["%d of %d steps, %s" % (first["saving"], steps, waits)])


def check_counted(tally, scratch, name, case, words):
    truth = case.write(scratch, "counted")
    first = first_of(os.path.join(scratch, truth["files"][0]))[0]
    tally.check(name + " is counted once", [] if re.search(words, first["finding"]) else [first["finding"]])
    off = abs(first["saves"] - truth["saving_ns"]) / truth["span_ns"]
    tally.check(name + " saving", [] if off < 0.005 else ["%d, truth %d" % (first["saves"], truth["saving_ns"])])


def main():
    tally = wl.Tally()
    with tempfile.TemporaryDirectory(prefix="wl-first-findings-") as scratch:
        written = caused.write(scratch, caused.listed())
        tally.equal("cases", len(written), 72)
        for name, (path, truth) in written.items():
            check(tally, name, path, truth)
            if truth["cause"] == "shared-gpu":
                check_tenant(tally, name, path, truth)
            if name == "07":
                check_turns(tally, name, path)
            if name == "34":
                check_leaves(tally, name, path)
        check_slow_kernels(tally, scratch)
        for name, case in late_hosts().items():
            check_late_host(tally, scratch, name, case)
        for name, case in scalar_reads().items():
            check_read(tally, scratch, name, case)
        for name, (case, words, action) in SAID.items():
            check_said(tally, scratch, name, case, words, action)
        for name, (case, words) in counted_once().items():
            check_counted(tally, scratch, name, case, words)
        for name, (case, kind, words) in starts().items():
            check_start(tally, scratch, name, case, kind, words)
        for name, (case, words, steps) in loads().items():
            check_loads(tally, scratch, name, case, words, steps)
        for name, (case, second) in who_and_when().items():
            check_who_and_when(tally, scratch, name, case, second)
        check_profiler(tally, scratch)
    tally.finish()


if __name__ == "__main__":
    main()
