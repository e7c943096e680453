#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# forms.sh - a verb with an option that makes it another one prints what the other prints, for every form that the
# program lists.
#
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
cd "$work"
python3 -B "$here/support/gen_trace.py" -o run.sqlite --ranks 2 --layers 2 --iters 5 --seed 1 >/dev/null
echo '{"forward": ["forward"]}' >phases.json
"$WARPLENS" --introspect >introspect.json
python3 -B - "$WARPLENS" <<'END'
import json, subprocess, sys

top = json.load(open("introspect.json"))
NO_TRACE = {"agent-guide"}
SKIPPED = {"tui", "facts", "baseline", "viewer", "runs", "roofline"}  # these write files or a screen, or read others: below


def run(*words):
    done = subprocess.run([sys.argv[1], *words], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


n = 0
for verb in top["verbs"]:
    for form in verb["forms"]:
        if form["is"] in SKIPPED:
            continue
        if form["option"] is None:  # a first operand: the trace itself
            assert form["value"] == "TRACE", form
            assert run(form["verb"], "run.sqlite") == run(form["is"], "run.sqlite"), form
            n += 1
            continue
        option = ["--" + form["option"]] + ([] if form["value"] is None else ["phases.json" if form["value"] == "*" else form["value"]])
        trace = [] if form["is"] in NO_TRACE else ["run.sqlite"]
        other = option if form["value"] == "*" else []
        implied = ["--kind", "kernel"] if form["option"] == "list" and form["is"] == "ops" else []
        want = run(form["is"], *other, *implied, *trace)
        beside = [] if form["beside"] is None else ["--" + form["beside"]]
        for line in ([form["verb"], *option, *trace], [form["verb"], *trace, *option], [form["verb"], *beside, *trace, *option]):
            assert run(*line) == want, (line, run(*line)[2], want[2])
            n += 1
assert n > 50, n
END
# --- no name ever goes: verbs, their options and aliases of before ------------------------------------------
python3 -B - "$WARPLENS_SOURCE/tests/cli/kept_names.tsv" <<'END'
import json, sys

top = json.load(open("introspect.json"))
verbs = {v["name"]: v for v in top["verbs"]}
aliases = {a["name"]: v["name"] for v in top["verbs"] for a in v["aliases"]}
common = {o["long"] for o in top["options"]}
n = 0
for line in open(sys.argv[1], encoding="utf-8"):
    if line.startswith("#"):
        continue
    kind, name, rest = line.rstrip("\n").split("\t")
    if kind == "alias":
        assert aliases.get(name, name) == rest or name in verbs, f"the alias {name} of {rest}"
    elif kind == "common":
        assert set(rest.split()) <= common, sorted(set(rest.split()) - common)
    else:
        has = {x for o in verbs[name]["options"] for x in (o["long"], o["alias"])} | common | {f["option"] for f in verbs[name]["forms"]}
        assert set(rest.split()) <= has, (name, sorted(set(rest.split()) - has))
    n += 1
assert n > 140, n
END
alike() { # LINE... -- LINE...: both print the same
	local first=()
	while [[ $1 != -- ]]; do
		first+=("$1")
		shift
	done
	shift
	expect 0 "$WARPLENS" "${first[@]}"
	cp "$work/out" "$work/first"
	expect 0 "$WARPLENS" "$@"
	same "$work/out" "$work/first" "${first[*]}"
}
alike host run.sqlite -- threads run.sqlite
alike steps run.sqlite -f json -- iters run.sqlite -f json
alike kernels run.sqlite --window step:1..3 -f csv -- kernels run.sqlite --window iter:1..3 -f csv
alike timeline --tree run.sqlite --snapshot 80x24 -- tui run.sqlite --snapshot 80x24
expect 0 "$WARPLENS" export run.sqlite -f facts -o one.wlfacts
expect 0 "$WARPLENS" export run.sqlite --format=facts -o two.wlfacts
same one.wlfacts two.wlfacts "facts of export"
expect 0 "$WARPLENS" diff run.sqlite --save night --dir kept
expect 0 "$WARPLENS" diff --baselines --dir kept -f csv -q
prints night,
expect 0 "$WARPLENS" diff baseline:night run.sqlite --dir kept
expect 0 "$WARPLENS" diff --baselines show night --dir kept
prints "run.sqlite"
expect 0 "$WARPLENS" diff --baselines remove night --dir kept
expect 3 "$WARPLENS" diff baseline:night run.sqlite --dir kept
expect 0 "$WARPLENS" timeline run.sqlite -o one.html --window step:1
expect 0 "$WARPLENS" viewer run.sqlite --output=two.html --window step:1
same one.html two.html "the page of timeline"
expect 2 "$WARPLENS" timeline run.sqlite -o one.txt
says "timeline: --output does not apply"
alike info run.sqlite --section setup -f csv -- setup run.sqlite -f csv
alike whatif run.sqlite --scenarios -f csv -- whatif run.sqlite --list -f csv
alike plan run.sqlite --for nccl --launcher slurm -- coach run.sqlite --for nccl --launcher slurm
alike plan --for nccl run.sqlite -- coach run.sqlite --for nccl
page=$(echo "$WARPLENS_SOURCE"/tests/golden/roofline/*/page.csv)
alike ncu "$page" --roofline run.sqlite -f json -- roofline run.sqlite --ncu "$page" -f json
alike ncu --roofline run.sqlite "$page" -f csv -- roofline run.sqlite --ncu "$page" -f csv

# --- words of capture: runs, as long as no "--" says that a program is meant -------------------------------
mkdir -p warplens-runs
alike capture list -- runs list
alike capture list --dir warplens-runs -f csv -- runs list --dir warplens-runs -f csv
alike capture --dir warplens-runs list -- runs list --dir warplens-runs
for words in 'show gone' 'remove gone' 'compare gone away'; do
	# shellcheck disable=SC2086 # words
	try "$WARPLENS" runs $words
	cp "$work/err" "$work/first"
	was=$status
	# shellcheck disable=SC2086
	expect "$was" "$WARPLENS" capture $words
	same "$work/err" "$work/first" "capture $words"
done
mkdir bin
printf '#!/bin/sh\necho ran "$@"\n' >bin/list
chmod +x bin/list
PATH=$PWD/bin:$PATH expect 0 "$WARPLENS" capture --dry-run -- list show
prints "list show"
expect 2 "$WARPLENS" idle --list --by gpu run.sqlite
says "gaps has no --by"
expect 2 "$WARPLENS" kernels --list -x run.sqlite
says "kernels --list is ops here"
finish
