#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Changes of the steps over time against a second computation, on random series; and how often order alone looks like one.

ORACLE_SEEDS: how many random series (1,000); RATES=all: all series that the stated rates are of, which takes minutes.
"""
import os
import random
import subprocess

import step_changes
import wl

CHANGES = os.path.join(os.environ.get("WARPLENS_BUILD") or os.path.join(wl.ROOT, "build", "dev"), "changes")
# n, standard deviation, heavy tails, how many series; how many of these the definition states as changes
RATES = ((18, .05, False, 2000, 16), (18, .05, True, 2000, 12), (28, .05, False, 1000, 10), (28, .05, True, 1000, 8),
         (60, .05, False, 600, 10), (60, .05, True, 600, 7), (18, .01, False, 1200, 1), (60, .01, False, 400, 0))
WANDERING = ((18, .5, .13), (60, .5, .40), (18, .8, .36), (60, .8, .87))


def noise(r, n, deviation, heavy):
    """Normal, or with the tails of Student's t with 3 degrees of freedom; about a step of 10 ms."""
    def one():
        return r.gauss(0, 1) / ((sum(r.gauss(0, 1) ** 2 for _ in range(3)) / 3) ** .5 if heavy else 1)
    return [max(1, round(1e7 * (1 + deviation * one()))) for _ in range(n)]


def drawn(r):
    """A random series with or without a change."""
    n, deviation = r.randint(14, 64), r.choice([0, .001, .01, .05])
    x, kind, size = noise(r, n, deviation, r.random() < .3), r.randrange(7), r.choice([.02, .03, .05, .3])
    begin = r.randrange(n)
    end = min(n, begin + r.randint(1, n))
    if kind == 1:
        x = [v + round(v * size) if begin <= i < end else v for i, v in enumerate(x)]
    elif kind == 2:
        x = [round(v * (1 + r.choice([-1, 1]) * size * i / n)) for i, v in enumerate(x)]
    elif kind == 3:
        x = [round(v * (1 + size * i / n)) for i, v in enumerate(x)]
    elif kind == 4:
        x = [v // 100000 * 100000 for v in x]                       # many are equal
    elif kind == 5:
        x = [v + round(v * size) if i < begin // 2 else v for i, v in enumerate(x)]
    elif kind == 6:
        up = r.choice([-1, 1])
        x = [v + round(v * up * size * min(1, max(0, (i - begin) / (end - begin)))) for i, v in enumerate(x)]
    return x


def wandering(r, n, factor):
    """Each value remembers the one before it."""
    x, at = [], 0
    for _ in range(n):
        at = factor * at + (1 - factor ** 2) ** .5 * r.gauss(0, .05)
        x.append(max(1, round(1e7 * (1 + at))))
    return x


def asked(series):
    """What the program finds: (kind, begin, end, inside, outside), or the kind alone."""
    p = subprocess.run([CHANGES], input="".join(" ".join(map(str, x)) + "\n" for x in series), stdout=subprocess.PIPE, check=True, text=True)
    return [tuple(w if w.isalpha() or "-" in w else int(w) for w in line.split()) for line in p.stdout.splitlines()]


def near(got, want):
    """Lines of drifts are computed with fractions; the program rounds them down."""
    return got[:3] == want.key() and abs(got[3] - want.inside) <= 2 and abs(got[4] - want.outside) <= 2


def same(tally, series, table):
    wrong, kinds = [], {}
    for i, (x, got) in enumerate(zip(series, asked(series))):
        want = step_changes.change(x, table)
        kinds[got[0]] = kinds.get(got[0], 0) + 1
        if got != ("none",) if want is None else got == ("none",) or not near(got, want):
            wrong.append("%d: %s, not %s" % (i, got, want and (want.key(), want.inside, want.outside)))
    tally.check("random series", wrong)
    tally.check("all kinds are among them", [k for k in ("none", "level", "episode", "warm-up", "drift", "ramp") if not kinds.get(k)])


def share_found(series):
    return sum(got != ("none",) for got in asked(series)) / len(series)


def rates(tally):
    r = random.Random(22)
    for n, deviation, heavy, count, stated in RATES:
        if os.environ.get("RATES") != "all":
            count, stated = count // 4, stated / 4
        got = share_found([noise(r, n, deviation, heavy) for _ in range(count)]) * count
        print("n %d, sd %g%s: %d of %d" % (n, deviation, ", heavy" if heavy else "", got, count))
        # Counts of rare events: three standard deviations of the stated rate, or of 1 of 100.
        most = max(stated, count / 100)
        tally.check("n %d sd %g heavy %d" % (n, deviation, heavy), [] if got <= most + 3 * most ** .5 else ["%d of %d" % (got, count)])
    for n, factor, stated in WANDERING:
        got = share_found([wandering(r, n, factor) for _ in range(300)])
        print("n %d, wandering %g: %.0f %%" % (n, factor, 100 * got))
        tally.check("wandering n %d %g" % (n, factor), [] if abs(got - stated) < .12 else ["%g, not %g" % (got, stated)])


def main():
    tally, r = wl.Tally(), random.Random(int(os.environ.get("ORACLE_BASE", "1")))
    same(tally, [drawn(r) for _ in range(int(os.environ.get("ORACLE_SEEDS", "1000")))], step_changes.limits())
    rates(tally)
    tally.finish()


if __name__ == "__main__":
    main()
