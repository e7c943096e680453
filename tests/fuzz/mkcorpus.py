#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mkcorpus.py - write the seeds of fuzz_db_bytes, fuzz_db_schema, fuzz_pages, fuzz_report and fuzz_payload into corpus/.

Needs the sqlite3 shell, which can reserve bytes in pages.
"""

import os
import random
import re
import sqlite3
import struct
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BINDINGS = os.path.join(HERE, "../../src/read/bindings.def")
N_SMALL_TABLES = 17  # of fuzz_db_schema.c
MAX_BYTES = 32768

KERNEL = """CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, contextId INT,
 streamId INT, correlationId INT, globalPid INT, demangledName INT, shortName INT, gridX INT);"""
NVTX = """CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, text TEXT, globalTid INT,
 endGlobalTid INT, textId INT, domainId INT, uint64Value INT);"""
STRINGS = "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);"
PID = 100 << 24


def families():
    """(table, columns) of each WL_TABLE of bindings.def, in the order of fuzz_db_schema.c."""
    text = open(BINDINGS, encoding="utf-8").read()
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    columns, tables = {}, []
    for kind, family, rest in re.findall(r"WL_(TABLE|BIND)\((\w+), ([^)]*)\)", text):
        names = re.findall(r'"(\w+)"', rest)
        if kind == "TABLE":
            tables.append((family, *names))
        else:
            known = columns.setdefault(family, [])
            known += [n for n in names if n not in known]
    return [(name, columns[family] + [n for n in required if n not in columns[family]])
            for family, name, *required in tables]


def bound_tables():
    """Each table with the columns that the reader looks for; it may fill two families."""
    merged = {}
    for name, columns in families():
        known = merged.setdefault(name, [])
        known += [n for n in columns if n not in known]
    return list(merged.items())


def everything(part, n_parts):
    sql = STRINGS + "INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'k');"
    for name, columns in bound_tables()[part::n_parts]:
        sql += "CREATE TABLE %s (%s);" % (name, ",".join(columns))
        for row in range(2):
            values = [str(PID) if c.startswith("global") else str(row * 10 + i % 3)
                      for i, c in enumerate(columns)]
            sql += "INSERT INTO %s VALUES (%s);" % (name, ",".join(values))
    return sql


def catalogue():
    """The tables that say what the trace is of."""
    tables = {
        "StringIds": ("id, value", "(1, 'main'), (2, 'k')"),
        "ThreadNames": ("nameId, globalTid", "(1, %d), (7, 3), (1, NULL)" % (PID + 100)),
        "META_DATA_CAPTURE": ("name, value", "('CAPTURE_ENVIRONMENT_VARIABLE:0', 'SLURM_PROCID=3'),"
                              "('CAPTURE_ENVIRONMENT_VARIABLE:1', 'KEY=x'), ('DURATION', '5'), (NULL, 'x')"),
        "META_DATA_EXPORT": ("name, value", "('EXPORT_SCHEMA_VERSION', '3.25.0')"),
        "TARGET_INFO_SYSTEM_ENV": ("name, value, globalVid", "('Hostname', 'node7', %d), ('DeviceEnvironment', 'A=b', 0),"
                                   "('OS', 'Linux', 0), ('Hostname', NULL, 0)" % (1 << 48)),
        "PROCESSES": ("globalPid, name", "(%d, 'python'), (NULL, 'x')" % PID),
        "TARGET_INFO_GPU_METRICS": ("typeId, metricId, metricName", "(1, 2, 'SM Active'), (1, NULL, 'x')"),
        "TARGET_INFO_NETWORK_METRICS": ("metricsListId, metricsIdx, name, unit", "(1, 0, 'sent', 'B'), (1, NULL, 'x', 'y')"),
        "TARGET_INFO_NIC_INFO": ("nicId, name", "(4, 'mlx5_0'), (NULL, 'x')"),
        "NIC_ID_MAP": ("globalId, nicId", "(9, 4), (8, -1)"),
        "NVTX_PAYLOAD_SCHEMA_ENTRIES": ("domainId, schemaId, type, offset, name", "(1, 7, 18, 0, 'Message size [bytes]'),"
                                        "(1, 7, 18, 8, NULL)"),
        "TARGET_INFO_SESSION_START_TIME": ("utcEpochNs", "(1700000000000000000)"),
        "ANALYSIS_DETAILS": ("duration, startTime", "(1000, 5)"),
    }
    return "".join("CREATE TABLE %s (%s); INSERT INTO %s VALUES %s;" % (name, columns, name, rows)
                   for name, (columns, rows) in tables.items())


def damaged():
    """What is no database, or half of one, or has a page that is none."""
    data = make_database(512, "UTF-8", KERNEL + NVTX + STRINGS + ROWS)
    yield "no-database", b"this is a text and no database " * 20
    yield "cut-short", data[:1024]
    yield "cut-head", data[:60]
    yield "bad-page", data[:512] + b"\x63" * 512 + data[1024:]
    yield "bad-schema", data.replace(b"CREATE TABLE NVTX", b"CREATE TABBE NVTX")
    yield "mixed-types", make_database(512, "UTF-8", STRINGS + KERNEL.replace(" INT", "") +
                                       "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1.0, 2.5, 'x', x'00', NULL, 1, 1, 1, 1, 1);"
                                       "INSERT INTO StringIds VALUES (1, x'ff00'), (2, 5);")


def deep():
    """A tree of three levels and a text that needs overflow pages."""
    sql = KERNEL + STRINGS + "INSERT INTO StringIds VALUES (1, '%s');" % ("long name " * 120)
    for i in range(150):
        sql += "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (%d, %d, %d, 1, 7, %d, %d, 1, 1, 8);" % (
            (i * 37) % 1000 * 1000000, (i * 37) % 1000 * 1000000 + 10**10, i % 2, i, PID)
    return sql


ODD = """CREATE TABLE real_kernels (start INT, end INT, deviceId INT);
CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT * FROM real_kernels;
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INT PRIMARY KEY, end INT, deviceId INT) WITHOUT ROWID;
INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (5, 9, 0), (1, 2, 0);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT AS (start + 1), deviceId INT);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1, 0);
CREATE TABLE OSRT_API (start INT, end INT, nameId INT);
CREATE INDEX osrt ON OSRT_API (start DESC, end, nameId);
INSERT INTO OSRT_API VALUES (1, 2, 0), (3, 'x', NULL), (2, 1.5, x'00');"""

PROOF = """CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INT, cudaId INT, pid INT, uuid TEXT);
INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (1, 0, 100, 'u'), (1, 0, 101, 'u');
CREATE TABLE TARGET_INFO_GPU (id INT, name TEXT, uuid TEXT);
INSERT INTO TARGET_INFO_GPU VALUES (1, 'GPU', 'u'), (0, 'GPU', 'v');
CREATE TABLE MPI_RANKS (globalTid INT, rank INT); INSERT INTO MPI_RANKS VALUES (%d, 1);
CREATE TABLE ANALYSIS_DETAILS (duration INT); INSERT INTO ANALYSIS_DETAILS VALUES (1000);""" % PID

ROWS = """INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'rank=1');
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (-5, 10, 0, 1, 7, 3, %d, 1, 1, 4),
 (20, 30, 0, 1, 7, 4, %d, 1, 1, 4);
INSERT INTO NVTX_EVENTS VALUES (0, NULL, 59, NULL, %d, NULL, 2, 0, 7), (1, 2, 34, 'm', %d, NULL,
 NULL, 0, NULL);""" % (PID, 101 << 24, PID, PID)

DATABASES = {
    "one-table": (512, "UTF-8", STRINGS),
    "kernels-nvtx": (512, "UTF-8", KERNEL + NVTX + STRINGS + ROWS),
    "utf16": (1024, "UTF-16be", KERNEL + NVTX + STRINGS + ROWS),
    "proven-device": (512, "UTF-8", KERNEL + NVTX + STRINGS + PROOF + ROWS),
    "odd-objects": (512, "UTF-8", ODD),
    "deep-tree": (512, "UTF-8", deep()),
    "all-tables": (512, "UTF-8", everything(0, 2)),
    "all-tables-2": (512, "UTF-8", everything(1, 2)),
    "catalogue": (512, "UTF-8", catalogue()),
}


def make_database(page, encoding, sql):
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "db")
        db = sqlite3.connect(path)
        db.executescript("PRAGMA page_size = %d; PRAGMA encoding = '%s';" % (page, encoding) + sql)
        db.close()
        with open(path, "rb") as f:
            return f.read()


def share_pages(data, leaf):
    """Replace a leaf by a tree over itself whose pages all have one child: endless rows."""
    page, fan, first, levels = 512, 50, 8, 12
    pages = [data[i:i + page] for i in range(0, len(data), page)]

    def interior(child):
        cells = b"".join(struct.pack(">IB", child, i + 1) for i in range(fan))
        pointers = [page - len(cells) + 5 * i for i in range(fan)]
        head = struct.pack(">BHHHBI", 5, 0, fan, page - len(cells), 0, child)
        head += struct.pack(">%dH" % fan, *pointers)
        return head + bytes(page - len(head) - len(cells)) + cells

    pages[first + levels - 1] = pages[leaf - 1]
    pages[leaf - 1] = interior(first + 1)
    for i in range(first + 1, first + levels):
        pages[i - 1] = interior(i + 1)
    return b"".join(pages)


SHARED = ("CREATE TABLE OSRT_API (rowid INT, start INT, end INT, nameId INT);"
          "INSERT INTO OSRT_API VALUES (1, 2, 3, 4);"
          "CREATE TABLE filler (a); INSERT INTO filler VALUES (zeroblob(9000));")


def endless_cell():
    """A text of 2 MB in 4 kB: its overflow page follows itself."""
    data = bytearray(make_database(512, "UTF-8", STRINGS +
                                   "INSERT INTO StringIds VALUES (1, '%s')" % ("x" * 2000000)))
    data[1024:1028] = struct.pack(">I", 3)
    data[28:32] = struct.pack(">I", 8)
    return bytes(data[:4096])


NUMBERS = """INSERT INTO t VALUES (0, 1, -1, 127), (128, 32768, 8388608, 2147483648),
 (140737488355328, 9223372036854775807, -9223372036854775808, NULL), (1.0, 2.5, -0.0, 9.3e18),
 ('text', x'00ff', '', 'numb3r'), (zeroblob(3), 1e300, 9007199254740993.0, 7);"""
PLAIN = "CREATE TABLE t (a INT, b TEXT, c REAL, d);" + NUMBERS
LONG = "INSERT INTO t SELECT printf('%.*c', 97 * value, 'x'), value FROM generate_series(1, 12);"
MANY = "INSERT INTO t SELECT value * 1000003, value, 1, 'row' || value FROM generate_series(1, 150);"


def columns(n):
    return ",".join("c%d %s" % (i, ["INT", "TEXT", "REAL", ""][i % 4]) for i in range(n))


# What changes how rows lie in pages: commands of the shell, then SQL.
PAGES = {
    "page-512": ("", 512, PLAIN + MANY),
    "page-1024": ("", 1024, PLAIN),
    "page-2048": ("", 2048, PLAIN),
    "page-4096": ("", 4096, PLAIN),
    "page-8192": ("", 8192, PLAIN),
    "reserved": (".filectrl reserve_bytes 32", 512, PLAIN + MANY),
    "vacuum-full": ("PRAGMA auto_vacuum = 1;", 512, PLAIN + "CREATE TABLE u (x);" + MANY +
                    "DELETE FROM t WHERE a % 3 = 0;"),
    "utf16": ("PRAGMA encoding = 'UTF-16le';", 512, PLAIN),
    "legacy": (".dbconfig legacy_file_format on", 512, PLAIN),
    "alias": ("", 512, "CREATE TABLE t (a INT, id INTEGER PRIMARY KEY, b);"
              "INSERT INTO t VALUES (1, -5, 2), (1, 9223372036854775807, NULL), (0, 7, 'x');"),
    "constraint-key": ("", 512, "CREATE TABLE t (a, b INTEGER, PRIMARY KEY (b DESC));"
                       "INSERT INTO t VALUES (1, 2), (3, 4); CREATE INDEX i ON t (a);"),
    "chains": ("", 512, "CREATE TABLE t (a TEXT, b INT);" + LONG),
    "deep": ("", 512, "CREATE TABLE t (a, b);"
             "INSERT INTO t SELECT printf('%.90c', 'y'), value FROM generate_series(1, 90);"),
    "added": ("", 512, PLAIN + "ALTER TABLE t ADD COLUMN e; ALTER TABLE t ADD COLUMN f INT DEFAULT 5;"
              "INSERT INTO t VALUES (1, 2, 3, 4, 5, 6);"),
    "without-rowid": ("", 512, "CREATE TABLE t (a INT PRIMARY KEY, b) WITHOUT ROWID;"
                      "INSERT INTO t VALUES (2, 'x'), (1, NULL); CREATE TABLE u (a); INSERT INTO u VALUES (1);"),
    "generated": ("", 512, "CREATE TABLE t (a, b AS (a + 1), c AS (a) STORED, d);"
                  "INSERT INTO t VALUES (1, 2), ('x', NULL);"),
    "strict": ("", 512, "CREATE TABLE t (a INT, b ANY, c TEXT) STRICT; INSERT INTO t VALUES (1, 2.0, 'x');"),
    "wide": ("", 512, "CREATE TABLE t (%s); INSERT INTO t VALUES (%s);" % (
        columns(60), ",".join(str(i * 37) for i in range(60)))),
    "wider": ("", 1024, "CREATE TABLE t (%s); INSERT INTO t VALUES (%s);" % (
        columns(180), ",".join("'%d'" % i if i % 3 else "NULL" for i in range(180)))),
    "names": ("", 512, "CREATE TABLE \"a \"\"b\" (\"x,(\" INTEGER PRIMARY KEY, [y)] /* , */, `z`);"
              "INSERT INTO \"a \"\"b\" VALUES (4, 5, 6);"),
    "freed": ("", 512, PLAIN + MANY + "DELETE FROM t WHERE a > 30000; CREATE TABLE e (x);"),
}


def shell_database(command, page, sql):
    """By the shell; and with counters that agree."""
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "db")
        script = "%s\nPRAGMA page_size = %d;\nBEGIN; %s\nCOMMIT;\n" % (command, page, sql)
        subprocess.run(["sqlite3", "-bail", path], input=script, encoding="utf-8", check=True,
                       stdout=subprocess.DEVNULL)
        with open(path, "rb") as f:
            return f.read()


def program(rng, tables, rows):
    """Bytes as fuzz_db_schema reads them; see there."""
    out = bytearray([rng.randrange(256), rng.choice([0, 0, 200, 255]), rng.randrange(256)])
    for number in tables:
        out += bytes([number, 0, 0, rng.randrange(8), rng.choice([0, 0, 130]), rows,
                      rng.choice([0, 0, 255])])
        for _ in range(rows * 12):
            kind = rng.choice([0, 0, 0, 0, 170, 200, 230, 180])
            out += bytes([kind, rng.randrange(256), rng.randrange(256)][:2 if kind == 0 else 1])
    return bytes(out)


def cell(column, row):
    """A value that a loader takes, as fuzz_db_schema reads it, with one in a row that it does not take."""
    number = {"start": 10 + row, "end": 20 + row, "eventType": 59 + row % 2, "eventClass": 30 + row}
    largest, no_stream, null = bytes([0, 135]), bytes([0, 137]), bytes([160])
    odd = {"end": null, "returnValue": largest, "streamId": no_stream, "eventId": no_stream}
    if row == 1 and column in odd:
        return odd[column]
    if column.startswith("global"):
        return bytes([0, 160, row % 2, 1])
    if column == "jsonText":
        return bytes([231]) + b'{"Rank"'
    if column == "binaryData":
        return bytes([255]) + bytes(7) if row else null
    if column == "value":
        return bytes([230]) + b"step 7"
    return bytes([0, number.get(column, 1 + row % 2)])


def whole(number, columns, turn=0, without=()):
    """The table of this number, with three rows of such values, and texts and layouts of payloads."""
    drop = sum(1 << columns.index(c) for c in without)
    shown = [columns[(i + turn) % len(columns)] for i in range(len(columns))]
    shown = [c for c in shown if c not in without]
    shown += ["processId", "threadId"] if turn >= 128 else []
    shown += ["eventClass"] if turn >= 192 else []
    out = bytes(3)
    n = len(families())
    for table, names, keep, rotated in ((n, ["id", "value"], 0, 0), (number, shown, drop, turn),
                                        (n + 16, ["domainId", "schemaId", "type", "offset", "name"], 0, 0)):
        out += bytes([table, keep >> 8, keep & 255, rotated, 0, 3, 0])
        out += b"".join(cell(c, row) for row in range(3) for c in names)
    return out


def wholes():
    for number, (name, columns) in enumerate(families()):
        yield "whole-%02d" % number, whole(number, columns)
        owner = [c for c in columns[:16] if c in ("globalPid", "globalTid")]
        if name in ("CUPTI_ACTIVITY_KIND_KERNEL", "OSRT_API"):
            yield "by-pid-%02d" % number, whole(number, columns, 192, owner)
            yield "no-owner-%02d" % number, whole(number, columns, 0, owner)


NSYS = b"NVIDIA Tegra Profiler Report "
STREAM = b"NVIDIA Nsight Systems Stream "
OLD = NSYS + b"1.\n\x0bLocal (CLI)\x12\x04"
BUILT = b"2022.4.2.1-df9881f"

# A byte for the hole behind the head, then the file.
REPORTS = {
    "empty": b"\0",
    "other": b"\0nothing that is known",
    "sqlite": b"\0SQLite format 3\0",
    "ncu": b"\0NVR\0",
    "nsys": b"\0" + NSYS + b"2025@5@1@121-255136380782v0.",
    "nsys-no-number": b"\0" + NSYS + b"2025@5@@1",
    "nsys-long-number": b"\0" + NSYS + b"2025@5@1234567@1",
    "stream": b"\0\x08\x01" + STREAM + b"2023.4.4.54-234433681190v0!",
    "stream-cut": b"\0" + STREAM + b"2023.4",
    "old": b"\0" + OLD + b"2021.1.1.1-0000000 " + BUILT + b" 2022.4.2.1-df98g1f 20x2",
    "old-not-there": b"\0" + OLD + b"2022.4.2.1 22 2022-4 2022.4.2.1-df98",
    "old-far": b"\xf8" + OLD + bytes(300) + BUILT + bytes(40),
    "old-near": b"\xff" + OLD + BUILT + bytes(300) + b"2",
    "old-between": b"\xfc" + OLD + bytes(300) + BUILT + b" " * 60,
}


def entry(name, domain, layout, kind, offset):
    return struct.pack("<BBBBH", name, domain, layout, kind, offset)


def payload(entries, cell):
    return bytes([len(entries)]) + b"".join(entries) + cell


def payloads():
    """As fuzz_payload reads them; see there."""
    layout = [entry(0, 1, 7, 18, 0), entry(1, 1, 7, 22, 8), entry(2, 1, 7, 5, 16), entry(3, 1, 7, 6, 20),
              entry(4, 1, 7, 15, 24), entry(5, 1, 7, 8, 28), entry(0x80, 1, 7, 18, 0), entry(0x41, 1, 7, 18, 1),
              entry(0x21, 1, 7, 18, 0xffff)]
    body = struct.pack("<QQIIi", 0x7994a6e7f169b50e, 25165824, 8, 3, -1)
    cell = struct.pack("<QQQQ", 1, 7, len(body), 56) + body
    yield "raw", payload(layout, cell)
    yield "digits", payload(layout, cell.hex().encode())
    yield "no-digit", payload(layout, cell.hex().encode()[:-4] + b"xy00")
    yield "cut", payload(layout, cell[:-1])
    yield "short", payload(layout, cell[:20])
    yield "other-layout", payload(layout, struct.pack("<QQQQ", 2, 7, len(body), 56) + body)
    yield "beyond", payload([entry(0, 1, 7, 18, 25), entry(1, 1, 7, 17, 20)], cell)
    yield "no-number", payload([entry(0, 1, 7, 12, 0), entry(1, 1, 7, 17, 0)], cell)
    yield "disagree", payload([entry(0, 1, 7, 18, 0), entry(0, 1, 7, 18, 8), entry(1, 1, 7, 10, 0),
                               entry(1, 1, 7, 16, 0)], cell)
    # Names of a text are those of the bytes: arrays, texts, scopes, numbers with names, and what lies elsewhere.
    kinds = [entry(0x18, 1, 7, 12, 0x1002), entry(0x11, 1, 7, 76, 3), entry(0x12, 1, 7, 70, 8), entry(0x13, 1, 7, 0x84, 16),
             entry(0x14, 1, 7, 19, 20), entry(0x15, 1, 7, 20, 24), entry(0x10, 1, 7, 1, 2), entry(0x18, 1, 7, 18, 0x0200)]
    yield "kinds", payload(kinds, struct.pack("<QQQQ", 1, 7, 40, 72) + b"abc" + bytes([1, 2, 0xff, 0x1b, 0]) + struct.pack("<QIfdQ", 8, 0, 1.5, 2.5, 9))
    yield "none-read", payload([entry(0x18, 1, 7, 18, 0x2000), entry(0x18, 1, 7, 9, 0x3001)], struct.pack("<QQQQQ", 1, 7, 8, 40, 0))
    yield "json", payload([], b'{"Rank": 3, "Peer rank":"0x1F", "No. of ranks" :  "8", "NCCL communicator ID": -1,'
                          b' "Message size [bytes]": 99999999999999999999}')
    yield "json-cut", payload([], b'{"Rank"')
    yield "json-no-end", payload([], b'{"x": "Rank": 0x, "Peer')


def save(kind, name, data):
    assert len(data) <= MAX_BYTES, (name, len(data))
    folder = os.path.join(HERE, "corpus", kind)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as f:
        f.write(data)


def main():
    for name, (page, encoding, sql) in DATABASES.items():
        save("db_bytes", name, make_database(page, encoding, sql))
    save("db_bytes", "shared-pages", share_pages(make_database(512, "UTF-8", SHARED), 2))
    save("db_bytes", "endless-cell", endless_cell())
    for name, data in damaged():
        save("db_bytes", name, data)
        save("pages", name, data)
    for name, (command, page, sql) in PAGES.items():
        save("pages", name, shell_database(command, page, sql))
    save("pages", "shared-pages", share_pages(make_database(512, "UTF-8", SHARED), 2))
    save("pages", "endless-cell", endless_cell())
    for name, data in REPORTS.items():
        save("report", name, data)
    for name, data in payloads():
        save("payload", name, data)
    rng = random.Random(1)
    n = len(families()) + N_SMALL_TABLES
    save("db_schema", "empty", b"")
    save("db_schema", "all-tables", program(rng, range(n), 3))
    for i, number in enumerate(range(0, n, 3)):
        save("db_schema", "tables-%02d" % i, program(rng, [number, (number * 7 + 1) % n, 15], 6))
    for name, data in wholes():
        save("db_schema", name, data)


main()
