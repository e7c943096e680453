# SPDX-License-Identifier: MIT
"""Causes of lateness on single ranks. Nothing here draws from the workload's random numbers: a trace and its twin
without the cause have the same kernels, calls and collectives."""
import random, re

def duration(text):
    """ns of 250ms, 40us, 1.5s; a plain number is ns."""
    m = re.fullmatch(r"([\d.]+)(ns|us|ms|s|)", text)
    if not m: raise ValueError("%s: a duration is a number and ns, us, ms or s" % text)
    return int(float(m.group(1)) * {"": 1, "ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[m.group(2)])

def parts(text): return [x.split(":") for x in text.split(",")] if text else []

class Plants:
    def __init__(s, a):
        s.slow_kernel = {int(r): (name, float(f)) for r, name, f in parts(a.slow_kernel)}
        s.more_work = {int(r): (how, float(f)) for r, how, f in parts(a.more_work)}
        s.slow_copies = {int(r): float(f) for r, f in parts(a.slow_copies)}
        s.late_host = {int(r): duration(d) for r, d in parts(a.late_host)}
        s.stragglers = {int(r): float(f) for r, f in parts(a.straggler)}
        s.share = a.noise; s.begin()
        s.more, s.noise = random.Random("more %d" % a.seed), random.Random("noise %d" % a.seed)
        for how, f in s.more_work.values():
            if how not in ("launches", "grid"): raise ValueError("--more-work RANK:launches|grid:FACTOR")
    def begin(s): s.debt = {}                   # each iteration repeats the same launches
    def late(s, r): return s.late_host.get(r, 0)
    def copy(s, r, ns): return int(ns * s.slow_copies.get(r, 1.0))
    def call(s, ns):
        """The length of a launch call: with noise, one in a hundred takes some 100 us."""
        if not s.share: return ns
        return ns + (s.noise.randrange(50_000, 300_000) if s.noise.random() < .01 else 0)
    def kernel(s, r, k, ns):
        if s.share: ns = int(ns * (1.0 + s.noise.uniform(-s.share, s.share)))
        name, f = s.slow_kernel.get(r, (None, 1.0))
        if name and name in k[0]: ns = int(ns * f)
        how, f = s.more_work.get(r, ("", 1.0))
        if how == "grid": k = k[:3] + ((max(1, round(k[3][0] * f)),) + k[3][1:],) + k[4:]; ns = int(ns * f)
        return k, ns
    def more_launches(s, r, k):
        """How often the launch is repeated: a factor of 1.25 repeats each fourth launch of each kernel."""
        how, f = s.more_work.get(r, ("", 1.0))
        if how != "launches": return 0
        key = r, k[0], k[2]; owed = s.debt.get(key, 0.0) + f - 1.0; n = int(owed + 1e-9); s.debt[key] = owed - n
        return n
    def truth(s):
        return ([{"reason": "a", "what": "slow GPU", "rank": r, "factor": f} for r, f in s.stragglers.items()] +
                [{"reason": "b", "what": "slow kernel", "rank": r, "kernel": n, "factor": f} for r, (n, f) in s.slow_kernel.items()] +
                [{"reason": "c", "what": "more work", "rank": r, "how": h, "factor": f} for r, (h, f) in s.more_work.items()] +
                [{"reason": "d", "what": "late host", "rank": r, "ns_per_step": d} for r, d in s.late_host.items()] +
                [{"reason": "e", "what": "slow copies", "rank": r, "factor": f} for r, f in s.slow_copies.items()])
