#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""plant.py keeps its word: what it put in is there to the nanosecond, and the trace is as consistent as before.

The oracle alone speaks here; what warplens makes of planted traces is asked by test_findings.py and test_diff.py.
"""
import os
import tempfile

import idle
import iters
import oracle
import planted
import wl
from sweep import segments
from tracefile import Trace

SMALL = ["--ranks", "2", "--layers", "2", "--iters", "6", "--variants", "3"]
SERVING = ["--ranks", "2", "--layers", "2", "--iters", "8", "--serving"]
NAME = "flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel"
CASES = [(SMALL, [kind, "--length", "777us"]) for kind in ("alloc", "sync", "pageable", "blocking", "load", "host", "profiler")]
CASES += [(SERVING, ["alloc", "--length", "300us"]), (SMALL + ["--schema", "2026.4"], ["launch", "--count", "40"]),
          (SMALL, ["host", "--length", "400us", "--every", "3"]), (SMALL, ["pageable", "--length", "400us", "--every", "2"]),
          (SMALL + ["--schema", "2026.4"], ["host", "--length", "400us"]), (SMALL, ["launch", "--count", "50"]),
          (SMALL, ["managed", "--length", "777us"]), (SMALL, ["dtod", "--length", "777us"]), (SMALL, ["reads", "--count", "9"]),
          (SMALL, ["drain", "--count", "7"]), (SMALL + ["--schema", "2026.4"], ["drain", "--count", "3", "--length", "90us"]),
          *((SMALL, ["startup", "--length", "5ms", "--call", call]) for call in ("load", "launch", "alloc")),
          (SMALL, ["epochs", "2"]), (SMALL, ["layers", "3"]), (SMALL, ["bare"]),
          (SMALL, ["slower", NAME, "1.08"]), (SMALL, ["slower", "multi_tensor_apply_kernel", "1.5"]), (SMALL, ["split", "flash_fwd_kernel"]),
          (SMALL, ["split", NAME, "--gap", "900"]), (SMALL, ["rename", "<float", "<double"]), (SMALL, ["noise", "0.02", "5"])]

NOT_IN_STEPS = ("noise", "layers", "bare")              # these change what is known of steps, not what happens in them


def steps(trace, marker):
    """{process: [(parts of the step, kernel sums by short name) of each step with a period but the first]}."""
    out, query = {}, oracle.Query(trace)
    for process, found in iters.find_all(trace, marker).items():
        device, = trace.devices_of(process)
        out[process] = []
        for tile, it in list(zip(found.tiles(), found.iterations))[1:-1]:
            row, = oracle.overlap(oracle.Query(trace, {device}, window=lambda d, t=tile: t), segments)
            parts = {"step": row["window"], **{c: row[c] for c in ("compute", "exposed_comm", "exposed_copy", "idle")}}
            for gap in (g for g in idle.explained_gaps(query) if g.device == device):
                for a, b, cause, _ in gap.pieces:
                    length = max(0, min(b, tile[1]) - max(a, tile[0]))
                    parts[cause] = parts.get(cause, 0) + length
            kernels = {}
            for op in it.ops:
                if op.kind == "kernel":
                    name = trace.kernel_name(op, "short")
                    kernels[name] = kernels.get(name, 0) + op.end - op.start
            out[process].append((parts, kernels))
    return out


def changes(before, after, which):
    """The mean change per step and process of every name."""
    out = {}
    for process in before:
        pairs = [(a[which], b[which]) for a, b in zip(before[process], after[process])]
        names = {n for a, b in pairs for n in (*a, *b)}
        out[process] = {n: sum(b.get(n, 0) - a.get(n, 0) for a, b in pairs) / len(pairs) for n in names}
    return out


def as_told(before, after, marker, truth):
    """Differences between what changed and what the truth says of it."""
    change, out = truth["change"], []
    before, after = steps(before, marker), steps(after, marker)
    for process, found in changes(before, after, 0).items():
        want = {"step": change["step"], **change["parts"]}
        out += ["process %d, %s: %r, truth %r" % (process, c, found.get(c, 0), v) for c, v in want.items() if abs(found.get(c, 0) - v) > 1]
        rest = sum(found[c] for c in ("compute", "exposed_comm", "exposed_copy", "idle")) - found["step"]
        out += ["parts do not add up: %r" % found] if abs(rest) > 1e-6 else []
    for process, found in list(changes(before, after, 1).items())[:1]:
        out += ["%s: %r, truth %r" % (n, found[n], v) for n, v in change["kernels"].items() if abs(found[n] - v) > 2 + abs(v) / 20]
    return out


def consistent(trace):
    """What must be true of any generated trace."""
    out = []
    ids = [(c.process, c.correlation) for c in trace.calls]
    out += ["correlation ids are not unique"] if len(ids) != len(set(ids)) else []
    out += ["operation without launch at %d" % op.start for op in trace.ops if not op.launch and not trace.migrates(op)]
    out += ["operation at %d before its launch at %d" % (op.start, op.launch.start) for op in trace.ops if op.launch and op.start < op.launch.start]
    threads = {}
    for call in sorted(trace.calls, key=lambda c: c.start):
        last = threads.get(call.thread)
        out += ["calls overlap at %d" % call.start] if last and call.start < last.end else []
        threads[call.thread] = call
    streams = {}
    for op in sorted(trace.ops, key=lambda o: o.start):
        last = streams.get((op.process, op.stream))
        out += ["operations of a stream overlap at %d" % op.start] if last and op.start < last.end else []
        streams[op.process, op.stream] = op
    return out


def ends_together(trace):
    """All-reduces end at the same moment on all ranks."""
    ends = {}
    for op in trace.ops:
        if op.kind == "kernel" and "AllReduce" in trace.kernel_name(op, "short"):
            ends.setdefault(op.process, []).append(op.end)
    return [] if len({tuple(sorted(v)) for v in ends.values()}) == 1 else ["collectives end apart"]


def main():
    tally = wl.Tally()
    with tempfile.TemporaryDirectory(prefix="wl-plant-") as scratch:
        for number, (options, edit) in enumerate(CASES):
            source, target = (os.path.join(scratch, "%d%s.sqlite" % (number, c)) for c in "ab")
            planted.generate(source, options)
            truth = planted.plant(source, target, edit)
            before, after, what = Trace(source), Trace(target), " ".join(edit + options)
            marker = "schedule" if "--serving" in options else None
            tally.check("consistent: " + what, consistent(after))
            tally.check("ends together: " + what, ends_together(after))
            if edit[0] not in NOT_IN_STEPS:
                tally.check("as told: " + what, as_told(before, after, marker, truth["planted"][-1]))
            tally.equal("iterations: " + what, len(truth["iteration_start_ns"]), truth["iterations"])
    tally.finish()


if __name__ == "__main__":
    main()
