#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# panels.sh - the drawer and the dialogs of the page in a real browser, with made-up data: see panels.mjs. Needs what
# browser.sh says, and poppler-utils.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
# shellcheck source=tests/support/browser.sh
. "$here/support/browser.sh"
browser_room pdftotext
cd "$work"
export HOME=$work
made_up_page page.html
timeout 300 node "$room/panels.mjs" "$(command -v chromium)" page.html || fail "panels.mjs: see above"
finish
