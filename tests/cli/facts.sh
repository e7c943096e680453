#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# facts: files, merging in any order, what stands where a trace does, and what is refused.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() {
	echo "$*"
	exit 1
}
fixture=$WARPLENS_FIXTURES
"$WARPLENS" facts "$fixture/steps.sqlite" "$fixture/two_ranks.sqlite" "$fixture/tiny.sqlite" -o "$dir/facts" \
	--key project=p --key sha=abc >"$dir/out"
grep -q "wrote $dir/facts/steps.wlfacts (.* kB): 2 ranks, 7 steps" "$dir/out" || fail "what was written: $(cat "$dir/out")"

# Twice the same: the same bytes.
"$WARPLENS" facts "$fixture/steps.sqlite" -o "$dir/again" --key sha=abc --key project=p >/dev/null
cmp "$dir/facts/steps.wlfacts" "$dir/again/steps.wlfacts" || fail "facts depend on more than the trace"

# Any order, grouping and repetition gives the same bytes; a directory is its files.
a=$dir/facts/steps.wlfacts b=$dir/facts/two_ranks.wlfacts c=$dir/facts/tiny.wlfacts
"$WARPLENS" facts merge "$a" "$b" "$c" -o "$dir/abc" >/dev/null
"$WARPLENS" facts merge "$c" "$b" -o "$dir/cb" >/dev/null
"$WARPLENS" facts merge "$dir/cb" "$a" "$b" -o "$dir/cba" >/dev/null
"$WARPLENS" facts merge "$dir/facts" -o "$dir/all" >/dev/null
cmp "$dir/abc" "$dir/cba" && cmp "$dir/abc" "$dir/all" || fail "the order of a merge shows"
"$WARPLENS" facts merge "$a" "$a" -o "$dir/aa" >/dev/null
cmp "$a" "$dir/aa" || fail "a file merged with itself is another one"

# What is refused, and how.
expect() { # status, part of the message, arguments
	local status=$1 part=$2 got=0
	shift 2
	"$WARPLENS" "$@" >/dev/null 2>"$dir/err" || got=$?
	[ "$got" = "$status" ] && grep -q -- "$part" "$dir/err" || fail "$*: exit $got: $(cat "$dir/err")"
}
expect 2 "steps.sqlite" kernels "$a"
expect 2 "steps.sqlite" ranks "$a" --gpu 0
expect 2 "steps.sqlite" overlap "$a" --window 1us..2us
expect 2 "several traces" kernels "$dir/facts"
expect 2 "several traces" nccl "$dir/facts" --window 1us..2us
expect 2 "over everything" findings "$dir/facts" --window steady
expect 2 "counted from 0" overlap "$dir/facts" --window iter:100
expect 2 "not beside the facts" path "$dir/facts"
expect 2 "coordinates" path "$dir/facts" --by dp
expect 2 "streams and stages" overlap "$dir/facts" --by stage
for verb in ranks nccl overlap iters findings; do
	"$WARPLENS" "$verb" "$dir/facts" >/dev/null || fail "$verb of a directory of facts"
	[ "$verb" = findings ] || "$WARPLENS" "$verb" "$dir/facts" --window steady >/dev/null || fail "$verb of the steady step"
done
# Only tables that facts have are listed.
"$WARPLENS" sql "$(ls "$dir"/facts/*.wlfacts | head -n 1)" .tables >"$dir/tables" 2>/dev/null
if ! grep -qw nccl "$dir/tables" || grep -Eqw 'kernels|ops|launches' "$dir/tables"; then
	printf 'tables of facts: %s\n' "$(cat "$dir/tables")"
	bad=1
fi
"$WARPLENS" facts "$fixture/serving.sqlite" "$fixture/memory.sqlite" -o "$dir/quiet" >/dev/null
# As of the traces.
expect 5 "no collectives" nccl "$dir/quiet"
expect 2 "no single events" timeline "$a" --snapshot 80x24
expect 2 "usage" facts "$fixture/steps.sqlite"
expect 2 "project, branch" facts "$fixture/steps.sqlite" -o "$dir/x" --key secret=1
# A name that ends as facts do is a file.
mkdir -p "$dir/one"
"$WARPLENS" facts "$fixture/steps.sqlite" -o "$dir/one/f.wlfacts" >/dev/null || fail "facts in a file"
[ -f "$dir/one/f.wlfacts" ] || fail "no file f.wlfacts: $(ls -R "$dir/one")"
expect 6 "its directory does not exist" facts "$fixture/steps.sqlite" -o "$dir/new/f.wlfacts"
[ ! -e "$dir/new" ] || fail "facts made a directory for a file"
expect 2 "give a directory" facts "$fixture/steps.sqlite" "$fixture/tiny.sqlite" -o "$dir/x.wlfacts"
expect 2 "keeps the export of a report" info "$fixture/steps.sqlite" --keep-export "$dir/kept.sqlite"
expect 2 "keeps the export of a report" info "$dir/one/f.wlfacts" --keep-export "$dir/kept.sqlite"
[ ! -e "$dir/kept.sqlite" ] || fail "--keep-export wrote a file"
# Commands name what is there: the facts where these answer, else the trace beside them.
cp "$fixture/steps.sqlite" "$dir/one"
(cd "$dir" && "$WARPLENS" one/f.wlfacts >out && "$WARPLENS" findings one/f.wlfacts -f json >findings.json)
grep -q "^Next: warplens findings one/f.wlfacts" "$dir/out" || fail "next is not of the facts: $(tail -n 1 "$dir/out")"
grep -q "warplens [a-z]* one/steps.sqlite" "$dir/findings.json" || fail "evidence does not name the trace beside the facts"

# Evidence names the trace where it is: in the directory above, or where --traces says. Elsewhere there is none to paste.
evidence() { # ARGS... - to $dir/evidence, a line for each finding
	(cd "$dir" && "$WARPLENS" findings "$@" -f json >found.json)
	python3 -c 'import json, sys
for row in json.load(open(sys.argv[1]))["rows"]: print(row.get("evidence") or "")' "$dir/found.json" >"$dir/evidence"
}
mkdir -p "$dir/far/below" "$dir/else"
cp "$dir/one/f.wlfacts" "$dir/far/below"
evidence far/below/f.wlfacts
grep -q "warplens" "$dir/evidence" && fail "evidence names a trace that is not there: $(cat "$dir/evidence")"
grep -q "needs the trace steps.sqlite, which is not beside these facts; --traces DIR says where it is" "$dir/found.json" ||
	fail "no word of the trace that is missing"
evidence far/below/f.wlfacts --traces else
grep -q "which is not in else; --traces DIR" "$dir/found.json" || fail "no word of where the trace is not"
evidence far/below/f.wlfacts --traces one
grep -q "warplens [a-z]* one/steps.sqlite" "$dir/evidence" || fail "evidence is not of --traces: $(cat "$dir/evidence")"
(cd "$dir" && while read -r line; do eval "${line/#warplens/\"$WARPLENS\"}" >out || fail "$line"; done <evidence)
cp "$fixture/steps.sqlite" "$dir/far"
evidence far/below/f.wlfacts
grep -q "warplens [a-z]* far/steps.sqlite" "$dir/evidence" || fail "evidence is not of the directory above: $(cat "$dir/evidence")"
expect 3 "traces $dir/nowhere: No such file" findings "$a" --traces "$dir/nowhere"
expect 3 "it is no directory" findings "$a" --traces "$a"
expect 2 "would both write" facts "$fixture/steps.sqlite" "$fixture/../fixtures/steps.sqlite" -o "$dir/x"
# Of thousands of files it is said at once, and of several pairs the first.
mapfile -t many < <(seq -f '/nosuch/%g.sqlite' 4000)
(ulimit -t 2 && expect 2 "/nosuch/7.sqlite and /other/7.sqlite would both write" facts "${many[@]}" /other/{7,5}.sqlite -o "$dir/x")
expect 5 "no GPU operations" facts "$fixture/no_gpu.sqlite" -o "$dir/x"
head -c -100 "$a" >"$dir/cut.wlfacts"
expect 3 "damaged" ranks "$dir/cut.wlfacts"
sed '1s,warplens-facts/1,warplens-facts/9,' "$a" >"$dir/newer.wlfacts"
expect 3 "warplens facts TRACE" ranks "$dir/newer.wlfacts"
# Nor are numbers of other definitions shown, merged or loaded as if they were of these.
sed '1s/"definitions":[0-9]*/"definitions":1/' "$a" >"$dir/older.wlfacts"
expect 4 "follow definitions 1" ranks "$dir/older.wlfacts"
expect 4 "warplens facts TRACE" diff "$dir/older.wlfacts" "$a"
expect 4 "follow definitions 1" facts merge "$dir/older.wlfacts" "$a" -o "$dir/merged.wlfacts"

# A trace that cannot be read does not keep the others from being written.
echo broken >"$dir/broken.sqlite"
expect 3 "broken.sqlite" facts "$dir/broken.sqlite" "$fixture/tiny.sqlite" -o "$dir/some"
[ -s "$dir/some/tiny.wlfacts" ] && [ ! -e "$dir/some/broken.wlfacts" ] || fail "the rest was not written"

# No variable of the environment but those of the list.
if grep -qa "SECRET\|TOKEN" "$dir"/facts/*; then
	fail "an environment variable that is not in the list"
fi
"$WARPLENS" diff "$dir/facts" "$dir/all" >"$dir/out" || fail "diff of facts of several traces"
"$WARPLENS" diff -v "$a" "$dir/facts" >"$dir/out" || fail "diff of facts of one trace and of several"
grep -q "facts of several traces" "$dir/out" || fail "diff does not say what it compares: $(cat "$dir/out")"
expect 2 "hold no launches" diff "$a" "$dir/facts" --gate 'launches>1%'
expect 2 "no kernels by name" baseline tag x "$dir/facts" --dir "$dir/baselines"
for verb in info summary; do
	"$WARPLENS" "$verb" "$dir/facts" >"$dir/out" || fail "$verb of a directory of facts"
	if grep -q "no loss above" "$dir/out"; then
		fail "a summary of facts that hold no findings of communication says that nothing is lost"
	fi
done
grep -q "^Rank" "$dir/out" || fail "a summary without ranks: $(cat "$dir/out")"
"$WARPLENS" info "$dir/facts" >"$dir/out"
grep -q "not kept in facts of several traces" "$dir/out" || fail "info does not say what is left out"
expect 2 "several traces" info "$dir/facts" --section tables
"$WARPLENS" report "$dir/facts" -o "$dir/job-report" >/dev/null || fail "report of a directory of facts"
[ -s "$dir/job-report/tables/ranks.csv" ] || fail "a report of a job of facts without ranks: $(ls "$dir"/job-report/*)"
"$WARPLENS" report "$a" -o "$dir/report" >/dev/null
[ -s "$dir/report/report.md" ] || [ -n "$(ls "$dir/report")" ] || fail "no report"

# Facts are for those who may read the traces, and so is what is merged of them.
mkdir "$dir/modes"
cp "$fixture/steps.sqlite" "$dir/modes/open.sqlite"
cp "$fixture/tiny.sqlite" "$dir/modes/own.sqlite"
chmod 644 "$dir/modes/open.sqlite"
chmod 600 "$dir/modes/own.sqlite"
(umask 022 && "$WARPLENS" facts "$dir"/modes/*.sqlite -o "$dir/modes/f" && "$WARPLENS" facts merge "$dir/modes/f" -o "$dir/modes/all") >/dev/null
(umask 077 && "$WARPLENS" facts "$dir/modes/open.sqlite" -o "$dir/modes/u") >/dev/null
modes=$(cd "$dir/modes" && stat -c '%n %a' f/open.wlfacts f/own.wlfacts all u/open.wlfacts | tr '\n' ' ')
[ "$modes" = "f/open.wlfacts 644 f/own.wlfacts 600 all 600 u/open.wlfacts 600 " ] || fail "modes of facts: $modes"

# A signal leaves no unfinished file, whether it comes before one is begun or then: facts are written, or are not there.
python3 - "$WARPLENS" "$a" "$dir/stopped" <<'END' || fail "facts merge leaves a file behind after a signal"
import os, shutil, signal, subprocess, sys
program, facts, dir = sys.argv[1:]
out = dir + "/out"
os.makedirs(out)
for i in range(100):
    shutil.copy(facts, "%s/%d.wlfacts" % (dir, i))
def begun(pid):
    return any(name.endswith(".tmp") for name in os.listdir(out))
def caught(pid):
    with open("/proc/%d/status" % pid) as f:
        mask = next(line for line in f if line.startswith("SigCgt:")).split()[1]
    return int(mask, 16) >> (signal.SIGINT - 1) & 1
for is_due in begun, begun, caught, caught:
    run = subprocess.Popen([program, "facts", "merge", dir, "-o", out + "/all.wlfacts"], stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    while run.poll() is None and not is_due(run.pid):
        pass
    run.send_signal(signal.SIGINT)
    said = run.communicate()[1].decode()
    left = os.listdir(out)
    whole = run.returncode == 0 and left == ["all.wlfacts"] and not said
    assert whole or run.returncode == 130 and not left and said.count("\n") == 1, (is_due, run.returncode, said, left)
    shutil.rmtree(out)
    os.mkdir(out)
END
