# SPDX-License-Identifier: MIT
"""Small traces of processes that communicate, with the truth of which one waits for which.

make(seed, path) returns {(device, stream, type): sums} where a row that must not be matched has None. One GPU per process.
Traps: several communicators of one type whose messages take different times, a process in two of them (rows and columns of
a mesh), streams with other numbers in each process, a communicator of one member, members that begin late or end early,
ends that differ by up to a microsecond, matches in which two arrive at once, ranks that compute for different times.
Ends of different communicators are tens of microseconds apart at least, so that nobody can take one for another.
"""
import random
import sqlite3

NAMES = {"AllReduce": "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096>)",
         "AllGather": "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096>)",
         "ReduceScatter": "ncclDevKernel_ReduceScatter_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096>)"}
TABLES = {
    "CUPTI_ACTIVITY_KIND_KERNEL": "start end deviceId contextId streamId correlationId globalPid demangledName shortName",
    "CUPTI_ACTIVITY_KIND_RUNTIME": "start end eventClass globalTid correlationId nameId returnValue", "StringIds": "id value"}
COLUMNS = ("transfer", "wait_all", "late", "last", "caused", "alone")
APART = 40_000                          # between ends of different communicators; the tolerance is a few microseconds


class Process:
    def __init__(self, number, r):
        self.device, self.pid = number, 100 + 7 * number
        self.gpid = (1 << 48) | (self.pid << 24)
        numbers = sorted(r.sample(range(7, 60), 3))
        self.compute, self.comm = numbers[0], numbers[1:]   # the two streams of communication, in order
        self.now = 1_000_000 + r.randint(0, 5000)           # when its compute stream is free
        self.free = {}                                      # stream: when it is free
        self.id = 0


class Maker:
    def __init__(self, seed):
        self.r = random.Random("comm %d" % seed)
        self.rows = {t: [] for t in TABLES}
        self.strings = {}
        self.processes = [Process(i, self.r) for i in range(self.r.choice([2, 3, 4, 4, 6]))]
        self.matches = []                                   # (type, [(process, stream, start, end)]) that must match
        self.used = []                                      # ends so far

    def text(self, value):
        return self.strings.setdefault(value, len(self.strings) + 1)

    def kernel(self, p, stream, start, end, name):
        p.id += 1
        self.rows["CUPTI_ACTIVITY_KIND_RUNTIME"].append((start - 9000, start - 5000, 0, p.gpid | p.pid, p.id, self.text("cudaLaunchKernel_v7000"), 0))
        self.rows["CUPTI_ACTIVITY_KIND_KERNEL"].append((start, end, p.device, 1, stream, p.id, p.gpid, self.text(name), self.text(name.split("(")[0])))

    def compute(self, p, length):
        self.kernel(p, p.compute, p.now, p.now + length, "ampere_sgemm_128x64_tn")
        p.now += length + 900

    def collective(self, kind, members, role, transfer):
        """Members arrive when their compute is done; all leave together, up to a microsecond apart."""
        r, arrived = self.r, []
        for p in members:
            arrived.append(max(p.now, p.free.get(p.comm[role], 0)) + r.randint(0, 200))
        if len(arrived) > 1 and r.random() < 0.2:
            arrived[1] = max(arrived[:2])                   # two at once, perhaps last
            arrived[0] = arrived[1]
        end = max(arrived) + transfer
        while any(abs(end - other) < APART for other in self.used):
            end += APART
        self.used.append(end)
        match = []
        for p, start in zip(members, arrived):
            own = end + r.choice([0, 0, r.randint(-1000, 1000)])
            self.kernel(p, p.comm[role], start, own, NAMES[kind])
            p.now, p.free[p.comm[role]] = own + 700, own + 700
            match.append((p, p.comm[role], start, own))
        self.matches.append((kind, match))

    def communicators(self):
        """[(type, role of the stream, members, transfer)]."""
        r, ps = self.r, self.processes
        half = len(ps) // 2
        rows = [ps[:half], ps[half:]] if len(ps) > 2 and r.random() < 0.7 else [ps]
        if len(ps) == 4 and r.random() < 0.3:
            rows = [ps[:3], ps[3:]]                         # one is alone
        out = [("AllReduce", 0, members, transfer) for members, transfer in zip(rows, r.sample([60_000, 200_000, 700_000], len(rows)))]
        if len(ps) in (4, 6) and len(rows) == 2 and len(rows[0]) == len(rows[1]) and r.random() < 0.6:
            kind = r.choice(["AllReduce", "AllGather"])     # the columns of the mesh, on a stream of their own
            out += [(kind, 1, list(pair), 90_000) for pair in zip(*rows)]
        elif r.random() < 0.5:
            out.append(("ReduceScatter", r.choice([0, 1]), ps, 110_000))
        return out

    def run(self):
        r = self.r
        slow = r.choice(self.processes)
        for p in self.processes:                            # both streams communicate somewhere, so that orders are told
            p.free = {s: 0 for s in p.comm}
        communicators = self.communicators()
        for _ in range(r.randint(20, 40)):
            for kind, role, members, transfer in communicators:
                for p in members:
                    self.compute(p, int(r.randint(50_000, 90_000) * (1.3 if p is slow else 1)))
                self.collective(kind, members, role, transfer + r.randint(0, 9000))

    def cut(self):
        """Some process begins later or ends earlier than the others: what was in its first or last part is gone."""
        r = self.r
        if r.random() < 0.6:
            return
        p, table = r.choice(self.processes), "CUPTI_ACTIVITY_KIND_KERNEL"
        mine = sorted(row[0] for row in self.rows[table] if row[6] == p.gpid)
        at = mine[r.choice([len(mine) // 6, len(mine) * 5 // 6])]
        begins = at < mine[len(mine) // 2]
        def gone(gpid, start):
            return gpid == p.gpid and (start < at if begins else start >= at)
        self.rows[table] = [row for row in self.rows[table] if not gone(row[6], row[0])]
        # a match that lost a member is none: the others of it are unmatched too
        self.matches = [(kind, match) for kind, match in self.matches if not any(gone(q.gpid, start) for q, _, start, _ in match)]

    def truth(self):
        kinds, out = {name: kind for kind, name in NAMES.items()}, {}
        for row in self.rows["CUPTI_ACTIVITY_KIND_KERNEL"]:
            name = next(n for n, i in self.strings.items() if i == row[7])
            if name in kinds:
                out[row[2], row[4], kinds[name]] = None
        for kind, match in self.matches:
            if len(match) < 2:
                continue
            starts, shortest = sorted(start for _, _, start, _ in match), min(end - start for _, _, start, end in match)
            last = min((p.device, stream) for p, stream, start, _ in match if start == starts[-1])
            for p, stream, start, end in match:
                key = p.device, stream, kind
                row = out[key] = out[key] or {**dict.fromkeys(COLUMNS, 0), "group": sorted(q.device for q, _, _, _ in match)}
                mine = (p.device, stream) == last
                for column, value in zip(COLUMNS, (shortest, end - start - shortest, starts[-1] - start, int(mine),
                                                   sum(starts[-1] - s for s in starts) if mine else 0, starts[-1] - starts[-2] if mine else 0)):
                    row[column] += value
        return out

    def write(self, path):
        self.rows["StringIds"] = [(i, v) for v, i in self.strings.items()]
        db = sqlite3.connect(path, isolation_level=None)
        db.execute("PRAGMA journal_mode = OFF")
        db.execute("BEGIN")
        for table, columns in TABLES.items():
            names = columns.split()
            db.execute("CREATE TABLE %s (%s)" % (table, ", ".join('"%s"' % n for n in names)))
            self.r.shuffle(self.rows[table])
            db.executemany("INSERT INTO %s VALUES (%s)" % (table, ", ".join("?" * len(names))), self.rows[table])
        db.execute("COMMIT")
        db.close()


def make(seed, path):
    maker = Maker(seed)
    maker.run()
    maker.cut()
    truth = maker.truth()
    maker.write(path)
    return truth
