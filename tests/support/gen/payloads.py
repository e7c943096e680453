# SPDX-License-Identifier: MIT
"""NCCL payloads: binary ones with their schema tables, in the layouts of NCCL 2.16 and 2.25, parsed ones (json), and operations alone (ops).

A payload is (communicator, kind, bytes, peer): kind is AllReduce, AllGather, ReduceScatter, Send, Recv or Init."""
import json, struct

BASE = 16777216
SID = {"Init": 0, "AllGather": 4, "AllReduce": 5, "ReduceScatter": 7, "Send": 9, "Recv": 10}
COMM, SIZE, OP, PEER = ("NCCL communicator ID", 18, 8), ("Message size [bytes]", 22, 8), ("Reduction operation", BASE + 16, 4), ("Peer rank", 5, 4)
RANKS, RANK, DEVICE = ("No. of ranks", 5, 4), ("Rank", 5, 4), ("CUDA device", 5, 4)
LAYOUT = {"Init": (RANKS, RANK, DEVICE), "AllGather": (SIZE,), "AllReduce": (SIZE, OP), "ReduceScatter": (SIZE, OP), "Send": (SIZE, PEER), "Recv": (SIZE, PEER)}

def fields(version, kind):
    """[(name, type, offset, length)] and the size of the payload."""
    entries = (RANK, RANKS, DEVICE) if version == "2.16" and kind == "Init" else LAYOUT[kind]
    if version != "2.16": entries = (COMM,) + entries
    out, at = [], 0
    for name, kind, n in entries:
        at = (at + n - 1) // n * n; out.append((name, kind, at, n)); at += n
    align = max(n for _, _, _, n in out)
    return out, (at + align - 1) // align * align

def tables(a):
    return [] if not a.payloads else ["NCCL_GPU_OPERATIONS"] if a.payloads in ("json", "ops") else ["NVTX_PAYLOAD_SCHEMAS", "NVTX_PAYLOAD_SCHEMA_ENTRIES"]

def values(payload):
    comm, kind, size, peer, rank, device = payload
    return {"NCCL communicator ID": comm["hash"], "Message size [bytes]": size, "Reduction operation": 0, "Peer rank": peer, "No. of ranks": len(comm["members"]), "Rank": rank, "CUDA device": device}

def columns(a, payload):
    """(jsonText, binaryData) of a range."""
    if a.payloads in (None, "ops") or payload is None: return None, None
    known = values(payload)
    if a.payloads == "json": return json.dumps({n: known[n] for n, _, _, _ in fields("2.25", payload[1])[0]}), None
    entries, size = fields(a.payloads, payload[1]); raw = bytearray(size)
    for name, _, at, n in entries: struct.pack_into("<Q" if n == 8 else "<I", raw, at, known[name])
    blob = struct.pack("<QQQQ", 1, BASE + SID[payload[1]], size, 32 + size) + bytes(raw)
    return None, blob.hex() if a.blobs == "hex" else blob

def inits(job, ranks):
    """(start, end, rank, name, payload) of the calls that make communicators, in front of the first iteration."""
    name = job.S("ncclCommInitRank")
    for r in ranks:
        for i, c in enumerate(c for c in job.comms if r in c["members"]):
            yield 1_600_000 + i * 2000, 1_601_500 + i * 2000, r, name, (c, "Init", 0, 0, c["members"].index(r), job.devices[r])

def operations(job, v, ranks):
    """Rows of NCCL_GPU_OPERATIONS: the id of an operation is its number in the job, equal on all ranks."""
    rows = []
    for i, (tag, members, kind, size, stream, times) in enumerate(v["C"]):
        c = job.comm(tag, members); signed = c["hash"] - (1 << 64) if c["hash"] >> 63 else c["hash"]
        for n, (r, (s, e)) in enumerate(zip(members, times)):
            kind_r, size_r = v.get("kinds", {}).get((i, r), (kind, size))
            if r in ranks and kind_r: rows.append((s, e, i, "nccl" + kind_r, signed, n, size_r // 2, "bfloat16", "p2p" if kind == "SendRecv" else "collective"))
    return sorted(rows)

def write_schemas(f):
    if f.a.payloads in ("json", "ops"): return
    for _ in f.ranks:                                             # as in real files: once per process, nothing says whose
        for kind, sid in SID.items():
            entries, size = fields(f.a.payloads, kind)
            f.db.execute("INSERT INTO NVTX_PAYLOAD_SCHEMAS VALUES (1,?,NULL,1,NULL,?,?,NULL)", (BASE + sid, len(entries), size))
            f.db.executemany("INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES (1,?,?,NULL,?,?,NULL,NULL,?)", [(BASE + sid, i, t, n, at or None) for i, (n, t, at, _) in enumerate(entries)])
