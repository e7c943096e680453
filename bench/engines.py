# SPDX-License-Identifier: MIT
"""Databases that answer the question of bench/fleet: each gets the same rows, and says the CPU seconds of storing and asking.

An engine is a context manager with load(rows file, number of rows) and ask(), which return CPU seconds and ask() also the answer:
[(operation, sum, rank with the largest sum)], by operation. The packages are those of tests/fleet, unpacked below build/."""
import contextlib
import ctypes
import os
import resource
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.append(os.path.join(ROOT, "tests", "fleet"))
import chdb  # noqa: E402
import clickhouse  # noqa: E402

COLUMNS = "rank UInt32, step UInt32, op UInt64, calls UInt32, sum Int64"
ROW_BYTES, BATCH, REPEATS = 28, 1 << 20, 10
TABLE = "CREATE TABLE work (%s) ENGINE = MergeTree ORDER BY (op, rank, step)"
QUESTION = ("SELECT op, sum(s), %s(rank, s) FROM (SELECT op, rank, sum(sum) AS s FROM work GROUP BY op, rank) AS t "
            "GROUP BY op ORDER BY op")
PUSHED = "SELECT op, sum(s), argMax(rank, s) FROM (SELECT op, rank, sum AS s FROM warplens.op_rank) GROUP BY op ORDER BY op"
DUCKDB = "@duckdb/node-bindings-linux-x64@1.5.6-r.1"
DUCKDB_TREE = os.environ.get("WARPLENS_DUCKDB_DIR") or os.path.join(ROOT, "build", "duckdb")


def numbers(lines):
    return [tuple(int(cell) for cell in line.split("\t")) for line in lines]


class Asked:
    """A server in a process of its own."""

    def __init__(self, server):
        self.server = server

    def timed(self, ask):
        before = self.server.cpu_seconds()
        answer = ask()
        return self.server.cpu_seconds() - before, answer

    def ask(self, question=QUESTION % "argMax"):
        """Several times: the clock of other processes has ticks of 10 ms."""
        def repeat():
            for _ in range(REPEATS):
                text = self.server.ask(question + " FORMAT TabSeparated")
            return numbers(text.splitlines())
        seconds, answer = self.timed(repeat)
        return seconds / REPEATS, answer

    def ask_pushed(self):
        return self.ask(PUSHED)


class Old(Asked):
    """ClickHouse 18.16 takes the rows in the body of a request."""
    title = "ClickHouse 18.16"

    def load(self, rows, n):
        def insert():
            with open(rows, "rb") as f:
                while True:
                    part = f.read(ROW_BYTES * BATCH)
                    if not part:
                        break
                    self.server.ask("INSERT INTO default.work (rank, step, op, calls, sum) FORMAT RowBinary", part)
        self.server.ask(TABLE % COLUMNS)
        return self.timed(insert)[0]


class New(Asked):
    """ClickHouse 26.7 as the library chDB reads the file itself."""
    title = "chDB 26.7"

    def load(self, rows, n):
        self.server.ask(TABLE % COLUMNS)
        return self.timed(lambda: self.server.ask(
            "INSERT INTO work SELECT * FROM file('%s', 'RowBinary', '%s')" % (rows, COLUMNS)))[0]

    def write_parquet(self, path):
        self.server.ask("INSERT INTO FUNCTION file('%s', 'Parquet') SELECT * FROM work" % path)


@contextlib.contextmanager
def old():
    with clickhouse.servers(1) as (server,):
        yield Old(server)


@contextlib.contextmanager
def new():
    os.environ["WARPLENS_FETCH"] = "1"
    with chdb.server() as server:
        yield New(server)


class Duck:
    """DuckDB as a library in this process; rows come as Parquet."""
    title = "DuckDB 1.5"

    def __init__(self, directory):
        library = os.path.join(DUCKDB_TREE, "package", "libduckdb.so")
        if not os.path.exists(library):
            os.makedirs(DUCKDB_TREE, exist_ok=True)
            subprocess.run("npm pack --silent %s && tar xzf *.tgz && rm -f *.tgz" % DUCKDB, shell=True, cwd=DUCKDB_TREE,
                           stdout=subprocess.DEVNULL, check=True)
        self.lib, self.directory = ctypes.CDLL(library), directory
        self.lib.duckdb_result_error.restype = ctypes.c_char_p
        database, self.connection = ctypes.c_void_p(), ctypes.c_void_p()
        path = os.path.join(directory, "duck.db").encode()
        if self.lib.duckdb_open(path, ctypes.byref(database)) or self.lib.duckdb_connect(database, ctypes.byref(self.connection)):
            raise OSError("DuckDB does not open " + path.decode())

    def run(self, statement):
        """CPU seconds. The result is a struct of six words, of which only the error is of interest."""
        result = (ctypes.c_uint64 * 8)()
        before = resource.getrusage(resource.RUSAGE_SELF)
        failed = self.lib.duckdb_query(self.connection, statement.encode(), ctypes.byref(result))
        after = resource.getrusage(resource.RUSAGE_SELF)
        if failed:
            raise OSError("DuckDB: " + self.lib.duckdb_result_error(ctypes.byref(result)).decode())
        self.lib.duckdb_destroy_result(ctypes.byref(result))
        return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime

    def load(self, parquet, n):
        return self.run("CREATE TABLE work AS SELECT * FROM read_parquet('%s')" % parquet) + self.run("CHECKPOINT")

    def ask(self, table="work"):
        out = os.path.join(self.directory, "answer.tsv")
        question = (QUESTION % "arg_max").replace("FROM work", "FROM " + table)
        seconds = self.run("COPY (%s) TO '%s' (HEADER false, DELIMITER '\t')" % (question, out))
        with open(out, encoding="ascii") as f:
            return seconds, numbers(f.read().splitlines())


@contextlib.contextmanager
def duck():
    with tempfile.TemporaryDirectory(prefix="wl-duck-") as directory:
        yield Duck(directory)
