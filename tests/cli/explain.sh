#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# explain.sh - the pages of findings, and the commands that findings suggest.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
: "${WARPLENS_SOURCE:?the source tree}"
cd "$work"

# One line for each rule, and a page behind it that fits a terminal and has all its parts.
expect 0 "$WARPLENS" explain
quiet
narrow out
sed -n '/^Findings:$/,/^Other/p' out | sed '1d;$d' | awk '{ print $1 }' >codes
for kind in verbs columns terms kernels; do
	prints "  $kind "
done
sed -n 's/^WL_RULE(\(.*\))/\1/p' "$WARPLENS_SOURCE/src/findings/findings.def" | tr _ - >rules
same codes rules 'a line of "explain" for each rule'
while read -r code; do
	expect 0 "$WARPLENS" explain "$code"
	quiet
	narrow out
	[[ $(head -n 1 out) == "$code" ]] || fail "explain $code: another page"
	for part in Cause Confirm Fix Verify; do
		grep -qx "$part" out || fail "explain $code: no part $part"
	done
	prints '    $ warplens diff before.sqlite after.sqlite'
	prints '  Before:'
	prints '  After:'
	omits '```'
done <codes
expect 2 "$WARPLENS" explain lunch-bound
says 'nothing is known about "lunch-bound"; did you mean launch-bound?'
silent
expect 2 "$WARPLENS" explain xyzzy
says '"warplens explain" lists what is'
expect 2 "$WARPLENS" explain launch-bound straggler
says 'usage: warplens explain [WORD]'

# Other words: verbs, columns, terms, tables of exports and kernels, all within a terminal's width.
for word in idle p99 kernels.sum straggler 'Exposed communication' globalTid StringIds gap LL128 \
	ncclDevKernel_AllReduce_Sum_f32_RING_LL nvjet_tst_128x256_64x4_2x1_v_bz_coopA_NNT my_kernel; do
	expect 0 "$WARPLENS" explain "$word"
	quiet
	narrow out
	omits '**'
done
prints 'Its library is not known'
expect 0 "$WARPLENS" explain nvjet_tst_128x256_64x4_2x1_v_bz_coopA_NNT
prints 'A kernel of cuBLAS.'
prints '- tile: 128x256'

# A page of docs: tables as items, and commands that run as they are printed.
expect 0 "$WARPLENS" explain why-numbers-differ
quiet
narrow out
prints '  - GPU busy above 100% (nsys-ai). There: sum of kernel times.'
omits '|'
sed -n '/^In SQL$/,$s/^    //p' out >page.commands
fixture steps >/dev/null
sed "s|^warplens sql TRACE|'$WARPLENS' sql '$fixtures/steps.sqlite'|" page.commands >page.script
(($(grep -c " sql '" page.script) == 3)) || fail 'not three commands of SQL'
expect 0 bash -e page.script
expect 0 "$WARPLENS" ask any.sqlite 'why do the numbers differ from nsys stats?'
prints 'Why numbers differ from other tools'

# A command of a finding runs as it is printed, whatever the name of the trace: from JSON, and from
# the screen, where it takes several lines.
commands() { # FILE: the evidence of each finding on a screen, each as lines of a script
	awk '/^   Check  / { sub(/^   Check  /, ""); on = 1 }
		on { print; if ($0 !~ /\\$/) on = 0 }' "$1"
}
mkdir .bin
ln -s "$WARPLENS" .bin/warplens
export PATH=$work/.bin:$PATH
n=0
for name in steps waits two_ranks serving streams graphs; do
	fixture "$name" >/dev/null
	cp "$fixtures/$name.sqlite" "it's $name.sqlite"
	expect 0 "$WARPLENS" findings --all "it's $name.sqlite" -f jsonl
	python3 -c 'import json, sys
for line in sys.stdin: print(json.loads(line)["evidence"])' <out >evidence
	expect 0 "$WARPLENS" findings --all "it's $name.sqlite" -n 0
	commands out >screen
	# What is split on the screen is one line in JSON.
	sed -e ':a' -e '/\\$/ { N; s/ \\\n */ /; ta' -e '}' screen >joined
	same joined evidence "commands of $name"
	while read -r line; do
		expect 0 bash -c "$line"
		n=$((n + 1))
	done <evidence
	expect 0 bash -e screen
done
((n > 20)) || fail "only $n commands"
# The selection comes along.
mv "it's steps.sqlite" run.sqlite
expect 0 "$WARPLENS" findings --all run.sqlite --gpu 0 --window iter:2..4 -f md
prints 'warplens findings run.sqlite --window iter:2..4 --gpu 0..1 looks at all'
# Links of a page are their texts.
expect 0 "$WARPLENS" explain straggler
omits ']('
prints 'replays'
finish
