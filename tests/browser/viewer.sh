#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# viewer.sh - the page of viewer and serve in a real browser: viewer.mjs uses it, viewer_truth.mjs compares what it
# shows with what the program says. Needs what browser.sh says, and poppler-utils.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
# shellcheck source=tests/support/browser.sh
. "$here/support/browser.sh"
browser_room pdftotext
cd "$work"
export HOME=$work
python3 -B "$here/support/gen_trace.py" -o run.sqlite --ranks 2 --layers 4 --iters 16 --osrt 20 --straggler 1:1.15 \
	--slow-iter 7:1.3 >/dev/null 2>&1
python3 -B "$here/support/hostile.py" make h.sqlite
expect 0 "$WARPLENS" viewer run.sqlite -o run.html
expect 0 "$WARPLENS" viewer h.sqlite -o evil.html
serve_page run.sqlite
chromium=$(command -v chromium)
timeout 200 node "$room/viewer_truth.mjs" "$chromium" "$WARPLENS" run.sqlite run.html "$url" >truth 2>&1 &
beside=$!
timeout 200 node "$room/viewer.mjs" "$chromium" run.html evil.html "$url" || fail "viewer.mjs: see above"
wait $beside && status=0 || status=$?
cat truth
[[ $status == 0 ]] || fail "viewer_truth.mjs: see above"
timeout 120 node "$room/viewer_frames.mjs" "$chromium" run.html 6000 40 50 || fail "viewer_frames.mjs: see above"
kill $server
wait $server && stopped=0 || stopped=$?
[[ $stopped == $((128 + 15)) ]] || fail "serve: ended with $stopped: $(tail -n 3 served)"
finish
