# SPDX-License-Identifier: MIT
"""Reads an Nsight Systems SQLite export the slow and obvious way.

Part of the independent oracle: follows docs/definitions and docs/nsys-data.md, and shares nothing with src/.
Tables and columns are found by name, every one is optional, row order means nothing.
"""
import copy
import functools
import re
import sqlite3

CAK = "CUPTI_ACTIVITY_KIND_"
INFINITY = 1 << 70

COPY_KINDS = {1: "HtoD", 2: "DtoH", 3: "HtoA", 4: "AtoH", 5: "AtoA", 6: "AtoD", 7: "DtoA", 8: "DtoD", 9: "HtoH",
              10: "PtoP", 11: "managed HtoD", 12: "managed DtoH", 13: "managed DtoD"}
WITHIN_DEVICE = (5, 6, 7, 8)            # copies between arrays and device memory too
MIGRATIONS = (11, 12, 13)
MEMORY_KINDS = {0: "pageable", 1: "pinned", 2: "device", 3: "array", 4: "managed", 5: "device-static",
                6: "managed-static", 7: "unknown"}

# Communication kernels, after "Communication" of docs/nsys-data.md, matched on the demangled name.
COMM = re.compile("|".join([
    r"^nccl", r"\bcross_device_reduce", r"\ballreduce_fusion_kernel", r"\bar_fusion::", r"\bmoeA2A\w*Kernel",
    r"\bdeep_ep::(intranode|internode|internode_ll)::(dispatch|combine|notify_dispatch|cached_notify_\w+)\b",
    r"\bmultimem_(all_reduce|one_shot_reduce|all_gather)_kernel", r"\b(one|two)_shot_all_reduce_kernel",
    r"\buserbuffers_fp16_sum_inplace_gpu_", r"\bkuserbuffers_push(send|recv)", r"^nvshmem", r"^mscclpp", r"^mscclKernel",
]))
LAUNCHES = ("cudaLaunch", "cuLaunch", "cudaGraphLaunch", "cuGraphLaunch", "cudaMemcpy", "cuMemcpy", "cudaMemset", "cuMemset")


def within_device(row):
    """A copy within one device is device work. open: the kind tells, unless the row names two devices; migrations are copies."""
    source, target = row.get("srcDeviceId"), row.get("dstDeviceId")
    return row["copyKind"] in WITHIN_DEVICE and (source is None or target is None or source == target)


class Op:
    """One GPU operation: kind is kernel, memcpy, memset or graph; cls is compute, comm or copy."""
    def __init__(self, kind, row):
        self.kind = kind
        self.start, self.end = row["start"], max(row["start"], row["end"])
        self.process, self.ordinal = row["globalPid"] >> 24, row["deviceId"]
        self.pid = self.process & 0xFFFFFF
        self.context, self.stream = row.get("contextId"), row.get("streamId")
        self.correlation = row.get("correlationId")
        self.row = row
        self.cls = "copy" if kind == "memcpy" and not within_device(row) else "compute"
        self.launch = None
        self.device = None
        self.order = None                                   # position among all operations: kernels, copies, memsets, graphs by row


@functools.lru_cache(maxsize=None)
def without_version(name):
    return re.sub(r"_v[0-9]+$", "", name)


class Call:
    """One CUDA API row."""
    def __init__(self, row, name):
        self.start, self.end = row["start"], max(row["start"], row["end"])
        self.thread = row["globalTid"]
        self.process, self.pid = self.thread >> 24, (self.thread >> 24) & 0xFFFFFF
        self.correlation, self.result = row.get("correlationId"), row.get("returnValue")
        self.full_name = name
        self.name = without_version(name)
        self.ops = []                                       # the operations this call launched


class Range:
    """One NVTX range or mark; end is INFINITY where the row has none (of ranges: replaced by the trace's end)."""
    def __init__(self, row, name, domain):
        self.start = row["start"]
        self.unclosed = row["end"] is None
        self.end = INFINITY if self.unclosed else max(row["start"], row["end"])
        self.type, self.name, self.domain = row["eventType"], name, domain
        self.domain_id = row.get("domainId") or 0
        self.thread, self.end_thread = row["globalTid"], row.get("endGlobalTid")
        self.process = self.thread >> 24


class HostRow:
    """One OS runtime call or one stretch of the profiler's own work."""
    def __init__(self, row, name):
        self.start, self.end = row["start"], max(row["start"], row["end"])
        self.thread, self.name = row["globalTid"], name
        self.process = self.thread >> 24


# What a CUDA call spends time on besides its own work. open: what has another type is the profiler's.
OVERHEAD_TYPES = {0: "OVERHEAD_UNDEFINED", 1: "OVERHEAD_UNKNOWN", 2: "OVERHEAD_DRIVER_COMPILER", 3: "OVERHEAD_CUPTI_BUFFER_FLUSH",
                  4: "OVERHEAD_CUPTI_INSTRUMENTATION", 5: "OVERHEAD_CUPTI_RESOURCE", 6: "OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING",
                  7: "OVERHEAD_LAZY_FUNCTION_LOADING", 8: "OVERHEAD_COMMAND_BUFFER_FULL"}
COST_KINDS = {"OVERHEAD_COMMAND_BUFFER_FULL": "queue_full", "OVERHEAD_DRIVER_COMPILER": "loading", "OVERHEAD_LAZY_FUNCTION_LOADING": "loading",
              "OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING": "loading"}


class CallCost(HostRow):
    """A row of CUPTI_ACTIVITY_KIND_OVERHEAD: a part of a call that is not its own work."""
    def __init__(self, row, name, kind):
        super().__init__(row, name)
        self.correlation, self.kind = row["correlationId"], COST_KINDS.get(kind, "profiler")


JIT_OPERATIONS = {1: "JIT cache load", 2: "JIT cache store", 3: "JIT compile"}
JIT_ENTRIES = {1: " (PTX)", 2: " (NVVM)"}


class Compilation(HostRow):
    """A row of CUPTI_ACTIVITY_KIND_JIT: loading, of which the rows of overhead say less."""
    def __init__(self, row):
        operation = JIT_OPERATIONS.get(row["jitOperationType"], "JIT")
        super().__init__(row, operation + (JIT_ENTRIES.get(row["jitEntryType"], "") if operation == "JIT compile" else ""))
        self.kind, self.size, self.path = "loading", row["cacheSize"], row["cachePath"]


def cost_order(cost):
    """Of costs around a moment the first counts: compilations before others, then what began first, then the longest."""
    return not isinstance(cost, Compilation), cost.start, -cost.end


class HostFunction:
    """A row of ..._GRAPH_HOST_NODE_AND_HOST_LAUNCH: in [start, end) a stream waits for a function of the host."""
    def __init__(self, row, callbacks):
        self.start, self.end = row["start"], max(row["start"], row["end"])
        self.process, self.ordinal, self.context, self.stream = row["globalPid"] >> 24, row["deviceId"], row["contextId"], row["streamId"]
        mine = [c for c, correlation in callbacks if c.process == self.process and correlation == row["correlationId"] is not None
                and c.name is not None and c.start < self.end and c.end > self.start]
        self.name = min(mine, key=lambda c: (c.start, c.end)).name if mine else None


def apart(functions):
    """Of functions of one stream that overlap the one that began first counts: [(start, end, name)]."""
    out, until = [], None
    for f in functions:
        start = f.start if until is None else max(f.start, until)
        if start < f.end:
            out.append((start, f.end, f.name))
            until = f.end
    return out


def tables(db):
    return [r[0] for r in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]


def rows(db, table):
    """Every row as a dictionary; a missing table has none."""
    if table not in tables(db):
        return []
    cursor = db.execute('SELECT * FROM "%s" ORDER BY rowid' % table)
    names = [d[0] for d in cursor.description]
    return [dict(zip(names, r)) for r in cursor]


class Trace:
    def __init__(self, path):
        self.path = path
        db = sqlite3.connect("file:%s?mode=ro&immutable=1" % path, uri=True)
        db.text_factory = lambda b: b.decode("utf-8", "replace")
        self.strings = {r["id"]: r["value"] for r in rows(db, "StringIds")}
        self.calls = [Call(r, self.strings[r["nameId"]]) for r in rows(db, CAK + "RUNTIME")]
        self.ops = [Op(kind, r) for kind in ("kernel", "memcpy", "memset", "graph")
                    for r in rows(db, CAK + (kind.upper() if kind != "graph" else "GRAPH_TRACE"))]
        for order, op in enumerate(self.ops):
            op.order = order
        self.nvtx_rows = rows(db, "NVTX_EVENTS")
        self.cuda_devices, self.gpus = rows(db, "TARGET_INFO_CUDA_DEVICE"), rows(db, "TARGET_INFO_GPU")
        self.syncs, self.sched = rows(db, CAK + "SYNCHRONIZATION"), rows(db, "SCHED_EVENTS")
        # open: rows of event class 31 and 32 only say that OS runtime tracing started or finished; nsys leaves them out, so do we
        self.osrt, self.overhead = [[HostRow(r, self.strings.get(r["nameId"])) for r in rows(db, table) if r.get("eventClass") not in (31, 32)]
                                    for table in ("OSRT_API", "PROFILER_OVERHEAD")]
        kinds = {r["id"]: r["name"] for r in rows(db, "ENUM_CUPTI_OVERHEAD_TYPE")} or OVERHEAD_TYPES
        self.costs = [CallCost(r, self.strings.get(r["nameId"]), kinds.get(r["overheadType"])) for r in rows(db, CAK + "OVERHEAD")]
        self.costs += [Compilation(r) for r in rows(db, CAK + "JIT")]
        callbacks = [(HostRow(r, self.strings.get(r["nameId"])), r["correlationId"]) for r in rows(db, "CUDA_HOST_CALLBACK")]
        self.host_functions = sorted((HostFunction(r, callbacks) for r in rows(db, CAK + "GRAPH_HOST_NODE_AND_HOST_LAUNCH")), key=lambda f: f.start)
        self.cpu_faults, self.gpu_faults = rows(db, "CUDA_UM_CPU_PAGE_FAULT_EVENTS"), rows(db, "CUDA_UM_GPU_PAGE_FAULT_EVENTS")
        self.thread_names = {r["globalTid"]: self.strings.get(r["nameId"]) for r in rows(db, "ThreadNames")}
        self.process_names = {r["globalPid"] >> 24: r["name"] for r in rows(db, "PROCESSES")}
        self.mpi_ranks, self.capture = rows(db, "MPI_RANKS"), rows(db, "META_DATA_CAPTURE")
        self.comms = rows(db, "MPI_COMMUNICATORS")
        self.rank_of = {r["globalTid"] >> 24: r["rank"] for r in self.mpi_ranks}
        details = rows(db, "ANALYSIS_DETAILS")
        mpi = [(t, r) for t in ("COLLECTIVES", "P2P", "START_WAIT", "OTHER") for r in rows(db, "MPI_%s_EVENTS" % t)]
        db.close()
        self.ranges, self.marks = self.read_nvtx((59, 60, 70, 71)), self.read_nvtx((34,))
        self.close_ranges(details)
        self.mpi = self.read_mpi(mpi)
        self.link_launches()
        self.classify()
        self.number_devices()

    def close_ranges(self, details):
        """open: the trace's end; here the capture's duration (a negative one is none), or the latest time of an operation, call or NVTX row if later."""
        times = [r["duration"] for r in details if r["duration"] >= 0]
        times += [o.end for o in self.ops] + [c.end for c in self.calls]
        times += [t for r in self.ranges for t in (r.start, r.end) if t != INFINITY] + [m.start for m in self.marks]
        self.duration = max((r["duration"] for r in details), default=None)
        self.end = max(times, default=0)
        for r in self.ranges:
            r.end = self.end if r.unclosed else r.end

    def instants(self):
        """The marks as rows of a timeline: they have a time and no length."""
        out = [copy.copy(m) for m in self.marks]
        for m in out:
            m.end = m.start
            m.name = "(unnamed)" if m.name is None else m.name
        return out

    def name_of(self, row):
        text = row.get("text")
        return text if text is not None else self.strings.get(row.get("textId"))

    def read_nvtx(self, types):
        domains = {(r["globalTid"] >> 24, r.get("domainId")): self.name_of(r)
                   for r in self.nvtx_rows if r["eventType"] == 75 and r.get("domainId") is not None}
        return [Range(r, self.name_of(r), domains.get((r["globalTid"] >> 24, r.get("domainId"))))
                for r in self.nvtx_rows if r["eventType"] in types]

    def read_mpi(self, found):
        """Calls of the tables of MPI, and ranges of the domain MPI of processes that no table has. Of equal ones the first in
        this order of tables comes first."""
        out = [HostRow(r, self.strings.get(r["textId"])) for _, r in found]
        for row, (table, r) in zip(out, found):
            row.table, row.bytes = table, max(0, r.get("size") or 0) if table in ("COLLECTIVES", "P2P") else None
            row.comm = r.get("commHandle") if table in ("COLLECTIVES", "P2P") else None
        known = {row.process for row in out}
        for r in self.ranges:
            if r.type in (59, 70) and r.domain == "MPI" and r.process not in known:
                row = HostRow({"start": r.start, "end": r.end, "globalTid": r.thread}, r.name)
                row.table, row.bytes, row.comm = "NVTX", None, None
                out.append(row)
        return out

    def link_launches(self):
        """The API row with the same (process, correlationId); several: launching name, then longest, then first."""
        by_id = {}
        for position, call in enumerate(self.calls):
            if call.correlation is not None:
                order = (not call.full_name.startswith(LAUNCHES), call.start - call.end, call.start, position)
                by_id.setdefault((call.process, call.correlation), []).append((order, call))
        for op in self.ops:
            found = by_id.get((op.process, op.correlation)) if op.correlation is not None else None
            op.launch = min(found, key=lambda pair: pair[0])[1] if found else None
            if op.launch:
                op.launch.ops.append(op)

    def classify(self):
        names = {op.row["demangledName"] for op in self.ops if op.kind == "kernel"}
        nccl, is_comm = {}, {name: COMM.search(self.strings[name]) is not None for name in names}
        for r in self.ranges:
            if r.type in (59, 70) and (r.domain == "NCCL" or (r.name or "").lower().startswith("nccl")):
                nccl.setdefault(r.thread, []).append(r)
        for op in self.ops:
            if op.kind == "kernel" and is_comm[op.row["demangledName"]]:
                op.cls = "comm"
            if op.kind == "memcpy" and op.row["copyKind"] in (8, 10) and op.launch is not None:
                inside = [r for r in nccl.get(op.launch.thread, ()) if r.start <= op.launch.start and op.launch.end <= r.end]
                if inside:
                    op.cls = "comm"

    def migrates(self, op):
        """A migration of managed memory."""
        return op.kind == "memcpy" and op.row["copyKind"] in MIGRATIONS

    def kernel_name(self, op, flavour="demangled"):
        return self.strings[op.row[flavour + "Name"]]

    def number_devices(self):
        """Physical devices by gpuId first, then (process, ordinal); index = position in that order."""
        physical = {(r["pid"], r["cudaId"]): r["gpuId"] for r in self.cuda_devices if r["gpuId"] is not None}
        def key(process, ordinal):
            gpu = physical.get((process & 0xFFFFFF, ordinal))
            if gpu is None and len(self.gpus) == 1 and ordinal == 0:        # the machine has no other
                gpu = self.gpus[0].get("id", self.gpus[0].get("deviceId"))
            return (0, gpu) if gpu is not None else (1, process, ordinal)
        used = {(op.process, op.ordinal) for op in self.ops}
        self.device_keys = sorted({key(*one) for one in used})
        self.device_key, self.device_of = key, {one: self.device_keys.index(key(*one)) for one in used}
        for op in self.ops:
            op.device = self.device_of[op.process, op.ordinal]
        self.processes = sorted({op.process for op in self.ops} | {c.process for c in self.calls} | {r.process for r in self.ranges})

    def find_device(self, process, ordinal):
        """The device that a process's ordinal is, also where only other processes have operations there; None if nobody has."""
        key = self.device_key(process, ordinal)
        return self.device_keys.index(key) if key in self.device_keys else None

    def devices_of(self, process):
        return sorted({device for (p, _), device in self.device_of.items() if p == process})
