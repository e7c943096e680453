#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# threads.sh - the number of threads changes no byte of an answer, and no exit status.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
fixture two_ranks >/dev/null

for trace in "$fixtures"/*.sqlite; do
	for question in 'overlap' 'overlap -f json' 'summary' 'summary -f json' 'kernels -n0' 'kernels -f csv'; do
		read -ra argv <<<"$question"
		try "$WARPLENS" "${argv[@]}" "$trace" -j1
		want=$status
		cp "$work/out" "$work/want.out"
		cp "$work/err" "$work/want.err"
		for n in 2 8; do
			expect "$want" "$WARPLENS" "${argv[@]}" "$trace" "-j$n"
			same "$work/out" "$work/want.out" "$ran"
			same "$work/err" "$work/want.err" "stderr of $ran"
		done
		# As many as CPUs.
		expect "$want" "$WARPLENS" "${argv[@]}" "$trace"
		same "$work/out" "$work/want.out" "$ran"
	done
done
# All ways to write it.
for word in '-j 64' -j=2 '--threads 3' --threads=1; do
	read -ra argv <<<"$word"
	expect 0 "$WARPLENS" "${argv[@]}" overlap "$fixtures/two_ranks.sqlite"
done
finish
