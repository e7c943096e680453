# SPDX-License-Identifier: MIT
"""Which rank waits in matched collectives, and for which one."""


class Waits:
    """Sums of one member (or rank) over its matches, ns."""
    def __init__(self):
        self.matches = self.wait = self.late = self.transfer = self.caused = self.alone = self.last = 0


def of_match(match):
    """(transfer, last arriver, caused, alone) of one match; ties of the last arrival go to the smaller rank."""
    order = sorted(match.row, key=lambda c: (-c.start, c.member.key))
    latest = order[0].start
    return min(c.dur for c in match.row), order[0], sum(latest - c.start for c in match.row), latest - order[1].start


def by_member(matches):
    """Member key (rank, ordinal) -> Waits."""
    out = {}
    for m in matches:
        transfer, last, caused, alone = of_match(m)
        for c in m.row:
            w = out.setdefault(c.member.key, Waits())
            w.matches, w.wait, w.late, w.transfer = w.matches + 1, w.wait + c.dur - transfer, w.late + last.start - c.start, w.transfer + transfer
            if c is last:
                w.caused, w.alone, w.last = w.caused + caused, w.alone + alone, w.last + 1
    return out


def by_rank(matches):
    out = {}
    for (rank, _), w in by_member(matches).items():
        into = out.setdefault(rank, Waits())
        for name, value in vars(w).items():
            setattr(into, name, getattr(into, name) + value)
    return out
