# SPDX-License-Identifier: MIT
"""Adds samples of metrics of GPUs and network adapters to a small random export (mktrace.py); the same ones for the same seed.

Traps: GPUs that ran nothing or that the file does not list, metrics without a name, names with and without a unit, rows out of
order, without a time and of the same time, missing samples, negative values, values that leave 32 bits, series of one sample.
Of adapters also: ones that no table numbers or names, two ports, metrics without name or unit, samples without an end, with one
before their begin and with one behind the next sample.
"""
import random
import sqlite3

NAMES = ["SM Active", "SMs Active [Throughput %]", "Tensor Active / FP16 Active [Throughput %]", "GPC Clock Frequency", "GPC Clock Frequency [MHz]",
         "PCIe Write Requests to BAR1", "Compute Warps in Flight [Avg Warps per Cycle]", "DRAM Read Throughput", "mystery", "[%]", "odd [x] y",
         "Unallocated Warps in Active SMs", "NVLink bytes received", "NVLink TX Requests User Data [Throughput %]", "DRAM Write Bandwidth [Throughput %]",
         "NVLink RX Responses Protocol Data", None]
MACHINE = 1 << 48 | 1 << 32
NIC_METRICS = [("IB: Bytes sent", "bytes/ms"), ("IB: Bytes received", "Bytes/ms"), ("Eth: Bytes sent", "B/s"), ("IB: Send waits", "ticks/ms"),
               ("IB: Packets sent", "packets/ms"), ("SM Active", ""), ("odd [%]", "x"), (None, None)]


def times(r, first, last):
    """When one GPU is sampled."""
    period = max(1, (last - first) // r.choice([3, 10, 40]))
    out, t = [], first - r.randint(0, 2 * period)
    while t < last + period and len(out) < 80:
        out.append(t)
        t += r.choice([period] * 12 + [period + 1, 2 * period - 1, 2 * period, 2 * period + 1, 5 * period, 0])
    return out[:1] if r.random() < 0.05 else out


def value(r, name):
    if name and "Clock" in name:
        return r.choice([1410000000, 1935007143, 335037377])
    return r.choice([0, 0, 1, 31, 50, 99, 100, r.randint(0, 100), -1 if r.random() < 0.1 else 7, 1 << 40 if r.random() < 0.05 else 3])


def add_adapters(seed, db, bounds):
    r = random.Random("adapters %d" % seed)
    if r.random() < 0.4:
        return
    db.execute('CREATE TABLE NET_NIC_METRIC (start INT, "end" INT, globalId INT, portId INT, metricsListId INT, metricsIdx INT, value INT)')
    db.execute("CREATE TABLE TARGET_INFO_NETWORK_METRICS (metricsListId INT, metricsIdx INT, name TEXT, description TEXT, unit TEXT)")
    has_map, has_info = r.random() < 0.8, r.random() < 0.8
    if has_map:
        db.execute("CREATE TABLE NIC_ID_MAP (nicId INT, globalId INT)")
    if has_info:
        db.execute("CREATE TABLE TARGET_INFO_NIC_INFO (GUID INT, stateName TEXT, nicId INT, name TEXT, deviceId INT, vendorId INT, linkLayer INT)")
    for index, (name, unit) in enumerate(NIC_METRICS):
        if name is not None:
            db.execute("INSERT INTO TARGET_INFO_NETWORK_METRICS VALUES (7, ?, ?, '', ?)", (index, name, unit))
    rows = []
    for nic in range(r.randint(1, 3)):
        if has_map and r.random() < 0.9:
            db.execute("INSERT INTO NIC_ID_MAP VALUES (?, ?)", (nic, MACHINE | nic))
        if has_info and r.random() < 0.9:
            db.execute("INSERT INTO TARGET_INFO_NIC_INFO VALUES (0, '', ?, ?, 4129, 5555, 2)", (nic, "mlx5_%d" % nic))
        for port in range(1, r.randint(1, 2) + 1):
            at = times(r, min(bounds), max(bounds))
            for index in r.sample(range(len(NIC_METRICS)), r.randint(1, 4)):
                for t in at:
                    end = r.choice([t + 1, t + (at[1] - at[0] if len(at) > 1 else 5), t + 10 ** 6, t, t - 3, None])
                    rows.append((t if r.random() > 0.03 else None, end, MACHINE | nic, port, 7, index, r.choice([0, 0, 5, 1 << 30, -1])))
    rows.sort(key=lambda row: row[0] or 0)
    if r.random() < 0.3:
        r.shuffle(rows)
    db.executemany("INSERT INTO NET_NIC_METRIC VALUES (?, ?, ?, ?, ?, ?, ?)", rows)


def add(seed, path):
    r, db = random.Random("metrics %d" % seed), sqlite3.connect(path)
    found = []
    for table in ("CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY"):
        if db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone():
            found += db.execute('SELECT min(start), max("end") FROM "%s"' % table).fetchall()
    bounds = [t for pair in found for t in pair if t is not None] or [0, 1000]
    db.execute("CREATE TABLE GPU_METRICS (timestamp INT, typeId INT NOT NULL, metricId INT NOT NULL, value INT NOT NULL)")
    db.execute("CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INT, sourceId INT, typeName TEXT, metricId INT, metricName TEXT)")
    rows = []
    for gpu in r.sample(range(7), r.randint(1, 5)):
        at = times(r, min(bounds), max(bounds))
        chosen = r.sample(NAMES, r.randint(1, 4))
        if NAMES[3] in chosen and NAMES[4] in chosen:       # without their units they are called alike
            chosen.remove(NAMES[3])
        for metric, name in enumerate(chosen):
            if name is not None:
                db.execute("INSERT INTO TARGET_INFO_GPU_METRICS VALUES (?, ?, '', ?, ?)", (MACHINE | gpu, MACHINE, metric, name))
            rows += [(t if r.random() > 0.03 else None, MACHINE | gpu, metric, value(r, name)) for t in at]
    rows.sort(key=lambda row: row[0] or 0)
    if r.random() < 0.3:
        r.shuffle(rows)
    db.executemany("INSERT INTO GPU_METRICS VALUES (?, ?, ?, ?)", rows)
    add_adapters(seed, db, bounds)
    db.commit()
    db.close()
