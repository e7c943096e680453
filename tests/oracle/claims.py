# SPDX-License-Identifier: MIT
"""Which idle time a finding claims (docs/analyses/findings.md), as far as that follows from the gap alone.

Rules claim in an order, and some decide by sums over many gaps. So a part of a gap is a finding's (YES), is not (NO), or may be
(MAYBE): what a finding has lies between the sum of YES and that of YES and MAYBE."""
import idle
import intervals
import iters
import oracle
from conventions import GENERIC

NO, MAYBE, YES = range(3)
SHORT = 100_000                         # gaps of at most this length are the launches' own
HOST = ("host", "os", "api")
# Rules that come first and may take a part of any cause: then nothing is sure.
ANY = {"slow-iterations", "start-up", "straggler"}
# Rules about calls that wait or copy, which come before those about sync, launch and host.
OF_CALLS = {"tiny-reads", "pageable-copy", "blocking-copy"}
# The other rules that have idle time; what is in none of these sets has none.
OF_IDLE = {"alloc-in-loop", "module-load-in-loop", "host-callback", "profiler-overhead", "managed-memory", "host-sync-idle", "launch-bound", "host-starved",
           "step-time-changed", "tiny-kernels"}


def spans(query):
    """{device: (intervals that findings count, whether these are steps)}: the steps of its process without the first and the last,
    else the window.

    open: a device of several processes, and a process of several devices; None for those."""
    found, out = iters.find_all(query.trace, conventions=GENERIC), {}
    for device in query.devices:
        processes = {op.process for op in query.trace.ops if op.device == device}
        mine = found.get(min(processes))
        tiles = mine.tiles()[:-1] if mine else []
        counted = (tiles[1:] or tiles, True) if tiles else ([query.window(device)], False)
        shared = {op.device for op in query.trace.ops if op.process in processes} != {device}
        out[device] = counted if len(processes) == 1 and not shared else None
    return out


# Idle time before the first step that is no start-up: it is not the host that is not ready.
NO_START = {"managed", "unknown", "profiler", "dispatch", "dependency", "unused"}


def before(query, device):
    """(the time before the first step, whether all idle time in it is start-up for sure), None without steps: at least eight ranges are
    steps and no guess."""
    found = iters.find_all(query.trace, conventions=GENERIC).get(next(op.process for op in query.trace.ops if op.device == device))
    tiles = found.tiles() if found else []
    return ((query.window(device)[0], tiles[0][0]), found.method == "conventions" and len(tiles) >= iters.ENOUGH) if tiles else None


def lengths(gap, part):
    """The gap's own length and that of its part: which of them is short is open."""
    return gap.b - gap.a, part[1] - part[0]


def is_same_range(query, gap, detail):
    """Host code in the range of the call that opened the gap, or both in none."""
    return detail == idle.host_of(query.trace).opened(gap)[1]


def owner_of_drained(query, device):
    """Whose the host code is in long gaps, in the range of the call that opened them: the call's, as long as all of it takes no
    longer than the device is busy; None where that depends on whether CUDA calls are such code."""
    if not hasattr(query, "drained"):
        query.drained = {}
    if device not in query.drained:
        sums, busy = dict.fromkeys(HOST, 0), 0
        for begin, end in spans(query)[device][0]:
            for gap in idle.gaps_in(query, device, (begin, end)):
                for a, b, cause, detail in gap.pieces if gap.opener and gap.b - gap.a > SHORT else []:
                    if cause == "api" or cause == "host" and is_same_range(query, gap, detail):
                        sums[cause] += max(0, min(b, end) - max(a, begin))
            ops = [oracle.clip(op.start, op.end, (begin, end)) for op in query.ops if op.device == device]
            busy += sum(b - a for a, b in intervals.union(part for part in ops if part))
        query.drained[device] = "host-sync-idle" if sums["host"] + sums["api"] <= busy else "host-starved" if sums["host"] > busy else None
    return query.drained[device]


def host_time(query, code, gap, lengths_of, piece, steps):
    """Of a part with a cause of HOST. Without steps few short gaps are no habit, and host-starved has them."""
    cause, detail = piece
    short, long = (all(f(n) for n in lengths_of) for f in (lambda n: n <= SHORT, lambda n: n > SHORT))
    if not short and not long:
        return MAYBE
    if short and not steps:
        return MAYBE if code in ("host-sync-idle", "launch-bound", "host-starved") else NO
    if short:
        owner = "host-sync-idle" if gap.opener else "launch-bound"
    elif not gap.opener or cause == "os" or cause == "host" and not is_same_range(query, gap, detail):
        owner = "host-starved"
    else:
        owner = owner_of_drained(query, gap.device) if cause == "host" else None
    if owner is None:
        return MAYBE if code in ("host-sync-idle", "host-starved") else NO
    return YES if code == owner else NO


def is_sure(codes, gap, lengths_of, piece):
    """Whether no rule about calls that copy or read comes first: those have the time of these calls, and around small reads more."""
    cause, detail = piece
    if codes & ANY or "tiny-reads" in codes and (cause in ("sync", "api") or min(lengths_of) <= SHORT):
        return False
    return not codes & OF_CALLS or cause not in ("sync", "api") or "Memcpy" not in (detail or "Memcpy")


def claim(query, code, codes, gap, part, piece, steps):
    """What the finding has of a part of a gap; codes: of all findings of the trace, part: of the gap in the step, piece: its cause
    and detail."""
    cause, long = piece[0], lengths(gap, part)
    if code in ANY:
        return MAYBE
    if code in OF_CALLS:
        return MAYBE if cause in ("sync", "launch", "latency", *HOST) else NO
    if code not in OF_IDLE:
        return NO
    if code == "tiny-kernels":                              # the spacing before such kernels alone
        return MAYBE if cause == "dispatch" else NO
    owner = {"alloc": "alloc-in-loop", "load": "module-load-in-loop", "callback": "host-callback", "profiler": "profiler-overhead", "managed": "managed-memory",
             "sync": "host-sync-idle"}
    if cause in owner:
        found = YES if code == owner[cause] else NO
    elif cause == "mpi":
        found = MAYBE if code == "host-starved" else NO
    elif cause in HOST:
        found = host_time(query, code, gap, long, piece, steps)
    else:
        found = MAYBE if cause in ("launch", "latency") and code in ("launch-bound", "host-sync-idle") else NO
    sure = is_sure(codes, gap, long, piece) and (steps or cause not in ("alloc", "load"))
    return found if found == NO or sure else MAYBE


def parts(query, code, codes):
    """Yields (YES or MAYBE, gap, begin, end, cause) of what a finding has."""
    for device, (found, steps) in spans(query).items():
        for begin, end in found:
            for gap in idle.gaps_in(query, device, (begin, end)):
                part = oracle.clip(gap.a, gap.b, (begin, end))
                for a, b, *piece in gap.pieces:
                    a, b = max(a, begin), min(b, end)
                    how = claim(query, code, codes, gap, part, piece, steps) if a < b else NO
                    if how != NO:
                        yield how, gap, a, b, piece[0]
    for device in query.devices if code == "start-up" else ():
        time, is_sure = before(query, device) or ((0, 0), False)
        for gap in idle.gaps_in(query, device, time):
            for a, b, cause, _ in gap.pieces:
                a, b = max(a, time[0]), min(b, time[1])
                if a < b and cause not in NO_START:
                    yield YES if is_sure else MAYBE, gap, a, b, cause
