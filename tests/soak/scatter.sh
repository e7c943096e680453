#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# scatter.sh - fleet scatter under the real Slurm of Debian with four nodes: a job of 64 ranks by script and by array, a file that
# is not a trace, one that takes too long, and a node that is killed in the middle.
#
#   WARPLENS_LAUNCHERS_DIR  where Slurm is, or is unpacked to
#   SCATTER_SHORT           smaller traces and no array, for the test fleet.slurm
#
# Exit status: 77 where Slurm cannot be started (no root, no Debian, no network).
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
root=$(cd "$here/.." && pwd)
# shellcheck source=tests/support/launchers.sh
. "$here/support/launchers.sh"
nodes=4 ranks=64 iters=20 layers=4
[[ -z ${SCATTER_SHORT:-} ]] || iters=3 layers=1
export PATH=$work/bin:$PATH

# Four nodes on this machine, each with a port and a directory of its own.
write_cluster() {
	local base=$((20000 + $$ % 20000))
	cat >"$1/slurm.conf" <<-END
		ClusterName=four
		SlurmctldHost=localhost
		SlurmUser=root
		SlurmdUser=root
		SlurmctldPort=$base
		AuthType=auth/munge
		AuthInfo=socket=$1/munge/socket
		CredType=cred/munge
		PluginDir=$libraries/slurm-wlm
		StateSaveLocation=$1/state
		SlurmdSpoolDir=$1/spool.%n
		SlurmctldPidFile=$1/slurmctld.pid
		SlurmdPidFile=$1/slurmd.%n.pid
		SlurmctldLogFile=$1/slurmctld.log
		SlurmdLogFile=$1/slurmd.%n.log
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		SlurmdParameters=config_overrides
		SchedulerType=sched/builtin
		SelectType=select/cons_tres
		SelectTypeParameters=CR_CPU
		ReturnToService=2
		SlurmdTimeout=10
		MpiDefault=none
		SwitchType=switch/none
		JobAcctGatherType=jobacct_gather/none
	END
	for ((i = 0; i < nodes; i++)); do
		echo "NodeName=n$i NodeHostname=localhost NodeAddr=127.0.0.1 Port=$((base + 1 + i)) CPUs=2 State=UNKNOWN"
	done >>"$1/slurm.conf"
	echo "PartitionName=all Nodes=n[0-$((nodes - 1))] Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES" >>"$1/slurm.conf"
}

start_cluster() {
	local i
	mungekey -c -k "$1/munge/key" -b 1024 2>"$work/err" || return 1
	munged -f --key-file="$1/munge/key" -S "$1/munge/socket" --pid-file="$1/munge/pid" \
		--log-file="$1/munge/log" --seed-file="$1/munge/seed" 2>"$work/err" || return 1
	slurmctld 2>"$work/err" || return 1
	for ((i = 0; i < nodes; i++)); do
		mkdir -p "$1/spool.n$i"
		slurmd -N "n$i" -d "$tree/usr/sbin/slurmstepd-wlm" 2>"$work/err" || return 1
	done
	for ((i = 0; i < 100; i++)); do
		[[ $(sinfo -h -N -o %t 2>/dev/null | grep -c '^idle') == "$nodes" ]] && return 0
		sleep 0.2
	done
	return 1
}

stop_nodes() {
	local file
	for file in "$work"/cluster/{slurmd.*.pid,slurmctld.pid,munge/pid}; do
		[[ ! -s $file ]] || kill "$(<"$file")" 2>/dev/null || true
	done
	sleep 2
}
trap 'tidied=$?; stop_nodes; rm -rf "$work"; exit $tidied' EXIT
has_slurm || { echo "skipped: no Slurm with $nodes nodes"; exit 77; }
ln -s "$WARPLENS" "$work/bin/warplens"
cd "$work"
python3 -B "$here/support/gen_trace.py" -o job --ranks $ranks --iters $iters --layers $layers --split >/dev/null
count() { find "$1" -name '*.wlfacts' | wc -l; }

# Processes of this cluster's tasks on a node: by their directory and what Slurm set for them.
tasks_of() {
	local proc
	for proc in /proc/[0-9]*; do
		[[ $(readlink "$proc/cwd" 2>/dev/null) == "$work" ]] || continue
		tr '\0' '\n' <"$proc/environ" 2>/dev/null | grep -qx "SLURMD_NODENAME=$1" && echo "${proc#/proc/}"
	done
	return 0
}

# By script: what scatter prints, as sbatch runs it; a file that is not a trace costs only itself.
echo nothing >job/broken.sqlite
try warplens fleet scatter job/*.sqlite --script --nodes $nodes --key project=llm -o facts
cp "$work/out" job.sh
try timeout 300 sbatch --wait -o script.out job.sh
[[ $(count facts) == "$ranks" ]] || fail "script: $(count facts) of $ranks, $(tail -3 script.out)"
[[ $(grep -c 'traces have facts in facts' script.out) == "$nodes" ]] || fail "script: each of $nodes tasks says what it did"
grep -q 'broken.sqlite is neither' script.out || fail "script: names the file that is not a trace"
rm job/broken.sqlite
try warplens ranks facts -f csv
[[ $(wc -l <"$work/out") == $((ranks + 1)) ]] || fail "ranks of the facts: $(wc -l <"$work/out")"

# By array: a task per part; a limit that one trace exceeds.
if [[ -z ${SCATTER_SHORT:-} ]]; then
	printf '#!/bin/sh\nexec warplens fleet scatter --key project=llm -o array job/*.sqlite\n' >array.sh
	try timeout 300 sbatch --wait --array=1-8 -o array.%a.out array.sh
	diff -r facts array >/dev/null || fail "array: other facts than the script"
fi
try warplens fleet scatter "job/$(ls job | grep '\.sqlite$' | head -1)" -o limited --limit 1ms
grep -q 'raise --limit' "$work/err" || fail "limit"

# A node is killed in the middle: the others finish, and the same script finishes the rest.
sed -e 's/-o facts/-o killed/' job.sh >killed.sh
sbatch -o killed.out --requeue killed.sh >/dev/null
for ((i = 0; i < 200; i++)); do [[ -d killed ]] && (($(count killed) >= 4)) && break; sleep 0.05; done
before=$(count killed)
kill -9 "$(<"$work/cluster/slurmd.n3.pid")" 2>/dev/null || true
for pid in $(tasks_of n3); do kill -9 "$pid" 2>/dev/null || true; done
slurmd -N n3 -d "$tree/usr/sbin/slurmstepd-wlm" 2>"$work/err" || fail "n3 does not start again"
for ((i = 0; i < 600; i++)); do [[ -z $(squeue -h 2>/dev/null) ]] && break; sleep 0.2; done
between=$(count killed)
try timeout 300 sbatch --wait -o again.out killed.sh
[[ $(count killed) == "$ranks" ]] || fail "killed: $(count killed) of $ranks after $before and $between"
diff -r facts killed >/dev/null || fail "killed: other facts"
echo "node killed after $before of $ranks; $between when the job ended; $(count killed) after the same script"
finish
