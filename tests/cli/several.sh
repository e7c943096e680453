#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# several.sh - one verb on several traces: which are taken, what is refused, what becomes of a trace
# that has no data or cannot be read, and that each trace keeps its own numbers.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
tiny=$(fixture tiny)
two_ranks=$(fixture two_ranks)
no_gpu=$(fixture no_gpu)
cd "$work"
cp "$tiny" a.sqlite
cp "$two_ranks" b.sqlite
cp "$no_gpu" none.sqlite

# --- the rows of each trace are those that it has alone --------------------------------------
documents=$("$WARPLENS" --introspect | python3 -c '
import json, sys
print(*(v["name"] for v in json.load(sys.stdin)["verbs"] if v["kind"] == "document"))')
while read -r verb wants; do
	[[ " $documents " != *" $verb "* ]] || continue
	status=5
	marker_of "$verb" 're:step|forward'
	for trace in a b; do # a trace without data for the question has no rows
		"$WARPLENS" "$verb" ${wants:+"$wants"} $trace.sqlite -f json "${marker[@]}" \
			>"only.$trace" 2>/dev/null &&
			status=0 || echo null >"only.$trace"
	done
	expect $status "$WARPLENS" "$verb" ${wants:+"$wants"} a.sqlite b.sqlite -f json "${marker[@]}"
	((status == 0)) || continue
	quiet
	cp out both
	python3 - both only.a only.b <<'END' || fail "$verb: rows of several traces differ from those of each"
import json, sys
both, *each = (json.load(open(f)) for f in sys.argv[1:])
want, shift = [], 0
for name, doc in zip(("a.sqlite", "b.sqlite"), each):
    if doc is None:
        continue
    for row in doc["rows"]:
        row = {"trace": name, **row}
        if doc["columns"][0]["key"] == "id" and doc["columns"][1]["key"] == "parent":
            row["id"] += shift
            row["parent"] = row["parent"] and row["parent"] + shift
        want.append(row)
    shift += len(doc["rows"])
# An answer hides columns of what its trace does not have; the answer about both has those of either.
keys = {k for row in want for k in row}
assert all(set(row) <= keys for row in both["rows"]), keys
got = [{k: row[k] for k in alone} for row, alone in zip(both["rows"], want)]
assert got == want and len(both["rows"]) == len(want), (both["rows"], want)
assert both["rows_total"] == len(want)
if None not in each:
    assert both["trace"] == each[0]["trace"] and both["window"] == each[0]["window"]
    assert both.get("step") == each[0].get("step")
    assert both["traces"] == [{k: d[k] for k in ("trace", "window", "step") if k in d} for d in each]
END
done < <(verbs)
expect 0 "$WARPLENS" kernels a.sqlite b.sqlite -f csv
says 'a.sqlite · 1 GPU'
says 'b.sqlite · 2 GPUs'
[[ $(head -n 1 out) == trace,name,* ]] || fail "csv: the first column is not trace"
for n in 1 4; do
	expect 0 "$WARPLENS" kernels a.sqlite b.sqlite -f json -j $n
	cp out "json.$n"
done
same json.1 json.4 'several traces on one thread and on four'

# --- names -----------------------------------------------------------------------------------
mkdir x y
cp a.sqlite x/run.sqlite
cp b.sqlite y/run.sqlite
expect 0 "$WARPLENS" kernels x/run.sqlite "$PWD/b.sqlite" -f csv
prints 'run.sqlite,'
omits 'x/run.sqlite'
expect 0 "$WARPLENS" kernels x/run.sqlite y/run.sqlite -f csv
prints 'x/run.sqlite,'
prints 'y/run.sqlite,'
hostile=$'\xff\e[31m,"<b>.sqlite'
cp a.sqlite "$hostile"
for format in table csv json md html; do
	expect 0 "$WARPLENS" kernels b.sqlite "$hostile" none.sqlite -f $format
	! LC_ALL=C grep -q $'[\e\xff]' out || fail "$ran: bytes of the name get through"
done

# --- the limit is of each trace; what all say is said once -------------------------------------
expect 0 "$WARPLENS" kernels a.sqlite b.sqlite -f csv -n 1
[[ $(cut -d, -f1 out | tr '\n' ' ') == 'trace a.sqlite b.sqlite ' ]] || fail "$ran: not a row of each trace"
cp a.sqlite c.sqlite
expect 0 "$WARPLENS" kernels a.sqlite b.sqlite c.sqlite
prints '3 traces, 4 GPUs, windows of 9 us to 24 us'
omits 'a.sqlite · 1 GPU'
expect 0 "$WARPLENS" findings a.sqlite c.sqlite
[[ $(grep -c '^a.sqlite$' out) == 1 && $(grep -c '^c.sqlite$' out) == 1 ]] || fail "$ran: no list per trace"
[[ $(grep -c 'note: no steps were found' out) == 1 ]] || fail "$ran: a note of both traces is there twice"

cp "$(fixture steps)" d.sqlite
cp "$(fixture steps)" e.sqlite
expect 0 "$WARPLENS" findings --separate d.sqlite e.sqlite
[[ $(grep -c 'less than 1%' out) == 1 ]] || fail "$ran: the note on minor findings is there twice"

# --- the summary of several: a row for each ----------------------------------------------------
expect 0 "$WARPLENS" summary a.sqlite b.sqlite -f json
python3 - a.sqlite b.sqlite <<'END' || fail "$ran: rows differ from what each trace says"
import json, os, subprocess, sys
W = os.environ["WARPLENS"]
def ask(*argv):
    return json.loads(subprocess.run([W, *argv, "-f", "json"], capture_output=True, check=True).stdout)
rows = {r["trace"]: r for r in json.load(open("out"))["rows"]}
assert list(rows) == sys.argv[1:], rows
for trace in sys.argv[1:]:
    overlap, findings = ask("overlap", trace), ask("findings", trace)["rows"]
    row, window = rows[trace], sum(r["window"] for r in overlap["rows"])
    assert row["gpus"] == len(overlap["rows"]) and row["window"] == overlap["window"]["length"], row
    for part in ("compute", "exposed_comm", "exposed_copy", "idle"):
        assert abs(row[part] - sum(r[part] for r in overlap["rows"]) / window) < 1e-12, (part, row)
    assert row["code"] == (findings[0]["code"] if findings else None), row
    assert row["finding"] == (findings[0]["finding"] if findings else None), row
END
expect 0 "$WARPLENS" summary a.sqlite none.sqlite b.sqlite
prints 'note: none.sqlite: CUDA calls were recorded'
prints 'note: "warplens findings --separate" with the same traces'
cp none.sqlite nothing.sqlite
expect 5 "$WARPLENS" summary none.sqlite nothing.sqlite
says 'summary: none.sqlite: CUDA calls'
expect 2 "$WARPLENS" summary a.sqlite b.sqlite --section kernels
says 'ask for "warplens kernels"'

# --- what is refused, before a trace is read ---------------------------------------------------
wrong() { # TEXT ARGS... - exit status 2, one line with the text
	local text=$1
	shift
	expect 2 "$WARPLENS" "$@"
	silent
	says "$text"
}
wrong 'these files do not prove to be one job: neither a job id nor the time of day is recorded' info a.sqlite b.sqlite none.sqlite --section gpus
wrong 'kernels takes at most 64 traces, but 65 were given' kernels {1..65}
wrong 'kernels takes at most 64 traces, but 80 were given' kernels {1..80}
wrong 'kernels: a.sqlite is given twice' kernels a.sqlite b.sqlite a.sqlite
wrong '--keep-export: give one trace, not 2' kernels a.sqlite b.sqlite --keep-export k.sqlite
wrong 'this is a trace; give another' kernels a.sqlite b.sqlite -o b.sqlite
wrong 'this is the trace itself' kernels a.sqlite b.sqlite -o ./a.sqlite
same b.sqlite "$two_ranks" 'the trace after that'
wrong "no column 'nme'; columns: trace, name," kernels a.sqlite no_such.sqlite --sort nme
wrong "no column 'trace'; columns: name," kernels a.sqlite --sort trace
wrong 'quote a pattern that has spaces' search void gemm a.sqlite
expect 0 "$WARPLENS" kernels a.sqlite b.sqlite --sort trace,-sum --columns name,trace --where 'trace != x'
expect 0 "$WARPLENS" categories a.sqlite b.sqlite --sort category,trace --columns trace,category,elapsed,share --where 'share > 0'
expect 0 "$WARPLENS" search gemm a.sqlite b.sqlite
prints 'b.sqlite'

# --- traces that cannot answer -----------------------------------------------------------------
expect 0 "$WARPLENS" kernels none.sqlite a.sqlite
prints 'note: none.sqlite: CUDA calls were recorded, but nothing that ran on a GPU'
expect 0 "$WARPLENS" kernels a.sqlite none.sqlite -f csv
says 'note: none.sqlite: CUDA calls'
omits none
expect 0 "$WARPLENS" api a.sqlite none.sqlite --window +0..
prints 'note: none.sqlite: --window: "+" counts from the first GPU operation'
cp none.sqlite other.sqlite
expect 5 "$WARPLENS" kernels none.sqlite other.sqlite -o out.csv
silent
says 'kernels: none.sqlite: CUDA calls were recorded'
[[ ! -e out.csv ]] || fail "$ran: left a result"
expect 3 "$WARPLENS" kernels a.sqlite no_such.sqlite
silent
says 'cannot read no_such.sqlite'
echo 'not a trace' >text.sqlite
expect 3 "$WARPLENS" kernels text.sqlite a.sqlite
says 'text.sqlite is neither'
expect 2 "$WARPLENS" kernels a.sqlite b.sqlite --window nvtx:no_such_range
says 'a.sqlite: --window nvtx:no_such_range'
expect 0 "$WARPLENS" kernels a.sqlite b.sqlite --gpu 1
prints 'note: a.sqlite: --gpu 1: the trace has only GPU 0'
prints 'b.sqlite'
expect 2 "$WARPLENS" kernels a.sqlite b.sqlite --gpu 9
says 'b.sqlite: --gpu 9: the trace has GPUs 0 and 1'

# --- reports -----------------------------------------------------------------------------------
for report in r s; do
	printf 'NVIDIA Tegra Profiler Report 2023@4@4@54-234433681190v0.\n\013Local (CLI)' >$report.nsys-rep
done
cat >nsys <<END
#!/bin/sh
[ "\$1" != --version ] || { echo "NVIDIA Nsight Systems version 2023.4.4.54-234433681190v0"; exit 0; }
while [ \$# -gt 1 ]; do [ "\$1" != -o ] || out=\$2; shift; done
case \$1 in *s.nsys-rep) cp "$work/b.sqlite" "\$out" ;; *) cp "$work/a.sqlite" "\$out" ;; esac
END
chmod +x nsys
expect 0 "$WARPLENS" kernels a.sqlite b.sqlite -f csv --by name
sed -e 's/^a\.sqlite/r.nsys-rep/' -e 's/^b\.sqlite/s.nsys-rep/' out >want
expect 0 "$WARPLENS" kernels r.nsys-rep s.nsys-rep -f csv --by name --nsys ./nsys
same out want 'two reports'
[[ -z $(ls -A "$TMPDIR") ]] || fail "an export stays in TMPDIR: $(ls -A "$TMPDIR")"
expect 3 "$WARPLENS" kernels a.sqlite r.nsys-rep --nsys ./no_such_nsys
says 'r.nsys-rep'

# --- as many as are taken ----------------------------------------------------------------------
for i in {1..64}; do ln a.sqlite "many$i.sqlite"; done
expect 0 "$WARPLENS" kernels many*.sqlite -f csv --by name
[[ $(wc -l <out) == $((1 + 64 * 3)) ]] || fail "64 traces: $(wc -l <out) lines"
expect 0 "$WARPLENS" search gemm many*.sqlite -f csv
[[ -z $(ls -A "$TMPDIR") ]] || fail "something stays in TMPDIR: $(ls -A "$TMPDIR")"
finish
