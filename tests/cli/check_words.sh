#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check_words.sh - what tools/check-words must refuse, and what it must accept.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
faults=0
# file PATH TEXT: a tree with this one file
file() {
	rm -rf "${room:?}"/*
	mkdir -p "$room/$(dirname "$1")"
	printf '%b' "$2" >"$room/$1"
}
# refuses PART PATH TEXT EXPECTED: one fault, at that line and with that phrase
refuses() {
	file "$2" "$3"
	if said=$("$root/tools/check-words" "$room" "$1"); then
		echo "accepted: $3"
		exit 1
	fi
	echo "$said" | grep -qF -- "$2:$4" || { echo "expected '$2:$4', got: $said"; exit 1; }
	faults=$((faults + 1))
}
accepts() {
	file "$2" "$3"
	"$root/tools/check-words" "$room" "$1" >"$room/said" || { echo "refused: $(cat "$room/said")"; exit 1; }
}
refuses documents README.md 'One.\n\nWhoever asks\ntwice.\n' '3: "Whoever"'
refuses documents docs/a.md 'A phrase once\nand for all.\n' '1: "once and for all"'
refuses documents docs/definitions/b.md '| a | b |\n|---|---|\n| x | it cannot know |\n' '3: "cannot know"'
refuses documents CONTRIBUTING.md 'It takes 15 % more.\n' '1: "15 %"'
refuses documents docs/a.md 'Fine. Of the parts, one is large.\n' '1: "Of the parts,"'
refuses documents docs/a.md '# What is not recorded is empty\n' '1: "What is not recorded is"'
refuses documents docs/a.md 'It says `x`, and is\ntold. It ends.\n' '1: "is told"'
refuses manual man/a.1 '.\\" a comment\n.Dl warplens\n.Sh NAME\nIt is drawn\n.Em anew .\n' '5: "anew"'
refuses headers src/base/a.h '/* SPDX */\n/*\n * a.h - for whom it may concern.\n */\n' '3: "whom"'
refuses headers tools/a '#!/bin/sh\n# SPDX\n# a ROOT - mends a tree.\n' '3: "mends"'
refuses program src/a.c 'f("it knows " /* of */\n  "less than before");\n' '1: "knows less"'
refuses program src/a.def 'X(a, "n is " "none")\n' '1: "is none"'
refuses program src/a.c 'int x;\nf("%" PRIu64 " rows, %.1f %% of all", n);\n' '2: "%.1f %%"'
refuses comments tests/a.py '"""A page\nis made anew."""\n' '2: "anew"'
refuses comments bench/a.c 'int x; /* hence */\n' '1: "hence"'
refuses contracts src/a.h '/* Sorted likewise. */\n' '1: "likewise"'
refuses contracts tests/a.h 'int a; /* Of the GPUs, the first. */\n' '1: "Of the GPUs,"'
refuses contracts src/a.h '/*\n * A name;\n * nobody reads it.\n */\n' '3: "nobody"'
refuses contracts src/a.h '/* NULL where it is none. */\n' '1: "is none"'
refuses page web/a.js "const a = /['\"]/;\nf('view of last time');\n" '2: "of last time"'
refuses page web/a.js 'f(`${n} rows, it is told`);\n' '1: "is told"'
refuses page web/page.html '<script>let x = 1;</script>\n<b title="Draw it anew">x</b>\n' '2: "anew"'
accepts documents docs/a.md 'It recommends `anew` and tells ranks apart.\n\n```\nwhoever\n```\n'
accepts documents docs/a.md '| instead of | write |\n|---|---|\n| mended | fixed |\n\nWhat is a step? It is 15% long.\n'
file docs/decisions/0001-a.md 'Whoever.\n'
echo 'Plain.' >"$room/README.md"
"$root/tools/check-words" "$room" documents | grep -q '^1 files, 0 phrases'
if "$root/tools/check-words" "$room" page >/dev/null; then
	echo "accepted a part without files"
	exit 1
fi
accepts manual man/a.1 '.\\" generated: verbs\nTell what.\n.\\" end of verbs\n.Bd -literal\nanew\n.Ed\nIt works unless told otherwise.\n'
accepts program src/a.c '/* "whoever" */\n#include "whom.h"\nchar c = '"'\"'"'; f("amended: %d%% of it");\n'
accepts contracts src/a.h '/* NULL where there is none. Rows are told apart by key; "likewise". */\nint nobody;\n'
accepts page web/a.js '// whoever\nconst r = x / 2; /* anew */ f("plain");\n'
echo "$faults faults refused"
