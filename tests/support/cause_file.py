# SPDX-License-Identifier: MIT
"""Writes ranks of a run of cause_sim.py as an Nsight Systems SQLite export (schema 3.7.2)."""
import os
import sqlite3

CAK = "CUPTI_ACTIVITY_KIND_"
NONE = 4294967295                       # no event
VM, UTC = 281474976710656, 1700000000000000000
COPY_KIND = {"HtoD": 1, "DtoH": 2, "DtoD": 8}
FLAGS = ((7, 3), (14, 2), (20, 2))      # streams: the legacy default one, and two that do not wait for it


def columns(integers, **others):
    """Columns of a table in order: names, ! marks NOT NULL, types other than INTEGER by name."""
    return ", ".join("%s %s%s" % (n.rstrip("!"), others.get(n.rstrip("!"), "INTEGER"), " NOT NULL" if n.endswith("!") else "") for n in integers.split())


KEY = "id INTEGER NOT NULL PRIMARY KEY, "
ENUM = KEY + "name TEXT, label TEXT"
WHERE = "start! end! deviceId! contextId! greenContextId streamId! correlationId globalPid "
TABLES = {
    "StringIds": KEY + "value TEXT NOT NULL",
    "ThreadNames": columns("nameId! priority globalTid"),
    "TARGET_INFO_SYSTEM_ENV": columns("globalVid devStateName! name! nameEnum! value!", devStateName="TEXT", name="TEXT", value="TEXT"),
    "TARGET_INFO_SESSION_START_TIME": columns("utcEpochNs utcTime localTime", utcTime="TEXT", localTime="TEXT"),
    "ANALYSIS_DETAILS": columns("globalVid! duration! startTime! stopTime!"),
    "TARGET_INFO_GPU": columns("vmId! id! name busLocation isDiscrete l2CacheSize totalMemory memoryBandwidth clockRate smCount uuid chipName cuDevice "
                               "threadsPerWarp maxWarpsPerSm computeMajor computeMinor smMajor smMinor", name="TEXT", busLocation="TEXT", uuid="TEXT", chipName="TEXT"),
    "TARGET_INFO_CUDA_CONTEXT_INFO": columns("nullStreamId! hwId! vmId! processId! deviceId! contextId! parentContextId isGreenContext"),
    "TARGET_INFO_CUDA_STREAM": columns("streamId! hwId! vmId! processId! contextId! priority! flag!"),
    "META_DATA_CAPTURE": columns("name! value", name="TEXT", value="TEXT"),
    "META_DATA_EXPORT": columns("name! value", name="TEXT", value="TEXT"),
    CAK + "MEMCPY": columns(WHERE + "bytes! copyKind! deprecatedSrcId srcKind dstKind srcDeviceId srcContextId dstDeviceId dstContextId "
                                    "migrationCause graphNodeId virtualAddress"),
    CAK + "KERNEL": columns(WHERE + "demangledName! shortName! mangledName launchType cacheConfig registersPerThread! gridX! gridY! gridZ! "
                                    "blockX! blockY! blockZ! staticSharedMemory! dynamicSharedMemory! localMemoryPerThread! localMemoryTotal! gridId! "
                                    "sharedMemoryExecuted graphNodeId sharedMemoryLimitConfig"),
    CAK + "SYNCHRONIZATION": columns(WHERE + "syncType! eventId!"),
    CAK + "RUNTIME": columns("start! end! eventClass! globalTid correlationId nameId! returnValue! callchainId"),
    "NVTX_EVENTS": columns("start! end eventType! rangeId category color text globalTid endGlobalTid textId domainId uint64Value int64Value doubleValue "
                           "uint32Value int32Value floatValue jsonTextId jsonText", text="TEXT", doubleValue="REAL", floatValue="REAL", jsonText="TEXT"),
    "PROCESSES": columns("globalPid pid name", name="TEXT"),
    "ENUM_CUDA_MEMCPY_OPER": ENUM, "ENUM_CUDA_MEM_KIND": ENUM, "ENUM_CUPTI_SYNC_TYPE": ENUM, "ENUM_CUPTI_STREAM_TYPE": ENUM,
}
LAZY = {                                # only files with such rows have the table
    CAK + "CUDA_EVENT": columns("deviceId! contextId! streamId! correlationId globalPid eventId!"),
    "TARGET_INFO_CUDA_DEVICE": columns("gpuId cudaId pid uuid numMultiprocessors", uuid="TEXT"),
    "OSRT_API": columns("start! end! eventClass! globalTid nameId! returnValue! nestingLevel callchainId!"),
}
GRID = {"launchType": 1, "cacheConfig": 1, "registersPerThread": 96, "gridX": 24, "gridY": 1, "gridZ": 1, "blockX": 544, "blockY": 1, "blockZ": 1,
        "staticSharedMemory": 0, "dynamicSharedMemory": 41760, "localMemoryPerThread": 0, "localMemoryTotal": 0, "gridId": 1}
SHARED = {"sharedMemoryExecuted": 65536, "sharedMemoryLimitConfig": 0}
GPU = {"name": "NVIDIA H100 80GB HBM3", "isDiscrete": 1, "l2CacheSize": 52428800, "totalMemory": 85017493504, "memoryBandwidth": 3352320000000,
       "clockRate": 1980000000, "smCount": 132, "chipName": "GH100", "threadsPerWarp": 32, "maxWarpsPerSm": 64, "computeMajor": 9,
       "computeMinor": 0, "smMajor": 9, "smMinor": 0}
CAPTURE = (("DEVICE_ID", "Local (CLI)"), ("CAPTURE_EVENT_TYPE", "NvtxEvents"), ("CAPTURE_EVENT_TYPE", "Cuda"))
EXPORT = (("EXPORT_PRODUCT_NAME", "NVIDIA Nsight Systems"), ("EXPORT_PRODUCT_VERSION", "2023.4.4.54"), ("EXPORT_SCHEMA_VERSION", "3.7.2"),
          ("EXPORT_SCHEMA_VERSION_MAJOR", "3"), ("EXPORT_SCHEMA_VERSION_MINOR", "7"), ("EXPORT_SCHEMA_VERSION_MICRO", "2"), ("SYNTHETIC", "plant.py"))
COPIES = "UNKNOWN HTOD DTOH HTOA ATOH ATOA ATOD DTOA DTOD HTOH PTOP UVM_HTOD UVM_DTOH UVM_DTOD"
MEMORIES = "PAGEABLE PINNED DEVICE ARRAY MANAGED DEVICE_STATIC MANAGED_STATIC UNKNOWN"
LABELS = {"HTOD": "Host-to-Device", "DTOH": "Device-to-Host", "DTOD": "Device-to-Device", "PTOP": "Peer-to-Peer", "HTOH": "Host-to-Host"}
SYNCS = ("Unknown", "Event sync", "Stream wait sync", "Stream sync", "Context sync")
STREAMS = ("Unknown stream type", "Default stream", "Non-blocking stream", "Null stream")


def short(name):
    return name.split("<")[0].split("(")[0].split("::")[-1].replace("void ", "")


def global_pid(pid):
    return (0x1000000 | pid) << 24


def uuid(rank):
    return "GPU-%08x-0000-0000-0000-%012x" % (rank, rank)


class File:
    """One file. offset, drift: its clock shows t + offset + t * drift / 1e9. own: device numbers begin at 0 in the file."""
    def __init__(self, sim, path, ranks=None, host=None, offset=0, drift=0, own=False):
        self.sim, self.offset, self.drift, self.host = sim, offset, drift, host
        self.ranks = list(range(sim.ranks)) if ranks is None else ranks
        self.device = {r: self.ranks.index(r) if own else r for r in self.ranks}
        self.pid = {r: 70000 + 16 * r for r in self.ranks}
        self.process = {r: global_pid(pid) for r, pid in self.pid.items()}
        self.thread = {r: self.process[r] + pid for r, pid in self.pid.items()}
        if os.path.exists(path):
            os.remove(path)
        self.db, self.strings = sqlite3.connect(path), {}
        self.create(TABLES)
        self.operations()
        self.host_rows()
        self.machine()
        self.enums()
        self.db.commit()
        self.db.execute("VACUUM")
        self.db.close()

    def create(self, tables):
        for name, cols in tables.items():
            self.db.execute("CREATE TABLE %s (%s)" % (name, cols))

    def at(self, t):
        return t + self.offset + t * self.drift // 1_000_000_000

    def text(self, value):
        """The id of a string."""
        if value not in self.strings:
            self.strings[value] = len(self.strings)
            self.db.execute("INSERT INTO StringIds VALUES (?, ?)", (self.strings[value], value))
        return self.strings[value]

    def put(self, table, **row):
        if table in LAZY and not self.db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone():
            self.create({table: LAZY[table]})
        self.db.execute("INSERT INTO %s (%s) VALUES (%s)" % (table, ", ".join(row), ", ".join("?" * len(row))), list(row.values()))

    def mine(self, rows, column):
        """The rows of this file's ranks."""
        return [row for row in rows if row[column] in self.device]

    def where(self, start, end, rank, stream, correlation):
        return {"start": self.at(start), "end": self.at(end), "deviceId": self.device[rank], "contextId": 1, "streamId": stream,
                "correlationId": correlation, "globalPid": self.process[rank]}

    def operations(self):
        for *where, name, _ in sorted(self.mine(self.sim.kernels, 2)):
            self.put(CAK + "KERNEL", **self.where(*where), demangledName=self.text(name), shortName=self.text(short(name)), **GRID, **SHARED)
        for start, end, rank, pid, name in self.mine(sorted(self.sim.others), 2):
            row = dict(self.where(start, end, rank, 7, None), globalPid=global_pid(pid), demangledName=self.text(name), shortName=self.text(short(name)))
            self.put(CAK + "KERNEL", **row, **dict(GRID, blockX=256, dynamicSharedMemory=0))
        for *where, _, (kind, source, target, size) in sorted(self.mine(self.sim.copies, 2)):
            memory = (source, target) if kind == "HtoD" else (2, source)
            self.put(CAK + "MEMCPY", **self.where(*where), bytes=size, copyKind=COPY_KIND[kind], srcKind=memory[0], dstKind=memory[1])

    def host_rows(self):
        for start, end, rank, correlation, name in sorted(self.mine(self.sim.calls, 2)):
            self.put(CAK + "RUNTIME", start=self.at(start), end=self.at(end), eventClass=0, globalTid=self.thread[rank], correlationId=correlation,
                     nameId=self.text(name), returnValue=0)
        for where in self.mine(self.sim.syncs, 2):
            self.put(CAK + "SYNCHRONIZATION", **self.where(*where), syncType=3, eventId=NONE)
        for rank, stream, correlation, event in self.mine(self.sim.records, 0):
            self.put(CAK + "CUDA_EVENT", deviceId=self.device[rank], contextId=1, streamId=stream, correlationId=correlation,
                     globalPid=self.process[rank], eventId=event)
        for *where, event in self.mine(self.sim.waits, 2):
            self.put(CAK + "SYNCHRONIZATION", **self.where(*where), syncType=2, eventId=event)
        for start, end, name, rank in self.mine(sorted(self.sim.ranges), 3):
            self.put("NVTX_EVENTS", start=self.at(start), end=self.at(end), eventType=59, text=name, globalTid=self.thread[rank], domainId=0)
        for start, end, rank, name in self.mine(sorted(self.sim.os_calls), 2):
            self.put("OSRT_API", start=self.at(start), end=self.at(end), eventClass=27, globalTid=self.thread[rank], nameId=self.text(name),
                     returnValue=0, nestingLevel=0, callchainId=0)

    def machine(self):
        """GPUs, contexts, streams, processes; what the exporter says of itself."""
        for r in self.ranks:
            device = self.device[r]
            self.put("TARGET_INFO_GPU", vmId=VM, id=device, busLocation="0000:%02x:00.0" % (0x18 + device), uuid=uuid(r), cuDevice=device, **GPU)
            self.put("TARGET_INFO_CUDA_CONTEXT_INFO", nullStreamId=7, hwId=0, vmId=1, processId=self.pid[r], deviceId=device, contextId=1)
            for stream, flag in FLAGS:
                self.put("TARGET_INFO_CUDA_STREAM", streamId=stream, hwId=0, vmId=1, processId=self.pid[r], contextId=1, priority=0, flag=flag)
            self.put("PROCESSES", globalPid=self.process[r], pid=self.pid[r], name="/usr/bin/python3")
            self.put("ThreadNames", nameId=self.text("python"), priority=20, globalTid=self.thread[r])
        others = sorted({(rank, pid) for _, _, rank, pid, _ in self.mine(self.sim.others, 2)})
        for rank, pid in [*self.pid.items(), *others] if others else []:
            self.put("TARGET_INFO_CUDA_DEVICE", gpuId=self.device[rank], cudaId=self.device[rank], pid=pid, uuid=uuid(rank), numMultiprocessors=132)
        for _, pid in others:
            self.put("PROCESSES", globalPid=global_pid(pid), pid=pid, name="/usr/bin/other")
        if self.host:
            self.put("TARGET_INFO_SYSTEM_ENV", globalVid=VM, devStateName="System", name="Hostname", nameEnum=0, value=self.host)
        for table, pairs in (("META_DATA_CAPTURE", CAPTURE), ("META_DATA_EXPORT", EXPORT)):
            for name, value in pairs:
                self.put(table, name=name, value=value)
        self.put("TARGET_INFO_SESSION_START_TIME", utcEpochNs=UTC, utcTime="2023-11-14T22:13:20", localTime="2023-11-14T22:13:20")
        end = self.at(max(row[1] for row in self.sim.kernels + self.sim.copies)) + 1_000_000
        self.put("ANALYSIS_DETAILS", globalVid=VM, duration=end, startTime=0, stopTime=end)

    def enums(self):
        for table, prefix, names in (("ENUM_CUDA_MEMCPY_OPER", "CUDA_MEMCPY_KIND_", COPIES), ("ENUM_CUDA_MEM_KIND", "CUDA_MEMOPR_MEMORY_KIND_", MEMORIES)):
            for i, name in enumerate(names.split()):
                self.put(table, id=i, name=prefix + name, label=LABELS.get(name, name.replace("_", " ").title()))
        for table, prefix, labels in (("ENUM_CUPTI_SYNC_TYPE", "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_", SYNCS),
                                      ("ENUM_CUPTI_STREAM_TYPE", "CUPTI_ACTIVITY_STREAM_CREATE_FLAG_", STREAMS)):
            for i, label in enumerate(labels):
                self.put(table, id=i, name="%s%d" % (prefix, i), label=label)
