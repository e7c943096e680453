# SPDX-License-Identifier: MIT
"""FSDP-like training."""
from .kernels import BWD_EXTRA, FWD, OPT
from .sim import Sim

def simulate_train(a, rng, S, slow):
    s = Sim(a, rng, S, slow); R = a.ranks; cpu, bcpu, gpu, X = s.cpu, s.bcpu, s.gpu, s.X
    beg = [c for c in cpu]; groups = [list(range(g * R // a.groups, (g + 1) * R // a.groups)) for g in range(a.groups)]
    def coll(*what):
        for g in groups: s.coll(*what, ranks=g, tag="dp" if a.groups > 1 else "world")
    def events(stream, source, th=0):
        for r in range(R) if a.events else (): s.edge(r, stream, source, th)
    for r in range(R):                                          # H2D batch
        cpu[r] += s.plants.late(r)
        fed = s.copy(r, 14, a.batch or 4_194_304, 1, 1, 2, a.batch * 1000 // 22000 or 190_000, 5200)
        s.wait(r, 20, 7, 32)
        s3, e3, c3 = s.api(r, "memset", 2600); s.Z.append((e3 + 1500, e3 + 3200, r, 7, c3, 0, 4096))
        if a.batch: s.edge(r, 7, 14); gpu[r] = max(gpu[r], fed + 900)
    fb = [cpu[r] for r in range(R)]
    nf = a.fwd_kernels
    for L in range(a.layers):
        lb = [cpu[r] for r in range(R)]
        coll("ncclDevKernel_AllGather_RING_LL", 0, False)
        for r in range(R):
            ab = cpu[r]
            for i in range(nf // 2): s.kern(r, FWD[i % len(FWD)])
            s.nvtx(r, ab - 200, cpu[r] - 800, "attention")
            mb = cpu[r]
            for i in range(nf // 2, nf): s.kern(r, FWD[i % len(FWD)])
            s.nvtx(r, mb - 200, cpu[r] - 800, "mlp")
            s.nvtx(r, lb[r] - 400, cpu[r] - 600, "layer.%d" % L); cpu[r] += 300
    for r in range(R):
        s.nvtx(r, fb[r] - 700, cpu[r] - 100, "forward"); bcpu[r] = cpu[r] + 4000
    bb = [cpu[r] for r in range(R)]
    BW = FWD + BWD_EXTRA
    for L in reversed(range(a.layers)):
        lb = [bcpu[r] for r in range(R)]
        for r in range(R):
            for i in range(a.bwd_kernels): s.kern(r, BW[i % len(BW)], 1)
        events(20, 7, 1)
        coll("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL", 1, True)
        for r in range(R): s.nvtx(r, lb[r] - 400, bcpu[r] - 600, "layer.%d.backward" % L, 1); bcpu[r] += 300
    for r in range(R):
        cpu[r] = max(cpu[r], bcpu[r]) + 2000
        s.nvtx(r, bb[r] + 50, cpu[r] - 100, "backward"); cpu[r] += 400
    ob = [cpu[r] for r in range(R)]
    events(7, 20)
    for r in range(R):
        gpu[r] = max(gpu[r], s.com.get((r, 20), 0))
        for i in range(a.opt_kernels): s.kern(r, OPT[0])
    events(20, 7)
    coll("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 0, True)
    events(7, 20)
    for r in range(R):
        gpu[r] = s.copy(r, 7, 4, 2, 2, 0, 1700, 4200, max(gpu[r], s.com[(r, 20)]) + 1200, 1200)
        s.sync(r)
        s.nvtx(r, ob[r] - 300, cpu[r] - 100, "optimizer")
        X.append((cpu[r], None, r, 0, 0, "step done", 34))
    length = max(cpu) + 30_000
    for r in range(R): s.nvtx(r, beg[r] - 1500, cpu[r] + 600, "@iter")
    if a.graph != "none":                                       # every rank's kernels become one graph launch
        K2, Q2 = [], []
        for r in range(R):
            ks = sorted((k for k in s.K if k[2] == r), key=lambda x: x[:5]); first = min(q[0] for q in s.Q if q[2] == r); s.corr[r] += 1; c = s.corr[r]
            Q2 += [q for q in s.Q if q[2] == r and q[5] not in (s.nid["launch"], s.nid["launchexc"])]
            Q2.append((first + 6000, first + 6000 + 14000, r, 0, c, s.nid["graph"]))
            if a.graph == "node":
                for i, k in enumerate(ks): K2.append(k[:4] + (c,) + k[5:11] + ((r + 2 << 32) | (i + 1),))
            else: s.G.append((ks[0][0], max(k[1] for k in ks), r, 7, c, r + 1, r + 101))
        s.K, s.Q = K2, Q2
    return s.rows(length)
