#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# first_findings.sh - the first finding of real traces that a reader checked against their rows. The
# figures come from SQL over the rows and not from this program. Traces that are not there are left out.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"

cd "$work"
shared=${WARPLENS_SHARED:-}

# first TRACE CODE WORDS...: the code of the first finding, and what its sentence says.
first() {
	local trace=$shared/corpus/$1/trace.sqlite.zst code=$2
	shift 2
	[[ -e $trace ]] || return 0
	zstd -dqfo t.sqlite "$trace"
	expect 0 "$WARPLENS" findings t.sqlite -f jsonl
	python3 - "$code" "$@" <<'END' || fail "$trace: another first finding: $(head -n 1 out)"
import json, sys
code, *words = sys.argv[1:]
row = json.loads(open("out").readline())
assert row["code"] == code, row
assert all(w in row["finding"] for w in words), row
END
}

expect 0 "$WARPLENS" help findings
# After the last kernel one thread is in pwrite64 for 70,875,610 of 89,365,825 ns, while 740 migrations bring its pages.
first icon-uvm-2025.1 managed-memory 'output after the last kernel' '70.88 ms' '867 times' '118.8 MB in 740 DtoH'
# Seven kernels of 42.09 ms; 4,768 migrations by faults cover 22,776,111 ns of them.
! [[ -e $shared/corpus/icon-uvm-2025.1 ]] || {
	prints 'on page faults of managed memory: 22.78 ms'
	prints '54.1% of the kernel time, during 4768 HtoD migrations, 65.7% of it in DeviceReduceKernel'
}
# The first call of the model takes 3.667 s, the second 47.72 ms.
first keras-cudnn-2020 start-up '3.667 s' '47.72 ms'
# One copy engine copies 1.2 GB in 91.74 ms, beside 4.84 ms of kernels.
first test-cuda-2026.1 exposed-copy '800 MB HtoD' '400 MB DtoH' '91.74 ms' 'hide only 4.84 ms' 'one copy engine'
first nsys-ai-h100-2gpu-1s exposed-copy 'bottleneck' '25.47 GB HtoD' 'hide only 42.01 ms'
# One compile before the steps takes 163.93 ms of 342.2 ms; then 121.7 us of each of 998 steps wait for the host, of which
# slow-iterations claims 1.4 us: steps 1 to 240 are a warm-up and take 5.86 us longer than the 758 after them.
first nvtx-no-text start-up 'the longest 163.9 ms in `executor_utils::Nvrtc::CompileProgram`'
! [[ -e $shared/corpus/nvtx-no-text ]] || prints '120.3 us per step (87.2%)'
# 1,224 cudaMalloc before the first step; the steps compute for 99.1% of the time.
first instant-ngp-cudagraph-nodes start-up '72.1% of it in `cudaMalloc`'
finish
