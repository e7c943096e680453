# SPDX-License-Identifier: MIT
"""Training over tensor, pipeline and data parallel ranks, and a chain of two groups. Every dependency has its event."""
from .kernels import BWD_EXTRA, FWD, OPT
from .sim import Sim

BF16, F32 = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", "ncclDevKernel_AllReduce_Sum_f32_RING_LL"

class Mesh:
    """rank = tp + TP * (dp + DP * pp), as Megatron numbers them."""
    def __init__(m, text):
        size = {"tp": 1, "pp": 1, "dp": 1}; size.update((k, int(v)) for k, v in (x.split("=") for x in text.split(",")))
        if len(size) != 3 or min(size.values()) < 1: raise ValueError("--mesh tp=N,pp=N,dp=N")
        m.tp, m.pp, m.dp = size["tp"], size["pp"], size["dp"]; m.ranks = m.tp * m.pp * m.dp
    def at(m, r): return {"tp": r % m.tp, "dp": r // m.tp % m.dp, "pp": r // (m.tp * m.dp)}
    def stage(m, p): return list(range(p * m.tp * m.dp, (p + 1) * m.tp * m.dp))
    def tp_groups(m, p): return [m.stage(p)[i * m.tp:(i + 1) * m.tp] for i in range(m.dp)] if m.tp > 1 else []
    def dp_groups(m, p): return [m.stage(p)[i::m.tp] for i in range(m.tp)] if m.dp > 1 else []
    def label(m, r):
        c = m.at(r); return "rank=%d; pp=%d/%d dp=%d/%d cp=0/1 ep=0/1 tp=%d/%d; mbs=1 seq=4096" % (r, c["pp"], m.pp, c["dp"], m.dp, c["tp"], m.tp)

def begin(s, R):
    """The batch arrives, and the first kernel waits for it."""
    for r in range(R):
        s.cpu[r] += s.plants.late(r); size = s.a.batch or 4_194_304
        fed = s.copy(r, 14, size, 1, 1, 2, size * 1000 // 22000, 5200)
        s.edge(r, 7, 14); s.gpu[r] = max(s.gpu[r], fed + 900)

def finish(s, R, beg):
    """Loss to the host, wait for the GPU."""
    for r in range(R):
        s.gpu[r] = s.copy(r, 7, 4, 2, 2, 0, 1700, 4200, s.gpu[r] + 1200, 1200)
        s.sync(r); s.nvtx(r, beg[r] - 1500, s.cpu[r] + 600, "@iter")
    return s.rows(max(s.cpu) + 30_000)

def simulate_mesh(a, rng, S, slow):
    s = Sim(a, rng, S, slow); m, R = a.mesh, a.ranks; beg = list(s.cpu); begin(s, R); per = max(1, a.layers // m.pp)
    def half(p, kernels):
        for r in m.stage(p):
            for k in kernels: s.kern(r, k)
        for g in m.tp_groups(p): s.collect(BF16, g, 20, "tp")
    def send(p, q):
        for x, y in zip(m.stage(p), m.stage(q)):
            s.collect("ncclDevKernel_SendRecv", sorted((x, y)), 28, "pp", sender=x)
    def layers(p, name, halves, mb):
        t = {r: s.cpu[r] for r in m.stage(p)}
        for L in range(per):
            lb = {r: s.cpu[r] for r in t}
            for h in halves: half(p, h)
            if name == "backward" and mb == a.microbatches - 1:
                for g in m.dp_groups(p): s.collect("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL", g, 24, "dp", hold=False)
            for r in t: s.nvtx(r, lb[r] - 150, s.cpu[r] - 900, "layer.%d%s" % (p * per + L, "" if name == "forward" else ".backward"))
        for r in t: s.nvtx(r, t[r] - 250, s.cpu[r] - 800, name); s.cpu[r] += 300
    for mb in range(a.microbatches):
        for p in range(m.pp):
            if p: send(p - 1, p)
            layers(p, "forward", (FWD[:5], FWD[5:]), mb)
    for mb in range(a.microbatches):
        for p in reversed(range(m.pp)):
            if p < m.pp - 1: send(p + 1, p)
            layers(p, "backward", (FWD[:5] + BWD_EXTRA[:1], FWD[5:] + BWD_EXTRA[1:]), mb)
    ob = list(s.cpu)
    for p in range(m.pp):
        for r in m.stage(p):
            if m.dp > 1: s.edge(r, 7, 24); s.gpu[r] = max(s.gpu[r], s.com[(r, 24)] + 900)
            for _ in range(a.opt_kernels): s.kern(r, OPT[0])
        for g in m.dp_groups(p): s.collect("ncclDevKernel_AllGather_RING_LL", g, 24, "dp")
    s.collect(F32, list(range(R)), 32, "world")
    for r in range(R): s.nvtx(r, ob[r] - 300, s.cpu[r] - 800, "optimizer")
    return finish(s, R, beg)

def simulate_chain(a, rng, S, slow):
    """Two groups that share one rank: ranks up to it reduce first, then those from it on. Nobody sees all."""
    s = Sim(a, rng, S, slow); R = a.ranks; beg = list(s.cpu); begin(s, R); first, second = list(range(a.chain)), list(range(a.chain - 1, R))
    for L in range(a.layers):
        lb = list(s.cpu)
        for r in range(R):
            for k in FWD: s.kern(r, k)
        s.collect(BF16, first, 20, "first")
        s.collect(BF16, second, 24, "second")
        for r in range(R): s.nvtx(r, lb[r] - 200, s.cpu[r] - 900, "layer.%d" % L); s.cpu[r] += 300
    return finish(s, R, beg)
