# SPDX-License-Identifier: MIT
"""Writes small Perfetto traces packet by packet, right or wrong on purpose; knows the public schema and nothing else."""

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4


def varint(n):
    out = bytearray()
    n &= (1 << 64) - 1
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    return bytes(out) + bytes([n])


def field(number, value):
    """A number is a varint, a tuple (n,) fixed64, a string or bytes length-delimited, a list a repeated field."""
    if isinstance(value, list):
        return b"".join(field(number, v) for v in value)
    if isinstance(value, tuple):
        return varint(number << 3 | 1) + value[0].to_bytes(8, "little")
    if isinstance(value, (str, bytes)):
        data = value.encode() if isinstance(value, str) else value
        return varint(number << 3 | 2) + varint(len(data)) + data
    return varint(number << 3) + varint(value)


def message(fields):
    """From {number: value}."""
    return b"".join(field(n, v) for n, v in fields.items())


def packet(fields):
    return field(1, message(fields))


def interned(kind, iid, name):
    return {kind: message({1: iid, 2: name})}


def descriptor(uuid, name, parent=None, **more):
    """A TrackDescriptor; more: pid and tid, counter, rank, ordering, merge."""
    fields = {1: uuid, 2: name}
    if "tid" in more:
        fields[4] = message({1: more["pid"], 2: more["tid"], 5: name})
    elif "pid" in more:
        fields[3] = message({1: more["pid"], 6: name})
    if parent is not None:
        fields[5] = parent
    if more.get("counter"):
        fields[8] = message({6: "%"})
    for key, number in (("ordering", 11), ("rank", 12), ("merge", 15)):
        if key in more:
            fields[number] = more[key]
    return message(fields)


def first(sequence, track, **more):
    """The packet that begins a sequence; more: flags, is_first, clock, snapshot, defaults."""
    fields = {10: sequence, 13: more.get("flags", 3)}
    if more.get("is_first", True):
        fields[87] = 1
    if more.get("defaults", True):
        fields[59] = message({58: more.get("clock", 64), 11: message({11: track})})
    snapshot = {1: [message({1: 64, 2: more.get("from", 0), 3: 1}), message({1: 6, 2: 0})], 2: 6}
    fields[6] = message(more.get("snapshot", snapshot))
    return packet(fields)


def described(sequence, data):
    return packet({10: sequence, 13: 2, 60: data})


def event(sequence, delta, fields, names=None, flags=2):
    out = {8: delta, 10: sequence, 13: flags, 11: message(fields)}
    if names:
        out[12] = message(names)
    return packet(out)
