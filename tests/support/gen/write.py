# SPDX-License-Identifier: MIT
"""Writes one file of a job: the iterations of its ranks, and what the exporter says around them."""
import os, sqlite3

from . import cuts, hosts, metrics, newest, payloads
from .mpi import write_mpi
from .schema import DDL_2023_4, DDL_2026_4, ENUMS, MORE

VM = 1 << 48                                    # hwId 0, vmId 1
def gpid(pid): return VM | (pid << 24)
def gtid(pid, tid): return VM | (pid << 24) | tid

def tables(a, V):
    """The tables that files of this job have: lazily, as nsys makes them."""
    new = a.schema != "2023.4"; ddl = dict(DDL_2026_4 if new else DDL_2023_4)
    graphs = "CUDA_GRAPH_NODE_EVENTS" if new else "CUDA_GRAPH_EVENTS"; lazy = set()
    if a.graph != "node": lazy |= {graphs}
    if a.graph != "graph": lazy |= {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE"}
    if new: lazy |= {"CUDA_GRAPH_EVENTS"}
    if a.osrt == 0: lazy |= {"OSRT_API"}
    for t, k in (("KERNEL", "K"), ("MEMCPY", "M"), ("MEMSET", "Z"), ("CUDA_EVENT", "E")):
        if not any(v[k] for v in V): lazy |= {"CUPTI_ACTIVITY_KIND_" + t}
    more = payloads.tables(a) + {"new": ["MPI_RANKS", "MPI_COMMUNICATORS", "MPI_COLLECTIVES_EVENTS", "MPI_P2P_EVENTS", "MPI_OTHER_EVENTS"], "old": ["MPI_OTHER_EVENTS"], None: []}[a.mpi]
    if a.schema == "2026.5": more += [t for t in ("NVTX_PAYLOAD_SCHEMAS", "NVTX_PAYLOAD_SCHEMA_ENTRIES") if t not in more]
    return [ddl[t] for t in ddl if t not in lazy] + [MORE[t] for t in more] + list(newest.ddl().values() if a.schema == "2026.5" else ())

def open_db(path, ddl):
    if os.path.exists(path): os.remove(path)
    db = sqlite3.connect(path, isolation_level=None)
    for p in ("page_size=4096", "journal_mode=OFF", "synchronous=OFF", "cache_size=-65536", "locking_mode=EXCLUSIVE"): db.execute("PRAGMA " + p)
    for t in ddl: db.execute(t)
    db.execute("BEGIN")
    for t, rows in ENUMS.items(): db.executemany("INSERT INTO %s VALUES (?,?,?)" % t, rows)
    return db

def put(db, table, **kv):
    """Insert one row by column name; NOT NULL columns that are not given get 0 or ''."""
    row = []
    for _, name, typ, nn, _, _ in db.execute("PRAGMA table_info(%s)" % table).fetchall():
        row.append(kv.get(name, ("" if typ == "TEXT" else 0) if nn else None))
    db.execute("INSERT INTO %s VALUES (%s)" % (table, ",".join("?" * len(row))), row)

class File:
    """One file. Iteration templates live in TEMP tables; each iteration is one INSERT ... SELECT per table, run inside SQLite."""
    def __init__(f, job, path, ranks):
        f.job, f.path, f.ranks, f.a = job, path, ranks, job.a
        f.off, f.drift = job.clocks[ranks[0]]; f.new = f.a.schema != "2023.4"
        f.GP = [gpid(p) for p in job.pids]; f.GT = [(gtid(p, p), gtid(p, p + 5)) for p in job.pids]
        f.db = open_db(path, tables(f.a, job.V)); f.db.execute("PRAGMA temp_store=MEMORY")
        f.cnt = dict(K=0, Q=0, M=0, Z=0, Y=0, X=0, G=0, O=0, E=0, P=0, N=0); f.tot = [0] * f.a.ranks; f.totn = [0] * f.a.ranks; f.mb = 0
        f.insX = "INSERT INTO NVTX_EVENTS VALUES (?,?,?,?,?,?,?,?,?,?,?,NULL,?,NULL,NULL,NULL,NULL,NULL,%s)" % ("?,?,NULL" if f.new else "?")
    def tm(f, t): return t + f.off + t * f.drift // 1000000000 if t >= 0 else t + f.off
    def nvtx(f, start, end, kind, rid, category, text, tid, text_id, domain, payload=None):
        text_json, blob = payloads.columns(f.a, payload)
        f.db.execute(f.insX, (start, end, kind, rid, category, None, text, tid, None, text_id, domain, None, text_json) + ((blob,) if f.new else ())); f.cnt["X"] += 1
    def keep(f, rows):
        if len(f.ranks) == f.a.ranks: return rows
        by = f.job.by_rank(rows)
        if len(f.ranks) == 1: return by.get(f.ranks[0], [])
        mine = set(f.ranks); return [x for x in rows if x[2] in mine]
    def template(f, name, i, rows):
        w = len(rows[0]) if rows else 1
        f.db.execute("CREATE TEMP TABLE %s%d (%s)" % (name, i, ",".join("c%d" % j for j in range(w))))
        if rows: f.db.executemany("INSERT INTO temp.%s%d VALUES (%s)" % (name, i, ",".join("?" * w)), rows)
        return len(rows)
    def range_rows(f, v):
        X = []; GT = f.GT
        for x in f.keep(v["X"]):
            t = x[5]; g = GT[x[2]][x[3]]
            if x[6] == 34 and x[1] is None: X.append((x[0], None, 34, None, None, t, g, None, 0, 1, None, None))
            elif x[4]: X.append((x[0], x[1], 59, None, None, None, g, x[6], 1, 0) + payloads.columns(f.a, f.job.payload(x)))
            elif t == "@iter": X.append((x[0], x[1], 59, 7, 4278255360, "@", g, None, 0, 0, None, None))
            else: X.append((x[0], x[1], 59, None, None, t, g, None, 0, 0, None, None))
        return X
    def load(f, i, v):
        """Makes the templates of a variant: what to run for each iteration, and how many rows it gives."""
        GP, GT, keep, mk, c = f.GP, f.GT, f.keep, f.template, {}; dev = f.job.devices; sid = f.job.stream
        c["K"] = mk("K", i, [(k[0], k[1], dev[k[2]], sid(k[2], k[3]), k[4], GP[k[2]], k[5], k[6], k[7], *k[8], *k[9], k[10], k[11]) for k in keep(v["K"])])
        c["G"] = mk("G", i, [(g[0], g[1], dev[g[2]], sid(g[2], g[3]), g[4], GP[g[2]], g[5], g[6]) for g in keep(v["G"])])
        c["Q"] = mk("Q", i, [(q[0], q[1], GT[q[2]][q[3]], q[4], q[5]) for q in keep(v["Q"])])
        c["M"] = mk("M", i, [(m[0], m[1], dev[m[2]], sid(m[2], m[3]), m[4], GP[m[2]], m[5], m[6], m[7], m[8]) for m in keep(v["M"])])
        c["Z"] = mk("Z", i, [(z[0], z[1], dev[z[2]], sid(z[2], z[3]), z[4], GP[z[2]], z[5], z[6]) for z in keep(v["Z"])])
        c["Y"] = mk("Y", i, [(y[0], y[1], dev[y[2]], sid(y[2], y[3]), y[4], GP[y[2]], y[5], y[6], y[7]) for y in keep(v["Y"])])
        c["E"] = mk("E", i, [(dev[y[2]], sid(y[2], y[3]), y[4], GP[y[2]], y[5]) for y in keep(v["E"])])
        c["X"] = mk("X", i, f.range_rows(v))
        step = v["len"] // (f.a.osrt + 1)
        c["O"] = mk("O", i, sorted((10_000 + j * step, 10_000 + j * step + 90_000, GT[r][0] + 2, f.job.osrt[j % 4]) for r in f.ranks for j in range(f.a.osrt)))
        c["N"] = mk("N", i, payloads.operations(f.job, v, f.ranks) if f.a.payloads in ("json", "ops") else [])
        c["mb"] = sum(m[5] for m in keep(v["M"])); new = f.new
        T = "c0+:b,c1+:b" if not (f.off or f.drift) else ",".join("(%s+:b)+:o+(%s+:b)*:d/1000000000" % (x, x) for x in ("c0", "c1"))
        kext = ",NULL,NULL,NULL,NULL,1,1,1,0,0,0,0,''" if new else ""
        q = {"K": "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT " + T + ",c2,1,NULL,c3,c4+:c,c5,c6,c7,NULL,1,1,c8,c9,c10,c11,c12,c13,c14,0,c15,0,0,:g+rowid,65536,c16,0" + kext,
             "G": "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE SELECT " + T + ",c2,1,NULL,c3,c4+:c,c5,c6,c7",
             "Q": "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT " + T + ",0,c2,c3+:c,c4,0,NULL",
             "M": "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY SELECT " + T + ",c2,1,NULL,c3,c4+:c,c5,c6,c7,NULL,c8,c9,NULL,NULL,NULL,NULL,NULL,NULL,NULL" + (",NULL" if new else ""),
             "Z": "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET SELECT " + T + ",c2,1,NULL,c3,c4+:c,c5,c6,c7,NULL,2",
             "Y": "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION SELECT " + T + ",c2,1,NULL,c3,c4+:c,c5,%sc6,c7%s" % (("NULL,", ",c8+:c") if new else ("", "")),
             "E": "INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT SELECT c0,1,NULL,c1,c2+:c,c3,c4" + (",0,c2+:c" if new else ""),
             "X": "INSERT INTO NVTX_EVENTS SELECT " + T + ",c2,NULL,c3,c4,CASE c5 WHEN '@' THEN 'iteration '||:i ELSE c5 END,c6,NULL,c7,c8,NULL,CASE c9 WHEN 1 THEN :i END,NULL,NULL,NULL,NULL,NULL,c10" + (",c11,NULL" if new else ""),
             "O": "INSERT INTO OSRT_API SELECT " + T + ",27,c2,c3,0,0,0" + (",0" if new else ""),
             "N": "INSERT INTO NCCL_GPU_OPERATIONS SELECT c2+:n,c3," + T + ",c4,c5,c6,c7,c8,c2+:n"}
        return [(k, q[k] + " FROM temp.%s%d" % (k, i), c[k]) for k in "KGQMZYXOEN" if c[k]], c
    def before(f):
        """Domain, category, names: before t=0, as in captures started by a range."""
        rows = []
        for r in f.ranks:
            rows += [(-5_000_000_000 - r, None, 75, None, None, "NCCL", f.GT[r][0], None, 1), (-4_999_000_000, None, 33, None, 7, "phases", f.GT[r][0], None, 0),
                     (-4_998_000_000, None, 39, None, None, "pt_main_thread", f.GT[r][0], None, 0)]
        for x in sorted(rows, key=lambda x: x[0]): f.nvtx(*x)
        for x in payloads.inits(f.job, f.ranks) if f.a.payloads else (): f.nvtx(f.tm(x[0]), f.tm(x[1]), 59, None, None, None, f.GT[x[2]][0], x[3], 1, x[4])
    def account(f, it, base):
        """Adds what one iteration holds to the truth."""
        v = f.job.V[f.job.order[it]]
        for r in f.ranks:
            f.tot[r] += v["truth"]["compute_ns"][r]; f.totn[r] += v["truth"]["nccl_ns"][r]; d, w = f.D[r], f.job.ACC[f.job.order[it]][r]
            if d["first_ns"] is None: d["first_ns"] = base + w["first"]
            d["last_ns"] = base + w["last"]; d["busy_ns"] += w["busy"]; d["kernel_busy_ns"] += w["kernels"]; d["compute_union_ns"] += w["compute"]; d["comm_union_ns"] += w["comm"]; d["exposed_comm_ns"] += w["exposed"]
            d["exposed_comm_per_iteration_ns"].append(w["exposed"]); d["busy_per_iteration_ns"].append(w["busy"]); d["iteration_gpu_span_ns"].append(w["last"] - w["first"])
            for n, p in w["proj"].items():
                x = d["nvtx_projected"].setdefault("iteration *" if n == "@iter" else n, [0, 0, 0]); x[0] += p[0]; x[1] += p[1]; x[2] += p[2]
            for n, p in w["stage"].items():
                x = d["a2a_by_stage"].setdefault(n, [0, 0, 0]); x[0] += p[0]; x[1] += p[1]; x[2] += p[2]
            m, x = w["main"], f.run[r]
            if m[0] is not None: x[0] = base + m[0] if x[0] is None else x[0]; x[1] = max(x[1] or 0, base + m[1]); x[2] += m[2]
    def iterations(f):
        job = f.job; P = [f.load(i, v) for i, v in enumerate(job.V)]; f.before()
        f.D = {r: dict(first_ns=None, last_ns=None, busy_ns=0, kernel_busy_ns=0, compute_union_ns=0, comm_union_ns=0, exposed_comm_ns=0, exposed_comm_per_iteration_ns=[], busy_per_iteration_ns=[], iteration_gpu_span_ns=[], nvtx_projected={}, a2a_by_stage={}) for r in f.ranks}
        f.run = {r: [None, None, 0] for r in f.ranks}; corr0 = 1000; grid = done = 0
        for it, base in enumerate(job.starts):
            v = job.V[job.order[it]]; prog, c = P[job.order[it]]
            arg = {"b": base, "c": corr0, "g": grid, "i": it, "o": f.off, "d": f.drift, "n": done}
            for k, sql, n in prog: f.db.execute(sql, arg); f.cnt[k] += n
            if v["P"]: f.cnt["P"] += write_mpi(f, v["P"], base)
            grid += c["K"]; done += len(v["C"]); f.mb += c["mb"]; corr0 += v["corr"]
            f.account(it, base)
    def after(f):
        """Ranges over the whole run, graph nodes and the tables that describe process and machine."""
        job, a, db, ranks, new, GP, GT = f.job, f.a, f.db, f.ranks, f.new, f.GP, f.GT; ins = db.executemany
        for r in ranks:
            whole = [("train run" if job.work != "serving" else "serve run", 60, 2_000_000 + r)] + ([(job.setup[r], 59, 1_500_000 + r)] if job.setup else [])
            for n, ty, t in whole:
                f.nvtx(f.tm(t), f.tm(job.dur), ty, 1 if ty == 60 else None, None, n, GT[r][0], None, 0)
                if f.run[r][0] is not None: f.D[r]["nvtx_projected"][n] = [1, f.run[r][1] - f.run[r][0], f.run[r][2]]
        if a.graph == "node":                                     # as real files: the captured graph's nodes, then the executable graph's, each twice (plain, and as a clone)
            rows = []
            for r in ranks:
                ids = sorted({k[11] for v in job.V for k in v["K"] if k[2] == r and k[11] is not None})
                for i, n in enumerate(ids):
                    t = f.tm(1_000_000 + i * 500); o = (1 << 32) | (n & 0xffffffff)
                    rows += [(t, t, GT[r][0], job.gname, o, None), (t + 100, t + 100, GT[r][0], job.gname, n, None), (t + 200, t + 200, GT[r][0], job.gname, n, o)]
            ins("INSERT INTO %s VALUES (?,?,77,?,?,?,?)" % ("CUDA_GRAPH_NODE_EVENTS" if new else "CUDA_GRAPH_EVENTS"), sorted(rows))
        if a.schema == "2026.5": newest.write(f)
        ins("INSERT INTO StringIds VALUES (?,?)", [(i, s) for s, i in job.S.d.items()])
        ins("INSERT INTO PROCESSES (globalPid,pid,name) VALUES (?,?,?)", [(GP[r], job.pids[r], "/usr/bin/python3") for r in ranks])
        ins("INSERT INTO ThreadNames (nameId,priority,globalTid) VALUES (?,?,?)", [x for r in ranks for x in zip(job.threads, (20, 20, 20), (GT[r][0], GT[r][1], GT[r][0] + 2))])
        gi = dict(vmId=VM, name="NVIDIA H100 80GB HBM3", isDiscrete=1, l2CacheSize=52428800, totalMemory=85017493504, memoryBandwidth=3352320000000, clockRate=1980000000, smCount=132, chipName="GH100", computeMajor=9, computeMinor=0, smMajor=9, smMinor=0, threadsPerWarp=32, maxWarpsPerSm=64)
        for r in ranks: d = job.devices[r]; put(db, "TARGET_INFO_GPU", id=d, busLocation="0000:%02x:00.0" % (0x18 + d), cuDevice=d, uuid="GPU-%08x-0000-0000-0000-%012x" % (r, r), **gi)
        for r in ranks:
            put(db, "TARGET_INFO_CUDA_CONTEXT_INFO", nullStreamId=7, hwId=0, vmId=1, processId=job.pids[r], deviceId=job.devices[r], contextId=1, numMultiprocessors=132)
            for st, fl in ((7, 3), (14, 2), (20, 2)) + job.streams: put(db, "TARGET_INFO_CUDA_STREAM", streamId=job.stream(r, st), hwId=0, vmId=1, processId=job.pids[r], contextId=1, priority=0, flag=fl)
            if new: put(db, "TARGET_INFO_CUDA_DEVICE", gpuId=job.devices[r], cudaId=job.devices[r], pid=job.pids[r], numMultiprocessors=132)
        if a.payloads: payloads.write_schemas(f)
        if a.mpi: job.mpi_tables(f)
        f.describe()
    def describe(f):
        a, db, job, ins = f.a, f.db, f.job, f.db.executemany; lead = job.lead[f.ranks[0]]; utc = job.utc[f.ranks[0]]
        if a.job: at = utc - hosts.host_of(job.hosts, f.ranks[0])["boot_utc_ns"] if f.new else 357_844_493_043 + lead
        else: at = 0
        put(db, "TARGET_INFO_SESSION_START_TIME", utcEpochNs=utc, utcTime="2023-11-14T22:13:20", localTime="2023-11-14T22:13:20")
        put(db, "ANALYSIS_DETAILS", globalVid=VM, duration=f.tm(job.dur), startTime=at, stopTime=at + f.tm(job.dur))
        pv, sv = {"2023.4": ("2023.4.4.54", "3.7.2"), "2026.4": ("2026.4.1.999", "3.28.1"), "2026.5": ("2026.5.1.999", "3.30.1")}[a.schema]
        ins("INSERT INTO META_DATA_EXPORT VALUES (?,?)", [("EXPORT_PRODUCT_NAME", "NVIDIA Nsight Systems"), ("EXPORT_PRODUCT_VERSION", pv), ("EXPORT_SCHEMA_VERSION", sv)] + [("EXPORT_SCHEMA_VERSION_" + k, x) for k, x in zip(("MAJOR", "MINOR", "MICRO"), sv.split("."))] + [("EXPORT_PARAM_LAZY", "true"), ("SYNTHETIC", "gen_trace.py")])
        ins("INSERT INTO META_DATA_CAPTURE VALUES (?,?)", [("DEVICE_ID", "Local (CLI)"), ("CAPTURE_EVENT_TYPE", "NvtxEvents"), ("CAPTURE_EVENT_TYPE", "Cuda")])
        if a.env: hosts.write_host(db, put, a, job.hosts, f.ranks, VM)
        put(db, "PROFILER_OVERHEAD", start=f.tm(2_100_000), end=f.tm(2_400_000), globalTid=f.GT[f.ranks[0]][0], nameId=job.ovh)
    def truth(f):
        for d in f.D.values():
            d["idle_ns"] = d["last_ns"] - d["first_ns"] - d["busy_ns"]
            d["nvtx_projected"] = {n: dict(zip(("instances", "projected_ns", "gpu_ops"), p)) for n, p in sorted(d["nvtx_projected"].items())}
            d["a2a_by_stage"] = {n: dict(zip(("kernels", "comm_ns", "exposed_ns"), p)) for n, p in sorted(d["a2a_by_stage"].items())}
            if f.job.work != "moe": del d["a2a_by_stage"]
            if f.a.graph == "graph": d.update(compute_union_ns=None, comm_union_ns=None, exposed_comm_ns=None, exposed_comm_per_iteration_ns=None)
        c = f.cnt
        rows = {"KERNEL": c["K"], "RUNTIME": c["Q"], "MEMCPY": c["M"], "MEMSET": c["Z"], "SYNCHRONIZATION": c["Y"], "NVTX_EVENTS": c["X"], "GRAPH_TRACE": c["G"], "OSRT_API": c["O"], "CUDA_EVENT": c["E"]}
        return {"path": os.path.basename(f.path), "ranks": f.ranks, "bytes": os.path.getsize(f.path), "duration_ns": f.job.dur, "rows": rows, "compute_ns_by_rank": {r: f.tot[r] for r in f.ranks}, "nccl_ns_by_rank": {r: f.totn[r] for r in f.ranks}, "memcpy_bytes": f.mb, "by_rank": f.D}
    def write(f):
        f.iterations(); f.after()
        cut = cuts.apply(f) if f.a.cuts else None
        counters = metrics.write(f, VM) if f.a.gpu_metrics else None
        adapters = metrics.write_adapters(f, VM) if f.a.nic_metrics else None
        f.db.execute("COMMIT"); f.db.close()
        t = f.truth()
        if counters: t["gpu_metrics_ns"] = counters
        if adapters: t["nic_metrics_ns"] = adapters
        if cut: t.update(rows=cut, by_rank={})
        return t
