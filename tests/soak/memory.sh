#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Memory of "warplens kernels" on a generated trace: at most 48 bytes per kernel above 64 MB.
# SOAK_KERNELS sets the size (default 10 million, 1.3 GB of disk).
set -euo pipefail
kernels=${SOAK_KERNELS:-10000000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 "$WARPLENS_SOURCE/tests/support/gen_trace.py" -o "$work/run.sqlite" --ranks 8 --layers 32 \
	--kernels "$kernels"
python3 - "$WARPLENS" "$work/run.sqlite" <<'PY'
import resource, sqlite3, subprocess, sys, time

program, trace = sys.argv[1:]
rows = sqlite3.connect("file:%s?mode=ro" % trace, uri=True).execute(
    "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL").fetchone()[0]


def anonymous(pid):
    """Anonymous memory of a running process in bytes; 0 when it is gone."""
    try:
        with open("/proc/%d/status" % pid) as status:
            return max([int(line.split()[1]) * 1024 for line in status if line.startswith("RssAnon")], default=0)
    except OSError:
        return 0


def measure(*command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        peak = max(peak, anonymous(process.pid))
        time.sleep(0.005)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert process.returncode == 0, (command, process.returncode)
    return peak, cpu


BARE = """
import sqlite3, sys
db = sqlite3.connect("file:%s?mode=ro&immutable=1" % sys.argv[1], uri=True)
for row in db.execute('SELECT start, "end", globalPid, deviceId, contextId, streamId, demangledName, shortName,'
                      ' mangledName FROM CUPTI_ACTIVITY_KIND_KERNEL'):
    pass
"""
peak, cpu = measure(program, "kernels", trace)
_, bare = measure(sys.executable, "-c", BARE, trace)
per_row = (peak - (64 << 20)) / rows
print("%d kernels: %.1f bytes per kernel above 64 MB (%.0f MB in all), %.2f CPU s; "
      "sqlite3 from Python over the same columns %.2f CPU s" % (rows, per_row, peak / 1e6, cpu, bare))
sys.exit(per_row > 48)
PY
