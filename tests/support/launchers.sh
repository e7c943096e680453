# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# launchers.sh - real launchers for soak.launchers: sourced after capture.sh.
#
# Packages are unpacked below build/, see tools/get_debs.sh: 650 MB, most of it torch. Each has_... function makes one launcher usable in PATH
# and fails where it cannot be had. stop_cluster ends what has_slurm started.
launchers=${WARPLENS_LAUNCHERS_DIR:-$root/build/launchers}
mkdir -p "$work/bin" "$launchers"
launchers=$(cd "$launchers" && pwd)
multiarch=$(dpkg-architecture -qDEB_HOST_MULTIARCH 2>/dev/null || echo x86_64-linux-gnu)

# packages NAME FILE PACKAGE...: unpacked below $launchers/NAME, unless FILE is there. Sets $tree and $libraries.
packages() {
	tree=$launchers/$1 libraries=$launchers/$1/usr/lib/$multiarch
	local file=$2
	shift 2
	[[ -e $tree/$file ]] || TMPDIR=/tmp "$root/tools/get_debs.sh" "$tree" "$@" >"$work/debs" 2>&1
}

# wrapper NAME FILE [NAME=VALUE...]: a program of a tree, by the name that plans use, with its own libraries. Only the
# launcher has them: what it starts must not see them.
wrapper() {
	local name=$1 file=$2
	shift 2
	printf '#!/bin/sh\nexec env %s %s "$@"\n' "$*" "$file" >"$work/bin/$name"
	chmod +x "$work/bin/$name"
}

has_mpirun() {
	packages mpi usr/bin/orterun openmpi-bin || return 1
	wrapper mpirun "$tree/usr/bin/orterun" "OPAL_PREFIX=$tree/usr OPAL_LIBDIR=$libraries/openmpi/lib" \
		"LD_LIBRARY_PATH=$libraries:$libraries/openmpi/lib" "OMPI_MCA_btl_vader_single_copy_mechanism=none"
	mpirun --version >"$work/err" 2>&1
}

# torch 1.13: "torchrun" knows the names with an underscore only. Python is the one of Debian that it was built for.
has_torchrun() {
	packages torch usr/bin/torchrun python3-torch || return 1
	local lib=$libraries:$tree/usr/lib:$libraries/blas:$libraries/lapack:$tree/lib/$multiarch
	wrapper python /usr/bin/python3 "LD_LIBRARY_PATH=$lib" "PYTHONPATH=$tree/usr/lib/python3/dist-packages:$work"
	wrapper torchrun "/usr/bin/python3 $tree/usr/bin/torchrun" "LD_LIBRARY_PATH=$lib" \
		"PYTHONPATH=$tree/usr/lib/python3/dist-packages:$work" "PYTHON_EXEC=$work/bin/python" "OMP_NUM_THREADS=1"
	python -c 'import torch.distributed as d; assert d.is_available()' 2>"$work/err"
}

# podman with runc, which needs no cgroups of its own choice, and an image with nothing in it: what a container needs is
# mounted. Limits below those of this process, since raising them takes a capability. Needs root.
has_podman() {
	local name home=$work/podman
	[[ $(id -u) == 0 ]] || return 1
	packages podman usr/sbin/runc podman runc || return 1
	local lib=$libraries:$tree/lib/$multiarch
	mkdir -p "$home/empty"/{tmp,proc,dev,sys,etc,usr,bin,lib,lib64,reports}
	wrapper conmon "$tree/usr/bin/conmon" "LD_LIBRARY_PATH=$lib"
	wrapper runc "$tree/usr/sbin/runc" "LD_LIBRARY_PATH=$lib"
	cat >"$home/containers.conf" <<-END
		[engine]
		cgroup_manager = "cgroupfs"
		events_logger = "file"
		runtime = "runc"
		conmon_path = ["$work/bin/conmon"]
		[engine.runtimes]
		runc = ["$work/bin/runc"]
		[containers]
		netns = "host"
		seccomp_profile = "unconfined"
		apparmor_profile = "unconfined"
		default_sysctls = []
		default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
	END
	echo '{"default":[{"type":"insecureAcceptAnything"}]}' >"$home/policy.json"
	wrapper podman "$tree/usr/bin/podman --root $home/root --runroot $home/run --tmpdir $home/tmp --storage-driver vfs" \
		"LD_LIBRARY_PATH=$lib" "CONTAINERS_CONF=$home/containers.conf"
	tar -C "$home/empty" -c . | podman import --signature-policy "$home/policy.json" - empty >"$work/err" 2>&1 || return 1
	mounts=(-v "$work:$work" -v "${nsys%%/usr/lib/*}:${nsys%%/usr/lib/*}:ro" -e "PATH=$PATH" -e WL_TAG)
	for name in /usr /bin /lib /lib64; do
		mounts+=(-v "$name:$name:ro")
	done
	podman run --rm "${mounts[@]}" empty true >"$work/err" 2>&1
}

# A cluster of one node with two slots, on ports of its own. Needs root.
has_slurm() {
	local name cluster=$work/cluster
	[[ $(id -u) == 0 ]] || return 1
	packages slurm usr/bin/srun slurmctld slurmd slurm-client munge || return 1
	local lib=$libraries:$libraries/slurm-wlm:$tree/lib/$multiarch
	for name in srun sbatch sinfo squeue scontrol; do
		wrapper $name "$tree/usr/bin/$name" "LD_LIBRARY_PATH=$lib" "SLURM_CONF=$cluster/slurm.conf"
	done
	wrapper slurmctld "$tree/usr/sbin/slurmctld-wlm" "LD_LIBRARY_PATH=$lib" "SLURM_CONF=$cluster/slurm.conf"
	wrapper slurmd "$tree/usr/sbin/slurmd-wlm" "LD_LIBRARY_PATH=$lib" "SLURM_CONF=$cluster/slurm.conf"
	wrapper mungekey "$tree/usr/sbin/mungekey" "LD_LIBRARY_PATH=$lib"
	wrapper munged "$tree/usr/sbin/munged" "LD_LIBRARY_PATH=$lib"
	mkdir -p "$cluster/spool" "$cluster/state" "$cluster/munge"
	chmod 700 "$cluster/munge"
	write_cluster "$cluster"
	start_cluster "$cluster"
}

write_cluster() {
	cat >"$1/slurm.conf" <<-END
		ClusterName=one
		SlurmctldHost=localhost
		SlurmUser=root
		SlurmdUser=root
		SlurmctldPort=$((20000 + $$ % 20000))
		SlurmdPort=$((20001 + $$ % 20000))
		AuthType=auth/munge
		AuthInfo=socket=$1/munge/socket
		CredType=cred/munge
		PluginDir=$libraries/slurm-wlm
		StateSaveLocation=$1/state
		SlurmdSpoolDir=$1/spool
		SlurmctldPidFile=$1/slurmctld.pid
		SlurmdPidFile=$1/slurmd.pid
		SlurmctldLogFile=$1/slurmctld.log
		SlurmdLogFile=$1/slurmd.log
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		SchedulerType=sched/builtin
		SelectType=select/cons_tres
		SelectTypeParameters=CR_CPU
		ReturnToService=2
		MpiDefault=none
		SwitchType=switch/none
		JobAcctGatherType=jobacct_gather/none
		NodeName=localhost CPUs=$(nproc) State=UNKNOWN
		PartitionName=all Nodes=localhost Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES
	END
}

start_cluster() {
	local i
	mungekey -c -k "$1/munge/key" -b 1024 2>"$work/err" || return 1
	munged -f --key-file="$1/munge/key" -S "$1/munge/socket" --pid-file="$1/munge/pid" \
		--log-file="$1/munge/log" --seed-file="$1/munge/seed" 2>"$work/err" || return 1
	slurmctld 2>"$work/err" || return 1
	slurmd -N localhost -d "$tree/usr/sbin/slurmstepd-wlm" 2>"$work/err" || return 1
	for ((i = 0; i < 100; i++)); do
		! sinfo -h -o %t 2>/dev/null | grep -q '^idle' || return 0
		sleep 0.2
	done
	return 1
}

# They write while they end: each has two seconds for that.
stop_cluster() {
	local file pid i
	for file in "$work"/cluster/{slurmd.pid,slurmctld.pid,munge/pid}; do
		[[ -s $file ]] || continue
		pid=$(<"$file")
		kill "$pid" 2>/dev/null || continue
		for ((i = 0; i < 20; i++)); do
			kill -0 "$pid" 2>/dev/null || break
			sleep 0.1
		done
	done
}
