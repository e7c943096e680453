#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# real_jobs.sh - two real jobs: the ranks of an MPI job of which three are missing, and two jobs in one directory.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
# shellcheck source=tests/support/screen.sh
. "$(dirname "$0")/../support/screen.sh"
jobs=${WARPLENS_SHARED:-}/jobs
[[ -d $jobs/mpi-cfd-5of8 && -d $jobs/omp-2x8-internal ]] || { echo "skipped: no real jobs in $jobs" >&2; exit 77; }
cd "$work"
for job in mpi-cfd-5of8 omp-2x8-internal; do
	mkdir "$job"
	for packed in "$jobs/$job"/*.sqlite.zst; do
		name=${packed##*/}
		zstd -dqfo "$job/${name%.zst}" "$packed"
	done
done

# --- five of eight ranks: SLURM_PROCID is 0 in all files, and numbers of files are no ranks --------
expect 0 "$WARPLENS" info mpi-cfd-5of8 --section files -f json
python3 - "$jobs/mpi-cfd-5of8/truth.json" <<'END' || fail 'ranks, their source or what is missing differ from the capture'
import json, sys
truth = json.load(open(sys.argv[1]))["files"]
got = json.load(open("out"))
want = {name + ".sqlite": f["env"]["OMPI_COMM_WORLD_RANK"] for name, f in truth.items()}
assert {r["file"]: r["rank"] for r in got["rows"]} == want, got["rows"]
assert [r["rank"] for r in got["rows"]] == sorted(want.values()), got["rows"]
assert {r["host"] for r in got["rows"]} == {f["env"]["SLURMD_NODENAME"] for f in truth.values()}
assert "ranks are from OMPI_COMM_WORLD_RANK in the environment" in got["notes"], got["notes"]
assert any(n.startswith("3 of 8 ranks are missing (0, 1, 5)") for n in got["notes"]), got["notes"]
END
fits "$work/mpi-cfd-5of8"
expect 0 "$WARPLENS" mpi-cfd-5of8
prints '3 of 8 ranks are missing (0, 1, 5)'
# A thousand iterations alone, and a thousand with MPI.
grep -qE '^(99[0-9]|1000) steps, median 1\.0[0-9]+ ms; 100[0-9], median 3\.[45][0-9]+ ms$' out || fail "one length of steps: $(sed -n 2p out)"
omits 'Why (shares of the window)' # nobody is named, and GPUs are as busy as each other
expect 0 "$WARPLENS" info mpi-cfd-5of8 --section about -f csv
prints 'report,5 reports'
prints 'driver,460.32.03'
prints '5 files, 8 ranks, 1 host, SLURM_JOB_ID 165592'

# Rank 3 is late for the collectives by far most often, and with it rank 4: by itself it costs nothing.
# Most of the waiting is in MPI_Sendrecv, of which this capture has names and times only.
expect 0 "$WARPLENS" ranks mpi-cfd-5of8
prints 'no straggler is named: over 20% of the communication time is not matched'
prints 'communication matched 22.1%'
prints '3 of 8 ranks are missing (0, 1, 5)'
prints 'several ranks arrive last too close together to tell apart (clock error'
prints 'of the waiting: rank 3, rank 4'
prints 'a missing rank may be the slow one: waits are lower bounds, transfers'
# MPI_Barrier comes once, before the calls that the truth is of; ends differ by up to 38 us.
expect 0 "$WARPLENS" ranks mpi-cfd-5of8 -f json
python3 - "$jobs/mpi-cfd-5of8/truth.json" <<'END' || fail 'waits in MPI, or who causes them, differ from the capture'
import json, sys
truth = json.load(open(sys.argv[1]))
barrier = {int(f["env"]["OMPI_COMM_WORLD_RANK"]): f["mpi_ns"]["MPI_Barrier"] for f in truth["files"].values()}
wait = {2: 237538000, 3: 1432000, 4: 27521000, 6: 500700000, 7: 256193000}  # SOURCE
rows = {r["rank"]: r for r in json.load(open("out"))["rows"]}
for rank, want in wait.items():
    assert -1000000 < rows[rank]["mpi_wait"] - want < barrier[rank] + 1000000, rows[rank]
    assert rows[rank]["wait"] is None and rows[rank]["transfer"] is None, rows[rank]
    assert (rows[rank]["wait_share"] > 0.4) == (rank in (3, 4)), rows[rank]
END
expect 0 "$WARPLENS" nccl mpi-cfd-5of8
prints '10000 of 10000 MPI sends, receives and waits are not matched'
expect 0 "$WARPLENS" findings mpi-cfd-5of8 -f jsonl --where 'code = straggler'
[[ ! -s out ]] || fail "a straggler is named: $(cat out)"

# --- ten files of two jobs -------------------------------------------------------------------------
cd omp-2x8-internal
expect 2 "$WARPLENS" kernels .
says 'these files are of 2 jobs'
expect 2 "$WARPLENS" ./*.sqlite
says 'give the files of one with --job, or a directory of them'
for files in 'report1 report2 report3 report4 report5 report6 report7 report8' 'report9 report16'; do
	read -ra names <<<"$files"
	expect 0 "$WARPLENS" info --section files -f csv "${names[@]/%/.sqlite}" --job
	[[ $(wc -l <../out) == $((${#names[@]} + 1)) ]] || fail "$ran: not a row per file"
done
cd ..
finish
