# SPDX-License-Identifier: MIT
"""Call stacks of the main threads: known code under the host time of --serving, while the GPU is idle."""
import sqlite3

PERIOD, LEAD = 40_000, 1_000
MAIN = [("main", "/srv/engine"), ("serve_step", "/srv/engine")]
# Under the host time of a step, in this order: share of it, and the frames below MAIN.
PLANTED = [(0.5, [("tokenize", "/usr/lib/libtok.so"), ("std::vector<int>::push_back(int&&)", "/usr/lib/libtok.so")]),
           (0.3, [("sort_requests", "/srv/engine")]),
           (0.2, [("0x7f1200", "/usr/lib/libsched.so.2"), ("0x7f1230", "/usr/lib/libsched.so.2")])]
ELSEWHERE = [("run_model", "/srv/engine")]
CHAINS = ("id INTEGER NOT NULL, symbol INTEGER NOT NULL, module INTEGER NOT NULL, kernelMode INTEGER, thumbCode INTEGER, unresolved INTEGER, "
          "specialEntry INTEGER, originalIP INTEGER, unwindMethod INTEGER, stackDepth INTEGER NOT NULL, PRIMARY KEY (id, stackDepth)")
SAMPLES = "id INTEGER NOT NULL PRIMARY KEY, start INTEGER NOT NULL, cpu INTEGER, threadState INTEGER, globalTid INTEGER, cpuCycles INTEGER NOT NULL"

def shown(frame):
    return "(%s)" % frame[1].rsplit("/", 1)[-1] if frame[0].startswith("0x") else frame[0]

def sample_times(begin, end):
    """Samples at the begin and then one per period: each reaches the next, and the last one the end."""
    return range(begin, end, PERIOD)

def thread_samples(hosts, begin, end):
    """(time, frames) of a thread and the planted time by function; hosts: the times in which it kept the GPU waiting."""
    out, sums, at = [], {}, begin
    for n, (a, b) in enumerate(hosts):
        out += [(t, MAIN + ELSEWHERE) for t in sample_times(at, a)]
        at = a
        for i, (share, frames) in enumerate(PLANTED):
            stop = b if i == len(PLANTED) - 1 else at + int((b - a) * share)
            out += [(t, MAIN + frames) for t in sample_times(at, stop)]
            if n: sums[shown(frames[-1])] = sums.get(shown(frames[-1]), 0) + stop - at      # the first is not in a gap
            at = stop
    return out + [(t, MAIN + ELSEWHERE) for t in sample_times(at, end)], sums

def plant_stacks(path, gaps):
    """Add samples to a file; gaps: host time of each step. Returns the planted time of each process by innermost function."""
    db = sqlite3.connect(path); db.text_factory = lambda b: b.decode("utf-8", "replace")
    (free,) = db.execute("SELECT max(id) + 1 FROM StringIds").fetchone(); texts = {}
    def text(s): return texts.setdefault(s, free + len(texts))
    for table, columns in (("COMPOSITE_EVENTS", SAMPLES), ("SAMPLING_CALLCHAINS", CHAINS)):
        db.execute("DROP TABLE IF EXISTS %s" % table); db.execute("CREATE TABLE %s (%s)" % (table, columns))
    starts = {}
    for tid, start in db.execute("SELECT globalTid, start FROM NVTX_EVENTS LEFT JOIN StringIds ON id = textId WHERE coalesce(text, value) = 'schedule' ORDER BY start"):
        starts.setdefault(tid, []).append(start)
    samples, truth = [], {}
    for tid, found in starts.items():
        taken, sums = thread_samples([(s + LEAD, s + g) for s, g in zip(found, gaps)], found[0], found[-1] + gaps[-1] + 10 * PERIOD)
        samples += [(t, tid, frames) for t, frames in taken]; truth[str(tid >> 24 & 0xFFFFFF)] = sums
    for number, (t, tid, frames) in enumerate(sorted(samples, key=lambda x: x[:2]), 1):
        db.execute("INSERT INTO COMPOSITE_EVENTS VALUES (?, ?, 0, 1, ?, 1)", (number, t, tid))
        db.executemany("INSERT INTO SAMPLING_CALLCHAINS VALUES (?, ?, ?, 0, 0, ?, NULL, ?, 7, ?)",
                       [(number, text(f[0]), text(f[1]), int(f[0].startswith("0x")), 4096 + depth, depth) for depth, f in enumerate(reversed(frames))])
    db.executemany("INSERT INTO StringIds VALUES (?, ?)", [(i, s) for s, i in texts.items()])
    db.commit(); db.close()
    return truth
