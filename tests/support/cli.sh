# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# cli.sh - for scripts that try the program from outside: . "$(dirname "$0")/../support/cli.sh"
#
# Sets $here (tests/), $work (a directory that goes away; also TMPDIR), and the functions below. A
# script ends with finish. Needs $WARPLENS; $WARPLENS_FIXTURES where a script wants fixtures.
set -euo pipefail
: "${WARPLENS:?path of the program}"
# shellcheck disable=SC2034 # for the scripts
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
WARPLENS=$(cd "$(dirname "$WARPLENS")" && pwd)/$(basename "$WARPLENS")
fixtures=${WARPLENS_FIXTURES:-}
work=$(mktemp -d)
# shellcheck disable=SC2154 # tidied is set by the trap itself
trap 'tidied=$?; rm -rf "$work"; exit $tidied' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$work/tmp"
export TMPDIR=$work/tmp LC_ALL=C.UTF-8 COLUMNS=80
unset PAGER NO_COLOR
n_checks=0 n_bad=0
: >"$work/out"
: >"$work/err"

fail() {
	echo "FAIL: $*"
	head -c 600 "$work/err" | sed 's/^/      stderr: /'
	n_bad=$((n_bad + 1))
}

# try COMMAND...: run it; $status, $work/out and $work/err are what came of it. A run takes no
# minute, and no way of using the program makes a sanitizer (99) or a signal speak.
try() {
	ran=$*
	n_checks=$((n_checks + 1)) status=0
	timeout -k 5 120 "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
	case $status in
	99 | 124 | 13[1-9]) fail "$ran: ended with $status" ;;
	esac
}

# expect STATUS COMMAND...: the exit status, and one line on stderr if it is a failure.
expect() {
	local want=$1
	shift
	try "$@"
	[[ $status == "$want" ]] || fail "$ran: exit status $status, not $want"
	[[ $want == 0 || $(wc -l <"$work/err") == 1 ]] || fail "$ran: not one line on stderr"
}

# Of the last run: says TEXT on stderr, prints TEXT on stdout or omits it, quiet stderr, silent stdout.
says() { grep -qF -- "$1" "$work/err" || fail "$ran: no \"$1\" on stderr"; }
prints() { grep -qF -- "$1" "$work/out" || fail "$ran: no \"$1\" on stdout"; }
omits() { ! grep -qF -- "$1" "$work/out" || fail "$ran: \"$1\" on stdout"; }
quiet() { [[ ! -s $work/err ]] || fail "$ran: something on stderr"; }
silent() { [[ ! -s $work/out ]] || fail "$ran: something on stdout"; }

# narrow FILE: no line is wider than 80 columns.
narrow() {
	local wide
	wide=$(awk 'length($0) > 80 { print; exit }' "$1")
	[[ -z $wide ]] || fail "$ran: wider than 80 columns: $wide"
}

# same FILE FILE WHAT: equal bytes.
same() { cmp -s "$1" "$2" || fail "$3: outputs differ: $(diff "$1" "$2" | head -n 4)"; }

verbs() { # each verb, and the pattern or the option that it must have
	echo '{"forward": ["forward", "fwd"], "rest": ["re:."]}' >"$work/map.json"
	"$WARPLENS" --introspect | python3 -c '
import json, sys
for v in json.load(sys.stdin)["verbs"]:
    wants = "--phase-map=" + sys.argv[1] if v["name"] == "phases" else "." if not v["operands"].startswith("TRACE") else ""
    if v["kind"] != "command": print(v["name"], wants)' "$work/map.json"
}

fixture() { # NAME - the database, or skip the whole script
	if [[ -z $fixtures || ! -s $fixtures/$1.sqlite ]]; then
		echo "skipped: no fixture $1 in ${fixtures:-\$WARPLENS_FIXTURES}" >&2
		exit 77
	fi
	echo "$fixtures/$1.sqlite"
}

finish() {
	echo "$n_checks runs, $n_bad failures"
	[[ $n_bad == 0 ]] || exit 1
	exit 0
}

# --marker PATTERN in the array marker, for a verb that takes one.
marker_of() { # VERB PATTERN
	unmarked=${unmarked:-$("$WARPLENS" --introspect | python3 -c '
import json, sys
print(*(v["name"] for v in json.load(sys.stdin)["verbs"] if "marker" in v["without"]))')}
	marker=(--marker "$2")
	[[ " $unmarked " != *" $1 "* ]] || marker=()
}
