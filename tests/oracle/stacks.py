# SPDX-License-Identifier: MIT
"""Call stacks of threads (docs/definitions/stacks.md): every nanosecond of a thread gets the first state of the table that fits."""
import bisect
import fnmatch
import functools
import os
import re
import sqlite3

import idle

CAUSES = ("host", "os", "api", "sync", "alloc", "load")
WITHOUT = {"none": "[no sample]", "runnable": "[off CPU: runnable]", "blocked": "[off CPU: blocked]", "off": "[off CPU]"}
ADDRESS = re.compile(r"0x[0-9a-fA-F]+\Z")
DEEPEST = 1024


def module_name(module):
    if module is None:
        return "unknown module"
    last = module.rsplit("/", 1)[-1]
    return last or module


class Stacks:
    """The stacks of a trace's threads. A frame is (kind, name as shown, module); a stack is a tuple of them, outermost first."""
    def __init__(self, trace):
        self.trace = trace
        db = sqlite3.connect("file:%s?mode=ro&immutable=1" % trace.path, uri=True)
        db.row_factory = sqlite3.Row
        db.text_factory = lambda b: b.decode("utf-8", "replace")
        self.samples, self.leaving, self.sched = {}, {}, {}
        chains = self.chains(db, "SAMPLING_CALLCHAINS")
        for row in self.table(db, "COMPOSITE_EVENTS"):
            to = self.leaving if row.get("cpuCycles") == 0 else self.samples
            to.setdefault(row["globalTid"], []).append((row["start"], chains.get(row["id"])))
        for row in self.table(db, "SCHED_EVENTS"):
            self.sched.setdefault(row["globalTid"], []).append((row["start"], row["isSchedIn"], row.get("threadState")))
        for rows in (*self.samples.values(), *self.leaving.values(), *self.sched.values()):
            rows.sort(key=lambda r: r[0])
        self.cuda = self.calls_of(db, "CUPTI_ACTIVITY_KIND_RUNTIME", "CUDA_CALLCHAINS")
        self.os = self.calls_of(db, "OSRT_API", "OSRT_CALLCHAINS")
        db.close()
        self.off = {t: self.off_cpu(t) for t in self.sched}
        self.reach = self.find_reach()
        self.cpu = {t: self.reached(t) for t in self.samples}
        self.cuts = {}

    @staticmethod
    def table(db, name):
        if not db.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (name,)).fetchone():
            return []
        return [dict(r) for r in db.execute('SELECT * FROM "%s" ORDER BY rowid' % name)]

    def frame(self, row):
        symbol, module = self.trace.strings.get(row["symbol"]), self.trace.strings.get(row["module"])
        if row.get("specialEntry") or symbol and symbol.startswith("[") and symbol == module:
            return "note", symbol, module
        if not symbol or ADDRESS.match(symbol):
            return "address", "(%s)" % module_name(module), module
        return "function", symbol, module

    def chains(self, db, name):
        found = {}
        for row in self.table(db, name):
            found.setdefault(row["id"], []).append((row["stackDepth"], self.frame(row)))
        out = {}
        for number, rows in found.items():
            stack = []
            for _, frame in sorted(rows[:DEEPEST], key=lambda r: -r[0]):
                if not (stack and stack[-1] == frame and frame[0] == "address"):
                    stack.append(frame)
            out[number] = tuple(stack)
        return out

    def calls_of(self, db, table, chain_table):
        """Of each thread the calls that have a stack: (start, end, stack), as in the file."""
        chains, out = self.chains(db, chain_table), {}
        for row in self.table(db, table):
            stack = chains.get(row.get("callchainId"))
            if stack and row.get("eventClass") not in (31, 32):
                out.setdefault(row["globalTid"], []).append((row["start"], max(row["start"], row["end"]), stack))
        return out

    def off_cpu(self, thread):
        rows, out = self.sched[thread], []
        for i, (left, inside, state) in enumerate(rows[:-1]):
            if inside:
                continue
            before = rows[i - 1][0] if i else -1 << 62
            taken = [stack for at, stack in self.leaving.get(thread, []) if before < at <= left]
            why = "runnable" if state == 1 else "blocked" if state in (2, 3, 4, 7) else "off"
            out.append((left, rows[i + 1][0], why, taken[-1] if taken else None))
        return out

    def find_reach(self):
        distances, out = {}, {}
        for thread, rows in self.samples.items():
            times = [at for at, _ in rows]
            distances.setdefault(thread >> 24, []).extend(min(b - a, 0xFFFFFFFF) for a, b in zip(times, times[1:]) if b > a)
        for process, found in distances.items():
            found.sort()
            out[process] = found[(len(found) - 1) // 2] * 3 // 2 if found else 0
        return out

    def reached(self, thread):
        rows, reach, out = self.samples[thread], self.reach[thread >> 24], []
        for i, (at, stack) in enumerate(rows):
            end = at + reach if i + 1 == len(rows) else min(at + reach, rows[i + 1][0])
            if stack:
                out.append((at, end, stack))
        return out

    def at(self, thread, x):
        """(state, stack or None) of the nanosecond x."""
        for state, rows in (("call", self.cuda), ("os", self.os)):
            around = [(start, end, i) for i, (start, end, _) in enumerate(rows.get(thread, [])) if start <= x < end]
            if around:
                return state, rows[thread][max(around)[2]][2]
        for begin, end, why, stack in self.off.get(thread, []):
            if begin <= x < end:
                return why, stack
        for begin, end, stack in self.cpu.get(thread, []):
            if begin <= x < end:
                return "cpu", stack
        return "none", None

    def edges(self, thread):
        if thread not in self.cuts:
            rows = [r for source in (self.cuda, self.os, self.off, self.cpu) for r in source.get(thread, [])]
            self.cuts[thread] = sorted({t for r in rows for t in r[:2]})
        return self.cuts[thread]

    def pieces(self, thread, a, b):
        """(length, state, stack) of what fills [a, b)."""
        cuts = self.edges(thread)
        inner = cuts[bisect.bisect_right(cuts, a):bisect.bisect_left(cuts, b)]
        for x, y in zip([a, *inner], [*inner, b]):
            if x < y:
                yield (y - x, *self.at(thread, x))

    def extent(self, thread):
        """From the first to the last nanosecond that has a state; None where none has."""
        cuts = self.edges(thread)
        known = [(x, y) for x, y in zip(cuts, cuts[1:]) if self.at(thread, x)[0] != "none"]
        return (known[0][0], known[-1][1]) if known else None


def stretches(query, stacks, during):
    """(thread, begin, end) of what is counted."""
    if during == "all":
        threads = {t for s in (stacks.cuda, stacks.os, stacks.off, stacks.cpu) for t in s}
        for thread in threads:
            extent = stacks.extent(thread)
            if extent:
                yield thread, *extent
        return
    for gap in idle.explained_gaps(query):
        for x, y, cause, _ in idle.clipped_pieces(query, gap):
            if cause in (CAUSES if during == "idle" else (during,)):
                yield gap.after.launch.thread, x, y


def counted(query, stacks, during):
    """{(thread, state, stack): ns}"""
    sums = {}
    for thread, a, b in stretches(query, stacks, during):
        before = sum(sums.values())
        for length, state, stack in stacks.pieces(thread, a, b):
            sums[thread, state, stack] = sums.get((thread, state, stack), 0) + length
        assert sum(sums.values()) - before == b - a
    return sums


def tree(sums):
    """{path of (name, module): [total, self]}"""
    out = {}
    for (_, state, stack), ns in sums.items():
        path = tuple((name, module_name(module)) for _, name, module in stack) if stack else ((WITHOUT[state],) * 2,)
        for depth in range(1, len(path) + 1):
            row = out.setdefault(path[:depth], [0, 0])
            row[0] += ns
            row[1] += ns if depth == len(path) else 0
    return out


def flat(sums, key):
    """{key(frame): [total, self]}, notes left out."""
    out = {}
    for (_, state, stack), ns in sums.items():
        if not stack:
            name = WITHOUT[state]
            row = out.setdefault(key(("function", name, name)), [0, 0])
            out[key(("function", name, name))] = [row[0] + ns, row[1] + ns]
            continue
        for frame in {key(f) for f in stack if f[0] != "note"}:
            out.setdefault(frame, [0, 0])[0] += ns
        if stack[-1][0] != "note":
            out[key(stack[-1])][1] += ns
    return out


def threads(sums):
    """{globalTid: (total, with a stack, off CPU, no sample)}"""
    out = {}
    for (thread, state, stack), ns in sums.items():
        row = out.setdefault(thread, [0, 0, 0, 0])
        row[0] += ns
        row[1 if stack else 3 if state == "none" else 2] += ns
    return out


TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "known", "frames.def")
with open(TABLE) as lines:
    ROLES = re.findall(r'^WL_FRAME\((\w+), "(.*)"\)', lines.read(), re.M)


def base(symbol):
    """A function without return type, template arguments and parameters."""
    kept, depth = "", 0
    text = symbol.replace("(anonymous namespace)", "\1")
    for c in text:
        if c == "(" and not depth:
            break
        depth += (c == "<") - (c == ">" and depth > 0)
        if c == " " and not depth:
            kept = ""
        elif not depth and c != ">":
            kept += c
    hashed = re.fullmatch(r"(.+)_(?=[0-9a-fA-F]*[0-9])[0-9a-fA-F]{8,}", kept)
    return hashed.group(1) if hashed else kept or symbol


@functools.lru_cache(maxsize=None)
def role(frame):
    """What src/known/frames.def calls the frame, else OWN or LIBRARY by its module; None for no function."""
    kind, symbol, module = frame
    if kind != "function":
        return None
    for name, pattern in ROLES:
        if fnmatch.fnmatchcase(base(symbol), pattern):
            return name
    name = module_name(module) if module else "["
    library = name.startswith("[") or re.search(r"\.so(\.|\Z)", name) or name.startswith("python") and ".py" not in name
    return "LIBRARY" if library else "OWN"


@functools.lru_cache(maxsize=None)
def stack_names(stack):
    """(function, under, outer) of a stack: frames or None."""
    named = [i for i, f in enumerate(stack or ()) if f[0] == "function"]
    telling = [i for i in named if role(stack[i]) != "INSIDE"]
    if not named:
        return next((f for f in reversed(stack or ()) if f[0] == "address"), None), None, None
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
    modules = {f: ns for f, ns in functions.items() if f[0] == "address"}
    named = {f: ns for f, ns in functions.items() if f[0] != "address"}
    top, ns = most(modules)
    if named and 2 * ns <= sum(functions.values()):
        top, ns = most(named)
    for found in (unders.get(top, {}), outers.get(top, {})):
        frame, time = most(found)
        if 2 * time > sum(found.values()):
            return top, frame, ns
    return top, None, ns


def gap_function(query, stacks, gap):
    """(function, under, ns) of the account of a gap."""
    times = []
    for x, y, cause, _ in idle.clipped_pieces(query, gap):
        if cause in CAUSES:
            times += [(stack, length) for length, _, stack in stacks.pieces(gap.after.launch.thread, x, y) if stack]
    return time_function(times)
