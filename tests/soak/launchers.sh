#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# launchers.sh - the lines of "plan" and "coach" for mpirun, Slurm, torchrun and podman, run as they are printed, with the
# real launchers and the real nsys; those for Kubernetes are parsed. Each launcher is unpacked from Debian
# packages, and skipped where that fails (no network, no Debian, Slurm and podman without root).
#
#   WARPLENS_NSYS_DIR       where the real nsys is
#   WARPLENS_LAUNCHERS_DIR  where launchers are, or are unpacked to; 650 MB, most of it torch
#
# Exit status: 77 when nothing could be run.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
# shellcheck source=tests/support/capture.sh
. "$here/support/capture.sh"
# shellcheck source=tests/support/launchers.sh
. "$here/support/launchers.sh"
trap 'tidied=$?; stop_cluster; rm -rf "$work"; exit $tidied' EXIT
nsys=$(realpath "$nsys") # containers have no other directories
ln -s "$nsys" "$work/bin/nsys"
export PATH=$work/bin:$PATH
n_skipped=0

# files: of the plan in $work/plan, each text file with its name; lines: its command lines.
files() {
	awk '/^  [^ $]/ { name = substr($0, 3); next } /^    / && name { print substr($0, 5) >name; next } { name = "" }' "$work/plan"
}
lines() { sed -n 's/^  \$ //p' "$work/plan"; }

# execute NAME STATUS: the lines of $work/plan in a shell, in a directory of its own, as if pasted;
# sbatch also waits for its job. A plan that nsys spoils by itself is repeated, three times at most.
execute() {
	local try name=${1//[^a-z]/}
	for try in 1 2 3; do
		rm -rf "$work/job"
		mkdir "$work/job"
		tag=$$-$name-$try-$RANDOM status=0
		(export WL_TAG=$tag && cd "$work/job" && files && lines | sed 's/^sbatch /sbatch --wait /' >lines && timeout -k 5 120 sh -e lines) \
			>"$work/out" 2>"$work/err" </dev/null || status=$?
		cat "$work"/job/slurm-*.out >>"$work/out" 2>/dev/null || :
		grep -qE 'Local Endpoint|Agent launcher failed|Failed to start agent' "$work/out" "$work/err" || break
		n_retries=$((n_retries + 1))
	done
	sleep 0.5
	orphans=$(tagged | wc -l)
	[[ $orphans == 0 ]] || fail "$1: $orphans orphans: $(for p in $(tagged); do tr '\0' ' ' <"/proc/$p/cmdline"; echo; done | head -n 3)"
	[[ $status == "$2" ]] || fail "$1: exit status $status, not $2: $(tail -n 3 "$work/out")"
}

# launched NAME STATUS SAID REPORTS...: what the plan should come to: its exit status; how often the program said goodbye;
# the reports by name, each with the program's ranges.
launched() {
	local name=$1 want=$2 said=$3 before=$n_bad good=ok report got
	shift 3
	n_checks=$((n_checks + 1)) n_runs=$((n_runs + 1)) ran=$name
	execute "$name" "$want"
	got=$(grep -c 'the program says goodbye' "$work/out" || :)
	[[ $got == "$said" ]] || fail "$name: the program ran $got times, not $said"
	[[ $(cd "$work/job" && ls -- *.nsys-rep 2>/dev/null | tr '\n' ' ') == "${*/%/.nsys-rep} " ]] ||
		fail "$name: reports $(ls "$work/job"), not $*"
	for report; do
		ranges "$work/job/$report" || fail "$name: $report has no ranges of the program"
	done
	[[ $n_bad == "$before" ]] || good=FAIL
	listed "$name" $# $good
}

# listed NAME REPORTS [ok|FAIL]: a line of the table.
listed() { printf '| %-44s | %6s | %7s | %7s | %4s |\n' "$1" "$status" "$2" "$orphans" "${3:-}" >>"$work/table"; }

# ranges REPORT: it can be exported and has the steps of the program, 20 of each process that was recorded.
ranges() {
	[[ -e $1.sqlite ]] || nsys export --type sqlite -q true -f true -o "$1.sqlite" "$1.nsys-rep" >/dev/null 2>&1 || return 1
	python3 -c '
import sqlite3, sys
n = sqlite3.connect(sys.argv[1]).execute("select count(*) from NVTX_EVENTS where text = \"step\"").fetchone()[0]
assert n >= 19, n' "$1.sqlite" 2>/dev/null
}

plan() { "$WARPLENS" plan "$@" >"$work/plan" 2>"$work/err" || fail "plan $*"; }
skip() { n_skipped=$((n_skipped + 1)) && echo "skipped: $1 ($(tail -n 1 "$work/err" "$work/debs" 2>/dev/null | tr '\n' ' '))"; }

if has_mpirun; then
	mpi=(mpirun --allow-run-as-root --oversubscribe -np 2)
	plan --launcher mpirun -- "${mpi[@]}" "$program" 1
	launched 'mpirun, all ranks' 0 2 run.rank0 run.rank1
	plan --launcher mpirun --ranks 1 -- "${mpi[@]}" "$program" 1
	launched 'mpirun, rank 1 of 2' 0 2 run.rank1
	plan --launcher mpirun --for host --full -- "${mpi[@]}" "$program" 1
	launched 'mpirun, for host, full' 0 2 run.rank0 run.rank1
	plan --launcher mpirun --gate nvtx:step@LLM --again -- "${mpi[@]}" "$program" 1
	execute 'mpirun, gate, then without nsys' 0
	[[ $(ls "$work"/job/*.nsys-rep | wc -l) == 2 && $(grep -c goodbye "$work/out") == 4 ]] || fail "mpirun, gate: $(ls "$work/job")"
	listed 'mpirun, gate, then without nsys' 2
	again simply --launcher mpirun -- "${mpi[@]}" "$program" 1
	row 'capture --launcher mpirun' 0 2
	# mpirun ends the rank that nsys records, which may or may not have its report by then
	again simply --launcher mpirun --ranks 0 -- "${mpi[@]}" "$program" 1 3
	row 'capture --launcher mpirun, a rank fails' 3 "$reports"
	[[ $reports == 1 ]] || grep -q 'orte_abort_on_non_zero_status 0' "$work/err" || fail "$ran: does not say why there is no report"
	mpi+=(--mca orte_abort_on_non_zero_status 0)
	again simply --launcher mpirun --ranks 0 -- "${mpi[@]}" "$program" 1 3
	row 'the same, and mpirun lets ranks end' 3 1
	if [[ -s $fixtures/steps.sqlite ]]; then
		"$WARPLENS" coach "$fixtures/steps.sqlite" --for nccl --launcher mpirun -- "${mpi[@]}" "$program" 1 >"$work/plan" 2>"$work/err" || fail coach
		# nsys 2023.4 lacks this option, as the note says
		grep -q 'note: --include-blobs needs nsys 2024.6' "$work/plan" || fail "coach does not say which nsys has --include-blobs"
		sed -i 's/ --include-blobs=true//' "$work/plan"
		launched 'coach --launcher mpirun, with the export' 0 2 run.rank0 run.rank1
		[[ -s $work/job/run.rank0.sqlite && -s $work/job/run.rank1.sqlite ]] || fail "coach: no export of each rank: $(ls "$work/job")"
	fi
else
	skip 'no mpirun'
fi

if has_slurm; then
	plan --launcher slurm -- srun -n 2 "$program" 1
	launched 'Slurm, all ranks' 0 2 run.rank0 run.rank1
	plan --launcher slurm --ranks 1 -- srun -N 1 --ntasks=2 -t 00:05:00 "$program" 1
	launched 'Slurm, rank 1 of 2' 0 2 run.rank1
	plan --launcher slurm --ranks 0 --dir 'my reports' -- srun -n 2 --label "$program" 1
	execute 'Slurm, names with blanks' 0
	[[ -s $work/job/my\ reports/run.rank0.nsys-rep ]] || fail "Slurm, names with blanks: $(ls "$work"/job)"
	listed 'Slurm, names with blanks' 1
	plan --launcher slurm -- srun -n 2 "$program" 1 3
	launched 'Slurm, the job fails' 3 2 run.rank0 run.rank1
else
	skip 'no Slurm'
fi

if has_torchrun; then
	cat >"$work/train.py" <<-END
		import os, subprocess, sys
		import torch, torch.distributed as d
		d.init_process_group("gloo")
		x = torch.tensor([float(d.get_rank())])
		d.all_reduce(x)
		assert x.item() == 1 and sys.argv[1:] == ["--lr", "1e-4"], (x, sys.argv)
		os.environ.pop("LD_LIBRARY_PATH", None)
		sys.exit(subprocess.call(["$program", "1"]))
	END
	# -r and -t: with Python 3.11 torch 1.13 knows the values 1 and 2 only
	torch=(torchrun --nnodes 1 --nproc_per_node 2 -r 1 -t 1 --log_dir "$work/logs")
	plan --launcher torchrun -- "${torch[@]}" "$work/train.py" --lr 1e-4
	launched 'torchrun, one report for the node' 0 2 "run.$(hostname)"
	plan --launcher torchrun --ranks 0,1 -- "${torch[@]}" "$work/train.py" --lr 1e-4
	launched 'torchrun, a report for each rank' 0 2 run.rank0 run.rank1
	plan --launcher torchrun --ranks 1 -- "${torch[@]}" -m train --lr 1e-4
	launched 'torchrun, rank 1 of a module' 0 2 run.rank1
else
	skip 'no torchrun'
fi

if has_podman; then
	plan --launcher container -- podman run --rm "${mounts[@]}" empty "$program" 1
	launched 'podman, reports in this directory' 0 1 run
	plan --launcher container --gate nvtx:step@LLM --dir "$work/reports" -- podman run --rm "${mounts[@]}" empty "$program" 1 7
	mkdir "$work/reports"
	execute 'podman, gate, another directory, status 7' 7
	[[ -s $work/reports/run.nsys-rep ]] || fail "podman: no report in another directory"
	listed 'podman, gate, another directory, status 7' 1
	again simply --launcher container -- podman run --rm "${mounts[@]}" empty "$program" 1 3
	row 'capture --launcher container' 3 1
	interrupt() {
		begin --launcher container -- podman run --rm "${mounts[@]}" empty "$program" 30
		until_running
		sleep 0.5
		kill -INT "$capture"
		end
	}
	again interrupt
	row 'capture --launcher container, ^C' 130 1 'stopped by signal 2'
else
	skip 'no podman'
fi

# All plans that cli.plans expects are parsed: lines by sh, batch scripts by bash, YAML by PyYAML. What Nsight Operator gets as
# arguments of nsys is run, and the pattern for the program matches its command line.
for name in $(sed -n 's/^== \([^:]*\):.*/\1/p' "$here/plans/expected-2023.4.4"); do
	n_checks=$((n_checks + 1)) ran=$name
	sed -n "/^== $name:/,/^== /p" "$here/plans/expected-2023.4.4" | grep -v '^== ' >"$work/plan"
	rm -rf "$work/job"
	mkdir "$work/job"
	(cd "$work/job" && files && lines >lines && sh -n lines) || fail "$name: the lines are none of a shell"
	for file in "$work"/job/*.sbatch; do
		[[ ! -e $file ]] || bash -n "$file" || fail "$name: no batch script"
	done
done
if python3 -c 'import yaml' 2>/dev/null; then
	plan --nsys "$nsys" --launcher kubernetes --gate nvtx:decode@LLM -- "$program" 1
	arguments=$(python3 - "$work/job" "$program 1" <(cd "$work/job" && files) <<-'END'
		import re, sys, yaml
		values = yaml.safe_load(open(sys.argv[1] + "/nsight-values.yaml"))["nsight-injector"]["nsightToolConfig"]
		labels = yaml.safe_load(open(sys.argv[1] + "/pod-labels.yaml"))["metadata"]["labels"]
		assert labels == {"nvidia-nsight-profile": "enabled"}, labels
		assert any(re.fullmatch(p, sys.argv[2]) for p in values["injectionIncludePatterns"]), values
		print(values["nsightToolArgs"])
	END
	) || fail "Kubernetes: the values are not as they should be"
	printf '1. As the operator does:\n  $ nsys profile %s -o ./run %s 1\n' "$arguments" "$program" >"$work/plan"
	execute 'Kubernetes, the arguments of nsys' 0
	[[ -s $work/job/run.nsys-rep ]] || fail "Kubernetes, the arguments of nsys: no report"
	listed 'Kubernetes, the arguments of nsys' 1
else
	skip 'no PyYAML'
fi

table
[[ $n_skipped -lt 4 || $n_bad -gt 0 ]] || exit 77
finish
