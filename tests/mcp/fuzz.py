#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fuzz.py [N [SEED]] - send N mutated messages to a server and check that it answers, and does not grow."""
import copy
import json
import os
import random
import sys

from client import FIXTURES, MODERN, Pipe

STEPS = os.path.join(FIXTURES, "steps.sqlite")
SCALARS = [None, True, False, 0, -1, 1.5, 1 << 60, "", "x" * 3000, "\u202e\u0000\x1b[2J", [], {}, [[]], "t1", "../../etc/passwd",
           "kernels", "iter:1", "'; DROP TABLE x; --", {"a": {"b": {"c": []}}}]


def call(tool, **args):
    return {"method": "tools/call", "params": {"name": tool, "arguments": args}}


BASES = [call("open_trace", path=STEPS), call("findings"), call("analyze", verb="kernels", limit=3),
         call("analyze", verb="overlap", window="steady", options={"by": "iteration"}),
         call("analyze", verb="kernels", where="calls > 1 and name ~ a", sort="-sum", columns="name,sum", gpu="0"),
         call("sql", query="SELECT name FROM kernels WHERE calls > 1", seconds=1), call("describe", name="kernels"),
         call("skill", name="nccl_anomaly", params={"threshold": 2}),
         call("plan_capture", program="python x.py", **{"for": "nccl"}), call("diff", before="t1", after="t2"),
         {"method": "tools/list"}, {"method": "ping"}, {"method": "resources/list"}, {"method": "prompts/list"},
         {"method": "resources/read", "params": {"uri": "warplens://verb/kernels"}},
         {"method": "prompts/get", "params": {"name": "diagnose", "arguments": {"trace": "x"}}},
         {"method": "server/discover", "params": {"_meta": MODERN}},
         {"method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}}},
         {"method": "completion/complete", "params": {"ref": {"type": "ref/resource", "uri": "warplens://verb/{name}"},
                                                      "argument": {"name": "name", "value": "k"}}}]


def places(value, found):
    """All containers of a value, with their keys."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        found.append((value, key))
        places(inner, found)
    return found


def mutate(rng, message):
    message = copy.deepcopy(message)
    for _ in range(rng.choice([0, 1, 1, 2, 4])):
        where = places(message, [])
        holder, key = rng.choice(where)
        what = rng.random()
        if what < 0.2:
            del holder[key]
        elif what < 0.7:
            holder[key] = copy.deepcopy(rng.choice(SCALARS))
        elif isinstance(holder, dict):
            holder[rng.choice(["x", "trace", "window", "cursor", "key", "options", "_meta"])] = copy.deepcopy(rng.choice(SCALARS))
        if not places(message, []):
            break
    text = json.dumps(message).encode()
    if rng.random() < 0.3:
        raw = bytearray(text)
        for _ in range(rng.randrange(1, 6)):
            at = rng.randrange(len(raw) + 1)
            what = rng.random()
            if what < 0.4 and raw:
                raw[at % len(raw)] = rng.randrange(256)
            elif what < 0.7:
                raw[at:at] = bytes(rng.randrange(256) for _ in range(rng.randrange(1, 9)))
            else:
                del raw[at:at + rng.randrange(1, 40)]
        text = bytes(raw)
    return text.replace(b"\n", b" ")


def memory(pipe):
    with open(f"/proc/{pipe.process.pid}/statm", encoding="ascii") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def batch(pipe, rng, n, first):
    """Send n messages and a last one that waits for all of them; every id is answered at most once."""
    for k in range(n):
        message = dict({"jsonrpc": "2.0", "id": first + k}, **copy.deepcopy(rng.choice(BASES)))
        if rng.random() < 0.05:
            del message["id"]
        pipe.write(mutate(rng, message) + b"\n")
    last = f"end{first}"
    pipe.send("tools/call", {"name": "describe", "arguments": {"name": "gpus"}}, last)
    seen = set()
    while True:
        said = pipe.read(120)
        assert said is not None, "the server left"
        assert said.get("jsonrpc") == "2.0" and ("result" in said) != ("error" in said), said
        if said["id"] == last:
            return
        if isinstance(said["id"], int) and first <= said["id"] < first + n:
            assert said["id"] not in seen, said
            seen.add(said["id"])


def fuzz(n, seed):
    rng, pipe = random.Random(seed), Pipe()
    warm = None
    pipe.call("open_trace", path=STEPS)
    pipe.call("open_trace", path=os.path.join(FIXTURES, "streams.sqlite"))
    for done in range(0, n, 100):
        batch(pipe, rng, min(100, n - done), 1000 + done)
        if done >= n // 4 and warm is None:
            warm = memory(pipe)
    grown = memory(pipe) - warm
    status, err = pipe.close()
    assert (status, err) == (0, ""), (status, err)
    return grown


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    grown = fuzz(count, seed)
    print(f"{count} messages, seed {seed}: grown by {grown / 1e6:.1f} MB after the first quarter")
    if not os.environ.get("ASAN") and grown > 16 << 20:
        sys.exit("it grows")
