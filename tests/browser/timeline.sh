#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# timeline.sh - the timeline of the page in a real browser, with made-up data: see timeline.mjs. Needs what browser.sh
# says.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
# shellcheck source=tests/support/browser.sh
. "$here/support/browser.sh"
browser_room
cd "$work"
export HOME=$work
made_up_page page.html
timeout 300 node "$room/timeline.mjs" "$(command -v chromium)" page.html || fail "timeline.mjs: see above"
finish
