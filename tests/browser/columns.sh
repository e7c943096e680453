#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# columns.sh - the column function in a real browser draws what the program draws, on random lanes. Needs chromium.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
# shellcheck source=tests/support/browser.sh
. "$here/support/browser.sh"
command -v chromium >/dev/null || skip "no chromium"
cd "$work"
export HOME=$work
cp "$here/../web/data/"{lane,columns}.js "$here/web/columns_page.js" .
python3 -B "$here/../tools/bundle" script.js columns_page.js || fail "bundle: see above"
{
	echo '<!doctype html><meta charset="utf-8"><body><script type="text/plain" id="lanes">'
	"$WARPLENS_BUILD/lanes_dump"
	echo '</script><script>'
	cat script.js
	echo '</script>'
} >page.html
timeout 120 chromium --headless --no-sandbox --disable-gpu --dump-dom "file://$work/page.html" >dom.html 2>chromium.log
said=$(grep -o '[0-9]* views, [0-9]* wrong' dom.html || true)
[[ $said == *' views, 0 wrong' && ${said%% *} -gt 30000 ]] || fail "columns: ${said:-no answer}"
echo "$said"
finish
