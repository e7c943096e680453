# SPDX-License-Identifier: MIT
"""Compares rows of warplens (JSON objects) with rows of the oracle (dictionaries)."""
import re

RATIOS = {"share", "overlap", "overlap_min", "overlap_max", "bandwidth", "vs_median", "coverage", "nodes_per_replay", "comm_share", "short_5", "short_10",
          "short_20", "mean", "link_share", "rate"}
TRIPLES = {"grid", "block"}
NUMBERS_AS_TEXT = {"pid", "stream", "device"}           # 64-bit ids may be strings in JSON
OPEN = object()                                         # in a row of the oracle: the definitions leave the cell open
UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\ufffd\u2400-\u2426]+")


def plain(name):
    """A name with whatever the renderer may do to control characters and bad UTF-8 undone."""
    return UNPRINTABLE.sub("\ufffd", name)


def normal(column, value):
    if value is None:
        return None
    if column in TRIPLES:
        return tuple(value) if isinstance(value, (tuple, list)) else tuple(int(n) for n in re.findall(r"-?\d+", value))
    if column in NUMBERS_AS_TEXT:
        return int(value)
    return plain(value) if isinstance(value, str) else value


def same(column, got, want):
    if want is OPEN:
        return True
    if column in RATIOS and got is not None and want is not None:
        return abs(got - want) <= 1e-9 * max(1.0, abs(want))
    return got == want and type(got) is type(want)


def rows(got, want, keys):
    """Differences between two tables; rows are matched by the key columns, several of one key by their values."""
    columns = list(want[0]) if want else keys
    missing = [c for c in columns for row in got[:1] if c not in row]
    if missing:
        return ["columns missing: %s" % missing]
    got, want = by_key(got, columns, keys), by_key(want, columns, keys)
    out = ["not in warplens: %r" % (want[k][0],) for k in want if k not in got]
    out += ["only in warplens: %r" % (got[k][0],) for k in got if k not in want]
    for k in want:
        theirs = got.get(k, [])
        if theirs and len(theirs) != len(want[k]):
            out.append("%r: warplens has %d rows, oracle %d" % (k, len(theirs), len(want[k])))
        for g, w in zip(theirs, want[k]):
            wrong = ["%s: warplens %r, oracle %r" % (c, g[c], w[c]) for c in columns if not same(c, g[c], w[c])]
            if wrong:
                out.append("%r: %s" % (k, "; ".join(wrong)))
    return out


def by_key(table, columns, keys):
    out = {}
    for row in table:
        row = {c: normal(c, row[c]) for c in columns}
        out.setdefault(tuple(row[k] for k in keys), []).append(row)
    for group in out.values():
        group.sort(key=lambda row: [(v is not None, v) for c, v in row.items() if c not in RATIOS])
    return out
