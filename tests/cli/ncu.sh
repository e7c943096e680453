#!/bin/sh
# SPDX-License-Identifier: MIT
# ncu.sh - the verb ncu from the outside: what it prints of a page made here, and what it refuses.
set -eu
: "${WARPLENS:?path of the program}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
bad=0

fail() {
	echo "FAIL: $*"
	bad=1
}

# expect STATUS TEXT COMMAND...: exit status, and text on stdout or stderr.
expect() {
	want=$1 text=$2 got=0
	shift 2
	"$@" >out 2>&1 </dev/null || got=$?
	[ "$got" = "$want" ] || fail "$*: exit status $got, not $want: $(head -n 3 out)"
	grep -qF -- "$text" out || fail "$*: no \"$text\" in $(cat out)"
}

# Two launches of gemm, 3 us and 1 us, at 75% and 25% of the SMs; one copy at 90% of DRAM.
sm=sm__throughput.avg.pct_of_peak_sustained_elapsed
memory=gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed
dram=gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed
cat >page.csv <<END
==PROF== a message of ncu
"ID","Kernel Name","Context","Stream","Block Size","Grid Size","CC","gpu__time_duration.sum","$sm","$memory","$dram"
"","","","","","","","usecond","%","%","%"
"0","gemm(int)","1","7","(128, 1, 1)","(64, 1, 1)","9.0","3","75","30","20"
"1","gemm(int)","1","7","(128, 1, 1)","(64, 1, 1)","9.0","1","25","30","20"
"2","copy(int)","1","7","(256, 1, 1)","(64, 1, 1)","9.0","2","10","90","90"
END
columns=kernel,grid,block,launches,duration,mean,sm,dram,bound
cat >want <<END
kernel,grid,block,launches,duration,mean,sm,dram,bound
gemm(int),"64,1,1","128,1,1",2,4000,2000,0.625,0.2,compute
copy(int),"64,1,1","256,1,1",1,2000,2000,0.1,0.9,DRAM
END
"$WARPLENS" ncu page.csv -f csv --columns "$columns" >out 2>said || fail "a page: $(cat said)"
diff want out || fail "rows of a page"
expect 0 'copy' "$WARPLENS" ncu page.csv --where 'bound = DRAM'
expect 0 'occupancy was not collected (--section Occupancy)' "$WARPLENS" ncu page.csv
expect 0 '2,copy(int),7' "$WARPLENS" ncu page.csv --by launch -f csv --columns launch,kernel,stream
expect 0 '"value":90' "$WARPLENS" ncu page.csv --section metrics -f jsonl --where 'launch = 2'

# Beside a trace, which is looked at after the report.
expect 3 'missing.sqlite' "$WARPLENS" ncu page.csv --trace missing.sqlite
expect 2 '--by: not with --trace' "$WARPLENS" ncu page.csv --trace missing.sqlite --by launch
expect 3 'missing.csv' "$WARPLENS" ncu missing.csv --trace missing.sqlite

# What is refused, and how.
head -n 3 page.csv >empty.csv
expect 5 'the report has no kernels' "$WARPLENS" ncu empty.csv
printf 'NVR\000\002\000\000\000\010\011' >new.ncu-rep
expect 3 'the report has layout 9' "$WARPLENS" ncu new.ncu-rep
head -c 300 page.csv >cut.csv
expect 3 'cut.csv' "$WARPLENS" ncu cut.csv
echo '"ID","Kernel Name","Metric Name","Metric Value"' >details.csv
expect 3 'this is the details page of ncu' "$WARPLENS" ncu details.csv
printf 'packed' >x.ncu-repz
expect 3 'compressed reports are not read; print the raw page' "$WARPLENS" ncu x.ncu-repz
expect 3 'missing.ncu-rep' "$WARPLENS" ncu missing.ncu-rep
expect 2 'ncu takes one report' "$WARPLENS" ncu page.csv page.csv
expect 2 'ncu has kernels, metrics' "$WARPLENS" ncu page.csv --section x
expect 2 'reads a report of Nsight Compute, not a trace' "$WARPLENS" ncu page.csv --gpu 0
expect 2 'this is the trace itself' "$WARPLENS" ncu page.csv -o page.csv
expect 3 '`warplens ncu` reads it' "$WARPLENS" summary new.ncu-rep
exit $bad
