#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# export.sh - "warplens export": formats and files, what it tells, what it refuses, and that it harms nothing.
# What is in the files, the oracles check.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
cd "$work"
[[ -n $fixtures ]] || { echo "no fixtures"; exit 77; }
cp "$fixtures/steps.sqlite" "$fixtures/two_ranks.sqlite" "$fixtures/no_gpu.sqlite" "$fixtures/waits.sqlite" .

# --- the ending chooses the format, and -f overrides it -----------------------------------------
expect 0 "$WARPLENS" export steps.sqlite -o a.pftrace
silent
says "export: a.pftrace: "
says "slices"
head -c1 a.pftrace | od -An -tx1 | grep -q 0a || fail "a.pftrace does not begin with a packet"
expect 0 "$WARPLENS" export steps.sqlite -o a.pftrace.gz
gzip -dc a.pftrace.gz | cmp - a.pftrace || fail "a.pftrace.gz holds other bytes"
expect 0 "$WARPLENS" export steps.sqlite -o a.trace.json
python3 -c 'import json; assert json.load(open("a.trace.json"))["traceEvents"]' || fail "no Chrome JSON"
expect 0 "$WARPLENS" export steps.sqlite -f chrome -o b.json
cmp a.trace.json b.json || fail "-f chrome differs from .trace.json"
expect 0 "$WARPLENS" export steps.sqlite -o a.csv
expect 0 "$WARPLENS" export steps.sqlite -f csv
cmp out a.csv || fail "standard output and file differ"
expect 0 "$WARPLENS" export steps.sqlite -o a.json
python3 -c 'import json; assert json.load(open("a.json"))["rows"]' || fail "no JSON rows"
expect 0 "$WARPLENS" export steps.sqlite -o a.jsonl
[[ $(wc -l <a.jsonl) -eq $(($(wc -l <a.csv) - 1)) ]] || fail "jsonl and csv have other rows"

# --- the same trace gives the same bytes, on any number of threads ------------------------------
for j in 1 2 4; do
	expect 0 "$WARPLENS" export steps.sqlite -j $j -o c.pftrace
	cmp a.pftrace c.pftrace || fail "other bytes with -j $j"
done
expect 0 "$WARPLENS" export steps.sqlite -f perfetto -o /dev/stdout
cmp out a.pftrace || fail "/dev/stdout differs"

# --- less of it ----------------------------------------------------------------------------------
expect 0 "$WARPLENS" export steps.sqlite -o w.pftrace --window iter:1 --flows none --args none
[[ $(stat -c %s w.pftrace) -lt $(stat -c %s a.pftrace) ]] || fail "a window is not smaller"
expect 0 "$WARPLENS" export steps.sqlite -o w.csv --min-dur 1s
[[ $(wc -l <w.csv) -eq 1 ]] || fail "--min-dur 1s left operations"

expect 2 "$WARPLENS" export steps.sqlite -f csv --rank 77
says "the trace has ranks 0 and 1"

# --- a file per rank -----------------------------------------------------------------------------
expect 0 "$WARPLENS" export two_ranks.sqlite -o r.pftrace.gz --split rank
[[ -s r.rank0.pftrace.gz && -s r.rank1.pftrace.gz && ! -e r.pftrace.gz ]] || fail "--split rank: $(ls)"
expect 0 "$WARPLENS" export two_ranks.sqlite -o r.csv --split rank
expect 0 "$WARPLENS" export two_ranks.sqlite -f csv
[[ $(tail -qn +2 r.rank0.csv r.rank1.csv | wc -l) -eq $(tail -n +2 out | wc -l) ]] || fail "ranks do not add up"

# --- call stacks: the ending, standard output and -f say the same; what does not apply ------------
cp "$fixtures/stacks.sqlite" .
expect 0 "$WARPLENS" export stacks.sqlite -o s.folded
says "s.folded: 8 call stacks, 62 us"
expect 0 "$WARPLENS" export stacks.sqlite -f folded
cmp out s.folded || fail "-f folded differs from .folded"
expect 0 "$WARPLENS" export stacks.sqlite --during all -o s.speedscope.json
python3 -c 'import json; assert sum(p["endValue"] for p in json.load(open("s.speedscope.json"))["profiles"]) == 69000' || fail "no speedscope JSON"
expect 5 "$WARPLENS" export steps.sqlite -f folded
says "has no call stacks"
silent
expect 2 "$WARPLENS" export stacks.sqlite -f csv --during all
says "--during is for folded and speedscope"
expect 2 "$WARPLENS" export stacks.sqlite -f folded --min-dur 1us
says "does not apply"

# --- what is not there ---------------------------------------------------------------------------
expect 0 "$WARPLENS" export no_gpu.sqlite -o n.pftrace
expect 5 "$WARPLENS" export no_gpu.sqlite -f csv
says "has no GPU operations"
silent

# --- what it refuses -----------------------------------------------------------------------------
expect 2 "$WARPLENS" export steps.sqlite
says "no output given"
expect 2 "$WARPLENS" export steps.sqlite -o x.unknown
says "the ending chooses the format"
expect 2 "$WARPLENS" export steps.sqlite -f perfetto
says "no output file"
expect 2 "$WARPLENS" export steps.sqlite -f table
says "export writes perfetto, chrome, "
expect 2 "$WARPLENS" export steps.sqlite -o x.pftrace --sort name
says "does not apply"
expect 2 "$WARPLENS" export steps.sqlite -f csv --flows all
says "perfetto and chrome"
expect 2 "$WARPLENS" export steps.sqlite -f csv -o x.csv.gz
says "gzip"
expect 2 "$WARPLENS" export steps.sqlite two_ranks.sqlite -o x.pftrace
says "do not prove to be one job"
expect 2 "$WARPLENS" export two_ranks.sqlite --split rank -f csv
says "give the files' name"
expect 2 "$WARPLENS" export two_ranks.sqlite --split rank --rank 0 -o x.csv
says "leave out --rank"
expect 5 "$WARPLENS" export waits.sqlite --split rank -o x.csv
says "ranks"
expect 2 "$WARPLENS" export steps.sqlite -o steps.sqlite -f perfetto
says "this is the trace itself"
try "$WARPLENS" export steps.sqlite -o steps.sqlite/x.pftrace
[[ $status == 6 ]] || fail "$ran: exit status $status"
[[ ! -e x.pftrace && ! -e x.csv ]] || fail "a refused export left a file"

# --- a full disk is told ---------------------------------------------------------------------------
for file in x.pftrace x.trace.json x.csv; do
	ln -sf /dev/full $file
	try "$WARPLENS" export steps.sqlite -o $file
	[[ $status == 6 ]] || fail "$ran on a full disk: exit status $status"
	rm -f $file
done
# --- a file that may not grow leaves nothing behind ------------------------------------------------
mkdir small && cd small
cp ../steps.sqlite .
status=0
(ulimit -f 1; exec "$WARPLENS" export steps.sqlite -f json -o x.json) >../out 2>../err || status=$?
[[ $status == 6 ]] || fail "ulimit -f: exit status $status"
[[ $(ls -A) == steps.sqlite ]] || fail "ulimit -f left: $(ls -A)"
cd ..

# --- what is written of a trace is for those who may read it ------------------------------------
mkdir modes
cp "$fixtures/steps.sqlite" modes/open.sqlite
cp "$fixtures/steps.sqlite" modes/own.sqlite
chmod 644 modes/open.sqlite
chmod 600 modes/own.sqlite
(
	umask 022
	for name in open own; do
		"$WARPLENS" export "modes/$name.sqlite" -o "modes/$name.pftrace" && "$WARPLENS" export "modes/$name.sqlite" -o "modes/$name.csv" &&
			"$WARPLENS" report "modes/$name.sqlite" -o "modes/$name" && "$WARPLENS" report "modes/$name.sqlite" -o "modes/$name.html" &&
			"$WARPLENS" viewer "modes/$name.sqlite" -o "modes/$name.page.html" && "$WARPLENS" kernels "modes/$name.sqlite" -o "modes/$name.json" &&
			"$WARPLENS" sql "modes/$name.sqlite" 'SELECT 1 AS n' -o "modes/$name.tsv" &&
			"$WARPLENS" diff modes/open.sqlite "modes/$name.sqlite" -o "modes/$name.diff.md"
	done
	umask 077
	"$WARPLENS" export modes/open.sqlite -o modes/umask.csv
) >/dev/null 2>&1 || fail "the files of private traces were not written"
for file in pftrace csv html page.html json tsv diff.md; do
	[[ $(stat -c %a "modes/open.$file") == 644 ]] || fail "open.$file has mode $(stat -c %a "modes/open.$file")"
	[[ $(stat -c %a "modes/own.$file") == 600 ]] || fail "own.$file has mode $(stat -c %a "modes/own.$file")"
done
[[ $(stat -c %a modes/open/report.html modes/open/tables/kernels.csv) == $'644\n644' ]] || fail "modes of an open report"
[[ -z $(find modes/own -type f -perm /077) ]] || fail "a report of a private trace: $(find modes/own -type f -perm /077)"
[[ $(stat -c %a modes/umask.csv) == 600 ]] || fail "the umask does not hold"

finish
