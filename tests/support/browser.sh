# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# browser.sh - for scripts that open pages in a real browser; source it after cli.sh.
#
# Needs Debian's chromium, nodejs and npm, and npm's registry for the first run; without them the
# script is skipped.
skip() {
	echo "skipped: $*"
	exit 77
}

# browser_room TOOL...: make $room, a directory with the packages and scripts of tests/browser, or skip;
# the tools are wanted, too.
browser_room() {
	local tool
	for tool in chromium node npm "$@"; do
		command -v "$tool" >/dev/null || skip "no $tool"
	done
	# The packages are kept beside the build, so that only the first run fetches them. Tests run at the same time.
	room=${WARPLENS_BUILD:?}/browser
	mkdir -p "$room"
	exec 9>"$room/lock"
	flock 9
	cp "${here:?}/browser/"*.{json,mjs} "$room"
	if ! cmp -s "$room/package-lock.json" "$room/installed.json"; then
		(cd "$room" && timeout 120 npm ci --no-audit --no-fund >npm.log 2>&1 9>&-) ||
			skip "npm ci: $(tail -n 1 "$room/npm.log")"
		cp "$room/package-lock.json" "$room/installed.json"
	fi
	exec 9>&-
}

# serve_page TRACE...: a server with its address in $url and its process in $server; it ends with the script. A server that
# ends before it is ready has refused its traces, and the script ends with what it said.
serve_page() {
	: >served
	"$WARPLENS" serve "$@" >address 2>served &
	server=$!
	trap 'tidied=$?; kill $server ${beside:-} 2>/dev/null || true; rm -rf "$work"; exit $tidied' EXIT
	until grep -q 'ready' served; do
		kill -0 $server 2>/dev/null || { echo "FAIL: serve $*: $(cat served)"; exit 1; }
		sleep 0.1
	done
	url=$(head -n 1 address)
}

# made_up_page FILE: the page of web/ with the data of tests/web/fake.js.
made_up_page() {
	local web=$here/../web
	cp -r "$web" web
	cp "$here/web/"{open,fake}.js web/data
	python3 -B "$here/../tools/bundle" script.js web/main.js || fail "bundle: see above"
	python3 -B - "$web" >"$1" <<'PY'
import base64, hashlib, pathlib, sys
web = pathlib.Path(sys.argv[1])
script = pathlib.Path('script.js').read_text()
source = base64.b64encode(hashlib.sha256(f'\n{script}\n'.encode()).digest()).decode()
parts = {'TITLE': 'fake', 'STYLE': (web / 'style.css').read_text(), 'SOURCE': '', 'CONNECT': "'none'",
         'HASH': f'sha256-{source}', 'SCRIPT': script}
text = (web / 'page.html').read_text()
for key, value in parts.items():
    assert text.count(f'@{key}@') == 1, key
    before, after = text.split(f'@{key}@')
    text = before + value + after
sys.stdout.write(text)
PY
}
