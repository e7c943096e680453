# SPDX-License-Identifier: MIT
"""Traces for the oracles of groups and holds: generated, with a known cause, or real; opened with groups on one clock."""
import os
import subprocess
import sys

import group_clocks
import job as jobs
import ranks
import wl

SUPPORT = os.path.join(wl.ROOT, "tests", "support")


def run(script, *arguments):
    subprocess.run([sys.executable, "-B", os.path.join(SUPPORT, script), *arguments], check=True, stdout=subprocess.DEVNULL)


def opened(*paths):
    """The job of files, or of a directory's files."""
    files = [p for path in paths for p in (jobs.directory(path) if os.path.isdir(path) else [path])]
    job = jobs.Job(files)
    ranks.assign(job)
    return group_clocks.settle(job)


def generated(scratch, options):
    """The path of what gen_trace.py makes: a directory with --split."""
    path = os.path.join(scratch, "made%d%s" % (len(os.listdir(scratch)), "" if "--split" in options else ".sqlite"))
    run("gen_trace.py", "-o", path, *options.split())
    return path


def planted(scratch, names, *more):
    """Cases of causes.py: name -> path."""
    out = os.path.join(scratch, "causes%d" % len(os.listdir(scratch)))
    run("causes.py", "-o", out, *names, *more)
    found = {os.path.splitext(n)[0]: os.path.join(out, n) for n in os.listdir(out) if n != "truth.json"}
    return {n: found[n] for n in names or sorted(found)}


def real(scratch, name):
    """A trace of the corpus, unpacked; None where there is none or it is too large."""
    packed = os.path.join(wl.CORPUS, name, "trace.sqlite.zst")
    if not os.path.exists(packed) or wl.is_too_large(packed):
        return None
    path = os.path.join(scratch, name + ".sqlite")
    with open(path, "wb") as out:
        subprocess.run(["zstd", "-qdc", packed], stdout=out, check=True)
    return path
