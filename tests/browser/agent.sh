#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# agent.sh - the page of serve in a real browser, moved by another program: see agent.mjs. Needs what browser.sh says.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
# shellcheck source=tests/support/browser.sh
. "$here/support/browser.sh"
browser_room
cd "$work"
export HOME=$work
python3 -B "$here/support/gen_trace.py" -o run.sqlite --ranks 2 --layers 4 --iters 16 >/dev/null 2>&1
serve_page run.sqlite
timeout 100 node "$room/agent.mjs" "$(command -v chromium)" "$url" || fail "agent.mjs: see above"
finish
