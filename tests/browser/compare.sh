#!/usr/bin/env bash
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
"$WARPLENS" serve a.sqlite b.sqlite >address 2>served &
server=$!
trap 'tidied=$?; kill $server 2>/dev/null || true; rm -rf "$work"; exit $tidied' EXIT
for ((i = 0; i < 300; i++)); do
	grep -q 'ready' served && break
	sleep 0.1
done
timeout 300 node "$room/compare.mjs" "$(command -v chromium)" both.html "$(head -n 1 address)" diff.json b.sqlite.truth.json ||
	fail "compare.mjs: see above"
finish
