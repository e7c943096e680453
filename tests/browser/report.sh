#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# report.sh - pages of warplens in a real browser: see pages.mjs. Needs what browser.sh says, and poppler-utils.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
# shellcheck source=tests/support/browser.sh
. "$here/support/browser.sh"
browser_room pdftotext
cd "$work"
export HOME=$work
python3 -B "$here/support/gen_trace.py" -o eight.sqlite --ranks 8 --layers 4 --iters 12 --straggler 3:1.15 \
	--slow-iter 7:1.3 >/dev/null 2>&1
python3 -B "$here/support/hostile.py" make h.sqlite
expect 0 "$WARPLENS" report eight.sqlite -o eight
expect 0 "$WARPLENS" report h.sqlite -o evil --marker 're:(?s).*' --title '"><script>alert(1)</script><img src=x onerror=alert(2)>'
expect 0 "$WARPLENS" report "$fixtures/tiny.sqlite" -o tiny
expect 0 "$WARPLENS" tree eight.sqlite -f html -o tree.html
expect 0 "$WARPLENS" ask eight.sqlite 'how long is a step' -f html -o ask.html
timeout 300 node "$room/pages.mjs" "$(command -v chromium)" eight/report.html evil/report.html tiny/report.html tree.html ask.html ||
	fail "see above"
finish
