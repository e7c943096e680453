# SPDX-License-Identifier: MIT
"""Table layouts of several schema eras for mktrace.py: which columns exist, in which order, with what beside them."""

PREFIX = {"KERNEL", "MEMCPY", "MEMSET", "RUNTIME", "GRAPH_TRACE", "SYNCHRONIZATION", "OVERHEAD", "JIT",
          "GRAPH_HOST_NODE_AND_HOST_LAUNCH"}
REAL_NAMES = {"CUDA_DEVICE": "TARGET_INFO_CUDA_DEVICE", "GPU": "TARGET_INFO_GPU"}
IDS = "start end deviceId contextId streamId correlationId globalPid".split()

BASE = {
    "KERNEL": IDS + """demangledName shortName launchType cacheConfig registersPerThread gridX gridY gridZ blockX blockY
        blockZ staticSharedMemory dynamicSharedMemory localMemoryPerThread localMemoryTotal gridId sharedMemoryExecuted
        graphNodeId""".split(),
    "MEMCPY": IDS + """bytes copyKind deprecatedSrcId srcKind dstKind srcDeviceId srcContextId dstDeviceId dstContextId
        graphNodeId""".split(),
    "MEMSET": IDS + "value bytes graphNodeId".split(),
    "RUNTIME": "start end eventClass globalTid correlationId nameId returnValue".split(),
    "NVTX_EVENTS": "start end eventType rangeId category color text globalTid endGlobalTid textId domainId".split(),
    "StringIds": ["id", "value"],
}
HOST = {                                                    # only where rows ask for them
    "SYNCHRONIZATION": IDS + ["syncType", "eventId"],
    "OSRT_API": "start end eventClass globalTid nameId returnValue nestingLevel callchainId".split(),
    "OVERHEAD": "start end eventClass globalTid correlationId nameId overheadType".split(),
    "JIT": """start end eventClass globalTid correlationId nameId overheadType jitEntryType jitOperationType deviceId
        jitOperationCorrelationId cacheSize cachePath""".split(),
    "CUDA_HOST_CALLBACK": "start end eventClass globalTid correlationId nameId".split(),
    "GRAPH_HOST_NODE_AND_HOST_LAUNCH": IDS + ["graphNodeId", "graphId"],
    "PROFILER_OVERHEAD": "start end globalTid nameId returnValue".split(),
    "CUDA_UM_CPU_PAGE_FAULT_EVENTS": "start globalPid address originalFaultPc CpuInstruction module unresolvedFaultPc".split(),
    "CUDA_UM_GPU_PAGE_FAULT_EVENTS": "start end globalPid deviceId address numberOfPageFaults faultAccessType".split(),
    "MPI_COLLECTIVES_EVENTS": "start end globalTid textId commHandle rootRank size recvSize requestHandle".split(),
    "MPI_P2P_EVENTS": "start end globalTid textId commHandle tag remoteRank size requestHandle".split(),
    "MPI_START_WAIT_EVENTS": "start end globalTid textId requestHandle".split(),
    "MPI_OTHER_EVENTS": "start end globalTid textId".split(),
    "SCHED_EVENTS": "start cpu isSchedIn globalTid".split(),
    "ThreadNames": "nameId priority globalTid".split(),
    "ANALYSIS_DETAILS": "globalVid duration startTime stopTime".split(),
}
TEXT_COLUMNS = {"cachePath", "text", "value", "name", "uuid", "busLocation"}      # bytes that need not be UTF-8, cast to text
NOT_NULL = {"start", "eventType", "deviceId", "nameId", "demangledName", "shortName", "copyKind"}
SPARE = {"MEMCPY": ["srcKind", "dstKind", "srcDeviceId", "graphNodeId", "correlationId"],
         "MEMSET": ["memKind", "graphNodeId", "correlationId"], "GRAPH_TRACE": ["correlationId", "graphId"],
         "KERNEL": ["graphNodeId", "launchType", "cacheConfig", "mangledName"], "RUNTIME": ["callchainId", "eventClass"],
         "NVTX_EVENTS": ["category", "color", "rangeId", "endGlobalTid", "domainId"]}


def columns(era, r, tables):
    """{table: column names in order} of a random file of that era that can hold the given rows."""
    out = {t: list(c) for t, c in BASE.items()}
    year = int(era)
    if year >= 2022:
        out["KERNEL"].insert(9, "mangledName")
        out["MEMSET"].append("memKind")
        out["MEMCPY"] += ["migrationCause", "virtualAddress"]
        out["RUNTIME"].append("callchainId")
        out["PROCESSES"] = ["globalPid", "pid", "name"]
        out["META_DATA_EXPORT" if year >= 2023 else "EXPORT_META_DATA"] = ["name", "value"]
    if year >= 2023:
        for t in ("KERNEL", "MEMCPY", "MEMSET"):
            out[t].insert(4, "greenContextId")             # every later position shifts
    if year >= 2025:
        out["MEMCPY"].append("copyCount")
        out["KERNEL"] += ["graphId", "clusterX", "clusterY", "clusterZ"]
    if "GRAPH_TRACE" in tables or r.random() < 0.1:
        out["GRAPH_TRACE"] = IDS + ["graphId", "graphExecId"]
    out.update({t: list(c) for t, c in HOST.items() if t in tables})
    if "CUDA_DEVICE" in tables:
        out["CUDA_DEVICE"] = ["gpuId", "cudaId", "pid"] + (["uuid", "numMultiprocessors"] if year >= 2026 else [])
        out["GPU"] = ["vmId", "id", "name", "busLocation", "uuid", "memoryBandwidth"]
    for t in [t for t in out if not tables.get(t) and t != "StringIds"]:
        if r.random() < 0.6:
            del out[t]                                      # lazy export: no rows, no table; else an empty table
    for t in out:
        unused = [c for c in ("text", "textId") if t == "NVTX_EVENTS" and all(row[c] is None for row in tables.get(t, ()))]
        for spare in SPARE.get(t, []) + unused:
            if spare in out[t] and r.random() < 0.1:
                out[t].remove(spare)
        if r.random() < 0.25:
            out[t].insert(r.randint(0, len(out[t])), "added by a script")
        if r.random() < 0.25:
            r.shuffle(out[t])
    if r.random() < 0.1:
        out["ProcessStreams"] = ["start", "end", "whatever"]
    return out


def create(db, table, names, rows, r):
    real = "CUPTI_ACTIVITY_KIND_" + table if table in PREFIX else REAL_NAMES.get(table, table)
    declared = []
    for n in names:
        kind = "TEXT" if n in TEXT_COLUMNS else r.choices(["INTEGER", "INT", ""], [90, 5, 5])[0]
        key = " PRIMARY KEY" if table == "StringIds" and n == "id" else " NOT NULL" if n in NOT_NULL and r.random() < 0.5 else ""
        declared.append('"%s" %s%s' % (n, kind, key))
    db.execute('CREATE TABLE "%s" (%s)' % (real, ", ".join(declared)))
    holders = ", ".join("CAST(? AS TEXT)" if n in TEXT_COLUMNS else "?" for n in names)
    db.executemany('INSERT INTO "%s" VALUES (%s)' % (real, holders), [[filler(n, row, r) for n in names] for row in rows])


def filler(name, row, r):
    """The row's value; a column nobody set gets anything, also of a wrong type."""
    if name in row:
        return row[name].encode("utf-8", "surrogateescape") if isinstance(row[name], str) else row[name]
    return r.choice([None, 0, 1, 2 ** 62, "text", b"\x00\xff", 1.5])
