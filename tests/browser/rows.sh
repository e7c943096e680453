#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# rows.sh - the page's rows in a real browser: merged streams, groups, graph launches, counters, names that are very long; see
# rows.mjs. Needs what browser.sh says.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
# shellcheck source=tests/support/browser.sh
. "$here/support/browser.sh"
browser_room
cd "$work"
export HOME=$work
python3 -B "$here/support/gen_trace.py" -o train.sqlite --ranks 2 --layers 2 --iters 6 >/dev/null 2>&1
python3 -B "$here/support/gen_trace.py" -o serving.sqlite --ranks 1 --layers 4 --iters 20 --serving >/dev/null 2>&1
python3 -B "$here/support/gen_trace.py" -o counters.sqlite --ranks 1 --layers 2 --iters 6 --schema 2026.4 \
	--gpu-metrics 100us:31 >/dev/null 2>&1
python3 -B - <<'EOF'
import sqlite3
db = sqlite3.connect("counters.sqlite")
db.execute("CREATE TABLE OPENMP_EVENT_KIND_SYNC_REGION (start INTEGER, end INTEGER, globalTid INTEGER)")
db.execute("INSERT INTO OPENMP_EVENT_KIND_SYNC_REGION VALUES (1000000, 2000000, 1)")
db.commit()
EOF
python3 -B "$here/support/hostile.py" make hostile.sqlite
for trace in train serving counters hostile; do
	expect 0 "$WARPLENS" viewer $trace.sqlite -o $trace.html
done
timeout 200 node "$room/rows.mjs" "$(command -v chromium)" "$WARPLENS" train.html serving.html hostile.html counters.html ||
	fail "rows.mjs: see above"
finish
