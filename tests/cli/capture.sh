#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# capture.sh - "warplens capture" with the real nsys: the common ends of a run. soak.capture has the rest.
#
#   WARPLENS_NSYS_DIR  where the real nsys is, or is unpacked to by tools/get_nsys.sh
#
# Exit status: 77 when the real nsys could not be had.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"

# What needs no nsys.
expect 2 "$WARPLENS" capture
says 'no program'
expect 3 "$WARPLENS" capture --nsys "$work/none" --dir "$work/runs" -- true
says 'nsys'
[[ ! -e $work/runs ]] || fail "a run that did not begin left a directory"
expect 0 "$WARPLENS" capture --nsys "$work/none" --dry-run --gate steps:2,delay:3,duration:4 -- ./a
prints 'launch --session-new=warplens-RUN_ID'
prints 'End it after 4 s; the program goes on'

# shellcheck source=tests/support/capture.sh
. "$here/support/capture.sh"

expect 2 "$WARPLENS" capture --nsys "$nsys" --dir "$work/runs" -- "$work/no-such-program"
says 'no program'
expect 2 "$WARPLENS" capture --nsys "$nsys" --dir "$work/runs" --launcher slurm -- srun -n 2 sh
says 'warplens plan'
[[ -z $(ls -A "$work/runs" 2>/dev/null) ]] || fail "a run that did not begin left $(ls "$work/runs")"
expect 6 "$WARPLENS" capture --nsys "$nsys" --dir "$work/runs" --least-free 1000Ti -- "$program"
says 'least-free'

again simply -- "$program" 1 3
row 'exit status 3' 3 1 'did not load libcuda.so'
prints 'the program says goodbye'
again simply --gate nvtx:decode@LLM -- "$program" 1 7
row 'gate opens, program goes on' 7 1
grep -qE 'recorded .*: 0 kernels, 0 CUDA calls, [12] NVTX' "$work/err" || fail "the gate recorded more than its range"
again simply --gate nvtx:nothing@LLM -- "$program" 1
row 'gate never opens' 5 0 'began no NVTX range "nothing" in domain LLM'
again simply --gate duration:1 -- "$program" 3 9
row 'duration ends, program goes on' 9 1
prints 'the program says goodbye'
interrupt() {
	begin -- "$program" 60
	until_running
	sleep 0.5
	kill -INT "$capture"
	end
}
again interrupt
row '^C while the program runs' 130 1 'stopped by signal 2'
table
finish
