#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""stacks, gaps --stacks, idle --by detail and path --by name of warplens against the oracle: random traces with samples, scheduling and stacks of
calls, whole, in windows, and for some processes and threads; and what export writes of them. Planted stacks of a generated trace, too.

The oracle's sums are those of `idle`, and the parts of a window add up to it, so that the answers do, too.
ORACLE_SEEDS: how many (default 12); ORACLE_BASE: the first seed (default 1). A failing trace is kept. STACKS_CORPUS: real
traces, too, and every choice of every trace, which takes an hour (make soak-stacks).
"""
import json
import os
import random
import shutil
import subprocess
import tempfile

import idle
import mkstacks
import mktrace
import oracle
import planted
import speedscope
import stacks
import wl
from tracefile import Trace

BY = ("stack", "function", "module", "thread", "folded")
DURING = ("idle", "busy", "all", *stacks.ACCOUNTED)
MOST_FUNCTIONS = 64                 # that a fingerprint has
EVERYTHING = bool(os.environ.get("STACKS_CORPUS"))


class Ask:
    """One selection: the query of the oracle, and the words for the program."""
    def __init__(self, trace, words=(), window=None, pids=None, tid=None):
        self.words, self.window, self.pids, self.tid = words, window, pids, tid
        self.query = oracle.Query(trace, pids=pids, window=window and (lambda device: window))

    def sums(self, during):
        return stacks.counted(self.query, during, self.window, self.pids, self.tid)


def paths_of(rows):
    by_id, out = {r["id"]: r for r in rows}, {}
    for row in rows:
        path, at = [], row
        while at:
            path.append((at["function"], at["module"]))
            at = by_id.get(at["parent"])
        path = tuple(reversed(path))
        out[path] = "twice" if path in out else (row["total"], row["self"])
    return out


def once(rows, key, value):
    """{key: value}; two rows of one key are a fault."""
    out = {}
    for row in rows:
        out[key(row)] = "twice" if key(row) in out else value(row)
    return out


def times(row):
    return row["total"], row["self"]


def folded_of(rows):
    """Stacks that differ only in modules have the same text."""
    out = {}
    for row in rows:
        out[row["stack"]] = out.get(row["stack"], 0) + row["self"]
    return out


def listed(by, rows, sums):
    """(what the program lists, what the oracle has)"""
    if by == "stack":
        return paths_of(rows), stacks.by_stack(sums)
    if by == "function":
        return once(rows, lambda r: (r["function"], r["module"]), times), stacks.flat(sums, lambda f: f.key)
    if by == "module":
        return once(rows, lambda r: r["module"], times), stacks.flat(sums, lambda f: f.module)
    if by == "folded":
        return folded_of(rows), stacks.folded(sums)
    parts = ("total", "self", "off_cpu", "no_sample")
    return once(rows, lambda r: (int(r["pid"]), int(r["tid"])), lambda r: tuple(r[p] for p in parts)), stacks.by_thread(sums)


def differences(got, want):
    keys = sorted((k for k in {**got, **want} if got.get(k) != want.get(k)), key=str)
    return ["%r: warplens %r, oracle %r" % (k, got.get(k), want.get(k)) for k in keys]


def check_stacks(path, ask, during, by):
    """Differences of one call."""
    sums = ask.sums(during)
    total, have = sum(sums.values()), sum(time for (_, _, stack), time in sums.items() if stack)
    status, document = wl.run("stacks", path, "--during", during, "--by", by, *ask.words)
    if status == wl.NO_DATA:
        return ["exit %d, but there are stacks" % status] if have else []
    out = differences(*listed(by, document["rows"], sums))
    cover = document.get("coverage", {}).get("time with a stack")
    if cover and (cover["have"], cover["of"]) != (have, total):
        out.append("coverage %r, oracle %r of %r" % (cover, have, total))
    for row in document["rows"]:
        if abs(row["share"] - row.get("total", row["self"]) / total) > 1e-12:
            out.append("share of %r" % row)
    return out


def exported(path, form, during):
    return subprocess.run([wl.WARPLENS, "export", path, "-f", form, "--during", during], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=False).stdout.decode()


def check_exports(path, ask, during):
    """Lines of folded, and weights of speedscope by stack and by thread, to the nanosecond."""
    sums, lines, samples, threads, out = ask.sums(during), {}, {}, {}, []
    if not any(stack for _, _, stack in sums):
        return []
    for line in exported(path, "folded", during).splitlines():
        stack, weight = line.rsplit(" ", 1)
        lines[stack] = lines.get(stack, 0) + int(weight)
    document = json.loads(exported(path, "speedscope", during))
    out += ["speedscope: " + fault for fault in speedscope.faults(document)]
    names = [f["name"].replace(";", ":") for f in document["shared"]["frames"]]
    for profile in document["profiles"]:
        if sum(profile["weights"]) != profile["endValue"] or len(profile["weights"]) != len(profile["samples"]):
            out.append("speedscope: %s does not add up" % profile["name"])
        thread = tuple(int(n) for n in profile["name"].split("pid ")[-1].split(":")[0].split(", tid "))
        threads[thread] = threads.get(thread, 0) + profile["endValue"]
        for sample, weight in zip(profile["samples"], profile["weights"]):
            key = ";".join(names[i] for i in sample)
            samples[key] = samples.get(key, 0) + weight
    want = stacks.folded(sums)
    out += differences(lines, want) + differences(samples, want)
    return out + differences(threads, {k: v[0] for k, v in stacks.by_thread(sums).items()})


def check_gaps(path, ask):
    """The function that gaps names."""
    _, document = wl.run("gaps", path, "--stacks", "--min", "0ns", *ask.words)
    got = once(document["rows"], lambda r: (int(r["device"]), r["start"]), lambda r: (r["function"], r["under"], r["function_share"]))
    want = {}
    for gap in idle.explained_gaps(ask.query):
        pieces = idle.clipped_pieces(ask.query, gap)
        if pieces:
            frame, under, time = stacks.function_of_gap(ask.query, gap)
            share = time / sum(y - x for x, y, _, _ in pieces)
            want[gap.device, pieces[0][0]] = (frame.name, under and under.name, share) if frame else (None,) * 3
    return differences(got, want)


def check_numbers(path):
    """The time of gaps by their numbers in the list, of the first and the last."""
    query, out = Ask(Trace(path)).query, []
    places = [(g["device"], g["start"]) for g in idle.gaps(query)]
    gaps = {(g.device, idle.clipped_pieces(query, g)[0][0]): g for g in idle.explained_gaps(query) if idle.clipped_pieces(query, g)}
    for k in sorted({1, 2, 3, len(places)} & set(range(1, len(places) + 1))):
        want = {}
        for x, y, _, thread, state, stack in stacks.account_of_gap(query, gaps[places[k - 1]]):
            want[thread, state, stack] = want.get((thread, state, stack), 0) + y - x
        for words in ("--gap", k), ("--during", "gap:%d" % k):
            # Where no idle time has a known cause, nothing is to be listed.
            status, document = wl.run("stacks", path, *words)
            rows = document["rows"] if status == 0 else []
            out += ["gap %d: %s" % (k, d) for d in differences(*listed("stack", rows, want))]
    return out if wl.refuses("stacks", path, "--gap", len(places) + 1) else out + ["more gaps than %d" % len(places)]


def check_findings(path):
    """A finding about host code has the time that it claims, where it shares none; one without idle time is refused."""
    _, document = wl.run("findings", path)
    out, shares = [], any(r["code"] in ("slow-iterations", "straggler") for r in wl.run("findings", path, "--all")[1]["rows"])
    for n, row in enumerate(document["rows"], 1):
        if row["code"] == "host-starved":
            status, answer = wl.run("stacks", path, "--during", "finding:%d" % n)
            if status == 0 and all(r["code"] != row["code"] for r in document["rows"][:n - 1]) and \
                    wl.run("stacks", path, "--during", "finding:" + row["code"])[1]["rows"] != answer["rows"]:
                out.append("finding %d is another by its code" % n)
            got, n_gpus = sum(r["self"] for r in answer["rows"]), len(wl.run("overlap", path)[1]["rows"])
            # Stacks are of the finding's GPU, which loses most; gpu_time is of all.
            if got * n_gpus < row["gpu_time"] or got > row["gpu_time"] and not shares:
                out.append("finding %d: %d ns, claimed %d" % (n, got, row["gpu_time"]))
        elif row["code"] == "dominant-kernel" and wl.run("stacks", path, "--during", "finding:%d" % n)[0] != wl.NO_DATA:
            out.append("finding %d has no idle time" % n)
    return out if wl.refuses("stacks", path, "--during", "finding:%d" % (len(document["rows"]) + 1)) else out + ["more findings"]


def check_details(path, ask):
    """The functions that idle --by detail names. Of equal times any is right."""
    _, document = wl.run("idle", path, "--by", "detail", *ask.words)
    columns = ("device", "cause", "detail", "opened_by", "opened_in")
    want, out = stacks.functions_of_details(ask.query), []
    for row in document["rows"]:
        allowed = want.pop((int(row["device"]), *(row[c] for c in columns[1:])), {(None, None, 0)})
        if not any(is_function(row, *names) for names in allowed):
            out.append("%r, oracle one of %r" % (row, [(f and f.name, u and u.name, time) for f, u, time in allowed]))
    return out + ["no row %r" % (key,) for key in want]


def check_path(path):
    """The functions that path --by name names, of the threads and times of its segments."""
    status, document = wl.run("path", path, "--by", "segment")
    if status == wl.NO_DATA:
        return []
    found, groups, out = stacks.stacks_of(Trace(path)), {}, []
    for row in document["rows"]:
        lane, number = row["lane"].split()
        threads = [t for t in found.threads if (t >> 24 & 0xFFFFFF, t & 0xFFFFFF) == (int(row["pid"]), int(number))] if lane == "thread" else []
        groups.setdefault((row["class"], row["name"]), []).extend((t, row["start"], row["start"] + row["time"]) for t in threads)
    for row in wl.run("path", path, "--by", "name")[1]["rows"]:
        allowed = stacks.functions_of_times(stacks.shared_times(found, groups[row["class"], row["name"]]))
        if not any(is_function(row, *names, "time") for names in allowed):
            out.append("%r, oracle one of %r" % (row, [(f and f.name, u and u.name, time) for f, u, time in allowed]))
    return out


def check_diff(path, ask):
    """The functions that diff compares, of a trace without steps: per GPU, and rounded down function by function."""
    status, document = wl.run("diff", path, path, *ask.words)
    tables = {section["analysis"]: section["rows"] for section in document["sections"]} if status == 0 else {}
    if "verdict" not in tables or tables["verdict"][0]["metric"] != "window" or "functions" not in tables:
        return []
    stretches = [(tid, x, y) for gap in idle.explained_gaps(ask.query) for x, y, _, tid, _, _ in stacks.account_of_gap(ask.query, gap)]
    want, gpus, found = {}, len(ask.query.devices), stacks.stacks_of(ask.query.trace)
    for stack, time, _ in stacks.shared_times(found, stretches):
        function = stacks.stack_names(stack)[0]
        if function:
            want[stacks.label(function)] = want.get(stacks.label(function), 0) + time
    got = {row["function"]: row["before"] * gpus for row in tables["functions"]}
    if len(want) > MOST_FUNCTIONS:
        return []
    want["[no stack]"] = sum(y - x for _, x, y in stretches) - sum(want.values())
    return ["%s: warplens %s, oracle %s" % (k, got.get(k), want.get(k)) for k in {**got, **want}
            if abs(got.get(k, 0) - want.get(k, 0)) > 2 * len(want) + gpus]


def is_function(row, frame, under, time, whole="sum"):
    """Whether a row shows a function; the program rounds the time of samples down, stack by stack."""
    function, around = (f and stacks.label(f) for f in (frame, under))
    if (row["function"], row["under"]) != (function, around if around != function else None):
        return False
    return row["function_share"] is None if frame is None else -1 < time - row["function_share"] * row[whole] < 100


def check_idle(ask):
    """What is counted is the idle time with these causes, or the busy time, launches that are not known included."""
    want = sum(r["sum"] for r in idle.idle(ask.query) if r["cause"] in stacks.ACCOUNTED)
    counted = sum(ask.sums("idle").values())
    busy, of_threads = sum(r["busy"] for r in oracle.overlap(ask.query)), sum(y - x for x, y, _ in stacks.busy_times(ask.query))
    return (["counted %d, idle %d" % (counted, want)] if counted != want else []) + \
        (["counted %d, busy %d" % (of_threads, busy)] if of_threads != busy else [])


def choices(r):
    """Pairs of --during and --by: all of them, or a few by chance."""
    if EVERYTHING:
        return [(during, by) for during in DURING for by in BY]
    return [("idle", "stack"), ("busy", r.choice(BY)), ("all", r.choice(BY)), (r.choice(DURING), r.choice(BY))]


def narrower(trace, r):
    """A window, a process and a thread."""
    begin, end = oracle.Query(trace).span
    a, b = sorted(r.randint(begin - 3, end + 3) for _ in range(2))
    # A window in which nothing was recorded is an error.
    if max(a, begin) < min(b, end):
        yield Ask(trace, ["--window=%dns..%dns" % (a, b)], window=(a, b))
    pid = r.choice(sorted({op.pid for op in trace.ops}))
    yield Ask(trace, ["--pid", pid], pids={pid})
    tid = r.choice(sorted(stacks.stacks_of(trace).threads)) & 0xFFFFFF
    yield Ask(trace, ["--thread", tid], tid=tid)


def one_trace(path, r):
    """Yields (what, differences)."""
    trace = Trace(path)
    if not trace.ops or not stacks.stacks_of(trace).threads:
        return
    whole = Ask(trace)
    for during, by in choices(r):
        yield "--during %s --by %s" % (during, by), check_stacks(path, whole, during, by)
    yield "idle", check_idle(whole)
    during = r.choice(DURING)
    yield "export --during " + during, check_exports(path, whole, during)
    yield "gaps", check_gaps(path, whole)
    yield "idle --by detail", check_details(path, whole)
    yield "path", check_path(path)
    yield "diff", check_diff(path, whole)
    for ask in narrower(trace, r):
        for during in ("idle", "busy", "all"):
            yield "%s --during %s" % (ask.words, during), check_stacks(path, ask, during, "stack")
        if ask.window:
            yield "diff %s" % ask.words, check_diff(path, ask)
        if ask.tid is None:
            yield "gaps %s" % ask.words, check_gaps(path, ask)
            yield "idle --by detail %s" % ask.words, check_details(path, ask)


def compare(tally, name, path, r):
    """Whether a trace has no difference."""
    wrong = [what + ": " + d for what, found in one_trace(path, r) for d in found]
    tally.check(name, wrong)
    return not wrong


def check_planted(scratch):
    """Code that was planted under the host time of steps is what the program finds, to the nanosecond."""
    path, out = os.path.join(scratch, "planted.sqlite"), []
    truth = planted.generate(path, "--ranks 2 --layers 2 --serving --iters 20 --stacks".split())["stacks"][0]
    for pid, want in truth.items():
        _, document = wl.run("stacks", path, "--pid", pid, "--by", "function")
        got = {r["function"]: r["self"] for r in document["rows"] if r["function"] in want}
        out += differences(got, want)
    return out + check_numbers(path) + check_findings(path) + check_path(path) if truth else ["no truth"]


def main():
    scratch, tally = tempfile.mkdtemp(prefix="wl-stacks-"), wl.Tally()
    tally.check("planted stacks", check_planted(scratch))
    for seed in wl.seeds(12):
        path = os.path.join(scratch, "%d.sqlite" % seed)
        mktrace.make(seed, path, rich=True)
        if mkstacks.add(seed, path) and compare(tally, "seed %d, trace %s" % (seed, path), path, random.Random(seed)):
            os.remove(path)
    if EVERYTHING:
        wl.skip_without_corpus()
        for name, path in wl.corpus_traces(main_only=True, any_size=True):
            compare(tally, name, path, random.Random(name))
    if not tally.failed:
        shutil.rmtree(scratch)
    tally.finish()


if __name__ == "__main__":
    main()
