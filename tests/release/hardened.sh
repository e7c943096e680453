#!/bin/bash
# SPDX-License-Identifier: MIT
# Prints what readelf says about the hardening of a program and of the objects that it is linked from, and fails
# where something is missing. Usage: hardened.sh PROGRAM BUILD_DIRECTORY
set -euo pipefail
export LC_ALL=C
program=$1 build=$2
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
bad=0

check() { # WHAT FOUND - one line per property; an empty FOUND is a failure
	[[ -n $2 ]] || bad=1
	printf '%-16s %s\n' "$1" "${2:-MISSING}"
}
first() { sed -n "s/^[[:space:]]*\($1\).*/\1/p" "$2" | sed -n 1p; }

readelf -hW "$program" >"$room/header"
readelf -lW "$program" >"$room/segments"
readelf -dW "$program" >"$room/dynamic"
readelf -nW "$program" >"$room/notes"
echo "$program"
check 'PIE' "$(sed -n 's/^ *Type: *\(DYN.*\)/\1/p' "$room/header")"
check 'RELRO' "$(first 'GNU_RELRO' "$room/segments")"
check 'bind now' "$(grep -oE '\(FLAGS\) +BIND_NOW|\(FLAGS_1\) +Flags: NOW.*' "$room/dynamic" | tr -s ' ' | paste -sd ';')"
check 'stack' "$(awk '$1 == "GNU_STACK" && $7 == "RW" { print "GNU_STACK RW, not executable" }' "$room/segments")"
check 'no writable code' "$(awk '$1 == "LOAD" && /RWE/ { n++ } END { if (!n) print "no segment is RWE" }' "$room/segments")"
echo "notes: $(grep -E 'Properties|OS:' "$room/notes" | tr -s ' \t' ' ' | paste -sd ';')"

# A function that is called is an undefined symbol of an object.
find "$build/CMakeFiles" -path '*/layer_*.dir/*' -name '*.o' -print0 | sort -z >"$room/objects"
n_objects=$(tr -cd '\0' <"$room/objects" | wc -c)
((n_objects > 0)) || { echo "no objects below $build"; exit 1; }
xargs -0 nm -u <"$room/objects" 2>/dev/null | awk 'NF == 2 { n[$2]++ } END { for (s in n) print n[s], s }' >"$room/calls"
check 'stack protector' "$(awk '$2 == "__stack_chk_fail" { print $2 " in " $1 " objects" }' "$room/calls")"
check 'FORTIFY' "$(awk '$2 ~ /_chk$/ { print $2 }' "$room/calls" | sort | paste -sd ' ')"

# The linker keeps the note of control-flow protection only if every object has it. The C library of Debian 12
# does not: its startup objects have none. So ours are checked one by one.
case $(sed -n 's/^ *Machine: *//p' "$room/header") in
*X86-64*)
	n_marked=$(xargs -0 readelf -nW <"$room/objects" 2>/dev/null | grep -c 'x86 feature:.*IBT.*SHSTK' || true)
	marked=
	((n_marked < n_objects)) || marked="IBT, SHSTK in all $n_objects objects"
	check 'cf-protection' "$marked"
	;;
esac
exit $bad
