#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""stacks --during finding:N and gap:K against the oracle: the account of the parts of gaps that a finding claims, in the steps that
findings counts (docs/definitions/stacks.md), by stack and by thread.

Generated traces with a planted cause and random stacks, where the parts are known exactly, and random traces, where the rules leave
some open: there the time lies between two sums. ORACLE_SEEDS: how many random traces (default 20); ORACLE_BASE: the first seed
(default 1). A failing trace is kept.
"""
import os
import re
import shutil
import tempfile

import claims
import mkstacks
import mktrace
import oracle
import stacks
import wl
from test_diff import make
from test_stacks import check_numbers, paths_of
from tracefile import Trace

SMALL = ["--ranks", "1", "--layers", "1", "--iters", "8", "--variants", "4"]
TWO = ["--ranks", "2", "--layers", "1", "--iters", "6", "--variants", "4"]
GENERIC_NAMES = "--conventions=generic"
# A start-up before steps, whose stacks are known to the nanosecond; a function name of two modules; operator(); kernels that start together.
RARE = (13, 26, 40, 6050)
# (options of the generator, edits, the finding whose parts are known to the nanosecond)
PLANTED = [
    (SMALL, [["alloc", "--length", "900us"]], "alloc-in-loop"),
    (TWO, [["load", "--length", "800us"]], "module-load-in-loop"),
    (SMALL, [["host", "--length", "2ms"]], "host-starved"),
    (TWO, [["sync", "--length", "900us"]], "host-sync-idle"),
    (SMALL, [["alloc", "--length", "2ms"], ["host", "--length", "3ms"]], "host-starved"),
]


class Bounds:
    """Sums {(thread, state, stack): time} of what a finding has for sure on its GPU, and of what it may have."""
    def __init__(self, query, finding, codes):
        self.least, self.most, self.idle = {}, {}, 0
        for how, gap, a, b, cause in claims.parts(query, finding["code"], codes):
            if gap.device != finding["device"]:
                continue
            self.idle += b - a
            if cause not in stacks.ACCOUNTED or not gap.after.launch:
                continue
            thread = gap.after.launch.thread
            for x, y, state, stack in stacks.stacks_of(query.trace).pieces(thread, a, b):
                for sums in (self.least, self.most) if how == claims.YES else (self.most,):
                    sums[thread, state, stack] = sums.get((thread, state, stack), 0) + y - x

    def is_exact(self):
        return self.least == self.most


def outside(got, least, most):
    """Rows that are not between two sums; each row has several numbers."""
    out, zero = [], tuple(0 for _ in next(iter({**got, **most}.values()), ()))
    for key in {**got, **most}:
        values = zip(got.get(key, zero), least.get(key, zero), most.get(key, zero))
        if got.get(key) == "twice" or any(not low <= value <= high for value, low, high in values):
            out.append("%r: warplens %r, oracle %r to %r" % (key, got.get(key), least.get(key), most.get(key)))
    return out


def thread_of(row):
    return (int(row["pid"]), int(row["tid"])), tuple(row[c] for c in ("total", "self", "off_cpu", "no_sample"))


def check_finding(path, number, bounds):
    question = "stacks", path, "--during", "finding:%d" % number, GENERIC_NAMES
    status, answer = wl.run(*question)
    if status == wl.NO_DATA:
        return ["exit %d, but it claims idle time" % status] if bounds.least else []
    if bounds.idle == 0:
        return ["an answer about no idle time"]
    out = outside(paths_of(answer["rows"]), stacks.by_stack(bounds.least), stacks.by_stack(bounds.most))
    _, answer = wl.run(*question, "--by", "thread")
    return out + outside(dict(map(thread_of, answer["rows"])), stacks.by_thread(bounds.least), stacks.by_thread(bounds.most))


SAID = re.compile(r"; call stacks show `([^`]+)`(?: under `([^`]+)`)? for ([\d.]+)% of (?:this time|the [^;]*? that the host takes)"
                  r"(?: \(no stack: ([\d.]+)%\))?(?:, in it `([^`]+)` for ([\d.]+)%)?")


def has(names, inner, around=None):
    """Whether a stack, from the outermost frame inwards, has a function, and another one around it."""
    names = [label(n) for n in names]
    return any(n == inner and (around is None or around in names[:i]) for i, n in enumerate(names))


def label(name):
    """Without parameters; operator() has brackets of its own."""
    head, call, rest = name.partition("operator()")
    return head + call + rest.split("(")[0] if call else name if name.startswith("(") else name.split("(")[0]


def by_module(path, number, name):
    """The shares of the functions of a name: each module has one of its own."""
    rows = wl.run("stacks", path, "--during", "finding:%d" % number, "--by", "function", GENERIC_NAMES)[1]["rows"]
    return [100 * r["share"] for r in rows if label(r["function"]) == name]


def check_sentence(path, number, sentence):
    """The shares in a sentence are those of the whole stacks that the verb lists."""
    said = SAID.search(sentence)
    if not said:
        return ["not understood: %s" % sentence] if "call stacks" in sentence else []
    rows = wl.run("stacks", path, "--during", "finding:%d" % number, "--by", "folded", GENERIC_NAMES)[1]["rows"]
    whole = sum(r["self"] for r in rows)
    name, under, share, none, inner, inner_share = said.groups()

    def part(is_in):
        return 100 * sum(r["self"] for r in rows if is_in(r["stack"].split(";"))) / whole
    several = by_module(path, number, name)
    if len(several) > 1 and under is None:                  # folded stacks have no modules
        pairs = [(share, min(several, key=lambda own: abs(own - float(share))))]
    else:
        pairs = [(share, part(lambda names: has(names, name, under)))]
    pairs += [(none or "0", part(lambda names: names[0].startswith(("[off CPU", "[no sample"))))]
    pairs += [(inner_share, part(lambda names: has(names, inner, name)))] if inner else []
    return ["%s%% in the sentence, %.3f%% in stacks: %s" % (a, b, said[0]) for a, b in pairs if abs(float(a) - b) > 0.0501]


def findings(path):
    """(rows in the order of their numbers, all codes): several findings of one code share what it claims."""
    listed, every = (wl.run("findings", path, GENERIC_NAMES, *words)[1]["rows"] for words in ((), ("--all",)))
    return listed, [r["code"] for r in every]


def one_trace(path, exact=None):
    """(differences, how many findings were compared, how many of them exactly)."""
    query = oracle.Query(Trace(path))
    if None in claims.spans(query).values():
        return [], 0, 0                 # open
    listed, every = findings(path)
    out, n, n_exact = [], 0, 0
    for number, finding in enumerate(listed, 1):
        code, sentence = finding["code"], finding["finding"]
        bounds = Bounds(query, finding, set(every))
        if every.count(code) > 1:
            bounds.least = {}
        out += ["finding %d, %s: %s" % (number, code, d) for d in check_finding(path, number, bounds)]
        out += ["finding %d, %s: %s" % (number, code, d) for d in check_sentence(path, number, sentence)]
        n, n_exact = n + 1, n_exact + (bounds.is_exact() and bool(bounds.most))
        if code == exact and not (bounds.is_exact() and bounds.most):
            out.append("%s is not known exactly" % code)
    return out + (["no %s" % exact] if exact and exact not in [f["code"] for f in listed] else []), n, n_exact


def main():
    scratch, tally, n, n_exact = tempfile.mkdtemp(prefix="wl-claims-"), wl.Tally(), 0, 0
    for number, (options, edits, code) in enumerate(PLANTED, 1):
        path, _ = make(scratch, "p%d-" % number, options, edits)
        mkstacks.add(number, path)
        bad, more, sure = one_trace(path, code)
        tally.check("%s, %s" % (code, path), bad)
        n, n_exact = n + more, n_exact + sure
    for seed in dict.fromkeys([*([] if "ORACLE_BASE" in os.environ else RARE), *wl.seeds(20)]):
        path = os.path.join(scratch, "%d.sqlite" % seed)
        mktrace.make(seed, path, rich=True)
        trace = Trace(path)
        if mkstacks.add(seed, path) and trace.ops and stacks.has_stacks(trace):
            bad, more, sure = one_trace(path)
            tally.check("seed %d, %s" % (seed, path), bad + check_numbers(path))
            n, n_exact = n + more, n_exact + sure
    print("%d findings, %d of them exactly" % (n, n_exact))
    if not tally.failed:
        shutil.rmtree(scratch)
    tally.finish()


if __name__ == "__main__":
    main()
