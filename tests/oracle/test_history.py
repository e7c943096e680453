#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Changes over runs against another computation: every split of every night by brute force, Student's distribution by
integration, and the exact distribution of a bootstrap in place of draws."""
import json
import math
import os
import random
import subprocess
import sys

import wl

DUMP = os.path.join(os.environ.get("WARPLENS_BUILD") or os.path.join(wl.ROOT, "build", "dev"), "history_dump")
ENOUGH, CONFIRMED, WINDOW = 5, 3, 256
VERDICT, SEARCH = 0.005, 0.001


def tail(t, freedom):
    """Both tails, by Simpson's rule over the angle: t = sqrt(freedom) tan(angle), density cos(angle)^(freedom - 1)."""
    def area(low, high, n=1000):
        step = (high - low) / n
        return step / 3 * sum(math.cos(low + i * step) ** (freedom - 1) * (1 if i in (0, n) else 4 if i % 2 else 2)
                              for i in range(n + 1))
    angle = math.atan(abs(t) / math.sqrt(freedom))
    # cos(pi/2) is not quite 0, which a power of 0 does not mind
    return area(angle, math.pi / 2) / area(0, math.pi / 2)


def mean(values):
    return math.fsum(values) / len(values)


def scatter(values):
    m = mean(values)
    return math.fsum((v - m) ** 2 for v in values)


def t_value(before, after):
    change = mean(after) - mean(before)
    freedom = len(before) + len(after) - 2
    squared = (scatter(before) + scatter(after)) / freedom * (1 / len(before) + 1 / len(after))
    if change == 0:
        return 0.0
    return change / math.sqrt(squared) if squared > 0.25 else math.copysign(math.inf, change)


def median(values):
    s = sorted(values)
    low, high = s[(len(s) - 1) // 2], s[len(s) // 2]
    return low + (high - low) // 2


def medians(pool, draws):
    """{median of that many draws: probability}. Draws are of equal chance; between the two middle ones lies the median."""
    pool = sorted(pool)
    n = len(pool)
    rank = (draws - 1) // 2

    def at_most(i, r):
        """P(the draw of rank r is one of the first i)"""
        p = i / n
        return math.fsum(math.comb(draws, k) * p ** k * (1 - p) ** (draws - k) for k in range(r + 1, draws + 1))

    out = {}
    if draws % 2:
        for i in range(n):
            out[pool[i]] = out.get(pool[i], 0) + at_most(i + 1, rank) - at_most(i, rank)
        return out

    def split(i, j):
        """P(the lower half is among the first i, the upper half from index j on), i <= j"""
        half = draws // 2
        return math.comb(draws, half) * (i / n) ** half * ((n - j) / n) ** half

    for i in range(n):
        for j in range(i + 1, n):
            p = split(i + 1, j) - split(i, j) - split(i + 1, j + 1) + split(i, j + 1)
            v = pool[i] + (pool[j] - pool[i]) // 2
            out[v] = out.get(v, 0) + p
        both = at_most(i + 1, rank) - at_most(i, rank)
        # the lower middle at i: what is left when the upper middle is beyond it
        beyond = math.fsum(split(i + 1, j) - split(i, j) - split(i + 1, j + 1) + split(i, j + 1) for j in range(i + 1, n))
        out[pool[i]] = out.get(pool[i], 0) + both - beyond
    return out


def is_quantile(distribution, value, p, slack):
    below = math.fsum(q for v, q in distribution.items() if v < value - 1)
    to = math.fsum(q for v, q in distribution.items() if v <= value + 1)
    return below - slack <= p <= to + slack


def check_interval(before, after, got, what):
    residuals = [v - median(before) for v in before]
    medians_used = 1
    if len(after) > 1:
        residuals += [v - median(after) for v in after]
        medians_used = 2
    factor = math.sqrt(len(residuals) / (len(residuals) - medians_used))
    residuals = [round(r * factor) for r in residuals]
    one = medians([median(before) + r for r in residuals], len(before))
    other = medians([median(after) + r for r in residuals], len(after))
    assert abs(sum(one.values()) - 1) < 1e-9 and abs(sum(other.values()) - 1) < 1e-9
    differences = {}
    for b, p in one.items():
        for a, q in other.items():
            differences[a - b] = differences.get(a - b, 0) + p * q
    # 2,000 draws of 2.5% have a standard deviation of 0.35%
    assert is_quantile(differences, got["low"], 0.025, 0.014), (what, "low", got)
    assert is_quantile(differences, got["high"], 0.975, 0.014), (what, "high", got)


def decide(before, after, low, high, threshold):
    change = median(after) - median(before)
    limit = threshold * median(before)
    if low > 0 and change >= limit:
        word = "slower"
    elif high < 0 and -change >= limit:
        word = "faster"
    else:
        return "same" if low >= -limit and high <= limit else "inconclusive"
    return word if tail(t_value(before, after), len(before) + len(after) - 2) <= VERDICT else "inconclusive"


def close(a, b):
    return abs(a - b) <= 1e-9 + 1e-6 * max(abs(a), abs(b))


def check_verdict(values, lo, at, hi, got, threshold, baseline, what):
    """The verdict on runs [lo, at) and [at, hi); the interval is the program's once it is checked."""
    lo, hi = max(lo, at - baseline), min(hi, at + baseline)
    assert (got["from"], got["at"], got["end"]) == (lo, at, hi), (what, (lo, at, hi), got)
    if at - lo < ENOUGH:
        assert got["verdict"] == "insufficient", (what, got)
        return
    before, after = values[lo:at], values[at:hi]
    assert (got["before"], got["after"]) == (median(before), median(after)), (what, got)
    check_interval(before, after, got, what)
    chance = tail(t_value(before, after), hi - lo - 2)
    assert close(got["chance"], chance), (what, chance, got)
    noise = math.sqrt((scatter(before) + scatter(after)) / (hi - lo - 2))
    assert abs(got["noise"] - noise) <= 0.51, (what, noise, got)
    word = decide(before, after, got["low"], got["high"], threshold)
    assert got["verdict"] == word or abs(chance - VERDICT) < 1e-9, (what, word, got)


class Unsure(Exception):
    """A decision at its limit, which two computations may see differently."""


def best_split(values, lo, hi, least):
    splits = [(abs(t_value(values[lo:at], values[at:hi])), -at) for at in range(lo + least, hi - CONFIRMED + 1)]
    if not splits:
        return None
    t, at = max(splits)
    if sum(1 for other, _ in splits if other > t * (1 - 1e-9)) > 1 and t > 0:
        raise Unsure
    chance = tail(t, hi - lo - 2) * len(splits)
    if abs(chance / SEARCH - 1) < 1e-3:
        raise Unsure
    return -at if chance <= SEARCH and t > 0 else None


def exact_interval(before, after):
    """Low and high of the exact distribution, and whether they are sure to lie on one side of what matters."""
    residuals = [v - median(before) for v in before] + ([v - median(after) for v in after] if len(after) > 1 else [])
    factor = math.sqrt(len(residuals) / (len(residuals) - (2 if len(after) > 1 else 1)))
    residuals = [round(r * factor) for r in residuals]
    one = medians([median(before) + r for r in residuals], len(before))
    other = medians([median(after) + r for r in residuals], len(after))
    pairs = sorted((a - b, p * q) for b, p in one.items() for a, q in other.items())

    def quantile(p):
        total = 0
        for v, q in pairs:
            total += q
            if total >= p:
                return v
        return pairs[-1][0]
    return [(quantile(0.025 + e), quantile(0.975 - e)) for e in (-0.011, 0.011)]


def is_change(values, lo, at, hi, threshold, baseline):
    lo, hi = max(lo, at - baseline), min(hi, at + baseline)
    before, after = values[lo:at], values[at:hi]
    if len(before) < ENOUGH:
        return False
    words = {decide(before, after, low, high, threshold) in ("slower", "faster")
             for low, high in exact_interval(before, after)}
    if len(words) > 1:
        raise Unsure
    return words.pop()


def changes(values, threshold, baseline):
    """[(run, run with which it was certain)]"""
    seen, start = [], 0
    for hi in range(1, len(values) + 1):
        lo = max(start, hi - WINDOW)
        at = best_split(values, lo, hi, ENOUGH)
        if at is not None and is_change(values, lo, at, hi, threshold, baseline):
            seen.append((at, hi - 1))
            start = at
    kept = []
    for i, (_, confirmed) in enumerate(seen):
        lo = kept[-1][0] if kept else 0
        hi = seen[i + 1][0] if i + 1 < len(seen) else len(values)
        at = best_split(values, lo, hi, CONFIRMED if kept else ENOUGH)
        if at is None:
            continue
        first = lo if at - lo >= ENOUGH else at - ENOUGH
        if is_change(values, first, at, hi, threshold, baseline):
            kept.append((at, confirmed, first, hi))
    return kept


def series(rng):
    n = rng.choice((1, 4, 6, 8, 9, 12, 20, 35, 50))
    level = rng.choice((1000, 10 ** 6, 5 * 10 ** 7, 10 ** 10))
    noise = rng.choice((0, 0.001, 0.01, 0.02, 0.05))
    values = []
    for _ in range(n):
        if rng.random() < 0.07:
            level *= rng.choice((0.8, 0.93, 1.03, 1.08, 1.3))
        values.append(int(level * (1 + noise * rng.gauss(0, 1))))
    return rng.choice((0, 0.01, 0.05)), rng.choice((5, 10, 10, 20)), values


def states(values, found):
    """The state of each change, and where the level that counts and the one before it begin. Nothing is acknowledged."""
    state, first, older = ["open"] * len(found), 0, 0
    for i, c in enumerate(found):
        if c["verdict"] == "slower":
            continue
        state[i] = "over"
        for k in range(i):
            if state[k] == "open" and c["after"] <= middle(found[k]):
                state[k] = "over"
        if "open" not in state[:i]:
            first, older = c["at"], first
    return state, first, older


def middle(change):
    return change["before"] + (change["after"] - change["before"]) // 2


def check_newest(values, answer, threshold, baseline, number):
    """The newest run against runs of the level that counts: none of an open change, none that stands out."""
    runs, found = answer["runs"], answer["changes"]
    state, first, older = states(values, found)
    assert answer["states"] == state, (number, state, answer)
    belongs = [any(s == "open" and run >= c["at"] and v > middle(c) for s, c in zip(state, found)) for run, v in enumerate(values)]
    newest = len(values) - 1
    assert runs[-1] == newest and runs == sorted(set(runs)) and len(runs) <= baseline + 1, (number, answer)
    assert not any(belongs[run] for run in runs[:-1]), (number, answer)
    level = [run for run in range(first, newest) if not belongs[run]]
    assert all(run >= (first if len(level) >= 2 * ENOUGH else older) for run in runs), (number, first, older, answer)
    assert answer["is_open"] == belongs[newest], (number, answer)
    if answer["is_open"]:
        assert answer["newest"]["verdict"] in ("slower", "insufficient"), (number, answer)
    elif runs[0] >= first:
        check_verdict([values[run] for run in runs], 0, len(runs) - 1, len(runs), answer["newest"], threshold, baseline, number)
    # Of runs that later ones have explained, only those that stand out by seven scaled MADs are left out.
    settled = [run for run in level if run + ENOUGH < newest][-baseline:]
    if runs[0] >= first and len(settled) >= ENOUGH:
        base = [values[run] for run in level[-baseline - ENOUGH:]]
        for run in settled:
            distance = abs(values[run] - median(base))
            spread = sorted(abs(v - median(base)) for v in base)[len(base) // 2]
            assert run in runs or run < runs[0] or distance > 2 * spread or distance > threshold * median(base), (number, run, answer)


def movers(rng):
    """A line of input and the answer."""
    lo = rng.randrange(3)
    at = lo + rng.randrange(1, 5)
    hi = at + rng.randrange(1, 5)
    n = rng.randrange(1, 7)
    hosts = rng.random() < 0.5
    cells = [(r, w, rng.randrange(1, 10 ** rng.randrange(2, 10)), rng.choice((0, 1, 2, 2.5, 8)) if not hosts else 0)
             for r in range(hi + 2) for w in range(n) if rng.random() < 0.7]
    line = "movers %d %d %d %d %d %s" % (hosts, lo, at, hi, n, " ".join("%d %d %d %g" % c for c in cells))
    rows = []
    for w in range(n):
        sides = []
        for first, end in ((lo, at), (at, hi)):
            group = [c for c in cells if first <= c[0] < end]
            own = [c for c in group if c[1] == w]
            used = own if own or not hosts else group
            by = end - first if not hosts else max(len(used), 1)
            sides.append((len(own), sum(c[2] for c in used) / by, sum(c[3] for c in used) / by))
        (n_before, before, calls), (n_after, after, calls_after) = sides
        if not n_before and not n_after:
            continue
        change = math.floor(after + 0.5) - math.floor(before + 0.5)
        count = 0
        if calls > 0:
            effect = (calls_after - calls) * before / calls
            count = int(math.copysign(math.floor(abs(effect) + 0.5), effect))
        elif calls_after > 0:
            count = change
        rows.append([w, n_before, n_after, math.floor(before + 0.5), math.floor(after + 0.5), change, count, change - count])
    rows.sort(key=lambda r: (-abs(r[5]), r[0]))
    return line, rows


def main():
    if not os.path.exists(DUMP):
        print("skipped: no", DUMP)
        return 77
    asked, lines = [], []
    for seed in wl.seeds(40):
        rng = random.Random(seed)
        asked.append(series(rng))
        lines.append("%r %d %s" % (asked[-1][0], asked[-1][1], " ".join(map(str, asked[-1][2]))))
        line, rows = movers(rng)
        asked.append(rows)
        lines.append(line)
    p = subprocess.run([DUMP], input="\n".join(lines) + "\n", stdout=subprocess.PIPE, check=True, timeout=600, text=True)
    answers = [json.loads(line) for line in p.stdout.splitlines()]
    assert len(answers) == len(asked)
    n_changes = n_unsure = 0
    for number, (question, answer) in enumerate(zip(asked, answers)):
        if isinstance(question, list):
            assert all(abs(a - b) <= 1 for got, want in zip(answer, question) for a, b in zip(got, want)) and \
                len(answer) == len(question), (number, question, answer)
            continue
        threshold, baseline, values = question
        try:
            kept = changes(values, threshold, baseline)
            assert [(c["at"], c["confirmed"]) for c in answer["changes"]] == [k[:2] for k in kept], (number, kept, answer)
        except Unsure:
            n_unsure += 1
            continue
        for (at, _, lo, hi), got in zip(kept, answer["changes"]):
            check_verdict(values, lo, at, hi, got, threshold, baseline, number)
        check_newest(values, answer, threshold, baseline, number)
        n_changes += len(kept)
    print("%d series with %d changes agree, %d at a limit" % (len(asked) // 2 - n_unsure, n_changes, n_unsure))
    assert n_unsure * 10 < len(asked), "too many series at a limit"
    return 0


if __name__ == "__main__":
    sys.exit(main())
