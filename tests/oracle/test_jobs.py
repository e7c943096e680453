#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Jobs: `nccl`, `nccl --list`, `ranks` and `info` of the program against the oracle, on random jobs.

ORACLE_SEEDS=n sets how many (100), ORACLE_BASE=n the first seed, VERBS=nccl,info which verbs are asked (all; `list` is `nccl --list`).
Columns that an answer does not have are counted, not demanded.
"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "jobs"))
import clocks  # noqa: E402
import group_clocks  # noqa: E402
import intervals  # noqa: E402
import job as jobs  # noqa: E402
import lines  # noqa: E402
import payload  # noqa: E402
import random_jobs  # noqa: E402
import ranks  # noqa: E402
import waits  # noqa: E402
import wl  # noqa: E402

SUMS = ("transfer", "wait_all", "late", "caused", "alone", "last")
VERBS = [v for v in os.environ.get("VERBS", "").split(",") if v]
# Jobs whose MPI_Barriers are so few that a clock fitted a little otherwise makes other groups of them: which of equal hosts leads, clocks
# that are kept, and how times are rounded; and one whose hosts meet in a circle.
RARE = (21064, 21349, 21618, 22172)
MOST = 1000                                                 # a job takes a second, other random traces a tenth of it
absent = {}


class Expected:
    """What the oracle says of a job, and how far clocks allow an answer to differ."""
    def __init__(self, paths):
        self.job = jobs.Job(paths)
        self.source = ranks.assign(self.job)
        clocks.settle(self.job)                             # how far clocks are off
        group_clocks.settle(self.job)
        self.skewed = len({p.host for p in self.job.processes}) > 1
        self.margin = 2 * max(self.job.eps, *self.job.residuals.values(), 0) + 60 if self.skewed else 0
        self.rank_of_pid, self.renamed = {p.pid: p.rank for p in self.job.processes}, {}

    def stretch(self, duration):
        """How far a drifting clock may change a duration: lengths can be told on the file's clock or on the job's."""
        return 2 + duration // 10_000 if self.skewed else 0

    def rename(self, processes):
        """Ranks by order count from the first process of the first file, and which file is the first is open: host and pid decide."""
        has_hosts = all("host" in r for r in processes)       # left out where pids are distinct
        mine = {(p.host[:2] if has_hosts else None, p.pid): p.rank for p in self.job.processes}
        theirs = {(("host", r["host"]) if has_hosts else None, r["pid"]): r["rank"] for r in processes if r["rank"] is not None}
        if self.source == "order" and set(mine) == set(theirs):
            self.renamed = {theirs[key]: rank for key, rank in mine.items()}

    def rank(self, row):
        rank = row["rank"] if row.get("rank") is not None else self.rank_of_pid.get(row.get("pid"))
        return self.renamed.get(rank, rank)

    def sums(self):
        """(rank, type) -> sums over its matches, and the part of each sum that the clocks leave open."""
        out = {}
        for m in self.job.matches:
            transfer, last, caused, alone = waits.of_match(m)
            doubt = self.skewed and alone <= self.margin
            for c in m.row:
                row = out.setdefault((c.member.rank, c.kind), {"calls": 0, "open": 0, "open_last": 0, "stretch": 0, **dict.fromkeys(SUMS, 0)})
                row["calls"] += 1
                row["transfer"] += transfer
                row["wait_all"] += c.dur - transfer
                row["late"] += last.start - c.start
                row["open"] += self.margin * len(m.row) + (caused if doubt else 0)
                row["stretch"] += self.stretch(c.dur + transfer)
                row["open_last"] += doubt
                if c is last:
                    row["caused"], row["alone"], row["last"] = row["caused"] + caused, row["alone"] + alone, row["last"] + 1
        return out


def close(got, want, allowed):
    return got is not None and abs(got - want) <= allowed


def check_sums(expected, rows):
    """`nccl`: rows of one rank and type added up."""
    want, got = expected.sums(), {}
    for row in rows:
        if row.get("group") is None and not row.get("late") and not row.get("wait_all"):
            continue                                        # not matched: nothing to compare
        into = got.setdefault((expected.rank(row), row["type"]), dict.fromkeys(SUMS, 0))
        for key in SUMS:
            into[key] += row.get(key) or 0
    out = ["rank %s %s: not in warplens" % k for k in want if k not in got] + ["rank %s %s: only in warplens" % k for k in got if k not in want]
    for key, row in want.items():
        for name in SUMS if key in got else ():
            allowed = row["open_last"] if name == "last" else row["open"] if name in ("late", "caused", "alone") else row["stretch"]
            if not close(got[key][name], row[name], allowed):
                out.append("rank %s %s %s: warplens %s, oracle %s" % (*key, name, got[key][name], row[name]))
    return out


def listed(expected, rows):
    """Rank -> its matched operations in order of arrival: (arrival, type, dur, transfer, wait, late, last, ranks of the match)."""
    members, out = {}, {}
    for row in rows:
        members.setdefault(row["match"], []).append(expected.rank(row))
    for row in rows:
        out.setdefault(expected.rank(row), []).append((row["arrival"], row["type"], row["dur"], row["transfer"], row["wait_all"], row["late"],
                                                       row["last"], sorted(members[row["match"]])))
    return {rank: sorted(found, key=lambda r: (r[0], r[1], r[2])) for rank, found in out.items()}


def oracle_list(expected):
    out = {}
    for m in expected.job.matches:
        transfer, last, _, alone = waits.of_match(m)
        for c in m.row:
            out.setdefault(c.member.rank, []).append((c.start, c.kind, c.dur, transfer, c.dur - transfer, last.start - c.start,
                                                      None if expected.skewed and alone <= expected.margin else int(c is last),
                                                      sorted(d.member.rank for d in m.row)))
    return {rank: sorted(found, key=lambda r: (r[0], r[1], r[2])) for rank, found in out.items()}


def check_list(expected, rows):
    """`nccl --list`: every match with its members, arrivals and who was last."""
    got, want, out = listed(expected, rows), oracle_list(expected), []
    for rank in sorted(set(got) | set(want)):
        mine, theirs = want.get(rank, []), got.get(rank, [])
        if len(mine) != len(theirs):
            out.append("rank %s: warplens matches %d operations, oracle %d" % (rank, len(theirs), len(mine)))
            continue
        for i, (w, g) in enumerate(zip(mine, theirs)):
            wrong = [k for k in (1, 7) if w[k] != g[k]] + [k for k in (2, 3, 4) if abs(w[k] - g[k]) > expected.stretch(w[2])]
            wrong += [] if abs(w[5] - g[5]) <= expected.margin else [5]
            wrong += [] if w[6] is None or w[6] == g[6] else [6]
            if wrong:
                out.append("rank %s, operation %d: warplens %s, oracle %s" % (rank, i, g[1:], w[1:]))
    return out or check_payloads(expected, rows)


def by_arrival(pairs):
    """Rank -> its operations in the order of listed(): what they are sorted by, then the thing itself."""
    out = {}
    for rank, key, thing in pairs:
        out.setdefault(rank, []).append((key, thing))
    return {rank: [thing for _, thing in sorted(found, key=lambda f: f[0])] for rank, found in out.items()}


def check_payloads(expected, rows):
    """`nccl --list`: communicator, size, bytes and bandwidths, where the answer has them; the operations are equal already."""
    out = []
    want = by_arrival((c.member.rank, (c.start, c.kind, c.dur), (c, len(m.row))) for m in expected.job.matches for c in m.row)
    got = by_arrival((expected.rank(row), (row["arrival"], row["type"], row["dur"]), row) for row in rows)
    for rank, row, (c, members) in ((rank, *pair) for rank in want for pair in zip(got[rank], want[rank])):
        if c.kind.startswith("MPI_"):
            continue
        name = "0x%016x" % c.comm if isinstance(c.comm, int) else None
        size = payload.size_of_communicator(expected.job, c.comm) or members
        whole = None if c.bytes is None else c.bytes * (1 if c.kind == "AllReduce" else size)
        speed = whole / row["transfer"] * 1e9 if whole and row["transfer"] else None
        bus = None if speed is None else speed * (2 if c.kind == "AllReduce" else 1) * (size - 1) / size
        for key, value in (("communicator", name), ("bytes", c.bytes), ("size", size), ("algbw", speed), ("busbw", bus)):
            if key not in row:
                absent["list." + key] = absent.get("list." + key, 0) + 1
            elif row[key] != value and not (key.endswith("bw") and row[key] and value and abs(row[key] / value - 1) < 1e-6):
                out.append("rank %s %s %s: warplens %s, oracle %s" % (rank, row["type"], key, row[key], value))
    return out


def waited(expected):
    """Rank -> (exposed waiting, exposed communication, lateness): a matched operation first waits, then transfers."""
    out = {}
    parts = {}
    for m in expected.job.matches:
        transfer, middle = waits.of_match(m)[0], lines.median([c.start for c in m.row])
        for c in m.row:
            out.setdefault(c.member.rank, [0, 0, 0])[2] += max(0, c.start - middle)
            if c.member.ordinal is not None:                # exposed is what GPUs do; calls of MPI are host time
                parts.setdefault(c.member.rank, []).append((c.row.start, c.row.end - transfer))
    for p in expected.job.processes:
        compute = intervals.union([(o.start, o.end) for o in p.ops if o.cls == "compute"])
        comm = intervals.union([(o.start, o.end) for o in p.ops if o.cls == "comm"])
        row = out.setdefault(p.rank, [0, 0, 0])
        row[0] = intervals.length(intervals.subtract(intervals.union(parts.get(p.rank, [])), compute))
        row[1] = intervals.length(intervals.subtract(comm, compute))
    return out


def check_ranks(expected, rows):
    """`ranks`: one line per rank (each has one GPU here), what it has of sums, and that its parts add up."""
    want = {p.rank: dict.fromkeys(SUMS + ("open", "open_last", "stretch"), 0) for p in expected.job.processes}
    for (rank, _), sums in expected.sums().items():
        for name in want[rank]:
            want[rank][name] += sums[name]
    if sorted(map(expected.rank, rows)) != sorted(want):
        return ["ranks: warplens %s, oracle %s" % (sorted(map(expected.rank, rows)), sorted(want))]
    out, parts = [], waited(expected)
    for row in rows:
        mine, (wait, comm, lateness) = want[expected.rank(row)], parts[expected.rank(row)]
        cells = [("caused", mine["caused"], mine["open"]), ("alone", mine["alone"], mine["open"]), ("lateness", lateness, mine["open"]),
                 ("wait", wait, mine["stretch"] + mine["open"] // 8), ("transfer", comm - wait, mine["stretch"] + mine["open"] // 8)]
        for name, value, allowed in cells:
            if name not in row:
                absent["ranks." + name] = absent.get("ranks." + name, 0) + 1
            elif not close(row[name] or 0, value, allowed):
                out.append("rank %s %s: warplens %s, oracle %s" % (expected.rank(row), name, row[name], value))
        if sum(row[k] for k in ("compute", "wait", "transfer", "exposed_copy", "idle")) != row["window"]:
            out.append("rank %s: parts do not add up to the window" % expected.rank(row))
    return out


def sections(document, *columns):
    """The rows of the first section of a document that has these columns."""
    for section in document.get("sections", [document]):
        if set(columns) <= {c["key"] for c in section.get("columns", [])}:
            return section["rows"]
    absent[".".join(columns)] = absent.get(".".join(columns), 0) + 1
    return None


def is_source(said, source):
    """Whether `info` names the source of ranks: a variable by its name or as environment."""
    words = ("nvtx", "label") if source == "label" else (source,) if source.islower() else (source.lower(), "environment")
    return any(word in (said or "").lower() for word in words)


def check_info(expected, document):
    """`info`: ranks and their source; offset and drift per host against the reference."""
    out = []
    rows = sections(document, "rank", "rank_from")
    if rows is not None:
        got = sorted((r["rank"], r["rank_from"]) for r in rows if r["rank"] is not None)
        want = sorted(p.rank for p in expected.job.processes)
        if [r for r, _ in got] != want or not all(is_source(said, expected.source) for _, said in got):
            out.append("ranks: warplens %s, oracle %s by %s" % (got, want, expected.source))
    rows = sections(document, "host", "offset", "residual")
    if rows is not None and expected.skewed:
        got = {r["host"]: r["offset"] or 0 for r in rows}
        for host in {p.host for p in expected.job.processes if p.host[0] == "host"}:
            offset, drift = expected.job.clocks.get(host, (0, 0))
            shifts = {p.file.shift for p in expected.job.processes if p.host == host}
            want = {offset + round(shift * drift / 1e9) for shift in shifts}
            if host[1] in got and got[host[1]] not in want:
                out.append("%s offset: warplens %s, oracle %s" % (host[1], got[host[1]], sorted(want)))
    return out


CHECKS = {"nccl": (("nccl",), check_sums), "list": (("nccl", "--list"), check_list), "ranks": (("ranks",), check_ranks), "info": (("info",), check_info)}


def compare(tally, seed, scratch):
    made = random_jobs.Job(seed)
    expected = Expected(made.write(scratch))
    expected.rename(wl.run("info", "--section", "processes", scratch)[1]["rows"])
    what = "seed %d (%d ranks by %s, %d hosts, a file per %s, payloads %s)" % (seed, len(expected.job.processes), expected.source, len(made.hosts),
                                                                             made.layout, made.payload)
    for name, (verb, check) in CHECKS.items():
        if VERBS and name not in VERBS:
            continue
        try:
            status, answer = wl.run(*verb, scratch)
        except RuntimeError as e:
            status, answer, out = None, None, [str(e)]
        if status == wl.NO_DATA:
            out = ["warplens has no answer, oracle %d matches" % len(expected.job.matches)] if expected.job.matches else []
        elif answer is not None:
            out = check(expected, answer if name == "info" else answer["rows"])
        tally.check("%s: %s" % (what, " ".join(verb)), out)


def opens_jobs():
    """Whether this program has the verb of jobs."""
    return subprocess.run([wl.WARPLENS, "help", "ranks"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def main():
    if not VERBS and not opens_jobs():
        print("skipped: this program has no verb `ranks`")
        sys.exit(77)
    tally = wl.Tally()
    for seed in [*wl.seeds(100)[:MOST], *([] if "ORACLE_BASE" in os.environ else RARE)]:
        with tempfile.TemporaryDirectory(prefix="wl-jobs-") as scratch:
            compare(tally, seed, scratch)
    for name, times in sorted(absent.items()):
        print("not compared, no such columns: %s (%d answers)" % (name, times))
    tally.finish()


if __name__ == "__main__":
    main()
