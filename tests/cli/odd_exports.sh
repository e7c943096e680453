#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# odd_exports.sh - databases that are no exports of Nsight Systems, or exports that another program changed: they are
# read as what they say, or refused with what they lack. Nothing is guessed.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
cd "$work"
python3 -B "$here/support/gen_trace.py" -o t.sqlite --ranks 2 --layers 1 --iters 4 --seed 1 >/dev/null
KERNEL=CUPTI_ACTIVITY_KIND_KERNEL

change() { # NAME SQL... - NAME.sqlite: the trace after these statements
	cp t.sqlite "$1.sqlite"
	python3 -B - "$1.sqlite" "${@:2}" <<'P'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
for statements in sys.argv[2:]:
    db.executescript(statements)
db.commit()
db.execute("VACUUM")
P
}

sane() { # NAME - every answer of it is free of made-up things
	local verb
	for verb in summary kernels info nvtx threads pids overlap findings sync api; do
		for reader in pages sqlite; do
			try "$WARPLENS" $verb "$1.sqlite" --reader $reader
			[[ $status == 0 || $status == 5 ]] || fail "$ran: status $status"
			! grep -qE '(^| )\?( |$)|PID 0\b|process 0\b' out || fail "$ran: $(grep -m1 -E '(^| )\?( |$)|PID 0\b|process 0\b' out)"
			! grep -qE '(^| )([0-9]{4,}|[2-9][0-9]{2}|1[1-9][0-9]|10[1-9])\.[0-9]%' out || fail "$ran: a share above 100%"
		done
	done
}

same_answers() { # NAME VERB... - the same as of the trace itself
	local name=$1 verb
	shift
	for verb in "$@"; do
		"$WARPLENS" $verb t.sqlite -f csv >want 2>/dev/null
		expect 0 "$WARPLENS" $verb "$name.sqlite" -f csv
		same out want "$ran"
	done
}

# --- kernels under CUPTI's own name of the table -----------------------------------------------------
change concurrent "ALTER TABLE $KERNEL RENAME TO CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL"
same_answers concurrent kernels overlap launch nvtx pids
sane concurrent

# --- processId in place of globalPid, in some tables or in all -------------------------------------------
pid_for() { echo "ALTER TABLE $1 ADD COLUMN $2 INTEGER; UPDATE $1 SET $2 = globalPid >> 24 & 0xFFFFFF; ALTER TABLE $1 DROP COLUMN globalPid;"; }
change pid1 "$(pid_for $KERNEL processId)"
change pid2 "$(pid_for $KERNEL pid)" "$(pid_for CUPTI_ACTIVITY_KIND_MEMCPY processId)" "$(pid_for CUPTI_ACTIVITY_KIND_MEMSET processId)" \
	"$(pid_for CUPTI_ACTIVITY_KIND_SYNCHRONIZATION processId)" \
	"ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME ADD COLUMN processId INTEGER; ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME ADD COLUMN threadId INTEGER;
	 UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET processId = globalTid >> 24 & 0xFFFFFF, threadId = globalTid & 0xFFFFFF;
	 ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME DROP COLUMN globalTid"
for name in pid1 pid2; do
	same_answers $name kernels overlap launch nvtx pids threads sync
	sane $name
done

# --- no process at all -----------------------------------------------------------------------------------
change no_pid "ALTER TABLE $KERNEL DROP COLUMN globalPid"
expect 3 "$WARPLENS" no_pid.sqlite
says "$KERNEL has no column globalPid, so its rows belong to no process; export the report again"
change no_tid "ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME DROP COLUMN globalTid"
expect 3 "$WARPLENS" info no_tid.sqlite
says 'CUPTI_ACTIVITY_KIND_RUNTIME has no column globalTid'
change no_rows "DELETE FROM $KERNEL" "ALTER TABLE $KERNEL DROP COLUMN globalPid"
expect 0 "$WARPLENS" nvtx no_rows.sqlite

# --- names as text, or with no strings to look them up in -----------------------------------------------
change texts "ALTER TABLE $KERNEL RENAME COLUMN demangledName TO n; ALTER TABLE $KERNEL ADD COLUMN demangledName TEXT;
	UPDATE $KERNEL SET demangledName = (SELECT value FROM StringIds WHERE id = n)"
expect 3 "$WARPLENS" kernels texts.sqlite
says "$KERNEL.demangledName holds text, not numbers of StringIds"
change no_strings "DROP TABLE StringIds"
expect 3 "$WARPLENS" kernels no_strings.sqlite
says 'it has no table StringIds with the names of'
change renamed "ALTER TABLE StringIds RENAME TO Strings"
expect 3 "$WARPLENS" renamed.sqlite
change lost "DELETE FROM StringIds WHERE id IN (SELECT demangledName FROM $KERNEL UNION SELECT shortName FROM $KERNEL
	UNION SELECT mangledName FROM $KERNEL)"
expect 0 "$WARPLENS" kernels lost.sqlite
prints '(unnamed)'
sane lost
change empty "UPDATE NVTX_EVENTS SET text = '', textId = NULL WHERE rowid % 3 = 0"
expect 0 "$WARPLENS" nvtx empty.sqlite
prints '(unnamed)'
sane empty

# --- times that cannot be, which are dropped and said once ----------------------------------------------------
change far "UPDATE $KERNEL SET end = 4611686018427387903 WHERE rowid IN (1, 2)" "UPDATE $KERNEL SET start = -9223372036854775807 WHERE rowid = 3"
for verb in summary kernels overlap; do
	expect 0 "$WARPLENS" $verb far.sqlite
	[[ $(grep -c 'note: 3 rows of kernels skipped: invalid time or device' out) == 1 ]] || fail "$ran: not one note: $(grep note: out)"
done
[[ $("$WARPLENS" kernels far.sqlite -f csv --columns min 2>/dev/null | sort -n | sed -n 2p) -gt 0 ]] || fail "kernels of 0 ns"
change all_far "UPDATE $KERNEL SET end = 4611686018427387903"
expect 5 "$WARPLENS" kernels all_far.sqlite
says 'kernels: none of the 280 rows of kernels has a valid time and device'
change far_alone "UPDATE $KERNEL SET end = 4611686018427387903" "DELETE FROM CUPTI_ACTIVITY_KIND_MEMCPY" "DELETE FROM CUPTI_ACTIVITY_KIND_MEMSET"
expect 5 "$WARPLENS" far_alone.sqlite
says 'summary: none of the 280 rows of kernels has a valid time and device'

# --- nothing ran on a GPU: what the profiler said, and no advice to record what was recorded ---------------------
none="$(for t in $KERNEL CUPTI_ACTIVITY_KIND_MEMCPY CUPTI_ACTIVITY_KIND_MEMSET; do echo "DELETE FROM $t;"; done)"
said="CREATE TABLE IF NOT EXISTS DIAGNOSTIC_EVENT (timestamp, timestampType, source, severity, text, globalPid);
	INSERT INTO DIAGNOSTIC_EVENT VALUES (1, 1, 1, 1, 'CUDA injection initialized', 0), (2, 1, 1, 2, 'No NVTX events.', 0),
		(3, 1, 1, 2, 'No CUDA events collected.', 0), (4, 1, 1, 2, 'No CUDA events collected.', 0);"
asked="CREATE TABLE IF NOT EXISTS META_DATA_CAPTURE (name, value); INSERT INTO META_DATA_CAPTURE VALUES ('CAPTURE_EVENT_TYPE', 'Cuda');"
calls="DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME; DELETE FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;"
change calls "$none"
expect 0 "$WARPLENS" calls.sqlite
expect 5 "$WARPLENS" overlap calls.sqlite
[[ $(cat err) == 'warplens: overlap: CUDA calls were recorded, but nothing that ran on a GPU'*'"warplens api TRACE" lists the calls' ]] || fail "$ran"
change calls_said "$none" "$said"
expect 5 "$WARPLENS" overlap calls_said.sqlite
[[ $(cat err) == *'"warplens api TRACE" lists the calls; the profiler said: "No CUDA events collected."' ]] || fail "$ran"
change asked "$none" "$calls" "$said" "$asked"
expect 5 "$WARPLENS" overlap asked.sqlite
[[ $(cat err) == *'CUDA was traced, but the trace has no kernels; the profiler said: "No CUDA events collected."' ]] || fail "$ran"
expect 0 "$WARPLENS" index asked.sqlite
expect 5 "$WARPLENS" overlap asked.sqlite
[[ $(cat err) == *'the profiler said: "No CUDA events collected."' ]] || fail "$ran with an index"
change unasked "$none" "$calls" "DROP TABLE IF EXISTS META_DATA_CAPTURE"
expect 5 "$WARPLENS" overlap unasked.sqlite
says 'the trace has no kernels; record with nsys profile --trace=cuda'

# --- versions of the driver without their dots ------------------------------------------------------------------
for pair in 5154807:515.48.07 53510405:535.104.05 41887:418.87 450162:450.162 0: 570.86.15:570.86.15 12:12; do
	change driver "DROP TABLE IF EXISTS TARGET_INFO_SYSTEM_ENV" "CREATE TABLE TARGET_INFO_SYSTEM_ENV (name, value);
		INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('NvDriverVersion', '${pair%%:*}')"
	expect 0 "$WARPLENS" info driver.sqlite --section about -f csv
	prints "driver,${pair#*:}"
done

# --- two hosts whose processes have one pid -----------------------------------------------------------------------
moved='CASE WHEN (%s >> 24 & 0xFFFFFF) = 70016 THEN (%s & 0xFFFFFF) + (70000 << 24) + (0x0102 << 48) ELSE %s END'
sql=
for pair in $KERNEL:globalPid CUPTI_ACTIVITY_KIND_MEMCPY:globalPid CUPTI_ACTIVITY_KIND_MEMSET:globalPid \
	CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:globalPid CUPTI_ACTIVITY_KIND_RUNTIME:globalTid NVTX_EVENTS:globalTid; do
	c=${pair#*:}
	sql+="UPDATE ${pair%:*} SET $c = ${moved//%s/$c};"
done
change hosts "$sql" "DROP TABLE IF EXISTS TARGET_INFO_SYSTEM_ENV; CREATE TABLE TARGET_INFO_SYSTEM_ENV (globalVid, name, value);
	INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES (0x0102 << 48, 'Hostname', 'node7')"
for verb in pids threads 'sync --by pid' 'info --section processes' 'kernels --by pid --name short' 'nvtx --by pid'; do
	expect 0 "$WARPLENS" $verb hosts.sqlite -f csv
	prints ',node7'
	prints ',machine 1,'
	cut -d, -f1-4 out | sort | uniq -d | grep -q . && fail "$ran: rows that cannot be told apart: $(cat out)"
	cp out want
	expect 0 "$WARPLENS" index hosts.sqlite
	expect 0 "$WARPLENS" $verb hosts.sqlite -f csv
	same out want "$ran with an index"
	expect 0 "$WARPLENS" $verb t.sqlite -f csv
	[[ ,$(head -n 1 out), != *,host,* ]] || fail "$ran: a host where pids suffice"
done
expect 0 "$WARPLENS" kernels hosts.sqlite --by stream -f csv
[[ $(head -n 1 out) == name,device,pid,host,* ]] || fail "$ran: no host"
expect 0 "$WARPLENS" tree hosts.sqlite -f csv
[[ ,$(head -n 1 out), != *,host,* ]] || fail "$ran: a host of no process"

# --- another database ---------------------------------------------------------------------------------------
python3 -c 'import sqlite3
for name, sql in ("plain", "create table people(id integer, name text); insert into people values (1, 2)"), ("none", "pragma user_version = 1"):
    db = sqlite3.connect(name + ".sqlite")
    db.executescript(sql)
    db.commit()'
for verb in summary info kernels schema; do
	expect 3 "$WARPLENS" $verb plain.sqlite
	says 'plain.sqlite: not an Nsight Systems export: it has no table of one'
	expect 3 "$WARPLENS" $verb none.sqlite
	says 'none.sqlite: not an Nsight Systems export'
done
expect 3 "$WARPLENS" index plain.sqlite
[[ ! -e plain.sqlite.wlidx ]] || fail "$ran: wrote an index"
# A warning that CUDA events may be missing makes the recording complete in part; without one nothing is lost.
cp "$(fixture tiny)" doubt.sqlite
expect 0 "$WARPLENS" coach doubt.sqlite
prints 'Is the recording complete?           answered  nsys reports no loss'
sqlite3 doubt.sqlite "CREATE TABLE IF NOT EXISTS DIAGNOSTIC_EVENT (timestamp, timestampType, source, severity, text, globalPid);
	INSERT INTO DIAGNOSTIC_EVENT VALUES (1, 1, 1, 2, 'Not all CUDA events might have been collected.', 0)"
expect 0 "$WARPLENS" coach doubt.sqlite
prints 'Is the recording complete?           partly    nsys: CUDA events may be missing'
finish
