#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sections 2, 6 and 7 on rich random traces: overlap by device, stream, stage and iteration, matrix, nccl and streams against
the oracle, in random windows and selections.

Purposes and stages also on as many tiny traces of ranges that cross. ORACLE_SEEDS: how many (default 150); ORACLE_BASE: the first seed (default 1). A failing trace is kept.
"""
import os
import random
import shutil
import tempfile

import comm
import compare
import exposure
import iters
import layout
import mktrace
import oracle
import test_random
import wl
from conventions import GENERIC, PITHTRAIN, matches_anchor
from tiny import Tiny
from tracefile import Trace

TYPES = ["allreduce", "allgather", "reducescatter", "alltoall", "broadcast", "reduce", "sendrecv", "other"]
STREAM = ["device", "pid", "context", "stream"]


PYTORCH = {**GENERIC, "name": "pytorch", "anchor": "ProfilerStep#*"}


def conventions_of(trace):
    """What the names of ranges tell; the others that are built in know none of these names."""
    for conventions in (PITHTRAIN, PYTORCH):
        if any(matches_anchor(conventions["anchor"], r.name or "") for r in trace.ranges):
            return conventions
    return GENERIC


def totals(query, columns):
    """The row of each device beside its groups: the whole device as one group, also where nothing is in the window."""
    empty = {**dict.fromkeys(columns, 0), **exposure.exposure([], [])}
    rows = {device: {**empty, "device": device} for device in query.devices}
    rows.update({r["device"]: r for r in exposure.blanked(query, exposure.by_group(query, lambda op: {}))})
    keys = [c for c in columns if c in ("pid", "context", "stream", "rank", "stage", "bridged")]
    return [{c: r.get(c) for c in columns} | dict.fromkeys(keys) | {"total": True} for r in rows.values()]


def grouped(query, rows, keys):
    rows = [{**r, "total": False} for r in exposure.blanked(query, rows)]
    bridged = ["bridged"] if "stage" in keys else []
    columns = keys + bridged + ["compute", "copy", "exposed_copy", "comm_calls", "comm_sum", "comm", "overlapped_comm", "overlap", "exposed",
                      "exposed_sum", "overlap_min", "overlap_max", "total"]
    return [{c: r[c] for c in columns} for r in rows] + totals(query, columns)


def merged(query, rows):
    """The stages of all devices and ranks: what a device with graph rows hides of one is unknown of all."""
    sums = ["compute", "copy", "exposed_copy", "comm_calls", "comm_sum", "comm", "overlapped_comm", "exposed", "exposed_sum", "bridged"]
    stages = {}
    for r in exposure.blanked(query, rows):
        stages.setdefault(r["stage"], []).append(r)
    out = []
    for stage, all_rows in stages.items():
        row = {"stage": stage, "n_ranks": len(all_rows)}
        for c in sums:
            row[c] = None if any(r[c] is None for r in all_rows) else sum(r[c] for r in all_rows)
        row["overlap"] = row["overlapped_comm"] / row["comm"] if row["comm"] else None
        known = [r for r in all_rows if r["overlap_min"] is not None] if row["comm"] is not None else []
        row["overlap_min"] = min((r["overlap_min"] for r in known), default=None)
        row["overlap_max"] = max((r["overlap_max"] for r in known), default=None)
        out.append(row)
    return out


def matrix(query):
    """The oracle's pairs as rows of the table: a column per kind, empty for collectives that the device does not have, and
    for all communication where graph rows hide it."""
    rows, opaque = {}, {device for device in query.devices if exposure.opaque(query, device)}
    for pair in exposure.matrix(query):
        a, b = pair["a"].lower(), pair["b"].lower()
        if pair["device"] in opaque and {a, b} & set(TYPES):
            continue
        if pair["device"] in opaque and "comm" in (a, b):
            pair["both"] = None
        blank = {"device": pair["device"], "a": a, **dict.fromkeys(["compute", "comm", "copy"] + TYPES)}
        rows.setdefault((pair["device"], a), blank)[b] = pair["both"]
    return list(rows.values())


def nccl(trace, query):
    """open: what matches in traces as random as these; test_matching.py asks where it is told."""
    rows = comm.nccl(query)
    ranks = {p & 0xFFFFFF: exposure.rank_of(trace, p) for p in trace.processes}
    for row in rows:
        for c in ("bytes", "algbw", "busbw"):
            del row[c]
        row.update(rank=ranks[row["pid"]])
    return rows


def streams(query, conventions):
    rows = layout.streams(query, conventions)
    busy = {tuple(r[k] for k in STREAM): r["busy"] for r in layout.stream_busy(query)}
    return [{**r, "busy": busy[tuple(r[k] for k in STREAM)]} for r in rows]


def questions(trace, query, r):
    """(verb, arguments, rows wanted, whether the trace has data, keys)."""
    conventions = conventions_of(trace)
    device = [{k: v for k, v in row.items() if k not in ("lower_bound", "exposed")} for row in exposure.by_device(query)]
    yield "overlap", [], device, True, ["device"]
    by_stream = grouped(query, exposure.by_stream(query), STREAM)
    yield "overlap", ["--by", "stream"], by_stream, True, STREAM + ["total"]
    by_stage = grouped(query, exposure.by_stage(query, conventions), ["device", "rank", "stage"])
    yield "overlap", ["--by", "stage"], by_stage, True, ["device", "rank", "stage", "total"]
    yield "overlap", ["--by", "stages"], merged(query, exposure.by_stage(query, conventions)), True, ["stage"]
    yield "matrix", [], matrix(query), True, ["device", "a"]
    has_comm = any(op.cls == "comm" for op in trace.ops) or not any(op.kind == "graph" for op in trace.ops) or bool(trace.mpi)
    # Rows of MPI calls are for test_matching.py.
    yield r.choice(["nccl", "nccl_breakdown"]), ["--where", 'type !~ "^MPI_"'], nccl(trace, query), has_comm, STREAM + ["type"]
    yield "streams", [], streams(query, conventions), True, STREAM


def iteration(trace, query, r):
    """The same for overlap by iteration, which is found on the whole trace."""
    conventions, marker, arguments = conventions_of(trace), None, ["--by", "iteration"]
    if r.random() < 0.3:
        conventions = r.choice([GENERIC, PITHTRAIN])
    arguments += ["--conventions", conventions["name"]]     # open: when one that was not asked for gives way
    marker = r.choice([None, None, "step", "iter", "re:^layer"])
    if marker and not iters.marks(trace, marker):
        marker = None                                       # warplens refuses it
    arguments += ["--marker", marker] if marker else []
    if iters.is_open(trace, marker, conventions):
        return None
    found = iters.find_all(trace, marker, conventions)
    rows = [{k: v for k, v in row.items() if k != "exposed"} for row in exposure.by_iteration(query, found)]
    return "overlap", arguments, rows, bool(found), ["device", "pid", "iter"]


def one_seed(seed, path):
    maker = mktrace.make(seed, path, rich=True)
    trace, r = Trace(path), random.Random(seed * 104729 + 3)
    if not trace.ops:
        return
    window, per_device, common = test_random.random_window(r, maker, trace)
    selection, chosen = test_random.random_selection(r, trace)
    if window and common is None or window and "+" in window[0]:
        selection, chosen = [], {}          # open: whether open ends, + and nvtx: look at the selected rows or at all
    query = oracle.Query(trace, window=per_device, **chosen)
    for verb, arguments, want, has_data, keys in filter(None, [*questions(trace, query, r), iteration(trace, query, r)]):
        yield (verb, *arguments, *window, *selection), test_random.check([verb, *arguments], path, window + selection, want, has_data, keys)


# --- ranges that cross ------------------------------------------------------------------------------------

NAMES = ["pipeline send/recv", "cp ring", "layer03.stage2_f", "layer03.stage4_b", "something", "else", "ncclGroup"]


def crossing(seed):
    """Launches of communication within up to 4 ranges that nest or cross, of one thread; each stream has one or two launches.

    Times of calls are odd and those of ranges even, so that none begins or ends with another."""
    r, t, now = random.Random("crossing %d" % seed), Tiny(), 0
    t.kernel(0, 1, "gemm", stream=7)
    for stream in range(20, 20 + r.randint(1, 4)):
        for _ in range(r.choice([1, 1, 2])):
            for _ in range(r.randint(1, 4)):
                start = now + 2 * r.randint(0, 20)
                t.range(start, start + 2 * r.randint(1, 60), r.choice(NAMES), domain=r.choice([0, 9]))
            call = now + 2 * r.randint(15, 40) + 1
            t.kernel(call + 500, call + 520, "ncclDevKernel_SendRecv", stream=stream, call=(call, call + 2 * r.randint(0, 6)))
            now += 1000
    return t


def crossed(seed, path):
    trace = crossing(seed).write(path)
    query = oracle.Query(trace)
    for conventions in (PITHTRAIN, GENERIC):
        given = ["--conventions", conventions["name"]]
        yield ("streams", *given), test_random.check(["streams"], path, given, streams(query, conventions), True, STREAM)
        want = grouped(query, exposure.by_stage(query, conventions), ["device", "rank", "stage"])
        yield ("overlap --by stage", *given), test_random.check(["overlap", "--by", "stage"], path, given, want, True, ["device", "rank", "stage", "total"])


def main():
    scratch, tally = tempfile.mkdtemp(prefix="wl-exposure-"), wl.Tally()
    for seed, ask in [(seed, ask) for ask in (one_seed, crossed) for seed in wl.seeds(150)]:
        path, bad = os.path.join(scratch, "%s%d.sqlite" % ("" if ask is one_seed else "crossed", seed)), []
        try:
            for what, differences in ask(seed, path):
                bad += [" ".join(what)[:200] + "\n         " + str(d)[:600] for d in differences]
        except RuntimeError as error:
            bad.append(str(error))
        tally.check("seed %d, trace %s" % (seed, path), bad)
        if not bad:
            os.remove(path)
    if not tally.failed:
        shutil.rmtree(scratch)
    tally.finish()


if __name__ == "__main__":
    main()
