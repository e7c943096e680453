#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# scatter.sh - fleet scatter on one machine: parts of a job, a file that is not a trace, and what is done already.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
cd "$work"
python3 -B "$here/support/gen_trace.py" -o job --ranks 4 --iters 4 --layers 2 --split >/dev/null
echo nothing >job/broken.sqlite

# Each has facts but one, which is named with its reason; the others go on.
try "$WARPLENS" fleet scatter job/*.sqlite -o facts --jobs 2 --key project=llm
[[ $status == 6 ]] || fail "status $status"
grep -q '^4 of 5 traces have facts' "$work/out" || fail "4 of 5"
grep -q 'broken.sqlite' "$work/err" || fail "names broken.sqlite"
[[ $(find facts -name '*.wlfacts' | wc -l) == 4 ]] || fail "four files"

# Once more: nothing is done again.
rm job/broken.sqlite
try "$WARPLENS" fleet scatter job/*.sqlite -o facts
[[ $status == 0 ]] || fail "status $status"
grep -q '4 of them from before' "$work/out" || fail "from before"

# Tasks of a step and of an array share the traces; a job script does not.
for task in 0 1 2; do
	SLURM_STEP_NUM_TASKS=3 SLURM_PROCID=$task try "$WARPLENS" fleet scatter job/*.sqlite -o step
	SLURM_ARRAY_TASK_ID=$((task + 5)) SLURM_ARRAY_TASK_MIN=5 SLURM_ARRAY_TASK_COUNT=3 \
		try "$WARPLENS" fleet scatter job/*.sqlite -o array
done
for dir in step array; do
	diff -r facts $dir >/dev/null && fail "$dir has a project that was not given"
	[[ $(find $dir -name '*.wlfacts' | wc -l) == 4 ]] || fail "$dir: four files"
done
diff -r step array >/dev/null || fail "step and array differ"
SLURM_NTASKS=4 SLURM_PROCID=0 try "$WARPLENS" fleet scatter job/*.sqlite -o whole
diff -r step whole >/dev/null || fail "a job script takes all traces"

# A limit, a directory in place of traces, no place for the facts.
try "$WARPLENS" fleet scatter job/*.sqlite -o slow --limit 1ms
[[ $status == 6 ]] && grep -q 'raise --limit' "$work/err" || fail "limit"
try "$WARPLENS" fleet scatter job -o slow
[[ $status == 2 ]] && grep -q 'job/\*.sqlite' "$work/err" || fail "directory"
try "$WARPLENS" fleet scatter job/*.sqlite
[[ $status == 2 ]] || fail "without -o"

# The script is one for sh, with words that are quoted.
try "$WARPLENS" fleet scatter "a b.sqlite" --script --nodes 4 -o 'fa cts'
sh -n "$work/out" || fail "the script"
grep -q "^#SBATCH --nodes=4" "$work/out" && grep -q "'a b.sqlite'" "$work/out" || fail "nodes and names"
finish
