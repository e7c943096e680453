#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# timeline_threads.sh - the number of threads changes nothing on a screen. Under ThreadSanitizer a race between what draws
# and what still loads ends with another status.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
fixture steps >/dev/null
mkdir "$work/state" "$work/home"
export XDG_STATE_HOME=$work/state HOME=$work/home

for name in steps two_ranks stacks memory; do
	for screen in 'timeline' 'timeline|v v Down Down Tab e' 'tui' 'tui|Down Right Down Enter'; do
		argv=("${screen%%|*}" "$fixtures/$name.sqlite" --snapshot 100x40)
		[[ $screen != *'|'* ]] || argv+=(--script "${screen#*|}")
		expect 0 "$WARPLENS" "${argv[@]}" -j1
		cp "$work/out" "$work/one"
		expect 0 "$WARPLENS" "${argv[@]}" -j8
		same "$work/out" "$work/one" "$ran"
	done
done
# Two traces side by side load at once.
expect 0 "$WARPLENS" timeline "$fixtures/steps_before.sqlite" "$fixtures/steps_after.sqlite" --snapshot 100x40 -j8
finish
