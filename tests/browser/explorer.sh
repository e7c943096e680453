#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# explorer.sh - the schema explorer in a real browser: see pages.mjs for any page, and explorer.mjs for what this one
# does. Needs what browser.sh says, and poppler-utils.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
# shellcheck source=tests/support/browser.sh
. "$here/support/browser.sh"
browser_room pdftotext
cd "$work"
export HOME=$work
python3 -B "$here/support/gen_trace.py" -o run.sqlite --ranks 2 --layers 2 --iters 4 --osrt 20 --graph node \
	--schema 2026.4 >/dev/null 2>&1
python3 -B "$here/support/hostile.py" make h.sqlite
cp h.sqlite '<img src=x onerror=alert(1)>.sqlite'
expect 0 "$WARPLENS" schema run.sqlite --html run.html
expect 0 "$WARPLENS" schema '<img src=x onerror=alert(1)>.sqlite' --html evil.html
timeout 300 node "$room/pages.mjs" "$(command -v chromium)" run.html evil.html || fail "pages.mjs: see above"
timeout 300 node "$room/explorer.mjs" "$(command -v chromium)" run.html evil.html || fail "explorer.mjs: see above"
finish
