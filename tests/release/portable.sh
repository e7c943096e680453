#!/bin/bash
# SPDX-License-Identifier: MIT
# The portable program alone with a trace in an empty root directory: it answers there what the ordinary program
# answers here. Usage: portable.sh PORTABLE PROGRAM SOURCE_DIRECTORY. Needs root, or user namespaces.
set -euo pipefail
export LC_ALL=C.UTF-8 COLUMNS=80
portable=$1 program=$2 source=$3
[[ -x $portable ]] || { echo "skipped: no $portable; make portable builds it"; exit 77; }
if ((EUID == 0)); then
	enter=(chroot)
elif unshare --user --map-root-user true 2>/dev/null; then
	enter=(unshare --user --map-root-user chroot)
else
	echo "skipped: neither root nor user namespaces, hence no chroot"
	exit 77
fi
work=$(mktemp -d)
server=
trap '[[ -z $server ]] || kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
bad=0
fail() {
	echo "FAIL: $*"
	bad=1
}

# --- the file ----------------------------------------------------------------------------------
readelf -lW "$portable" | grep -q ' INTERP ' && fail 'it names an interpreter'
readelf -dW "$portable" | grep -q NEEDED && fail 'it needs shared libraries'
grep -qaF "$source" "$portable" && fail 'it contains the path of the sources'
if [[ $(uname -m) == x86_64 ]]; then
	isa=$(readelf -nW "$portable" | sed -n 's/.*x86 ISA needed: *\(.*\)/\1/p')
	[[ $isa == x86-64-baseline ]] || fail "it needs more than x86-64-baseline: \"$isa\""
fi

# --- an empty root -----------------------------------------------------------------------------
room=$work/room
mkdir "$room" "$work/here"
cp "$portable" "$room/warplens"
python3 -B "$source/tests/support/gen_trace.py" -o "$room/run.sqlite" --ranks 2 --layers 4 --iters 5 --seed 1 >/dev/null
[[ $(find "$room" -type f | wc -l) == 2 ]] || rm -f "$room"/*.json
cp "$room/run.sqlite" "$work/here"
inside() { timeout -k 5 120 "${enter[@]}" "$room" /warplens "$@"; }
# An empty root has no locales, and so no UTF-8.
outside() { (cd "$work/here" && LC_ALL=C timeout -k 5 120 "$program" "$@"); }
same() { # ARGS... - equal output and equal status
	local in=0 out=0
	inside "$@" >"$work/in" 2>&1 </dev/null || in=$?
	outside "$@" >"$work/out" 2>&1 </dev/null || out=$?
	[[ $in == "$out" ]] || fail "$*: status $in in the empty root, $out outside"
	cmp -s "$work/in" "$work/out" || fail "$*: $(diff "$work/in" "$work/out" | head -n 4)"
}
same --version
same help
same summary run.sqlite
same kernels run.sqlite -f json
same search '(?i)reduce' run.sqlite
same kernels run.sqlite --reader sqlite
same schema run.sqlite
same overlap no.sqlite
same diff run.sqlite run.sqlite
for verb in timeline tui; do
	same $verb run.sqlite --snapshot 100x30
done
for target in 'export run.sqlite -o run.pftrace.gz' 'viewer run.sqlite -o view.html' 'report run.sqlite -o out' \
	'index run.sqlite'; do
	# shellcheck disable=SC2086 # words
	inside $target >/dev/null 2>"$work/err" || fail "$target: $(head -n 1 "$work/err")"
	# shellcheck disable=SC2086
	outside $target >/dev/null 2>&1 || fail "$target: fails outside"
done
cmp -s "$room/view.html" "$work/here/view.html" || fail 'viewer: the pages differ'
cmp -s "$room/run.pftrace.gz" "$work/here/run.pftrace.gz" || fail 'export: the files differ'
diff -rq "$room/out" "$work/here/out" >&2 || fail 'report: the directories differ'
same summary run.sqlite # from the index

# --- the terminal: no description of it in an empty root ---------------------------------------
status=0
TERM=xterm-256color timeout 60 python3 -B "$source/tests/support/tty.py" "${enter[@]}" "$room" \
	/warplens timeline run.sqlite >"$work/tty" || status=$?
echo "timeline without terminfo: status $status: $(tail -n 1 "$work/tty" | tr -d '\r')"
[[ $status == 2 ]] || fail "timeline without terminfo ended with $status"
grep -q 'terminal "xterm-256color" is not known here' "$work/tty" || fail "timeline says: $(head -c 300 "$work/tty")"
for dir in /lib/terminfo /usr/share/terminfo; do
	[[ -e $dir/x/xterm-256color ]] || continue
	mkdir -p "$room$dir/x"
	cp -L $dir/x/xterm-256color "$room$dir/x"
	status=0
	TERM=xterm-256color timeout 60 python3 -B "$source/tests/support/tty.py" --keys q "${enter[@]}" "$room" \
		/warplens timeline run.sqlite >"$work/tty" || status=$?
	[[ $status == 0 ]] || fail "timeline with terminfo ended with $status: $(head -c 300 "$work/tty")"
	break
done

# --- the server --------------------------------------------------------------------------------
"${enter[@]}" "$room" /warplens serve run.sqlite --port 0 >"$work/said" 2>&1 </dev/null &
server=$!
for _ in $(seq 100); do
	url=$(grep -oE 'http://[^ ]+' "$work/said" | head -n 1 || true)
	[[ -z $url ]] || break
	sleep 0.2
done
python3 -B -c '
import sys, urllib.request
page = urllib.request.urlopen(sys.argv[1], timeout=60).read()
assert b"<html" in page.lower(), page[:200]
print("serve: a page of", len(page), "bytes")' "$url" || fail "serve: $(cat "$work/said")"
kill "$server"
wait "$server" || true
server=
ls -l "$portable"
exit $bad
