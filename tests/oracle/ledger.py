# SPDX-License-Identifier: MIT
"""Where the time of steps went: compute and every kind of loss, iteration by iteration.

The definitions are in docs/definitions: time.md, idle.md, iterations.md, findings.md and compare.md.
"""
import idle
import iters
import oracle
from conventions import GENERIC
from oracle import percentile
from sweep import segments

EXPOSED = ("exposed_comm", "exposed_copy")
PARTS = ("compute", *EXPOSED, *idle.CAUSES)


class Step:
    """One tile of a device: its number, length, and parts by name, which add up to the length."""
    def __init__(self, number, length, parts):
        self.number, self.length, self.parts = number, length, parts
        assert sum(parts.values()) == length, (number, length, parts)

    def lost(self):
        """Idle and exposed time. Before the first and after the last operation a device is not idle but unused."""
        return sum(v for name, v in self.parts.items() if name not in ("compute", "unused"))


def parts_of(query, device, tile):
    """{part: ns} of a device in an interval; query: the whole trace, so that causes of gaps are found once."""
    row, = oracle.overlap(oracle.Tile(query.trace, device, tile), segments, blank=False)
    parts = {c: row[c] for c in ("compute", *EXPOSED)}
    parts.update(dict.fromkeys(idle.CAUSES, 0))
    for gap in idle.gaps_in(query, device, tile):
        for a, b, cause, _ in gap.pieces:
            parts[cause] += max(0, min(b, tile[1]) - max(a, tile[0]))
    parts["unused"] = row["idle"] - sum(parts[c] for c in idle.CAUSES)
    return parts


def steps(trace, device, found, query=None):
    """The steps of a process (iters.Found) on a device, with a period: all but the last."""
    query = query or oracle.Query(trace)
    return [Step(n, b - a, parts_of(query, device, (a, b))) for n, (a, b) in enumerate(found.tiles()[:-1])]


def sample(found_steps):
    """All but the first (and the last, which has no period); the first where there is no other."""
    return found_steps[1:] or found_steps


# --- what findings may claim -------------------------------------------------------------------------------

def slow_compute(chosen, flagged):
    """Compute of flagged iterations above the median of the others: what slow-iterations may claim though nothing was idle or
    exposed. Without others there is nothing to compare with."""
    others = [s.parts["compute"] for s in chosen if s.number not in flagged]
    if not others:
        return 0
    median = percentile(others, 50)
    return sum(max(0, s.parts["compute"] - median) for s in chosen if s.number in flagged)


class Lane:
    """What a device lost in a sample of one of its processes, or in the whole window where that has no sample."""
    def __init__(self, lost, compute, n):
        self.lost, self.compute, self.n = lost, compute, n


def lanes(trace):
    """{device: [Lane of each process that used it]}."""
    query, out = oracle.Query(trace), {}
    found = iters.find_all(trace, conventions=GENERIC)
    for device in query.devices:
        for process in sorted({op.process for op in trace.ops if op.device == device}):
            chosen, flagged = [], set()
            if process in found:
                chosen, flagged = sample(steps(trace, device, found[process], query)), iters.outliers(found[process].periods())
            if not chosen:
                a, b = query.window(device)
                chosen = [Step(0, b - a, parts_of(query, device, (a, b)))]
            out.setdefault(device, []).append(Lane(sum(s.lost() for s in chosen), slow_compute(chosen, flagged), len(chosen)))
    return out


def claimed_at_most(trace, rows):
    """What findings claim beyond what was lost. Each nanosecond belongs to one finding at most; the one exception is that
    slow-iterations also claims compute, that of flagged iterations above the median. Claims per step are of the sample;
    those per window (start-up, what is not in most steps) may be of all that was lost.

    open: a device that several processes use is accounted by one of them: here the one that gives the larger bound."""
    by_device, out, query = lanes(trace), [], oracle.Query(trace)
    whole = {d: Step(0, query.span[1] - query.span[0], parts_of(query, d, query.span)).lost() for d in by_device}
    with_saving = [r for r in rows if r["saving"] is not None]
    is_slow = any(r["code"] == "slow-iterations" for r in with_saving)

    def bound(lane):
        return lane.lost + (lane.compute if is_slow else 0)
    compute = {d: max(lane.compute for lane in v) if is_slow else 0 for d, v in by_device.items()}
    total, most = sum(r["gpu_time"] or 0 for r in with_saving), sum(whole[d] + compute[d] for d in by_device)
    if total > most:
        out.append("findings claim %d ns, lost are %d" % (total, most))
    for device in by_device:
        for per, most in (("step", max(bound(lane) / lane.n for lane in by_device[device])), ("window", whole[device] + compute[device])):
            mine = [r["saving"] for r in with_saving if r["device"] == device and r["per"] == per]
            if sum(mine) > most + len(mine):
                out.append("savings of device %d are %d ns per %s, lost are %d" % (device, sum(mine), per, most))
    return out


def claimed_in_window(trace, window, rows):
    """The same of a window that may cut steps: all claims together are at most what was lost in it.

    open: which steps are compared with which, so what slow-iterations claims of compute is not counted here."""
    query = oracle.Query(trace)
    lost = sum(Step(0, window[1] - window[0], parts_of(query, d, window)).lost() for d in query.devices)
    total = sum(r["gpu_time"] or 0 for r in rows if r["saving"] is not None and r["code"] != "slow-iterations")
    return ["findings claim %d ns, lost are %d" % (total, lost)] if total > lost else []


# --- the budget of a summary -----------------------------------------------------------------------------------

def budget(trace):
    """{part: ns} of the mean step, over the samples of all devices together; None where it is not told which those are.

    open: a device that several processes use; devices with steps beside devices without."""
    query, found, chosen, bare = oracle.Query(trace), iters.find_all(trace, conventions=GENERIC), [], 0
    for device in query.devices:
        processes = {op.process for op in trace.ops if op.device == device}
        if len(processes) > 1:
            return None
        process = processes.pop()
        mine = sample(steps(trace, device, found[process], query)) if process in found else []
        bare += not mine
        chosen += mine or [Step(0, query.span[1] - query.span[0], parts_of(query, device, query.span))]
    if 0 < bare < len(query.devices):
        return None
    return largest_remainder(sum(s.length for s in chosen), len(chosen), {c: sum(s.parts[c] for s in chosen) for c in PARTS})


def budget_differs(trace, rows):
    """Parts are rounded so that they add up; which one is rounded up is not told."""
    want, got = budget(trace), {r["part"]: r["time"] for r in rows}
    if want is None:
        return []
    return ["%s: warplens %r, oracle %r" % (c, got.get(c, 0), v) for c, v in want.items() if abs(got.get(c, 0) - v) > 1]


# --- what diff compares --------------------------------------------------------------------------------------

def largest_remainder(total, count, sums):
    """Integers near sums / count that add up to round(total / count); sums: {name: sum}, which add up to total."""
    whole = oracle.rounded(total, count)
    out = {name: value // count for name, value in sums.items()}
    rest = whole - sum(out.values())
    for name in sorted(sums, key=lambda n: (-(sums[n] % count), list(sums).index(n)))[:rest]:
        out[name] += 1
    return out
