#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# plans.sh - the plans of tests/plans/situations for two versions of nsys, as they should be, and each
# option in them against the text of --help of that version; some of the lines are run.
#
#   WARPLENS_NSYS_DIR  where the real nsys is, or is unpacked to by tools/get_nsys.sh
#   ACCEPT=1           rewrites tests/plans/expected-VERSION
#
# Exit status: 77 when the real nsys could not be had and the rest passed.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
root=$here/..
nsys_dir=${WARPLENS_NSYS_DIR:-$root/build/nsys}
skipped=

fixture steps >/dev/null

# plan VERSION: all situations. A fixture's path is no part of what is expected.
plan() {
	local name words
	while IFS=: read -r name words; do
		[[ $name != '#'* ]] || continue
		echo "== $name: warplens plan$words"
		[[ $words != *' @'* ]] || words=$(sed -E "s| @([a-z_]+)| $fixtures/\\1.sqlite|" <<<"$words")
		# shellcheck disable=SC2086 # the words of a line
		"$WARPLENS" plan --nsys-version "$1" $words 2>&1 || echo "exit status $?"
	done <"$here/plans/situations" | sed "s|$fixtures/||"
}

# helps NSYS: the long options of each command, as "profile --trace".
helps() {
	for command in profile launch start stop; do
		"$1" $command --help 2>&1 | grep -oE -- '--[a-z][a-z-]*[a-z]' | sort -u | sed "s/^/$command /"
	done
}

# used FILE: the same of the plans: "nsys COMMAND --option=... --option=... program".
used() {
	grep -oE "nsys (profile|launch|start|stop)( '?--[a-z-]+=([^' ]*'|[^ ]*))+" "$1" | awk '{
		for (i = 3; i <= NF; i++)
			if (match($i, /--[a-z-]+/)) print $2, substr($i, RSTART, RLENGTH)
	}' | sort -u
	# Nsight Operator gets the arguments of profile without it
	sed -n 's/.*nsightToolArgs: "\(.*\)"/\1/p' "$1" | grep -oE -- '(^| )--[a-z-]+' | sed 's/^ */profile /' | sort -u
}

# values NSYS: each value of an option is in the help of this nsys, and one that is not is found.
values() {
	n_checks=$((n_checks + 1))
	python3 -B "$here/support/plan_values.py" "$1" "$work/plans" >"$work/values" || fail "values of options: $(cat "$work/values")"
	[[ $(cut -d ' ' -f 1 "$work/values") -ge 40 ]] || fail "only $(cat "$work/values") of options found in the plans"
	sed 's/cuda-graph-trace=node/cuda-graph-trace=nodes/' "$work/plans" >"$work/wrong"
	! python3 -B "$here/support/plan_values.py" "$1" "$work/wrong" >"$work/values" || fail "a wrong value is not found"
}

# record NSYS WISH: the line that is printed works: the program's exit status, and a report (a .qdstrm where
# nsys has no importer). nsys fails by itself now and then: three tries.
record() {
	local line tries=0 got=0
	n_checks=$((n_checks + 1))
	# shellcheck disable=SC2086 # the words of a wish
	line=$("$WARPLENS" plan --nsys "$1" --dir "$work/reports" $2 -- sh -c 'sleep 0.2; exit 3' | sed -n 's/^  \$ //p')
	while [[ $((tries += 1)) -le 3 ]]; do
		rm -rf "$work/reports"
		mkdir "$work/reports"
		got=0
		timeout -k 5 60 sh -c "$line" >"$work/err" 2>&1 </dev/null || got=$?
		[[ $got != 3 ]] || [[ -z $(ls "$work/reports") ]] || break
		echo "try $tries of \"$line\": exit status $got"
	done
	[[ $tries -le 3 ]] || fail "$line: exit status $got, $(ls "$work/reports")"
}

for suite in bookworm trixie; do
	[[ $suite == trixie ]] && version=2023.4.4 dir=$nsys_dir || { version=2022.4.2 dir=$nsys_dir-$suite; }
	expected=$here/plans/expected-$version
	plan $version >"$work/plans" 2>&1
	[[ -z ${ACCEPT:-} ]] || cp "$work/plans" "$expected"
	n_checks=$((n_checks + $(grep -c '^== ' "$work/plans")))
	same "$expected" "$work/plans" "plans for nsys $version"
	used "$work/plans" | sort -u >"$work/used"
	[[ $(wc -l <"$work/used") -ge 20 ]] || fail "only $(wc -l <"$work/used") options found in the plans"
	nsys=$("$here/support/real_nsys" "$dir" $suite 2>"$work/err") || {
		skipped="$skipped $version"
		continue
	}
	helps "$nsys" >"$work/helps"
	[[ $(wc -l <"$work/helps") -ge 50 ]] || fail "no help of nsys $version"
	missing=$(sort -u "$work/helps" | comm -13 - "$work/used")
	[[ -z $missing ]] || fail "nsys $version lacks $missing"
	values "$nsys"
	for wish in '--for any' '--for nccl' '--for memory' '--light --gate duration:5'; do
		record "$nsys" "$wish"
	done
done
[[ $(grep -c '^[a-z]' "$here/plans/situations") -ge 30 ]] || fail "fewer than 30 situations"

# What cannot be planned is refused in one line.
expect 2 "$WARPLENS" plan
says 'no program'
expect 2 "$WARPLENS" plan --launcher slurm
says 'no program: give launcher and program behind "--", such as "-- srun -n 8 ./app"'
expect 2 "$WARPLENS" plan --for ncu --launcher container -- ./a.out
says 'behind "--" is only "./a.out": give both launcher and program, such as "-- docker run OPTIONS IMAGE PROGRAM"'
for goal in any ncu; do
	expect 2 "$WARPLENS" plan --for $goal --launcher container -- ./a.out x y z
	says '"./a.out x y z" does not start a container: give launcher and program behind "--", such as'
	says '"-- docker run OPTIONS IMAGE PROGRAM", or leave --launcher container out'
	expect 0 "$WARPLENS" plan --for $goal --launcher container -- docker run image ./a.out x y z
	prints ' ./a.out x y z'
done
expect 2 "$WARPLENS" plan --gate nvtx: -- ./a
says 'gate "nvtx:"'
expect 2 "$WARPLENS" plan --light --full -- ./a
expect 2 "$WARPLENS" plan --nsys-version 2021.1 --gate steps:1 -- ./a
says 'nsys 2021.1 lacks --session'
expect 2 "$WARPLENS" plan --trace x.sqlite -- ./a
says 'only with --for ncu'
expect 3 "$WARPLENS" plan --for ncu --trace "$work/none.sqlite" -- ./a
# Seven steps with one gemm each, in the process that computes most: that of the fourth step.
expect 0 "$WARPLENS" plan --for ncu --trace "$fixtures/steps.sqlite" -- ./a
prints "--kernel-name 'regex:^gemm\$' --launch-skip 3 --launch-count 1 "
omits 'nccl'
expect 2 "$WARPLENS" plan --for ncu --trace "$fixtures/steps.sqlite" --gate cuda-api -- ./a
expect 2 "$WARPLENS" plan --for ncu --trace "$fixtures/steps.sqlite" --top 0 -- ./a
# In the ranges of a gate launches count from the first; a list of 30 kernels is a usual one.
expect 0 "$WARPLENS" plan --for ncu --trace "$fixtures/steps.sqlite" --gate nvtx:decode@LLM --top 30 -- ./a
prints "--kernel-name 'regex:^gemm\$' --launch-skip 0 --launch-count 1 --kill yes --nvtx --nvtx-include LLM@decode/"
prints 'a kernel that is in none of them is not measured'
expect 2 "$WARPLENS" plan --for ncu --trace "$fixtures/steps.sqlite" --top 33 -- ./a
says 'choose 1 to 32 kernels'
# Without an nsys the plan is for the newest one.
expect 0 "$WARPLENS" plan --full --nsys "$work/none" -- ./a
prints '--gpu-metrics-devices=all'
prints 'note: --gpu-metrics-devices needs nsys 2025.1 or later'

[[ -z $skipped || $n_bad -gt 0 ]] || {
	echo "skipped: no nsys$skipped (no network?)"
	exit 77
}
finish
