# SPDX-License-Identifier: MIT
"""Positions: which activity of another member corresponds to an activity of a member.

A position is (lane, segment, name, occurrence): the lane is a stream's or a thread's role, a segment runs from one collective
that the members share to the next in the order of launches, and the occurrence counts equal names in it.
"""
import bisect

import match as matching


def begin(activity):
    """When the host asked for it."""
    launch = getattr(activity.row, "launch", None)
    return launch.start if launch is not None else activity.row.start


def name_of(activity):
    row = activity.row
    if activity.kind != "op":
        return row.name
    if row.kind == "kernel":
        return activity.process.file.trace.kernel_name(row)
    return (row.kind, row.row.get("copyKind"))


class Member:
    """One member's activities by position; members are the keys of those whose collectives divide the segments."""
    def __init__(self, graph, process, ordinal, members):
        ops = [graph.of_row[id(o)] for o in process.ops if o.ordinal == ordinal]
        marks = sorted(begin(a) for a in ops + [a for lane in process.threads.values() for a in lane]
                       if a.match is not None and members <= {c.member.key for c in a.match.row})
        role = matching.roles(matching.Member(process, ordinal))
        lanes = {}
        for a in ops:
            lanes.setdefault(role[a.row.context, a.row.stream], []).append(a)
        for i, lane in enumerate(process.threads.values()):
            lanes["thread", i] = lane
        self.at, self.position = {}, {}
        for key, lane in lanes.items():
            seen = {}
            for a in sorted(lane, key=lambda a: (a.start, a.end, getattr(a.row, "order", 0))):
                place = key, bisect.bisect_right(marks, begin(a)), name_of(a)
                seen[place] = seen.get(place, -1) + 1
                self.at[place + (seen[place],)] = a
                self.position[a] = place + (seen[place],)
