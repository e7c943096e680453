# SPDX-License-Identifier: MIT
"""The clocks and rows of one iteration of all ranks."""
from .kernels import API, NCCL, bytes_of, is_comm, type_of

class Strings:
    def __init__(self): self.d = {}
    def __call__(self, s):
        i = self.d.get(s)
        if i is None: i = self.d[s] = len(self.d) + 1
        return i

def jit(rng, x, j): return max(600, int(x * (1.0 + rng.uniform(-j, j))))

class Sim:
    """One iteration of all ranks together: clocks and rows, relative to the iteration start."""
    def __init__(s, a, rng, S, slow):
        R = s.R = a.ranks; s.a, s.rng, s.S, s.slow, s.plants = a, rng, S, slow, a.plants; s.plants.begin()
        s.cpu = [20_000 + rng.randrange(4000) for _ in range(R)]    # main thread clock
        s.bcpu = [0] * R                                            # autograd thread clock
        s.gpu = [0] * R                                             # compute stream free at
        s.com = {}                                                  # (rank, stream) of communication: free at
        s.corr = [0] * R
        s.K, s.Q, s.M, s.Z, s.Y, s.X, s.G, s.E = [], [], [], [], [], [], [], []  # kernel runtime memcpy memset sync nvtx graph event
        s.stage = []                                                # (start, end, rank, stage) of all-to-alls
        s.C = []                                                    # (tag, ranks, type, bytes, stream, [(start, end) per rank]) of collectives
        s.P = []                                                    # MPI calls, see mpi.py
        s.pairs, s.turn = {}, [0] * R                               # events: (stream, source) to number; how many a rank recorded
        s.truth = {"compute_ns": [0]*R, "nccl_ns": [0]*R, "kernels": 0, "memcpy_bytes": 0}
        s.nid = {k: S(v) for k, v in API.items()}
    def clk(s, th): return s.bcpu if th else s.cpu
    def api(s, r, name, dur, th=0):                                 # th 0 main, 1 autograd
        clk = s.clk(th); t = clk[r]; e = t + dur; s.corr[r] += 1
        s.Q.append((t, e, r, th, s.corr[r], s.nid[name])); clk[r] = e + 1200
        return t, e, s.corr[r]
    def row(s, r, k, st, d, stream, c, node=None):
        s.K.append((st, st + d, r, stream, c, s.S(k[1]), s.S(k[0]), k[5], k[3], k[4], k[6], node)); s.truth["kernels"] += 1
        s.truth["nccl_ns" if is_comm(k[0]) else "compute_ns"][r] += d
    def kern(s, r, k, th=0, after=0, scale=1.0):
        s.launch(r, k, th, after, scale, s.rng)
        for _ in range(s.plants.more_launches(r, k)): s.launch(r, k, th, 0, scale, s.plants.more)
    def launch(s, r, k, th, after, scale, rng):
        t, e, c = s.api(r, "launch" if not k[0].startswith("sm90") else "launchexc", s.plants.call(jit(rng, 4200, .3)), th)
        st = max(e + 1800, s.gpu[r], after); d = jit(rng, k[2] * scale, .05)
        k, d = s.plants.kernel(r, k, int(d * s.slow.get(r, 1.0)))
        s.row(r, k, st, d, 7, c); s.gpu[r] = st + d + 900
    def nvtx(s, r, t0, t1, text, th=0): s.X.append((t0, t1, r, th, 0, text, None))
    def coll(s, name, th=0, after_compute=True, ranks=None, stream=20, stage=None, api_names=None, spread=0.0, tag="world", sender=None):
        """A collective of these ranks: starts when the rank arrives, ends together (or, with spread, per rank)."""
        arr = []; ranks = range(s.R) if ranks is None else ranks
        for r in ranks:
            t0 = s.clk(th)[r]
            if sender is not None and s.a.payloads:
                s.X.append((t0 - 900, t0 - 800, r, th, 1, None, s.S("ncclGroupStart"), None)); way = "Send" if r == sender else "Recv"
                s.X.append((t0 - 700, t0 - 500, r, th, 1, None, s.S("nccl" + way), (tag, ranks, way, bytes_of(name), next(x for x in ranks if x != r))))
            t, e, c = s.api(r, "launchexc", jit(s.rng, 6500, .3), th)
            if name.startswith("nccl"): s.X.append((t0 - 300, e + 300, r, th, 1, None, s.S(api_names or "nccl" + name.split("_")[1]), (tag, ranks, None if api_names else type_of(name), bytes_of(name), None)))
            arr.append((max(e + 1800, s.com.get((r, stream), 0) if stream != 7 else 0, s.gpu[r] if after_compute or stream == 7 else 0), c))
        last = max(x[0] for x in arr); dur = jit(s.rng, NCCL[name][1], .1); ends = []
        for r, (st, c) in zip(ranks, arr):
            end = last + (int(dur * (1.0 + s.rng.uniform(-spread, spread))) if spread else dur)
            s.row(r, (name, NCCL[name][0], 0, (24,1,1), (544,1,1), 96, 41760), st, end - st, stream, c)
            if stream == 7: s.gpu[r] = end + 900
            else: s.com[(r, stream)] = end + 700
            if stage: s.stage.append((st, end, r, stage))
            ends.append(end)
        s.C.append((tag, tuple(ranks), type_of(name), bytes_of(name), stream, [(st, end) for (st, _), end in zip(arr, ends)]))
        return dict(zip(ranks, ends))
    def copy(s, r, stream, b, kind, src, dst, dur, api_ns, after=0, lat=1500):
        t, e, c = s.api(r, "memcpy", api_ns); st = max(e + lat, after); dur = s.plants.copy(r, dur)
        s.M.append((st, st + dur, r, stream, c, b, kind, src, dst)); s.truth["memcpy_bytes"] += b
        return st + dur
    def sync(s, r):
        t = s.cpu[r]; s.corr[r] += 1; e = max(t + 2000, s.gpu[r] + 1500)
        s.Q.append((t, e, r, 0, s.corr[r], s.nid["ssync"])); s.Y.append((t + 300, e - 200, r, 7, s.corr[r], 3, 4294967295, None)); s.cpu[r] = e + 1000
    def wait(s, r, stream, source, event):
        """stream waits for what source, another stream, has been given so far; the event's record goes by the id of the call before."""
        t, _, c = s.api(r, "wait", 900)
        s.E.append((t, t, r, source, c - 1, event)); s.Y.append((t, t + 800, r, stream, c, 2, event, c - 1))
    def edge(s, r, stream, source, th=0):
        """stream waits for what source has been given so far: a record call, a wait call and their rows."""
        s.follow(r, stream, s.record(r, stream, source, th), th)
    def record(s, r, stream, source, th=0):
        """What source has been given so far, for stream to wait for later."""
        event = 100 + 8 * s.pairs.setdefault((stream, source), len(s.pairs)) + s.turn[r] % 8; s.turn[r] += 1
        t, _, c = s.api(r, "record", 700, th); s.E.append((t, t, r, source, c, event))
        return event, c
    def follow(s, r, stream, recorded, th=0):
        t, _, c = s.api(r, "wait", 900, th); s.Y.append((t, t + 800, r, stream, c, 2, *recorded))
    def collect(s, name, ranks, stream, tag, th=0, hold=True, sender=None):
        """A collective with its events: after the compute launched so far, and (hold) before what comes next."""
        for r in ranks: s.edge(r, stream, 7, th)
        ends = s.coll(name, th, True, ranks, stream, None, None if sender is None else "ncclGroupEnd", tag=tag, sender=sender)
        for r in ranks:
            if hold: s.edge(r, 7, stream, th); s.gpu[r] = max(s.gpu[r], ends[r] + 900)
        return ends
    def rows(s, length):
        for t in (s.K, s.Q, s.M, s.Z, s.Y, s.G, s.E, s.P): t.sort(key=lambda x: x[:5])
        s.X.sort(key=lambda x: (x[0], -(x[1] or x[0])))
        return dict(K=s.K, Q=s.Q, M=s.M, Z=s.Z, Y=s.Y, X=s.X, G=s.G, E=s.E, len=length, corr=max(s.corr) + 7, truth=s.truth, stage=s.stage, C=s.C, P=s.P)
