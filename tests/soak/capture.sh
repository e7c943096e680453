#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# capture.sh - every way in which a capture with the real nsys can end, as a table: no orphan, no half report
# taken for a whole one, the program's exit status passed on.
#
#   WARPLENS_NSYS_DIR  where the real nsys is; beside it DIR-bookworm, an older one
#
# Exit status: 77 when the real nsys could not be had. A full disk needs the right to mount; else it is skipped.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
# shellcheck source=tests/support/capture.sh
. "$here/support/capture.sh"

# signals WAIT NUMBER... -- ARGUMENTS...: a capture that gets signals, 0.6 s apart, once WAIT has succeeded.
signals() {
	local wait=$1 list=()
	shift
	while [[ $1 != -- ]]; do
		list+=("$1")
		shift
	done
	shift
	begin "$@"
	$wait
	for number in "${list[@]}"; do
		kill "-$number" "$capture" 2>/dev/null || :
		sleep 0.6
	done
	end
}
at_once() { sleep 0.05; }
in_start() { sleep 0.3; }
while_running() { until_running && sleep 0.4; }
while_writing() { until_text 'Generating'; }
while_exporting() { until_text 'Generated:'; }

again simply -- "$program" 1 0
row 'exit status 0' 0 1
recorded 1 3 # the main thread has steps, two have work
again simply -- "$program" 1 3
row 'exit status 3' 3 1
again simply -- "$program" crash
row 'crash' 139 1
again simply --forks -- "$program" 1 4
row 'forks are recorded' 4 1
recorded 2 5 # the child has work in two threads, and no steps
again simply --light -- "$program" 1
row 'light' 0 1
again simply --gate nvtx:decode@LLM -- "$program" 1 7
row 'gate nvtx opens' 7 1
again simply --gate nvtx:nothing@LLM -- "$program" 1
row 'gate nvtx never opens' 5 0 'began no NVTX range'
again simply --gate nvtx:nothing@LLM -- "$program" 1 8
row 'gate nvtx never opens, exit status 8' 8 0 'began no NVTX range'
again simply --gate cuda-api -- "$program" 1
row 'gate cuda-api never opens' 5 0 'cudaProfilerStart'
again simply --gate duration:1 -- "$program" 5 9
row 'duration ends before the program' 9 1
again simply --gate duration:30 -- "$program" 1 9
row 'duration ends after the program' 9 1
again simply --gate delay:1,duration:1 -- "$program" 4 2
row 'delay and duration' 2 1
again simply --gate delay:30 -- "$program" 1
row 'delay longer than the program' 5 0 'choose a shorter delay'
again simply --again -- "$program" 1
row 'second run without the profiler' 0 1 'without it ('

again signals at_once INT -- -- "$program" 20
row '^C before nsys has begun' 130 "$reports"
again signals in_start INT -- -- "$program" 20
row '^C while nsys begins' 130 "$reports"
again signals while_running INT -- -- "$program" 20
row '^C while the program runs' 130 1 'stopped by signal 2'
again signals while_running TERM -- -- "$program" 20
row 'SIGTERM while the program runs' 143 1 'stopped by signal 15'
again signals while_running HUP -- -- "$program" 20
row 'SIGHUP while the program runs' 129 1
again signals while_running INT -- -- "$program" serve
row '^C to a program that ends well' 0 1
again signals while_writing INT -- -- "$program" 1
row '^C while the report is written' 0 1
again signals while_writing INT INT -- -- "$program" 1 5
row '^C twice while the report is written' 5 "$reports"
again signals while_exporting INT -- -- "$program" 1
row '^C while the report is exported' "$status" "$reports"
again signals while_running INT -- --grace 1 -- "$program" hang
row '^C to a program that ignores it' 137 1
again signals while_running INT INT INT INT -- -- "$program" hang
row '^C four times to a program that ignores it' 137 "$reports"
again simply --timeout 1 --grace 1 -- "$program" hang
row 'a program that hangs, with a timeout' 137 1
again simply --timeout 1 -- "$program" serve
row 'a server, with a timeout' 0 1 'time limit'

again simply --gate steps:2,delay:1,duration:1 --timeout 9 -- "$program" serve
row 'a server, two windows' 0 2
again simply --gate steps:2,delay:1,duration:1 -- "$program" 12 6
row 'two windows, the program goes on' 6 2
again simply --gate steps:1,delay:1,duration:30 -- "$program" 3 6
row 'the program ends within the window' 6 1
again simply --gate steps:2,delay:2,duration:1 -- "$program" 1
row 'the program ends before the windows' 5 0 'before window 1 began'
again signals while_running INT -- --gate steps:2,delay:5 -- "$program" serve
row '^C before the first window' 130 0 'stopped before'
window_open() { until_text 'window 1 of 1 begins'; }
again signals window_open INT -- --gate steps:1,delay:1,duration:30 -- "$program" serve
row '^C within a window' 0 1

if [[ -n $old ]]; then
	with=$old again simply -- "$program" 1 3
	row 'nsys 2022.4' 3 1
	with=$old again simply --gate nvtx:nothing@LLM -- "$program" 1
	row 'nsys 2022.4, gate never opens' 5 0
fi
with=$work/none simply -- "$program" 1
row 'no nsys' 3 0 'nsys'
mkdir "$work/fixed"
if mount -t tmpfs -o size=4m,ro none "$work/fixed" 2>/dev/null; then
	runs_before=$runs runs=$work/fixed/runs
	simply -- "$program" 1
	row 'read-only directory' 6 0
	runs=$runs_before
	umount "$work/fixed"
	for size in 8k 100k 260k; do
		mount -t tmpfs -o size=$size none "$work/fixed"
		runs_before=$runs runs=$work/fixed/runs
		again simply --least-free 0 -- "$program" 1
		row "full disk for reports" 6 "$reports"
		! grep -q 'recorded' "$work/err" || fail "full disk: called recorded"
		runs=$runs_before
		umount "$work/fixed"
		mount -t tmpfs -o size=$size none "$work/fixed"
		TMPDIR=$work/fixed again simply --least-free 0 --patience 15 -- "$program" 1
		row "full TMPDIR" "$status" 0 'disk is full' # recorded programs die of SIGSEGV in some of these, without warplens, too
		umount "$work/fixed"
	done
	mount -t tmpfs -o size=8m none "$work/fixed"
	runs_before=$runs runs=$work/fixed/runs
	simply -- "$program" 1
	row 'too little room' 6 0 'least-free'
	runs=$runs_before
	umount "$work/fixed"
else
	echo "skipped: no right to mount, so no full disk and no read-only directory"
fi

# Two at once, each with its own session: the end of one is not the end of the other.
begin -- "$program" 20
first=$capture first_tag=$tag
cp "$work/err" "$work/first" 2>/dev/null || :
until_running
runs=$work/runs2
again simply -- "$program" 1 3
row 'two at once: the second' 3 1
kill -0 "$first" || fail "two at once: the first has ended with the second"
kill -INT "$first"
capture=$first tag=$first_tag runs=$work/runs
end
row 'two at once: the first, then ^C' 130 1
table
finish
