#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# demo.sh - the trace that the program carries: small, never over another file, and shown as it is.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
cd "$work"

expect 0 "$WARPLENS" demo
cp out walk
size=$(stat -c %s warplens-demo.sqlite)
((size <= 200000)) || fail "warplens-demo.sqlite has $size bytes"
[[ ! -s err ]] || fail "demo printed on standard error"
(($(wc -L <walk) <= 80)) || fail "demo prints $(wc -L <walk) columns"

# --- each command prints, run by hand, what the walk shows --------------------------------------
grep '^\$ warplens ' walk | cut -c3- >commands
(($(wc -l <commands) == 4)) || fail "$(wc -l <commands) commands are shown"
while read -r _ words; do
	# shellcheck disable=SC2086 # words are words
	expect 0 "$WARPLENS" $words
	# The block after the command, without the line that parts them.
	awk -v command="$ warplens $words" '$0 == command { on = 1; getline; next } on' walk | head -n "$(wc -l <out)" >shown
	same out shown "$words"
done <commands

# --- what it says is true: GPU 1 was made slower, and step 5 begins after a pause of 3 ms --------
expect 0 "$WARPLENS" findings warplens-demo.sqlite -f jsonl
head -n 1 out | grep -q '"code":"straggler".*GPU 1' || fail "finding 1: $(head -n 1 out)"
expect 0 "$WARPLENS" gaps warplens-demo.sqlite -f csv -n 1 --columns duration
tail -n 1 out | grep -q '^31[0-9]\{5\}$' || fail "the longest gap: $(tail -n 1 out)"

# --- nothing is overwritten ----------------------------------------------------------------------
echo mine >mine.sqlite
ln -s nowhere link.sqlite
for file in mine.sqlite link.sqlite; do
	expect 6 "$WARPLENS" demo -o "$file"
	grep -q 'File exists; -o FILE writes elsewhere' err || fail "demo -o $file: $(cat err)"
done
[[ $(cat mine.sqlite) == mine && ! -e nowhere ]] || fail "demo wrote over a file"
# A second time, the walk is shown again.
expect 0 "$WARPLENS" demo
sed 's/^wrote /showing /' walk >again
same out again 'a second demo'
expect 0 "$WARPLENS" demo -o other.sqlite
cmp -s other.sqlite warplens-demo.sqlite || fail "two demos differ"
expect 2 "$WARPLENS" demo mine.sqlite
expect 6 "$WARPLENS" demo -o no/such/dir.sqlite
finish
