# SPDX-License-Identifier: MIT
"""Change over time, written from the definition alone: a series of step lengths gives level, drift, ramp, episode, warm-up or none.

Where the definition leaves a choice, judge() gives every verdict that a reading of it allows, the plainest reading first.
`python3 changes_text.py` prints THRESHOLDS again from shuffles with a fixed seed.
"""
import itertools
import math
import operator
import random
import sys

SHORTEST, BLOCKS, STRETCH, MOVE = 16, 64, 4, 3
ORDERS, SEED = 2000, 22
PRINTED = {18: 17.6, 23: 23.0, 28: 29.0, 42: 46.2, 57: 65.1, 62: 71.4}
# Tables from 2,000 orders differ by so much: twice the standard error of one.
NEAR = 0.04
THRESHOLDS = (
    14.83, 15.55, 16.60, 18.26, 19.92, 20.67, 21.90, 23.56, 24.43, 25.62, 26.20, 27.76, 29.70, 30.99, 32.39, 33.03, 35.05,
    36.56, 36.69, 38.10, 38.91, 40.62, 41.78, 43.71, 43.40, 46.11, 46.50, 47.65, 49.76, 50.80, 51.78, 53.13, 54.17, 53.77,
    56.69, 59.12, 57.58, 59.95, 60.31, 63.58, 63.46, 64.46, 67.23, 67.94, 68.47, 69.41, 71.64, 73.68, 72.75,
)


class Verdict:
    """kind, the changed steps first to last (of the series, from 0), percent, what the test found (effect, z or a share of the sum of
    differences), and of a ramp the first and the last step that are at neither level."""
    def __init__(self, kind, first=None, last=None, percent=None, strength=None, line=None):
        self.kind, self.first, self.last, self.percent, self.strength, self.line = kind, first, last, percent, strength, line

    def __repr__(self):
        return (f"{self.kind} {self.first}-{self.last} {self.percent:+.2f} % ({self.strength:.3f})"
                + (f" between levels {self.line[0]}-{self.line[1]}" if self.line else "") if self.percent is not None else self.kind)


def median(values):
    """The mean of the two in the middle; of times, which are whole, rounded down."""
    ordered = sorted(values)
    two = ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]
    return two // 2 if isinstance(two, int) else two / 2


def blocks(series):
    """The tested values and the number of steps that each is the median of; what does not fill a block is dropped."""
    if len(series) <= BLOCKS:
        return list(series), 1
    size = -(-len(series) // BLOCKS)
    return [median(series[i * size:(i + 1) * size]) for i in range(len(series) // size)], size


def ranks(values):
    """From 1; equal values share the mean of their ranks."""
    order = sorted(range(len(values)), key=values.__getitem__)
    found = [0.0] * len(values)
    for _, group in itertools.groupby(enumerate(order, 1), key=lambda pair: values[pair[1]]):
        group = list(group)
        for _, i in group:
            found[i] = sum(place for place, _ in group) / len(group)
    return found


def best_stretch(ranked):
    """(effect, begin, end) of every allowed stretch of the largest effect: one for each length."""
    n = len(ranked)
    mean = sum(ranked) / n
    sums = list(itertools.accumulate((r - mean for r in ranked), initial=0.0))
    for m in range(STRETCH, n - STRETCH + 1):
        over = [abs(x) for x in map(operator.sub, sums[m:], sums)]
        # Begins 0 and n - m touch an edge; others leave at least STRETCH on both sides.
        allowed = over[:1] + [-1.0] * (STRETCH - 1) + over[STRETCH:n - m - STRETCH + 1]
        allowed += [-1.0] * (n - m - len(allowed)) + over[n - m:]
        largest = max(allowed)
        # |mean inside - mean outside| sqrt(m (n - m) / n), for a sum of centred ranks.
        yield largest * math.sqrt(n / (m * (n - m))), allowed.index(largest), allowed.index(largest) + m


def thresholds():
    """For each n the value that 1 of 200 random orders exceeds."""
    table = []
    for n in range(SHORTEST, BLOCKS + 1):
        rng = random.Random(SEED * 1000 + n)
        effects = []
        for _ in range(ORDERS):
            order = list(range(1, n + 1))
            rng.shuffle(order)
            effects.append(max(effect for effect, _, _ in best_stretch(order)))
        table.append(sorted(effects)[-1 - ORDERS // 200])
    return table


def printed(n):
    """The definition's threshold, between its printed ones by a line in n."""
    known = sorted(PRINTED)
    left = max((k for k in known if k <= n), default=known[0])
    right = min((k for k in known if k >= n), default=known[-1])
    if left == right:
        left, right = (known[:2] if n <= known[0] else known[-2:]) if n not in PRINTED else (left, right + 1)
    slope = (PRINTED.get(right, PRINTED[left]) - PRINTED[left]) / (right - left)
    return PRINTED[left] + slope * (n - left)


def outside(values, begin, end):
    return values[:begin] + values[end:]


def apart(values, centre):
    return sum(abs(v - centre) for v in values)


def spread(values, begin, end, centres=None):
    """Sum of absolute differences from the two medians, those given or those of this split."""
    inner, outer = centres or (median(values[begin:end]), median(outside(values, begin, end)))
    return apart(values[begin:end], inner) + apart(outside(values, begin, end), outer)


def refined(values, begin, end):
    """Where the boundaries may end: with the medians found or those of each place, with sides of 4 or of 1; all that tie."""
    n = len(values)
    found = []
    fixed = median(values[begin:end]), median(outside(values, begin, end))
    for centres, shortest in ((fixed, 1), (fixed, STRETCH), (None, 1), (None, STRETCH)):
        places = [(b, e) for b in (range(begin - MOVE, begin + MOVE + 1) if begin else [0])
                  for e in (range(end - MOVE, end + MOVE + 1) if end < n else [n])
                  if e - b >= shortest and (b == begin == 0 or b >= shortest) and (e == end == n or n - e >= shortest)]
        cost = {place: spread(values, *place, centres) for place in places}
        least = min(cost.values())
        ties = [place for place in places if cost[place] <= least * (1 + 1e-12)]
        found += sorted(ties, key=lambda place: abs(place[0] - begin) + abs(place[1] - end))
    return list(dict.fromkeys(found))


def against(inside, out):
    """Percent that the slower is over the faster."""
    slow, fast = max(inside, out), min(inside, out)
    return 100 * (slow - fast) / fast if fast else math.inf


def named(values, begin, end, strength):
    """A stretch's verdict: the slower of two sides is what changed; a stretch that touches neither edge is an episode."""
    n = len(values)
    inside, out = median(values[begin:end]), median(outside(values, begin, end))
    if begin and end < n:
        return Verdict("episode", begin, end - 1, against(inside, out) * (1 if inside > out else -1), strength)
    if inside < out:
        begin, end = (end, n) if begin == 0 else (0, begin)
    # Figures of the definition: 11 of 28 and 31 of 62 are levels, 15 of 62 a warm-up; the bound between them is a choice, a quarter.
    kind = "warm-up" if begin == 0 and 4 * end <= n else "level"
    return Verdict(kind, begin, end - 1, against(inside, out), strength)


def distinct(answers):
    """True, False, or both where readings differ."""
    return list(dict.fromkeys(answers))


def levels(values):
    """Verdicts of the level test with their residuals; None stands for no level."""
    n = len(values)
    tests = list(best_stretch(ranks(values)))
    effect = max(e for e, _, _ in tests)
    bounds = THRESHOLDS[n - SHORTEST], printed(n)
    low, high = min(bounds) * (1 - NEAR), max(bounds) * (1 + NEAR)
    passes = distinct((effect >= low, effect >= high))
    found = []
    for e, begin, end in tests:
        if e < effect * (1 - 1e-12) or True not in passes:
            continue
        inside, out = median(values[begin:end]), median(outside(values, begin, end))
        differ = distinct(abs(inside - out) >= 0.03 * base for base in (min(inside, out), max(inside, out)))
        if True in differ:
            found += [(named(values, b, e, effect), spread(values, b, e)) for b, e in refined(values, begin, end)]
        if False in differ:
            found.append(None)
    return found + [None] * (False in passes or not found)


def drift(values):
    """The drift's verdict and its residuals, or None."""
    n = len(values)
    pairs = list(itertools.combinations(range(n), 2))
    s = sum((values[j] > values[i]) - (values[j] < values[i]) for i, j in pairs)
    z = (s - (s > 0) + (s < 0)) / math.sqrt(n * (n - 1) * (2 * n + 5) / 18)
    slope = median([(values[j] - values[i]) / (j - i) for i, j in pairs])
    rise, centre = slope * (n - 1), median(values)
    if abs(z) < 2.81 or abs(rise) < 0.03 * centre:
        return None
    flat = [v - slope * i for i, v in enumerate(values)]
    reference = n // 4
    first, last = (reference, n - 1) if slope > 0 else (0, n - 1 - reference)
    return Verdict("drift", first, last, 100 * rise / centre, z), apart(flat, median(flat))


def lines(values):
    """(sum of differences, begin, end, level before, level behind) of each straight line over four numbers or more between two levels."""
    n = len(values)
    before = [0] + [median(values[:i]) for i in range(1, n)]
    behind = [0] + [median(values[i:]) for i in range(1, n)]
    left = [apart(values[:i], before[i]) for i in range(n)]
    right = [apart(values[i:], behind[i]) for i in range(n)]
    for begin, end in itertools.combinations(range(1, n), 2):
        a, b = before[begin], behind[end]
        # Levels that are equal differ by no 3%.
        if end - begin >= STRETCH and (begin if a < b else n - end) >= STRETCH:
            rise = (b - a) / (end - begin + 1)
            between = sum(abs(values[begin + i] - a - rise * (i + 1)) for i in range(end - begin))
            yield left[begin] + between + right[end], begin, end, a, b


def ramp(values, residuals):
    """Verdicts in place of a level or a drift with these residuals; None stands for no ramp. Lines nearer than rounding tie."""
    n, found = len(values), []
    all_lines = list(lines(values))
    for bound in (min, max):
        plainest = len(found)
        tested = [one for one in all_lines if abs(one[4] - one[3]) >= 0.03 * bound(one[3:])]
        least = min((one[0] for one in tested), default=math.inf)
        for cost, begin, end, a, b in sorted(one for one in tested if one[0] <= least + n):
            first, last = (begin, n - 1) if a < b else (0, end - 1)
            if cost - n <= 0.75 * residuals:
                found.append(Verdict("ramp", first, last, against(a, b), cost / residuals if residuals else 0.0, (begin, end - 1)))
        if least > 0.75 * residuals - n:
            found.insert(plainest if least > 0.75 * residuals else len(found), None)
    return found


def episode(values):
    n = len(values)
    centre = median(values)
    deviation = 1.4826 * median([abs(v - centre) for v in values])
    slow = [i for i, v in enumerate(values) if v > 1.05 * centre and v > centre + 3.5 * deviation]
    k = len(slow)
    if k < 3 or 2 * k > n or slow[-1] - slow[0] != k - 1 or 200 * (n - k + 1) > math.comb(n, k):
        return Verdict("none")
    begin, end = slow[0], slow[-1] + 1
    inside, out = median(values[begin:end]), median(outside(values, begin, end))
    kind = "episode" if begin else "warm-up" if 4 * end <= n else "level"
    return Verdict(kind, begin, end - 1, against(inside, out), k)


def judge(series):
    """Every verdict that the definition allows for step lengths without the first and the last step's."""
    if len(series) < SHORTEST:
        return [Verdict("none")]
    values, size = blocks(series)
    trend = drift(values)
    found = []
    for level in levels(values):
        if level is None:
            passed = [trend] if trend else []
        elif trend is None:
            passed = [level]
        elif abs(level[1] - trend[1]) <= 1e-9 * level[1]:
            passed = [level, trend]
        else:
            passed = [min(level, trend, key=lambda one: one[1])]
        if not passed:
            found.append(episode(values))
        for verdict, residuals in passed:
            if verdict.kind in ("level", "drift"):
                found += [instead or verdict for instead in ramp(values, residuals)]
            else:
                found.append(verdict)
    for verdict in dict.fromkeys(found):
        if verdict.first is not None:
            verdict.first, verdict.last = verdict.first * size, verdict.last * size + size - 1
        if verdict.line:
            verdict.line = verdict.line[0] * size, verdict.line[1] * size + size - 1
    return list(dict.fromkeys(found))


if __name__ == "__main__":
    sys.stdout.write(", ".join(f"{value:.2f}" for value in thresholds()) + "\n")
