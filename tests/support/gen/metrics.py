# SPDX-License-Identifier: MIT
"""--gpu-metrics and --nic-metrics: sampled counters of each GPU, and of an adapter for each, from the kernels that were written.

A sample holds from its time to the next. SMs Active is the planted percentage while a compute kernel runs, COMM_SMS while only
communication does, else 0, in the mean over the period; Tensor Active is its own percentage while a compute kernel runs. Adapters
send the planted bytes per ms while a communication kernel runs and receive half of it, in the mean over the period."""
from .plants import duration

COMM_SMS = 12
NAMES = ["SMs Active [Throughput %]", "Tensor Active [Throughput %]", "GPC Clock Frequency [MHz]"]
TABLES = ["CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INTEGER NOT NULL, sourceId INTEGER NOT NULL, typeName TEXT NOT NULL, metricId INTEGER NOT NULL, metricName TEXT NOT NULL)",
          "CREATE TABLE GPU_METRICS (timestamp INTEGER, typeId INTEGER NOT NULL, metricId INTEGER NOT NULL, value INTEGER NOT NULL)"]


def planted(text):
    """PERIOD[:SM[:TENSOR]]"""
    period, sm, tensor = (text.split(":") + ["", ""])[:3]
    return duration(period), int(sm or 90), int(tensor or 40)


def running(rows, begin, period, n):
    """Nanoseconds of each of n periods in which one of the rows runs; rows are in order of start."""
    out, until = [0] * n, begin
    for start, end in rows:
        start, until = max(start, until), max(until, end)
        while start < end:
            i = (start - begin) // period
            stop = min(end, begin + (i + 1) * period)
            if i < n: out[i] += stop - start
            start = stop
    return out


def write(f, vm):
    """Adds the tables to a file and returns, by rank, what each metric's samples add up to in the time of its operations."""
    period, sm, tensor = planted(f.a.gpu_metrics); db = f.db; truth = {}
    for t in TABLES: db.execute(t)
    for r in f.ranks:
        device, of = f.job.devices[r], vm | 1 << 32 | f.job.devices[r]
        db.executemany("INSERT INTO TARGET_INFO_GPU_METRICS VALUES (?,?,'',?,?)", [(of, vm | 1 << 32, i, n) for i, n in enumerate(NAMES)])
        kernels = db.execute("SELECT start, end, shortName FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE deviceId = ? AND globalPid = ? ORDER BY start", (device, f.GP[r])).fetchall()
        if not kernels: continue
        begin = kernels[0][0] - period // 3; n = (max(k[1] for k in kernels) - begin) // period + 2
        compute = running([k[:2] for k in kernels if k[2] not in f.job.comm_ids], begin, period, n)
        busy = running([k[:2] for k in kernels], begin, period, n)
        values = [[round((sm * c + COMM_SMS * (b - c)) / period) for c, b in zip(compute, busy)], [round(tensor * c / period) for c in compute], [1_980_000_000] * n]
        db.executemany("INSERT INTO GPU_METRICS VALUES (?,?,?,?)", [(begin + i * period, of, m, values[m][i]) for i in range(n) for m in range(len(NAMES))])
        first, last = f.D[r]["first_ns"], f.D[r]["last_ns"]
        truth[r] = {name: sum(v * max(0, min(last, begin + (i + 1) * period) - max(first, begin + i * period)) for i, v in enumerate(values[m])) for m, name in enumerate(NAMES)}
    return truth


NIC_NAMES = [("IB: Bytes received", "bytes/ms"), ("IB: Bytes sent", "bytes/ms"), ("IB: Send waits", "ticks/ms")]
NIC_TABLES = ["CREATE TABLE TARGET_INFO_NIC_INFO (GUID INTEGER NOT NULL, stateName TEXT NOT NULL, nicId INTEGER NOT NULL, name TEXT NOT NULL, deviceId INTEGER NOT NULL, vendorId INTEGER NOT NULL, linkLayer INTEGER NOT NULL)",
              "CREATE TABLE NIC_ID_MAP (nicId INTEGER NOT NULL, globalId INTEGER NOT NULL)",
              "CREATE TABLE TARGET_INFO_NETWORK_METRICS (metricsListId INTEGER NOT NULL, metricsIdx INTEGER NOT NULL, name TEXT NOT NULL, description TEXT NOT NULL, unit TEXT NOT NULL)",
              "CREATE TABLE NET_NIC_METRIC (start INTEGER NOT NULL, end INTEGER NOT NULL, globalId INTEGER NOT NULL, portId INTEGER NOT NULL, metricsListId INTEGER NOT NULL, metricsIdx INTEGER NOT NULL, value INTEGER NOT NULL)"]


def write_adapters(f, vm):
    """As write(), of the adapter of each rank's GPU."""
    period, rate = (f.a.nic_metrics.split(":") + [""])[:2]; period, rate = duration(period), int(rate or 25_000_000); db = f.db; truth = {}
    for t in NIC_TABLES: db.execute(t)
    db.executemany("INSERT INTO TARGET_INFO_NETWORK_METRICS VALUES (0,?,?,'',?)", [(i, *n) for i, n in enumerate(NIC_NAMES)])
    for r in f.ranks:
        device = f.job.devices[r]; of = vm | 2 << 32 | device
        db.execute("INSERT INTO TARGET_INFO_NIC_INFO VALUES (?,'Local (CLI)',?,?,4129,5555,2)", (1 << 40 | device, device, "mlx5_%d" % device))
        db.execute("INSERT INTO NIC_ID_MAP VALUES (?,?)", (device, of))
        kernels = db.execute("SELECT start, end, shortName FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE deviceId = ? AND globalPid = ? ORDER BY start", (device, f.GP[r])).fetchall()
        if not kernels: continue
        begin = kernels[0][0] - period // 3; n = (max(k[1] for k in kernels) - begin) // period + 2
        sent = [round(rate * c / period) for c in running([k[:2] for k in kernels if k[2] in f.job.comm_ids], begin, period, n)]
        values = [[v // 2 for v in sent], sent, [0] * n]
        db.executemany("INSERT INTO NET_NIC_METRIC VALUES (?,?,?,1,0,?,?)", [(begin + i * period, begin + (i + 1) * period, of, m, values[m][i]) for i in range(n) for m in range(len(NIC_NAMES))])
        first, last = f.D[r]["first_ns"], f.D[r]["last_ns"]
        truth[r] = {name: sum(v * max(0, min(last, begin + (i + 1) * period) - max(first, begin + i * period)) for i, v in enumerate(values[m])) for m, (name, _) in enumerate(NIC_NAMES)}
    return truth
