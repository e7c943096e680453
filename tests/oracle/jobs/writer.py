# SPDX-License-Identifier: MIT
"""Writes one small export with the columns of real files, fast."""
import os
import sqlite3
import struct

TABLES = {
    "StringIds": "id INTEGER PRIMARY KEY, value TEXT",
    "CUPTI_ACTIVITY_KIND_KERNEL": "start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, greenContextId INTEGER, streamId INTEGER, "
    "correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER, mangledName INTEGER, launchType INTEGER, "
    "registersPerThread INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER, graphNodeId INTEGER",
    "CUPTI_ACTIVITY_KIND_RUNTIME": "start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER, "
    "returnValue INTEGER, callchainId INTEGER",
    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": "start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, greenContextId INTEGER, "
    "streamId INTEGER, correlationId INTEGER, globalPid INTEGER, syncType INTEGER, eventId INTEGER",
    "NVTX_EVENTS": "start INTEGER, end INTEGER, eventType INTEGER, rangeId INTEGER, category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, "
    "endGlobalTid INTEGER, textId INTEGER, domainId INTEGER, jsonTextId INTEGER, jsonText TEXT, binaryData TEXT",
    "MPI_OTHER_EVENTS": "start INTEGER, end INTEGER, globalTid INTEGER, textId INTEGER",
    "MPI_RANKS": "globalTid INTEGER, rank INTEGER",
    "PROCESSES": "globalPid INTEGER, pid INTEGER, name TEXT",
    "META_DATA_CAPTURE": "name TEXT, value TEXT",
    "META_DATA_EXPORT": "name TEXT, value TEXT",
    "TARGET_INFO_SYSTEM_ENV": "globalVid INTEGER, devStateName TEXT, name TEXT, nameEnum INTEGER, value TEXT",
    "TARGET_INFO_SESSION_START_TIME": "utcEpochNs INTEGER, utcTime TEXT, localTime TEXT",
    "ANALYSIS_DETAILS": "globalVid INTEGER, duration INTEGER, startTime INTEGER, stopTime INTEGER",
    "NVTX_PAYLOAD_SCHEMAS": "domainId INTEGER, schemaId INTEGER, name TEXT, type INTEGER, flags INTEGER, numEntries INTEGER, "
    "payloadSize INTEGER, alignTo INTEGER",
    "NVTX_PAYLOAD_SCHEMA_ENTRIES": "domainId INTEGER, schemaId INTEGER, idx INTEGER, flags INTEGER, type INTEGER, name TEXT, description TEXT, "
    "arrayOrUnionDetail INTEGER, offset INTEGER",
}
OPTIONAL = ("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "MPI_OTHER_EVENTS", "MPI_RANKS", "NVTX_PAYLOAD_SCHEMAS", "NVTX_PAYLOAD_SCHEMA_ENTRIES")
VM, NONE, INIT = 1 << 48, 4294967295, 16777218
COMM, BYTES, INTEGER = ("NCCL communicator ID", 18), ("Message size [bytes]", 22), 5
LAYOUTS = {
    "2.25": {16777223: (COMM, BYTES, ("Reduction operation", INTEGER)), 16777224: (COMM, BYTES, ("Reduction operation", INTEGER)), 16777220: (COMM, BYTES),
             INIT: (COMM, ("No. of ranks", INTEGER), ("Rank", INTEGER), ("CUDA device", INTEGER))},
    "2.16": {16777223: (BYTES, ("Reduction operation", INTEGER)), 16777224: (BYTES, ("Reduction operation", INTEGER)), 16777220: (BYTES,),
             INIT: (("Rank", INTEGER), ("No. of ranks", INTEGER), ("CUDA device", INTEGER))},
}


class File:
    """Rows of one export; layout is the NCCL version of its payloads ("2.16", "2.25"), None without."""
    def __init__(self, path, layout):
        self.path, self.layout, self.hexadecimal = path, layout, len(os.path.basename(path)) % 2
        self.strings, self.rows, self.domains = {}, {name: [] for name in TABLES}, set()

    def text(self, value):
        return self.strings.setdefault(value, len(self.strings) + 1)

    def process(self, pid):
        self.rows["PROCESSES"].append((VM | pid << 24, pid, "/usr/bin/python3"))

    def blob(self, schema, body):
        whole = struct.pack("<QQQQ", 1, schema, len(body), 32 + len(body)) + body
        return whole.hex() if self.hexadecimal else whole

    def nvtx(self, pid, start, end, name, domain=0, data=None):
        kind = 75 if end is None else 59
        self.rows["NVTX_EVENTS"].append((start, end, kind, None, None, None, name if domain == 0 or end is None else None, VM | pid << 24 | pid, None,
                                         self.text(name) if domain and end is not None else None, domain, None, None, data))

    def label(self, pid, start, end, name):
        self.nvtx(pid, start, end, name)

    def init(self, pid, t, communicator, size, rank):
        body = struct.pack("<Qiiii", communicator, size, rank, 0, 0) if self.layout == "2.25" else struct.pack("<iiii", rank, size, 0, 0)
        self.nccl_domain(pid, t)
        self.nvtx(pid, t, t + 5_000, "ncclCommInitRank", 1, self.blob(INIT, body))

    def nccl_domain(self, pid, t):
        if pid not in self.domains:
            self.domains.add(pid)
            self.nvtx(pid, t - 50_000_000, None, "NCCL", 1)

    def mpi_rank(self, pid, rank):
        self.rows["MPI_RANKS"].append((VM | pid << 24 | pid, rank))

    def add(self, table, pid, device, start, end, more):
        tid, gpid = VM | pid << 24 | pid, VM | pid << 24
        if table == "call":
            self.rows["CUPTI_ACTIVITY_KIND_RUNTIME"].append((start, end, 0, tid, more["correlation"], self.text(more["name"]), 0, None))
        elif table == "kernel":
            name = self.text(more["name"])
            self.rows["CUPTI_ACTIVITY_KIND_KERNEL"].append((start, end, device, 1, None, more["stream"], more["correlation"], gpid, name, name, None, 1, 32,
                                                            8, 1, 1, 128, 1, 1, None))
        elif table == "sync":
            self.rows["CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"].append((start, end, device, 1, None, more["stream"], more["correlation"], gpid, 3, NONE))
        elif table == "mpi":
            self.rows["MPI_OTHER_EVENTS"].append((start, end, tid, self.text(more["name"])))
        elif table == "nccl":
            self.nccl_domain(pid, start)
            self.nvtx(pid, start, end, more["name"], 1, None if more["payload"] is None else self.blob(*more["payload"]))
        else:
            self.nvtx(pid, start, end, more["name"])

    def schema_rows(self):
        for schema, entries in LAYOUTS[self.layout].items():
            offset = 0
            for i, (name, kind) in enumerate(entries):
                self.rows["NVTX_PAYLOAD_SCHEMA_ENTRIES"].append((1, schema, i, None, kind, name, None, None, offset or None))
                offset += 4 if kind == INTEGER else 8
            self.rows["NVTX_PAYLOAD_SCHEMAS"].append((1, schema, None, 1, None, len(entries), offset + 7 & ~7, None))

    def finish(self, utc, boot, duration, host, variables):
        rows = self.rows
        if self.layout:
            self.schema_rows()
        version = "3.25.0" if self.layout else "3.7.2"
        rows["META_DATA_EXPORT"] += [("EXPORT_PRODUCT_VERSION", "2026.2.1" if self.layout else "2023.4.4.54"), ("EXPORT_SCHEMA_VERSION", version)]
        rows["META_DATA_CAPTURE"] += [("PROCESS_0:ENVIRONMENT_VARIABLE", '%s="%s"' % pair) for pair in variables.items()]
        if host:
            rows["TARGET_INFO_SYSTEM_ENV"].append((VM, "Local (CLI)", "Hostname", 0, host))
        rows["TARGET_INFO_SESSION_START_TIME"].append((utc, "", ""))
        rows["ANALYSIS_DETAILS"].append((VM, duration, boot, boot + duration))
        rows["StringIds"] = [(i, s) for s, i in self.strings.items()]
        if os.path.exists(self.path):
            os.remove(self.path)
        db = sqlite3.connect(self.path, isolation_level=None)
        db.execute("PRAGMA journal_mode=OFF")
        db.execute("PRAGMA synchronous=OFF")
        db.execute("BEGIN")
        for name, columns in TABLES.items():
            found = rows[name]
            if found or name not in OPTIONAL:
                db.execute("CREATE TABLE %s (%s)" % (name, columns))
            if found:
                found = sorted(found, key=lambda r: r[0]) if name.endswith("KERNEL") else found
                db.executemany("INSERT INTO %s VALUES (%s)" % (name, ",".join("?" * len(found[0]))), found)
        db.execute("COMMIT")
        db.close()
