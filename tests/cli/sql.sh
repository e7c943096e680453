#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# sql.sh - the command sql: where its text comes from, formats, exit statuses, limits, signals.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
cp "$(fixture tiny)" "$work/t.sqlite"
cp "$(fixture two_ranks)" "$work/u.sqlite"
cd "$work"
endless='WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c'

# The text: an operand, an option, standard input.
expect 0 "$WARPLENS" sql t.sqlite 'SELECT 1 AS a, 2 AS b'
cp out want
prints 'a,b'
prints '1,2'
expect 0 "$WARPLENS" sql t.sqlite -c 'SELECT 1 AS a, 2 AS b'
same out want '-c'
expect 0 "$WARPLENS" sql t.sqlite --command 'SELECT 1 AS a, 2 AS b;'
same out want '--command'
expect 0 bash -c 'echo "SELECT 1 AS a, 2 AS b" | "$0" sql t.sqlite' "$WARPLENS"
same out want 'standard input'
expect 0 bash -c '"$0" sql t.sqlite </dev/null' "$WARPLENS"
silent
expect 0 "$WARPLENS" sql t.sqlite -c '-- nothing'
silent
expect 0 "$WARPLENS" sql t.sqlite 'CREATE TEMP TABLE a AS SELECT 3 AS x; SELECT x FROM a'
prints 3
expect 2 "$WARPLENS" sql
says 'give a trace'
expect 2 "$WARPLENS" sql 'SELECT 1'
says 'give a trace'
expect 3 "$WARPLENS" sql nosuch.sqlite 'SELECT 1'
expect 3 "$WARPLENS" sql SELECT 'SELECT 1'

# A file is read whole or not at all.
{ echo 'SELECT 7;' && head -c $(((1 << 20) - 10)) /dev/zero | tr '\0' '\n'; } >full.sql
{ cat full.sql && echo; } >long.sql
expect 2 "$WARPLENS" sql t.sqlite '.read long.sql'
says '.read long.sql: it has more than 1048576 bytes'
silent
expect 0 "$WARPLENS" sql t.sqlite '.read full.sql'
prints 7

# EXPLAIN says nothing of where things are in memory.
expect 0 "$WARPLENS" sql t.sqlite 'EXPLAIN SELECT * FROM StringIds'
prints vtab
! grep -q 'vtab:' out || fail "EXPLAIN shows an address: $(grep vtab: out)"

# Formats: csv for programs, others as everywhere.
expect 0 "$WARPLENS" sql t.sqlite -f table 'SELECT name, sum FROM kernels'
prints ' us'
expect 0 "$WARPLENS" sql t.sqlite -f json 'SELECT name, sum FROM kernels'
python3 -B -c 'import json, sys; d = json.load(open("out")); assert d["columns"][1]["type"] == "duration", d; assert d["rows"]' ||
	fail "JSON of sql"
expect 0 "$WARPLENS" sql t.sqlite -o r.md 'SELECT name, sum FROM kernels'
grep -q '^| ' r.md || fail '-o r.md is no Markdown'
expect 2 "$WARPLENS" sql t.sqlite -o t.sqlite 'SELECT 1'
expect 0 "$WARPLENS" sql t.sqlite -n 1 -c 'SELECT name FROM kernels'
[[ $(wc -l <out) == 2 ]] || fail "-n 1: $(wc -l <out) lines"
expect 0 python3 -B "$here/support/tty.py" "$WARPLENS" sql t.sqlite 'SELECT name, sum FROM kernels'
prints ' us'

# Statuses: SQL and selections 2, no data 5, time and memory 6.
expect 2 "$WARPLENS" sql t.sqlite 'SELECT * FROM kernles'
says 'did you mean kernels?'
expect 2 "$WARPLENS" sql t.sqlite 'SELECT * FROM kernels WHERE gpu = 99'
says '--gpu 99'
expect 2 "$WARPLENS" sql t.sqlite 'DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL'
says 'read-only'
expect 5 "$WARPLENS" sql "$(fixture no_gpu)" 'SELECT * FROM kernels'
expect 6 "$WARPLENS" sql t.sqlite --timeout 0.2 "$endless"
says 'stopped after 0.2 s, its time limit; select less, or raise it with --timeout (0: none)'
expect 0 "$WARPLENS" sql t.sqlite --timeout 0 'SELECT 1'
expect 0 "$WARPLENS" help sql --long
prints '60 s'
expect 6 "$WARPLENS" sql t.sqlite --memory 60MB \
	'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT group_concat(x) FROM (SELECT x FROM c ORDER BY -x)'
says 'memory'
expect 0 "$WARPLENS" sql t.sqlite --rows 2 'SELECT * FROM (VALUES (1), (2), (3))'
says '2 rows shown, there are more'
expect 0 "$WARPLENS" sql t.sqlite --rows 3 'SELECT * FROM (VALUES (1), (2), (3))'
! grep -q 'there are more' err || fail 'more than all rows'
expect 2 "$WARPLENS" sql t.sqlite --gpu 0 'SELECT 1'
says 'write it in SQL'

# One function on long texts ends within the limit.
expect 0 timeout 20 "$WARPLENS" sql t.sqlite --timeout 10s \
	"SELECT instr(printf('%.*c', 900000, 'a'), printf('%.*c', 450000, 'a') || 'b') AS at"
[[ $(tail -n 1 out) == 0 ]] || fail "instr: $(cat out)"

# A signal ends a query, with its status.
python3 -B - "$WARPLENS" "$endless" <<'END' || fail 'SIGINT'
import signal, subprocess, sys, time
p = subprocess.Popen([sys.argv[1], "sql", "t.sqlite", sys.argv[2]], stderr=subprocess.PIPE)
time.sleep(0.5)
p.send_signal(signal.SIGINT)
_, err = p.communicate(timeout=60)
assert p.returncode == 130 and err == b"warplens: sql: stopped\n", (p.returncode, err)
END

# Only columns of tables that the statement names are suggested.
expect 2 "$WARPLENS" sql t.sqlite 'SELECT nope'
! grep -q 'did you mean\|there are' err || fail "a column of no table: $(cat err)"
expect 2 "$WARPLENS" sql t.sqlite 'SELECT nothing_like_it FROM kernels'
says 'no such column: nothing_like_it; there are name, '
expect 2 "$WARPLENS" sql t.sqlite 'SELECT nam FROM kernels'
grep -q 'did you mean name?' err || fail "a column of a verb: $(cat err)"
expect 2 "$WARPLENS" sql t.sqlite 'SELECT k.strat FROM CUPTI_ACTIVITY_KIND_KERNEL AS k'
grep -q 'did you mean start?' err || fail "a column of a raw table: $(cat err)"

# Several statements, dot commands: from a pipe, an operand, -c. Results follow each other.
for how in "echo 'SELECT 1+1 AS a; SELECT 3 AS b' | \"\$0\" sql t.sqlite" "\"\$0\" sql t.sqlite 'SELECT 1+1 AS a; SELECT 3 AS b;'" \
	"\"\$0\" sql t.sqlite -c 'SELECT 1+1 AS a;SELECT 3 AS b'"; do
	expect 0 bash -c "$how" "$WARPLENS"
	[[ $(tr '\n' ' ' <out) == 'a 2  b 3 ' ]] || fail "two results: $(cat out)"
done
expect 0 "$WARPLENS" sql t.sqlite -f json 'SELECT 1 AS a; SELECT 2 AS b'
python3 -B - <<'END' || fail "two JSON documents: $(cat out)"
import json
text, docs = open("out").read(), []
while text.strip():
    doc, end = json.JSONDecoder().raw_decode(text.lstrip())
    docs.append(doc["rows"])
    text = text.lstrip()[end:]
assert docs == [[{"a": 1}], [{"b": 2}]], docs
END
expect 0 "$WARPLENS" sql t.sqlite -f jsonl 'SELECT 1 AS a; SELECT 2 AS b'
[[ $(tr '\n' ' ' <out) == '{"a":1} {"b":2} ' ]] || fail "two results, jsonl: $(cat out)"
expect 2 "$WARPLENS" sql t.sqlite -f html 'SELECT 1 AS a; SELECT 2 AS b'
says 'a page shows one'
status=0
"$WARPLENS" sql t.sqlite -o one.csv 'SELECT 1 AS a; SELECT 2 AS b' 2>err || status=$?
[[ $status == 2 ]] && grep -q -- "-o has the first" err || fail "-o of two results: $(cat err)"
rm one.csv
# A failure ends them: what is before it is printed, what is behind it is not run.
status=0
"$WARPLENS" sql t.sqlite 'SELECT 1 AS a; SELECT nam FROM kernels; SELECT 3 AS c' >out 2>err || status=$?
[[ $status == 2 && $(tr '\n' ' ' <out) == 'a 1 ' ]] || fail "before a failure: $(cat out)"
grep -q 'did you mean name?' err || fail "a failure: $(cat err)"
for text in .tables '.tables *ern*' '.schema kernels' .help .functions; do
	expect 0 "$WARPLENS" sql t.sqlite "$text"
	cp out want
	expect 0 bash -c 'echo "$1" | "$0" sql t.sqlite' "$WARPLENS" "$text"
	same out want "$text from a pipe"
	[[ -s want ]] || fail "$text prints nothing"
done
expect 2 "$WARPLENS" sql t.sqlite .tabels
says 'did you mean .tables?'
expect 0 bash -c 'printf ".mode jsonl\nSELECT 1 AS a;\n.mode csv\nSELECT 2 AS b" | "$0" sql t.sqlite' "$WARPLENS"
[[ $(tr '\n' ' ' <out) == '{"a":1}  b 2 ' ]] || fail ".mode: $(cat out)"
expect 0 bash -c 'printf ".once a.csv\nSELECT 1 AS a;\n.once b.json\nFROM kernels LIMIT 1" | "$0" sql t.sqlite' "$WARPLENS"
[[ $(tr '\n' ' ' <a.csv) == 'a 1 ' && -s b.json && ! -s out ]] || fail ".once: $(cat out)"
rm a.csv b.json

# Several traces, a job, an index.
expect 0 "$WARPLENS" sql t.sqlite u.sqlite 'SELECT DISTINCT trace FROM kernels ORDER BY 1'
[[ $(tail -n +2 out | tr '\n' ' ') == 't u ' ]] || fail "traces: $(cat out)"
expect 0 "$WARPLENS" sql t.sqlite u.sqlite \
	'SELECT (SELECT count(*) FROM t.CUPTI_ACTIVITY_KIND_KERNEL), (SELECT count(*) FROM u.CUPTI_ACTIVITY_KIND_KERNEL)'
expect 0 "$WARPLENS" sql t.sqlite 'SELECT * FROM kernels'
cp out want
expect 0 "$WARPLENS" index t.sqlite
expect 0 "$WARPLENS" sql t.sqlite 'SELECT * FROM kernels'
same out want 'with an index'
mkdir job
python3 -B "$here/support/gen_trace.py" --ranks 2 --layers 2 --iters 3 --seed 1 --split -o job/ >gen.log || fail "$(cat gen.log)"
expect 0 "$WARPLENS" kernels job -f csv --columns name,device,sum
cp out want
expect 0 "$WARPLENS" sql job 'SELECT name, device, sum FROM kernels'
same out want 'a job'
expect 0 "$WARPLENS" sql --job job/*.sqlite -c 'SELECT DISTINCT rank FROM ranks ORDER BY 1'
[[ $(wc -l <out) == 3 ]] || fail "ranks of a job: $(cat out)"
# The rows of a job of files are of none of its files alone; those side by side have their names.
expect 0 "$WARPLENS" sql job/*.sqlite -c 'SELECT DISTINCT trace FROM ops'
[[ $(tail -n 1 out) == job ]] || fail "the name of a job: $(cat out)"
expect 0 "$WARPLENS" sql --separate job/*.sqlite -c 'SELECT DISTINCT trace FROM ops'
[[ $(wc -l <out) == 3 ]] && ! grep -qx job out || fail "names side by side: $(cat out)"

# A raw table of a job is of one file, which the answer says; of all files there is nothing to say.
mapfile -t schemas < <(cd job && for f in *.sqlite; do echo "${f%%.*}" | tr -c '[:alnum:]\n' _; done)
raw=CUPTI_ACTIVITY_KIND_KERNEL
expect 0 "$WARPLENS" sql job "SELECT count(*) FROM $raw"
tr -s ' \n' ' ' <err | grep -q "$raw comes from ${schemas[0]} only, one of 2 files" || fail "raw table of a job: $(cat err)"
expect 0 "$WARPLENS" sql job "SELECT max(start) FROM ${schemas[1]}.$raw"
tr -s ' \n' ' ' <err | grep -q "$raw comes from ${schemas[1]} only" || fail "raw table of the second file: $(cat err)"
expect 0 "$WARPLENS" sql job "SELECT start FROM ${schemas[0]}.$raw UNION ALL SELECT start FROM ${schemas[1]}.$raw"
! grep -q 'alone' err || fail "raw tables of all files: $(cat err)"
expect 0 "$WARPLENS" sql job "WITH $raw(x) AS (SELECT count(*) FROM ops) SELECT x FROM $raw"
! grep -q 'alone' err || fail "no raw table: $(cat err)"

# No file is changed or left behind.
ls >before
expect 0 "$WARPLENS" sql t.sqlite 'CREATE TEMP TABLE big AS SELECT * FROM ops; SELECT count(*) FROM big'
ls | diff before - || fail 'files came or went'
# --- names and parameters that a statement has wrong ------------------------------------------------
expect 2 "$WARPLENS" sql t.sqlite 'SELECT l.key FROM launches l JOIN ops o ON o.key = l.op'
says 'no such column: l.key; there are call, op, name'
expect 2 "$WARPLENS" sql t.sqlite 'SELECT o.kei FROM launches l JOIN ops AS o ON o.key = l.op'
says 'no such column: o.kei; did you mean key?'
for table in ops launches nvtx_ranges kernels; do
	expect 2 "$WARPLENS" sql t.sqlite "SELECT count(*) FROM $table WHERE \"window\" LIKE 'steady'"
	says '"window" is a parameter and takes one value'
done
# overlap and ranks have a column of that name, too.
for table in overlap ranks; do
	for comparison in LIKE GLOB '<>' IS 'IS NOT'; do
		expect 2 "$WARPLENS" sql t.sqlite "SELECT count(*) FROM $table WHERE \"window\" $comparison 'steady'"
		says '"window" is a parameter and takes one value'
	done
done
expect 2 "$WARPLENS" sql t.sqlite "SELECT * FROM ops WHERE duration LIKE '1 ms'"
says 'warplens: ops: duration is in nanoseconds: write 1000000'
# --- launches by process, by the statement in the help of launch ------------------------------------
expect 0 "$WARPLENS" help launch --long
statement=$(tr -s ' \n' ' ' <out | sed -n 's/.*sql TRACE "\([^"]*\)".*/\1/p')
[[ $statement == 'SELECT pid, '* ]] || fail "help launch: no statement: $statement"
# launches FILE...: as many as launch --by device has, also where a graph launch starts many kernels.
launches() {
	for trace; do
		of_gpus=$("$WARPLENS" launch "$trace" --by device -f csv | awk -F, 'NR > 1 { n += $2 } END { print n + 0 }')
		of_pids=$("$WARPLENS" sql "$trace" "$statement" | awk -F, 'NR > 1 { n += $2 } END { print n + 0 }')
		[[ $of_gpus -gt 0 && $of_pids == "$of_gpus" ]] || fail "$trace: $of_pids launches by process, $of_gpus by device"
	done
}
launches "$WARPLENS_FIXTURES"/{tiny,steps,graphs,serving,two_ranks,libraries}.sqlite
for name in instant-ngp-cudagraph-nodes nersc-sc22-nobroadcast-clockskew nsys-ai-h100-2gpu-1s; do
	[[ -e ${WARPLENS_SHARED:-}/corpus/$name ]] || continue
	zstd -dqfo real.sqlite "$WARPLENS_SHARED/corpus/$name/trace.sqlite.zst"
	launches real.sqlite
done

expect 0 "$WARPLENS" sql t.sqlite "SELECT count(*) > 0 AS some FROM ops WHERE trace LIKE 't%'"
prints 1
finish
