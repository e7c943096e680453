#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Changes of the steps over time against jobs/changes_text.py, which has limits of its own and knows where its text leaves a choice.

ORACLE_SEEDS: how many random series (300). Series of more than 64 steps go to the program as the oracle's blocks; one of 15 is
also written as a trace, of which the program makes its own. ORACLE_LIST: list what only another reading explains.
"""
import os
import random
import subprocess
import sys
import tempfile

import wl

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "jobs"))
import changes_text
import writer

CHANGES = os.path.join(os.environ.get("WARPLENS_BUILD") or os.path.join(wl.ROOT, "build", "dev"), "changes")
ENOUGH = 100                    # series, among which all kinds are
SHAPES = ("constant", "level", "until", "episode", "faster", "warm-up", "drift", "spikes", "fifth", "ramp", "several")


def noise(r, n, deviation, heavy):
    """Normal, or with the tails of Student's t with 3 degrees of freedom; times of 10 ms."""
    tails = [(sum(r.gauss(0, 1) ** 2 for _ in range(3)) / 3) ** .5 if heavy else 1 for _ in range(n)]
    return [max(.05, 1 + deviation * r.gauss(0, 1) / tail) for tail in tails]


def factors(r, shape, n, size):
    """How many times as long as the first of its kind each step is."""
    begin, length = r.randrange(1, n - 1), r.randint(1, max(2, n // 3))
    inside = {"level": range(begin, n), "until": range(begin), "episode": range(begin, min(n, begin + length)),
              "faster": range(begin, min(n, begin + length)), "warm-up": range(length),
              "spikes": [i for i in range(n) if r.random() < .1], "fifth": range(r.randrange(5), n, 5)}
    if shape == "drift":
        signed = r.choice((-.5, 1)) * size
        return [1 + signed * i / (n - 1) for i in range(n)]
    if shape == "ramp":
        signed = r.choice((-.5, 1)) * size
        return [1 + signed * min(1, max(0, (i - begin + 1) / (length + 1))) for i in range(n)]
    if shape == "several":
        first, second = factors(r, r.choice(SHAPES[1:7]), n, size), factors(r, r.choice(SHAPES[1:7]), n, size)
        return [a * b for a, b in zip(first, second)]
    one = 1 / (1 + size) if shape == "faster" else 1 + size
    slow = set(inside.get(shape, ()))
    return [one if i in slow else 1 for i in range(n)]


def drawn(r):
    """(what it is, step lengths)"""
    n = r.choice((r.randint(10, 24), r.randint(16, 64), r.randint(65, 200)))
    shape, size, heavy = r.choice(SHAPES), r.uniform(.01, .5), r.random() < .5
    deviation = r.choice((0, .002, .01, .05))
    x = [round(1e7 * a * b) for a, b in zip(noise(r, n, deviation, heavy), factors(r, shape, n, size))]
    return "%s of %d, %.1f %%, noise %g%s" % (shape, n, 100 * size, deviation, " heavy" if heavy else ""), x


def asked(series):
    p = subprocess.run([CHANGES], input="".join(" ".join(map(str, x)) + "\n" for x in series), stdout=subprocess.PIPE, check=True, text=True)
    return [line.split() for line in p.stdout.splitlines()]


def verdict(words, values, size):
    """What the program says of the tested values, in the oracle's terms."""
    if words[0] == "none":
        return changes_text.Verdict("none")
    kind, (begin, end, inside, outside) = words[0], map(int, words[1:])
    n = len(values)
    if kind == "drift":
        reference = n // 4
        begin, end = (reference, n) if inside > outside else (0, n - reference)
        percent = 100 * (inside - outside) / changes_text.median(values)
    elif kind == "ramp":
        # The stretch is the line; inside is the level behind it, outside the one before it.
        line = begin * size, end * size - 1
        first, last = (line[0], n * size - 1) if inside > outside else (0, line[1])
        return changes_text.Verdict(kind, first, last, changes_text.against(inside, outside), 0, line)
    else:
        percent = 100 * abs(inside - outside) / min(inside, outside)
        if kind == "episode" and inside < outside and begin and end < n:
            percent = -percent
        elif inside < outside:
            begin, end = (end, n) if begin == 0 else (0, begin)
    return changes_text.Verdict(kind, begin * size, end * size - 1, percent, 0)


def alike(got, want):
    if got.kind != want.kind or got.kind == "none":
        return got.kind == want.kind
    return (got.first, got.last, got.line) == (want.first, want.last, want.line) and abs(got.percent - want.percent) < 1e-4


def compared(tally, named):
    """Counts of kinds, of series that the plainest reading decides, of those where only another reading does."""
    tested = [changes_text.blocks(x) for _, x in named]
    plain, other, wrong, kinds = 0, [], [], {}
    for (name, x), (values, size), words in zip(named, tested, asked([values for values, _ in tested])):
        got, allowed = verdict(words, values, size), changes_text.judge(x)
        kinds[got.kind] = kinds.get(got.kind, 0) + 1
        if alike(got, allowed[0]):
            plain += 1
        elif any(alike(got, one) for one in allowed):
            other.append("%s: %s of %s" % (name, got, allowed))
        else:
            wrong.append("%s: %s, not %s: %s" % (name, got, allowed, values))
    print("%d series, %s: %d by the plainest reading, %d by another, %d wrong"
          % (len(named), ", ".join("%s %d" % pair for pair in sorted(kinds.items())), plain, len(other), len(wrong)))
    if os.environ.get("ORACLE_LIST"):
        print("\n".join(other))
    tally.check("random series", wrong)
    if len(named) >= ENOUGH:
        tally.check("all kinds are among them", [k for k in ("none", "level", "episode", "warm-up", "drift", "ramp") if not kinds.get(k)])


def write(path, series):
    """A trace with a step before the series and one behind it, each a range that launches one kernel."""
    out, pid, at = writer.File(path, None), 71, 1_000_000
    out.process(pid)
    for i, period in enumerate([12_000_000] + series + [10_000_000]):
        begin = at + 20_000
        out.nvtx(pid, at, at + 15_000, "step")
        out.add("call", pid, 0, at + 2_000, at + 8_000, {"name": "cudaLaunchKernel_v7000", "correlation": i + 1})
        out.add("kernel", pid, 0, begin, begin + period * 9 // 10, {"name": "gemm", "stream": 7, "correlation": i + 1})
        at += period
    out.finish(1_700_000_000_000_000_000, 0, at + 20_000_000, "host", {})


def marked(verdict, n):
    """The steps, of n with the first and the last, that change: what is behind the blocks goes with them."""
    if verdict.kind == "none":
        return set()
    block = changes_text.blocks([0] * (n - 2))[1]
    end = n - 2 if verdict.last + 1 == (n - 2) // block * block else verdict.last + 1
    inside = set(range(verdict.first + 1, end + 1 + (end == n - 2)))
    return set(range(1, n)) - inside if verdict.percent < 0 and verdict.kind == "episode" else inside


def is_near(got, want, block):
    """The same but for an edge, which is looked for among the steps of the blocks beside it."""
    edges = {k for k in want if k - 1 not in want} | {k + 1 for k in want if k + 1 not in want}
    return all(any(abs(k - edge) <= block for edge in edges) for k in got ^ want)


def whole(tally, directory, named):
    """The column changed of iters, for whole traces."""
    wrong = []
    for i, (name, x) in enumerate(named):
        path = os.path.join(directory, "%d.sqlite" % i)
        write(path, x)
        rows = wl.run("iters", path)[1]["rows"]
        got, n = {k for k, row in enumerate(rows) if row["changed"]}, len(x) + 2
        allowed = [marked(verdict, n) for verdict in changes_text.judge(x)]
        block = changes_text.blocks([0] * (n - 2))[1]
        is_right = got in allowed or (block > 1 and got and any(steps and is_near(got, steps, block) for steps in allowed))
        if len(rows) != n or [row["period"] for row in rows[1:-1]] != x or not is_right:
            wrong.append("%s: %d steps, changed %s, not %s" % (name, len(rows), sorted(got), [sorted(steps) for steps in allowed]))
        os.remove(path)
    print("%d whole traces, %d wrong" % (len(named), len(wrong)))
    tally.check("whole traces", wrong)


def main():
    tally, r = wl.Tally(), random.Random(int(os.environ.get("ORACLE_BASE", "1")))
    named = [drawn(r) for _ in range(int(os.environ.get("ORACLE_SEEDS", "300")))]
    compared(tally, named)
    with tempfile.TemporaryDirectory(prefix="wl-changes-") as directory:
        whole(tally, directory, named[::15])
    tally.finish()


if __name__ == "__main__":
    main()
