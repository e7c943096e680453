#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# completion.sh - the completions that the program prints are those that are installed; another shell is refused.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
cd "$work"
made=${WARPLENS_BUILD:?}/generated/completions
for pair in bash:warplens.bash zsh:_warplens fish:warplens.fish; do
	expect 0 "$WARPLENS" completion "${pair%%:*}"
	same out "$made/${pair#*:}" "completion ${pair%%:*}"
done
expect 0 "$WARPLENS" completion bash
bash -n out || fail "bash does not read it"
grep -q 'completion)' out || fail "completion does not complete itself"
for shell in "" tcsh "bash zsh"; do
	# shellcheck disable=SC2086 # words
	expect 2 "$WARPLENS" completion $shell
	grep -q 'usage: warplens completion bash|zsh|fish' err || fail "completion $shell: $(cat err)"
done
finish
