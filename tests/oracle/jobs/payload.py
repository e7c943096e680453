# SPDX-License-Identifier: MIT
"""NCCL payloads: what binaryData or jsonText says of a call (communicator, bytes, rank), by the entries' names."""
import json
import struct

WIDTHS = {4: "<I", 8: "<Q"}


def raw(value):
    """The blob as bytes, whether stored raw or as hexadecimal text."""
    if value is None:
        return None
    if isinstance(value, bytes):
        try:
            text = value.decode("ascii")
        except UnicodeDecodeError:
            return value
    else:
        text = value
    text = text[2:] if text.lower().startswith("0x") else text
    try:
        return bytes.fromhex(text)
    except ValueError:
        return value if isinstance(value, bytes) else value.encode("latin-1", "replace")


def size_of(kind):
    return 4 if kind == 5 else 8


def schemas(file):
    """(process, domain, schema id) -> [(entry name, offset, type)], one layout per id where processes are not told apart."""
    out = {}
    for row in file.side["NVTX_PAYLOAD_SCHEMA_ENTRIES"]:
        key = row.get("schemaId")
        entry = (row.get("name") or "", row.get("offset") or 0, row.get("type"), row.get("idx", row.get("entryIdx", 0)))
        out.setdefault(key, set()).add(entry)
    return {key: sorted(entries, key=lambda e: (e[1], e[3])) for key, entries in out.items()}


def field(name):
    """What an entry's name stands for."""
    low = name.lower()
    if "communicator" in low or low in ("comm", "commhash"):
        return "parent" if "parent" in low else "comm"
    if "message size" in low or low == "bytes":
        return "bytes"
    if "no. of ranks" in low or low == "nranks" or "number of ranks" in low:
        return "nranks"
    return low


def decode(file, row):
    """{"comm", "bytes", "nranks", "rank", ...} of one NVTX row, {} without a payload."""
    blob = raw(row.get("binaryData"))
    if not blob or len(blob) < 32:
        return {}
    _, schema, size, _ = struct.unpack_from("<QQQQ", blob)
    body = blob[len(blob) - size:] if 0 < size <= len(blob) - 32 else b""
    out = {}
    for name, offset, kind, _ in file.layouts.get(schema, ()):
        width = size_of(kind)
        if offset + width <= len(body):
            out[field(name)] = struct.unpack_from("<i" if kind == 5 else WIDTHS[width], body, offset)[0]
    return out


def parsed(row):
    """The same of a payload that the exporter has parsed."""
    try:
        values = json.loads(row.get("jsonText") or "{}")
    except ValueError:
        return {}
    return {field(name): value for name, value in values.items() if isinstance(value, int)} if isinstance(values, dict) else {}


def attach(file):
    """Payloads by NVTX row position, read once."""
    if not hasattr(file, "payloads"):
        file.layouts = schemas(file)
        file.payloads = {i: p for i, r in enumerate(file.trace.nvtx_rows) if (p := decode(file, r) or parsed(r))}
    return file.payloads


def rank_of(process):
    """The rank that the process's largest communicator's init payload says, None where none does or they disagree."""
    file = process.file
    said = []
    for i, p in attach(file).items():
        row = file.trace.nvtx_rows[i]
        if row["globalTid"] >> 24 == process.key and (file.trace.name_of(row) or "").startswith("ncclCommInit") and "rank" in p:
            said.append((p.get("nranks", 0), p["rank"]))
    largest = max((n for n, _ in said), default=None)
    ranks = {r for n, r in said if n == largest}
    return ranks.pop() if len(ranks) == 1 else None


def size_of_communicator(job, communicator):
    """The number of ranks that an init payload gives a communicator, None where no capture holds its init."""
    if communicator is None:
        return None
    sizes = {p["nranks"] for f in job.files for p in attach(f).values() if p.get("comm") == communicator and "nranks" in p}
    return sizes.pop() if len(sizes) == 1 else None
