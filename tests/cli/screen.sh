#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# screen.sh - summary fits a screen of 24 lines and 80 columns; -v, --all and --section show what it leaves out.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
# shellcheck source=tests/support/screen.sh
. "$(dirname "$0")/../support/screen.sh"

for trace in "$fixtures"/*.sqlite; do
	fits "$trace"
done
gen() {
	python3 -B "$here/support/gen_trace.py" "${@:2}" --iters 5 -o "$work/$1.sqlite" >/dev/null
	fits "$work/$1.sqlite"
}
gen train --ranks 4 --layers 4 --straggler 2:1.15
gen serving --serving --ranks 2 --layers 4
gen moe --moe --ranks 8 --layers 4
((n_fit >= 10)) || fail "only $n_fit traces have a summary"

# What is left out is not lost: GPUs that are alike have no rows, and -v has the tables.
cd "$work"
expect 0 "$WARPLENS" moe.sqlite
prints 'Where a step goes: '
prints ' steps and 8 GPUs'
omits 'of the window'
prints 'Next: warplens findings moe.sqlite'
omits 'By GPU'
for all in -v --all --verbose; do
	expect 0 "$WARPLENS" moe.sqlite "$all"
	prints 'By GPU'
	prints 'Streams'
	prints '%) on GPU'
done
expect 0 "$WARPLENS" summary moe.sqlite --section streams
prints 'Stream'
expect 0 "$WARPLENS" summary moe.sqlite --section busy -f csv
[[ $(wc -l <out) == 61 ]] || fail 'not 60 parts'
# A job has a row per group of ranks: those that wait for another are one.
job() { # NAME OPTIONS... - a file per rank
	mkdir "$1"
	python3 -B "$here/support/gen_trace.py" "${@:2}" --split --layers 2 --iters 5 -o "$1" >/dev/null
	fits "$work/$1"
	expect 0 "$WARPLENS" "$1"
}
job eight --ranks 8 --hosts 2 --straggler 3:1.2
[[ $(grep -c '^0-2,4-7 .* waits for rank 3$' out) == 1 && $(grep -c '^3 .* slow GPU' out) == 1 ]] || fail 'not a row for 7 ranks that wait'
prints 'Next: warplens findings eight'
expect 0 "$WARPLENS" eight -v
prints 'By rank'
job mesh --mesh tp=2,pp=2,dp=1 --hosts 2
omits 'of the window'
job many --ranks 20 --straggler 13:1.2
[[ $(grep -c '^0-12,14-19 .* waits for rank 13$' out) == 1 && $(grep -c '^13 .* slow GPU' out) == 1 ]] || fail 'not the rows of 20 ranks'
# The last line can be pasted: with names that need quotes, selections, and files of a job.
cp train.sqlite 'my run.sqlite'
mkdir -p with-a-long-name-that-fills-the-line/of-one-run kept
cp many/*.sqlite with-a-long-name-that-fills-the-line/of-one-run
mv with-a-long-name-that-fills-the-line/of-one-run/rank9.sqlite kept
"$WARPLENS" facts eight/*.sqlite -o kept/facts >/dev/null
for words in "'my run.sqlite' --gpu 2" eight 'eight/*.sqlite' 'moe.sqlite --window iter:1..2' 'eight/rank[0-5].sqlite' \
	'with-a-long-name-that-fills-the-line/of-one-run/*.sqlite kept/*.sqlite'; do
	eval "expect 0 \"\$WARPLENS\" $words"
	sed -n '/^Next: /,$s/^\(Next: \)\{0,1\}//p' out >pasted
	grep -q '^warplens findings' pasted || fail "$words: no command to paste"
	warplens() { "$WARPLENS" "$@"; }
	# shellcheck source=/dev/null
	(. ./pasted) >out || fail "$words: the command cannot be pasted: $(cat pasted)"
	grep -q '^1 ' out || fail "$words: the command does not list findings"
done
# Files that are all of a directory are named by it; it stands for no others.
expect 0 "$WARPLENS" eight/*.sqlite
prints 'Next: warplens findings eight'
omits '--job'
expect 0 "$WARPLENS" eight/rank[0-6].sqlite
prints 'Next: warplens findings --job eight/rank0.sqlite eight/rank1.sqlite'
(cd eight && "$WARPLENS" ./*.sqlite) | grep -q '^Next: warplens findings \.$' || fail 'the current directory is not named'
expect 0 "$WARPLENS" kept/facts/*.wlfacts
prints 'Next: warplens findings kept/facts'
# One budget per screen says of what it is; JSON has one of each of two kinds. The times of steps are
# those of iters: all but the first and the last.
python3 -B "$here/support/gen_trace.py" --serving --ranks 2 --layers 4 --iters 40 -o served.sqlite >/dev/null
expect 0 "$WARPLENS" served.sqlite
prints ', mean of 38 steps and 2 GPUs'
"$WARPLENS" summary served.sqlite --section budget -f json >budget.json
"$WARPLENS" iters served.sqlite -f json -n 0 >iters.json
python3 - <<'END' || fail 'served: the budgets are not those of the steps'
import json
parts, steps = (json.load(open(name))["rows"] for name in ("budget.json", "iters.json"))
last = max(r["iter"] for r in steps)
steps = [r for r in steps if 0 < r["iter"] < last]
kinds = sorted({r["kind"] for r in steps}, key=lambda k: -sum(r["kind"] == k for r in steps))
for column, chosen in (("time", kinds), ("first", kinds[:1]), ("second", kinds[1:2])):
    periods = [r["period"] for r in steps if r["kind"] in chosen]
    total, mean = sum(r[column] for r in parts), sum(periods) / len(periods)
    assert abs(total - mean) <= len(parts), (column, total, mean)
assert parts[0]["steps"] == len(steps) / 2, (parts[0], len(steps))
END
# The line on what was not recorded, once.
expect 0 "$WARPLENS" train.sqlite
[[ $(grep -c 'cpuctxsw' out) == 1 ]] || fail 'the flag is not there once'
finish
