#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# views.sh - tabs of the page that answer one question each, in a real browser: see views.mjs. Needs what browser.sh says.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
# shellcheck source=tests/support/browser.sh
. "$here/support/browser.sh"
browser_room
cd "$work"
export HOME=$work
expect 0 "$WARPLENS" viewer "$fixtures/serving.sqlite" -o serving.html
expect 0 "$WARPLENS" viewer "$fixtures/steps.sqlite" -o steps.html
expect 0 "$WARPLENS" viewer "$fixtures/two_ranks.sqlite" -o ranks.html
expect 0 "$WARPLENS" viewer "$fixtures/steps_before.sqlite" "$fixtures/steps_after.sqlite" -o both.html
expect 0 "$WARPLENS" report "$fixtures/serving.sqlite" -o report.html --viewer serving.html
expect 0 "$WARPLENS" viewer "$fixtures/steps.sqlite" --window steady --gpu 0 -o window.html
"$WARPLENS" findings "$fixtures/steps.sqlite" --window steady --gpu 0 -f json >window.json || fail "findings of a window"
expect 0 "$WARPLENS" diff "$fixtures/steps_before.sqlite" "$fixtures/steps_after.sqlite" -f html -o diff.html
timeout 240 node "$room/views.mjs" "$(command -v chromium)" || fail "views.mjs: see above"
finish
