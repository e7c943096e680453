# SPDX-License-Identifier: MIT
"""Rows that `warplens export` writes, read back into SQLite, and the same rows by SQL from the trace itself.

Part of the independent oracle: the SQL follows docs/nsys-data.md and docs/definitions (vocabulary.md, kernels.md), and shares nothing with src/.
"""
import csv
import json
import re
import sqlite3

from tracefile import CAK, COPY_KINDS, LAUNCHES, MEMORY_KINDS

TEXT = {"kind", "name", "class", "category", "launch_name", "copy_kind", "src", "dst", "nvtx", "fused"}
IDS = {"correlation", "graph", "graph_node"}
# What the trace says of an operation by itself, and of the call that launched it.
OWN = ["kind", "pid", "device", "ordinal", "context", "stream", "name", "start", "end", "dur", "correlation", "grid_x", "grid_y", "grid_z",
       "block_x", "block_y", "block_z", "registers", "static_shared", "dynamic_shared", "bytes", "copy_kind", "src", "dst", "graph", "graph_node"]
LAUNCH = ["launch", "launch_name", "launch_dur", "thread", "queue", "latency"]
DERIVED = ["rank", "class", "category", "nvtx", "iteration", "fused"]
COLUMNS = {*OWN, *LAUNCH, *DERIVED}
csv.field_size_limit(1 << 30)


# --- what warplens wrote ----------------------------------------------------------------------------------

def read(path, form):
    """(keys, rows as lists); numbers are integers, none is None. csv has one way to say empty and none here."""
    return {"csv": read_csv, "json": read_json, "jsonl": read_jsonl}[form](path)


def read_csv(path):
    with open(path, encoding="utf-8", newline="") as f:
        lines = csv.reader(f, strict=True)
        keys = next(lines)
        numbers = [i for i, key in enumerate(keys) if key not in TEXT]
        rows = list(lines)
    for row in rows:
        if len(row) != len(keys):
            raise ValueError("a line of %d cells: %r" % (len(row), row[:9]))
        for i, cell in enumerate(row):
            if cell == "":
                row[i] = None
        for i in numbers:
            if row[i] is not None:
                row[i] = int(row[i])
    return keys, rows


def from_objects(keys, objects):
    for o in objects:
        if list(o) != keys:
            raise ValueError("keys of a row: %r" % list(o))
        for key in IDS:
            if o[key] is not None:
                if not isinstance(o[key], str):
                    raise ValueError("%s is no string" % key)
                o[key] = int(o[key])
    return keys, [[None if v == "" else v for v in o.values()] for o in objects]


def read_json(path):
    with open(path, encoding="utf-8") as f:
        document = json.load(f)
    if list(document) != ["schema", "definitions", "export", "columns", "rows", "rows_total"] or document["schema"] != "warplens/1" \
            or document["export"] != "operations" or document["rows_total"] != len(document["rows"]):
        raise ValueError("not such a document: %r" % {k: v for k, v in document.items() if k != "rows"})
    return from_objects([c["key"] for c in document["columns"]], document["rows"])


def read_jsonl(path):
    with open(path, encoding="utf-8", newline="\n") as f:
        objects = [json.loads(line) for line in f]
    return from_objects(list(objects[0]) if objects else [], objects)


def lines_of_json(path):
    """The rows of a document as lines of their own: no text of a document can hold a line end."""
    with open(path, encoding="utf-8", newline="\n") as f:
        lines = f.read().partition('"rows":[')[2].rpartition('],"rows_total":')[0]
    return lines[1:].replace(",\n", "\n") + "\n" if lines else ""


# --- what the trace says ----------------------------------------------------------------------------------

def clean(raw):
    """Texts as the reader has them, invalid UTF-8 and NUL replaced; an empty one is none, as in read()."""
    return raw.replace(b"\0", "\ufffd".encode()).decode("utf-8", "replace") or None


def attach(trace):
    """A database in memory with the trace as t, and tables of what SQL cannot know."""
    db = sqlite3.connect(":memory:", uri=True)
    db.execute("ATTACH ? AS t", ("file:%s?mode=ro&immutable=1" % trace,))
    db.execute("CREATE TABLE string (id INTEGER PRIMARY KEY, value TEXT)")
    if columns(db, "StringIds"):
        db.executemany("INSERT OR IGNORE INTO string VALUES (?, ?)",
                       [(i, clean(v)) for i, v in db.execute("SELECT id, CAST(value AS BLOB) FROM t.StringIds") if v is not None])
    for name, words in (("copy_kind", COPY_KINDS), ("memory_kind", MEMORY_KINDS)):
        db.execute("CREATE TABLE %s (code INTEGER PRIMARY KEY, word TEXT)" % name)
        db.executemany("INSERT INTO %s VALUES (?, ?)" % name, words.items())
    make_calls(db)
    make_operations(db)
    return db


def columns(db, table):
    return {r[1] for r in db.execute("PRAGMA t.table_info('%s')" % table)}


def make_calls(db):
    """The call of each (process, correlation id): one that launches, then the longest, then the first."""
    db.execute("CREATE TABLE call (process, correlation, start, end, tid, name, launches)")
    if columns(db, CAK + "RUNTIME"):
        launches = " OR ".join("s.value LIKE '%s%%'" % word for word in LAUNCHES)
        db.execute("PRAGMA case_sensitive_like = ON")
        db.execute("INSERT INTO call SELECT process, correlationId, start, end, tid, name, 0 FROM (SELECT *, row_number() OVER"
                   " (PARTITION BY process, correlationId ORDER BY launches DESC, end - start DESC, start, number) AS place FROM"
                   " (SELECT r.rowid AS number, globalTid >> 24 AS process, globalTid & 0xFFFFFF AS tid, correlationId, start, max(start, end) AS end,"
                   " s.value AS name, (%s) AS launches FROM t.%sRUNTIME r LEFT JOIN string s ON s.id = r.nameId"
                   " WHERE correlationId IS NOT NULL)) WHERE place = 1" % (launches, CAK))
    bare = {name: re.sub("_v[0-9]+$", "", name) for name, in db.execute("SELECT DISTINCT name FROM call WHERE name IS NOT NULL")}
    db.create_function("bare", 1, lambda name: bare.get(name), deterministic=True)
    db.execute("UPDATE call SET name = bare(name)")
    db.execute("CREATE UNIQUE INDEX call_of ON call (process, correlation)")


# Each column of an operation in SQL over its table o; {x}: column x of the table as it is, [x]: as a number of 32 bits; NULL where it
# has none. A stream of 4294967295 is none ("GPU rows" of docs/nsys-data.md).
COMMON = {"pid": "coalesce({globalPid}, 0) >> 24 & 0xFFFFFF", "process": "coalesce({globalPid}, 0) >> 24", "ordinal": "o.deviceId", "context": "[contextId]",
          "stream": "[streamId]", "start": "o.start", "end": "max(o.start, o.end)", "dur": "max(o.start, o.end) - o.start",
          "correlation": "[correlationId]"}
COPY = "coalesce((SELECT word FROM copy_kind WHERE code = {copyKind}), 'unknown')"
MEMORY = "CASE WHEN {%s} IS NOT NULL THEN coalesce((SELECT word FROM memory_kind WHERE code = {%s}), 'unknown') END"
NODE = "CASE WHEN typeof({graphNodeId}) = 'integer' THEN {graphNodeId} END"
OF_KIND = {
    "kernel": ("KERNEL", {"name": "(SELECT value FROM string WHERE id = coalesce({demangledName}, {shortName}, {mangledName}))",
                          **{"%s_%s" % (what, axis.lower()): "[%s%s]" % (what, axis) for what in ("grid", "block") for axis in "XYZ"},
                          "registers": "[registersPerThread]", "static_shared": "[staticSharedMemory]",
                          "dynamic_shared": "[dynamicSharedMemory]", "graph_node": NODE}),
    "memcpy": ("MEMCPY", {"name": "'[CUDA memcpy ' || %s || ']'" % COPY, "bytes": "coalesce({bytes}, 0)", "copy_kind": COPY,
                          "src": MEMORY % ("srcKind", "srcKind"), "dst": MEMORY % ("dstKind", "dstKind"), "graph_node": NODE}),
    "memset": ("MEMSET", {"name": "'[CUDA memset]'", "bytes": "coalesce({bytes}, 0)", "dst": MEMORY % ("memKind", "memKind"),
                          "graph_node": NODE}),
    "graph": ("GRAPH_TRACE", {"name": "'(graph)'", "graph": "[graphId]"}),
}


def in_sql(cell, have):
    cell = re.sub(r"\[(\w+)\]", r"CASE WHEN typeof({\1}) = 'integer' AND {\1} BETWEEN 0 AND 4294967294 THEN {\1} END", cell)
    return re.sub(r"\{(\w+)\}", lambda m: "o." + m[1] if m[1] in have else "NULL", cell)


def make_operations(db):
    """Table op: a row per operation with the columns OWN and LAUNCH, and its process."""
    keys = [c for c in OWN if c != "device"] + ["process"]
    db.execute("CREATE TABLE own (%s)" % ", ".join('"%s"' % k for k in keys))
    for kind, (table, cells) in OF_KIND.items():
        have = columns(db, CAK + table)
        if have:
            cells = {"kind": "'%s'" % kind, **COMMON, **cells}
            sql = ", ".join(in_sql(cells.get(k, "NULL"), have) for k in keys)
            db.execute("INSERT INTO own SELECT %s FROM t.%s o" % (sql, CAK + table))
    make_devices(db)
    db.execute("CREATE TABLE op AS SELECT own.*, device, c.start AS launch, c.name AS launch_name, c.end - c.start AS launch_dur, c.tid AS thread,"
               " CASE WHEN own.start >= c.end THEN own.start - c.end END AS queue, own.start - c.start AS latency"
               " FROM own JOIN device USING (process, ordinal) LEFT JOIN call c USING (process, correlation)")


def make_devices(db):
    """Physical GPUs first, by their number, where the trace proves which a process's ordinal is; then (process, ordinal)."""
    proof, gpus = {}, []
    if columns(db, "TARGET_INFO_CUDA_DEVICE"):
        proof = {(pid, ordinal): gpu for gpu, ordinal, pid in db.execute("SELECT gpuId, cudaId, pid FROM t.TARGET_INFO_CUDA_DEVICE")}
    if columns(db, "TARGET_INFO_GPU"):
        gpus = [g for g, in db.execute("SELECT %s FROM t.TARGET_INFO_GPU" % ("id" if "id" in columns(db, "TARGET_INFO_GPU") else "deviceId"))]
    used = {}
    for process, ordinal in db.execute("SELECT DISTINCT process, ordinal FROM own").fetchall():
        gpu = proof.get((process & 0xFFFFFF, ordinal))
        if gpu is None and len(gpus) == 1 and ordinal == 0:
            gpu = gpus[0]
        used[process, ordinal] = (1, process, ordinal) if gpu is None else (0, gpu)
    order = sorted(set(used.values()))
    db.execute("CREATE TABLE device (process, ordinal, device)")
    db.executemany("INSERT INTO device VALUES (?, ?, ?)", [(*key, order.index(used[key])) for key in used])


# --- both -------------------------------------------------------------------------------------------------

def put_rows(db, keys, rows):
    """Table got: the rows of the export."""
    db.execute("DROP TABLE IF EXISTS got")
    db.execute("CREATE TABLE got (%s)" % ", ".join('"%s"' % k for k in keys))
    db.executemany("INSERT INTO got VALUES (%s)" % ",".join("?" * len(keys)), rows)


def differences(db, where="1"):
    """Rows that only one side has, how often it has them counted; where: which operations of the trace are wanted."""
    cells = ", ".join('"%s"' % k for k in OWN + LAUNCH)
    both = "SELECT 1 AS side, %s FROM got UNION ALL SELECT -1, %s FROM op WHERE %s" % (cells, cells, where)
    only = db.execute("SELECT sum(side) AS n, %s FROM (%s) GROUP BY %s HAVING n <> 0 LIMIT 6" % (cells, both, cells))
    return ["%+d in the export: %r" % (n, row) for n, *row in only]
