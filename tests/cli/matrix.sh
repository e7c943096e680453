#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# matrix.sh - every verb in every format on every trace, read back by other parsers: JSON and CSV by
# Python, HTML by tidy. The traces are answered by one process (tests/property/prop_matrix.c); the
# program itself must say the same about the fixtures.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
: "${WARPLENS_BUILD:?the build directory}"
matrix=$work/matrix
mkdir "$matrix"

rc=0
"$WARPLENS_BUILD/property" matrix "$matrix" || rc=$?
[[ $rc == 0 || $rc == 77 ]] || exit 1
python3 -B "$here/support/check_outputs.py" "$matrix" || exit 1

# Frames name the trace, so only what has none can be compared. With PROPERTY_PART each verb is asked about one fixture in
# so many, each fixture by other verbs: the process above answered them all.
part=${PROPERTY_PART:-1} first=0
for trace in "$fixtures"/*.sqlite; do
	[[ -e $trace ]] || continue
	name=fixture.$(basename "$trace" .sqlite)
	turn=$((first++))
	while read -r verb pattern; do
		((turn++ % part == 0)) || continue
		try "$WARPLENS" "$verb" ${pattern:+"$pattern"} "$trace" -f csv
		[[ $status == 0 || $status == 5 ]] || fail "$ran: exit status $status"
		[[ $status == 0 ]] || : >"$work/out"
		# Commands of findings name the trace as it was given.
		sed -i "s|$trace|$name|g" "$work/out"
		touch "$matrix/$name.$verb.csv"
		same "$work/out" "$matrix/$name.$verb.csv" "$ran"
	done < <(verbs)
done
[[ $rc == 0 || $n_bad -gt 0 ]] || exit 77
finish
