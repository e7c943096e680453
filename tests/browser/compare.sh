#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# compare.sh - the page of two traces in a real browser, from a file and from a server: see compare.mjs. Needs what
# browser.sh says, and poppler-utils.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
# shellcheck source=tests/support/browser.sh
. "$here/support/browser.sh"
browser_room pdftotext
cd "$work"
export HOME=$work
python3 -B "$here/support/gen_trace.py" -o a.sqlite --ranks 2 --layers 3 --iters 12 >/dev/null 2>&1
python3 -B "$here/support/plant.py" sync a.sqlite b.sqlite --length 2ms >/dev/null
expect 0 "$WARPLENS" viewer a.sqlite b.sqlite -o both.html
"$WARPLENS" diff a.sqlite b.sqlite -f json >diff.json
serve_page a.sqlite b.sqlite
timeout 300 node "$room/compare.mjs" "$(command -v chromium)" both.html "$url" diff.json b.sqlite.truth.json ||
	fail "compare.mjs: see above"
finish
