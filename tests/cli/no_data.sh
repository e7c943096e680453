#!/bin/bash
# SPDX-License-Identifier: MIT
# A trace without data for a question is status 5 and one line that says what would help; where the
# data are there but the selection matches nothing it is status 2.
set -euo pipefail
cd "$WARPLENS_FIXTURES"
bad=0

# expect STATUS TEXT VERB ARGUMENT...: TEXT is part of what stands on standard error or output.
expect() {
	local want=$1 text=$2 status=0 said
	shift 2
	said=$("$WARPLENS" "$@" 2>&1) || status=$?
	if [ "$status" != "$want" ] || [[ $said != *"$text"* ]]; then
		printf 'warplens %s: status %s, not %s; no "%s" in:\n%s\n' "$*" "$status" "$want" "$text" "$said"
		bad=1
	fi
	if [ "$want" != 0 ] && [ "$(wc -l <<<"$said")" != 1 ]; then
		printf 'warplens %s: more than one line:\n%s\n' "$*" "$said"
		bad=1
	fi
}

# Graphs recorded whole: there is no kernel to rank, and the remedy is a capture flag.
expect 5 '--cuda-graph-trace=node' kernels graphs.sqlite
expect 5 '--cuda-graph-trace=node' cuda_gpu_kern_sum graphs.sqlite -f json
expect 0 '--cuda-graph-trace=node' summary graphs.sqlite
# CUDA was recorded, so recording it again is no advice.
# The summary is then about the host.
expect 0 'No CUDA events collected' summary no_gpu.sqlite
expect 0 'compute-sanitizer' summary no_gpu.sqlite
expect 0 'cudaMalloc' summary no_gpu.sqlite
expect 5 'the profiler said' summary no_gpu.sqlite --section overlap
expect 5 'the profiler said' kernels no_gpu.sqlite
expect 5 'the profiler said' transfers no_gpu.sqlite
expect 0 'not been started correctly' info no_gpu.sqlite
# Neither API calls nor copies.
expect 5 'record with nsys profile --trace=cuda' api streams.sqlite
expect 5 'the trace has no memory copies' transfers streams.sqlite
# NVTX ranges without a call of MPI among them are no MPI.
expect 5 'mpi: the trace has no MPI calls; record with' mpi steps.sqlite
expect 5 'mpi: the trace has no MPI calls; record with' stats -r mpi_event_sum steps.sqlite
expect 0 'MPI_' mpi mpi.sqlite
# Operations and OS calls alone are no collectives, graphs, migrations or stacks.
expect 5 'nccl: this trace has no collectives' nccl memory.sqlite
expect 5 'graphs: the trace has no CUDA graphs' graphs tiny.sqlite
expect 5 'graphs: the trace has no CUDA graphs' graphs no_gpu.sqlite
expect 5 'transfers: the trace has no migrations of managed memory' stats -r um_sum steps.sqlite
expect 5 'stacks: the trace has no CPU samples and no stacks of calls; record with' stacks tiny.sqlite
# FLOPs are of the program: a trace has none.
expect 5 'mfu: a trace has no FLOPs; give --flops N, or --model FILE with --tokens and --seq' mfu steps.sqlite
expect 5 'with --ncu FILE' mfu steps.sqlite --by stage
expect 0 'MFU' mfu steps.sqlite --flops 4947M
# CUDA calls none of which waits; idle time whose cause no clock tells.
expect 5 'sync: no CUDA call that was recorded waits for a GPU' sync graphs.sqlite
skewed=$(mktemp --suffix=.sqlite)
trap 'rm -f "$skewed"' EXIT
cp stacks.sqlite "$skewed"
chmod u+w "$skewed"
python3 - "$skewed" <<'END'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
for table in "KERNEL", "MEMCPY", "MEMSET":
    if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'CUPTI_ACTIVITY_KIND_%s'" % table).fetchone():
        db.execute("UPDATE CUPTI_ACTIVITY_KIND_%s SET start = start - 50000, end = end - 50000" % table)
db.commit()
END
expect 5 'stacks: the cause of all idle time of GPUs' stacks "$skewed"
expect 0 'Function' stacks "$skewed" --during all
# Calls without ids do not say what they launched.
python3 - "$skewed" <<'END'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET correlationId = 0")
db.commit()
END
expect 0 'the CUDA API calls have no correlation ids' pids "$skewed"
# A window of a trace without steps does not say that there are steps.
expect 0 'no steps were found' findings tiny.sqlite --window nvtx:step#1
# The trace has the data, the selection has not.
expect 2 'the trace runs from' kernels tiny.sqlite --window 1s..2s
expect 2 '--gpu 9: the trace has' kernels tiny.sqlite --gpu 9
expect 0 '(no rows)' kernels tiny.sqlite --where 'calls > 100'
# CUDA calls but nothing of the GPU: to record CUDA again is no remedy, and ranges are not what lacks.
cp steps.sqlite calls.sqlite
python3 - <<'END'
import sqlite3
db = sqlite3.connect("calls.sqlite")
for kind in ("KERNEL", "MEMCPY", "MEMSET"):
    db.execute("DROP TABLE IF EXISTS CUPTI_ACTIVITY_KIND_" + kind)
END
expect 5 'no GPU operations to compare: CUDA calls were recorded, but nothing that ran on a GPU' diff calls.sqlite calls.sqlite
expect 5 'CUDA calls were recorded, but nothing that ran on a GPU' iters calls.sqlite --marker step
exit $bad
