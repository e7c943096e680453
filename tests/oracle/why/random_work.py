#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""random_work.py SEED DIRECTORY: a small random job for the questions why and what if, the same one for the same seed.

1 to 8 ranks of one host in one file or a file each; two threads, several streams of all kinds, records and waits of events, blocking
calls, pageable and pinned copies, calls inside calls, graph launches, OS calls and wake-ups, collectives, MPI, calls that the capture lost.
Every step runs the same program with other lengths; now and then something is left out.
"""
import os
import random
import sqlite3
import sys

VM, NONE = 1 << 48, 4294967295
COPY = "start end deviceId contextId greenContextId streamId correlationId globalPid bytes copyKind srcKind dstKind graphNodeId"
TABLES = {
    "StringIds": "id value:TEXT",
    "CUPTI_ACTIVITY_KIND_KERNEL": "start end deviceId contextId greenContextId streamId correlationId globalPid demangledName shortName mangledName "
    "launchType registersPerThread gridX gridY gridZ blockX blockY blockZ graphNodeId",
    "CUPTI_ACTIVITY_KIND_MEMCPY": COPY,
    "CUPTI_ACTIVITY_KIND_MEMSET": "start end deviceId contextId greenContextId streamId correlationId globalPid value bytes graphNodeId memKind",
    "CUPTI_ACTIVITY_KIND_RUNTIME": "start end eventClass globalTid correlationId nameId returnValue callchainId",
    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": "start end deviceId contextId greenContextId streamId correlationId globalPid syncType eventId",
    "CUPTI_ACTIVITY_KIND_CUDA_EVENT": "deviceId contextId greenContextId streamId correlationId globalPid eventId",
    "TARGET_INFO_CUDA_STREAM": "streamId hwId vmId processId contextId priority flag",
    "CUPTI_ACTIVITY_KIND_OVERHEAD": "start end eventClass globalTid correlationId nameId overheadType",
    "CUPTI_ACTIVITY_KIND_JIT": "start end eventClass globalTid correlationId nameId overheadType jitEntryType jitOperationType deviceId "
    "jitOperationCorrelationId cacheSize cachePath:TEXT",
    "CUPTI_ACTIVITY_KIND_GRAPH_HOST_NODE_AND_HOST_LAUNCH": "start end deviceId contextId greenContextId streamId correlationId globalPid graphNodeId graphId",
    "OSRT_API": "start end eventClass globalTid nameId returnValue nestingLevel callchainId",
    "NVTX_EVENTS": "start end eventType rangeId category color text:TEXT globalTid endGlobalTid textId domainId jsonTextId jsonText:TEXT",
    "MPI_OTHER_EVENTS": "start end globalTid textId",
    "PROCESSES": "globalPid pid name:TEXT",
    "META_DATA_CAPTURE": "name:TEXT value:TEXT",
    "META_DATA_EXPORT": "name:TEXT value:TEXT",
    "TARGET_INFO_SYSTEM_ENV": "globalVid devStateName:TEXT name:TEXT nameEnum value:TEXT",
    "TARGET_INFO_SESSION_START_TIME": "utcEpochNs utcTime:TEXT localTime:TEXT",
    "ANALYSIS_DETAILS": "globalVid duration startTime stopTime",
}
ALWAYS = ("StringIds", "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME", "PROCESSES", "META_DATA_EXPORT", "TARGET_INFO_SESSION_START_TIME",
          "ANALYSIS_DETAILS")
KERNELS = (("gemm_kernel", 60_000), ("softmax_kernel", 15_000), ("norm_kernel", 6_000), ("add_kernel", 2_500))
EPOCH = 1_700_000_000_000_000_000


class Rank:
    """One process: the time of its two threads, when its streams are free, what events stand for."""
    def __init__(self, number, pid):
        self.number, self.pid = number, pid
        self.cpu, self.free, self.begun, self.event, self.wait = [100_000, 120_000], {}, {}, {}, {}
        self.rows, self.correlation, self.latest = [], 0, 0


class Work:
    """trouble: what makes the capture contradict itself or hides most of it: "lost" calls, a GPU clock that is "early", or None."""
    def __init__(self, seed, trouble=None):
        r = self.r = random.Random(seed)
        self.ranks = [Rank(i, 4000 + 7 * i) for i in range(r.choice([1, 1, 2, 2, 3, 4, 8]))]
        self.quantum = r.choice([1, 1, 1, 1, 100])
        self.streams = [7, 13, 14][:r.randint(1, 3)]
        self.flags = {s: r.choice([None, 1, 2]) for s in self.streams + [20]}
        self.flags[7] = r.choice([3, 3, 1, None])
        self.lose = r.choice([0, 0, 0, 0.02, 0.2])          # share of calls that the capture lost
        self.late = r.choice([1.0, 1.0, 1.4])               # of rank 0's kernels
        self.split = len(self.ranks) > 1 and r.random() < 0.3
        self.marked = r.random() < 0.8
        self.osrt = r.random() < 0.6
        self.program = self.make_program()
        self.steps = r.randint(3, 9)
        self.slow_step = r.randrange(self.steps) if r.random() < 0.3 else None
        if trouble == "lost":
            self.lose = r.choice([0.5, 0.8, 0.95])
        for step in range(self.steps):
            self.run_step(step)
        self.newer = random.Random("newer %d" % seed)
        for x in self.ranks if self.newer.random() < 0.7 else ():
            self.costs(x)
            self.host_functions(x)
        if trouble == "early":
            self.shift_operations(r.choice([2_000, 4_000, 8_000, 15_000]), r.choice([0.1, 0.3, 1.0]))

    def costs(self, x):
        """What some calls spend time on besides their own work, the compiler among it: parts of them, and the whole of few."""
        r = self.newer
        for _, row in [found for found in x.rows if found[0] == "CUPTI_ACTIVITY_KIND_RUNTIME"]:
            for _ in range(r.choice([0, 0, 0, 1, 2])):
                start, end = sorted(r.randint(row[0], row[1]) for _ in "ab") if r.random() < 0.8 else row[:2]
                if r.random() < 0.3:
                    x.rows.append(("CUPTI_ACTIVITY_KIND_JIT", (start, end, 0, row[3], row[4], None, 2, 1, r.choice([1, 3]), x.number, 1, 4096, "/cache")))
                else:
                    x.rows.append(("CUPTI_ACTIVITY_KIND_OVERHEAD", (start, end, 0, row[3], row[4], None, r.choice([2, 5, 6, 7, 8, 8]))))

    def host_functions(self, x):
        """Functions of the host between operations of a stream, rarely across them."""
        r, last = self.newer, {}
        ops = [row for table, row in x.rows if table in ("CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY")]
        for row in sorted(ops):
            before = last.get(row[5])
            last[row[5]] = max(row[1], before or row[1])
            if before is None or r.random() < 0.6 or before >= row[0] and r.random() < 0.9:
                continue
            start, end = sorted((before + r.randint(0, max(0, row[0] - before)), row[0] + r.choice([0, 0, 0, -100, 5_000])))
            x.rows.append(("CUPTI_ACTIVITY_KIND_GRAPH_HOST_NODE_AND_HOST_LAUNCH", (start, end, *row[2:8], None, None)))

    def shift_operations(self, by, share):
        """Makes a share of the operations start that much too early, as with a clock that is off: before their launch, or what they wait for."""
        tables = ("CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET")
        for x in self.ranks:
            x.rows = [(t, (row[0] - by,) + row[1:]) if t in tables and self.r.random() < share else (t, row) for t, row in x.rows]

    def make_program(self):
        """A list of (what, thread, stream, more)."""
        r, out = self.r, []
        kinds = ["kernel"] * 8 + ["nested", "graph", "memset", "copy", "copy", "pageable", "blocking", "record", "wait", "wait", "stream sync", "event sync",
                                  "device sync", "query", "gap", "other"]
        kinds += ["collective"] * 3 + ["mpi"] * r.choice([0, 1]) if len(self.ranks) > 1 else ["alone"] * r.choice([0, 1])
        if r.random() < 0.5:                                # a process without any event
            kinds = [k for k in kinds if k not in ("record", "wait", "event sync")]
        for _ in range(r.randint(5, 22)):
            what = r.choice(kinds)
            thread = 1 if r.random() < 0.15 and what not in ("collective", "mpi") else 0
            out.append((what, thread, r.choice(self.streams), r.randrange(1000)))
        return out

    def q(self, t):
        return int(t) - int(t) % self.quantum

    # --- what a rank does ------------------------------------------------------------------------------------

    def call(self, x, thread, name, length=None, gap=None):
        """A call on a thread: (start, end, correlation id)."""
        x.correlation += 1
        start = self.begin(x, thread, gap if gap is not None else self.r.randint(300, 4_000))
        end = start + max(self.quantum, self.q(length if length is not None else self.r.randint(900, 7_000)))
        x.cpu[thread] = end
        if self.r.random() >= self.lose:
            self.api(x, thread, name, start, end, x.correlation)
        return start, end, x.correlation

    def begin(self, x, thread, gap):
        """When a thread's next call begins: after all that other threads began, so that launches are in the order of this program."""
        x.latest = self.q(max(x.cpu[thread] + gap, x.latest + 200))
        return x.latest

    def api(self, x, thread, name, start, end, correlation):
        x.rows.append(("CUPTI_ACTIVITY_KIND_RUNTIME", (start, end, 0, self.tid(x, thread), correlation, name, 0, None)))

    def tid(self, x, thread):
        return VM | x.pid << 24 | x.pid + thread

    def ready(self, x, stream, launched):
        """When an operation on a stream can begin, and until when the host sees it on its way."""
        free = x.free.get(stream, 0) + self.r.choice([0, 300, 900])
        if x.begun.get(stream) is not None and self.r.random() < 0.08:
            free = x.begun[stream] + self.r.randint(200, 3_000)     # a dependent launch begins before the one before it ends
        waits = [x.wait.pop(stream, 0)]
        if self.flags[stream] == 3:
            waits += [x.free.get(s, 0) for s in self.streams if self.flags[s] == 1]
        elif self.flags[stream] == 1:
            waits += [x.free.get(s, 0) for s in self.streams if self.flags[s] == 3]
        return self.q(max([launched + self.r.randint(1_500, 6_000), free] + waits) + self.r.choice([0, 0, 0, 40, 1_500]))

    def runs(self, x, stream, start, end):
        x.begun[stream], x.free[stream] = start, max(end, x.free.get(stream, 0))

    def kernel(self, x, stream, correlation, launched, name, length, node=None):
        start = self.ready(x, stream, launched)
        end = start + self.q(max(self.quantum, length * self.r.uniform(0.8, 1.25) * (self.late if x.number == 0 else 1) * self.pace))
        self.kernel_row(x, stream, correlation, start, end, name, node)

    def kernel_row(self, x, stream, correlation, start, end, name, node=None):
        self.runs(x, stream, start, end)
        x.rows.append(("CUPTI_ACTIVITY_KIND_KERNEL", (start, end, x.number, 1, None, stream, correlation, VM | x.pid << 24, name, name, name, 1, 32,
                                                      8, 1, 1, 128, 1, 1, node)))

    def copy(self, x, stream, correlation, launched, size, kind, memory):
        start = self.ready(x, stream, launched)
        end = start + self.q(2_000 + size / (12 if 0 not in memory else 4))
        self.runs(x, stream, start, end)
        x.rows.append(("CUPTI_ACTIVITY_KIND_MEMCPY", (start, end, x.number, 1, None, stream, correlation, VM | x.pid << 24, size, kind, *memory, None)))
        return end

    def sync(self, x, thread, name, until, stream=NONE, event=NONE):
        """A call that blocks until a time."""
        x.correlation += 1
        start = self.begin(x, thread, self.r.randint(300, 2_000))
        end = self.q(max(start + self.r.randint(800, 2_500), until + self.r.randint(700, 3_000)))
        x.cpu[thread] = end
        self.api(x, thread, name, start, end, x.correlation)
        self.sync_row(x, start + 100, end - 100, stream, x.correlation, event)

    def sync_row(self, x, start, end, stream, correlation, event):
        x.rows.append(("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", (start, end, x.number, 1, None, stream, correlation, VM | x.pid << 24, 1, event)))

    def host_gap(self, x, thread, length):
        """Host time; often in an OS call. Sometimes the other thread ended just before: it woke this one."""
        begin = x.cpu[thread]
        x.cpu[thread] = self.q(begin + length)
        if self.osrt and self.r.random() < 0.8:
            name = self.r.choice(["futex", "poll", "read"])
            x.rows.append(("OSRT_API", (begin + 50, x.cpu[thread] - 50, 27, self.tid(x, thread), name, 0, 0, 0)))

    # --- the program ----------------------------------------------------------------------------------------

    def run_step(self, step):
        self.pace = 3.0 if step == self.slow_step else 1.0
        begin = {}
        for x in self.ranks:
            x.cpu[1] = max(x.cpu)                           # threads meet at the start of a step
            x.cpu[0] = self.q(x.cpu[1] + self.r.randint(2_000, 30_000))
            begin[x] = x.cpu[0]
        for what, thread, stream, more in self.program:
            if what in ("collective", "mpi"):
                getattr(self, what)(more)
                continue
            for x in self.ranks:
                if self.r.random() < 0.99 or what == "record":
                    getattr(self, "do_" + what.replace(" ", "_"))(x, thread, stream, more)
        for x in self.ranks:
            self.do_kernel(x, 0, self.streams[0], 0)        # a step without an operation is none
            x.cpu[0] = max(x.cpu) + 200
            if self.marked:
                x.rows.append(("NVTX_EVENTS", (begin[x], x.cpu[0] - 50, 59, None, None, None, "iteration %d" % step, self.tid(x, 0), None, None, 0, None, None)))

    def do_kernel(self, x, thread, stream, more):
        name, length = KERNELS[more % len(KERNELS)]
        _, end, correlation = self.call(x, thread, "cudaLaunchKernel_v7000")
        self.kernel(x, stream, correlation, end - 500, name, length)

    def do_nested(self, x, thread, stream, more):
        """A runtime call with the driver's call inside, which has an id of its own; the kernel has the inner one's."""
        start, end, _ = self.call(x, thread, "cudaLaunchKernelExC_v11060", 9_000)
        x.correlation += 1
        self.api(x, thread, "cuLaunchKernelEx", start + 2_000, end - 1_000, x.correlation)
        name, length = KERNELS[more % len(KERNELS)]
        self.kernel(x, stream, x.correlation, end - 1_000, name, length)

    def do_graph(self, x, thread, stream, more):
        _, end, correlation = self.call(x, thread, "cudaGraphLaunch_v10000", 8_000)
        for node in range(2 + more % 4):
            name, length = KERNELS[(more + node) % len(KERNELS)]
            self.kernel(x, stream, correlation, end, name, length / 2, 1000 + node)

    def do_memset(self, x, thread, stream, more):
        _, end, correlation = self.call(x, thread, "cudaMemsetAsync_v3020")
        start = self.ready(x, stream, end)
        self.runs(x, stream, start, start + 1_200)
        x.rows.append(("CUPTI_ACTIVITY_KIND_MEMSET", (start, start + 1_200, x.number, 1, None, stream, correlation, VM | x.pid << 24, 0, 4096, None, 2)))

    def do_copy(self, x, thread, stream, more):
        """From or to pinned memory, or within the device."""
        _, end, correlation = self.call(x, thread, "cudaMemcpyAsync_v3020")
        kind, memory = ((1, (1, 2)), (2, (2, 1)), (8, (2, 2)))[more % 3]
        self.copy(x, stream, correlation, end, 4096 * (1 + more % 50), kind, memory)

    def do_pageable(self, x, thread, stream, more):
        """Asynchronous by name, but it touches pageable memory: the call returns when the copy is done."""
        start, _, correlation = self.call(x, thread, "cudaMemcpyAsync_v3020", 1)
        kind, memory = ((1, (0, 2)), (2, (2, 0)))[more % 2]
        end = self.copy(x, stream, correlation, start + 500, 1024 * (1 + more % 80), kind, memory)
        self.longer(x, thread, correlation, end + self.r.choice([900, 1_500, -300]))

    def do_blocking(self, x, thread, stream, more):
        start, _, correlation = self.call(x, thread, "cudaMemcpy_v3020", 1)
        end = self.copy(x, stream, correlation, start + 500, 2048 * (1 + more % 80), 1 + more % 2, ((1, 2), (2, 1))[more % 2])
        self.longer(x, thread, correlation, end + 1_100)

    def longer(self, x, thread, correlation, end):
        """Gives the call just made another end."""
        end = self.q(max(end, x.cpu[thread]))
        x.cpu[thread] = end
        table, row = x.rows[-2] if len(x.rows) > 1 else (None, ())
        if table == "CUPTI_ACTIVITY_KIND_RUNTIME" and row[4] == correlation:
            x.rows[-2] = table, (row[0], end) + row[2:]

    def do_record(self, x, thread, stream, more):
        _, _, correlation = self.call(x, thread, "cudaEventRecord_v3020", 1_200)
        x.event[more % 3] = x.free.get(stream, 0)
        x.rows.append(("CUPTI_ACTIVITY_KIND_CUDA_EVENT", (x.number, 1, None, stream, correlation, VM | x.pid << 24, more % 3)))

    def do_wait(self, x, thread, stream, more):
        start, end, correlation = self.call(x, thread, "cudaStreamWaitEvent_v3020", 1_000)
        x.wait[stream] = max(x.wait.get(stream, 0), x.event.get(more % 3, 0))
        self.sync_row(x, start + 50, end - 50, stream, correlation, more % 3)

    def do_stream_sync(self, x, thread, stream, more):
        self.sync(x, thread, "cudaStreamSynchronize_v3020", x.free.get(stream, 0), stream)

    def do_event_sync(self, x, thread, stream, more):
        self.sync(x, thread, "cudaEventSynchronize_v3020", x.event.get(more % 3, 0), NONE, more % 3)

    def do_device_sync(self, x, thread, stream, more):
        self.sync(x, thread, "cudaDeviceSynchronize_v3020", max(x.free.values(), default=0))

    def do_query(self, x, thread, stream, more):
        start, end, correlation = self.call(x, thread, "cudaEventQuery_v3020", 700)
        self.sync_row(x, start + 50, end - 50, NONE, correlation, more % 3)

    def do_gap(self, x, thread, stream, more):
        self.host_gap(x, thread, self.r.randint(5_000, 60_000) if more % 4 else self.r.randint(520_000, 700_000))

    def do_other(self, x, thread, stream, more):
        self.call(x, thread, ("cudaMalloc_v3020", "cudaGetLastError_v3020")[more % 2])

    def do_alone(self, x, thread, stream, more):
        """Communication that no other rank takes part in."""
        _, end, correlation = self.call(x, thread, "cudaLaunchKernelExC_v11060")
        self.kernel(x, 20, correlation, end, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 30_000)

    def collective(self, more):
        """All ranks, on the stream for communication or on the first one; all end together."""
        stream = 20 if more % 4 else self.streams[0]
        name = "ncclDevKernel_%s_Sum_f32_RING_LL" % ("AllReduce", "AllGather", "ReduceScatter")[more % 3]
        begun = {}
        for x in self.ranks:
            _, end, correlation = self.call(x, 0, "cudaLaunchKernelExC_v11060")
            if stream == 20 and more % 5:                   # after what the first stream has to do
                x.wait[20] = x.free.get(self.streams[0], 0)
            begun[x] = self.ready(x, stream, end), correlation
        last = max(start for start, _ in begun.values()) + self.q(self.r.randint(4_000, 25_000))
        for x, (start, correlation) in begun.items():
            self.kernel_row(x, stream, correlation, start, last + self.q(self.r.randint(0, 600)), name)

    def mpi(self, more):
        last = max(max(x.cpu[0], x.latest) for x in self.ranks) + self.r.randint(3_000, 9_000)
        for x in self.ranks:
            start, end = self.begin(x, 0, 700), self.q(last + 1_000 + self.r.randint(0, 600))
            x.rows.append(("MPI_OTHER_EVENTS", (start, end, self.tid(x, 0), "MPI_Allreduce")))
            x.cpu[0] = end

    # --- files ----------------------------------------------------------------------------------------------

    def write(self, directory):
        groups = [[x] for x in self.ranks] if self.split else [self.ranks]
        out = []
        for number, group in enumerate(groups):
            out.append(os.path.join(directory, "rank%d.sqlite" % number if self.split else "work.sqlite"))
            self.write_file(out[-1], group, -number * 3_000_000)   # captures begin one after the other
        return out

    def write_file(self, path, group, session):
        rows, strings = {t: [] for t in TABLES}, {}
        for x in group:
            rows["PROCESSES"].append((VM | x.pid << 24, x.pid, "/usr/bin/python3"))
            for stream, flag in self.flags.items():
                if flag is not None:
                    rows["TARGET_INFO_CUDA_STREAM"].append((stream, 0, 1, x.pid, 1, 0, flag))
            for table, row in x.rows:
                rows[table].append(self.shifted(table, row, session, strings))
        rows["StringIds"] = [(i, s) for s, i in strings.items()]
        rows["META_DATA_EXPORT"] = [("EXPORT_SCHEMA_VERSION", "3.7.2"), ("EXPORT_PRODUCT_VERSION", "2023.4.4.54")]
        rows["META_DATA_CAPTURE"] = [("PROCESS_0:ENVIRONMENT_VARIABLE", 'SLURM_JOB_ID="77"')]
        rows["TARGET_INFO_SYSTEM_ENV"] = [(VM, "Local (CLI)", "Hostname", 0, "node0")]
        rows["TARGET_INFO_SESSION_START_TIME"] = [(EPOCH + session, "", "")]
        duration = max(row[1] for t in ("CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME") for row in rows[t]) + 1_000_000
        rows["ANALYSIS_DETAILS"] = [(VM, duration, 0, duration)]
        db = sqlite3.connect(path, isolation_level=None)
        db.execute("PRAGMA journal_mode=OFF")
        db.execute("PRAGMA synchronous=OFF")
        db.execute("BEGIN")
        for table, columns in TABLES.items():
            if rows[table] or table in ALWAYS:
                named = [c.split(":") for c in columns.split()]
                db.execute("CREATE TABLE %s (%s)" % (table, ", ".join("%s %s" % (c[0], c[1] if len(c) > 1 else "INTEGER") for c in named)))
                db.executemany("INSERT INTO %s VALUES (%s)" % (table, ",".join("?" * len(named))), rows[table])
        db.execute("COMMIT")
        db.close()

    @staticmethod
    def shifted(table, row, session, strings):
        """On the file's clock, with texts as ids."""
        text = {"CUPTI_ACTIVITY_KIND_KERNEL": (8, 9, 10), "CUPTI_ACTIVITY_KIND_RUNTIME": (5,), "OSRT_API": (4,), "MPI_OTHER_EVENTS": (3,)}.get(table, ())
        row = [strings.setdefault(v, len(strings) + 1) if i in text else v for i, v in enumerate(row)]
        if table != "CUPTI_ACTIVITY_KIND_CUDA_EVENT":
            row[0], row[1] = row[0] - session, row[1] - session
        return tuple(row)


def make(seed, directory, trouble=None):
    """Writes the job of a seed; returns the paths of its files."""
    return Work(seed, trouble).write(directory)


if __name__ == "__main__":
    os.makedirs(sys.argv[2], exist_ok=True)
    print("\n".join(make(int(sys.argv[1]), sys.argv[2])))
