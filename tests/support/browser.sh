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
