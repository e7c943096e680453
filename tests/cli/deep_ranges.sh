#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# deep_ranges.sh - of more than 1,024 ranges around a launch the innermost count, whether they nest or cross, and a note says of how
# many operations.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
cd "$work"

make() { # FILE RANGES nested|crossing - one kernel, launched inside of all ranges; the range begun last is called r0
	python3 -B - "$@" <<'EOF'
import sqlite3, sys
path, n, kind = sys.argv[1], int(sys.argv[2]), sys.argv[3]
db, pid = sqlite3.connect(path), 600 << 24
db.executescript("""CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, eventClass, globalTid, correlationId, nameId, returnValue);
CREATE TABLE NVTX_EVENTS (start, end, eventType, text TEXT, globalTid, textId, domainId);
INSERT INTO StringIds VALUES (1, 'k'), (2, 'cudaLaunchKernel');""")
db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (20010, 20050, 0, 1, 7, 1, ?, 1, 1)", (pid,))
db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (20000, 20005, 0, ?, 1, 2, 0)", (pid | 600,))
for i in range(n):
    last = 40000 - i if kind == "nested" else 40000 + i
    db.execute("INSERT INTO NVTX_EVENTS VALUES (?, ?, 59, ?, ?, NULL, 0)", (i, last, "r%d" % (n - 1 - i), pid | 600))
db.commit()
EOF
}

owners() { # FILE - the numbers of the ranges that have the kernel
	"$WARPLENS" nvtx "$1" --exact-names -n 0 --where 'gpu_ops = 1' -f tsv --columns name 2>/dev/null | sed -n 's/^r//p' | sort -n
}

for kind in nested crossing; do
	make few.sqlite 1024 $kind
	expect 0 "$WARPLENS" nvtx few.sqlite -n 1
	omits 'operations inside more than'
	[[ $(owners few.sqlite) == "$(seq 0 1023)" ]] || fail "$kind: 1,024 ranges do not all have the kernel"
	make many.sqlite 1500 $kind
	for verb in nvtx tree; do
		expect 0 "$WARPLENS" $verb many.sqlite -n 1
		tr -s ' \n' ' ' <out | grep -q 'operations inside more than 1024 ranges: 1' || fail "$kind: $verb does not say what it cut"
	done
	[[ $(owners many.sqlite) == "$(seq 0 1023)" ]] || fail "$kind: others than the innermost 1,024 of 1,500 ranges have the kernel"
	rm few.sqlite many.sqlite
done
finish
