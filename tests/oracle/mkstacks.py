# SPDX-License-Identifier: MIT
"""Adds samples, scheduling and stacks of calls to a small random export (mktrace.py); the same ones for the same seed.

Traps: addresses without names next to each other, notes of the profiler, recursion, samples without a stack, of no distance and
of cpuCycles 0, threads that only have samples, two scheduling rows at one time, calls with stacks inside each other.
"""
import random
import sqlite3

SYMBOLS = ["main", "step", "load", "_Py_dg_dtoa", "read", "0x7f01", "0x7f02", "0xAB", "0xfun", "",
           "__cudart12", "std::abs", "[Max depth]", "[odd]"]
MODULES = ["app", "/usr/lib/libx.so.1", "/opt/liby.so", "dir/", "/usr/bin/python3.11"]
CHAIN = '("id" INT, symbol INT, module INT, specialEntry INT, stackDepth INT)'


class Adder:
    def __init__(self, seed, path):
        self.r = random.Random("stacks %d" % seed)
        self.db = sqlite3.connect(path)
        self.next_string = (self.db.execute("SELECT max(id) FROM StringIds").fetchone()[0] or 0) + 1
        self.numbers = {}

    def text(self, value):
        if value not in self.numbers:
            self.numbers[value] = self.next_string
            self.db.execute("INSERT INTO StringIds (id, value) VALUES (?, ?)", (self.next_string, value))
            self.next_string += 1
        return self.numbers[value]

    def has(self, table):
        return self.db.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (table,)).fetchone()

    def column(self, table, name):
        if name not in [r[1] for r in self.db.execute('PRAGMA table_info("%s")' % table)]:
            self.db.execute('ALTER TABLE "%s" ADD COLUMN "%s" INT' % (table, name))

    def chain(self, table, number):
        """A random stack; outer frames are few, so that stacks share them."""
        r, frames = self.r, []
        for _ in range(r.choice([1, 2, 3, 3, 4, 6])):
            symbol, module = r.choice(SYMBOLS[:12]), r.choice(MODULES)
            frames.append((symbol, module, None))
        if r.random() < 0.2:
            frames.append(r.choice([("[Max depth]", "[Max depth]", None), ("note", "app", 1), ("[odd]", "app", 0)]))
        rows = [(number, self.text(s), self.text(m), flag, depth) for depth, (s, m, flag) in enumerate(frames)]
        if r.random() < 0.1:
            r.shuffle(rows)
        self.db.executemany('INSERT INTO "%s" VALUES (?, ?, ?, ?, ?)' % table, rows)

    def calls(self, table, chains, share):
        if not self.has(table):
            return
        self.db.execute('CREATE TABLE "%s" %s' % (chains, CHAIN))
        self.column(table, "callchainId")
        for number in range(1, 13):
            self.chain(chains, number)
        for (row,) in self.db.execute('SELECT rowid FROM "%s"' % table).fetchall():
            # 13 is no chain
            number = self.r.randint(0, 13) if self.r.random() < share else None
            self.db.execute('UPDATE "%s" SET callchainId = ? WHERE rowid = ?' % table, (number, row))

    def samples(self, threads, begin, end):
        r, rows = self.r, []
        self.db.execute("CREATE TABLE COMPOSITE_EVENTS (id INTEGER PRIMARY KEY, start INT, globalTid INT, cpuCycles INT)")
        self.db.execute("CREATE TABLE SAMPLING_CALLCHAINS " + CHAIN)
        for thread in threads:
            step, at = max(1, (end - begin) // r.choice([3, 10, 40])), begin
            while at < end and len(rows) < 400:
                rows.append((at, thread, 0 if r.random() < 0.1 else 1))
                at += r.choice([0, step, step, step, step + r.randint(0, step), 3 * step]) or r.randint(0, 1)
        rows.sort(key=lambda row: row[0])
        for number, row in enumerate(rows, 1):
            self.db.execute("INSERT INTO COMPOSITE_EVENTS VALUES (?, ?, ?, ?)", (number, *row))
            if r.random() < 0.9:
                self.chain("SAMPLING_CALLCHAINS", number)

    def scheduling(self, threads, begin, end):
        r = self.r
        if not self.has("SCHED_EVENTS"):
            self.db.execute("CREATE TABLE SCHED_EVENTS (start INT, cpu INT, isSchedIn INT, globalTid INT)")
        self.column("SCHED_EVENTS", "threadState")
        self.db.execute("DELETE FROM SCHED_EVENTS")
        for thread in threads:
            times = sorted(r.randint(begin, end) for _ in range(r.choice([0, 1, 4, 15])))
            for i, at in enumerate(times):
                inside = i % 2 if r.random() < 0.9 else r.randint(0, 1)
                self.db.execute("INSERT INTO SCHED_EVENTS (start, cpu, isSchedIn, globalTid, threadState) VALUES (?, 0, ?, ?, ?)",
                                (at, inside, thread, r.choice([None, 0, 1, 2, 3, 4, 5, 7])))


def add(seed, path):
    """False where the trace has no calls: then there is no thread to look at."""
    a = Adder(seed, path)
    runtime = "CUPTI_ACTIVITY_KIND_RUNTIME"
    found = a.db.execute("SELECT DISTINCT globalTid FROM %s ORDER BY 1" % runtime).fetchall() if a.has(runtime) else []
    begin, end = a.db.execute("SELECT min(start), max(end) FROM %s" % runtime).fetchone() if found else (0, 0)
    if not found or begin >= end:
        a.db.close()
        return False
    threads = [t for (t,) in found]
    threads.append(threads[0] + 7)
    a.samples(threads, begin, end)
    a.scheduling([t for t in threads if a.r.random() < 0.5], begin, end)
    a.calls("OSRT_API", "OSRT_CALLCHAINS", a.r.choice([0, 0.3, 0.9]))
    a.calls(runtime, "CUDA_CALLCHAINS", a.r.choice([0, 0, 0.2]))
    a.db.commit()
    a.db.close()
    return True
