#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# ranges.sh - NVTX ranges on the page, and what is known of them and of gaps: see ranges.mjs. Needs what browser.sh says.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
# shellcheck source=tests/support/browser.sh
. "$here/support/browser.sh"
browser_room
cd "$work"
export HOME=$work
python3 -B "$here/support/gen_trace.py" -o train.sqlite --ranks 2 --layers 6 --iters 6 --straggler 1:1.15 >/dev/null 2>&1
expect 0 "$WARPLENS" viewer train.sqlite -o train.html
timeout 200 node "$room/ranges.mjs" "$(command -v chromium)" "$WARPLENS" . || fail "ranges.mjs: see above"
finish
