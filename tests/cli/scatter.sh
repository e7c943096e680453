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
	grep -q "; task $((task + 1)) of 3 takes every one in 3 of the 4 named" "$work/out" || fail "what the share is"
done
for dir in step array; do
	diff -r facts $dir >/dev/null && fail "$dir has a project that was not given"
	[[ $(find $dir -name '*.wlfacts' | wc -l) == 4 ]] || fail "$dir: four files"
done
diff -r step array >/dev/null || fail "step and array differ"
SLURM_NTASKS=4 SLURM_PROCID=0 try "$WARPLENS" fleet scatter job/*.sqlite -o whole
diff -r step whole >/dev/null || fail "a job script takes all traces"

# Two nodes with a disk each, and two tasks on the second: every trace has facts. Shared over all tasks, some have none.
mkdir node0 node1
mv job/*0.sqlite job/*1.sqlite node0/
mv job/*2.sqlite job/*3.sqlite node1/
on_node() {
	SLURM_STEP_NUM_TASKS=3 SLURM_STEP_TASKS_PER_NODE='1,2' SLURM_NODEID=$1 SLURM_LOCALID=$2 SLURM_PROCID=$(($1 + $2)) \
		try "$WARPLENS" fleet scatter node"$1"/*.sqlite -o "$3" "${@:4}"
}
for at in "0 0" "1 0" "1 1"; do
	# shellcheck disable=SC2086
	on_node $at local --local
	[[ $status == 0 ]] || fail "--local: status $status"
	# shellcheck disable=SC2086
	on_node $at shared
done
grep -q '; task 3 of 3 takes' "$work/out" || fail "shared over all tasks"
diff -r local whole >/dev/null || fail "--local leaves traces out"
[[ $(find shared -name '*.wlfacts' | wc -l) == 2 ]] || fail "the case that --local is for"
on_node 1 1 local --local
grep -q '; task 2 of 2 on this host takes every one in 2 of the 2 named' "$work/out" || fail "which share"
OMPI_COMM_WORLD_LOCAL_SIZE=2 OMPI_COMM_WORLD_LOCAL_RANK=1 try "$WARPLENS" fleet scatter node1/*.sqlite -o ompi --local
[[ $(find ompi -name '*.wlfacts' | wc -l) == 1 ]] || fail "Open MPI"
SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=1 try "$WARPLENS" fleet scatter node1/*.sqlite -o none --local
[[ $status == 2 ]] && grep -q SLURM_LOCALID "$work/err" || fail "unknown task of its host"
mv node0/* node1/* job/

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
