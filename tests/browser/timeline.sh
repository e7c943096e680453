#!/usr/bin/env bash
# timeline.sh - the timeline of the page in a real browser, with made-up data: see timeline.mjs. Needs what browser.sh
# says.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
# shellcheck source=tests/support/browser.sh
. "$here/support/browser.sh"
browser_room
cd "$work"
export HOME=$work
web=$here/../web
python3 -B "$here/../tools/bundle" script.js "$web/main.js" || fail "bundle: see above"
python3 -B - "$web" >page.html <<'PY'
import pathlib, sys
web = pathlib.Path(sys.argv[1])
parts = {'TITLE': 'fake', 'STYLE': (web / 'style.css').read_text(), 'SOURCE': '', 'CONNECT': "'none'",
         'SCRIPT': pathlib.Path('script.js').read_text()}
text = (web / 'page.html').read_text()
for key, value in parts.items():
    assert text.count(f'@{key}@') == 1, key
    before, after = text.split(f'@{key}@')
    text = before + value + after
sys.stdout.write(text)
PY
timeout 300 node "$room/timeline.mjs" "$(command -v chromium)" page.html || fail "timeline.mjs: see above"
finish
