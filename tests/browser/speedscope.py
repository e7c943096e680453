#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""speedscope.py TRACE FILE SAVED - what speedscope saved after importing FILE, against the trace.

How its importer (1.25) works, as far as it matters: a profile per (pid, tid), in the order of these numbers as text
with leading zeros (it knows no sort index), called by process and thread; each begins at the first event of its
row. X becomes B and E, the end as a sum of doubles; at equal times an end comes first unless it has the name and
arguments of the begin, so two equal slices that touch are one inside the other, with the right sum. An end that does
not fit what is open is dropped with a warning. A function is a name with its arguments, as JSON behind it.
"""
import json
import os
import sys
from collections import Counter

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import chromefile
from tracefile import Trace


def totals(profile, frames):
    """function -> nanoseconds; what is inside itself counts once. Microseconds as doubles are exact enough to round."""
    out, stack = Counter(), []
    for event in profile["events"]:
        if event["type"] == "O":
            stack.append((event["frame"], event["at"]))
            continue
        frame, since = stack.pop()
        if frame != event["frame"]:
            sys.exit("FAIL %s: ends cross" % profile["name"])
        if all(frame != f for f, _ in stack):
            out[frames[frame]] += round((event["at"] - since) * 1000)
    return out


def function(s):
    return s.name if s.args is None else "%s %s" % (s.name, json.dumps(s.args, separators=(",", ":"), ensure_ascii=False))


def differences(timeline, document, want):
    """want: of the trace, by kind and place: Counter of (start, end, name)."""
    frames = [f["name"] for f in document["shared"]["frames"]]
    rows, got, out = sorted(timeline.rows.items()), {}, []
    names = ["%s (pid %d), %s (tid %d)" % (r.process, pid, r.name, tid) for (pid, tid), r in rows]
    if [p["name"] for p in document["profiles"]] != names:
        return ["rows: %r" % sorted(set(names) ^ {p["name"] for p in document["profiles"]})[:4]]
    for (_, row), profile in zip(rows, document["profiles"]):
        if (profile["type"], profile["unit"]) != ("evented", "microseconds"):
            out.append("%s: %s in %s" % (profile["name"], profile["type"], profile["unit"]))
        # All that is in the file: also rows that are computed, such as gaps.
        sums, of_file = totals(profile, frames), Counter()
        for s in row.slices:
            of_file[function(s)] += s.end - s.start
        if sums != of_file:
            out.append("%s: %r" % (profile["name"], list((sums - of_file) + (of_file - sums))[:3]))
        key = chromefile.kind_of(row)
        if key is not None:
            by_name = got.setdefault(key, Counter())
            for text, sum_ in sums.items():
                by_name[text.split(' {"')[0]] += sum_
    for key in sorted(set(got) | set(want), key=repr):
        of_trace = Counter()
        for (start, end, name), n in want.get(key, {}).items():
            of_trace[name] += n * (end - start)
        if got.get(key, Counter()) != of_trace:
            out.append("%r: %d ns, %d in the trace" % (key, sum(got.get(key, {}).values()), sum(of_trace.values())))
    return out


def main():
    trace, file, saved = sys.argv[1:]
    timeline, want = chromefile.Timeline(file), chromefile.wanted(Trace(trace))
    with open(saved, encoding="utf-8") as f:
        document = json.load(f)
    found = differences(timeline, document, want)
    for d in found[:10]:
        print("FAIL %s: %s" % (trace, d[:600]))
    print("%s: %d rows of speedscope, %d of them of the trace's own tables" % (
        trace, len(document["profiles"]), sum(chromefile.kind_of(r) is not None for r in timeline.rows.values())))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
