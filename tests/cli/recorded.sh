#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# recorded.sh - over all verbs and traces: status 5 where the rows of the question were not recorded, and only there; an answer
# without rows is about rows that were. What was recorded is read from the tables of the export, not from answers.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
cd "$work"

# What of the questions a trace has: words of mpi, graphs, stacks and um_sum.
recorded() {
	python3 - "$1" <<'EOF'
import re, sqlite3, sys
db = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
db.text_factory = lambda b: b.decode(errors="replace")
tables = {r[0] for r in db.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")}

def columns(table):
    return {r[1] for r in db.execute(f'PRAGMA table_info("{table}")')} if table in tables else set()

def any_row(table, where="1", needs=()):
    return set(needs) <= columns(table) and table in tables and bool(db.execute(f'SELECT 1 FROM "{table}" WHERE {where} LIMIT 1').fetchone())

def names(table, column):
    if column not in columns(table):
        return set()
    return {r[0] for r in db.execute(f'SELECT DISTINCT s.value FROM "{table}" t JOIN StringIds s ON s.id = t."{column}"')}

K = "CUPTI_ACTIVITY_KIND_"
mpi = [t for t in tables if re.fullmatch(r"MPI_(COLLECTIVES|P2P|START_WAIT|OTHER)_EVENTS", t)]
texts = names("NVTX_EVENTS", "textId") | ({r[0] for r in db.execute("SELECT DISTINCT text FROM NVTX_EVENTS WHERE text IS NOT NULL")}
                                          if "text" in columns("NVTX_EVENTS") else set())
has = {
    "mpi": any(any_row(t) for t in mpi) or any(re.match(r"P?MPI_[A-Z]", t or "") for t in texts),
    "graphs": any_row(K + "GRAPH_TRACE") or any(any_row(K + t, "graphNodeId > 0", ["graphNodeId"]) for t in ("KERNEL", "MEMCPY", "MEMSET"))
              or any(re.search(r"GraphLaunch", n) for n in names(K + "RUNTIME", "nameId")),
    "stacks": any_row("COMPOSITE_EVENTS") or any(any_row(t) for t in ("SAMPLING_CALLCHAINS", "OSRT_CALLCHAINS", "CUDA_CALLCHAINS")),
    "um_sum": any_row(K + "MEMCPY", "copyKind IN (11, 12, 13)", ["copyKind"]),
}
print(*[k for k, v in has.items() if v])
EOF
}

# Of these, rows that were recorded may leave nothing to list.
may_be_empty='^(gaps|idle|sync|nvtx-kernels)$'
n=0
while read -r trace; do
	has=" $(recorded "$trace") "
	while read -r verb wants; do
		status=0
		"$WARPLENS" "$verb" ${wants:+"$wants"} "$trace" --no-index >out 2>err || status=$?
		[[ $status =~ ^(0|5)$ ]] || fail "$verb $trace: status $status: $(head -3 err)"
		[ $status != 5 ] || [ ! -s out ] || fail "$verb $trace: status 5, and an answer"
		[ $status != 0 ] || ! grep -q '^(no rows)$' out || [[ $verb =~ $may_be_empty ]] || fail "$verb $trace: no rows, and status 0"
		n=$((n + 1))
	done < <(verbs)
	for verb in mpi graphs stacks um_sum; do
		want=5
		[[ $has != *" $verb "* ]] || want=0
		status=0
		if [ $verb = um_sum ]; then
			"$WARPLENS" stats -r um_sum "$trace" --no-index >out 2>err || status=$?
		else
			"$WARPLENS" $verb "$trace" --no-index >out 2>err || status=$?
		fi
		[ $status = $want ] || fail "$verb $trace: status $status, not $want; recorded:$has; $(head -3 err)"
	done
done < <(ls "$WARPLENS_FIXTURES"/*.sqlite)
[ $n -gt 500 ] || fail "only $n answers"
finish
