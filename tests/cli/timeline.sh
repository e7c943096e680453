#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# timeline.sh - the viewers from outside: a screen without a terminal, slips, what is kept and where.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
cp "$(fixture tiny)" "$work/t.sqlite"
cd "$work"
mkdir state home
export XDG_STATE_HOME=$work/state HOME=$work/home
unset WARPLENS_TEST

# --- a screen --------------------------------------------------------------------------------
for verb in timeline tui; do
	for size in 80x24 40x8 200x50 39x7 1x1; do
		expect 0 "$WARPLENS" $verb t.sqlite --snapshot $size
		quiet
		[[ $(wc -l <out) -eq ${size#*x} ]] || fail "$verb $size: $(wc -l <out) lines"
		python3 -c 'import sys; sys.exit(any(len(l) - 1 > int(sys.argv[1]) for l in sys.stdin))' \
			"${size%x*}" <out || fail "$verb $size: a line is too wide"
	done
	expect 0 "$WARPLENS" $verb t.sqlite --snapshot 80x24
	prints 't.sqlite'
	prints 'q quit'
	cp out one
	for options in '-j1' '-j4' '--reader sqlite'; do
		read -ra argv <<<"$options"
		expect 0 "$WARPLENS" $verb t.sqlite --snapshot 80x24 "${argv[@]}"
		same out one "$verb $options"
	done
	expect 0 "$WARPLENS" $verb t.sqlite --snapshot 80x24 --ascii
	! LC_ALL=C grep -q '[^ -~]' out || fail "$verb --ascii: more than ASCII"
	expect 0 env LC_ALL=C "$WARPLENS" $verb t.sqlite --snapshot 80x24
	! LC_ALL=C grep -q '[^ -~]' out || fail "$verb in the C locale: more than ASCII"
	expect 0 "$WARPLENS" $verb t.sqlite --snapshot 80x24 --colour
	grep -q $'\e\\[' out || fail "$verb --colour: no colours"
	expect 0 "$WARPLENS" $verb t.sqlite --snapshot 80x24 --script h
	prints 'Help'
	expect 0 "$WARPLENS" $verb t.sqlite --snapshot 80x24 --script ": 'quit'"
	prints 'Actions'
done
# Counters are shown on demand, as high as their mean, and the value at the cursor is in the details. In the fixture 1000 MB are
# in use before the first step, and 256 MB more in the middle of each.
expect 0 "$WARPLENS" timeline "$WARPLENS_FIXTURES/memory.sqlite" --snapshot 80x24
! grep -q 'mem dev' out || fail "counters are shown at first"
expect 0 "$WARPLENS" timeline "$WARPLENS_FIXTURES/memory.sqlite" --snapshot 80x24 --script 'K Down Down Down Down'
prints '▸G0 mem dev ▇'
prints 'G0 mem pin █'
prints ' 89%'
prints ' Memory, device 1.272 GB  '
expect 0 "$WARPLENS" timeline "$WARPLENS_FIXTURES/memory.sqlite" --snapshot 80x24 --script 'v v v'
prints 'mem dev'
expect 0 "$WARPLENS" timeline t.sqlite --snapshot 80x24 --script K
prints 'this trace has no counters'
# A gap names the function that the launching thread ran, as gaps --stacks does.
expect 0 "$WARPLENS" timeline "$(fixture stacks)" --snapshot 100x34 --script 'Down Down Tab'
prints ' ran format_number under step'
expect 0 "$WARPLENS" timeline "$(fixture stacks)" --snapshot 100x34 --script 'Down Down Tab e'
prints 'was in format_number under step for 43% of it'
expect 0 "$WARPLENS" tree --tui t.sqlite --snapshot 80x24
same out one 'tree --tui'
expect 0 "$WARPLENS" timeline t.sqlite t.sqlite --snapshot 100x30

# --- the map of lateness ---------------------------------------------------------------------
cp "$(fixture two_groups)" g.sqlite
expect 0 "$WARPLENS" ranks g.sqlite --by step --sort lateness -n 1 -f json
name=$(python3 -c 'import json
r = json.load(open("out"))["rows"][0]
print("%s, step %d:" % ("GPU %d" % r["device"] if r["rank"] is None else "rank %d" % r["rank"], r["step"]))')
for size in 40x8 80x24 200x50; do
	expect 0 "$WARPLENS" timeline g.sqlite --snapshot $size --script l
	[[ $(wc -l <out) -eq ${size#*x} ]] || fail "the map at $size: $(wc -l <out) lines"
done
prints 'Lateness by rank and step'
prints "$name"
expect 0 "$WARPLENS" timeline g.sqlite --snapshot 120x30 --script 'l Enter'
prints "$name"
! grep -q 'Lateness by rank and step' out || fail "Enter leaves the map open"
expect 0 "$WARPLENS" timeline t.sqlite --snapshot 80x24 --script l
prints 'no rank is late in a step'

# --- times are those of the window that was given ------------------------------------------------------
for how in 'abs --trim 0.000003 0.000020' 'abs --window 3us..20us' 'rel --window +1us..+5us' 'rel --window iter:0' 'rel'; do
	read -r clock window <<<"$how"
	read -ra argv <<<"$window"
	expect 0 "$WARPLENS" timeline t.sqlite --snapshot 80x24 --marker kernel:gemm "${argv[@]}"
	prints "TIME $clock"
done

# --- slips -----------------------------------------------------------------------------------
wrong() { # TEXT ARGS... - exit status 2, one line with the text
	local text=$1
	shift
	expect 2 "$WARPLENS" "$@"
	silent
	says "$text"
}
wrong 'timeline: this needs a terminal; --snapshot 80x24 prints the screen as text' timeline t.sqlite
wrong 'tui: this needs a terminal' tui t.sqlite
wrong 'give a trace, or two to compare, or the files of one job with --job; usage: warplens timeline TRACE [TRACE2]' timeline
wrong 'give a trace' timeline a b c --snapshot 80x24
for size in 80 x24 80x 0x5 80x24x 80x-4 99999x5 '' 1e1x5; do
	wrong 'give columns and rows, such as 80x24' timeline t.sqlite --snapshot "$size"
done
wrong '--script needs --snapshot' timeline t.sqlite --script q
wrong '--colour needs --snapshot' timeline t.sqlite --colour
wrong '--format does not apply; a viewer prints no table' timeline t.sqlite -f json --snapshot 80x24
wrong '--output does not apply; a viewer prints no table' tui t.sqlite -o x --snapshot 80x24
wrong '--script: "Hyper" is not an event' timeline t.sqlite --snapshot 80x24 --script 'q Hyper'
wrong '--view' timeline t.sqlite --snapshot 80x24 --view '{'
wrong 'this is the trace itself' timeline t.sqlite --snapshot 80x24 --bookmarks ./t.sqlite
printf 'q quit\nx no-such-action\n' >keys
wrong 'keys:2: no action "no-such-action"' timeline t.sqlite --snapshot 80x24 --keys keys
# Not a line of a file that is too long counts: the last ones would be missing.
{ echo 'F2 help' && head -c $((64 << 10)) /dev/zero | tr '\0' '\n'; } >long.keys
wrong '--keys long.keys: it has more than 65536 bytes' timeline t.sqlite --snapshot 80x24 --keys long.keys
head -c $((64 << 10)) long.keys >full.keys
expect 0 "$WARPLENS" timeline t.sqlite --snapshot 80x24 --keys full.keys
wrong 'window' timeline t.sqlite --snapshot 80x24 --window 'iter:'
expect 3 "$WARPLENS" timeline t.sqlite --snapshot 80x24 --keys no.keys
expect 3 "$WARPLENS" timeline none.sqlite --snapshot 80x24
expect 3 "$WARPLENS" timeline t.sqlite none.sqlite --snapshot 80x24
echo 'not a database' >bad.sqlite
expect 3 "$WARPLENS" timeline bad.sqlite --snapshot 80x24
expect 6 "$WARPLENS" timeline t.sqlite --snapshot 80x24 --memory 1KB

# --- keys ------------------------------------------------------------------------------------
printf '# mine\nF2 help\n' >keys
expect 0 "$WARPLENS" timeline t.sqlite --snapshot 80x24 --keys keys --script F2
prints 'Help'
expect 0 "$WARPLENS" timeline t.sqlite --snapshot 80x24 --keys perfetto

# --- state -----------------------------------------------------------------------------------
dump() { expect 0 "$WARPLENS" "$@" --dump-state; }
dump timeline t.sqlite --snapshot 80x24
python3 -m json.tool out >/dev/null || fail 'the state is not JSON'
for script in '' '+ + Down Tab' 'd Right Right B' "/ 'gemm' Enter" 'C-t' ; do
	for verb in timeline tui; do
		dump $verb t.sqlite --snapshot 80x24 --script "$script Esc"
		# Messages, what was copied and bookmarks are not part of a view.
		python3 -c '
import json, sys
d = json.load(sys.stdin)
for k in ("message", "copied", "bookmarks"): d.pop(k)
print(json.dumps(d, indent=1))' <out >state.before
		expect 0 "$WARPLENS" $verb t.sqlite --snapshot 80x24 --script "$script Esc" --print-view
		again=$(tail -n 1 out)
		[[ $again == "warplens "*" --view '{"* ]] || fail "--print-view printed: $again"
		# shellcheck disable=SC2294 # it is a command line
		eval "dump ${again#warplens } --snapshot 80x24"
		python3 -c '
import json, sys
d = json.load(sys.stdin)
for k in ("message", "copied", "bookmarks"): d.pop(k)
print(json.dumps(d, indent=1))' <out >state.after
		same state.before state.after "$verb: the printed command after '$script'"
	done
done
# A snapshot leaves nothing behind, beside the trace or elsewhere, but bookmarks that it is told to.
[[ -z $(find state home -type f) ]] || fail "a snapshot wrote $(find state home)"
expect 0 "$WARPLENS" timeline t.sqlite --snapshot 80x24 --script B --bookmarks marks.json
grep -q '"warplens_state":1' marks.json || fail 'no bookmarks were kept'
cp marks.json before
echo 'mine' >marks.json
expect 0 "$WARPLENS" timeline t.sqlite --snapshot 80x24 --script B --bookmarks marks.json
says 'bookmarks are not written'
[[ $(cat marks.json) == mine ]] || fail 'a file that is not ours was written over'
[[ -z $(find . -name 't.sqlite?*') ]] || fail 'something stands beside the trace'
finish
