# SPDX-License-Identifier: MIT
"""Expert and pipeline parallel training, as DualPipe runs it."""
from .kernels import BWD_EXTRA, FWD, MOE_AGG, MOE_EXPERT, OPT, bytes_of
from .sim import Sim

def simulate_moe(a, rng, S, slow):
    s = Sim(a, rng, S, slow); R, ep = a.ranks, a.ranks // a.pp; cpu, gpu = s.cpu, s.gpu
    groups = [list(range(p * ep, (p + 1) * ep)) for p in range(a.pp)]
    beg = [c for c in cpu]
    made = {}                                                   # --events: (rank, when it may go on): the event that says so
    def events(stream, source, ranks):
        for r in ranks if a.events else (): s.edge(r, stream, source)
    for r in range(R): cpu[r] += s.plants.late(r)
    def stage(r, name, kernels, after=0, scale=1.0):
        t = cpu[r]
        if a.events and after: s.follow(r, 7, made[(r, after)])
        for k in kernels: s.kern(r, k, 0, after, scale); after = 0
        s.nvtx(r, t - 200, cpu[r] - 800, name)
    def a2a(name, dep):
        """All-to-all in every expert group, on stream 24, after the compute launched so far."""
        ends = {}
        for g in groups:
            t = {r: cpu[r] for r in g}
            events(24, 7, g)
            for r in g:
                if a.payloads: s.X.append((cpu[r] - 150, cpu[r] - 50, r, 0, 1, None, S("ncclGroupStart"), None))
                at = g.index(r); peers = [g[(at + i) % len(g)] for i in range(1, len(g) if a.payloads else 2)]
                for n, peer in [(n, p) for p in peers for n in ("ncclSend", "ncclRecv")]: s.X.append((cpu[r], cpu[r] + 500, r, 0, 1, None, S(n), ("ep", g, n[4:], bytes_of("SendRecv"), peer))); cpu[r] += 900
            ends.update(s.coll("ncclDevKernel_SendRecv", 0, True, g, 24, dep, "ncclGroupEnd", .12, "ep"))
            for r in g if a.events else (): made[(r, ends[r] + 700)] = s.record(r, 7, 24)
            for r in g: s.nvtx(r, t[r] - 200, cpu[r] - 800, name)
        return ends
    ATT, BW = FWD[:5], FWD[:3] + BWD_EXTRA
    for r in range(R):                                          # warm-up chunk: forward only, must not be taken for a steady one
        t = cpu[r]; s.kern(r, FWD[0]); s.nvtx(r, t - 300, cpu[r] - 700, "forward chunk 0 (phase0)")
    for ch in range(a.chunks):
        cb = [c for c in cpu]
        if a.pp > 1 and ch: events(7, 28, range(R))
        for r in range(R): gpu[r] = max(gpu[r], s.com.get((r, 28), 0))
        for g in groups: s.coll("ncclDevKernel_AllReduce_Sum_i32_RING_LL", 0, True, g, 7, tag="ep")
        for L in range(a.layers):
            B = a.layers - 1 - L
            for r in range(R):
                stage(r, "layer%02d.stage1_f" % L, ATT)
                gpu[r] = s.copy(r, 7, 4 * 64, 2, 2, 1, 1500, 4200, gpu[r] + 800, 1200) + 900
                s.sync(r)
            d2f = a2a("layer%02d.stage2_f" % L, "stage2_f")
            for r in range(R): stage(r, "layer%02d.stage5_b" % B, MOE_AGG * 2)
            d4b = a2a("layer%02d.stage4_b" % B, "stage4_b")
            for r in range(R): stage(r, "layer%02d.stage3_f" % L, MOE_EXPERT, d2f[r] + 700)
            d4f = a2a("layer%02d.stage4_f" % L, "stage4_f")
            for r in range(R): stage(r, "layer%02d.stage3_b" % B, MOE_EXPERT, d4b[r] + 700, 1.1)
            d2b = a2a("layer%02d.stage2_b" % B, "stage2_b")
            for r in range(R):
                stage(r, "layer%02d.stage3_w" % B, MOE_EXPERT[1:2] * 2)
                stage(r, "layer%02d.stage5_f" % L, MOE_AGG, d4f[r] + 700)
                stage(r, ("layer%02d_stage5_b_layer%02d_stage1_b" % (B + 1, B)) if L % 2 else "layer%02d.stage1_b" % B, BW, d2b[r] + 700)
        for r in range(R):
            s.sync(r)
            s.nvtx(r, cb[r] - 600, cpu[r] - 100, "forward chunk %d (phase%d) backward chunk %d (phase%d)" % (ch + 1, ch & 1, ch, 1 - (ch & 1)))
            cpu[r] += 1500
        if a.pp > 1:
            t = [c for c in cpu]
            for p in range(a.pp - 1):
                for i in range(ep): events(28, 7, [p * ep + i, (p + 1) * ep + i]); s.coll("ncclDevKernel_SendRecv", 0, True, [p * ep + i, (p + 1) * ep + i], 28, None, "ncclGroupEnd", tag="pp", sender=p * ep + i)
            for r in range(R): s.nvtx(r, t[r] - 300, cpu[r] - 600, "pipeline send/recv"); cpu[r] += 700
    ob = [c for c in cpu]
    events(7, 24, range(R)); events(7, 28, range(R) if a.pp > 1 else ())
    for r in range(R):
        gpu[r] = max([gpu[r]] + [v for (q, _), v in s.com.items() if q == r])
        for i in range(a.opt_kernels): s.kern(r, OPT[0])
    events(20, 7, range(R))
    s.coll("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 0, True)
    events(7, 20, range(R))
    for r in range(R):
        gpu[r] = max(gpu[r], s.com[(r, 20)])
        if a.events: gpu[r] = s.copy(r, 7, 4, 2, 2, 0, 1700, 4200, gpu[r] + 1200, 1200)
        s.sync(r)
        s.nvtx(r, ob[r] - 300, cpu[r] - 100, "optimizer")
    length = max(cpu) + 30_000
    for r in range(R): s.nvtx(r, beg[r] - 1500, cpu[r] + 600, "@iter")
    return s.rows(length)
