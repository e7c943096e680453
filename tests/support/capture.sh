# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# capture.sh - captures with the real nsys, for cli.capture and soak.capture: sourced after cli.sh.
#
# Sets $nsys (2023.4) and $old (2022.4, may be empty) and compiles $program; exit status 77 where there is
# no nsys. Each run has a tag in its environment, which every process inherits: what has the tag when a run
# is over is an orphan.
root=$here/..
nsys_dir=${WARPLENS_NSYS_DIR:-$root/build/nsys}
n_retries=0 n_runs=0 tag=
runs=$work/runs

# shellcheck disable=SC2034 # for the scripts
old=$(ls "$nsys_dir"-bookworm/usr/lib/*/nsight-systems/target-linux-*/nsys 2>/dev/null || :)
nsys=$("$here/support/real_nsys" "$nsys_dir" 2>"$work/err") || {
	echo "skipped: no nsys (no network?)"
	exit 77
}
program=$work/captured
cc -O1 -I"${nsys%/*}/nvtx/include" "$here/cli/capture/captured.c" -o "$program" -ldl -pthread || {
	echo "skipped: no compiler for the program to be recorded"
	exit 77
}

# tagged: pids with the tag of the last run that are alive.
tagged() {
	local path
	for path in $(grep -lzxF "WL_TAG=$tag" /proc/[0-9]*/environ 2>/dev/null); do
		grep -q '^State:[[:space:]]*[ZX]' "${path%environ}status" 2>/dev/null || basename "${path%/environ}"
	done
}

# begin ARGUMENTS...: start "warplens capture ARGUMENTS" in the background; $capture is its pid.
begin() {
	n_runs=$((n_runs + 1))
	tag=$$-$n_runs-$RANDOM
	ran="capture $*"
	rm -rf "$runs"
	# a shell lets its background jobs ignore SIGINT
	WL_TAG=$tag setsid env --default-signal=INT "$WARPLENS" capture --nsys "${with:-$nsys}" --dir "$runs" --open none "$@" \
		>"$work/out" 2>"$work/err" </dev/null &
	capture=$!
}

# until_running: the program of the capture runs; until_text TEXT: something was printed. 20 s at most.
until_running() {
	local i
	for ((i = 0; i < 200; i++)); do
		for pid in $(tagged); do
			[[ $(readlink "/proc/$pid/exe") != "$program" ]] || return 0
		done
		sleep 0.1
	done
	fail "$ran: the program does not run"
}
until_text() {
	local i
	for ((i = 0; i < 400; i++)); do
		! grep -qF -- "$1" "$work/out" "$work/err" || return 0
		sleep 0.05
	done
	fail "$ran: never printed \"$1\""
}

# end: wait for the capture; sets $status, $reports (whole ones by name), $orphans and checks what holds
# for every run.
end() {
	local path
	status=0
	wait "$capture" || status=$?
	sleep 0.2
	orphans=$(tagged | wc -l)
	reports=0
	[[ $orphans == 0 ]] || fail "$ran: $orphans orphans: $(for p in $(tagged); do tr '\0' ' ' <"/proc/$p/cmdline"; echo; done | head -n 3)"
	for path in "$runs"/*/nsys/*.nsys-rep; do
		[[ -e $path ]] || continue
		reports=$((reports + 1))
		! grep -aqF "recorded $path" "$work/err" || whole "$path"
	done
	manifest
}

# manifest: a run that was begun has one, with its exit status and the sums of its reports.
manifest() {
	local run
	for run in "$runs"/*/; do
		[[ ! -d $run || -w $run/.. ]] || continue
		[[ ! -d $run ]] || grep -qE 'disk is full|no room' "$work/err" || python3 -c '
import hashlib, json, os, sys
run, status = sys.argv[1], int(sys.argv[2])
m = json.load(open(run + "manifest.json"))
text = json.dumps(m)
for name in os.listdir(run + "nsys"):
    if name.endswith((".nsys-rep", ".sqlite")):
        assert hashlib.sha256(open(run + "nsys/" + name, "rb").read()).hexdigest() in text, name' "$run" "$status" ||
			fail "$ran: no sound manifest in $run"
	done
}

# whole REPORT: what was called recorded can be exported by nsys, and its export is beside it and sound.
whole() {
	"${with:-$nsys}" export --type sqlite -q true -f true -o "$work/again.sqlite" "$1" >"$work/export" 2>&1 ||
		fail "$ran: $1 cannot be exported: $(tail -n 1 "$work/export")"
	python3 -c '
import sqlite3, sys
tables = []
for path in sys.argv[1:]:
    db = sqlite3.connect(path)
    assert db.execute("pragma integrity_check").fetchone()[0] == "ok", path
    names = [r[0] for r in db.execute("select name from sqlite_master where type = \"table\" and name not like \"META%\" order by 1")]
    tables.append({n: db.execute(f"select count(*) from \"{n}\"").fetchone()[0] for n in names})
assert tables[0] == tables[1], (tables[0], tables[1])' "${1%.nsys-rep}.sqlite" "$work/again.sqlite" ||
		fail "$ran: the export of $1 is not sound"
}

# documented NAME: the run came to what the table of docs/capture.md says of this case. A cell is a number, "1 or 2", or
# "not 0".
documented() {
	local line cell i=0
	line=$(grep -F "| $1 |" "$root/docs/capture.md") || {
		fail "$1: docs/capture.md does not have this case"
		return
	}
	for cell in "$(cut -d '|' -f 3 <<<"$line")" "$(cut -d '|' -f 4 <<<"$line")"; do
		[[ $i == 0 ]] && is=$status || is=$reports
		i=1
		[[ " $cell " == *" $is "* && $cell != *not* ]] || [[ $cell == *'not 0'* && $is != 0 ]] ||
			fail "$1: docs/capture.md says$cell, and it is $is"
	done
}

# row NAME STATUS REPORTS [TEXT]: what the last run should have come to, and does in docs/capture.md. A line of the table.
row() {
	local good=ok before=$n_bad
	documented "$1"
	n_checks=$((n_checks + 1))
	[[ $status == "$2" ]] || fail "$1: $ran: exit status $status, not $2"
	[[ $reports == "$3" ]] || fail "$1: $ran: $reports reports, not $3"
	[[ -z ${4:-} ]] || grep -aqF -- "$4" "$work/err" || fail "$1: $ran: no \"$4\" on stderr"
	[[ $n_bad == "$before" && $orphans == 0 ]] || good=FAIL
	printf '| %-44s | %6s | %7s | %7s | %4s |\n' "$1" "$status" "$reports" "$orphans" "$good" >>"$work/table"
}

# again COMMAND...: a run that nsys spoiled by itself is repeated, three times at most, and counted.
again() {
	local try
	for try in 1 2 3; do
		"$@"
		grep -qE 'Local Endpoint|Agent launcher failed|did not start the program' "$work/err" || return 0
		[[ $try == 3 ]] || n_retries=$((n_retries + 1))
	done
}

# recorded PROCESSES THREADS: how many have NVTX ranges in the report of the last run.
recorded() {
	local got
	got=$(python3 -c '
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
print(*db.execute("select count(distinct globalTid >> 24), count(distinct globalTid) from NVTX_EVENTS where text in (\"worker\", \"step\")").fetchone())' "$runs"/*/nsys/run.sqlite)
	[[ $got == "$1 $2" ]] || fail "$ran: processes and threads with ranges: $got, not $1 $2"
}

simply() {
	begin "$@"
	end
}

table() {
	printf '| %-44s | %6s | %7s | %7s | %4s |\n' case status reports orphans ''
	echo '|---|---|---|---|---|'
	cat "$work/table"
	echo "$n_runs captures, $n_retries repeated because nsys failed by itself"
}
