#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Facts against their trace: each verb that answers from facts gives the same JSON as from the trace, but for the path, over
the whole trace, --window steady and single steps, with each choice of its options; files stay within their size.

Random traces (mktrace.py), generated jobs and, with FACTS_CORPUS set, the real traces. ORACLE_SEEDS: how many random traces
(default 12); ORACLE_BASE: the first seed (default 1). A failing trace is kept.
"""
import json
import os
import random
import shutil
import subprocess
import tempfile

import mktrace
import planted
import wl

VERBS = {
    "ranks": ["--by=step"], "nccl": [], "overlap": ["--by=stage", "--by=iteration"], "iters": [], "findings": ["--all"],
    "info": [], "summary": [],
}
WINDOWS = ["--window=steady", "--window=iter:0", "--window=iter:1", "--window=iter:2"]
WINDOWED = ("ranks", "nccl", "overlap")
GENERATED = (["--ranks", "4", "--layers", "2", "--iters", "6", "--events"], ["--ranks", "2", "--layers", "2", "--iters", "5"],
             ["--ranks", "4", "--layers", "2", "--iters", "8", "--straggler", "2:1.15", "--events"])
PER_RANK, PER_STEP = 60000, 1000


def ask(path, verb, *arguments):
    """(exit status, JSON without the names of the traces, message)."""
    p = subprocess.run([wl.WARPLENS, verb, *([path] if isinstance(path, str) else path), *arguments, "-f", "json", "-n", "0"],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
    if p.returncode != 0:
        return p.returncode, None, p.stderr.decode("utf-8", "replace")
    text = p.stdout.decode()
    for name in [path] if isinstance(path, str) else path:
        stem = os.path.splitext(os.path.basename(name))[0]
        text = text.replace(json.dumps(name)[1:-1], "TRACE")
        text = text.replace(stem + ".sqlite", "TRACE").replace(stem + ".wlfacts", "TRACE")
    return 0, json.loads(text), ""


def differences(want, got, what):
    """Cells and notes that differ; sections of a document that facts leave out must say so."""
    if want == got:
        return []
    if "sections" in want and "sections" in got:
        out, mine = [], got["sections"]
        for a, b in zip(want["sections"], mine):
            if a != b and "not kept in facts" not in json.dumps(b):
                out.append("%s: section %s differs" % (what, a.get("analysis")))
        rest = {k: v for k, v in want.items() if k != "sections"} != {k: v for k, v in got.items() if k != "sections"}
        return out + (["%s: the frame differs" % what] if rest or len(mine) != len(want["sections"]) else [])
    for i, (a, b) in enumerate(zip(want.get("rows", []), got.get("rows", []))):
        for key in a:
            if a[key] != b.get(key):
                return ["%s: row %d, %s: %s, of the trace %s" % (what, i, key, str(b.get(key))[:300], str(a[key])[:300])]
    key = next((k for k in want if want[k] != got.get(k)), "more keys")
    return ["%s: %s: %s, of the trace %s" % (what, key, str(got.get(key))[:300], str(want.get(key))[:300])]


def facts_of(path, directory):
    p = subprocess.run([wl.WARPLENS, "facts", path, "-o", directory], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
    name = os.path.join(directory, os.path.splitext(os.path.basename(path))[0] + ".wlfacts")
    return p.returncode, name, p.stderr.decode("utf-8", "replace")


def check_size(name):
    with open(name, "rb") as f:
        blocks = {b["name"]: b["rows"] for b in json.loads(f.readline())["blocks"]}
    most = PER_RANK * blocks["ranks"] + PER_STEP * blocks["steps"]
    size = os.path.getsize(name)
    return [] if size <= most else ["%d bytes, of %d" % (size, most)]


def check_diff(path, other, facts, other_facts):
    want, got = ask([path, other], "diff"), ask([facts, other_facts], "diff")
    if want[0] != got[0]:
        return ["diff: exit %d, of the trace %d: %s" % (got[0], want[0], got[2])]
    return differences(want[1], got[1], "diff") if want[0] == 0 else []


def check_trace(path, directory, r=None):
    """Differences of everything that facts answer."""
    status, name, message = facts_of(path, directory)
    if status == wl.NO_DATA:                # no GPU operations
        return [], None
    if status != 0:
        return ["facts: exit %d: %s" % (status, message)], None
    bad = check_size(name)
    for verb, options in VERBS.items():
        asked = [()] + [(o,) for o in options]
        if verb in WINDOWED:
            asked += [(w,) for w in (WINDOWS if r is None else [r.choice(WINDOWS)])]
        elif verb in ("iters", "findings"):
            asked.append((WINDOWS[0],))
        for arguments in asked:
            want, got = ask(path, verb, *arguments), ask(name, verb, *arguments)
            what = " ".join((verb, *arguments))
            if want[0] == 0 and got[0] == 0:
                bad += differences(want[1], got[1], what)
            elif want[0] in (0, wl.NO_DATA) and want[0] != got[0]:
                bad.append("%s: exit %d, of the trace %d: %s" % (what, got[0], want[0], got[2][:300]))
    for verb in ("kernels", "gaps", "path"):
        status, _, message = ask(name, verb)
        if status != wl.USAGE or os.path.basename(path) not in message:
            bad.append("%s does not name the trace: exit %d: %s" % (verb, status, message[:200]))
    return bad, name


JOBS = (["--ranks", "4", "--layers", "2", "--iters", "6", "--events", "--hosts", "2", "--straggler", "2:1.15"],
        ["--ranks", "8", "--layers", "2", "--iters", "5", "--groups", "2", "--hosts", "2"],
        ["--mesh", "tp=2,pp=1,dp=2", "--layers", "2", "--iters", "6", "--noise", "0.05"],
        ["--ranks", "3", "--layers", "2", "--iters", "30", "--hosts", "3", "--utc-jitter", "2000000", "--late-host", "1:3ms"])
REPLAYED = ("saving", "saving_share", "why")
COORDINATES = ("pp", "dp", "cp", "ep", "tp")     # of NVTX ranges, which facts do not hold
NS = ("wait", "transfer", "compute", "idle", "lateness", "caused", "alone", "window", "exposed_copy", "idle_host", "idle_launch",
      "idle_sync", "idle_queued", "idle_other")


def check_job(options, directory):
    """ranks of a job of traces, and of the facts of each of them: all but what is replayed. Clocks that drift stretch times by
    parts in a million, of which facts, whose sums are on the clock of each rank, know nothing."""
    job, facts = os.path.join(directory, "job"), os.path.join(directory, "facts")
    planted.run("gen_trace.py", "-o", job, "--split", *options)
    os.makedirs(facts)
    subprocess.run([wl.WARPLENS, "facts", job, "-o", facts], check=True, stdout=subprocess.DEVNULL)
    bad = []
    for by in ("rank", "step"):
        want, got = (wl.run("ranks", path, "--by", by)[1]["rows"] for path in (job, facts))
        if len(want) != len(got):
            bad.append("--by %s: %d rows, of the traces %d" % (by, len(got), len(want)))
        for i, (a, b) in enumerate(zip(want, got)):
            named = by == "rank" and a["saving"] is not None
            for key in a:
                if key in COORDINATES or (key in REPLAYED and named):
                    continue
                close = key in NS and a[key] is not None and b[key] is not None and abs(a[key] - b[key]) <= 2 + abs(a[key]) // 5000
                if a[key] != b[key] and not close:
                    bad.append("--by %s, row %d, %s: %s, of the traces %s" % (by, i, key, b[key], a[key]))
    return bad


def main():
    scratch, tally = tempfile.mkdtemp(prefix="wl-facts-"), wl.Tally()
    before = None
    for seed in wl.seeds(12):
        path = os.path.join(scratch, "%d.sqlite" % seed)
        mktrace.make(seed, path)
        bad, name = check_trace(path, os.path.join(scratch, "facts"), random.Random(seed))
        if name and before and not bad:
            bad += check_diff(before[0], path, before[1], name)
        tally.check("seed %d, trace %s" % (seed, path), bad)
        if before and not bad:
            os.remove(before[0])
        before = (path, name) if name else before
    for i, options in enumerate(GENERATED):
        path = os.path.join(scratch, "generated%d.sqlite" % i)
        planted.run("gen_trace.py", "-o", path, *options, "--seed", i + 1)
        tally.check("generated %s, trace %s" % (" ".join(options), path), check_trace(path, os.path.join(scratch, "facts"))[0])
    for i, options in enumerate(JOBS):
        directory = os.path.join(scratch, "job%d" % i)
        os.makedirs(directory)
        tally.check("job %s in %s" % (" ".join(options), directory), check_job(options, directory))
    if os.environ.get("FACTS_CORPUS"):
        wl.skip_without_corpus()
        for name, path in wl.corpus_traces():
            tally.check(name, check_trace(path, os.path.join(scratch, "facts", name))[0])
    if not tally.failed:
        shutil.rmtree(scratch)
    tally.finish()


if __name__ == "__main__":
    main()
