#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# firefox.sh - the page of viewer in Firefox ESR: it opens, draws, moves and counts as it does elsewhere; see firefox.py.
# Needs Debian's firefox-esr; without it the script is skipped.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
# shellcheck source=tests/support/browser.sh
. "$here/support/browser.sh"
command -v firefox-esr >/dev/null || skip "no firefox-esr"
cd "$work"
export HOME=$work
python3 -B "$here/support/gen_trace.py" -o run.sqlite --ranks 2 --layers 2 --iters 6 >/dev/null 2>&1
expect 0 "$WARPLENS" viewer run.sqlite -o run.html
timeout 240 python3 -B "$here/browser/firefox.py" "$(command -v firefox-esr)" "$WARPLENS" run.sqlite run.html ||
	fail "firefox.py: see above"
finish
