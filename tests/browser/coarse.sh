#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# coarse.sh - a page that has pictures instead of all events, in a real browser: see coarse.mjs. Needs what browser.sh says.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
# shellcheck source=tests/support/browser.sh
. "$here/support/browser.sh"
browser_room
cd "$work"
export HOME=$work
python3 -B "$here/support/gen_trace.py" -o run.sqlite --ranks 2 --layers 12 --iters 30 --seed 1 >/dev/null 2>&1
expect 0 "$WARPLENS" viewer run.sqlite -o whole.html
expect 0 "$WARPLENS" viewer run.sqlite -o coarse.html --max-size "$(($(stat -c %s whole.html) - 20000))"
timeout 200 node "$room/coarse.mjs" "$(command -v chromium)" coarse.html whole.html || fail "coarse.mjs: see above"
finish
