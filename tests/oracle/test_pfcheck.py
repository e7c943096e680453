#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The checker of Perfetto files is checked: a good file passes and is printed as it is, each way to break it is noticed."""
import subprocess

import perfetto
import wl
from pfwrite import BEGIN, COUNTER, END, INSTANT, described, descriptor, event, field, first, interned, message, packet


def good():
    """A file as a list of packets by name, so that a test can leave out, change, or swap them."""
    return {
        "root first": first(1, 0),
        "root": described(1, message({1: 0, 19: 1, 20: 1})),
        "gpu": described(1, descriptor(10, "GPU 0", ordering=3)),
        "stream": described(1, descriptor(11, "Stream 7", 10, rank=1, merge=2)),
        "busy": described(1, descriptor(12, "Busy", 10, counter=True, rank=2, merge=2)),
        "process": described(1, descriptor(20, "python", pid=40, ordering=3)),
        "thread": described(1, descriptor(21, "main", 20, pid=40, tid=41, rank=1)),
        "stream first": first(2, 11),
        "kernel": event(2, 100, {9: BEGIN, 10: 1, 3: 1, 48: (7,), 52: 70, 4: message({1: 1, 3: 32})},
                        {**interned(2, 1, "gemm"), **interned(1, 1, "compute"), **interned(3, 1, "grid")}),
        "kernel end": event(2, 50, {9: END}),
        "point": event(2, 0, {9: BEGIN, 10: 2}, interned(2, 2, "point\t\n\\")),
        "point end": event(2, 0, {9: END}),
        "again": event(2, 0, {9: BEGIN, 10: 1}),
        "inner": event(2, 5, {9: BEGIN, 10: 2}),
        "inner end": event(2, 5, {9: END}),
        "again end": event(2, 0, {9: END}),
        "busy first": first(3, 12),
        "value 1": event(3, 0, {9: COUNTER, 30: 100}),
        "value 2": event(3, 10, {9: COUNTER, 44: (0x3FF0000000000000,)}),
        "thread first": first(4, 21, **{"from": 0}),
        "call": event(4, 90, {9: BEGIN, 23: "launch", 47: (7,), 52: 70}),
        "call end": event(4, 5, {9: END}),
        "mark": event(4, 1, {9: INSTANT, 23: "mark"}),
    }


SLICES = [
    ("GPU 0 / Stream 7", 100, 50, 0, "gemm", "compute", "", "7", "70", "grid=32", 11),
    ("GPU 0 / Stream 7", 150, 0, 0, "point\t\n\\", "", "", "", "", "", 11),
    ("GPU 0 / Stream 7", 155, 5, 1, "point\t\n\\", "", "", "", "", "", 11),
    ("GPU 0 / Stream 7", 150, 10, 0, "gemm", "", "", "", "", "", 11),
    ("python / main", 90, 5, 0, "launch", "", "7", "", "70", "", 21),
    ("python / main", 96, 0, 0, "mark", "", "", "", "", "", 21),
]


def put(**packets):
    """Packets replaced, by name with _ for blanks."""
    return lambda p: p.update({k.replace("_", " "): v for k, v in packets.items()})


def drop(*names):
    return lambda p: [p.pop(n) for n in names]


def swap(a, b):
    return lambda p: p.update({a: p[b], b: p[a]})


def raw(change):
    """A change of the bytes of the whole file."""
    return lambda p: p.update(whole=change(b"".join(p.values())))


def end_last(name):
    """A packet goes to the end of the file."""
    return lambda p: p.update({name: p.pop(name)})


# What is done to the file, what the checker says of it, how.
BROKEN = {
    "cut in a packet": ("longer than its message", raw(lambda b: b[:-1])),
    "a byte too many": ("ends inside a number", raw(lambda b: b + b"\x0a")),
    "an endless number": ("more than 64 bits", raw(lambda b: b + b"\x08" + b"\xff" * 11)),
    "a padded number": ("needless bytes", raw(lambda b: b + field(1, b"\x50\x81\x00"))),
    "wire type 3": ("wire type 3", raw(lambda b: b + b"\x0b")),
    "field 0": ("field number 0", raw(lambda b: b + b"\x02\x00")),
    "another field of Trace": ("Trace: unknown field 2", raw(lambda b: b + field(2, b""))),
    "unknown field of a packet": ("TracePacket: unknown field 200", put(mark=packet({10: 4, 200: 1}))),
    "unknown field of an event": ("TrackEvent: unknown field 99", put(mark=event(4, 1, {9: INSTANT, 23: "mark", 99: 1}))),
    "name of wrong wire type": ("field 23 has wire type 0", put(mark=event(4, 1, {9: INSTANT, 23: 5}))),
    "flow as a varint": ("field 47 has wire type 0", put(call=event(4, 90, {9: BEGIN, 23: "launch", 47: 7}))),
    "categories packed": ("field 3 has wire type 2", put(mark=event(4, 1, {9: INSTANT, 23: "mark", 3: b"\x01"}))),
    "a field twice": ("field 9 twice", put(mark=event(4, 1, {9: [INSTANT, INSTANT], 23: "mark"}))),
    "a packet without payload": ("without one payload", put(mark=packet({10: 4, 13: 2}))),
    "a packet with two payloads": ("without one payload", put(gpu=packet({10: 1, 13: 2, 60: b"", 11: b""}))),
    "a packet without sequence": ("without sequence", put(gpu=packet({60: descriptor(10, "GPU 0", ordering=3)}))),
    "no first packet": ("first packet does not say so", drop("stream first")),
    "first packet after others": ("first packet does not say so", end_last("stream first")),
    "first packet without the mark": ("first packet does not say so", put(stream_first=first(2, 11, is_first=False))),
    "state not cleared": ("does not clear", put(stream_first=first(2, 11, flags=2))),
    "state cleared under way": ("cleared under way", put(inner=event(2, 5, {9: BEGIN, 10: 2}, flags=3))),
    "no defaults": ("before defaults", put(stream_first=first(2, 11, defaults=False))),
    "snapshot without the clock": ("without a clock", put(stream_first=first(2, 11, snapshot={1: message({1: 6, 2: 0}), 2: 6}))),
    "snapshot without boottime": ("without a clock", put(stream_first=first(2, 11, snapshot={1: message({1: 64, 2: 0, 3: 1})}))),
    "a clock without snapshot": ("clock 65 has no snapshot", put(stream_first=first(2, 11, clock=65))),
    "event without state flag": ("needs state", put(inner=event(2, 5, {9: BEGIN, 10: 2}, flags=0))),
    "event without time": ("without time", put(mark=packet({10: 4, 13: 2, 11: message({9: INSTANT, 23: "mark"})}))),
    "descriptor dropped": ("track 11 is not described", drop("stream")),
    "descriptor after its events": ("track 11 is not described", end_last("stream")),
    "descriptor twice": ("track 11 is described twice", put(zero=described(1, descriptor(11, "Stream 7", 10, rank=1, merge=2)))),
    "parent dropped": ("track 10 is not described", drop("gpu")),
    "parent after its child": ("track 10 is not described", swap("gpu", "stream")),
    "its own parent": ("track 10 is not described", put(gpu=described(1, descriptor(10, "GPU 0", 10, ordering=3)))),
    "a name that is no UTF-8": ("UTF-8", put(gpu=described(1, descriptor(10, b"GPU \xff", ordering=3)))),
    "an interned name that is no UTF-8": ("UTF-8", put(point=event(2, 0, {9: BEGIN, 10: 2}, interned(2, 2, b"\xed\xa0\x80")))),
    "two threads of one id": ("tid 41 has two tracks", put(zero=described(1, descriptor(30, "b", 20, pid=40, tid=41, rank=2)))),
    "two processes of one id": ("pid 40 tid 0 has two", put(zero=described(1, descriptor(30, "b", pid=40)))),
    "a thread below another process": ("not below its process", put(zero=described(1, descriptor(30, "b", 20, pid=42, tid=43, rank=2)))),
    "siblings of one name": ("would be merged", put(zero=described(1, descriptor(30, "Stream 7", 10, rank=3)))),
    "siblings of one place": ("have one place", put(zero=described(1, descriptor(30, "Stream 8", 10, rank=1, merge=2)))),
    "iid not defined": ("name iid 3", put(again=event(2, 0, {9: BEGIN, 10: 3}))),
    "iid of another sequence": ("sequence 4: name iid 1", put(call=event(4, 90, {9: BEGIN, 10: 1, 47: (7,)}))),
    "category not defined": ("category iid 2", put(again=event(2, 0, {9: BEGIN, 10: 1, 3: 2}))),
    "key not defined": ("key iid 2", put(again=event(2, 0, {9: BEGIN, 10: 1, 4: message({1: 2, 3: 1})}))),
    "value not defined": ("value iid 1", put(again=event(2, 0, {9: BEGIN, 10: 1, 4: message({1: 1, 17: 1})}))),
    "iid defined twice": ("iid 1 twice", put(again=event(2, 0, {9: BEGIN, 10: 1}, interned(2, 1, "other")))),
    "argument without value": ("one key and one value", put(again=event(2, 0, {9: BEGIN, 10: 1, 4: message({1: 1})}))),
    "negative delta": ("goes back", put(again=event(2, -10, {9: BEGIN, 10: 1}))),
    "times that wrap": ("goes back", put(again=event(2, (1 << 63) - 1, {9: BEGIN, 10: 1}))),
    "slice without name": ("slice without name", put(again=event(2, 0, {9: BEGIN}))),
    "event without type": ("without type", put(mark=event(4, 1, {23: "mark"}))),
    "END without BEGIN": ("no slice is open", drop("again")),
    "one END too many": ("no slice is open", put(zero=event(2, 1, {9: END}))),
    "BEGIN without END": ("without end", drop("again end")),
    "crossing slices": ("name of another slice", put(inner_end=event(2, 5, {9: END, 10: 1}))),
    "BEGIN before END at one time": ("after a BEGIN at the same time", put(inner_end=event(2, 5, {9: BEGIN, 10: 1}) + 2 * event(2, 0, {9: END}))),
    "zero length that ends late": ("does not end at once", put(point_end=event(2, 0, {9: BEGIN, 10: 1}) + 2 * event(2, 0, {9: END}))),
    "slice on a counter": ("event of type 3 on GPU 0 / Busy", put(value_2=event(3, 10, {9: INSTANT, 23: "x"}))),
    "counter on a slice track": ("event of type 4 on python / main", put(mark=event(4, 1, {9: COUNTER, 30: 1}))),
    "counter without value": ("without a value", put(value_2=event(3, 10, {9: COUNTER}))),
    "two values at one time": ("two values", put(value_2=event(3, 0, {9: COUNTER, 30: 5}))),
    "events of two sequences": ("two sequences", put(mark=event(4, 100, {9: INSTANT, 23: "mark", 11: 11}))),
    "event on an unknown track": ("track 99", put(mark=event(4, 1, {9: INSTANT, 23: "mark", 11: 99}))),
    "flow without end": ("flow 8 does not end", put(again=event(2, 0, {9: BEGIN, 10: 1, 47: (8,)}))),
    "flow without begin": ("flow 7 does not begin", drop("call", "call end")),
    "flow that ends twice": ("flow 7 ends twice", put(again=event(2, 0, {9: BEGIN, 10: 1, 48: (7,)}))),
    "flow that begins twice": ("flow 7 begins twice", put(mark=event(4, 1, {9: INSTANT, 23: "mark", 47: (7,)}))),
    "flow backward": ("ends before it begins", put(call=event(4, 101, {9: BEGIN, 23: "launch", 47: (7,)}))),
    "flow at one time in the wrong order": ("stands before it", put(call=event(4, 100, {9: BEGIN, 23: "launch", 47: (7,)}))),
    "flow 0": ("flow 0", put(again=event(2, 0, {9: BEGIN, 10: 1, 47: (0,)}))),
}


def run(data):
    return subprocess.run([perfetto.PFCHECK], input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)


def main():
    tally = wl.Tally()
    whole = b"".join(good().values())
    p = run(whole)
    tally.check("the good file", [p.stderr.decode()] if p.returncode else [])
    tally.equal("its slices", [tuple(s) for s in perfetto.slices(whole)], SLICES)
    tally.equal("its values", perfetto.counters(whole), [("GPU 0 / Busy", 0, 100.0, 12), ("GPU 0 / Busy", 10, 1.0, 12)])
    stats = perfetto.stats(whole)
    tally.equal("its sizes", {k: stats[k] for k in ("bytes", "packets", "sequences", "tracks", "slices", "instants", "values", "flows")},
                {"bytes": len(whole), "packets": 23, "sequences": 4, "tracks": 5, "slices": 5, "instants": 1, "values": 2, "flows": 1})
    for what, (reason, change) in BROKEN.items():
        packets = good()
        change(packets)
        p = run(packets.get("whole") or b"".join(packets.values()))
        told = p.stderr.decode("utf-8", "replace")
        noticed = p.returncode == 1 and told.startswith("pfcheck: offset ") and reason in told
        tally.check(what, [] if noticed else ["status %d, and not %r: %s" % (p.returncode, reason, told)])
    tally.finish()


if __name__ == "__main__":
    main()
