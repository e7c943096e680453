# SPDX-License-Identifier: MIT
"""Ranks, hosts, files and clocks of a job.

A file's time is t + offset + t * drift / 1e9, t being the true time; its utcEpochNs belongs to 0 of its own time.
Offset = the host's offset plus the file's lead, the time from the file's session start to t = 0."""
import os, random, re

EPOCH = 1700000000000000000

def place(a):
    """Where ranks run and in which files they stand: hosts, files [(path, ranks)], clocks by rank."""
    rng = random.Random("hosts %d" % a.seed); n = a.hosts or 1
    hosts = [dict(name="node%02d" % (h + 1), ranks=[r for r in range(a.ranks) if r * n // a.ranks == h], offset_ns=0, drift_ppb=0,
                  boot_utc_ns=EPOCH - rng.randrange(86_400, 9_000_000) * 1_000_000_000 - rng.randrange(1_000_000_000)) for h in range(n)]
    ns, _, ppm = a.clock_skew.partition(":"); ns, ppm = int(ns or 0), float(ppm or 0)
    for h, host in enumerate(hosts[1:]):
        host["offset_ns"] = (-1 if h & 1 else 1) * int(ns * rng.uniform(.5, 1.0))
        host["drift_ppb"] = rng.choice((-1, 1)) * int(1000 * ppm * rng.uniform(.5, 1.0))
    if not a.split: return hosts, [(a.out, list(range(a.ranks)))], [(0, 0)] * a.ranks, [0] * a.ranks
    groups = [h["ranks"] for h in hosts] if a.split_by == "host" else [[r] for r in range(a.ranks)]
    lead = [0] * a.ranks; clocks = [None] * a.ranks
    for g in groups:
        x = rng.randrange(100_000_000, 3_000_000_000)
        for r in g: lead[r] = x
    for h in hosts:
        for r in h["ranks"]: clocks[r] = (h["offset_ns"] + lead[r], h["drift_ppb"])
    numbers = list(range(a.first_report, a.first_report + len(groups))); rng.shuffle(numbers)
    stem = (lambda i, g: "report%d" % numbers[i]) if a.names == "report" else (lambda i, g: "host%d" % i if a.split_by == "host" else "rank%d" % g[0])
    files = [(os.path.join(a.out, stem(i, g) + ".sqlite"), g) for i, g in enumerate(groups)]
    gone = {int(x) for x in a.missing.split(",")} if a.missing else set()
    return hosts, [(p, g) for p, g in files if not gone & set(g)], clocks, lead

def place_plain(a, rng):
    """Without hosts: a file per rank with its own clock, all begun at once."""
    clocks = [(0, 0)] * a.ranks
    if a.clock_skew:
        n, _, p = a.clock_skew.partition(":"); n, p = int(n), float(p or 0)
        for r in range(1, a.ranks): clocks[r] = ((1 if r & 1 else -1) * int(n * rng.uniform(.5, 1.0)), (1 if rng.random() < .5 else -1) * int(1000 * p * rng.uniform(.5, 1.0)))
    files = [(os.path.join(a.out, "rank%d.sqlite" % r), [r]) for r in range(a.ranks)] if a.split else [(a.out, list(range(a.ranks)))]
    return [dict(name="node01", ranks=list(range(a.ranks)), offset_ns=0, drift_ppb=0)], files, clocks, [0] * a.ranks

def epochs(a, lead, files):
    """utcEpochNs by rank; with --utc-jitter each file's is read a little wrong."""
    rng = random.Random("utc %d" % a.seed); utc = [EPOCH + a.begin - x for x in lead]
    for _, g in files:
        x = rng.randint(-a.utc_jitter, a.utc_jitter)
        for r in g: utc[r] += x
    return utc

def host_of(hosts, r): return next(h for h in hosts if r in h["ranks"])

def environment(a, hosts, ranks):
    """The variables of the launched process: of one rank where the file holds one, else of the launcher of several."""
    h = host_of(hosts, ranks[0]); local, one, r = len(h["ranks"]), len(ranks) == 1, ranks[0]; at = h["ranks"].index(r)
    env = [("HOSTNAME", h["name"]), ("NCCL_DEBUG", "WARN"), ("PATH", "/usr/local/bin:/usr/bin"), ("HF_TOKEN", "hf_generatedSecret%d" % a.seed), ("WANDB_API_KEY", "generated-secret-key")]
    slurm = [("SLURM_JOB_ID", str(a.job_id)), ("SLURM_NTASKS", str(a.ranks)), ("SLURM_NNODES", str(len(hosts))), ("SLURMD_NODENAME", h["name"])]
    if a.env in ("torch", "torchrun"):
        env += [("MASTER_ADDR", hosts[0]["name"]), ("MASTER_PORT", str(20000 + a.job_id % 10000))]
        if a.env == "torch": env += [("WORLD_SIZE", str(a.ranks)), ("LOCAL_WORLD_SIZE", str(local))]
        if a.env == "torch" and one: env += [("RANK", str(r)), ("LOCAL_RANK", str(at)), ("GROUP_RANK", str(hosts.index(h)))]
    elif a.env == "ompi":                                         # as srun nsys mpirun leaves it: SLURM_PROCID says 0 on all ranks
        env += slurm + [("SLURM_PROCID", "0"), ("SLURM_LOCALID", "0"), ("OMPI_COMM_WORLD_SIZE", str(a.ranks)), ("OMPI_COMM_WORLD_LOCAL_SIZE", str(local))]
        if one: env += [("OMPI_COMM_WORLD_RANK", str(r)), ("OMPI_COMM_WORLD_LOCAL_RANK", str(at)), ("PMIX_RANK", str(r))]
    elif a.env == "slurm":
        env += slurm
        if one: env += [("SLURM_PROCID", str(r)), ("SLURM_LOCALID", str(at)), ("PMI_RANK", str(r)), ("CUDA_VISIBLE_DEVICES", str(at))]
    return env

def rank_source(a, world):
    """The first source of section 13 that all processes have and that tells them apart."""
    head = any(x[1] not in ("0", "") for x in a.cuts)
    if a.labels and not head: return "label"
    if a.payloads not in (None, "ops") and world and not head: return "nccl"
    if a.mpi == "new": return "mpi"
    one = a.split and a.split_by == "rank"
    if one and a.env in ("torch", "ompi", "slurm"): return {"torch": "RANK", "ompi": "OMPI_COMM_WORLD_RANK", "slurm": "PMI_RANK"}[a.env]
    return "file name" if one else "order"

def shown(source, files):
    """By rank that has a file: the number that this source gives it."""
    natural = sorted(files, key=lambda f: [int(x) if x.isdigit() else x for x in re.split(r"(\d+)", os.path.basename(f[0]))])
    if source == "order": return {r: i for i, r in enumerate(r for _, g in natural for r in g)}
    return {r: int(re.findall(r"\d+", os.path.basename(p))[-1]) if source == "file name" else r for p, g in files for r in g}

def write_host(db, put, a, hosts, ranks, vm):
    """Rows of META_DATA_CAPTURE and TARGET_INFO_SYSTEM_ENV."""
    h = host_of(hosts, ranks[0]); env = environment(a, hosts, ranks)
    db.executemany("INSERT INTO META_DATA_CAPTURE VALUES (?,?)", [("DEVICE_DISPLAY_NAME", h["name"]), ("PROCESS_0:COMMAND", "/usr/bin/python3"), ("PROCESS_0:ARGUMENT_0", "train.py"),
                   ("PROCESS_0:WORKING_DIR", "/work/job")] + [("PROCESS_0:ENVIRONMENT_VARIABLE", '%s="%s"' % x) for x in env])
    named = () if a.no_hostname else (("Hostname", 619, h["name"]),)
    for name, number, value in named + (("OsDescription", 605, "Ubuntu 22.04.4 LTS"), ("DeviceEnvironment", 610, ";".join("%s=%s" % x for x in env))):
        put(db, "TARGET_INFO_SYSTEM_ENV", globalVid=vm, devStateName="Local (CLI)", name=name, nameEnum=number, value=value)
