#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""diff on pairs of traces in which nothing changed but noise: at most one verdict in twenty may be wrong.

DIFF_PAIRS: how many pairs (default 20); DIFF_BASE: the first (default 1). Seeds are fixed, so a run can be repeated.
"""
import os
import tempfile

import planted
import wl

SMALL = ["--ranks", "2", "--layers", "1", "--iters", "30", "--variants", "4"]
SIGMAS = ("0.003", "0.01", "0.02", "0.03")
FALSE_SHARE = 0.05


def verdict(a, b):
    _, document = wl.run("diff", a, b, "--section", "verdict")
    return document["rows"][0]["verdict"]


def main():
    count, base = int(os.environ.get("DIFF_PAIRS", "20")), int(os.environ.get("DIFF_BASE", "1"))
    tally, found = wl.Tally(), {}
    with tempfile.TemporaryDirectory(prefix="wl-noise-") as scratch:
        source, a, b = (os.path.join(scratch, n + ".sqlite") for n in ("source", "a", "b"))
        planted.generate(source, SMALL)
        for pair in range(base, base + count):
            sigma = SIGMAS[pair % len(SIGMAS)]
            planted.plant(source, a, ["noise", sigma, 2 * pair])
            planted.plant(source, b, ["noise", sigma, 2 * pair + 1])
            key = sigma, verdict(a, b)
            found[key] = found.get(key, 0) + 1
    for (sigma, v), n in sorted(found.items()):
        print("noise %s: %s %d" % (sigma, v, n))
    wrong = sum(n for (_, v), n in found.items() if v in ("slower", "faster"))
    tally.check("verdicts without a change", ["%d of %d" % (wrong, count)] if wrong > FALSE_SHARE * count else [])
    tally.finish()


if __name__ == "__main__":
    main()
