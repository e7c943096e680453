# SPDX-License-Identifier: MIT
"""Matches collectives over members: by communicator where payloads name it, else in groups whose members end together."""
import bisect
import re

import lines
import payload
import ranks

TYPES = (("ReduceScatter", r"ReduceScatter|reduce_scatter"), ("AllReduce", r"AllReduce|all_?reduce|allreduce|cross_device_reduce|one_shot_reduce"),
         ("AllGather", r"AllGather|all_gather"), ("AllToAll", r"AllToAll|Alltoall|moeA2A"), ("Broadcast", r"Broadcast|Bcast"),
         ("SendRecv", r"SendRecv|pushsend|pushrecv"), ("Reduce", r"Reduce"))
MPI_TYPES = ("Allreduce", "Barrier", "Allgather", "Allgatherv", "Alltoall", "Alltoallv", "Reduce_scatter", "Reduce_scatter_block",
             "Bcast", "Reduce", "Gather", "Gatherv", "Scatter", "Scatterv", "Scan", "Exscan")
TOGETHER = ("AllReduce", "AllGather", "ReduceScatter", "MPI_Allreduce", "MPI_Barrier")   # all members end together
TOLERANCE, SHARE, LEAST = 5000, 0.95, 8          # LEAST: fewer ends than this fit a line of two clocks by chance


def collective_type(name):
    return next((kind for kind, pattern in TYPES if re.search(pattern, name)), "other")


class Member:
    """A (process, device) pair, or for MPI a process (ordinal None)."""
    def __init__(self, process, ordinal):
        self.process, self.ordinal, self.rank = process, ordinal, process.rank
        self.key = (process.rank, -1 if ordinal is None else ordinal)


class Collective:
    """One operation (or MPI call) of a member, on the job's clock."""
    def __init__(self, member, kind, row, role):
        self.member, self.kind, self.row, self.role = member, kind, row, role
        self.comm = self.bytes = self.match = None
        self.own_duration = row.end - row.start

    def place(self, job):
        p = self.member.process
        self.start, self.end = job.place(p, self.row.start), job.place(p, self.row.end)
        self.dur = self.own_duration


def roles(member):
    """Stream -> role: its class, and its position among the member's streams of that class."""
    kinds = {}
    for o in member.process.ops:
        if o.ordinal == member.ordinal:
            kinds.setdefault((o.context, o.stream), set()).add("copy" if o.kind in ("memcpy", "memset") else "comm" if o.cls == "comm" else "compute")
    classed = {}
    for stream, seen in sorted(kinds.items()):
        cls = "compute" if "compute" in seen else "comm" if "comm" in seen else "copy"
        classed.setdefault(cls, []).append(stream)
    return {stream: (cls, i) for cls, streams in classed.items() for i, stream in enumerate(streams)}


def nccl_calls(process):
    """NCCL ranges of each thread in order of start: (range row position, start, end, name, payload)."""
    file, out = process.file, {}
    found = payload.attach(file)
    for i, row in enumerate(file.trace.nvtx_rows):
        name = file.trace.name_of(row) or ""
        if row["eventType"] == 59 and row["globalTid"] >> 24 == process.key and name.startswith("nccl"):
            out.setdefault(row["globalTid"], []).append((row["start"], row["end"], name, found.get(i, {})))
    return {thread: sorted(calls, key=lambda c: c[:2]) for thread, calls in out.items()}


def told(launch, calls):
    """(communicator, bytes) of the NCCL call around a launch; (None, None) where none or several communicators fit."""
    around = [c for c in calls if c[0] <= launch.start and c[1] is not None and launch.end <= c[1]]
    if not around:
        return None, None
    inner = max(around, key=lambda c: (c[0], -c[1]))
    if inner[2] == "ncclGroupEnd":
        depth, at = 0, None
        for c in reversed([c for c in calls if c[0] < inner[0]]):
            depth += (c[2] == "ncclGroupEnd") - (c[2] == "ncclGroupStart")
            at = c[0] if c[2] == "ncclGroupStart" else at
            if depth < 0 and c[2] == "ncclGroupStart":
                break
        inside = [c for c in calls if at is not None and at <= c[0] < inner[0] and c[2] not in ("ncclGroupStart", "ncclGroupEnd")]
        comms = {c[3].get("comm") for c in inside}
        if len(comms) != 1:
            return None, None
        return comms.pop(), inside[0][3].get("bytes") if len(inside) == 1 else None
    return inner[3].get("comm"), inner[3].get("bytes")


def gather(job):
    """Every collective of the job with its member, type, role and what payloads say."""
    out = []
    for p in job.processes:
        calls = nccl_calls(p)
        for ordinal in sorted({o.ordinal for o in p.ops}):
            member = Member(p, ordinal)
            role = roles(member)
            for o in p.ops:
                if o.cls == "comm" and o.ordinal == ordinal:
                    kind = collective_type(p.file.trace.kernel_name(o)) if o.kind == "kernel" else "other"
                    c = Collective(member, kind, o, role[o.context, o.stream])
                    if o.launch is not None:
                        c.comm, c.bytes = told(o.launch, calls.get(o.launch.thread, ()))
                    out.append(c)
        member = Member(p, None)
        for m in p.mpi:
            if m.name.startswith("MPI_") and m.name[4:] in MPI_TYPES:
                c = Collective(member, m.name, m, ("mpi", 0))
                c.comm, c.bytes = m.communicator, m.bytes
                out.append(c)
    complete(out)
    for c in out:
        c.place(job)
    return out


def complete(collectives):
    """Operations whose call the capture cut off belong to their stream's communicator; of several, nobody knows which."""
    known = {}
    for c in collectives:
        if c.comm is not None and c.role[0] != "mpi":
            known.setdefault((c.member, c.role), set()).add(c.comm)
    for c in collectives:
        if c.comm is None and (c.member, c.role) in known:
            comms = known[c.member, c.role]
            c.comm = next(iter(comms)) if len(comms) == 1 else ("unknown", c.member.key)


def lanes(collectives):
    """Lane key -> member -> its collectives in order. A communicator's lane has all its types."""
    out = {}
    for c in collectives:
        key = ("comm", c.comm) if c.comm is not None and not c.kind.startswith("MPI_") else ("lane", c.kind, c.role, c.comm)
        out.setdefault(key, {}).setdefault(c.member, []).append(c)
    for members in out.values():
        for queue in members.values():
            queue.sort(key=lambda c: (c.end, c.start))      # the k-th ones end together; on a stream they may overlap
    return out


def same_clock(job, a, b):
    return job.fitted or a.process.host == b.process.host


def shift_of(job, mine, theirs, tolerance):
    """(agreeing, overlap, shift) of the best index shift: mine[i] meets theirs[i + shift]."""
    ends = [c.end for c in theirs]
    if same_clock(job, mine[0].member, theirs[0].member):
        votes = {0: 0}
        for i, c in enumerate(mine):
            for j in range(bisect.bisect_left(ends, c.end - tolerance), bisect.bisect_right(ends, c.end + tolerance)):
                votes[j - i] = votes.get(j - i, 0) + (theirs[j].kind == c.kind)
        score = votes
    else:
        score = {}
        for s in range(1 - len(mine), len(theirs)):
            score[s] = lines.agreeing([(theirs[i + s].end, c.end) for i, c in enumerate(mine) if 0 <= i + s < len(theirs)
                                       and theirs[i + s].kind == c.kind], tolerance)
    best = max(score, key=lambda s: (score[s], -abs(s), s))
    overlap = sum(0 <= i + best < len(theirs) for i in range(len(mine)))
    return score[best], overlap, best


class Group:
    """Members of one communicator or of one inferred group, with the place of each member's first instance."""
    def __init__(self, key, member, queue):
        self.key, self.shift, self.queues, self.stopped = key, {member: 0}, {member: queue}, None

    def add(self, member, queue, shift):
        self.shift[member], self.queues[member] = shift, queue

    def overlaps(self, queue, shift):
        """Whether some instance is left that all members have, this one included."""
        low = max([shift, *self.shift.values()])
        return low < min([shift + len(queue)] + [self.shift[m] + len(q) for m, q in self.queues.items()])

    def representative(self):
        return next(iter(self.queues))

    def instances(self):
        """Rows of one collective per member, where all members have it; stops at the first mismatch of type or bytes."""
        if len(self.queues) < 2:
            return
        low = max(self.shift[m] for m in self.queues)
        high = min(self.shift[m] + len(q) for m, q in self.queues.items())
        for i in range(low, high):
            row = [q[i - self.shift[m]] for m, q in self.queues.items()]
            if len({c.kind for c in row}) > 1 or len({c.bytes for c in row if c.bytes is not None}) > 1:
                self.stopped = i - low
                return
            yield row


def group_lane(job, key, members, tolerance):
    """The groups of one lane: all members of a communicator, or those that end together with a representative."""
    out = []
    for member in sorted(members, key=lambda m: (-len(members[m]), m.key)):     # the longest represents its group
        queue = members[member]
        for group in out:
            head = group.representative()
            if head.process is member.process and head.ordinal == member.ordinal:
                continue
            joins, shift = fits(job, queue, group, tolerance)
            if key[0] == "comm" or joins and group.overlaps(queue, shift):
                group.add(member, queue, shift)
                break
        else:
            out.append(Group(key, member, queue))
    return by_label(out) if key[1] == "SendRecv" else out


def by_label(groups):
    """All-to-alls do not end together: members that no end has grouped go by mesh, those that differ in ep only, with equal counts."""
    alone = [g for g in groups if len(g.queues) == 1]
    out, found = [g for g in groups if len(g.queues) > 1], {}
    for g in alone:
        member, queue = next(iter(g.queues.items()))
        at = ranks.mesh(member.process)
        rest = tuple(sorted((k, v) for k, v in at.items() if k != "ep"))
        found.setdefault((rest, len(queue)) if "ep" in at else id(g), []).append(g)
    for same in found.values():
        for g in same[1:]:
            member, queue = next(iter(g.queues.items()))
            same[0].add(member, queue, 0)
        out.append(same[0])
    return out


class Match:
    """One collective on all members of its group."""
    def __init__(self, group, instance, row):
        self.group, self.instance, self.row, self.kind = group, instance, row, row[0].kind
        for c in row:
            c.match = self


def fits(job, queue, group, tolerance):
    """(whether a queue ends together with a group's representative, index shift)."""
    head = group.queues[group.representative()]
    agree, overlap, shift = shift_of(job, queue, head, tolerance)
    if overlap < LEAST and group.key[0] == "lane" and not same_clock(job, queue[0].member, head[0].member):
        return False, 0
    return agree > 0 and agree >= SHARE * overlap and 2 * overlap >= min(len(queue), len(head)), shift


def adopt(job, groups, tolerance):
    """Roles differ where members have unequal numbers of streams: a queue left alone joins a group of its type that it ends together with."""
    for g in [g for g in groups if len(g.queues) == 1 and g.key[0] == "lane"]:
        (member, queue), = g.queues.items()
        for other in groups:
            if other is g or other.key[0] != "lane" or other.key[1] != g.key[1] or any(m.key == member.key for m in other.queues):
                continue
            joins, shift = fits(job, queue, other, tolerance)
            if joins:
                other.add(member, queue, shift)
                groups.remove(g)
                break


def match(job, collectives, tolerance=TOLERANCE):
    """All matches of the job, in order of last arrival, and all groups."""
    groups = [g for key, members in sorted(lanes(collectives).items(), key=lambda kv: repr(kv[0])) for g in group_lane(job, key, members, tolerance)]
    adopt(job, groups, tolerance)
    for c in collectives:
        c.match = None
    found = [Match(g, i, row) for g in groups for i, row in enumerate(g.instances())]
    return sorted(found, key=lambda m: max(c.start for c in m.row)), groups
