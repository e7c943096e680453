# SPDX-License-Identifier: MIT
"""Random jobs of several traces: verbs asked of their facts against those of the traces, and merges in any order and grouping.

What facts of a job do not know is listed in docs/facts.md: savings and reasons, which are replayed, and the drift of clocks in
sums, which are on the clock of each rank.
"""
import os
import re
import sqlite3
import subprocess

import planted
import wl

JOBS = (["--ranks", "4", "--layers", "2", "--iters", "6", "--events", "--hosts", "2", "--straggler", "2:1.15"],
        ["--ranks", "8", "--layers", "2", "--iters", "5", "--groups", "2", "--hosts", "2"],
        ["--mesh", "tp=2,pp=1,dp=2", "--layers", "2", "--iters", "6", "--noise", "0.05"],
        ["--ranks", "3", "--layers", "2", "--iters", "30", "--hosts", "3", "--utc-jitter", "2000000", "--late-host", "1:3ms"],
        # communication on the stream that computes, and no rank that is late
        ["--ranks", "2", "--layers", "2", "--iters", "12", "--serving", "--seed", "3"],
        # the steps of a rank with a fast clock are longer than the window of the job
        ["--ranks", "4", "--layers", "2", "--iters", "6", "--seed", "928270246", "--straggler", "3:1.40", "--noise", "0.01",
         "--clock-skew", "5000:20", "--payloads", "2.25"],
        # collectives that are not all matched: a communicator has more ranks than were found
        ["--layers", "1", "--seed", "513821446", "--ranks", "6", "--iters", "3", "--hosts", "2", "--noise", "0.05", "--utc-jitter",
         "2000000", "--env", "slurm", "--payloads", "2.25"],
        # ranks that arrive last by less than clocks of hosts can say, and are not visited
        ["--layers", "1", "--seed", "335549856", "--ranks", "4", "--moe", "--iters", "4"],
        # all communication is inside graph replays that were recorded whole
        ["--layers", "2", "--ranks", "2", "--iters", "3", "--graph", "graph", "--schema", "2026.4"],
        # waits are those of MPI calls; then with two communicators on clocks of their own, and with names and times only
        ["--ranks", "3", "--layers", "2", "--iters", "4", "--mpi", "new", "--straggler", "1:1.30"],
        ["--ranks", "4", "--layers", "2", "--iters", "12", "--mpi", "new", "--groups", "2", "--hosts", "2", "--utc-jitter", "2000000"],
        ["--ranks", "4", "--layers", "2", "--iters", "5", "--mpi", "old", "--noise", "0.05"])
NO_MPI = "MPI calls are not kept in facts"
# Of ranks whose calls are not kept: facts give none of these.
IN_MPI = ("mpi_wait", "lateness", "caused", "alone", "wait_share")
REPLAYED = ("saving", "saving_share", "why", "reason", "slow_steps", "factor", "saving_with")
ACROSS = ("out-of-step", "pipeline-bubble")
# Left out where a rank may be a straggler.
LATE = ("exposed-comm", "straggler", "stream-serialisation")
# A straggler claims what others wait for it in MPI calls.
IDLE_IN_MPI = ("host-starved", "host-sync-idle")
# What fixing a finding saves comes from a replay, which facts cannot do: theirs is the bound, and the severity follows it.
BY_REPLAY = ("saves", "saves_share", "saves_kind", "saves_error", "severity", "fixing")
GIVEN = ("saving", "share", "device", "per", "gpu_time", "window_share")
# Of each verb with its options: columns of which facts of a job hold nothing.
TABLES = {("nccl",): ("context", "stream"), ("nccl", "--list"): ("context", "stream"), ("nccl", "--by", "host"): (),
          ("nccl", "--by", "pp"): (),
          ("overlap",): (), ("overlap", "--by", "iteration"): (), ("overlap", "--by", "host"): (),
          ("iters",): ("range",), ("iters", "--steady"): ("range",), ("iters", "--by", "host"): ("range",)}
PATHS = ("class", "rank", "segment", "rank-class", "name", "stage", "chain")
PART = int(os.environ.get("ORACLE_PART", "1"))      # of the ways to ask for a path one in three, of each job others
WINDOWS = ("steady", "middle", "iter:0", "iter:1", "iter:2", "iter:1..2")
NS = ("wait", "mpi_wait", "transfer", "compute", "idle", "lateness", "caused", "alone", "window", "exposed_copy", "idle_host", "idle_launch",
      "idle_sync", "idle_queued", "idle_other")


def options_of(r):
    """The options of a random job for gen_trace.py, which splits it by rank."""
    ranks = r.choice((2, 3, 4, 4, 6))
    out = ["--layers", r.randint(1, 3), "--seed", r.randint(1, 1 << 30)]
    kind = r.choice(("plain", "plain", "plain", "groups", "mesh", "moe", "mpi"))
    if kind == "mesh":
        ranks = 4
        out += ["--mesh", r.choice(("tp=2,pp=1,dp=2", "tp=1,pp=2,dp=2", "tp=2,pp=2,dp=1"))]
    elif kind == "moe":
        ranks = 4
        out += ["--ranks", ranks, "--moe"]
    elif kind == "mpi":
        out += ["--ranks", ranks, "--mpi", r.choice(("new", "new", "old"))]
    else:
        ranks = 4 if kind == "groups" else ranks
        out += ["--ranks", ranks] + (["--groups", 2] if kind == "groups" else [])
    out += ["--iters", r.randint(3, 9)]
    if r.random() < 0.6:
        out += ["--hosts", r.choice([n for n in range(1, ranks + 1) if ranks % n == 0])]
    if kind != "moe":
        for option, chance, value in (
                ("--straggler", 0.4, "%d:%.2f" % (r.randrange(ranks), r.uniform(1.05, 1.5))),
                ("--noise", 0.4, r.choice((0.01, 0.05, 0.2))),
                ("--utc-jitter", 0.3, r.choice((1000, 2000000))), ("--clock-skew", 0.3, r.choice(("2000000", "5000:20"))),
                ("--env", 0.3, r.choice(("torchrun", "ompi", "slurm")))):
            if r.random() < chance:
                out += [option, value]
        if kind == "plain":
            out += r.choice(([], [], ["--graph", "node"], ["--graph", "graph", "--schema", "2026.4"], ["--payloads", "2.25"],
                             ["--events"], ["--schema", "2026.4"]))
    return [str(o) for o in out]


def drift_of(options):
    """Parts in a million between the fastest and the slowest clock of --clock-skew OFFSET:PPM."""
    skew = options[options.index("--clock-skew") + 1] if "--clock-skew" in options else ""
    return 2 * int(skew.split(":")[1]) if ":" in skew else 0


def row_differences(want, got, by, drifted):
    """Cells that differ; times by more than a rounding and the nanoseconds that clocks drift apart during the job."""
    bad = [] if len(want) == len(got) else ["--by %s: %d rows, of the traces %d" % (by, len(got), len(want))]
    for i, (a, b) in enumerate(zip(want, got)):
        named = by.split()[0] == "rank" and a["saving"] is not None
        for key in a:
            if key in REPLAYED and named:
                continue
            is_time = key in NS and a[key] is not None and b[key] is not None
            close = is_time and abs(a[key] - b[key]) <= 2 + abs(a[key]) // 5000 + drifted
            if a[key] != b[key] and not close:
                bad.append("--by %s, row %d, %s: %s, of the traces %s" % (by, i, key, b[key], a[key]))
    return bad


def finding_differences(job, facts, drifted):
    """Findings of a job that have a saving: each row and each cell that facts give."""
    want, got = (wl.run("findings", path, "--all")[1] for path in (job, facts))
    said = " ".join(note for note in got["notes"])
    suspects = [note for note in wl.run("ranks", facts)[1]["notes"] if "arrives after the median rank" in note]
    if suspects != [note for note in got["notes"] if "arrives after the median rank" in note]:
        return ["findings: notes %s, of ranks %s" % (got["notes"], suspects)]
    left_out = ACROSS if "no rank is a straggler" in said else ACROSS + LATE
    left_out += IDLE_IN_MPI if "ranks may wait in MPI calls" in said else ()
    rows = {(row["code"], row["subject"]): row for row in want["rows"] if row["saving"] is not None and row["code"] not in left_out}
    bad = []
    for row in got["rows"]:
        a = rows.pop((row["code"], row["subject"]), None)
        if a is None:
            bad.append("findings: %s %s is not of the traces" % (row["code"], row["subject"]))
            continue
        for key, value in row.items():
            if value is None or value == a[key] or key in BY_REPLAY:
                continue
            apart = abs(value - a[key]) if isinstance(value, (int, float)) else 1 << 62
            if apart > ((1e-4 if drifted else 1e-12) if isinstance(value, float) else drifted):
                bad.append("findings: %s, %s: %s, of the traces %s" % (row["code"], key, value, a[key]))
        bad += ["findings: %s has no %s" % (row["code"], key) for key in GIVEN if row[key] is None]
    bad += ["findings: %s %s is not of the facts" % key for key in rows if key[0] + " is left out" not in said]
    if drifted == 0 and want["coverage"] != got["coverage"]:
        bad.append("findings: coverage %s, of the traces %s" % (got["coverage"], want["coverage"]))
    return bad


def is_near(a, b, drifted):
    """Equal; where clocks drift, as near as they are."""
    if a == b or drifted == 0 or not isinstance(a, (int, float)) or not isinstance(b, (int, float)):
        return a == b
    return abs(a - b) <= (2 + abs(a) // 5000 + drifted if isinstance(a, int) else 2e-3 * max(1, abs(a)))


def notes_of(answer):
    """What is said of steps, periods and the window; these notes facts have, too."""
    return [note for note in answer["notes"] if any(word in note for word in ("step", "period", "iteration", "window"))]


def table_differences(job, facts, asked, drifted, window=()):
    """Cells of a table that facts give, against those of the traces; others are empty. Rows are in the same order, unless clocks
    drift, which can change the places of rows that are almost alike. Notes about steps are the same."""
    (status, want), (got_status, got) = (wl.run(asked[0], path, *asked[1:], *window, "-n", "0") for path in (job, facts))
    what = " ".join(asked + window)
    if status != got_status:
        return ["%s: exit %d, of the traces %d" % (what, got_status, status)]
    if status != 0:
        return []
    rows, mine = want["rows"], got["rows"]
    if len(rows) != len(mine):
        return ["%s: %d rows, of the traces %d" % (what, len(mine), len(rows))]
    if drifted:
        names = [key for key in ("match", "device", "host", "iter", "type", "communicator") if rows and key in rows[0]]
        rows, mine = (sorted(t, key=lambda row: [str(row[name]) for name in names]) for t in (rows, mine))
    bad = []
    for i, (a, b) in enumerate(zip(rows, mine)):
        for key in a:
            is_left_out = key in TABLES[asked]
            if b[key] is not None if is_left_out else not is_near(a[key], b[key], drifted):
                bad.append("%s, row %d, %s: %s, of the traces %s" % (what, i, key, b[key], a[key]))
    if drifted == 0 and want["coverage"] != got["coverage"]:
        bad.append("%s: coverage %s, of the traces %s" % (what, got["coverage"], want["coverage"]))
    if drifted == 0 and (notes_of(want) != notes_of(got) or want.get("step") != got.get("step")):
        bad.append("%s: notes %s, of the traces %s" % (what, notes_of(got), notes_of(want)))
    return bad


def verdict_differences(job, facts, in_groups):
    """Each rank that the traces name is suspected by the facts; without a suspect both say that there is no straggler. Of a suspect the
    note says what the median of all others has less, where all ranks are one group."""
    want, got = (wl.run("ranks", path)[1] for path in (job, facts))
    none = "no straggler: no rank costs 1% of the run"
    # Hosts that no collective ties together are groups, too.
    in_groups = in_groups or any("some host clocks are aligned by UTC only" in note for note in want["notes"])
    said = [re.match(r"rank (\d+)( may be a straggler: it)? arrives after the median rank", note) for note in got["notes"]]
    suspects = {int(m.group(1)): m.string for m in said if m}
    named = [row["rank"] for row in want["rows"] if row["saving"] is not None]
    bad = ["rank %d is named by the traces, and not suspected" % rank for rank in named if rank not in suspects]
    if none in got["notes"] and none not in want["notes"]:
        bad.append("facts say that there is no straggler, and the traces do not")
    for key, word in (("compute", "computes"), ("exposed_copy", "copies are exposed")):
        for rank, note in suspects.items():
            found = re.search(word + r" ([\d.]+) (ns|us|ms|s) longer", note)
            if not found or in_groups:
                continue
            others = sorted(row[key] for row in want["rows"] if row["rank"] != rank)
            own = next(row[key] for row in want["rows"] if row["rank"] == rank) - others[(len(others) + 1) // 2 - 1]
            if abs(float(found.group(1)) * {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[found.group(2)] - own) > own * 1e-3 + 10:
                bad.append("rank %d %s %s %s longer, by the traces %d ns" % (rank, word, found.group(1), found.group(2), own))
    return bad


def path_differences(job, facts, window=(), i=0):
    """The critical path, which opens the traces that it visits: each cell of the path of all traces, but for means over all GPUs
    and ranks that it does not visit. Then once more without the traces that were not opened."""
    bad, others = [], []
    ways = PATHS[:3] if window else PATHS
    for by in ways[i % 3::3] if PART > 1 else ways:
        (status, want), (got_status, got) = (wl.run("path", path, "--by", by, *window) for path in (job, facts))
        if status != 0 or got_status != 0:
            bad += [] if status == got_status else ["path --by %s: exit %d, of the traces %d" % (by, got_status, status)]
            continue
        opened = next(note for note in got["notes"] if re.match(r"opened \d+ of \d+ traces, those that the critical path runs through: ", note))
        if ", ..." not in opened:
            names = opened.split(": ")[1].split(", ")
            others = [name for name in os.listdir(job) if name.endswith(".sqlite") and name not in names]
        rows = {row["rank"] for row in got["rows"]} if by == "rank" else None
        rows = [row for row in want["rows"] if rows is None or row["rank"] in rows or row["time"]]
        if len(rows) != len(got["rows"]):
            bad.append("path --by %s: %d rows, of the traces %d" % (by, len(got["rows"]), len(rows)))
        for i, (a, b) in enumerate(zip(rows, got["rows"])):
            bad += ["path --by %s, row %d, %s: %s, of the traces %s" % (by, i, key, b[key], a[key])
                    for key in a if a[key] != b[key] and key not in ("mean", "imbalance")][:3]
    if others and not bad and not window:
        before = wl.run("path", facts, "--by", "segment")[1]["rows"]
        away = os.path.join(job, "away")
        os.makedirs(away)
        for name in others:
            os.rename(os.path.join(job, name), os.path.join(away, name))
        status, after = wl.run("path", facts, "--by", "segment")
        bad += [] if status == 0 and after["rows"] == before else ["path needs traces that it does not visit: exit %d" % status]
        for name in others:
            os.rename(os.path.join(away, name), os.path.join(job, name))
        os.rmdir(away)
    return bad


# Of sections of documents: columns of which facts of a job hold nothing. Sections that are not listed are left out, and say so.
SECTIONS = {"files": ("file", "duration"), "clocks": (), "budget": (), "overlap": (), "iters": ("range",), "ranks": REPLAYED,
            "nccl": ("context", "stream"), "processes": ("name", "rank_from", "threads", "kernels", "calls"),
            "gpus": ("pid", "ordinal", "memory", "sms", "clock_mhz", "compute_capability", "bandwidth", "bus", "gpu_id")}


def document_differences(job, facts, verb, drifted, window=()):
    """Sections of info and summary, by order of rows but for files, which facts list by rank."""
    (status, want), (got_status, got) = (wl.run(verb, path, *window, "-n", "0") for path in (job, facts))
    what = " ".join((verb,) + window)
    if status != got_status:
        return ["%s: exit %d, of the traces %d" % (what, got_status, status)]
    if status != 0:
        return []
    bad = [] if len(want["sections"]) == len(got["sections"]) else ["%s: other sections" % what]
    for a, b in zip(want["sections"], got["sections"]):
        name = a["analysis"]
        if "rows" not in b:
            is_said = "not kept in facts" in b["missing"] and (name not in SECTIONS or "rows" not in a)
            bad += [] if is_said else ["%s: %s: %s" % (what, name, b["missing"])]
            continue
        if name not in SECTIONS or drifted:
            continue
        rows, mine = a["rows"], b["rows"]
        if name == "files":
            rows, mine = (sorted(t, key=lambda row: str(row["rank"])) for t in (rows, mine))
        bad += [] if len(rows) == len(mine) else ["%s: %s: %d rows, of the traces %d" % (what, name, len(mine), len(rows))]
        for i, (x, y) in enumerate(zip(rows, mine)):
            bad += ["%s: %s, row %d, %s: %s, of the traces %s" % (what, name, i, key, y[key], x[key]) for key in x
                    if (y[key] is not None if key in SECTIONS[name] and name != "ranks" else x[key] != y[key] and key not in SECTIONS[name])]
    return bad


def diff_differences(job, facts):
    """A rank against the whole job, of traces and of facts: verdict, parts of a step, and ranks."""
    one = sorted(name for name in os.listdir(job) if name.endswith(".sqlite"))[0]
    sides = ((os.path.join(job, one), job), (os.path.join(facts, one.replace(".sqlite", ".wlfacts")), facts))
    (status, want), (got_status, got) = (wl.run("diff", *side, "-n", "0") for side in sides)
    if status != got_status or status != 0:
        return [] if status == got_status else ["diff: exit %d, of the traces %d" % (got_status, status)]
    tables, mine = ({s["analysis"]: s.get("rows") for s in answer["sections"]} for answer in (want, got))
    return ["diff: %s: %s, of the traces %s" % (name, mine.get(name), tables.get(name)) for name in ("verdict", "budget", "ranks")
            if mine.get(name) != tables.get(name)]


def merge(files, target):
    subprocess.run([wl.WARPLENS, "facts", "merge", *files, "-o", target], check=True, stdout=subprocess.DEVNULL)
    with open(target, "rb") as f:
        return f.read()


def merge_grouped(r, files, directory, depth=0):
    """Merge a random tree over the files, some of them twice; the bytes of the result."""
    files = files + r.sample(files, r.randrange(len(files))) if depth == 0 else list(files)
    r.shuffle(files)
    groups = [files[i::2] for i in range(2)] if len(files) > 2 and depth < 3 and r.random() < 0.7 else []
    names = []
    for i, group in enumerate(groups):
        names.append(os.path.join(directory, "merged-%d-%d.wlfacts" % (depth, i)))
        content = merge_grouped(r, group, directory, depth + 1)
        with open(names[-1], "wb") as f:
            f.write(content)
    return merge(names or files, os.path.join(directory, "merged-%d.wlfacts" % depth))


def check_merges(r, files, directory, times=3):
    """The same bytes each time."""
    os.makedirs(directory, exist_ok=True)
    first = merge(files, os.path.join(directory, "all.wlfacts"))
    differs = any(merge_grouped(r, files, directory) != first for _ in range(times))
    return ["merged in another order: other bytes"] if differs else []


def write_facts(job):
    """The directory of the facts of a job, which lies in that of the traces."""
    facts = os.path.join(job, "facts")
    os.makedirs(facts)
    subprocess.run([wl.WARPLENS, "facts", job, "-o", facts], check=True, stdout=subprocess.DEVNULL)
    return facts


def add_barriers(trace, n):
    """So many calls of MPI_Barrier more, before all others."""
    with sqlite3.connect(trace) as db:
        name, = db.execute("select id from StringIds where value = 'MPI_Barrier'").fetchone()
        tid, = db.execute("select globalTid from MPI_RANKS").fetchone()
        db.executemany("insert into MPI_OTHER_EVENTS values (?, ?, ?, ?)", ((100 * i, 100 * i + 7 + i % 50, tid, name) for i in range(n)))
    db.close()


def check_crowded(directory):
    """Ranks with more MPI calls than facts have room for: what hangs on them is empty, which is said; exit statuses are those of the
    traces. With few enough calls all cells are there."""
    bad = []
    for n in (2000, 20000):
        job = os.path.join(directory, "job%d" % n)
        planted.run("gen_trace.py", "-o", job, "--split", "--ranks", "2", "--layers", "2", "--iters", "4", "--mpi", "new")
        for name in os.listdir(job):
            if name.endswith(".sqlite"):
                add_barriers(os.path.join(job, name), n)
        facts, crowded = write_facts(job), n > 2000
        bad += ["%d barriers: %d bytes of facts" % (n, os.path.getsize(os.path.join(facts, name))) for name in os.listdir(facts)
                if os.path.getsize(os.path.join(facts, name)) > 60000 + 8 * 1000]
        want, got = (wl.run("ranks", path)[1] for path in (job, facts))
        if any(note.startswith(NO_MPI) for note in got["notes"]) != crowded:
            bad.append("%d barriers: notes %s" % (n, got["notes"]))
        for a, b in zip(want["rows"], got["rows"]):
            bad += ["%d barriers, %s: %s, of the traces %s" % (n, key, b[key], a[key]) for key in IN_MPI
                    if b[key] is not None if crowded or a[key] != b[key]]
        for asked in (("nccl",), ("nccl", "--by", "pp"), ("nccl", "--by", "host")):
            statuses = [wl.run(asked[0], path, *asked[1:])[0] for path in (job, facts)]
            bad += [] if statuses[0] == statuses[1] else ["%d barriers, %s: exits %s" % (n, " ".join(asked), statuses)]
    return bad


def check_job(options, directory, r=None, i=0):
    """A generated job."""
    job = os.path.join(directory, "job")
    planted.run("gen_trace.py", "-o", job, "--split", *options)
    return compare_job(job, directory, options, r, i)


def compare_job(job, directory, options=(), r=None, i=0):
    """ranks of a job of traces, of the facts of each of them, and of these merged."""
    facts = write_facts(job)
    bad, drifted = [], 0
    # everything, and one window of each job; with ORACLE_PART every other job has the window alone
    windows = [()] + [("--window", w) for w in ([r.choice(WINDOWS)] if r else [WINDOWS[i % len(WINDOWS)]])]
    for window in windows[1:] if PART > 1 and not r and i % 2 and drift_of(options) == 0 else windows:
        for by in ("rank", "step", "pp", "tp"):
            (status, want), (got_status, got) = (wl.run("ranks", path, "--by", by, *window) for path in (job, facts))
            if status != got_status:
                bad.append("ranks --by %s %s: exit %d, of the traces %d" % (by, " ".join(window), got_status, status))
            if status or got_status:            # ranks without such a coordinate
                continue
            if by == "rank" and not window:
                drifted = drift_of(options) * max(row["window"] for row in want["rows"]) // 1000000
            bad += row_differences(want["rows"], got["rows"], by + " " + " ".join(window), drifted)
            bad += ["ranks --by %s: %s" % (by, note) for note in got["notes"] if note.startswith(NO_MPI)]
        for asked in TABLES:
            bad += table_differences(job, facts, asked, drifted, window)
        for verb in ("info", "summary"):
            bad += document_differences(job, facts, verb, drifted, window if verb == "summary" else ())
    bad += diff_differences(job, facts) if drifted == 0 else []
    bad += verdict_differences(job, facts, {"--groups", "--mesh", "--moe", "--mpi"} & set(options))
    bad += path_differences(job, facts, i=i)
    bad += path_differences(job, facts, windows[1], i) if drifted == 0 else []
    bad += finding_differences(job, facts, drifted)
    if r:
        files = sorted(os.path.join(facts, name) for name in os.listdir(facts))
        merged = os.path.join(directory, "merged")
        bad += check_merges(r, files, merged)
        for by in ("rank", "step"):
            apart, one = (wl.run("ranks", path, "--by", by)[1]["rows"] for path in (facts, os.path.join(merged, "all.wlfacts")))
            bad += ["--by %s: the merged file says something else" % by] if apart != one else []
        for asked in TABLES:
            apart, one = (wl.run(asked[0], path, *asked[1:]) for path in (facts, os.path.join(merged, "all.wlfacts")))
            same = apart[0] == one[0] and (apart[0] != 0 or apart[1]["rows"] == one[1]["rows"])
            bad += [] if same else ["%s: the merged file says something else" % " ".join(asked)]
    return bad
