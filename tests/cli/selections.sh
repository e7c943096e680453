#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# selections.sh - what a window or a list matches is the same for every verb: anything that was
# recorded, whichever tables the verb itself reads, with an index and without.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
cp "$(fixture apart)" "$work/a.sqlite"
cp "$(fixture apart)" "$work/b.sqlite"
cd "$work"
expect 0 "$WARPLENS" index b.sqlite

part=('--window 1us..2us' '--window 3us..4us' '--window 5us..6us' '--window 7us..8us' '--pid 100' '--pid 200'
	'--pid 300' '--pid 400')
slip=('--window 9us..10us' '--pid 99')
while read -r verb wants; do
	for words in "${part[@]}"; do
		read -ra argv <<<"$words"
		good=0
		[[ ! $verb =~ ^(iters|mfu|roofline|metrics|memory|io|mpi|nccl|graphs|stacks|sync)$ ]] || good=5 # no steps, no report, no such rows
		# The file, and the whole run: selections are refused.
		[[ ! $verb =~ ^(info|schema)$ && ! "$verb $words" =~ ^whatif.*--pid ]] || good=2
		expect $good "$WARPLENS" "$verb" ${wants:+"$wants"} a.sqlite "${argv[@]}"
	done
	for words in "${slip[@]}"; do
		read -ra argv <<<"$words"
		expect 2 "$WARPLENS" "$verb" ${wants:+"$wants"} a.sqlite "${argv[@]}"
	done
done < <(verbs)
for verb in kernels api nvtx osrt; do
	for words in "${part[@]}" "${slip[@]}" '--gpu 0' '--stream 14' '--window +0s..+1us' '--window +6us..' '--window +8us..'; do
		read -ra argv <<<"$words"
		status=0
		"$WARPLENS" "$verb" a.sqlite "${argv[@]}" -f json >want 2>want.err || status=$?
		expect $status "$WARPLENS" "$verb" b.sqlite "${argv[@]}" -f json
		sed -i 's/a\.sqlite/b.sqlite/g' want want.err
		same out want "$ran"
		same err want.err "$ran: stderr"
	done
done

# An empty answer says that it is one of a part, and a slip what there is of all kinds.
expect 0 "$WARPLENS" api a.sqlite --window 1us..2us
prints 'note: no rows in the window'
expect 0 "$WARPLENS" kernels a.sqlite --pid 400
prints 'note: no rows in the selection'
expect 0 "$WARPLENS" kernels a.sqlite --where 'calls > 1'
omits 'note: no rows'
expect 2 "$WARPLENS" api a.sqlite --window 9us..10us
says 'the trace runs from 0.001 ms to 0.008 ms'
expect 2 "$WARPLENS" kernels a.sqlite --pid 99
says 'the trace has processes 100, 200, 300 and 400'
expect 0 "$WARPLENS" osrt a.sqlite --window 1us..20us
prints 'the window exceeds the trace (0.001 ms to 0.008 ms)'

# The GPU that the others wait for is named, selected or not, and so are its kernels' times.
python3 -B "$WARPLENS_SOURCE/tests/support/gen_trace.py" -o slow.sqlite --ranks 4 --layers 4 --iters 8 \
	--straggler 2:1.15 --seed 1 >/dev/null
expect 0 "$WARPLENS" findings slow.sqlite --gpu 0 -f json
prints 'GPU 2 (not selected) is slow: all kernels take 1.15 times as long'
finish
