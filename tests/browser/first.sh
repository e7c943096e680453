#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# first.sh - what the page shows before it is asked, and what a click does: see first.mjs. Needs what browser.sh says.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
# shellcheck source=tests/support/browser.sh
. "$here/support/browser.sh"
browser_room
cd "$work"
export HOME=$work
python3 -B "$here/support/gen_trace.py" -o late.sqlite --ranks 4 --layers 3 --iters 10 --straggler 2:1.15 >/dev/null 2>&1
python3 -B "$here/support/gen_trace.py" -o serving.sqlite --ranks 2 --layers 4 --serving --iters 40 >/dev/null 2>&1
python3 -B "$here/support/gen_trace.py" -o paid.sqlite --ranks 4 --layers 2 --iters 5 --straggler 2:1.15 --payloads 2.25 >/dev/null 2>&1
python3 -B "$here/support/gen_trace.py" -o chunks.sqlite --ranks 2 --layers 4 --moe --iters 4 >/dev/null 2>&1
cp late.sqlite empty.sqlite
python3 -B - <<'EOF'
import sqlite3
db = sqlite3.connect("empty.sqlite")
for (name,) in db.execute("SELECT name FROM sqlite_master WHERE name LIKE 'CUPTI_ACTIVITY_KIND_%'").fetchall():
    db.execute(f'DELETE FROM "{name}"')
db.commit()
EOF
for trace in late paid serving empty chunks; do
	expect 0 "$WARPLENS" viewer $trace.sqlite -o $trace.html
done
expect 0 "$WARPLENS" viewer late.sqlite --redact -o redacted.html
serve_page late.sqlite serving.sqlite empty.sqlite
timeout 250 node "$room/first.mjs" "$(command -v chromium)" "$WARPLENS" . "$url" || fail "first.mjs: see above"
finish
