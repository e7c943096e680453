# SPDX-License-Identifier: MIT
"""What threads did (docs/definitions/stacks.md), by brute force: every nanosecond is asked for its state and stack.

Written from the definition alone. Time is cut wherever anything begins or ends, and state() is asked at the left edge of each
piece. Only idle causes come from idle.py."""
import bisect
import fnmatch
import functools
import os
import re
import sqlite3

import idle
import intervals
import oracle
from intervals import Finder
from tracefile import CAK, rows

ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
LONGEST_DISTANCE = (1 << 32) - 1
MOST_FRAMES = 1024
ACCOUNTED = ("host", "os", "api", "sync", "mpi", "alloc", "load")
OFF_NAMES = {"runnable": "[off CPU: runnable]", "blocked": "[off CPU: blocked]", "off": "[off CPU]"}
NO_SAMPLE = "[no sample]"
UNKNOWN = "unknown module"


class Row:
    def __init__(self, start, end, stack):
        self.start, self.end, self.stack = start, end, stack


class Thread:
    """What the trace has of one thread, in order of time."""
    def __init__(self):
        self.calls, self.os = [], []                        # Rows with a stack
        self.sched = []                                     # (time, is in, state)
        self.switches, self.samples = [], []                # (time, stack or None): scheduling stacks and periodic samples


class Frame:
    """kind: function, module (without a name) or note; name and module as shown, which is what makes frames equal."""
    def __init__(self, kind, name, module):
        self.kind, self.name, self.module, self.key = kind, name, module, (name, module)

    def __eq__(self, other):
        return other is not None and (self.kind, self.key) == (other.kind, other.key)

    def __hash__(self):
        return hash(self.key)


def frame_of(row, strings):
    symbol, path = strings.get(row["symbol"]), strings.get(row["module"])
    if row.get("specialEntry") or symbol and symbol[0] == "[" and symbol == path:
        return Frame("note", symbol, path)
    module = UNKNOWN if path is None else path.rsplit("/", 1)[-1] or path
    if not symbol or ADDRESS.fullmatch(symbol):
        return Frame("module", "(%s)" % module, module)
    return Frame("function", symbol, module)


def stack_of(chain, strings):
    """The rows of a chain as frames, outermost first."""
    out = []
    for row in reversed(sorted(chain, key=lambda r: r["stackDepth"])[:MOST_FRAMES]):
        frame = frame_of(row, strings)
        if frame.kind != "module" or not out or out[-1] != frame:
            out.append(frame)
    return tuple(out)


def chains_of(db, table, strings):
    """{id: stack}"""
    found = {}
    for row in rows(db, table):
        found.setdefault(row["id"], []).append(row)
    return {i: stack_of(chain, strings) for i, chain in found.items()}


class Stacks:
    def __init__(self, trace):
        self.trace, self.threads = trace, {}
        db = sqlite3.connect("file:%s?mode=ro&immutable=1" % trace.path, uri=True)
        db.text_factory = lambda b: b.decode("utf-8", "replace")
        for table, chains, of in ((CAK + "RUNTIME", "CUDA_CALLCHAINS", "calls"), ("OSRT_API", "OSRT_CALLCHAINS", "os")):
            known, calls = chains_of(db, chains, trace.strings), rows(db, table)
            numbers = [row["callchainId"] for row in calls if isinstance(row.get("callchainId"), int) and row["callchainId"] >= 0]
            # Schema 2.9.1: calls have 0 .. n-1, their chains 1 .. n.
            first = of == "calls" and len(numbers) == len(known) and numbers.count(0) == 1 and min(known) == 1 and max(numbers) + 1 == max(known)
            for row in calls:
                number = row.get("callchainId")
                stack = known.get(number + 1 if first and isinstance(number, int) else number)
                if stack and row["globalTid"] is not None and not (of == "os" and row.get("eventClass") in (31, 32)):
                    getattr(self.thread(row["globalTid"]), of).append(Row(row["start"], max(row["start"], row["end"]), stack))
        known = chains_of(db, "SAMPLING_CALLCHAINS", trace.strings)
        for row in rows(db, "COMPOSITE_EVENTS"):
            if row["globalTid"] is not None:
                thread = self.thread(row["globalTid"])
                (thread.samples if row["cpuCycles"] else thread.switches).append((row["start"], known.get(row["id"])))
        for row in rows(db, "SCHED_EVENTS"):
            if row["globalTid"] is not None:
                self.thread(row["globalTid"]).sched.append((row["start"], row["isSchedIn"] != 0, row.get("threadState")))
        db.close()
        distances = {}
        for tid, thread in self.threads.items():
            for events in (thread.sched, thread.switches, thread.samples):
                events.sort(key=lambda e: e[0])             # the file's order where times are equal
            times = [t for t, _ in thread.samples]
            distances.setdefault(tid >> 24, []).extend(min(b - a, LONGEST_DISTANCE) for a, b in zip(times, times[1:]) if b > a)
        self.reach = {}
        for process, found in distances.items():
            found.sort()
            self.reach[process] = 3 * found[(len(found) - 1) // 2] // 2 if found else 0
        for tid, thread in self.threads.items():
            thread.reach = self.reach[tid >> 24]
            thread.find_calls, thread.find_os = Finder(thread.calls), Finder(thread.os)
            thread.sched_times, thread.sample_times = [e[0] for e in thread.sched], [e[0] for e in thread.samples]
            cuts = {t for row in thread.calls + thread.os for t in (row.start, row.end)} | set(thread.sched_times)
            cuts.update(thread.sample_times, (t + thread.reach for t in thread.sample_times))
            thread.cuts = sorted(cuts)

    def thread(self, tid):
        return self.threads.setdefault(tid, Thread())

    def state(self, tid, x):
        """(state, stack) of a thread in the nanosecond x."""
        thread = self.threads.get(tid)
        if thread is None:
            return "none", None
        for name, finder in (("call", thread.find_calls), ("os", thread.find_os)):
            around = [c for c in finder.overlapping(x, x + 1)]
            around = [c for c in around if c.start <= x < c.end]
            if around:
                return name, max(enumerate(around), key=lambda c: (c[1].start, c[1].end, c[0]))[1].stack
        last = bisect.bisect_right(thread.sched_times, x) - 1
        if 0 <= last < len(thread.sched) - 1 and not thread.sched[last][1]:
            left, _, why = thread.sched[last]
            before = thread.sched[last - 1][0] if last else None
            found = [stack for t, stack in thread.switches if t <= left and (before is None or t > before)]
            return "runnable" if why == 1 else "blocked" if why in (2, 3, 4, 7) else "off", found[-1] if found else None
        last = bisect.bisect_right(thread.sample_times, x) - 1
        if last >= 0 and thread.samples[last][1] and x < thread.sample_times[last] + thread.reach:
            return "cpu", thread.samples[last][1]
        return "none", None

    def pieces(self, tid, a, b):
        """Yields (begin, end, state, stack) over [a, b)."""
        cuts = self.threads[tid].cuts if tid in self.threads else []
        edges = [a, *cuts[bisect.bisect_right(cuts, a):bisect.bisect_left(cuts, b)], b]
        for x, y in zip(edges, edges[1:]):
            if x < y:
                yield (x, y, *self.state(tid, x))


def stacks_of(trace):
    if not hasattr(trace, "stacks"):
        trace.stacks = Stacks(trace)
    return trace.stacks


def has_stacks(trace):
    """Whether any call or sample has one."""
    of_thread = (([row.stack for row in t.calls + t.os] + [stack for _, stack in t.samples + t.switches]) for t in stacks_of(trace).threads.values())
    return any(stack for found in of_thread for stack in found)


def account_of_gap(query, gap):
    """The account of the gap's part in the window: (begin, end, cause, thread, state, stack)."""
    if gap.after.launch is None:
        return
    tid = gap.after.launch.thread
    for a, b, cause, _ in idle.clipped_pieces(query, gap):
        if cause in ACCOUNTED:
            for x, y, state, stack in stacks_of(query.trace).pieces(tid, a, b):
                yield x, y, cause, tid, state, stack


def busy_times(query):
    """Yields (begin, end, thread) of busy time in the window: the launch of the operation that starts next, and after the last
    start of the last one; thread None where it is not known."""
    for device in query.devices:
        ops = [op for op in query.ops if op.device == device]
        together, starts = idle.by(ops, "start"), sorted({op.start for op in ops if op.start < op.end})
        for a, b in intervals.union((op.start, op.end) for op in ops if op.start < op.end):
            cuts = [a, *starts[bisect.bisect_right(starts, a):bisect.bisect_left(starts, b)], b]
            for x, y in zip(cuts, cuts[1:]):
                launch = idle.first_of(together[starts[min(bisect.bisect_right(starts, x), len(starts) - 1)]]).launch
                inside = oracle.clip(x, y, query.window(device))
                if inside:
                    yield (*inside, launch and launch.thread)


def counted(query, during, window=None, pids=None, tid=None):
    """{(thread, state, stack): time}; window: clips `all`."""
    out = {}
    if during == "all":
        found = stacks_of(query.trace)
        for thread, t in found.threads.items():
            if not t.cuts or pids is not None and thread >> 24 & 0xFFFFFF not in pids:
                continue
            parts = [p for p in found.pieces(thread, t.cuts[0], t.cuts[-1])]
            known = [i for i, p in enumerate(parts) if p[2] != "none"]
            for x, y, state, stack in parts[known[0]:known[-1] + 1] if known else []:
                if window:
                    x, y = max(x, window[0]), min(y, window[1])
                if x < y:
                    out[thread, state, stack] = out.get((thread, state, stack), 0) + y - x
    elif during == "busy":
        for a, b, thread in busy_times(query):
            for x, y, state, stack in stacks_of(query.trace).pieces(thread, a, b) if thread is not None else []:
                out[thread, state, stack] = out.get((thread, state, stack), 0) + y - x
    else:
        for gap in idle.explained_gaps(query):
            for x, y, cause, thread, state, stack in account_of_gap(query, gap):
                if during in ("idle", cause):
                    out[thread, state, stack] = out.get((thread, state, stack), 0) + y - x
    return {k: v for k, v in out.items() if tid is None or k[0] & 0xFFFFFF == tid}


def as_frames(state, stack):
    """The frames of some time; without a stack one frame that says so."""
    name = OFF_NAMES.get(state, NO_SAMPLE)
    return stack or (Frame("function", name, name),)


def by_stack(sums):
    """{path of (function, module): (total, self)}"""
    out = {}
    for (_, state, stack), time in sums.items():
        path = tuple(f.key for f in as_frames(state, stack))
        for n in range(1, len(path) + 1):
            total, own = out.get(path[:n], (0, 0))
            out[path[:n]] = (total + time, own + (time if n == len(path) else 0))
    return out


def flat(sums, key):
    """{key of a frame: (total, self)}; notes are no functions."""
    out = {}
    for (_, state, stack), time in sums.items():
        frames = as_frames(state, stack)
        for k in {key(f) for f in frames if f.kind != "note"}:
            total, own = out.get(k, (0, 0))
            is_last = frames[-1].kind != "note" and key(frames[-1]) == k
            out[k] = (total + time, own + (time if is_last else 0))
    return out


def folded(sums):
    """{stack as text: time}"""
    out = {}
    for (_, state, stack), time in sums.items():
        path = ";".join(f.name.replace(";", ":") for f in as_frames(state, stack))
        out[path] = out.get(path, 0) + time
    return out


def by_thread(sums):
    """{(pid, tid): (total, with a stack, off CPU without one, none)}"""
    out = {}
    for (thread, state, stack), time in sums.items():
        k = (thread >> 24 & 0xFFFFFF, thread & 0xFFFFFF)
        total, own, off, none = out.get(k, (0, 0, 0, 0))
        has, away = bool(stack), state in OFF_NAMES
        out[k] = (total + time, own + time * has, off + time * (not has and away), none + time * (not has and not away))
    return out


TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "known", "calls", "frames.def")
with open(TABLE) as lines:
    ROLES = re.findall(r'^WL_FRAME\((\w+), "(.*)"\)', lines.read(), re.M)


def base(symbol):
    """A function without return type, template arguments and parameters."""
    kept, depth = "", 0
    for whole, c in re.findall(r"(\(anonymous namespace\)|operator\(\))|(.)", symbol, re.S):
        if c == "(" and not depth:
            break
        depth += (c == "<") - (c == ">" and depth > 0)
        if c == " " and not depth:
            kept = ""
        elif not depth and c != ">":
            kept += whole + c
    hashed = re.fullmatch(r"(.+)_(?=[0-9a-fA-F]*[0-9])[0-9a-fA-F]{8,}", kept)
    return hashed.group(1) if hashed else kept or symbol


def label(frame):
    """The name of a frame in short."""
    if frame.kind != "function":
        return frame.name
    short = base(frame.name)
    return short[0] + short[1:].split("@")[0]


@functools.lru_cache(maxsize=None)
def role(frame):
    """What src/known/calls/frames.def calls the frame, else OWN or LIBRARY by its module; None for no function."""
    if frame.kind != "function":
        return None
    for name, pattern in ROLES:
        if fnmatch.fnmatchcase(base(frame.name), pattern):
            return name
    name = frame.module if frame.module != UNKNOWN else "["
    library = name.startswith("[") or re.search(r"\.so(\.|\Z)", name) or name.startswith("python") and ".py" not in name
    return "LIBRARY" if library else "OWN"


@functools.lru_cache(maxsize=None)
def stack_names(stack):
    """(function, under, outer) of a stack: frames or None."""
    named = [i for i, f in enumerate(stack or ()) if f.kind == "function"]
    telling = [i for i in named if role(stack[i]) != "INSIDE"]
    if not named:
        return next((f for f in reversed(stack or ()) if f.kind == "module"), None), None, None
    at = telling[-1] if telling else named[0]
    # Of a function that calls itself directly, the first call counts.
    while at in named and named.index(at) > 0:
        before = named.index(at) - 1
        while before >= 0 and role(stack[named[before]]) == "INSIDE":
            before -= 1
        if before < 0 or stack[named[before]] != stack[at]:
            break
        at = named[before]
    around, function = stack[:at], stack[at]
    own, library = ([f for f in around if role(f) == wanted] for wanted in ("OWN", "LIBRARY"))
    under = own[-1] if own else library[0] if library else None
    outer = own[0] if own else None
    return function, under if under != function else None, outer if outer != function else None


def most(sums):
    """(key, ns) with the most; of equal ones the first."""
    return max(sums.items(), key=lambda item: item[1], default=(None, 0))


def time_function(times):
    """(function, under, ns) of [(stack, ns)]."""
    functions, unders, outers = {}, {}, {}
    for stack, ns in times:
        function, under, outer = stack_names(stack)
        if function:
            functions[function] = functions.get(function, 0) + ns
        for to, frame in ((unders, under), (outers, outer)):
            if frame:
                to.setdefault(function, {}).setdefault(frame, 0)
                to[function][frame] += ns
    modules = {f: ns for f, ns in functions.items() if f.kind == "module"}
    named = {f: ns for f, ns in functions.items() if f.kind != "module"}
    top, ns = most(modules)
    if named and 2 * ns <= sum(functions.values()):
        top, ns = most(named)
    for found in (unders.get(top, {}), outers.get(top, {})):
        frame, time = most(found)
        if 2 * time > sum(found.values()):
            return top, frame, ns
    return top, None, ns


def function_of_gap(query, gap):
    """(function, under, time) of the account of a gap; frames or None."""
    return time_function([(stack, y - x) for x, y, _, _, _, stack in account_of_gap(query, gap) if stack])


def split_times(found, stretches):
    """({stack: exact time}, {stack: samples taken in the rest}, the rest, samples of it) of [(thread, a, b)]; too few samples are none."""
    exact, taken, rest, n = {}, {}, 0, 0
    for tid, a, b in stretches:
        for x, y, state, stack in found.pieces(tid, a, b):
            if state not in ("cpu", "none"):
                exact[stack] = exact.get(stack, 0) + y - x
                continue
            rest += y - x
            for time, of in found.threads[tid].samples if tid in found.threads else []:
                if x <= time < y:
                    taken[of] = taken.get(of, 0) + 1
                    n += 1
    return (exact, taken, rest, n) if n >= 10 else (exact, {}, rest, 0)


def shared_times(found, stretches):
    """[(stack, time, samples)] of [(thread, a, b)]: exact time, and samples taken in the rest, which share it."""
    exact, taken, rest, n = split_times(found, stretches)
    return [(stack, exact.get(stack, 0) + taken.get(stack, 0) * rest / max(n, 1), taken.get(stack, 0)) for stack in {**exact, **taken} if stack]


def functions_of_details(query):
    """{key of a row of idle --by detail: what functions_of_times() returns}"""
    groups = {}
    for gap in idle.explained_gaps(query):
        for x, y, cause, what in idle.clipped_pieces(query, gap):
            key = (gap.device, cause, what, *idle.host_of(query.trace).opened(gap))
            groups.setdefault(key, []).extend([(gap.after.launch.thread, x, y)] if cause in ACCOUNTED and gap.after.launch else [])
    return {key: functions_of_times(shared_times(stacks_of(query.trace), stretches)) for key, stretches in groups.items()}


def functions_of_times(times):
    """The (function, under, time) that may be shown: several where times are equal, frames or None."""
    out = set()
    for first in range(max(1, len(times))):                 # of equal times the first counts: let each be that
        order = times[first:] + times[:first]
        function, under, time = time_function([(stack, time) for stack, time, _ in order])
        samples = sum(n for stack, _, n in times if stack_names(stack)[0] == function)
        out.add((function, under, time) if time and samples not in (1, 2) else (None, None, 0))
    return out
