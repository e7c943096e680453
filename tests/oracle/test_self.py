#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The oracle against itself, without warplens: the sweep equals brute force, and windows that touch add up."""
import os
import random
import tempfile

import mktrace
import oracle
import sweep
import test_random
import wl
from tracefile import Trace

LENGTHS = ("window", "compute", "exposed_comm", "exposed_copy", "idle", "busy", "kernel_busy", "copy")


def main():
    tally = wl.Tally()
    with tempfile.TemporaryDirectory(prefix="wl-self-") as scratch:
        for seed in wl.seeds(300):
            path = os.path.join(scratch, "%d.sqlite" % seed)
            maker = mktrace.make(seed, path)
            trace, r = Trace(path), random.Random(seed)
            os.remove(path)
            if not trace.ops:
                continue
            _, window, _ = test_random.random_window(r, maker, trace)
            _, selection = test_random.random_selection(r, trace)
            query = oracle.Query(trace, window=window, **selection)
            tally.equal("sweep = brute force, overlap, seed %d" % seed, oracle.overlap(query, sweep.segments), oracle.overlap(query))
            tally.equal("sweep = brute force, transfers, seed %d" % seed, oracle.transfers(query, sweep.segments), oracle.transfers(query))
            first, last = min(o.start for o in trace.ops), max(o.end for o in trace.ops)
            cut = r.randint(first, last)
            tiles = [oracle.overlap(oracle.Query(trace, window=lambda d, w=w: w)) for w in ((first, cut), (cut, last))]
            whole = oracle.overlap(oracle.Query(trace))
            tally.equal("tiles, seed %d" % seed, [[(a[c] or 0) + (b[c] or 0) for c in LENGTHS] for a, b in zip(*tiles)],
                        [[w[c] or 0 for c in LENGTHS] for w in whole])
    tally.finish()


if __name__ == "__main__":
    main()
