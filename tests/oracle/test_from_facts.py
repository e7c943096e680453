#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Facts against their trace: each verb that answers from facts gives the same JSON as from the trace, but for the path, over
the whole trace, --window steady and single steps, with each choice of its options; files stay within their size.

Random traces (mktrace.py), generated jobs and, with FACTS_CORPUS set, the real traces. ORACLE_SEEDS: how many random traces
(default 12); ORACLE_BASE: the first seed (default 1); FACTS_JOBS: how many random jobs (default 1), see facts_jobs.py. With
FACTS_CORPUS each trace is asked about each window, otherwise about one of them. A failing trace is kept.
"""
import json
import os
import random
import shutil
import subprocess
import tempfile

import facts_jobs
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
WHOLE = os.environ.get("FACTS_CORPUS")


def ask(path, verb, *arguments):
    """(exit status, JSON without the names of the traces, message)."""
    p = subprocess.run([wl.WARPLENS, verb, *([path] if isinstance(path, str) else path), *arguments, "-f", "json", "-n", "0"],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
    if p.returncode != 0:
        return p.returncode, None, p.stderr.decode("utf-8", "replace")
    text = p.stdout.decode()
    for name in [path] if isinstance(path, str) else path:
        stem = os.path.splitext(os.path.basename(name))[0]
        home = os.path.dirname(name)
        for known in name, os.path.join(home, stem + ".sqlite"), os.path.join(os.path.dirname(home), stem + ".sqlite"):
            text = text.replace(json.dumps(known)[1:-1], "TRACE")
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


def check_random(scratch, tally):
    """Random traces, each also compared and merged with the one before."""
    before = None
    for seed in wl.seeds(12):
        r = random.Random(seed)
        path = os.path.join(scratch, "%d.sqlite" % seed)
        mktrace.make(seed, path)
        bad, name = check_trace(path, os.path.join(scratch, "facts"), None if WHOLE else r)
        if name and before and not bad:
            bad += check_diff(before[0], path, before[1], name)
            bad += facts_jobs.check_merges(r, [before[1], name], os.path.join(scratch, "merged"), 1)
        tally.check("seed %d, trace %s" % (seed, path), bad)
        if before and name and not bad:
            os.remove(before[0])
        before = (path, name) if name else before


def check_jobs(scratch, tally):
    asked = [(options, None) for options in facts_jobs.JOBS]
    base = int(os.environ.get("ORACLE_BASE", "1"))
    for seed in range(base, base + int(os.environ.get("FACTS_JOBS", "1"))):
        r = random.Random(seed)
        asked.append((facts_jobs.options_of(r), r))
    for i, (options, r) in enumerate(asked):
        directory = os.path.join(scratch, "job%d" % i)
        os.makedirs(directory)
        bad = facts_jobs.check_job(options, directory, r, i)
        if r and WHOLE:
            job = os.path.join(directory, "job")
            one = r.choice([name for name in sorted(os.listdir(job)) if name.endswith(".sqlite")])
            bad += check_trace(os.path.join(job, one), os.path.join(directory, "one"))[0]
        tally.check("job %s in %s" % (" ".join(options), directory), bad)
        if not bad:
            shutil.rmtree(directory)


def check_real_job(scratch, tally):
    """A real job that communicates by MPI."""
    name = "mpi-cfd-5of8"
    if os.path.isdir(wl.JOBS):
        tally.check(name, facts_jobs.compare_job(wl.real_job(name, scratch), scratch, ["--mpi", "old"]))


def main():
    scratch, tally = tempfile.mkdtemp(prefix="wl-facts-"), wl.Tally()
    check_random(scratch, tally)
    for i, options in enumerate(GENERATED):
        path = os.path.join(scratch, "generated%d.sqlite" % i)
        planted.run("gen_trace.py", "-o", path, *options, "--seed", i + 1)
        tally.check("generated %s, trace %s" % (" ".join(options), path), check_trace(path, os.path.join(scratch, "facts"))[0])
    check_jobs(scratch, tally)
    tally.check("many MPI calls", facts_jobs.check_crowded(scratch))
    if WHOLE:
        check_real_job(scratch, tally)
        wl.skip_without_corpus()
        for name, path in wl.corpus_traces():
            tally.check(name, check_trace(path, os.path.join(scratch, "facts", name))[0])
    if not tally.failed:
        shutil.rmtree(scratch)
    tally.finish()


if __name__ == "__main__":
    main()
