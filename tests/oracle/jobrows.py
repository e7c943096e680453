# SPDX-License-Identifier: MIT
"""A generated job read back from its rows: what the files say, on the true clock, with nothing of the generator's own code."""
import json
import os
import sqlite3
import struct

COMM = ("nccl", "cross_device_reduce")


class Rank:
    """The rows of one rank, on the true clock."""

    def __init__(self, number, file_, truth):
        self.number, self.file = number, file_
        skew = next((s for s in truth.get("clock_skew", []) if s["rank"] == number), {"offset_ns": 0, "drift_ppb": 0})
        self.offset, self.drift = skew["offset_ns"], skew["drift_ppb"]
        self.gpid = (1 << 48) | truth["pids"][number] << 24
        names = file_.strings
        self.kernels = [dict(start=self.true(s), end=self.true(e), stream=st, corr=c, name=names[n], grid=(x, y, z), device=d)
                        for s, e, d, st, c, n, x, y, z in file_.rows("CUPTI_ACTIVITY_KIND_KERNEL", "start,end,deviceId,streamId,correlationId,shortName,gridX,gridY,gridZ", self.gpid)]
        self.copies = [dict(start=self.true(s), end=self.true(e), stream=st, corr=c, bytes=b, kind=k)
                       for s, e, st, c, b, k in file_.rows("CUPTI_ACTIVITY_KIND_MEMCPY", "start,end,streamId,correlationId,bytes,copyKind", self.gpid)]
        self.sets = [dict(start=self.true(s), end=self.true(e), stream=st, corr=c)
                     for s, e, st, c in file_.rows("CUPTI_ACTIVITY_KIND_MEMSET", "start,end,streamId,correlationId", self.gpid)]
        self.calls = {c: dict(start=self.true(s), end=self.true(e), thread=t, name=names[n])
                      for s, e, t, c, n in file_.rows("CUPTI_ACTIVITY_KIND_RUNTIME", "start,end,globalTid,correlationId,nameId", self.gpid)}
        self.waits = [dict(stream=st, event=e, corr=c) for st, e, c in file_.rows("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "streamId,eventId,correlationId", self.gpid)
                      if st != 4294967295 and e != 4294967295]
        self.records = sorted((c, st, e) for st, e, c in file_.rows("CUPTI_ACTIVITY_KIND_CUDA_EVENT", "streamId,eventId,correlationId", self.gpid))

    def true(self, t):
        return t if t is None or not (self.offset or self.drift) else round((t - self.offset) / (1 + self.drift / 1e9))

    @property
    def comm(self):
        return [k for k in self.kernels if k["name"].startswith(COMM)]

    @property
    def compute(self):
        return [k for k in self.kernels if not k["name"].startswith(COMM)]

    def mpi(self, name, members):
        """(start, end) of the calls of one function in one communicator, in order; old tables know none."""
        handles = [h for h, m in self.file.rows("MPI_COMMUNICATORS", "commHandle,members", None) if m == ",".join(map(str, members))]
        rows = [(s, e, n) for s, e, n, h in self.file.rows("MPI_COLLECTIVES_EVENTS", "start,end,textId,commHandle", self.gpid) if h in handles]
        rows += self.file.rows("MPI_OTHER_EVENTS", "start,end,textId", self.gpid)
        return sorted((self.true(s), self.true(e)) for s, e, n in rows if self.file.strings[n] == name)

    def nccl_calls(self):
        """[(start, end, thread, function, payload)] of domain 1; payload: {entry: value} or None."""
        full = "binaryData" in self.file.columns("NVTX_EVENTS")
        rows = self.file.rows("NVTX_EVENTS", "start,end,globalTid,textId,domainId,jsonText" + (",binaryData" if full else ",NULL"), self.gpid)
        return sorted(((self.true(s), self.true(e), t, self.file.strings[n], self.file.payload(j, b)) for s, e, t, n, d, j, b in rows if d == 1 and n is not None), key=lambda x: x[:2])


class File:
    def __init__(self, path):
        self.db = sqlite3.connect("file:%s?mode=ro" % path, uri=True)
        self.have = {n for n, in self.db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        self.strings = dict(self.db.execute("SELECT id, value FROM StringIds"))
        self.schemas = {}
        if "NVTX_PAYLOAD_SCHEMA_ENTRIES" in self.have:
            for schema, name, kind, offset in self.db.execute("SELECT schemaId, name, type, offset FROM NVTX_PAYLOAD_SCHEMA_ENTRIES ORDER BY idx"):
                self.schemas.setdefault(schema, {})[name] = (offset or 0, 8 if kind in (18, 22) else 4)

    def columns(self, table):
        return {r[1] for r in self.db.execute("PRAGMA table_info(%s)" % table)}

    def rows(self, table, columns, gpid=None):
        if table not in self.have:
            return []
        key = "globalPid" if "globalPid" in self.columns(table) else "globalTid"
        where = "" if gpid is None else " WHERE (%s & ~16777215) = %d" % (key, gpid)
        return self.db.execute("SELECT %s FROM %s%s" % (columns, table, where)).fetchall()

    def one(self, sql):
        return self.db.execute(sql).fetchone()

    def payload(self, text, blob):
        if text is not None:
            return json.loads(text)
        if blob is None:
            return None
        raw = bytes.fromhex(blob) if isinstance(blob, str) else blob
        _, schema, size, _ = struct.unpack_from("<QQQQ", raw)
        body = raw[len(raw) - size:]
        return {n: int.from_bytes(body[at:at + length], "little") for n, (at, length) in self.schemas[schema].items()}

    def environment(self):
        """The variables of the launched process."""
        rows = self.rows("META_DATA_CAPTURE", "name,value") if "META_DATA_CAPTURE" in self.have else []
        return dict(v.rstrip('"').split('="', 1) for n, v in rows if n.endswith(":ENVIRONMENT_VARIABLE"))


class Job:
    """path: the trace, or the directory of --split."""

    def __init__(self, path):
        split = os.path.isdir(path)
        with open(os.path.join(path, "split.truth.json") if split else path + ".truth.json", encoding="utf-8") as f:
            self.truth = json.load(f)
        self.job = self.truth["job"]
        self.files, self.ranks = [], {}
        for f in self.truth["files"]:
            file_ = File(os.path.join(path if split else os.path.dirname(path), f["path"]))
            file_.ranks = f["ranks"]
            self.files.append(file_)
            for r in f["ranks"]:
                self.ranks[r] = Rank(r, file_, self.truth)

    def close(self):
        for f in self.files:
            f.db.close()
