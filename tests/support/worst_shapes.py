#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""worst_shapes.py - traces whose shape is the worst case of one algorithm or another, by size.

worst_shapes.py SHAPE N FILE writes one; without arguments it lists the shapes. Nests, equal times, many streams,
processes, names: what a program that sorts and sweeps reads in n log n, and one that does not in n squared.
"""
import os
import random
import sqlite3
import sys

SCHEMA = """
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);
CREATE TABLE ThreadNames (nameId INTEGER, priority INTEGER, globalTid INTEGER);
CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
  demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, gridX INTEGER NOT NULL, gridY INTEGER NOT NULL,
  gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL,
  graphId INTEGER, graphNodeId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
  bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, srcKind INTEGER, dstKind INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL,
  globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, callchainId INTEGER);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, text TEXT,
  globalTid INTEGER, textId INTEGER, domainId INTEGER);
CREATE TABLE OSRT_API (start INTEGER NOT NULL, end INTEGER NOT NULL, globalTid INTEGER, nameId INTEGER NOT NULL);
INSERT INTO StringIds VALUES (1, 'k'), (2, 'cudaLaunchKernel'), (3, 'cudaDeviceSynchronize'), (4, 'poll');
"""
PROCESS = 600 << 24
THREAD = PROCESS | 600
LATE = 10**6
END = 10**9


class Trace:
    """Rows of a database, in the order of their tables' times."""

    def __init__(self, db):
        self.db = db

    def many(self, table, values, rows):
        self.db.executemany(f"INSERT INTO {table} VALUES ({values})", rows)

    def names(self, texts):
        self.many("StringIds", "?, ?", ((10 + i, text) for i, text in enumerate(texts)))

    def kernels(self, rows):
        """start, end, device, context, stream, correlation, process, name"""
        self.many("CUPTI_ACTIVITY_KIND_KERNEL", "?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, 1, 1, 1, 32, 1, 1, NULL, NULL", rows)

    def calls(self, rows):
        """start, end, thread, correlation, name"""
        self.many("CUPTI_ACTIVITY_KIND_RUNTIME", "?, ?, 0, ?, ?, ?, 0, NULL", rows)

    def ranges(self, rows):
        """start, end, kind, text, thread"""
        self.many("NVTX_EVENTS", "?, ?, ?, ?, ?, NULL, 0", rows)

    def launched(self, n, begin=0, step=100, stream=lambda i: 7, thread=lambda i: THREAD, device=lambda i: 0):
        """n kernels, each with its call."""
        at = [begin + i * step for i in range(1, n + 1)]
        self.kernels((t, t + step // 2, device(i), 1, stream(i), i, PROCESS, 1) for i, t in enumerate(at))
        self.calls((t - step // 5, t - step // 10, thread(i), i, 2) for i, t in enumerate(at))


SHAPES = {}


def shape(make):
    SHAPES[make.__name__] = make
    return make


@shape
def devices(t, n):
    t.launched(n, device=lambda i: i)


@shape
def streams(t, n):
    t.launched(n, stream=lambda i: i)


@shape
def contexts(t, n):
    t.kernels((i * 100, i * 100 + 50, 0, i, 7, i, PROCESS, 1) for i in range(n))


@shape
def processes(t, n):
    t.many("PROCESSES", "?, ?, ?", ((i << 24, i, f"p{i}") for i in range(1, n)))
    t.kernels((i * 100, i * 100 + 50, 0, 1, 7, i, i << 24, 1) for i in range(1, n))
    t.calls((i * 100 - 20, i * 100 - 10, i << 24 | i, i, 2) for i in range(1, n))


@shape
def threads(t, n):
    t.launched(n, thread=lambda i: PROCESS | i + 1)


@shape
def threads_with_ranges(t, n):
    t.launched(n, thread=lambda i: PROCESS | i + 1)
    t.ranges(((i + 1) * 100 - 30, (i + 1) * 100 - 5, 59, "r", PROCESS | i + 1) for i in range(n))


@shape
def nested(t, n):
    t.ranges((i, END - i, 59, f"r{i}", THREAD) for i in range(n))
    t.launched(n, begin=LATE)


@shape
def nested_long_names(t, n):
    t.ranges((i, END - i, 59, f"n{i}" + "x" * 1000, THREAD) for i in range(n // 16))
    t.launched(n // 16, begin=LATE)


@shape
def start_end_overlap(t, n):
    t.ranges((i, 10**7 + i, 60, f"r{i % 10}", THREAD) for i in range(n))
    t.launched(1000, begin=LATE)


@shape
def never_closed(t, n):
    t.ranges((i * 5, None, 59, f"r{i % 10}", THREAD) for i in range(n))
    t.launched(n, begin=LATE)


@shape
def crossing(t, n):
    t.ranges((i * 10, i * 10 + n * 5, 59, f"r{i % 10}", THREAD) for i in range(n))
    t.launched(n, step=10)


@shape
def overlap_one_stream(t, n):
    t.kernels((i, 10**7 + i, 0, 1, 7, i, PROCESS, 1) for i in range(n))
    t.calls((i, i + 1, THREAD, i, 2) for i in range(n))


@shape
def overlap_streams(t, n):
    t.kernels((i, 10**7 + i, 0, 1, i, i, PROCESS, 1) for i in range(n))


@shape
def one_correlation(t, n):
    t.kernels((i * 100, i * 100 + 50, 0, 1, 7, 1, PROCESS, 1) for i in range(n))
    t.calls((i * 100 - 20, i * 100 - 10, THREAD, 1, 2) for i in range(1, n))


@shape
def one_time(t, n):
    t.kernels((1000, 1000, 0, 1, 7, i, PROCESS, 1) for i in range(n))
    t.calls((900, 900, THREAD, i, 2) for i in range(n))
    t.ranges((800, 1100, 59, "r", THREAD) for i in range(n))


@shape
def many_names(t, n):
    t.names(f"kernel_{i}_<T{i}>" for i in range(n))
    t.kernels((i * 100, i * 100 + 50, 0, 1, 7, i, PROCESS, i + 10) for i in range(n))


@shape
def long_name(t, n):
    t.names(["a" * n * 10, "gem nccl " * n, "<" * n + "(" * n])
    t.kernels((i * 100, i * 100 + 50, 0, 1, 7, i, PROCESS, 10 + i % 3) for i in range(300))


@shape
def numbers_in_a_name(t, n):
    t.ranges((i * 100, i * 100 + 50, 59, "1 " * n + str(i), THREAD) for i in range(4))
    t.launched(300)


@shape
def almost_periodic(t, n):
    t.names(["b"])
    t.kernels((i * 100, i * 100 + 50, 0, 1, 7, i, PROCESS, 10 if i % 1009 == 1008 and i % 7 else 1) for i in range(n))


@shape
def fibonacci(t, n):
    a, b = "a", "ab"
    while len(b) < n:
        a, b = b, b + a
    t.names(["b"])
    t.kernels((i * 100, i * 100 + 50, 0, 1, 7, i, PROCESS, 10 if b[i] == "b" else 1) for i in range(n))


@shape
def chance(t, n):
    draw = random.Random(1)
    t.names(f"k{i}" for i in range(50))
    t.kernels((i * 100, i * 100 + 50, 0, 1, 7, i, PROCESS, 10 + draw.randrange(50)) for i in range(n))


@shape
def steps(t, n):
    t.ranges((i * 100 - 50, i * 100 + 45, 59, f"step {i}", THREAD) for i in range(1, n))
    t.launched(n)


@shape
def steps_in_steps(t, n):
    t.ranges((i * 100 - 50 + j, i * 100 + 45 - j, 59, f"iteration {i}", THREAD)
             for i in range(1, n // 4) for j in range(10))
    t.launched(n // 4)


@shape
def waiting_threads(t, n):
    t.kernels((i * 1000, i * 1000 + 50, 0, 1, 7, i, PROCESS, 1) for i in range(n))
    t.calls((i * 10, 10**8 - i, PROCESS | i % 5000 + 1, 10**6 + i, 3) for i in range(n))


@shape
def waiting_in_the_system(t, n):
    t.kernels((i * 1000, i * 1000 + 50, 0, 1, 7, i, PROCESS, 1) for i in range(n))
    t.many("OSRT_API", "?, ?, ?, 4", ((i, 10**8 - i, PROCESS | i % 5000 + 1) for i in range(n)))


@shape
def collectives(t, n):
    t.names(["ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", "ncclDevKernel_AllGather_RING_LL(x)"])
    t.kernels((i * 10, i * 10 + 500000, i % 64, 1, 7 + i % 100, i, (600 + i % 64) << 24, 10 + i % 2) for i in range(n))


@shape
def domains(t, n):
    t.many("NVTX_EVENTS", "0, 0, 75, ?, ?, NULL, ?", ((f"dom{i}", THREAD, i) for i in range(n)))
    t.many("NVTX_EVENTS", "?, ?, 59, ?, ?, NULL, ?",
           ((i * 100, i * 100 + 50, f"r{i}", THREAD, i) for i in range(n)))
    t.launched(n)


@shape
def graphs(t, n):
    t.many("CUPTI_ACTIVITY_KIND_KERNEL", "?, ?, 0, 1, 7, ?3, ?, 1, 1, 1, 1, 1, 32, 1, 1, ?3, ?3",
           ((i * 100, i * 100 + 50, i, PROCESS) for i in range(n)))
    t.calls((i * 100 - 20, i * 100 - 10, THREAD, i, 2) for i in range(1, n))


@shape
def memory_of_devices(t, n):
    t.launched(n, device=lambda i: i)
    t.db.execute("CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER, globalPid INTEGER, deviceId INTEGER, bytes INTEGER, "
                 "memKind INTEGER, memoryOperationType INTEGER, address INTEGER)")
    t.many("CUDA_GPU_MEMORY_USAGE_EVENTS", "?, ?, ?, 4096, 2, 0, ?", ((i * 100, PROCESS, i, i << 12) for i in range(n)))


@shape
def counters(t, n):
    t.launched(n, device=lambda i: i)
    t.db.execute("CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INTEGER, sourceId INTEGER, typeName TEXT, metricId INTEGER, "
                 "metricName TEXT)")
    t.db.execute("CREATE TABLE GPU_METRICS (timestamp INTEGER, typeId INTEGER, metricId INTEGER, value INTEGER)")
    t.many("TARGET_INFO_GPU", "0, ?, 'g'", ((i,) for i in range(128)))
    t.many("TARGET_INFO_GPU_METRICS", "?, 0, '', ?, 'SMs Active [Throughput %]'", ((i % 256, i) for i in range(n)))
    t.many("GPU_METRICS", "?, ?, ?, 50", ((i * 100 + j, i % 256, i) for i in range(n) for j in range(2)))


@shape
def adapters(t, n):
    t.launched(n, device=lambda i: i)
    t.db.execute("CREATE TABLE TARGET_INFO_NETWORK_METRICS (metricsListId INTEGER, metricsIdx INTEGER, name TEXT, "
                 "description TEXT, unit TEXT)")
    t.db.execute("CREATE TABLE NET_NIC_METRIC (start INTEGER, end INTEGER, globalId INTEGER, portId INTEGER, "
                 "metricsListId INTEGER, metricsIdx INTEGER, value INTEGER)")
    t.many("TARGET_INFO_NETWORK_METRICS", "0, 0, 'IB: Bytes sent', '', 'bytes/ms'", [()])
    t.many("NET_NIC_METRIC", "?1 * 100, ?1 * 100 + 50, ?1, 1, 0, 0, 7", ((i,) for i in range(n)))


@shape
def tables_of_one_page(t, n):
    t.launched(1000)
    page = t.db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'OSRT_API'").fetchone()[0]
    t.db.execute("PRAGMA writable_schema = ON")
    t.many("sqlite_schema", "'table', ?1, ?1, ?2, 'CREATE TABLE ' || ?1 || ' (a INTEGER)'",
           ((f"X{i}", page) for i in range(n // 4)))


def write(name, n, path):
    if os.path.exists(path):
        os.unlink(path)
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode = OFF")
    db.execute("PRAGMA synchronous = OFF")
    db.executescript(SCHEMA)
    db.execute("BEGIN")
    SHAPES[name](Trace(db), n)
    db.execute("COMMIT")
    db.close()


if __name__ == "__main__":
    if len(sys.argv) == 1:
        print("\n".join(SHAPES))
    else:
        write(sys.argv[1], int(sys.argv[2]), sys.argv[3])
