#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# sql_events.sh - tables of events and functions of sql: of a job in files, of several traces, with an index, and
# beside tables of the file that have the same names.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
gen=$WARPLENS_SOURCE/tests/support/gen_trace.py
cd "$work"

# same WHAT WANT TRACE... SQL: the rows, lines joined by blanks.
same() {
	local what=$1 want=$2 got
	shift 2
	try "$WARPLENS" sql "$@"
	[ "$status" -eq 0 ] || fail "$what: status $status"
	got=$(tail -n +2 "$work/out" | tr '\n' ' ')
	[ "${got% }" = "$want" ] || fail "$what: '$got', not '$want'"
}

# refused WHAT PATTERN TRACE... SQL
refused() {
	local what=$1 pattern=$2
	shift 2
	try "$WARPLENS" sql "$@"
	[ "$status" -eq 2 ] || fail "$what: status $status, not 2"
	grep -q "$pattern" "$work/err" || fail "$what: no '$pattern'"
}

# --- a job: hosts whose processes and threads have the same numbers ---------------------------
mkdir job
python3 -B "$gen" -o job --split --ranks 4 --layers 2 --iters 5 --hosts 2 --clock-skew 2000000:20 --seed 1 >/dev/null
python3 -B "$gen" -o one.sqlite --ranks 4 --layers 2 --iters 5 --seed 1 >/dev/null
n=$("$WARPLENS" sql one.sqlite 'SELECT count(*) FROM ops' 2>/dev/null | tail -1)
[ "$n" -gt 1000 ] || fail "too few operations: $n"
same "operations of all files" "$n,4,4" job 'SELECT count(*), count(DISTINCT rank), count(DISTINCT device) FROM ops'
same "keys are numbers of their own" "$n" job 'SELECT count(DISTINCT key) FROM ops'
same "steps are found by rank" "1,$n" job 'SELECT iter_of(start, pid, rank) = step, count(*) FROM ops GROUP BY 1'
same "ranges are found by rank" "1,$n" job 'SELECT nvtx_at(tid, launch, rank) = nvtx_path, count(*) FROM ops GROUP BY 1'
refused "a thread of two hosts" "nvtx_at(tid, t, rank)" job 'SELECT nvtx_at(tid, launch) FROM ops'
refused "a process of two hosts" "iter_of(t, pid, rank)" job 'SELECT iter_of(start, pid) FROM ops'
same "each collective has four members and one that is last" "4,1" job \
	'SELECT DISTINCT count(*), sum(last) FROM matches GROUP BY match'
same "members of a match are operations" "0" job \
	'WITH o AS MATERIALIZED (SELECT key, start, class FROM ops) SELECT count(*) FROM matches m LEFT JOIN o ON o.key = m.op WHERE o.start IS NOT m.start OR o.class <> '\''comm'\'

# --- several traces ---------------------------------------------------------------------------
cp one.sqlite two.sqlite
same "the rows of both" "one,$n two,$n" one.sqlite two.sqlite 'SELECT trace, count(*) FROM ops GROUP BY trace'
same "the rows of one" "$n" one.sqlite two.sqlite "SELECT count(*) FROM ops WHERE trace = 'two'"
refused "a trace that is not there" "there are one, two" one.sqlite two.sqlite "SELECT count(*) FROM ops WHERE trace = 'three'"

# --- an index gives the same rows -------------------------------------------------------------
sums='SELECT count(*), sum(duration), sum(latency), count(nvtx_path), sum(step), count(DISTINCT category) FROM ops'
want=$("$WARPLENS" sql one.sqlite "$sums" 2>/dev/null | tail -1)
try "$WARPLENS" index one.sqlite
[ "$status" -eq 0 ] || fail "index: status $status"
same "operations of an index" "$want" one.sqlite "$sums"

# --- a file with tables of these names, and with functions in views ------------------------------
sqlite3 two.sqlite 'CREATE TABLE ops(x); CREATE TABLE each_interval(y); CREATE VIEW sly AS SELECT union_ns(1, 5) AS z'
same "the program's table counts" "$n" two.sqlite 'SELECT count(*) FROM ops'
same "its function does, too" "1,5,4" two.sqlite 'SELECT * FROM each_interval((SELECT intervals(1, 5)))'
same "the file's table has its schema" "0" two.sqlite 'SELECT count(*) FROM main.ops'
refused "a view of the file that calls a function" "unsafe use" two.sqlite 'SELECT * FROM sly'
same "a view of the user that does" "4" two.sqlite 'CREATE TEMP VIEW mine AS SELECT union_ns(1, 5) AS z; SELECT * FROM mine'
finish
