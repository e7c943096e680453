# SPDX-License-Identifier: MIT
"""Several exports as one job: files, processes, members and their times on one clock.

Part of the independent oracle for jobs. Follows the definition of jobs and shares nothing with src/.
"""
import os
import re
import sqlite3
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import tracefile  # noqa: E402

SIDE_TABLES = ("META_DATA_CAPTURE", "META_DATA_EXPORT", "TARGET_INFO_SYSTEM_ENV", "TARGET_INFO_SESSION_START_TIME",
               "ANALYSIS_DETAILS", "MPI_RANKS", "MPI_OTHER_EVENTS", "MPI_COLLECTIVES_EVENTS", "MPI_P2P_EVENTS",
               "MPI_START_WAIT_EVENTS", "MPI_COMMUNICATORS", "NVTX_PAYLOAD_SCHEMAS", "NVTX_PAYLOAD_SCHEMA_ENTRIES",
               "CUPTI_ACTIVITY_KIND_CUDA_EVENT", "TARGET_INFO_CUDA_STREAM", "OSRT_API")
ENVIRONMENT = re.compile(r'^([A-Za-z_][A-Za-z0-9_]*)="?(.*?)"?$', re.S)


def natural(name):
    """Sort key under which rank10 comes after rank9."""
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d+)", name) if part]


class MpiCall:
    """One MPI row: name, thread, times, and the communicator and size where the table has them."""
    def __init__(self, row, name):
        self.start, self.end = row["start"], max(row["start"], row["end"])
        self.thread, self.name = row["globalTid"], name
        self.process = self.thread >> 24
        self.handle, self.communicator = row.get("commHandle"), row.get("commUid")
        self.bytes = row.get("size")


class File:
    """One export: its trace, its clock and what it says about its place in the job."""
    def __init__(self, index, path):
        self.index, self.path, self.name = index, path, os.path.basename(path)
        self.trace = tracefile.Trace(path)
        db = sqlite3.connect("file:%s?mode=ro&immutable=1" % path, uri=True)
        db.text_factory = lambda b: b.decode("utf-8", "replace")
        self.side = {table: tracefile.rows(db, table) for table in SIDE_TABLES}
        db.close()
        session, details = self.side["TARGET_INFO_SESSION_START_TIME"], self.side["ANALYSIS_DETAILS"]
        self.utc = next((r["utcEpochNs"] for r in session if r.get("utcEpochNs") is not None), None)
        self.boot = next((r["startTime"] for r in details), None)
        self.duration = next((r["duration"] for r in details), 0)
        self.env = self.read_environment()
        self.schema = tuple(int(n) for n in self.exported("EXPORT_SCHEMA_VERSION", "0").split("."))
        self.mpi = self.read_mpi()

    def read_mpi(self):
        """MPI calls, of old captures as ranges of the domain MPI; a handle means something in its process only, its communicator's members mean the same everywhere."""
        rank = {r["globalTid"] >> 24: r["rank"] for r in self.side["MPI_RANKS"]}
        members = {(r.get("rank"), r.get("commHandle")): r.get("members") for r in self.side["MPI_COMMUNICATORS"]}
        calls = [MpiCall(r, self.trace.strings.get(r.get("textId"), "")) for table in SIDE_TABLES if table.startswith("MPI_")
                    and table.endswith("_EVENTS") for r in self.side[table]]
        calls += [MpiCall({"start": m.start, "end": m.end, "globalTid": m.thread}, m.name) for m in self.trace.mpi if m.table == "NVTX"]
        for c in calls:
            if c.communicator is None:
                c.communicator = members.get((rank.get(c.process), c.handle))
        return calls

    def exported(self, name, default):
        return next((r["value"] for r in self.side["META_DATA_EXPORT"] if r["name"] == name), default)

    def read_environment(self):
        out = {}
        for row in self.side["META_DATA_CAPTURE"]:
            found = ENVIRONMENT.match(row["value"] or "") if row["name"].endswith(":ENVIRONMENT_VARIABLE") else None
            if found:
                out.setdefault(found.group(1), found.group(2))
        return out

    def host_name(self):
        """The host's name, or None: the file is then a host of its own."""
        named = [r["value"] for r in self.side["TARGET_INFO_SYSTEM_ENV"] if r["name"] == "Hostname"]
        named += [r["value"] for r in self.side["META_DATA_CAPTURE"] if r["name"] == "DEVICE_DISPLAY_NAME"]
        named.append(self.env.get("SLURMD_NODENAME"))
        return next((n for n in named if n), None)


class Process:
    """One process of one file."""
    def __init__(self, file, key):
        self.file, self.key, self.pid = file, key, key & 0xFFFFFF
        self.ops = [o for o in file.trace.ops if o.process == key]
        self.calls = [c for c in file.trace.calls if c.process == key]
        self.ranges = [r for r in file.trace.ranges if r.process == key]
        self.mpi = [m for m in file.mpi if m.process == key]
        self.mpi_set = set(self.mpi)
        self.rank = self.host = None


class Job:
    """All files with a UTC shift; clocks.py adds each host's correction."""
    def __init__(self, paths):
        self.files = [File(i, p) for i, p in enumerate(sorted(paths, key=lambda p: natural(os.path.basename(p))))]
        known = [f.utc for f in self.files if f.utc is not None]
        for f in self.files:
            f.shift = f.utc - min(known) if f.utc is not None else 0
        self.processes = [p for f in self.files for p in self.ranked(f)]
        self.correction = {}                                # host -> (offset, slope), see clocks.py
        self.clocks = {}                                    # host -> (offset, drift in ppb), see group_clocks.py

    @staticmethod
    def ranked(file):
        """The processes that need a rank: with GPU operations, else with MPI rows, else with calls."""
        every = sorted({o.process for o in file.trace.ops}) or sorted({m.process for m in file.mpi}) \
            or sorted({c.process for c in file.trace.calls})
        return [Process(file, key) for key in every]

    def place(self, process, t):
        """A time of a process's file on the job's clock."""
        if process.host in self.clocks:
            offset, drift = self.clocks[process.host]
            moved, shift = t * drift, process.file.shift
            return t + shift + offset + round(shift * drift / 1e9) + (moved // 10**9 if moved >= 0 else -(-moved // 10**9))
        t += process.file.shift
        offset, slope = self.correction.get(process.host, (0, 0.0))
        return t - offset - round(slope * (t - offset)) if slope else t - offset


def directory(path):
    """The files of a job in a directory."""
    return [os.path.join(path, n) for n in os.listdir(path) if n.endswith(".sqlite")]
