# SPDX-License-Identifier: MIT
"""What a correct tool must find in one iteration."""
from bisect import bisect_left

def merge(iv):
    out = []
    for x, y in sorted(iv):
        if out and x <= out[-1][1]:
            if y > out[-1][1]: out[-1][1] = y
        else: out.append([x, y])
    return out
def length_of(u): return sum(y - x for x, y in u)
def common(u, w):
    """Length of the intersection of two merged lists."""
    i = j = n = 0
    while i < len(u) and j < len(w):
        n += max(0, min(u[i][1], w[j][1]) - max(u[i][0], w[j][0]))
        if u[i][1] < w[j][1]: i += 1
        else: j += 1
    return n

def account(a, v, S, comm_ids):
    """What a correct tool must find in one iteration: interval unions and NVTX projection, per rank."""
    out = [dict() for _ in range(a.ranks)]; ops = [[] for _ in out]; comp = [[] for _ in out]; comm = [[] for _ in out]; by = {}
    inv = {i: t for t, i in S.d.items()}
    for tab in ("K", "M", "Z", "G"):
        for o in v[tab]:
            ops[o[2]].append(o[:2]); b = by.setdefault((o[2], o[4]), [o[0], o[1], 0]); b[0] = min(b[0], o[0]); b[1] = max(b[1], o[1]); b[2] += 1
            if tab == "K": (comm if o[6] in comm_ids else comp)[o[2]].append(o[:2])
    for r, d in enumerate(out):
        u, c, n = merge(ops[r]), merge(comp[r]), merge(comm[r])
        d.update(first=u[0][0], last=u[-1][1], busy=length_of(u), kernels=length_of(merge(comp[r] + comm[r])), compute=length_of(c), comm=length_of(n), exposed=length_of(n) - common(n, c))
        d["stage"] = {}
        for x, y, q, st in v["stage"]:
            if q != r: continue
            b = d["stage"].setdefault(st, [0, 0, 0]); b[0] += 1; b[1] += y - x; i = max(0, bisect_left(c, [x, 0]) - 1); w = []
            while i < len(c) and c[i][0] < y: w.append(c[i]); i += 1
            b[2] += y - x - common([[x, y]], w)
        d["proj"], d["main"] = {}, [None, None, 0]
    th = {}
    for q in v["Q"]:
        if (q[2], q[4]) in by: th.setdefault((q[2], q[3]), []).append((q[0], q[1], by[(q[2], q[4])]))
    ranges = {}
    for x in v["X"]:
        if x[1] is not None: ranges.setdefault((x[2], x[3]), []).append(x)
    for (r, t), calls in th.items():
        rg = ranges.get((r, t), []); got = {}; i = 0; act = []
        for x, y, b in sorted(calls, key=lambda z: z[:2]):
            while i < len(rg) and rg[i][0] <= x: act.append(i); i += 1
            act = [k for k in act if rg[k][1] >= x]
            for k in act:
                if rg[k][1] >= y:
                    g = got.setdefault(k, [b[0], b[1], 0]); g[0] = min(g[0], b[0]); g[1] = max(g[1], b[1]); g[2] += b[2]
            if t == 0:
                m = out[r]["main"]; m[0] = b[0] if m[0] is None else min(m[0], b[0]); m[1] = b[1] if m[1] is None else max(m[1], b[1]); m[2] += b[2]
        for k, g in got.items():
            n = rg[k][5] if rg[k][4] == 0 else "NCCL:" + inv[rg[k][6]]; p = out[r]["proj"].setdefault(n, [0, 0, 0]); p[0] += 1; p[1] += g[1] - g[0]; p[2] += g[2]
    return out
