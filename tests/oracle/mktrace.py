#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mktrace.py SEED OUT.sqlite [--rich]: a small random Nsight Systems export full of traps, the same one for the same seed.

Traps: correlation ids that collide between processes, devices that are shared or not, columns missing, added and
shuffled as in several schema eras, negative times, zero-length and reversed rows, unsorted rows, graph nodes under
one id, opaque graph replays, copies inside NCCL ranges, domain ids per process, unclosed ranges, markers that look
like ranges, several API rows per id, missing and empty tables, hostile names. What the definitions leave open is
avoided, so that the oracle's answer is the only right one (each place says so: "open:").

make(seed, path, rich=True) adds the host's side and processes at work (mkwork.py, or another class of its sort); without
it a seed gives what it always gave.
"""
import random
import sqlite3
import sys

from mkschema import columns, create
from mkwork import OSRT, OVERHEAD, Workload

COMPUTE = ["void cutlass::Kernel<cutlass_80_tensorop>(Params)", "ampere_sgemm_128x64_tn", "dispatch", "combine(int)",
           "void deep_ep::layout::get_dispatch_layout<(int)256>(int const*)", "softmax_warp_forward<float, 8>",
           "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>(T3)", "kernel_\u4e2d\u6587_\U0001f680",
           "<script>alert('x')</script>", "quote\"comma,semi;'--", "line\nbreak\ttab", "esc\x1b[31mred", "", " padded ",
           "long_" + "x" * 5000, "=cmd|' /C calc'!A0", "triton_poi_fused_add_0d1d2d", "a|b\\c", "bad\udcff\udcfe utf8"]
COMM = ["ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096>)", "ncclKernel_AllGather_RING_LL_Sum_int8_t",
        "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096>)", "ncclSymkDevKernel_ReduceScatter_LL_sum_bf16",
        "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 2>(vllm::RankData*)",
        "void deep_ep::internode_ll::combine<(bool)0>(void*)", "void multimem_all_reduce_kernel<float>(float*)"]
LAUNCH_CALLS = ["cudaLaunchKernel_v7000", "cuLaunchKernel", "cudaLaunchKernelExC_v11060", "cuLaunchKernelEx"]
COPY_CALLS = ["cudaMemcpyAsync_v3020", "cudaMemcpy_v3020", "cuMemcpyHtoDAsync_v2"]
OTHER_CALLS = ["cudaStreamSynchronize_v3020", "cudaMalloc_v3020", "cuGetProcAddress_v2", "cudaEventQuery", "cudaFree_v3020",
               "cudaEventRecord_v3020", "cudaStreamIsCapturing_v10000", "cudaGetDeviceProperties_v2_v12000"]
COSTS = {2: "JIT in words that nobody knows", 3: "CUPTI Buffer flush", 6: "Runtime Triggered Module Loading", 7: "Lazy Function Loading",
         8: "Command Buffer Full"}
RANGES = ["forward", "backward", "optimizer", "my nccl wrapper", "\u03b1\u03b2", "a:b", "nest"]
NCCL_RANGES = ["ncclAllReduce", "NCCL group", "ncclGroupEnd"]
MPI_CALLS = [("MPI_Allreduce", "COLLECTIVES"), ("MPI_Barrier", "COLLECTIVES"), ("MPI_Iallreduce", "COLLECTIVES"), ("MPI_Send", "P2P"),
             ("MPI_Irecv", "P2P"), ("MPI_Waitall", "START_WAIT"), ("MPI_Init", "OTHER"), ("MPI_Comm_rank", "OTHER")]
GPU_NAMES = ["NVIDIA H100 80GB HBM3", "NVIDIA A100-SXM4-40GB", "NVIDIA A100 80GB PCIe", "NVIDIA Test 3", "Tesla V100-SXM2-16GB", "NVIDIA B200"]
MEMORY_RATES = [3352320000000, 1555200000000, 0, None, -1, 7672000000000]
WINDOW_RANGE = "window of interest"


class Maker:
    def __init__(self, seed, rich=False, work=Workload):
        self.seed, self.rich, self.work = seed, rich, work
        self.extra = random.Random("rich %d" % seed)        # so that self.r goes on as without rich
        self.costs = random.Random("costs %d" % seed)
        self.newer = random.Random("newer %d" % seed)
        self.r = random.Random(seed)
        r = self.r
        self.era = r.choice(["2020", "2022", "2023", "2025", "2026", "2026"])
        # Small times make boundaries coincide, large ones leave 32 bits.
        self.span, self.longest = r.choice([(60, 12), (300, 40), (5_000_000, 90_000), (40_000_000_000, 9_000_000_000)])
        self.origin = r.choice([0, 0, -self.span // 2, 10_000_000_000, -350_000_000_000])
        self.has_graph_trace = r.random() < 0.2
        self.registered = r.choice([0, 0.5, 0.5, 0.5, 1])   # share of NVTX names that are registered strings
        self.strings, self.tables = {}, {}
        self.processes = self.make_processes()

    # --- who -------------------------------------------------------------------------------------------

    def make_processes(self):
        """Processes with their threads, ordinals and (per ordinal) a physical gpuId or None."""
        r = self.r
        pids = r.sample([1, 7, 4242, 4243, 99999, 0xFFFFFE], r.randint(1, 4))
        # open: the order of signed and unsigned process ids; all or none have the top bit
        top = 200 if r.random() < 0.1 else 0
        # open: whether (pid, gpuId) of two machines are told apart; one machine where devices are proven
        self.proves = self.era in ("2025", "2026") and r.random() < 0.7
        machines = [1] if self.proves else [1, 1, 2, 3]
        out = []
        for pid in pids:
            vm = r.choice(machines)
            gpid = ((top << 56) | (vm << 48) | (pid << 24))
            gpid -= (1 << 64) if gpid >= 1 << 63 else 0
            threads = [gpid + t for t in r.sample([1, 2, pid & 0xFFFFFF, 500, 0xFFFFFF], r.randint(1, 3))]
            ordinals = {o: r.choice([0, 1, 2, 5]) if self.proves and r.random() < 0.8 else None
                        for o in r.sample(range(4), r.choice([0, 1, 1, 1, 2, 3]))}
            if len(set(ordinals.values()) - {None}) < len([g for g in ordinals.values() if g is not None]):
                ordinals = {o: None for o in ordinals}     # open: two ordinals of a process on one GPU
            out.append({"gpid": gpid, "pid": pid, "threads": threads, "ordinals": ordinals,
                        "streams": r.sample([7, 13, 14, 20, 4294967295], r.randint(1, 3)), "next_id": r.choice([0, 0, 100])})
        return out

    # --- small things ------------------------------------------------------------------------------------

    def text(self, value):
        """The id of a string in StringIds."""
        if value not in self.strings:
            self.strings[value] = (max(self.strings.values(), default=self.r.choice([0, 70, 1 << 33])) + self.r.choice([1, 1, 3]))
        return self.strings[value]

    def add(self, table, **row):
        self.tables.setdefault(table, []).append(row)
        return row

    def interval(self, begin=None, end=None):
        """A random interval of the trace, or inside [begin, end]; rarely empty or reversed when free."""
        r = self.r
        if begin is not None:
            a, b = sorted((r.randint(begin, end), r.randint(begin, end)))
            return a, b
        start = self.origin + r.randint(0, self.span)
        kind = r.random()
        if kind < 0.06:
            return start, start
        if kind < 0.09:
            return start, start - r.randint(1, 5)
        return start, start + r.randint(1, self.longest if r.random() < 0.2 else max(1, self.longest // 8))

    # --- host side ---------------------------------------------------------------------------------------

    def call(self, process, name, correlation, thread=None, span=None):
        start, end = span or self.interval()
        return self.add("RUNTIME", start=start, end=end, eventClass=self.r.choice([0, 1]),
                        globalTid=thread or self.r.choice(process["threads"]), correlationId=correlation,
                        nameId=self.text(name), returnValue=self.r.choices([0, 600, 2, 700], [90, 5, 3, 2])[0])

    def new_id(self, process):
        process["next_id"] += self.r.choice([1, 1, 1, 2])
        return process["next_id"]

    def launch(self, process, names, thread=None, span=None):
        """An API row for a new correlation id, sometimes two or none; returns the id (or NULL)."""
        r = self.r
        correlation = self.new_id(process)
        kind = r.random()
        if kind < 0.08 and span is None:
            return r.choice([None, correlation])           # no row: cut files
        row = self.call(process, r.choice(names), correlation, thread, span)
        length = max(0, row["end"] - row["start"])
        if kind < 0.2 and length > 2:                       # the driver call inside the runtime call, or a lookup around it
            if r.random() < 0.5:
                self.call(process, r.choice(names), correlation, row["globalTid"], (row["start"] + 1, row["end"] - 1))
            else:
                self.call(process, "cudaEventRecord_v3020", correlation, r.choice(process["threads"]),
                          (row["start"] - 1, row["end"] + 1))
        return correlation

    def ranges(self, process):
        """Ranges of every sort; start/end ranges never look like NCCL (open: whether those count as one)."""
        r = self.r
        domains = {i + 1: n for i, n in enumerate(r.sample(["NCCL", "mine", "NCCL2", "\u03b4"], r.randint(0, 3)))}
        for number, name in domains.items():
            self.nvtx(process, 75, self.origin - 1000, None, name, domain=number)
        for _ in range(r.randint(0, 14)):
            start, end = self.interval()
            kind = r.choices([59, 60, 34], [70, 15, 15])[0]
            domain = r.choice([0, 0, None, *domains])
            name = r.choice(RANGES + (NCCL_RANGES if kind != 60 else []))
            if kind == 60 and domains.get(domain) == "NCCL":
                domain = 0
            if r.random() < 0.08:
                name = None
            open_end = kind == 34 or r.random() < 0.05
            self.nvtx(process, kind, start, None if open_end else end, name, domain=domain)

    def nvtx(self, process, kind, start, end, name, domain=0, thread=None):
        registered = name is not None and self.r.random() < self.registered
        return self.add("NVTX_EVENTS", start=start, end=end, eventType=kind, rangeId=self.r.choice([None, 1]),
                        text=None if registered else name, textId=self.text(name) if registered else None,
                        globalTid=thread or self.r.choice(process["threads"]), domainId=domain,
                        endGlobalTid=self.r.choice([None, process["threads"][0]]) if kind == 60 else None)

    def window_ranges(self):
        """The same number of instances of one range in every process, apart, each with a launch well inside."""
        count = self.r.randint(1, 2) if self.span > 100 and self.r.random() < 0.5 else 0
        self.window_instances = count
        for p in self.processes if count else []:
            if not p["ordinals"]:
                continue
            thread = p["gpid"] + 777                         # open: ranges that cross it, so a thread of its own
            for i in range(count):
                begin = self.origin + self.span * (2 * i) // 4 + 10
                end = begin + self.span // 5
                self.nvtx(p, 59, begin, end, WINDOW_RANGE, thread=thread)
                self.nvtx(p, 59, begin + 1, end - 1, "nest", thread=thread)
                ordinal = self.r.choice(list(p["ordinals"]))
                for _ in range(self.r.randint(1, 3)):
                    span = self.interval(begin + 2, end - 2)
                    row = self.kernel(p, ordinal, self.launch(p, LAUNCH_CALLS, thread, span))
                    row["end"] = max(row["end"], row["start"] + 1)      # open: an empty projection
                self.kernel(p, ordinal, self.launch(p, LAUNCH_CALLS, thread, (end + 1, end + 3)))

    # --- GPU side ----------------------------------------------------------------------------------------

    def gpu_row(self, process, ordinal, correlation):
        start, end = self.interval()
        return {"start": start, "end": end, "deviceId": ordinal, "contextId": self.r.choice([1, 1, 2]),
                "streamId": self.r.choice(process["streams"]), "correlationId": correlation, "globalPid": process["gpid"]}

    def kernel(self, process, ordinal, correlation, node=None):
        name = self.r.choice(COMM if self.r.random() < 0.3 else COMPUTE)
        return self.kernel_row(self.gpu_row(process, ordinal, correlation), name, node)

    def kernel_row(self, row, name, node=None):
        r = self.r
        short = name.split("(")[0].split("<")[0].split(" ")[-1].split("::")[-1]
        return self.add("KERNEL", **row, demangledName=self.text(name),
                        shortName=self.text(short), mangledName=self.text("_Z" + name), graphNodeId=node,
                        **{g + a: r.choice([1, 1, 32, 2147483647]) for g in ("grid", "block") for a in "XYZ"})

    def copy(self, process, ordinal, correlation, kind=None):
        r = self.r
        kinds = [None, 0, 1, 2, 3, 7, 9] if self.era != "2020" else [0, 1, 2]
        self.add("MEMCPY", **self.gpu_row(process, ordinal, correlation), bytes=r.choice([0, 1, 4, 4096, 10 ** 9, 1 << 40]),
                 copyKind=kind or r.choice([0, 1, 2, 2, 8, 8, 10, 10, 11, 12, 13, 9, 3, 99]),
                 srcKind=r.choice(kinds), dstKind=r.choice(kinds), srcDeviceId=None, dstDeviceId=None)

    def gpu_work(self, process):
        r = self.r
        for ordinal in process["ordinals"]:
            for _ in range(r.choice([0, 3, 10, 30])):
                self.kernel(process, ordinal, self.launch(process, LAUNCH_CALLS))
            for _ in range(r.choice([0, 2, 8])):
                self.copy(process, ordinal, self.launch(process, COPY_CALLS))
            for _ in range(r.choice([0, 1, 3])):
                self.add("MEMSET", **self.gpu_row(process, ordinal, self.launch(process, ["cudaMemsetAsync_v3020"])),
                         value=0, bytes=r.choice([0, 8, 1 << 20]), memKind=r.choice([None, 0, 2, 5]))
            for _ in range(r.choice([0, 0, 2])):            # node mode: many kernels under one id
                correlation = self.launch(process, ["cudaGraphLaunch_v10000"])
                for node in range(r.randint(1, 5)):
                    self.kernel(process, ordinal, correlation, ((30 + ordinal) << 32) | node)     # open: steps of such graphs
            if self.has_graph_trace:
                for i in range(r.randint(0, 3)):
                    row = self.gpu_row(process, ordinal, self.launch(process, ["cudaGraphLaunch_v10000"]))
                    row["end"] = max(row["end"], row["start"] + 1)
                    self.add("GRAPH_TRACE", **row, graphId=40 + 2 * ordinal + i // 2, graphExecId=4)
            elif r.random() < 0.5:
                self.copy_engine_collective(process, ordinal)

    def copy_engine_collective(self, process, ordinal):
        """open: copies as the only communication beside opaque graphs, so never with GRAPH_TRACE rows."""
        r = self.r
        thread, (begin, end) = r.choice(process["threads"]), sorted(self.interval())
        self.nvtx(process, 59, begin, end + 6, r.choice(NCCL_RANGES), thread=thread)
        for _ in range(r.randint(1, 3)):
            inside = self.interval(begin + 1, end + 5)
            correlation = self.launch(process, COPY_CALLS, thread, inside)
            self.copy(process, ordinal, correlation, r.choice([8, 10, 10, 1]))

    # --- all of it ---------------------------------------------------------------------------------------

    def make(self):
        r = self.r
        for p in self.processes:
            self.ranges(p)
            style = self.extra.choice(["random", "work", "work", "both"]) if self.rich and p["ordinals"] else "random"
            if style != "work":
                self.gpu_work(p)
            if style != "random":
                self.work(self, p, "work %d %d" % (self.seed, p["pid"])).run()
            for _ in range(r.choice([0, 5, 20])):
                self.call(p, r.choice(OTHER_CALLS), r.choice([None, self.new_id(p)]))
        self.window_ranges()
        if self.rich:
            self.managed_rows()
            self.mpi_rows()
            self.host_rows()
            self.tidy_empty_operations()
        self.tidy_graph_traces()
        self.tidy_boundaries()
        if r.random() < 0.15:
            self.drop_a_table()
        if self.proves:
            self.device_table()
        for p in self.processes:
            self.add("PROCESSES", globalPid=p["gpid"], pid=p["pid"], name="python3 'x'")
        self.add("EXPORT_META_DATA" if self.era == "2022" else "META_DATA_EXPORT", name="EXPORT_SCHEMA_VERSION",
                 value={"2022": "2.9.1", "2023": "3.7.2", "2025": "3.20.2", "2026": "3.25.0"}.get(self.era))
        for rows in self.tables.values():
            r.shuffle(rows)

    def os_row(self, thread, start, end, name, level):
        self.add("OSRT_API", start=start, end=end, eventClass=27, globalTid=thread, nameId=self.text(name), returnValue=0, nestingLevel=level,
                 callchainId=None)

    def host_rows(self):
        """OS calls, the profiler's own time, synchronisation rows of the random calls, and the length of the capture."""
        r = self.extra
        for p in self.processes:
            for _ in range(r.choice([0, 0, 4, 12])):
                self.os_row(r.choice(p["threads"]), *self.interval(), r.choice(OSRT), 0)
            for _ in range(r.choice([0, 0, 1, 4])):
                start, end = self.interval()
                self.add("PROFILER_OVERHEAD", start=start, end=end, globalTid=r.choice(p["threads"]), nameId=self.text(r.choice(OVERHEAD)), returnValue=0)
            for row in self.tables.get("MEMCPY", ()) if int(self.era) >= 2025 else ():
                row["copyCount"] = self.newer.choice([None, 1, 1, 1, 0, 7])
            self.call_costs(p)
            self.compilations(p)
            self.host_functions(p)
            if r.random() < 0.3:                            # not a call: OS runtime tracing started
                self.add("OSRT_API", start=self.origin, end=self.origin, eventClass=31, globalTid=p["threads"][0],
                         nameId=self.text("OS runtime libraries profiling started"), returnValue=0, nestingLevel=0, callchainId=None)
        times = [t for rows in self.tables.values() for row in rows for t in (row.get("start"), row.get("end")) if t is not None]
        # open: the trace's end where the capture's duration is missing or early; here it never is
        self.add("ANALYSIS_DETAILS", globalVid=1 << 48, duration=max(0, max(times, default=0) + r.randint(0, 1000)), startTime=0, stopTime=1)

    def call_costs(self, p):
        """What calls spend time on besides their own work: some in a call, some beside or in one another."""
        r = self.costs
        here = [c for c in self.tables.get("RUNTIME", ()) if c["globalTid"] in p["threads"] and c["end"] > c["start"]]
        for _ in range(r.choice([0, 0, 2, 9])):
            call, start = r.choice(here) if here else None, self.origin + r.randint(0, self.span)
            end = start + r.randint(0, self.longest)
            if call and r.random() < 0.7:
                start, end = sorted(r.randint(call["start"], call["end"]) for _ in "ab")
            kind = r.choice([1, 2, 3, 6, 7, 8, 8, 8, 9])
            self.add("OVERHEAD", start=start, end=end, eventClass=0, globalTid=call["globalTid"] if call else p["threads"][0],
                     correlationId=call["correlationId"] if call else 0, nameId=self.text(COSTS.get(kind, "Unknown")), overheadType=kind)

    def compilations(self, p):
        """The driver's compiler, in calls and in their costs."""
        r = self.newer
        around = [c for t in ("RUNTIME", "OVERHEAD") for c in self.tables.get(t, ()) if c["globalTid"] in p["threads"] and c["end"] > c["start"]]
        for _ in range(r.choice([0, 0, 0, 3, 8]) if around else 0):
            row = r.choice(around)
            start, end = sorted(r.randint(row["start"], row["end"]) for _ in "ab")
            self.add("JIT", start=start, end=end + r.choice([0, 0, r.randint(0, self.longest)]), eventClass=0, globalTid=row["globalTid"],
                     correlationId=row["correlationId"], nameId=self.text("Driver JIT compiler"), overheadType=2, jitEntryType=r.choice([0, 1, 1, 2]),
                     jitOperationType=r.choice([0, 1, 2, 3, 3, 3]), deviceId=0, jitOperationCorrelationId=1, cacheSize=r.choice([None, 0, 65536, 1 << 33]),
                     cachePath=r.choice([None, "/root/.nv/ComputeCache", "/tmp/c\udcff"]))

    def host_functions(self, p):
        """Functions of the host on streams with operations and on others, between operations and across them; most have a row of their thread."""
        r = self.newer
        ops = [o for t in ("KERNEL", "MEMCPY", "MEMSET") for o in self.tables.get(t, ()) if o["globalPid"] == p["gpid"]]
        for _ in range(r.choice([0, 0, 4, 12]) if ops else 0):
            before, where, correlation = r.choice(ops), r.choice(ops), r.choice([None, 7, r.randint(1, 60)])
            start = max(before["end"], before["start"]) + r.choice([0, 0, 1, r.randint(0, self.longest)])
            end = start + r.choice([0, 1, r.randint(0, self.longest), r.randint(0, 3 * self.longest)])
            ids = {k: where[k] for k in ("deviceId", "contextId", "streamId")}
            if r.random() < 0.15:
                ids["streamId"] = 99
            self.add("GRAPH_HOST_NODE_AND_HOST_LAUNCH", start=start, end=end, globalPid=p["gpid"], correlationId=correlation, graphNodeId=None, graphId=None, **ids)
            for _ in range(r.choice([0, 1, 1, 2])):
                a, b = sorted((r.randint(start - 1, end + 1), r.randint(start - 1, end + 1)))
                self.add("CUDA_HOST_CALLBACK", start=a, end=b, eventClass=0, globalTid=p["threads"][0] + 5, correlationId=correlation,
                         nameId=self.text(r.choice(["notify(void*)", "decode on the CPU"])))

    def managed_rows(self):
        """Migrations of managed memory one after another, for page faults and for other reasons, and the faults, if recorded."""
        r, scale = self.extra, max(2, self.span // 40)
        for p in self.processes:
            if not p["ordinals"] or r.random() < 0.6:
                continue
            ordinals, t = list(p["ordinals"]), self.origin + r.randint(0, self.span)
            cpu, gpu = r.random() < 0.6, r.random() < 0.5
            for _ in range(r.randint(1, 12)):
                t += r.choice([0, 1, r.randint(1, scale)])
                for _ in range(r.choice([0, 1, 1, 3]) if cpu else 0):
                    self.add("CUDA_UM_CPU_PAGE_FAULT_EVENTS", start=t - r.choice([0, r.randint(0, scale)]), globalPid=p["gpid"],
                             CpuInstruction=r.choice([None, self.text("read_page"), self.text("sum of rows")]))
                if gpu and r.random() < 0.4:
                    self.add("CUDA_UM_GPU_PAGE_FAULT_EVENTS", start=t, end=t + r.randint(-1, scale), globalPid=p["gpid"],
                             deviceId=r.choice([*ordinals, 9]), numberOfPageFaults=1)
                end = t + r.randint(1, scale // 2)
                self.add("MEMCPY", start=t, end=end, deviceId=r.choice(ordinals), contextId=0, streamId=0, correlationId=None,
                         globalPid=p["gpid"], bytes=4096, copyKind=r.choice([11, 12, 12, 12, 13]), srcKind=7, dstKind=7,
                         srcDeviceId=None, dstDeviceId=None, migrationCause=r.choice([2, 2, 3, 3, 1, 4, None]))
                t = end

    def mpi_rows(self):
        """MPI calls: in the tables of their kind, in the table of all kinds as before them, as ranges alone, or both."""
        r = self.extra
        for p in self.processes:
            how = r.choice(["none", "none", "tables", "other", "ranges", "both"])
            for _ in range(0 if how == "none" else r.randint(1, 12)):
                name, table = r.choice(MPI_CALLS)
                start, end = self.interval()
                thread, end = r.choice(p["threads"]), max(start, end)
                if how != "ranges":
                    self.add("MPI_%s_EVENTS" % ("OTHER" if how == "other" else table), start=start, end=end, globalTid=thread,
                             textId=self.text(name), size=r.choice([None, 0, 8, 4096, 1 << 40]), commHandle=r.choice([1, 2]), tag=0,
                             remoteRank=0)
                if how in ("ranges", "both"):
                    self.nvtx(p, 59, start, end, name, domain=77, thread=thread)
            if how in ("ranges", "both"):
                self.nvtx(p, 75, self.origin - 1000, None, "MPI", domain=77)

    def tidy_empty_operations(self):
        """open: whether an operation of no length splits a gap; those that no other operation of their ordinal covers get 1 ns."""
        found = [row for table in ("KERNEL", "MEMCPY", "MEMSET") for row in self.tables.get(table, ())]
        for row in found:
            if row["end"] <= row["start"] and not any(o["start"] <= row["start"] < o["end"] and o["deviceId"] == row["deviceId"]
                                                      and o["globalPid"] == row["globalPid"] for o in found):
                row["end"] = row["start"] + 1

    def tidy_graph_traces(self):
        """With opaque graphs no copy may be communication (see copy_engine_collective)."""
        if self.has_graph_trace:
            for row in self.tables.get("MEMCPY", ()):
                row["copyKind"] = 1 if row["copyKind"] in (8, 10) else row["copyKind"]

    def tidy_boundaries(self):
        """open: whether an empty call exactly on the edge of a range is inside it; such calls get 1 ns."""
        edges = {(n["globalTid"], t) for n in self.tables.get("NVTX_EVENTS", ()) for t in (n["start"], n["end"])}
        for c in self.tables.get("RUNTIME", ()):
            if c["end"] <= c["start"] and (c["globalTid"], c["start"]) in edges:
                c["end"] = c["start"] + 1

    def drop_a_table(self):
        self.tables.pop(self.r.choice(["KERNEL", "MEMCPY", "MEMSET", "RUNTIME", "NVTX_EVENTS"]), None)
        self.window_instances = 0

    def device_table(self):
        uuids = {g: "%08x-0000-1111-2222-333333333333" % (0xabc0 + g) for g in range(6)}
        with_uuid = self.r.random() < 0.5
        for p in self.processes:
            for ordinal, gpu in p["ordinals"].items():
                if gpu is not None:
                    for _ in range(self.r.choice([1, 1, 2])):
                        self.add("CUDA_DEVICE", gpuId=gpu, cudaId=ordinal, pid=p["pid"], uuid=uuids[gpu] if with_uuid else None)
                elif self.r.random() < 0.3:
                    self.add("CUDA_DEVICE", gpuId=None, cudaId=ordinal, pid=p["pid"], uuid=None)
        for gpu in range(6):
            self.add("GPU", vmId=1 << 48, id=gpu, name=GPU_NAMES[gpu], memoryBandwidth=MEMORY_RATES[gpu],
                     busLocation="0000:%02x:00.0" % (gpu + 1), uuid=uuids[gpu])

    def write(self, path):
        db = sqlite3.connect(path, isolation_level=None)
        db.execute("PRAGMA page_size = %d" % self.r.choice([512, 1024, 4096, 4096, 65536]))
        db.execute("PRAGMA synchronous = OFF")
        db.execute("PRAGMA journal_mode = OFF")
        db.execute("BEGIN")
        self.tables["StringIds"] = [{"id": i, "value": v} for v, i in self.strings.items()]
        for table, names in columns(self.era, self.r, self.tables).items():
            create(db, table, names, self.tables.get(table, []), self.r)
        db.execute("COMMIT")
        db.close()


def make(seed, path, rich=False, work=Workload):
    maker = Maker(seed, rich, work)
    maker.make()
    maker.write(path)
    return maker


if __name__ == "__main__":
    make(int(sys.argv[1]), sys.argv[2], rich="--rich" in sys.argv)
