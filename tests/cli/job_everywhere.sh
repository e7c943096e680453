#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# job_everywhere.sh - what is more than a table takes the directory of a job like a trace: report, timeline,
# tree, viewer, serve, export, diff, baseline.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
gen=$WARPLENS_SOURCE/tests/support/gen_trace.py
cd "$work"
mkdir even late state
for twin in 'even' 'late --straggler 2:1.3'; do
	read -ra options <<<"$twin"
	python3 "$gen" -o "${options[0]}" --split --ranks 4 --hosts 2 --layers 2 --iters 8 --seed 3 "${options[@]:1}" >/dev/null
done
python3 "$gen" -o late.sqlite --ranks 4 --layers 2 --iters 8 --seed 3 --straggler 2:1.3 >/dev/null
export XDG_STATE_HOME=$work/state

# --- pages ---------------------------------------------------------------------------------------
expect 0 "$WARPLENS" report late -o r
expect 0 "$WARPLENS" ranks late -f csv
cmp -s "$work/out" r/tables/ranks.csv || fail 'the report has no table of ranks'
grep -qF 'waits for rank 2' r/report.html || fail 'the report does not say why ranks wait'
grep -qE 'Rank 2 \(GPU 2\) runs the same kernels [0-9.]+% slower than the others: all kernels' r/report.html || fail 'the report does not name the straggler'
expect 0 "$WARPLENS" viewer late -o v.html
grep -q '<script type="application/x-b64">' v.html || fail 'the viewer has no data'
for rank in 0 1 2 3; do
	grep -q "rank $rank" v.html || fail "the viewer has no rank $rank"
done

# --- terminals -----------------------------------------------------------------------------------
for verb in timeline tui; do
	expect 0 "$WARPLENS" $verb late --snapshot 100x30
	[[ $(wc -l <out) == 30 ]] || fail "$verb: $(wc -l <out) lines"
	prints 'late'
done
expect 0 "$WARPLENS" timeline late --snapshot 100x30 --script 'h'
prints 'Help'

# --- a server ------------------------------------------------------------------------------------
: >served.err
"$WARPLENS" serve late --port 0 >served 2>served.err &
server=$!
for _ in $(seq 100); do
	cat served* 2>/dev/null | grep -q "http://" && break
	sleep 0.1
done
url=$(cat served served.err | grep -o 'http://[^ ]*' | head -n 1)
python3 - "$url" <<'END' || fail "serve: no page of the job at \"$url\""
import sys, urllib.request
page = urllib.request.urlopen(sys.argv[1], timeout=20).read().decode()
assert "late" in page, page[:200]
END
kill "$server"
wait "$server" || true

# --- other tools ---------------------------------------------------------------------------------
# A row per operation: as many as the job in one file has, with the same names and times of their own.
expect 0 "$WARPLENS" export late -o job.jsonl
expect 0 "$WARPLENS" export late.sqlite -o one.jsonl
python3 - <<'END' || fail 'export: other operations than of the job in one file'
import json
def rows(path):
    return sorted((r["device"], r["name"], r["dur"]) for r in map(json.loads, open(path)) if "device" in r)
job, one = rows("job.jsonl"), rows("one.jsonl")
assert job and job == one, (len(job), len(one))
END
# The generator puts one row of profiler overhead into each file: three slices more than in one file.
slices() { # TRACE
	"$WARPLENS" export "$1" -o t.pftrace 2>&1 | grep -o 'slices [0-9]*,' | tr -dc 0-9
}
[[ $(slices late) == $(($(slices late.sqlite) + 3)) ]] || fail 'export: not the slices of the job in one file'

# --- comparison ----------------------------------------------------------------------------------
expect 0 "$WARPLENS" diff even late
prints 'Rank 2 (GPU 2) computes'
expect 0 "$WARPLENS" diff late late.sqlite -f json
expect 0 "$WARPLENS" baseline tag even even --dir kept
expect 0 "$WARPLENS" baseline list --dir kept -f csv
prints 'even'
WARPLENS_BASELINE_DIR=kept expect 0 "$WARPLENS" diff baseline:even late
prints 'Rank 2 (GPU 2) computes'
finish
