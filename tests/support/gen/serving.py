# SPDX-License-Identifier: MIT
"""LLM serving: prefill, decode, sampling."""
from .kernels import NCCL, SAMPLE, SERVE, bytes_of
from .sim import Sim, jit

def simulate_serving(a, rng, S, slow, kind):
    s = Sim(a, rng, S, slow); R = a.ranks; cpu, gpu = s.cpu, s.gpu
    gap = jit(rng, a.host_gap * 1000, .4)                       # scheduler: host work with an idle GPU, same on all ranks
    for r in range(R):
        t = cpu[r]; cpu[r] += gap + rng.randrange(3000) + s.plants.late(r)
        gpu[r] = s.copy(r, 7, 4 * 8192 if kind == "prefill" else 4 * 64, 1, 1, 2, 2100, 4300) + 900
        s.nvtx(r, t - 300, cpu[r] - 800, "schedule")
    fb = [c for c in cpu]
    if kind == "prefill" or a.graph == "none":
        for L in range(a.layers):
            for k in SERVE:
                if k == "allreduce":
                    if R > 1: s.coll("ncclDevKernel_AllReduce_Sum_bf16_RING_LL" if kind == "prefill" else "cross_device_reduce_1stage", 0, True, None, 7)
                else:
                    for r in range(R): s.kern(r, k, 0, 0, 1.0 if kind == "prefill" else k[7])
    else:                                                       # one graph launch; every node shares its correlationId
        lau = [s.api(r, "graph", jit(rng, 9000 + 80 * len(SERVE) * a.layers, .2)) for r in range(R)]
        t = [max(lau[r][1] - 4000, gpu[r]) for r in range(R)]; t0 = list(t); i = 0
        for L in range(a.layers):
            for k in SERVE:
                i += 1
                if k == "allreduce":
                    if R == 1: continue
                    end = max(t) + jit(rng, NCCL["cross_device_reduce_1stage"][1], .1)
                    kk = ("cross_device_reduce_1stage", NCCL["cross_device_reduce_1stage"][0], 0, (36,1,1), (512,1,1), 64, 0)
                    s.C.append(("world", tuple(range(R)), "AllReduce", bytes_of("cross"), 7, [(x, end) for x in t]))
                    for r in range(R): s.row(r, kk, t[r], end - t[r], 7, lau[r][2], (r + 2 << 32) | i); t[r] = end + 500
                else:
                    for r in range(R):
                        d = int(jit(rng, k[2] * k[7], .05) * s.slow.get(r, 1.0)); s.row(r, k, t[r], d, 7, lau[r][2], (r + 2 << 32) | i); t[r] += d + 500
        for r in range(R): gpu[r] = t[r] + 900
        if a.graph == "graph":                                  # graph mode: the nodes are not in the file, only the replay
            for r in range(R): s.G.append((t0[r], t[r] - 500, r, 7, lau[r][2], r + 1, r + 101))
            s.K = [k for k in s.K if k[11] is None]
    for r in range(R): s.nvtx(r, fb[r] - 200, cpu[r] - 800, kind)
    sb = [c for c in cpu]
    for r in range(R):
        for k in SAMPLE: s.kern(r, k)
    if R > 1: s.coll("ncclDevKernel_AllGather_RING_LL", 0, True, None, 7)
    for r in range(R):
        gpu[r] = s.copy(r, 7, 4 * 64, 2, 2, 1, 1600, 4100, gpu[r] + 600, 1200)
        s.sync(r); s.nvtx(r, sb[r] - 200, cpu[r] - 700, "sampling"); cpu[r] += 400
    v = s.rows(max(cpu) + 2_000); v["kind"] = kind; v["gap"] = gap
    return v
