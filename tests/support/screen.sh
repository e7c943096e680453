# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# screen.sh - checks that summary fits a screen; after cli.sh.
n_fit=0

# fits TRACE: as text in UTF-8 and in ASCII; a trace without GPU work has no summary, a damaged one neither.
fits() {
	try "$WARPLENS" "$1"
	[[ $status == 0 ]] || return 0
	n_fit=$((n_fit + 1))
	shaped "$1"
	LC_ALL=C try "$WARPLENS" "$1"
	shaped "$1 in the C locale"
	! LC_ALL=C grep -q '[^ -~]' "$work/out" || fail "$1: not ASCII in the C locale"
}

shaped() {
	local lines
	lines=$(wc -l <"$work/out")
	((lines <= 24)) || fail "$1: $lines lines"
	python3 - "$work/out" <<'END' || fail "$1: a line of more than 80 columns"
import sys
sys.exit(any(len(line.rstrip("\n")) > 80 for line in open(sys.argv[1], encoding="utf-8")))
END
}
