# SPDX-License-Identifier: MIT
"""Adds samples, scheduling and stacks of calls to a small random export (mktrace.py); the same ones for the same seed.

Traps: times at or beside the edges of calls and operations, equal times, rows out of order, chains whose rows are scattered, that
several calls share or that are missing, depths with holes, 1,025 frames, addresses next to each other, libraries of one name in
two folders, notes of the profiler with and without their flag, samples without a stack, threads with samples only.
"""
import random
import sqlite3

CAK = "CUPTI_ACTIVITY_KIND_"
SYMBOLS = ["main", "step", "read", "write", "0xfun", "operator()(int; char)", "_start", "[odd]", "__cudart12", "std::abs"]
MODULES = ["/usr/bin/app", "/usr/lib/libc.so.6", "/opt/a/libx.so", "/opt/b/libx.so", "/usr/bin/python3.11", "[kernel.kallsyms]", "[Unknown]", "app", "dir/", ""]
NOTES = ["[Max depth]", "[Broken backtraces]", "a note by its flag"]


class Adder:
    def __init__(self, seed, path, dense):
        self.r, self.dense = random.Random("stacks %d" % seed), dense
        self.db = sqlite3.connect(path)
        self.db.text_factory = bytes
        self.tables = {n.decode() for (n,) in self.db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        self.strings, self.chains = {}, {}
        (self.next,) = self.db.execute("SELECT coalesce(max(id), 0) + 1 FROM StringIds").fetchone()
        self.times, self.threads = self.look()

    def look(self):
        """Every time at which something happens, and the threads of calls."""
        times, threads = set(), set()
        for table in (CAK + "RUNTIME", "OSRT_API", CAK + "KERNEL", CAK + "MEMCPY"):
            if table in self.tables:
                columns = [c[1].decode() for c in self.db.execute("PRAGMA table_info(%s)" % table)]
                for a, b in self.db.execute('SELECT start, "end" FROM %s' % table):
                    times.update((a, b))
                if "globalTid" in columns:
                    threads.update(t for (t,) in self.db.execute("SELECT globalTid FROM %s WHERE globalTid NOT NULL" % table))
        return sorted(times), sorted(threads)

    def text(self, value):
        if value not in self.strings:
            self.strings[value] = self.next
            self.db.execute("INSERT INTO StringIds (id, value) VALUES (?, ?)", (self.next, value))
            self.next += 1
        return self.strings[value]

    def time(self):
        """Mostly an edge of something, or beside one."""
        r, t = self.r, self.times
        kind = r.random()
        if kind < 0.5:
            return r.choice(t) + r.choice([-1, 0, 0, 0, 1])
        return r.randint(t[0] - (t[-1] - t[0]) // 10 - 2, t[-1] + (t[-1] - t[0]) // 10 + 2)

    def frame(self):
        """(symbol, module, unresolved)"""
        r = self.r
        kind = r.random()
        if kind < 0.4:
            return "0x%x" % r.choice([0, 16, 0x7f00dead, r.getrandbits(48)]), r.choice(MODULES), r.choice([1, 1, None, 0])
        if kind < 0.44:
            return "", r.choice(MODULES), r.choice([0, None])
        return r.choice(SYMBOLS), r.choice(MODULES[:5]), r.choice([0, None, 1])

    def pool(self):
        """Chains to choose from: they share outer frames."""
        r, out = self.r, []
        for _ in range(r.randint(2, 9)):
            inner = [self.frame() for _ in range(r.choice([0, 1, 1, 2, 3, 6]))]
            outer = r.choice(out)[-r.randint(1, 4):] if out and r.random() < 0.7 else [self.frame() for _ in range(r.randint(0, 3))]
            chain = inner + [f for f in outer if f[0] not in NOTES]
            if r.random() < 0.2:
                note = r.choice(NOTES)
                chain.append((note, note, None))
            out.append(chain)
        if r.random() < 0.05:
            out.append([self.frame() for _ in range(r.choice([1023, 1024, 1025, 1500]))])
        return out

    def chain(self, table, key, pool):
        """A chain in the table, sometimes with holes in its depths or starting above 0."""
        r = self.r
        depth, rows = r.choice([0, 0, 0, 1, 2]), []
        for symbol, module, unresolved in r.choice(pool):
            flag = 1 if symbol == NOTES[2] else r.choice([0, None])
            rows.append((key, self.text(symbol), self.text(module), r.choice([0, None]), unresolved, flag, r.getrandbits(47), 7, depth))
            depth += r.choice([1, 1, 1, 2])
        if r.random() < 0.2:
            r.shuffle(rows)
        self.chains.setdefault(table, []).append(rows)

    def chained(self, table, chains, pool):
        """Gives rows of a table of calls a chain."""
        r = self.r
        if table not in self.tables:
            return
        must = {c[1].decode(): c[3] for c in self.db.execute("PRAGMA table_info(%s)" % table)}     # have a value
        if "callchainId" not in must:
            self.db.execute("ALTER TABLE %s ADD COLUMN callchainId INTEGER" % table)
        share, key, made = r.choice([0.1, 0.5, 0.9]), r.choice([1, 70, 1 << 33]), []
        for (row,) in self.db.execute("SELECT rowid FROM %s" % table).fetchall():
            chosen = r.choice([0, None, 5])                 # 5: a chain that may not exist
            if r.random() < share:
                chosen = key
                if r.random() < 0.9:
                    self.chain(chains, key, pool)
                    made.append(key)
                if made and r.random() < 0.2:
                    chosen = r.choice(made)                 # shared with another row
                key += 1
            chosen = 0 if chosen is None and must.get("callchainId") else chosen
            self.db.execute("UPDATE %s SET callchainId = ? WHERE rowid = ?" % table, (chosen, row))

    def samples(self, threads, pool):
        r, rows, span = self.r, [], self.times[-1] - self.times[0]
        for tid in r.sample(threads, r.randint(1, len(threads))):
            period = max(1, span // r.choice([200, 600] if self.dense else [5, 20, 60]))
            t = self.times[0] - r.randint(0, period)
            for _ in range(r.choice([200, 600] if self.dense else [0, 1, 2, 20, 60])):
                t = t + r.randint(0, 2 * period) if r.random() < 0.6 else self.time()
                rows.append((t, tid, r.choice([0, 1, 1, 1, 7])))
        self.disorder(rows)
        self.db.execute("DROP TABLE IF EXISTS COMPOSITE_EVENTS")
        self.db.execute("CREATE TABLE COMPOSITE_EVENTS (id INTEGER NOT NULL PRIMARY KEY, start INTEGER NOT NULL, cpu INTEGER, "
                        "threadState INTEGER, globalTid INTEGER, cpuCycles INTEGER NOT NULL)")
        key = r.choice([1, 1, 1000, 1 << 40])
        for t, tid, cycles in rows:
            self.db.execute("INSERT INTO COMPOSITE_EVENTS VALUES (?, ?, 0, 1, ?, ?)", (key, t, tid, cycles))
            if r.random() < 0.85:
                self.chain("SAMPLING_CALLCHAINS", key, pool)
            key += r.choice([1, 1, 1, 4])

    def scheduling(self, threads):
        r, rows, with_state = self.r, [], self.r.random() < 0.7
        for tid in r.sample(threads, r.randint(1, len(threads))):
            on = r.random() < 0.5
            for t in sorted(self.time() for _ in range(r.choice([0, 1, 2, 10, 30]))):
                state = (r.choice([None, 0, 1, 2, 3, 4, 5, 6, 7, 8, 99]), None)
                rows.append((t, 0, int(on) * r.choice([1, 1, 2]), tid, *(state if with_state else ())))
                on = not on if r.random() < 0.9 else on
        self.disorder(rows)
        self.db.execute("DROP TABLE IF EXISTS SCHED_EVENTS")
        self.db.execute("CREATE TABLE SCHED_EVENTS (start INTEGER NOT NULL, cpu INTEGER NOT NULL, isSchedIn INTEGER NOT NULL, "
                        "globalTid INTEGER%s)" % (", threadState INTEGER, threadBlock INTEGER" if with_state else ""))
        self.db.executemany("INSERT INTO SCHED_EVENTS VALUES (%s)" % ",".join("?" * (6 if with_state else 4)), rows)

    def disorder(self, rows):
        """In order of time, or in none."""
        if self.r.random() < 0.3:
            self.r.shuffle(rows)
        else:
            rows.sort(key=lambda row: row[0])

    def write_chains(self, table, chains):
        r = self.r
        self.db.execute("DROP TABLE IF EXISTS %s" % table)
        self.db.execute("CREATE TABLE %s (id INTEGER NOT NULL, symbol INTEGER NOT NULL, module INTEGER NOT NULL, kernelMode INTEGER, "
                        "unresolved INTEGER, specialEntry INTEGER, originalIP INTEGER, unwindMethod INTEGER, stackDepth INTEGER NOT NULL%s)"
                        % (table, ", PRIMARY KEY (id, stackDepth)" if r.random() < 0.8 else ""))
        rows = [row for chain in chains for row in chain]
        if r.random() < 0.2:
            r.shuffle(rows)
        self.db.executemany("INSERT INTO %s VALUES (?,?,?,?,?,?,?,?,?)" % table, rows)

    def add(self):
        r = self.r
        if not self.times or not self.threads:
            return False
        pool, threads = self.pool(), self.threads + [self.threads[0] & ~0xFFFFFF | 77]
        if r.random() < 0.85 or self.dense:
            self.samples(threads, pool)
        if r.random() < 0.7:
            self.chained(CAK + "RUNTIME", "CUDA_CALLCHAINS", pool)
        if r.random() < 0.7:
            self.chained("OSRT_API", "OSRT_CALLCHAINS", pool)
        if r.random() < 0.7:
            self.scheduling(threads)
        for table, chains in self.chains.items():
            self.write_chains(table, chains)
        self.db.commit()
        return True


def add(seed, path, dense=False):
    """False where the trace has no calls: then there is no thread to look at. dense: hundreds of samples per thread."""
    adder = Adder(seed, path, dense)
    added = adder.add()
    adder.db.close()
    return added
