# SPDX-License-Identifier: MIT
"""A job: its iterations, ranks, hosts, communicators and files; and the truth about its collectives."""
import random

from . import cuts, hosts, mpi
from .account import account
from .kernels import NCCL, is_comm

DEFS = {
 "hosts": "offset_ns and drift_ppb of a host's UTC against the true clock; host 0 is right. A file's time is t + clock_skew.offset_ns + t*drift_ppb/1e9, and its utcEpochNs is that of its time 0",
 "rank_source": "the first source of label, nccl, mpi, environment (variable), file name, order that all processes have and that tells them apart; rank_shown: the numbers it gives, which are not the ranks where files are named report",
 "variants": "collectives of one iteration: [communicator, type, bytes, stream, [[start, end] per member]], relative to iteration_start_ns; iteration i shows variant iteration_variant[i]",
 "matching": "over members that have a file and instances complete among them (all inside their capture windows; in a desynchronised group those before the mismatch). wait = duration - shortest, late = last start - start, caused = late of all members where this rank started last (ties: smaller rank), alone = last start - second last, last = how often",
 "desync": "instance: the communicator's collective in which the rank does something else; seen_at: the first at which types or sizes differ (later, where one was left out among equals)",
 "plants": "what was put in, and the letter of the reason that explains it; measured: the rank's time and number of compute kernels (b: of that kernel; e: of its copies to the device) over the mean of the others (--mesh: of its stage)",
 "windows": "[from, to] on the true clock by rank: rows of the rank outside are not in its file; null = not cut",
}

def desynchronise(a, S, v):
    """A copy of an iteration in which one rank does something else in its first collective."""
    rank, _, how = a.desync; v = dict(v); at = next(i for i, c in enumerate(v["C"]) if rank in c[1] and len(c[1]) > 1 and c[2] != "SendRecv")
    tag, members, kind, size, stream, times = v["C"][at]; start, end = times[members.index(rank)]
    k = next(k for k in v["K"] if k[2] == rank and k[:2] == (start, end)); q = next(q for q in v["Q"] if q[2] == rank and q[4] == k[4])
    x = next(x for x in v["X"] if x[2] == rank and x[3] == q[3] and x[4] and x[0] <= q[0] and q[1] <= x[1])
    other = "AllGather" if kind == "AllReduce" else "AllReduce"; name = "ncclDevKernel_AllGather_RING_LL" if kind == "AllReduce" else "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"
    def change(rows, old, new): return [y for y in (new if z is old else z for z in rows) if y is not None]
    payload = (tag, members, kind, size * 2, None) if how == "size" else (tag, members, other, size, None)
    v["K"] = change(v["K"], k, None if how == "drop" else k if how == "size" else k[:5] + (S(NCCL[name][0]), S(name)) + k[7:])
    v["X"] = change(v["X"], x, None if how == "drop" else x[:6] + (x[6] if how == "size" else S("nccl" + other), payload))
    if how == "drop": v["Q"] = change(v["Q"], q, None); v["truth"] = dict(v["truth"], nccl_ns=[n - (end - start) * (r == rank) for r, n in enumerate(v["truth"]["nccl_ns"])], kernels=v["truth"]["kernels"] - 1)
    v["desync"] = at; v["kinds"] = {(at, rank): (None if how == "drop" else kind if how == "size" else other, size * 2 if how == "size" else size)}
    return v

class Job:
    def __init__(j, a, work, S, V, order, rng_skew):
        j.a, j.work, j.S, j.V, j.order = a, work, S, V, order
        j.setup = []; j.streams = (); j.split = {}
        if a.job: j.hosts, j.files, j.clocks, j.lead = hosts.place(a)
        else: j.hosts, j.files, j.clocks, j.lead = hosts.place_plain(a, rng_skew)
        j.utc = hosts.epochs(a, j.lead, j.files)
        local = [hosts.host_of(j.hosts, r)["ranks"].index(r) for r in range(a.ranks)] if a.hosts and a.split else list(range(a.ranks))
        j.devices = local; j.pids = [70000 + 16 * n for n in local]
        if work == "moe": ep = a.ranks // a.pp; j.streams = ((24, 2), (28, 2)); j.setup = ["rank=%d; pp=%d/%d dp=0/1 cp=0/1 ep=%d/%d; mbs=1 seq=4096" % (r, r // ep, a.pp, r % ep, ep) for r in range(a.ranks)]
        if work == "mesh": j.streams = ((24, 2), (28, 2), (32, 2)); j.setup = [a.mesh.label(r) for r in range(a.ranks)] if a.labels else []
        if work == "chain": j.streams = ((24, 2),)
        j.find_comms()
    def find_comms(j):
        rng = random.Random("communicators %d" % j.a.seed); j.comms, j.by = [], {}
        for v in j.V:
            for tag, members, *_ in v["C"]:
                if (tag, members) not in j.by:
                    j.by[(tag, members)] = c = {"id": len(j.comms), "tag": tag, "members": list(members), "hash": rng.getrandbits(64)}; j.comms.append(c)
    def by_rank(j, rows):
        """Rows of a variant by rank, found once: jobs of a thousand files read them a thousand times."""
        got = j.split.get(id(rows))
        if got is None:
            got = j.split[id(rows)] = {}
            for x in rows: got.setdefault(x[2], []).append(x)
        return got
    def comm(j, tag, members): return j.by[(tag, tuple(members))]
    def payload(j, x):
        """What the payload of an NCCL range says; None where the call has none."""
        p = x[7] if len(x) > 7 else None
        if p is None or p[2] is None or (p[0], tuple(p[1])) not in j.by: return None
        c = j.comm(p[0], p[1]); rank = c["members"].index(x[2])
        return c, p[2], p[3], 0 if p[4] is None else c["members"].index(p[4]), rank, j.devices[x[2]]
    def stream(j, r, n):
        """The number of a stream differs by rank with --stream-shift; the default stream's never does."""
        return n + 4 * (r % 3) * 10 if j.a.stream_shift and n != 7 else n
    def prepare(j, stall):
        """Strings that every file has, and when iterations start."""
        S, a = j.S, j.a
        j.comm_ids = {i for t, i in S.d.items() if is_comm(t) and "(" not in t}
        j.ACC = [account(a, v, S, j.comm_ids) for v in j.V]
        for x in ("ncclAllGather", "ncclReduceScatter", "ncclAllReduce"): S(x)
        j.osrt = [S(x) for x in ("pthread_cond_wait", "poll", "sem_wait", "ioctl")]; j.ovh = S("CUPTI: Buffer flush"); j.gname = S("Graph Node Creation")
        j.threads = S("python"), S("pt_autograd_0"), S("pt_nccl_watchdg")
        for x in ("MPI_Init", "MPI_Barrier", "MPI_Finalize") if a.mpi else (): S(x)
        if a.payloads: S("ncclCommInitRank")
        j.mpi_tables = mpi.write_tables
        j.starts, base = [], 3_000_000
        for it, o in enumerate(j.order):
            if it == stall[0]: base += stall[1]
            j.starts.append(base); base += j.V[o]["len"] + 40_000
        j.dur = base + 5_000_000
        j.windows = cuts.windows(a, j.starts[0], base - 40_000) if a.cuts else {r: (None, None) for r in range(a.ranks)}
    def instances(j):
        """(communicator, type, members with a file, starts, ends by member) of all complete instances, in order."""
        stop = {}; present = {r for _, g in j.files for r in g}
        for it, o in enumerate(j.order):
            b = j.starts[it]
            for i, (tag, members, kind, size, stream, times) in enumerate(j.V[o]["C"]):
                c = j.comm(tag, members)["id"]
                if j.V[o].get("desync") == i: stop[c] = True
                if c in stop: continue
                here = [(r, b + s, b + e) for r, (s, e) in zip(members, times) if r in present]
                if len(here) > 1 and all((j.windows[r][0] is None or s >= j.windows[r][0]) and (j.windows[r][1] is None or e <= j.windows[r][1]) for r, s, e in here):
                    yield c, kind, *zip(*here)
    def matching(j):
        """Sums per rank over collectives, and per communicator; SendRecv only per communicator."""
        zero = lambda ranks: {r: dict(wait_ns=0, late_ns=0, caused_ns=0, alone_ns=0, last=0) for r in ranks}
        all_ = {"matches": 0, "by_type": {}, "by_rank": zero(range(j.a.ranks))}; per = [{"communicator": c["id"], "matches": 0, "by_type": {}, "by_rank": zero(c["members"])} for c in j.comms]
        for c, kind, members, st, en in j.instances():
            order = sorted(range(len(members)), key=lambda i: (-st[i], members[i])); last, short = st[order[0]], min(e - s for s, e in zip(st, en))
            for x in [per[c]] + ([all_] if kind != "SendRecv" else []):
                x["matches"] += 1; x["by_type"][kind] = x["by_type"].get(kind, 0) + 1
                for i, r in enumerate(members): d = x["by_rank"][r]; d["wait_ns"] += en[i] - st[i] - short; d["late_ns"] += last - st[i]
                d = x["by_rank"][members[order[0]]]; d["caused_ns"] += sum(last - s for s in st); d["alone_ns"] += last - st[order[1]]; d["last"] += 1
        return dict(all_, by_communicator=per)
    def desync(j):
        """Where a group's ranks stop doing the same: numbers count from 0, over the whole run."""
        rank, it, how = j.a.desync; v = j.V[j.order[it]]; tag, members, kind, *_ = v["C"][v["desync"]]
        before = [c for o in j.order[:it] for c in j.V[o]["C"]] + v["C"][:v["desync"]]; mine = [c for c in before if c[:2] == (tag, members)]
        n = len(mine); seq = [c[2:4] for o in j.order for c in j.V[o]["C"] if c[:2] == (tag, members)]; seen = n
        while how == "drop" and seen + 1 < len(seq) and seq[seen] == seq[seen + 1]: seen += 1
        return {"communicator": j.comm(tag, members)["id"], "rank": rank, "iteration": it, "how": how, "type": kind, "instance": n, "instance_of_type": sum(c[2] == kind for c in mine), "seen_at": seen}
    def measured(j, plant):
        """The planted rank against the mean of the others: lengths vary from kernel to kernel, so this is not the factor to the digit."""
        inv = {i: t for t, i in j.S.d.items()}; total = {r: 0 for r in range(j.a.ranks)}; calls = dict(total)
        for o in j.order:
            v = j.V[o]
            if plant["reason"] == "e": rows = [(m[2], m[1] - m[0]) for m in v["M"] if m[6] == 1]
            else: rows = [(k[2], k[1] - k[0]) for k in v["K"] if k[6] not in j.comm_ids and plant.get("kernel", "") in inv[k[6]]]
            for r, ns in rows: total[r] += ns; calls[r] += 1
        peers = [r for r in total if r != plant["rank"] and (not j.a.mesh or j.a.mesh.at(r)["pp"] == j.a.mesh.at(plant["rank"])["pp"])]
        def ratio(x): n = sum(x[r] for r in peers); return round(x[plant["rank"]] * len(peers) / n, 6) if n else None
        return {"time": ratio(total), "launches": ratio(calls)}
    def truth(j):
        a = j.a; gone = sorted(set(range(a.ranks)) - {r for _, g in j.files for r in g})
        source = hosts.rank_source(a, any(len(c["members"]) == a.ranks for c in j.comms))
        t = {"definitions": DEFS, "hosts": j.hosts, "env": a.env, "job_id": a.job_id, "rank_source": source, "rank_shown": hosts.shown(source, j.files), "world": a.ranks, "missing": gone, "devices": j.devices,
             "communicators": j.comms, "plants": a.plants.truth(), "culprit": None, "iteration_variant": j.order, "matching": j.matching(), "windows": [j.windows[r] for r in range(a.ranks)],
             "variants": [[[j.comm(c[0], c[1])["id"], c[2], c[3], c[4], c[5]] for c in v["C"]] for v in j.V],
             "lead_ns": j.lead, "begin_ns": a.begin, "utc_epoch_ns": j.utc, "payloads": a.payloads, "mpi": a.mpi}
        for p in t["plants"]: p["measured"] = j.measured(p)
        if t["plants"]: t["culprit"] = t["plants"][0]["rank"]
        if a.mesh: t["mesh"] = {"order": "rank = tp + TP*(dp + DP*pp)", "size": {"tp": a.mesh.tp, "dp": a.mesh.dp, "pp": a.mesh.pp}, "ranks": [a.mesh.at(r) for r in range(a.ranks)]}
        if a.chain: t["chain"] = {"first": list(range(a.chain)), "second": list(range(a.chain - 1, a.ranks)), "shared": a.chain - 1}
        if a.desync: t["desync"] = j.desync()
        return t
