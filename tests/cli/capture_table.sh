#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# capture_table.sh - the table of docs/capture.md has each case that the tests of captures run, and no other. That its
# numbers hold is checked by the runs themselves.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
cd "$here/.."
sed -nE "s/^[[:space:]]*row (['\"])([^'\"]+)\\1 .*/\\2/p" tests/cli/capture.sh tests/soak/capture.sh tests/soak/launchers.sh | sort -u >"$work/run"
sed -n '/^## How a capture can end/,/^## What recording/p' docs/capture.md | sed -nE 's/^\| ([^|]+) \|.*/\1/p' |
	grep -v '^Case$' | sort >"$work/told"
n_checks=$(wc -l <"$work/run")
[[ $n_checks -ge 45 ]] || fail "only $n_checks cases found in the tests"
same "$work/run" "$work/told" 'cases of the tests and of docs/capture.md'
finish
