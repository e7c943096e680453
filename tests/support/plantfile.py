# SPDX-License-Identifier: MIT
"""A generated trace under edit (plant.py): clocks that move its rows in time, and rows that are put in."""
import bisect
import json
import shutil
import sqlite3

CAK = "CUPTI_ACTIVITY_KIND_"
STALE = ("files", "iteration_len_ns", "host_gap_ns")                    # numbers of the generator that an edit makes wrong


# --- clocks: old time -> new time, one per process -----------------------------------------------------------

class Stops:
    """Time stops at points: [(time, length)], in any order. What ends at a point has ended before the stop."""
    def __init__(self, points):
        points = sorted(points)
        self.times, self.before = [t for t, _ in points], [0]
        for _, length in points:
            self.before.append(self.before[-1] + length)

    def start(self, t):
        return t + self.before[bisect.bisect_right(self.times, t)]

    def end(self, t):
        return t + self.before[bisect.bisect_left(self.times, t)]

    def stopped(self, t):
        """Where a stop at t begins."""
        return self.end(t)


class Stretches:
    """From each boundary on time runs at another speed: [(time, factor)]. Before the first it is as it was."""
    def __init__(self, bounds):
        self.times, self.factors = [t for t, _ in bounds], [f for _, f in bounds]
        self.out = [self.times[0]]
        for a, b, factor in zip(self.times, self.times[1:], self.factors):
            self.out.append(self.out[-1] + int((b - a) * factor))

    def start(self, t):
        i = bisect.bisect_right(self.times, t) - 1
        if i < 0:
            return t
        moved = self.out[i] + int((t - self.times[i]) * self.factors[i])
        return min(moved, self.out[i + 1]) if i + 1 < len(self.out) else moved

    end = start


# --- the file ------------------------------------------------------------------------------------------------

class File:
    """A copy of a generated trace, under edit."""
    def __init__(self, source, target):
        with open(source + ".truth.json", encoding="utf-8") as f:
            self.truth = json.load(f)
        if len(self.truth.get("files", [None])) != 1:
            raise SystemExit("plant.py: one file with all ranks, please")
        shutil.copyfile(source, target)
        self.target, self.db = target, sqlite3.connect(target, isolation_level=None)
        self.db.execute("PRAGMA journal_mode=OFF")
        self.db.execute("BEGIN")
        self.tables = [r[0] for r in self.db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        self.processes = [(1 << 24) | pid for pid in self.truth["pids"]]
        self.device = {p: rank for rank, p in enumerate(self.processes)}
        self.bounds = self.truth["iteration_start_ns"]
        self.layouts, self.patterns, self.texts = {}, {}, {}            # of tables, by name; ids of strings
        self.next_id = {p: self.highest_id(p) + 1 for p in self.processes}

    def columns(self, table):
        return [r[1] for r in self.layout(table)] if table in self.tables else []

    def layout(self, table):
        """The rows of table_info, which no edit changes."""
        if table not in self.layouts:
            self.layouts[table] = self.db.execute("PRAGMA table_info(%s)" % table).fetchall()
        return self.layouts[table]

    def timed(self):
        """(table, the column that tells the process) of all tables with rows in time."""
        for table in self.tables:
            columns = self.columns(table)
            who = "globalPid" if "globalPid" in columns else "globalTid" if "globalTid" in columns else None
            if who and "start" in columns:
                yield table, who

    def highest_id(self, process):
        return self.db.execute("SELECT MAX(correlationId) FROM %sRUNTIME WHERE globalTid >> 24 = ?" % CAK, [process]).fetchone()[0]

    def new_id(self, process):
        self.next_id[process] += 1
        return self.next_id[process] - 1

    def first_calls(self, process):
        """The start of each iteration's first CUDA call: nothing of the last iteration is under way any more."""
        starts = [r[0] for r in self.db.execute("SELECT start FROM %sRUNTIME WHERE globalTid >> 24 = ? ORDER BY start" % CAK, [process])]
        return [starts[bisect.bisect_left(starts, b)] for b in self.bounds]

    def extents(self, process):
        """[(first start, last end)] of the CUDA calls of each iteration."""
        rows = self.db.execute("SELECT start, end FROM %sRUNTIME WHERE globalTid >> 24 = ? ORDER BY start" % CAK, [process]).fetchall()
        out = [[] for _ in self.bounds]
        for start, end in rows:
            i = bisect.bisect_right(self.bounds, start) - 1
            if i >= 0:
                out[i].append((start, end))
        return [(calls[0][0], max(end for _, end in calls)) for calls in out]

    def kernels(self, process, name):
        """[rows of one iteration: (rowid, start, end, correlationId)] of the kernels of that short name, by iteration."""
        rows = self.db.execute("SELECT k.rowid, start, end, correlationId FROM %sKERNEL k JOIN StringIds s ON s.id = shortName "
                               "WHERE globalPid >> 24 = ? AND value = ? ORDER BY start, k.rowid" % CAK, [process, name]).fetchall()
        out = [[] for _ in self.bounds]
        for row in rows:
            out[bisect.bisect_right(self.bounds, row[1]) - 1].append(row)
        return out

    def move(self, clocks):
        """Every row to its new time; clocks: {process: clock}."""
        self.patterns.clear()
        self.db.create_function("moved_start", 2, lambda p, t: clocks[p].start(t) if p in clocks and t is not None else t)
        self.db.create_function("moved_end", 2, lambda p, t: clocks[p].end(t) if p in clocks and t is not None else t)
        for table, who in self.timed():
            end = ", end = moved_end(%s >> 24, end)" % who if "end" in self.columns(table) else ""
            self.db.execute("UPDATE %s SET start = moved_start(%s >> 24, start)%s" % (table, who, end))
        clock = clocks[self.processes[0]]
        duration = self.db.execute("SELECT MAX(duration) FROM ANALYSIS_DETAILS").fetchone()[0]
        self.db.execute("UPDATE ANALYSIS_DETAILS SET duration = ?, stopTime = startTime + ?", [clock.end(duration)] * 2)
        self.bounds[:] = [clock.end(b) for b in self.bounds]

    def text(self, value):
        if value not in self.texts:
            self.texts[value] = self.find_text(value)
        return self.texts[value]

    def find_text(self, value):
        found = self.db.execute("SELECT id FROM StringIds WHERE value = ?", [value]).fetchone()
        if found:
            return found[0]
        number = self.db.execute("SELECT MAX(id) + 1 FROM StringIds").fetchone()[0]
        self.db.execute("INSERT INTO StringIds VALUES (?, ?)", [number, value])
        return number

    def add(self, table, **values):
        """One row by column name; other columns are as in some row of the table, or 0 where there must be a value."""
        names, row = self.columns(table), {}
        if not names:
            raise SystemExit("plant.py: the trace has no table %s" % table)
        pattern = self.patterns.get(table)
        if pattern is None:
            pattern = self.patterns[table] = self.db.execute("SELECT * FROM %s LIMIT 1" % table).fetchone()
        for i, (_, name, kind, required, _, is_key) in enumerate(self.layout(table)):
            row[name] = None if is_key else values.get(name, pattern[i] if pattern and required else ("" if kind == "TEXT" else 0) if required else None)
        assert set(values) <= set(names), (table, values)
        self.db.execute("INSERT INTO %s VALUES (%s)" % (table, ",".join("?" * len(names))), [row[n] for n in names])

    def call(self, process, start, end, name):
        """A CUDA call of the main thread; its correlation id."""
        number, pid = self.new_id(process), process & 0xFFFFFF
        self.add(CAK + "RUNTIME", start=start, end=end, globalTid=process << 24 | pid, correlationId=number, nameId=self.text(name), returnValue=0)
        return number

    def push(self, process, start, end, name):
        """A push/pop range of the main thread, in the default domain."""
        self.add("NVTX_EVENTS", start=start, end=end, eventType=59, text=name, globalTid=process << 24 | process & 0xFFFFFF, domainId=0)

    def kernel(self, process, start, end, name, number):
        self.add(CAK + "KERNEL", start=start, end=end, deviceId=self.device[process], streamId=7, correlationId=number, globalPid=process << 24,
                 demangledName=self.text("void planted::%s<(int)4>(float*, int)" % name), shortName=self.text(name), graphNodeId=None)

    def finish(self, entry):
        """Rows in order of start again, and the truth."""
        for table, _ in self.timed():
            self.db.execute("CREATE TEMP TABLE in_order AS SELECT * FROM %s ORDER BY start, rowid" % table)
            for key in (r[1] for r in self.db.execute("PRAGMA table_info(%s)" % table).fetchall() if r[5]):
                self.db.execute("UPDATE in_order SET %s = rowid" % key)
            self.db.execute("DELETE FROM %s" % table)
            self.db.execute("INSERT INTO %s SELECT * FROM in_order ORDER BY rowid" % table)
            self.db.execute("DROP TABLE in_order")
        self.db.execute("COMMIT")
        self.db.close()
        truth = {k: v for k, v in self.truth.items() if k not in STALE}
        truth["planted"] = [*truth.get("planted", []), entry]
        with open(self.target + ".truth.json", "w", encoding="utf-8") as f:
            json.dump(truth, f)
