# SPDX-License-Identifier: MIT
"""Ranks, hosts, and whether files are one job.

A process's rank comes from the first source that gives every process a value, no two the same.
"""
import os
import re

import payload

VARIABLES = ("RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID")
SIZES = ("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS")
BOOT_FROM = (3, 23, 3)
LABEL = re.compile(r"\brank=(\d+)")
MESH = re.compile(r"\b(pp|dp|cp|ep|tp)=(\d+)(?:/(\d+))?")


def number(text):
    return int(text) if text is not None and re.fullmatch(r"\d+", str(text)) else None


def labelled(process):
    """The first range of the process, by start, whose name says rank=N."""
    for r in sorted(process.ranges, key=lambda r: r.start):
        found = LABEL.search(r.name or "")
        if found:
            return int(found.group(1)), r.name
    return None, None


def from_file_name(process):
    digits = re.findall(r"\d+", os.path.splitext(process.file.name)[0])
    return int(digits[-1]) if digits else None


def from_mpi(process):
    said = {r["rank"] for r in process.file.side["MPI_RANKS"] if r["globalTid"] >> 24 == process.key}
    return said.pop() if len(said) == 1 else None


def sources(job):
    """(name, value per process) of every source, in order of precedence."""
    yield "label", [labelled(p)[0] for p in job.processes]
    yield "nccl", [payload.rank_of(p) for p in job.processes]
    yield "mpi", [from_mpi(p) for p in job.processes]
    for variable in VARIABLES:
        yield variable, [number(p.file.env.get(variable)) for p in job.processes]
    yield "file", [from_file_name(p) for p in job.processes]
    yield "order", list(range(len(job.processes)))


def assign(job):
    """Gives every process its rank and host; returns the source's name."""
    for name, values in sources(job):
        if None not in values and len(set(values)) == len(values):
            break
    for process, value in zip(job.processes, values):
        process.rank = value
        host = process.file.host_name()
        boot = process.file.utc - process.file.boot if process.file.schema >= BOOT_FROM and process.file.utc is not None \
            and process.file.boot is not None else None
        process.host = ("file", process.file.index) if host is None else ("host", host, boot)
    job.rank_source = name
    job.processes.sort(key=lambda p: p.rank)
    return name


def mesh(process):
    """Mesh coordinates of the process's label: {"pp": 1, ...}."""
    return {axis: int(at) for axis, at, _ in MESH.findall(labelled(process)[1] or "")}


def missing(job):
    """Ranks that the job has and the files have not; ranks by order say nothing of it."""
    ranks = {p.rank for p in job.processes}
    if job.rank_source == "order":
        return []
    for variable in SIZES:
        said = {number(f.env.get(variable)) for f in job.files}
        if len(said) == 1 and None not in said and max(ranks) < (size := said.pop()):
            return sorted(set(range(size)) - ranks)
    first = min(ranks) if job.rank_source == "file" else 0
    return sorted(set(range(first, max(ranks))) - ranks)


def span(file):
    """The stretch of UTC that a file covers."""
    times = [(o.start, o.end) for o in file.trace.ops] + [(m.start, m.end) for m in file.mpi]
    times += [] if times else [(0, file.duration)]
    return file.utc + min(s for s, _ in times), file.utc + max(e for _, e in times)


def sequence(file):
    """How many collectives of each type a file has; equal ones are a sign of one job."""
    out = {}
    for o in file.trace.ops:
        if o.cls == "comm":
            name = file.trace.kernel_name(o, "short") if o.kind == "kernel" else "copy"
            out[name] = out.get(name, 0) + 1
    for m in file.mpi:
        out[m.name] = out.get(m.name, 0) + 1
    return out


def together(a, b):
    """Whether two files are of one job."""
    for names in (("SLURM_JOB_ID",), ("MASTER_ADDR", "MASTER_PORT")):
        ids = [tuple(f.env.get(n) for n in names) for f in (a, b)]
        if None not in ids[0] + ids[1]:
            return ids[0] == ids[1]
    if a.utc is None or b.utc is None:
        return True
    (s, e), (t, f) = span(a), span(b)
    mine, theirs = sequence(a), sequence(b)
    return s < f and t < e and (mine == theirs == {} or any(k in theirs for k in mine))


def groups(job):
    """The files by job: lists of file indexes, one list when all are of one job."""
    left, out = list(job.files), []
    while left:
        group, grown = [left.pop(0)], True
        while grown:
            near = [f for f in left if any(together(f, g) for g in group)]
            group, left, grown = group + near, [f for f in left if f not in near], bool(near)
        out.append(sorted(f.index for f in group))
    return out
