# SPDX-License-Identifier: MIT
"""Naming conventions: patterns, stages, purposes and ranks (docs/definitions/: vocabulary.md, time.md, iterations.md).

Only what these pages spell out is built in. open: the patterns of megatron, vllm and pytorch, and auto-detection.
"""
import fnmatch
import os
import re

GENERIC = {"name": "generic", "anchor": None, "stage": None, "begins": "", "purposes": []}
PITHTRAIN = {"name": "pithtrain", "anchor": "forward chunk*backward chunk*", "stage": r"stage[1-5]_[fbw]", "begins": "layer",
             # open: how a stage leads to a purpose; 2 is dispatch and 4 combine in PithTrain, both all-to-alls
             "purposes": [("re:stage[24]_[fb]", "ep_a2a"), ("ring", "cp_ring"), ("pipeline", "pp_p2p")]}


def matches(pattern, name):
    """A pattern is a case-insensitive substring, or `re:` and a regular expression."""
    if pattern.startswith("re:"):
        return re.search(pattern[3:], name) is not None
    return pattern.lower() in name.lower()


def matches_anchor(pattern, name):
    """open: an iteration anchor is a glob for the whole name."""
    return fnmatch.fnmatchcase(name, pattern)


def is_nccl(r):
    """open: "named like a communication call" is a name that begins with nccl in any case."""
    return r.domain == "NCCL" or (r.name or "").lower().startswith("nccl")


def stage_of(conventions, stack, label, above=()):
    """(stage, whether it is bridged); stack: the ranges at the launch, innermost first; above: those open on the anchor thread,
    which give the stage where none of the stack does; label: how a range is called.

    open: where a convention has patterns and no range matches, the innermost range is the stage as without patterns."""
    def matched(r):
        found = re.findall(conventions["stage"], r.name or "") if conventions["stage"] else []
        return found[-1] if found and r.name.startswith(conventions["begins"]) else None

    def named(r):
        return None if is_nccl(r) else label(r)
    for stage in (matched, named):
        for bridged, ranges in ((False, stack), (True, above)):
            found = next((name for name in map(stage, ranges) if name is not None), None)
            if found is not None:
                return found, bridged
    return "(none)", False


def purpose_of(conventions, stack, label):
    """What a communication kernel is for, or None; stack as above. open: without purposes the stage itself."""
    if not conventions["purposes"]:
        stage, _ = stage_of(conventions, stack, label)
        return None if stage == "(none)" else stage
    for r in stack:
        for pattern, purpose in conventions["purposes"]:
            if matches(pattern, r.name or ""):
                return purpose
    return None


# --- ranks ------------------------------------------------------------------------------------------------

LABEL = re.compile(r"\brank=(\d+)")
COORDINATE = re.compile(r"\b([a-z]+)=(\d+)(?:/(\d+))?")
VARIABLES = ("RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID")


def rank_label(trace, process):
    """The first range of the process whose name says rank=N, or None."""
    found = [r for r in trace.ranges if r.process == process and LABEL.search(r.name or "")]
    return min(found, key=lambda r: r.start).name if found else None


def rank_of(trace, process):
    """NVTX label, MPI data, environment, file name, in that order; None if none says.

    open: environment and file name speak of the whole file, so they count only where one process used a GPU."""
    label = rank_label(trace, process)
    if label:
        return int(LABEL.search(label).group(1))
    for r in trace.mpi_ranks:
        if r["globalTid"] >> 24 == process:
            return r["rank"]
    if {op.process for op in trace.ops} == {process}:
        for r in trace.capture:
            name, _, value = (r["value"] or "").partition("=")
            if name in VARIABLES and value.isdigit():
                return int(value)
        named = re.search(r"rank[_-]?(\d+)", os.path.basename(trace.path))
        if named:
            return int(named.group(1))
    return None


def mesh(trace, process):
    """The coordinates of a label such as `rank=3; pp=1/4 dp=0/2; mbs=1 seq=4096`: {"pp": "1/4", …, "mbs": "1"}."""
    label = rank_label(trace, process)
    if not label:
        return {}
    return {key: at if size is None else "%s/%s" % (at, size)
            for key, at, size in ((m.group(1), m.group(2), m.group(3)) for m in COORDINATE.finditer(label)) if key != "rank"}
