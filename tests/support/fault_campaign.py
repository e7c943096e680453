#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fault_campaign.py - calls of the system and allocations fail, one in each run: the answer is right, or the run is refused.

fault_campaign.py WARPLENS LIBRARY TRACE STEP: every STEPth allocation of each verb fails in a child of its own
(faults.c), alone and with all that follow; every read fails, is interrupted or ends early; the disk is full in the
middle of an answer. Commands that write files run once for each write, sync, rename and map that fails: the file is whole
or is not there. FAULTS_VERBS chooses commands by a word of theirs, and by the words shown and files the rest. Prints
counts; status 1 where a run crashed, had another answer with status 0, or left half a file.
"""
import errno
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile

program, library, trace, step = sys.argv[1], sys.argv[2], os.path.abspath(sys.argv[3]), int(sys.argv[4])
FIRST = 100  # those before are of setlocale, which may fail
SHORT = ("info", "summary", "findings", "kernels") if step > 1 else None
env = dict(os.environ, WARPLENS_SANDBOX="off", XDG_STATE_HOME="/nonexistent")
total = {}
bad = []


def limited(most):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


def run(args, limit=None, **faults):
    more = {k: str(v) for k, v in faults.items()}
    if faults:
        more["LD_PRELOAD"] = library
    with open("out", "wb") as out:
        done = subprocess.run([program, *args, "-j", "1"], env={**env, **more}, stdout=out, stderr=subprocess.PIPE,
                              check=False, stdin=subprocess.DEVNULL, timeout=3600,
                              preexec_fn=None if limit is None else lambda: limited(limit))
    with open("err", "wb") as err:
        err.write(done.stderr)
    return done.returncode


def bytes_of(path):
    with open(path, "rb") as file:
        return file.read()


def add(what, n, lines, args):
    total[what] = total.get(what, 0) + n
    for line in lines:
        bad.append(f"{' '.join(args)}: {line}")
        print("FAIL:", bad[-1], flush=True)


def is_wrong(status, want_status, want):
    """Of the run before: whether it is neither right nor a refusal that says why."""
    if status == want_status and (want is None or bytes_of("out") == want):
        return False
    return status not in (3, 6) or b"\nwarplens: " not in b"\n" + bytes_of("err")


def each(args, kind, every, what, compares=True, first=FIRST, **more):
    """Each call in a child of its own. What is wrong there is tried in a process of its own, because locks of the C
    library know the process that took them."""
    status = run(args)
    want = bytes_of("out") if compares else None
    os.replace("out", "want")
    if compares:
        more["FAULT_WANT"] = os.path.abspath("want")
    run(args, FAULT_KIND=kind, FAULT_AT=first if kind == "alloc" else 1, FAULT_EACH=every, FAULT_STATUS=status,
        FAULT_COUNT="count", **more)
    lines = bytes_of("count").decode("utf-8", "replace").splitlines()
    if not lines or not lines[-1].isdigit():
        raise SystemExit(f"{args}: no count of {kind}: {lines[-1:]}")
    n, lines = int(lines[-1]), [line for line in lines if line.startswith("bad ")]
    lines = [line for line in lines
             if is_wrong(run(args, FAULT_KIND=kind, FAULT_AT=line.split("=")[1].split()[0], **more), status, want)]
    add(what, n, lines, args)


def last(args, most):
    """The last allocations one by one: of a short statement, all since it was read."""
    run(args, FAULT_KIND="alloc", FAULT_COUNT="count")
    n = int(bytes_of("count").split()[-1])
    each(args, "alloc", 1, "last allocations", first=max(FIRST, n - most))


def verbs():
    known = json.loads(subprocess.run([program, "--introspect"], stdout=subprocess.PIPE, check=True).stdout)
    for v in known["verbs"]:
        if v["kind"] != "command" and v["operands"].startswith("TRACE") and v["name"] != "phases":
            if not SHORT or v["name"] in SHORT:
                yield [v["name"], trace, "-f", "json"]
    yield ["search", "a", trace, "-f", "json"]
    yield ["sql", trace, "SELECT name, sum FROM kernels ORDER BY 1"]
    if not SHORT:
        yield ["diff", trace, trace, "-f", "json"]
        yield ["kernels", trace, "--reader", "sqlite", "-f", "json"]


def shown():
    """What people look at: without memory names are cut in another way, so only the end counts.
    Not timeline and tui, whose second thread a forked child does not have: it would wait for ever."""
    for verb in ("summary",) if SHORT else ("summary", "kernels", "nvtx", "findings", "path", "diff"):
        yield [verb, trace] + ([trace] if verb == "diff" else [])
    if not SHORT:
        yield ["ask", trace, "why is it slow?"]


def files_of(directory):
    return {os.path.relpath(os.path.join(top, name), directory): bytes_of(os.path.join(top, name))
            for top, _, names in os.walk(directory) for name in names}


def sizes(args):
    """Bytes after which the disk of a run is full."""
    run(args)
    n = os.path.getsize("out")
    return sorted({n * i // 8 for i in range(8)}) if n and step == 1 else []


def full(args, most):
    """Standard output ends in the middle."""
    status = run(args, limit=most)
    wrong = status not in (3, 6) or b"\nwarplens: " not in b"\n" + bytes_of("err")
    add("writes to a full disk", 1, [f"full after {most}: status {status}"] if wrong else [], args)


def told_by_index(place):
    """An index has a random part: what it answers counts, and its size, which each stored answer adds to."""
    files = os.listdir(place)
    err = bytes_of("err")
    told = {name: (run(["summary", trace, "--index-dir", place, "-f", "json"]), bytes_of("out"),
                   os.path.getsize(os.path.join(place, name))) for name in files}
    with open("err", "wb") as file:
        file.write(err)
    return told


def written(args, kind, first=1, every=None, **more):
    """Files of a command, while one of its calls fails: all as they should be, or status 3 or 6 and none of them half."""
    def once(**faults):
        with tempfile.TemporaryDirectory() as place:
            status = run([word.replace("DIR", place) for word in args], **faults)
            return status, files_of(place) if args[0] != "index" else told_by_index(place)
    _, want = once()
    once(FAULT_KIND=kind, FAULT_COUNT="count", **more)
    n = int(bytes_of("count").split()[-1])
    for at in range(first, n + 1, every or (1 if step == 1 else max(1, n // 2))):
        status, got = once(FAULT_KIND=kind, FAULT_AT=at, **more)
        half = [name for name, content in got.items() if want.get(name) != content]
        wrong = half or (status == 0 and got != want) or is_wrong(status, 0, None)
        add(f"{kind} of files", 1, [f"{kind}={at} {more}: status {status}, half {half}, {len(got)} of {len(want)} files, "
                                    f"{bytes_of('err')[-150:]!r}"] if wrong else [], args)


def main():
    only = os.environ.get("FAULTS_VERBS", "").split(",") if os.environ.get("FAULTS_VERBS") else None
    for args in verbs():
        if only and not set(only) & set(args):
            continue
        each(args, "alloc", step, "allocations")
        each(args, "alloc", step * 2, "allocations, and all that follow", FAULT_ON=1)
        for error in errno.EIO, errno.EINTR, 0:
            each(args, "read", 1 if step == 1 or args[0] == "info" else 7, "reads", FAULT_ERRNO=error)
        each(args, "map", 1, "maps", FAULT_ERRNO=errno.ENOMEM)
        for most in sizes(args):
            full(args, most)
        print(f"{args[0]}: {sum(total.values())} faults so far, {len(bad)} wrong", flush=True)
    if not only or "sql" in only:
        last(["sql", trace, "SELECT 1"], 300)
    for args in shown() if not only or "shown" in only else ():
        each(args, "alloc", step * 2, "allocations", compares=False)
        each(args, "alloc", step * 4, "allocations, and all that follow", compares=False, FAULT_ON=1)
    writing = [["index", trace, "--index-dir", "DIR"], ["viewer", trace, "-o", "DIR/x.html"],
               ["kernels", trace, "-o", "DIR/x.json"], ["baseline", "tag", "one", trace, "--dir", "DIR"],
               ["export", trace, "-f", "perfetto", "-o", "DIR/x.pftrace"], ["export", trace, "-f", "csv", "-o", "DIR/x.csv"],
               ["facts", trace, "-o", "DIR/x.wlfacts"], ["report", trace, "-o", "DIR/r"]]
    for args in () if only and "files" not in only else writing[:4] if SHORT else writing:
        for kind, errors in (("write", (errno.ENOSPC, errno.EINTR, 0)), ("sync", (errno.EIO,)), ("rename", (errno.EACCES,)),
                             ("map", (errno.ENOMEM,)), ("read", (errno.EIO, 0))):
            for error in errors:
                written(args, kind, FAULT_ERRNO=error)
    # One run each: a child of the same process would write the same file.
    for args in () if only and "files" not in only else (writing[0], writing[6]):
        written(args, "alloc", first=FIRST, every=step)
    print(", ".join(f"{n} {what}" for what, n in total.items()))
    print(f"{sum(total.values())} faults, {len(bad)} wrong")
    return bool(bad)


os.chdir(tempfile.mkdtemp())
sys.exit(main())
