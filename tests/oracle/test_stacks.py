#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""stacks and gaps --stacks of warplens against the oracle: random traces with samples, scheduling and stacks of calls.

Identities: the outermost rows of the tree and the self times of all rows add up to the time counted; with the causes of the account
that is the idle time of `idle`; two halves of a window add up to the window.
ORACLE_SEEDS: how many (default 60); ORACLE_BASE: the first seed (default 1). A failing trace is kept. STACKS_CORPUS: real
traces, too, which takes minutes (make soak-stacks).
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
import stacks
import wl
from compare import plain
from tracefile import Trace

TID_MASK = 0xFFFFFF


def rows_of(path, *arguments):
    status, document = wl.run("stacks", path, *arguments)
    return [] if status == wl.NO_DATA else document["rows"]


def tree_of(rows):
    """{path: [total, self]} of the rows of a tree."""
    paths, out = {}, {}
    for row in rows:
        path = paths.get(row["parent"], ()) + ((plain(row["function"]), plain(row["module"])),)
        paths[row["id"]] = path
        have = out.setdefault(path, [0, 0])
        out[path] = [have[0] + row["total"], have[1] + row["self"]]
    return out


def flat_of(rows, *columns):
    out = {}
    for row in rows:
        key = tuple(plain(row[c]) for c in columns)
        have = out.setdefault(key, [0, 0])
        out[key] = [have[0] + row["total"], have[1] + row["self"]]
    return out


def differences(what, got, want):
    if got == want:
        return []
    keys = [k for k in {**got, **want} if got.get(k) != want.get(k)]
    return ["%s: %d differ: %r: warplens %r, oracle %r" % (what, len(keys), k, got.get(k), want.get(k)) for k in keys[:3]]


def plain_paths(found):
    out = {}
    for path, (total, self_time) in found.items():
        key = tuple((plain(a), plain(b)) for a, b in path)
        have = out.setdefault(key, [0, 0])
        out[key] = [have[0] + total, have[1] + self_time]
    return out


def exported(path, form, arguments):
    return subprocess.run([wl.WARPLENS, "export", path, "-f", form, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=False).stdout.decode()


def check_exports(path, arguments, sums, folded):
    """Lines of folded, and weights of speedscope by stack and by thread, to the nanosecond."""
    if not any(stack for _, _, stack in sums):
        return []
    lines = {}
    for line in exported(path, "folded", arguments).splitlines():
        stack, weight = line.rsplit(" ", 1)
        lines[plain(stack)] = lines.get(plain(stack), 0) + int(weight)
    out = differences("export folded", lines, folded)
    document, stacks_found, by_thread, want = json.loads(exported(path, "speedscope", arguments)), {}, {}, {}
    frames = document["shared"]["frames"]
    for profile in document["profiles"]:
        if sum(profile["weights"]) != profile["endValue"] or len(profile["weights"]) != len(profile["samples"]):
            out.append("speedscope: %s does not add up" % profile["name"])
        thread = profile["name"].split("pid ")[-1].split(":")[0]
        by_thread[thread] = by_thread.get(thread, 0) + profile["endValue"]
        for sample, weight in zip(profile["samples"], profile["weights"]):
            key = ";".join(plain(frames[i]["name"]).replace(";", ":") for i in sample)
            stacks_found[key] = stacks_found.get(key, 0) + weight
    for (thread, _, _), ns in sums.items():
        key = "%d, tid %d" % (thread >> 24 & TID_MASK, thread & TID_MASK)
        want[key] = want.get(key, 0) + ns
    return out + differences("speedscope", stacks_found, folded) + differences("speedscope threads", by_thread, want)


def check_views(path, arguments, sums):
    """Tree, functions, modules, whole stacks and threads of one choice."""
    rows = rows_of(path, *arguments)
    out = differences("tree", tree_of(rows), plain_paths(stacks.tree(sums)))
    total = sum(sums.values())
    if sum(r["self"] for r in rows) != total or sum(r["total"] for r in rows if r["parent"] is None) != total:
        out.append("the rows do not add up to %d" % total)
    want = stacks.flat(sums, lambda f: (plain(f[1]), f[2]))
    merged = {}
    for (name, module), (total_time, self_time) in want.items():
        have = merged.setdefault((name, plain(stacks.module_name(module))), [0, 0])
        merged[name, plain(stacks.module_name(module))] = [have[0] + total_time, have[1] + self_time]
    out += differences("function", flat_of(rows_of(path, *arguments, "--by", "function"), "function", "module"), merged)
    merged = {}
    for (module,), (total_time, self_time) in stacks.flat(sums, lambda f: (f[2],)).items():
        have = merged.setdefault((plain(stacks.module_name(module)),), [0, 0])
        merged[(plain(stacks.module_name(module)),)] = [have[0] + total_time, have[1] + self_time]
    out += differences("module", flat_of(rows_of(path, *arguments, "--by", "module"), "module"), merged)
    merged = {}
    for (_, state, stack), ns in sums.items():
        key = ";".join(plain(f[1]).replace(";", ":") for f in stack) if stack else stacks.WITHOUT[state]
        merged[key] = merged.get(key, 0) + ns
    folded = {}
    for row in rows_of(path, *arguments, "--by", "folded"):
        folded[plain(row["stack"])] = folded.get(plain(row["stack"]), 0) + row["self"]
    out += differences("folded", folded, merged)
    out += check_exports(path, arguments, sums, merged)
    got = {(int(r["pid"]), int(r["tid"])): [r["total"], r["self"], r["off_cpu"], r["no_sample"]]
           for r in rows_of(path, *arguments, "--by", "thread")}
    merged = {}
    for thread, times in stacks.threads(sums).items():
        key = (thread >> 24 & TID_MASK, thread & TID_MASK)
        merged[key] = [a + b for a, b in zip(times, merged.get(key, [0] * 4))]
    return out + differences("thread", got, merged)


def check_idle(path, arguments, sums):
    """What is counted is the idle time of these causes."""
    _, document = wl.run("idle", path, *arguments)
    want = sum(r["sum"] for r in document["rows"] if r["cause"] in stacks.CAUSES)
    return [] if want == sum(sums.values()) else ["counted %d, idle %d" % (sum(sums.values()), want)]


def check_halves(path, query):
    """Two halves add up to the whole, stack by stack."""
    begin, end = query.span
    middle, sums = (begin + end) // 2, {}
    if not begin < middle < end:
        return []
    for a, b in ((begin, middle), (middle, end)):
        for key, (_, self_time) in tree_of(rows_of(path, "--window=%dns..%dns" % (a, b))).items():
            sums[key] = sums.get(key, 0) + self_time
    whole = {k: v[1] for k, v in tree_of(rows_of(path, "--window=%dns..%dns" % (begin, end))).items()}
    return differences("halves", {k: v for k, v in sums.items() if v}, {k: v for k, v in whole.items() if v})


def check_gaps(path, query, found):
    """The function that gaps names."""
    _, document = wl.run("gaps", path, "--stacks", "--min=0")
    got = {(int(r["device"]), r["start"]): (r["function"] and plain(r["function"]), r["under"] and plain(r["under"]),
                                            r["function_share"]) for r in document["rows"]}
    want = {}
    for gap in idle.explained_gaps(query):
        frame, under, ns = stacks.gap_function(query, found, gap)
        want[gap.device, gap.a] = (plain(frame[1]), under and plain(under[1]), ns / (gap.b - gap.a)) if frame else (None,) * 3
    return differences("gaps", got, want)


def one_trace(path, during):
    """Yields (what, differences)."""
    trace = Trace(path)
    if not trace.ops:
        return
    found, query = stacks.Stacks(trace), oracle.Query(trace)
    for choice in during:
        sums = stacks.counted(query, found, choice)
        yield "--during " + choice, check_views(path, ["--during", choice], sums)
        if choice == "idle":
            yield "idle", check_idle(path, [], sums)
    yield "gaps", check_gaps(path, query, found)
    yield "halves", check_halves(path, query)


def has_stacks(trace):
    found = stacks.Stacks(trace)
    return any(s for s in (found.cuda, found.os, found.cpu))


def check_real(tally, name, path):
    """Real traces; those without stacks have nothing to compare."""
    trace = Trace(path)
    if trace.ops and has_stacks(trace):
        wrong = [what + "\n         " + str(d)[:600] for what, found in one_trace(path, ["idle"]) for d in found]
        tally.check(name, wrong)


def main():
    scratch, tally = tempfile.mkdtemp(prefix="wl-stacks-"), wl.Tally()
    for seed in wl.seeds(60):
        path, bad = os.path.join(scratch, "%d.sqlite" % seed), []
        mktrace.make(seed, path, rich=True)
        if not mkstacks.add(seed, path):
            continue
        during = ["idle", random.Random(seed).choice(["all", "host", "os", "api", "sync"])]
        for what, wrong in one_trace(path, during):
            bad += [what + "\n         " + str(d)[:600] for d in wrong]
        tally.check("seed %d, trace %s" % (seed, path), bad)
        if not bad:
            os.remove(path)
    if os.environ.get("STACKS_CORPUS"):
        wl.skip_without_corpus()
        for name, path in wl.corpus_traces(main_only=True, any_size=True):
            check_real(tally, name, path)
    if not tally.failed:
        shutil.rmtree(scratch)
    tally.finish()


if __name__ == "__main__":
    main()
