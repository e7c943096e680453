#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Payloads of NVTX ranges as text, and what nvtx says is not read: docs/definitions/nvtx.md, Payloads.

On random layouts, with arrays, texts, scopes, named numbers, entries that repeat and that disagree, addresses, types that nobody
knows, data that are cut off, raw and as digits; and on the generated export of nsys 2026.5.
"""
import os
import random
import sqlite3
import struct
import subprocess
import sys
import tempfile

import wl

GENERATOR = os.path.join(wl.ROOT, "tests", "support", "gen_trace.py")
TID = 1 << 48 | 77 << 24 | 78
SIGNED, UNSIGNED = {3: 2, 5: 4, 7: 8, 9: 8, 11: 1, 13: 2, 15: 4, 17: 8}, {2: 1, 4: 2, 6: 4, 8: 8, 10: 8, 12: 1, 14: 2, 16: 4, 18: 8, 22: 8, 67: 8, 68: 4, 70: 8, 71: 4, 72: 8, 73: 4, 74: 8}
HEX, REAL, CHARS = {23: 8, 32: 1, 69: 4}, {19: 4, 20: 8, 43: 4, 44: 8}, {1: 1, 25: 1}
SIZES = {**SIGNED, **UNSIGNED, **HEX, **REAL, **CHARS, 75: 1, 76: 1}
ELSEWHERE, ARRAY, FIXED, HIDDEN, SET = 0xe, 0x70, 0x10, 0x400, 1 << 24


def real(value, digits):
    return "%.*g" % (digits, value)


def one(file, entry, raw):
    """The text of a value; None where it is not read."""
    kind = entry["type"]
    number = int.from_bytes(raw, "little", signed=kind in SIGNED)
    if kind >= SET:
        names = set(n for d, s, v, n in file["enums"] if (d, s, v) == (entry["domainId"], kind, number))
        return names.pop() if len(names) == 1 else None
    if kind == 70:
        names = set(p for d, s, p in file["scopes"] if (d, s) == (entry["domainId"], number))
        return names.pop() if len(names) == 1 else str(number)
    if kind in HEX:
        return "0x%x" % number
    if kind in REAL:
        return real(struct.unpack("<f" if len(raw) == 4 else "<d", raw)[0], 7 if len(raw) == 4 else 15)
    return str(number)


def value(file, entry, payload, disputed):
    kind, flags, detail = entry["type"], entry["flags"] or 0, entry["arrayOrUnionDetail"] or 0
    size = SIZES.get(kind, 4 if kind >= SET else None)
    if disputed or size is None or flags & ELSEWHERE or flags & ARRAY not in (0, FIXED) or (entry["offset"] is None and entry["idx"] != 0):
        return None
    is_text = kind in (75, 76)
    is_chars = is_text or kind in CHARS
    n = detail if flags & ARRAY == FIXED or is_text or (is_chars and detail) else 1
    at = entry["offset"] or 0
    if not 0 < n <= (64 if is_chars else 16) or at + n * size > len(payload):
        return None
    raw = payload[at:at + n * size]
    if is_chars:
        return "".join(chr(c) if 32 <= c < 127 else "?" for c in raw.split(b"\0")[0])
    parts = [one(file, entry, raw[i * size:(i + 1) * size]) for i in range(n)]
    return None if None in parts else " ".join(parts)


def opened(data):
    """(domain, layout, payload); None where the data are not sound."""
    if data is None:
        return None
    raw = data.encode() if isinstance(data, str) else data
    for take in (lambda: raw, lambda: bytes.fromhex(raw.decode()[:len(raw) // 2 * 2])):
        try:
            found = take()
        except ValueError:
            continue
        if len(found) >= 32 and struct.unpack_from("<Q", found, 16)[0] <= len(found) - 32:
            domain, layout, size = struct.unpack_from("<QQQ", found)
            return domain, layout, found[len(found) - size:]
    return None


def text_of(file, data):
    """(text or None, whether all of it is read)."""
    found = opened(data)
    if found is None:
        return None, False
    domain, layout, payload = found
    first, out, good = {}, [], True
    for e in file["entries"]:
        if e["domainId"] == domain and e["schemaId"] == layout and e["name"] is not None:
            first.setdefault(e["idx"], []).append(e)
    for same in first.values():
        e = same[0]
        if (e["flags"] or 0) & HIDDEN:
            continue
        got = value(file, e, payload, any(x != e for x in same))
        good = good and got is not None
        out.append("%s=%s" % (e["name"], "?" if got is None else got))
    text = ", ".join(out)
    return (text[:512], good) if out else (None, False)


def read(path):
    db = sqlite3.connect(path)
    db.row_factory = sqlite3.Row
    have = {r[0] for r in db.execute("SELECT name FROM sqlite_master")}
    def rows(table, columns):
        return db.execute("SELECT %s FROM %s ORDER BY rowid" % (columns, table)).fetchall() if table in have else []
    entries = [dict(r) for r in rows("NVTX_PAYLOAD_SCHEMA_ENTRIES", "domainId, schemaId, idx, flags, type, name, arrayOrUnionDetail, offset")]
    # The first entry has no offset, and that is 0.
    for e in entries:
        e.update(flags=e["flags"] or 0, arrayOrUnionDetail=e["arrayOrUnionDetail"] or 0, offset=0 if e["offset"] is None and e["idx"] == 0 else e["offset"])
    file = {"entries": entries, "scopes": [tuple(r) for r in rows("NVTX_SCOPES", "domainId, scopeId, path")],
            "enums": [tuple(r) for r in rows("NVTX_PAYLOAD_ENUM_ENTRIES", "domainId, schemaId, value, name")]}
    events = [dict(r) for r in db.execute("SELECT eventId, binaryData, jsonText FROM NVTX_EVENTS WHERE eventType IN (59, 60)")]
    db.close()
    return file, events


def check(tally, name, path):
    file, events = read(path)
    want = {e["eventId"]: text_of(file, e["binaryData"]) if e["binaryData"] is not None else ((e["jsonText"] or "")[:512] or None, None) for e in events}
    _, document = wl.run("sql", path, "SELECT event_id, payload FROM nvtx_ranges")
    got = {int(r["event_id"]): r["payload"] for r in document["rows"]}
    tally.check(name + ": payloads", ["event %s: got %r, want %r" % (k, got.get(k), want[k][0]) for k in want if got.get(k) != want[k][0]] + ["event %s" % k for k in got if k not in want])
    binary = [good for e, (_, good) in ((e, want[e["eventId"]]) for e in events) if e["binaryData"] is not None]
    p = subprocess.run([wl.WARPLENS, "nvtx", path, "-f", "json"], stdout=subprocess.PIPE, check=True)
    said = ("%d of %d binary payloads are not read" % (binary.count(False), len(binary))).encode() in p.stdout
    tally.equal(name + ": what is not read", said if False in binary else b"binary payloads are not read" in p.stdout, False in binary)


def random_trace(r, path):
    db = sqlite3.connect(path)
    db.executescript("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
                     "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER, textId INTEGER, domainId INTEGER, jsonText TEXT, binaryData TEXT, eventId INTEGER);"
                     "CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId INTEGER, schemaId INTEGER, idx INTEGER, flags INTEGER, type INTEGER, name TEXT, description TEXT, arrayOrUnionDetail INTEGER, offset INTEGER);"
                     "CREATE TABLE NVTX_SCOPES (domainId INTEGER, scopeId INTEGER, path TEXT);"
                     "CREATE TABLE NVTX_PAYLOAD_ENUM_ENTRIES (domainId INTEGER, schemaId INTEGER, idx INTEGER, name TEXT, value INTEGER, isFlag INTEGER)")
    kinds = list(SIZES) + [SET + 5, SET + 5, SET + 9, 33, 77, 80, 70, 75]
    for domain in (0, 1):
        for layout in (7, 8):
            at = 0
            for i in range(r.randrange(1, 7)):
                kind = r.choice(kinds)
                array = r.random() < .25 or kind in (75, 76)
                n = r.choice((1, 2, 3, 16, 17, 65)) if array else None
                flags = r.choice((None, 0, FIXED if array else 0, 2, 0x30, HIDDEN)) if r.random() < .4 else FIXED if array and kind not in (75, 76) else None
                row = (domain, layout, i, flags, kind, "f%d" % i, None, n, at or None if r.random() < .95 else None)
                for copy in range(r.choice((1, 1, 2))):
                    if copy and r.random() < .2:
                        row = row[:4] + (18,) + row[5:]
                    db.execute("INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES (?,?,?,?,?,?,?,?,?)", row)
                at += SIZES.get(kind, 4) * (n or 1)
        for i in range(3):
            db.execute("INSERT INTO NVTX_SCOPES VALUES (?,?,?)", (domain, r.randrange(3), "scope %d" % r.randrange(3)))
            db.execute("INSERT INTO NVTX_PAYLOAD_ENUM_ENTRIES VALUES (?,?,?,?,?,0)", (domain, SET + 5, i, "name%d" % r.randrange(4), r.randrange(3)))
    for i in range(24):
        body = bytes(r.choice((0, 1, 2, 3, 65, 66, 127, 200, 255)) if r.random() < .6 else 0 for _ in range(r.randrange(0, 90)))
        size = len(body) if r.random() < .9 else r.randrange(200)
        data = struct.pack("<QQQQ", r.randrange(2), r.choice((7, 8, 9)), size, 32 + size) + body
        data = data if r.random() < .5 else data.hex() if r.random() < .9 else data.hex()[:-2] + "zz"
        data = data if r.random() < .9 else None
        text = '{"a": %d}' % i if data is None and r.random() < .5 else None
        db.execute("INSERT INTO NVTX_EVENTS VALUES (?,?,59,'range',?,NULL,0,?,?,?)", (i * 10, i * 10 + 5, TID, text, data, 100 + i))
    db.commit()
    db.close()


def main():
    tally = wl.Tally()
    with tempfile.TemporaryDirectory(prefix="wl-payloads-") as directory:
        for name, options in (("raw", []), ("hex", ["--blobs", "hex", "--payloads", "2.25"])):
            path = os.path.join(directory, name + ".sqlite")
            subprocess.run([sys.executable, GENERATOR, "-o", path, "--ranks", "2", "--layers", "2", "--iters", "2", "--schema", "2026.5", *options], check=True, stdout=subprocess.DEVNULL)
            check(tally, name, path)
        for seed in wl.seeds(60):
            path = os.path.join(directory, "random%d.sqlite" % seed)
            random_trace(random.Random(seed), path)
            check(tally, "random %d" % seed, path)
            os.remove(path)
    tally.finish()


if __name__ == "__main__":
    main()
