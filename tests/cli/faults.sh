#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# faults.sh - each read of a command fails once, and some of its allocations: the answer is the right one, or
# there is none. "Not recorded" is an answer.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
cd "$work"
# The library that makes faults writes its counts when the program ends, which a sandbox would not let it.
export WARPLENS_SANDBOX=off
faults=$WARPLENS_BUILD/libwl_faults.so
[[ -s $faults ]] || { echo "skipped: no $faults" >&2; exit 77; }
grep -qa __sanitizer_ "$WARPLENS" && { echo "skipped: a sanitizer has its own allocator" >&2; exit 77; }
python3 -B "$here/support/gen_trace.py" -o t.sqlite --ranks 1 --layers 1 --iters 3 --seed 1 >/dev/null
python3 -B - "$WARPLENS" "$faults" <<'P' || fail "a fault changes an answer"
import os, subprocess, sys

program, library = sys.argv[1:]
INDEX = "t.sqlite.wlidx"
bad = 0


def run(args, **faults):
    env = dict(os.environ, **{k: str(v) for k, v in faults.items()})
    if faults:
        env["LD_PRELOAD"] = library
    return subprocess.run([program, *args, "-j", "1"], env=env, capture_output=True, timeout=60)


def remove_index():
    if os.path.exists(INDEX):
        os.remove(INDEX)


def answers():
    return [run([verb, "t.sqlite"]).stdout for verb in ("info", "summary")]


def check(args, want, right, fault):
    """None, or what is wrong with a run in which something failed."""
    remove_index()
    got = run(args, **fault)
    if got.returncode != 0:
        if got.returncode not in (3, 6) or not got.stderr.startswith(b"warplens: "):
            return "status %d: %r" % (got.returncode, got.stderr[-200:])
        return "an index stays" if os.path.exists(INDEX) else None
    if args[0] != "index":
        return None if got.stdout == want.stdout else "status 0 and another answer"
    return None if answers() == right else "status 0 and an index with another answer"


def each(args, kind, limit, first=1, **more):
    global bad
    remove_index()
    right, want = answers(), run(args)
    assert want.returncode == 0, (args, want.stderr)
    remove_index()
    run(args, FAULT_COUNT="count")
    # Reads and allocations: the number that the run without a fault had.
    n = int(open("count").read().split()[kind == "FAULT_ALLOC"])
    assert n > 0, (args, kind)
    for at in range(first, n + 1, max(1, n // limit)):
        wrong = check(args, want, right, {kind: at, **more})
        if wrong:
            print("FAIL: %s, %s=%d %s: %s" % (" ".join(args), kind, at, more or "", wrong))
            bad += 1
    remove_index()


for args in (["info", "t.sqlite"], ["summary", "t.sqlite"], ["kernels", "t.sqlite", "--reader", "sqlite"],
             ["index", "t.sqlite"]):
    each(args, "FAULT_READ", 1000)
    each(args, "FAULT_READ", 20, FAULT_ERRNO=4)
    each(args, "FAULT_READ", 20, FAULT_ERRNO=0)
# The first are of setlocale, which may fail; info does not use jansson, which corrupts its memory without it.
each(["info", "t.sqlite"], "FAULT_ALLOC", 60, first=100)
sys.exit(bad != 0)
P
finish
