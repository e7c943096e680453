# SPDX-License-Identifier: MIT
"""Tables of the documented 2026.5 schema (3.30.1) that no file of 2026.4 has, with a few rows each.

No public file has them. Columns are those that NVIDIA documents; of BLOCK_PHASE_TRACE and WARP_PHASE_TRACE only the names are
known here, so they have the columns of blocks and of warps. Rows follow those of the workload: blocks lie in their kernels,
compilations and overhead in their calls."""
import random, struct

IDS = "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER"
HOST = "start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL"
BLOCK = "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, correlationId INTEGER, nodeId INTEGER, SMId INTEGER NOT NULL, globalPid INTEGER, BlockID INTEGER NOT NULL, UGPUId INTEGER, CGAId INTEGER"
COLUMNS = {
    "CUPTI_ACTIVITY_KIND_JIT": HOST + ", overheadType INTEGER NOT NULL, jitEntryType INTEGER, jitOperationType INTEGER, deviceId INTEGER, jitOperationCorrelationId INTEGER, cacheSize INTEGER, cachePath TEXT",
    "CUDA_HOST_CALLBACK": HOST,
    "CUPTI_ACTIVITY_KIND_GRAPH_HOST_NODE_AND_HOST_LAUNCH": IDS + ", graphNodeId INTEGER, graphId INTEGER",
    "CUPTI_ACTIVITY_KIND_OVERHEAD": HOST + ", overheadType INTEGER NOT NULL",
    "CUPTI_ACTIVITY_KIND_MEM_DECOMPRESS": IDS + ", ChannelID INTEGER, sourceBytes INTEGER NOT NULL, NumberOfOperations INTEGER NOT NULL",
    "BLOCK_TRACE": BLOCK, "WARP_TRACE": BLOCK + ", WarpID INTEGER NOT NULL",
    "BLOCK_PHASE_TRACE": BLOCK, "WARP_PHASE_TRACE": BLOCK + ", WarpID INTEGER NOT NULL",
    "CUDA_GPU_MEMORY_USAGE_EVENTS": "start INTEGER NOT NULL, globalPid INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER, address INTEGER NOT NULL, pc INTEGER NOT NULL, bytes INTEGER NOT NULL, memKind INTEGER NOT NULL, memoryOperationType INTEGER NOT NULL, name TEXT, correlationId INTEGER, localMemoryPoolAddress INTEGER, localMemoryPoolReleaseThreshold INTEGER, localMemoryPoolSize INTEGER, localMemoryPoolUtilizedSize INTEGER, importedMemoryPoolAddress INTEGER, importedMemoryPoolProcessId INTEGER",
    "NVTX_SCOPES": "domainId INTEGER NOT NULL, scopeId INTEGER NOT NULL, path TEXT",
    "NVTX_PAYLOAD_ENUM_ENTRIES": "domainId INTEGER NOT NULL, schemaId INTEGER NOT NULL, idx INTEGER NOT NULL, name TEXT, value INTEGER, isFlag INTEGER",
    "NVTX_COUNTER_GROUPS": "domainId INTEGER NOT NULL, counterGroupId INTEGER NOT NULL, schemaId INTEGER, name TEXT, scopeId INTEGER",
}
ENUMS = {"ENUM_CUPTI_OVERHEAD_TYPE": [(2, "OVERHEAD_DRIVER_COMPILER", "Driver JIT compiler (CUDA)"), (8, "OVERHEAD_COMMAND_BUFFER_FULL", "Command buffer full (CUDA)")]}
KERNELS, BLOCKS, WARPS, SLOTS = 60, 300, 4, 2      # kernels of a process that have blocks, blocks of a kernel at most, warps of a block, blocks of an SM at once
LAYOUT = 16777216 + 900                             # of the user's payload: (name, type, offset, bytes)
FIELDS = (("batch", 5, 0, "<i"), ("loss", 20, 8, "<d"), ("where", 70, 16, "<Q"), ("tokens", 18, 24, "<Q"), ("phase", LAYOUT + 1, 32, "<I"))
SIZE, SCOPES, PHASES = 40, ((1, "node 0"), (2, "node 0/GPU 1")), ((0, "prefill"), (1, "decode"))

def ddl(): return {t: "CREATE TABLE %s ( %s )" % (t, c) for t, c in COLUMNS.items()} | {t: "CREATE TABLE %s ( id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT )" % t for t in ENUMS}

def blocks_of(rng, start, end, n, sms):
    """(start, end, SM, block) of a kernel: each block begins where one ended first, some take three times as long."""
    mean = max(1, (end - start) * SLOTS * min(sms, n) // (n + SLOTS * sms)); free = [(start + rng.randrange(200), s % sms) for s in range(SLOTS * sms)]; out = []
    for b in range(n):
        at = min(range(len(free)), key=lambda i: free[i][0]); t, sm = free[at]
        last = max(t + 1, min(end, t + int(mean * rng.uniform(.6, 1.2) * (3 if rng.random() < .02 else 1)))); free[at] = (last, sm)
        if t >= end: break
        out.append((t, last, sm, b))
    return out

def write_blocks(f, db, rng):
    for r in f.ranks:
        kernels = db.execute("SELECT start, end, deviceId, correlationId, graphNodeId, globalPid, gridX * gridY * gridZ FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE globalPid = ? ORDER BY start LIMIT ?", (f.GP[r], KERNELS)).fetchall()
        for i, (start, end, device, corr, node, pid, grid) in enumerate(kernels):
            found = blocks_of(rng, start, end, max(1, min(grid or 1, BLOCKS)), 132); first = (device, corr, (node or 0) & 0xffffffff)
            db.executemany("INSERT INTO BLOCK_TRACE VALUES (?,?,?,?,?,?,?,?,?,?)", [(s, e, *first, sm, pid, b, sm // 66, b // 2) for s, e, sm, b in found])
            if i % 3: continue
            rows = [(s + rng.randrange(max(1, (e - s) // 8)), e - rng.randrange(max(1, (e - s) // 2)), *first, sm, pid, b, sm // 66, b // 2, w) for s, e, sm, b in found for w in range(WARPS)]
            db.executemany("INSERT INTO WARP_TRACE VALUES (?,?,?,?,?,?,?,?,?,?,?)", rows)
        db.execute("INSERT INTO BLOCK_PHASE_TRACE SELECT * FROM BLOCK_TRACE WHERE globalPid = ? LIMIT 10", (f.GP[r],)); db.execute("INSERT INTO WARP_PHASE_TRACE SELECT * FROM WARP_TRACE WHERE globalPid = ? LIMIT 10", (f.GP[r],))

def write_host(f, db, S):
    for r in f.ranks:
        tid = f.GT[r][0]; calls = db.execute("SELECT start, end, correlationId FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE globalTid = ? AND end - start > 2000 ORDER BY start LIMIT 40", (tid,)).fetchall()
        for i, (s, e, c) in enumerate(calls):
            part = (e - s) // 3
            if i % 4 == 0: db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_OVERHEAD VALUES (?,?,103,?,?,?,8)", (s + 100, s + part, tid, c, S("Command buffer full")))
            elif i % 4 == 1: db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_JIT VALUES (?,?,104,?,?,?,2,1,?,?,?,65536,'/root/.nv/ComputeCache')", (s + 100, s + part, tid, c, S("Driver JIT compiler"), 1 + i % 3, f.job.devices[r], 500 + i))
            elif i % 4 == 2: db.execute("INSERT INTO CUDA_HOST_CALLBACK VALUES (?,?,105,?,?,?)", (e + 500, e + 1500, tid + 3, c, S("notify(void*)")))
            if i % 4 == 2: db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_HOST_NODE_AND_HOST_LAUNCH VALUES (?,?,?,1,NULL,?,?,?,NULL,NULL)", (e + 400, e + 1600, f.job.devices[r], f.job.stream(r, 7), c, f.GP[r]))

def write_device(f, db):
    for r in f.ranks:
        d, gp, stream = f.job.devices[r], f.GP[r], f.job.stream(r, 14)
        for s, e, c in db.execute("SELECT start, end, correlationId FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE globalPid = ? ORDER BY start LIMIT 8 OFFSET 4", (gp,)).fetchall():
            db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_MEM_DECOMPRESS VALUES (?,?,?,1,NULL,?,?,?,3,1048576,16)", (s, s + (e - s) // 2, d, stream, c, gp))
        for i in range(12):
            t = f.tm(3_000_000 + i * 50_000); op = i % 3 == 2; pool = (0x700000000000, 0, 4 << 20, (1 + i) << 16) if i < 6 else (None, None, None, None)
            db.execute("INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (?,?,?,1,?,?,0,?,2,?,NULL,NULL,?,?,?,?,NULL,NULL)", (t, gp, d, stream, 0x700000000000 + ((i - 1 if op else i) << 20), 65536 << ((i - 1 if op else i) % 4), int(op), *pool))
    db.execute("UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET copyCount = 1 + rowid % 5")

def write_nvtx(f, db):
    """Ranges with a payload of the program's own: a scope, a number of a set of names, and one whose layout the file lacks."""
    rng = random.Random(f.a.seed); domain = 0
    db.executemany("INSERT INTO NVTX_SCOPES VALUES (?,?,?)", [(domain, 1 << 24 | i, p) for i, p in SCOPES])
    db.execute("INSERT INTO NVTX_COUNTER_GROUPS VALUES (?,1,?,'queue',?)", (domain, LAYOUT, 1 << 24 | 1))
    db.executemany("INSERT INTO NVTX_PAYLOAD_ENUM_ENTRIES VALUES (?,?,?,?,?,0)", [(domain, LAYOUT + 1, i, n, v) for i, (v, n) in enumerate(PHASES)])
    db.execute("INSERT INTO NVTX_PAYLOAD_SCHEMAS VALUES (?,?,'request',1,NULL,?,?,NULL)", (domain, LAYOUT, len(FIELDS), SIZE))
    db.executemany("INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES (?,?,?,NULL,?,?,NULL,NULL,?)", [(domain, LAYOUT, i, t, n, at or None) for i, (n, t, at, _) in enumerate(FIELDS)])
    for r in f.ranks:
        for i in range(9):
            t = f.tm(4_000_000 + i * 90_000); raw = bytearray(SIZE)
            for (_, _, at, form), v in zip(FIELDS, (i - 3, rng.uniform(0, 4), 1 << 24 | (1 + i % 2), 1000 * i + r, i % 2)): struct.pack_into(form, raw, at, v)
            layout = LAYOUT if i < 7 else LAYOUT + 70; blob = struct.pack("<QQQQ", domain, layout, SIZE, 32 + SIZE) + bytes(raw)
            row = (t, t + 60_000, 59, f.GT[r][0], "request", domain, blob.hex() if f.a.blobs == "hex" else blob)
            db.execute("INSERT INTO NVTX_EVENTS (start, end, eventType, globalTid, text, domainId, binaryData) VALUES (?,?,?,?,?,?,?)", row); f.cnt["X"] += 1

def write(f):
    db, rng = f.db, random.Random(f.a.seed * 77 + 5)
    for t, rows in ENUMS.items(): db.executemany("INSERT INTO %s VALUES (?,?,?)" % t, rows)
    if db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'CUPTI_ACTIVITY_KIND_KERNEL'").fetchone()[0]: write_blocks(f, db, rng); write_device(f, db)
    write_host(f, db, f.job.S); write_nvtx(f, db)
