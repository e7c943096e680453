# SPDX-License-Identifier: MIT
"""Robust lines: Theil-Sen slope, median offset, nearest-rank percentiles."""


def median(values):
    v = sorted(values)
    return v[(len(v) - 1) // 2]


def percentile(values, p):
    """Nearest rank."""
    v = sorted(values)
    return v[max(0, -(-len(v) * p // 100) - 1)]


def thinned(points, most):
    n = len(points)
    return points if n <= most else [points[i * (n - 1) // (most - 1)] for i in range(most)]


def theil_sen(points, most=200):
    """Slope of d = x - y over y for points (y, x)."""
    some = thinned(points, most)
    base = some[0][0] if some else 0
    p = [(y - base, x - y) for y, x in some]
    slopes = [(p[j][1] - p[i][1]) / (p[j][0] - p[i][0]) for i in range(len(p)) for j in range(i + 1, len(p)) if p[j][0] != p[i][0]]
    return median(slopes) if slopes else 0.0


def fit(points, with_drift, most=200):
    """(offset at y = 0, slope): x = y + offset + slope * y."""
    slope = theil_sen(points, most) if with_drift else 0.0
    return median([x - y - round(slope * y) for y, x in points]), slope


def agreeing(points, tolerance):
    """How many points lie within the tolerance of their own line."""
    if not points:
        return 0
    offset, slope = fit(points, len(points) >= 3, 24)
    slope = slope if abs(slope) < 1e-3 else 0.0             # no two clocks of a job drift that far apart
    if not slope:
        offset = fit(points, False)[0]
    return sum(abs(x - y - offset - round(slope * y)) <= tolerance for y, x in points)
