#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# stacks.sh - the flame graph of host code in a real browser, of a file, of a server and of two traces: see stacks.mjs. Needs what
# browser.sh says.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
# shellcheck source=tests/support/browser.sh
. "$here/support/browser.sh"
browser_room
cd "$work"
export HOME=$work
cp "$fixtures/stacks.sqlite" run.sqlite
cp run.sqlite after.sqlite
python3 -B -c 'import sqlite3; db = sqlite3.connect("after.sqlite"); db.execute("UPDATE StringIds SET value = \"print_number\" WHERE value = \"format_number\""); db.commit()'
expect 0 "$WARPLENS" viewer run.sqlite -o run.html
expect 0 "$WARPLENS" viewer run.sqlite --redact -o redacted.html
! grep -q format_number redacted.html || fail "viewer --redact: a function is in the file"
expect 0 "$WARPLENS" viewer run.sqlite after.sqlite -o both.html
expect 0 "$WARPLENS" viewer "$fixtures/steps.sqlite" -o none.html
! grep -q mountStacks\( none.html || [[ $(grep -c 'class StackView' none.html) == 0 ]] || fail "a file without stacks has their code"
serve_page run.sqlite
timeout 120 node "$room/stacks.mjs" "$(command -v chromium)" "$url" || fail "stacks.mjs: see above"
finish
