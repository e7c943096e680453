#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""random_jobs.py SEED DIRECTORY: a small random job as SQLite exports, the same one for the same seed.

2 to 6 ranks on 1 to 3 hosts, each host with a clock of its own; one file per rank, per host or for all; 1 to 3 communicators
with or without payloads; cut heads and tails, absent ranks, equal pids in all files, rank sources that repeat or lack values,
equal arrivals, a communicator that loses its order, MPI rows. What the definition leaves open is avoided.
"""
import os
import random
import struct
import sys

import writer

TYPES = ("AllReduce", "AllGather", "ReduceScatter")
VARIABLES = ("RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID")
SOURCES = ("label", "nccl", "mpi") + VARIABLES + ("file",)
EPOCH = 1_700_000_000_000_000_000
COMPUTE = (("gemm_kernel", 200_000), ("softmax_kernel", 40_000), ("norm_kernel", 12_000))


class Rank:
    """One simulated rank; its number in the job is for the reader to find out."""
    def __init__(self, index, host):
        self.index, self.host = index, host
        self.cpu = self.gpu = 0
        self.free, self.rows, self.correlation = {}, [], 0
        self.planted = {}                                   # correlation id of a collective -> which one it is
        self.slow = 1.0

    def add(self, step, table, start, end, **more):
        self.rows.append((step, table, start, end, more))

    def call(self, step, name, length, gap=1500):
        self.correlation += 1
        start = self.cpu
        self.add(step, "call", start, start + length, name=name, correlation=self.correlation)
        self.cpu = start + length + gap
        return start, start + length


class Job:
    """Simulates the job on one true clock, then writes each file on its host's."""
    def __init__(self, seed):
        self.r, self.epoch, self.jump = random.Random(seed), EPOCH, 0   # jump: of the last host's clock, half way
        r = self.r
        self.quantum = r.choice([1, 1, 1, 1000])
        present = r.randint(2, 6)
        self.world = present + r.choice([0, 0, 0, 1, 2])
        hosts = r.randint(1, min(3, present))
        self.ranks = [Rank(i, i * hosts // self.world) for i in range(self.world)]
        for i in r.sample(range(self.world), self.world - present):
            self.ranks[i].host = None if sum(x.host is not None for x in self.ranks) > present else self.ranks[i].host
        self.hosts = sorted({x.host for x in self.ranks if x.host is not None})
        self.clock = {h: (0, 0) if len(self.hosts) == 1 else (r.randint(-3_000_000, 3_000_000), r.randint(-20_000, 20_000)) for h in self.hosts}
        self.steps = r.randint(26, 34) if len(self.hosts) > 1 else r.randint(6, 20)
        self.gap = 50_000_000 if len(self.hosts) > 1 else r.choice([0, 20_000])
        self.layout = r.choice(["rank", "rank", "host", "all"] if len(self.hosts) == 1 else ["rank", "rank", "host"])
        self.payload = r.choice([None, None, "2.16", "2.25", "2.25"])
        self.jitter = r.choice([0, 300, 1500])
        self.communicators = self.make_communicators()
        self.mpi = r.random() < 0.3
        self.syncs = r.random() < 0.5
        self.desync = (r.randrange(len(self.communicators)), r.randrange(3, self.steps - 1)) if self.payload == "2.25" and r.random() < 0.3 else None
        if r.random() < 0.5:
            r.choice(self.ranks).slow = r.uniform(1.1, 1.6)
        for step in range(self.steps):
            self.simulate(step)

    def make_communicators(self):
        """[(stream, groups of ranks, types per step, hash)]; the first has all ranks."""
        r, everybody = self.r, list(range(self.world))
        out = [(20, [everybody], r.choices(TYPES, k=r.randint(1, 2)))]
        for stream in (24, 28)[:r.randint(0, 2)]:
            width = r.choice([2, 3])
            shuffled = everybody if r.random() < 0.5 else r.sample(everybody, self.world)
            out.append((stream, [shuffled[i:i + width] for i in range(0, self.world, width)], r.choices(TYPES, k=1)))
        return out

    def q(self, t):
        return t - t % self.quantum

    def simulate(self, step):
        r = self.r
        for x in self.ranks:
            x.cpu = self.q(max(x.cpu, x.gpu) + self.gap + 1_000 + (r.randrange(40_000) if self.quantum == 1 else 0))
            x.begin = x.cpu
        for number, (stream, groups, types) in enumerate(self.communicators):
            for turn, kind in enumerate(types):
                for x in self.ranks:
                    self.compute(x, step)
                for i, group in enumerate(groups):
                    self.collective((step, number, i, turn), [self.ranks[g] for g in group], stream, kind)
        for x in self.ranks:
            if self.syncs:
                start = x.cpu
                end = max(start + 2_000, x.gpu + 1_500)
                x.correlation += 1
                x.add(step, "call", start, end, name="cudaStreamSynchronize_v3020", correlation=x.correlation)
                x.add(step, "sync", start + 300, end - 200, correlation=x.correlation, stream=7)
                x.cpu = end + 1_000
        if self.mpi:
            self.host_collective(step)
        for x in self.ranks:
            x.add(step, "nvtx", x.begin - 200, x.cpu + 100, name="iteration %d" % step)

    def compute(self, x, step):
        for name, length in self.r.sample(COMPUTE, 2):
            _, end = x.call(step, "cudaLaunchKernel_v7000", 4_000)
            start = self.q(max(end + 1_800, x.gpu + 900))
            x.gpu = start + self.q(int(length * self.r.uniform(0.7, 1.3) * x.slow))
            x.add(step, "kernel", start, x.gpu, name=name, stream=7, correlation=x.correlation)

    def collective(self, instance, members, stream, kind):
        step, number, group, _ = instance
        starts, told = {}, {}
        for x in members:
            begin, end = x.call(step, "cudaLaunchKernelExC_v11060", 6_000)
            size = 4096 * (number + 1) * (2 if self.is_astray(instance, x, members) else 1)
            x.add(step, "nccl", begin - 300, end + 300, name="nccl" + kind, payload=self.body(number, group, kind, size))
            x.planted[x.correlation] = instance
            starts[x] = self.q(max(end + 1_800, x.gpu, x.free.get(stream, 0)))
            told[x] = x.correlation
        last = max(starts.values()) + self.q(self.r.randint(20_000, 60_000))
        for x in members:
            end = last + (self.r.randint(0, self.jitter) if self.quantum == 1 else 0)
            x.add(step, "kernel", starts[x], end, name="ncclDevKernel_%s_Sum_f32_RING_LL" % kind, stream=stream, correlation=told[x])
            x.free[stream], x.gpu = end + 700, max(x.gpu, end + 900)

    def is_astray(self, instance, x, members):
        """Whether a member's call has another size than the others': the group has lost its order."""
        return self.desync == (instance[1], instance[0]) and x is members[-1] and len(members) > 1

    def host_collective(self, step):
        last = max(x.cpu for x in self.ranks) + self.r.randint(3_000, 9_000)
        for x in self.ranks:
            end = last + self.r.randint(0, self.jitter)
            x.add(step, "mpi", x.cpu, end, name="MPI_Allreduce" if step % 5 else "MPI_Barrier")
            x.cpu = end + 2_000

    def body(self, number, group, kind, bytes_):
        """A payload: (schema id, bytes) or None."""
        if self.payload is None:
            return None
        schema = {"AllReduce": 7, "AllGather": 4, "ReduceScatter": 8}[kind] + 16777216
        out = struct.pack("<Q", 0x1000 * (number + 1) + group) if self.payload == "2.25" else b""
        out += struct.pack("<Q", bytes_) + (b"" if kind == "AllGather" else struct.pack("<iI", 0, 0))
        return schema, out

    # --- files -------------------------------------------------------------------------------------------

    def sources(self, n, one_each):
        """Values per process and source: one source is whole and distinct, those before it are not."""
        r = self.r
        usable = [s for s in SOURCES if (one_each or s in ("label", "nccl", "mpi")) and (s != "nccl" or self.payload)] + ["order"]
        chosen, out = r.choice(usable), {}
        for source in SOURCES:
            values = r.sample(range(self.world), n)
            before = source not in usable or (chosen == "order" or SOURCES.index(source) < SOURCES.index(chosen))
            if before and (source in usable or source in VARIABLES):
                spoil = r.choice(["absent", "equal", "some"])
                values = [None] * n if spoil == "absent" else [0] * n if spoil == "equal" else [None] + values[1:]
            elif source not in usable or (source != chosen and r.random() < 0.4):
                values = [None] * n
            out[source] = values
        return out

    def write(self, directory):
        """Writes the files; returns their paths."""
        r = self.r
        present = [x for x in self.ranks if x.host is not None]
        key = {"rank": lambda x: x.index, "host": lambda x: x.host, "all": lambda x: 0}[self.layout]
        groups = {}
        for x in present:
            groups.setdefault(key(x), []).append(x)
        groups = list(groups.values())
        r.shuffle(groups)
        one_each = all(len(g) == 1 for g in groups)
        values = self.sources(len(present), one_each)
        env, same_pids, named = self.environment(), r.random() < 0.5, r.random() < 0.6 or len(self.hosts) > 1 and not one_each
        cut = r.random() < 0.4
        paths, at, self.files = [], 0, {}
        for number, group in enumerate(groups):
            mine = {s: v[at:at + len(group)] for s, v in values.items()}
            name = "report%s.sqlite" % chr(97 + number) if values["file"][at] is None else "report%02d.sqlite" % values["file"][at] \
                if one_each else "trace%s.sqlite" % chr(97 + number)
            if any(os.path.basename(p) == name for p in paths):
                name = "again%d_%s" % (number, name)
            head, tail = (r.choice([0, 0, 1, 2]), r.choice([0, 0, 1, 2])) if cut else (0, 0)
            variables = dict(env, **{v: mine[v][0] for v in VARIABLES if mine[v][0] is not None})
            paths.append(os.path.join(directory, name))
            pids = [(4000 + i if same_pids else 5000 + 10 * at + i) for i in range(len(group))]
            self.write_file(paths[-1], group, pids, mine, variables, named or len(self.hosts) == 1 and self.gap == 20_000, (head, self.steps - tail))
            for x, pid in zip(group, pids):
                self.files[x] = os.path.basename(name), pid, (head, self.steps - tail)
            at += len(group)
        return paths

    def expected(self):
        """The collectives to be matched: a set of sets of (file, pid, correlation id)."""
        calls = {}
        for x in self.files:
            for correlation, instance in x.planted.items():
                calls.setdefault(instance, {})[x] = correlation
        out, stopped = set(), set()
        for instance, members in sorted(calls.items(), key=lambda pair: (pair[0][1:3], pair[0][0], pair[0][3])):
            whole = all(self.files[x][2][0] <= instance[0] < self.files[x][2][1] for x in members)
            group = [self.ranks[g] for g in self.communicators[instance[1]][1][instance[2]]]
            if whole and len(members) > 1 and any(self.is_astray(instance, x, group) for x in members):
                stopped.add(instance[1:3])
            if whole and len(members) > 1 and instance[1:3] not in stopped:
                out.add(frozenset(self.files[x][:2] + (c,) for x, c in members.items()))
        return out

    def environment(self):
        r, out = self.r, {}
        if r.random() < 0.5:
            out["SLURM_JOB_ID"] = 77
        elif r.random() < 0.5:
            out.update(MASTER_ADDR="10.0.0.1", MASTER_PORT=29500)
        if r.random() < 0.5:
            out["WORLD_SIZE"] = self.world
        return dict(out, HOME="/home/somebody", SECRET_TOKEN="do not show")

    def write_file(self, path, group, pids, values, variables, named, kept):
        host = group[0].host
        offset, drift = self.clock[host]
        session = -self.r.randint(5_000_000, 60_000_000)

        middle = self.ranks[0].cpu // 2

        def tick(t):
            return t + offset + t * drift // 1_000_000_000 - session + (self.jump if host == self.hosts[-1] and t > middle else 0)
        out = writer.File(path, self.payload)
        for i, (x, pid) in enumerate(zip(group, pids)):
            out.process(pid)
            if values["label"][i] is not None:
                out.label(pid, tick(0) - 900_000, tick(0) - 800_000, "rank=%d" % values["label"][i])
            if values["nccl"][i] is not None:
                out.init(pid, tick(0) - 700_000, 0x1000, self.world, values["nccl"][i])
            if values["mpi"][i] is not None:
                out.mpi_rank(pid, values["mpi"][i])
            for step, table, start, end, more in x.rows:
                if kept[0] <= step < kept[1]:
                    out.add(table, pid, i, tick(start), tick(end), more)
        latest = max(row[3] for x in group for row in x.rows)
        out.finish(self.epoch + session, session + 1_000_000_000_000 * (host + 1), tick(latest) + 1_000_000, "node%d" % host if named else None, variables)


def make(seed, directory):
    """Writes the job of a seed and returns the paths of its files."""
    return Job(seed).write(directory)


if __name__ == "__main__":
    os.makedirs(sys.argv[2], exist_ok=True)
    print("\n".join(make(int(sys.argv[1]), sys.argv[2])))
