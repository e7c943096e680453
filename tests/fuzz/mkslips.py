#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mkslips.py - write seeds with one mistake each, for the parsers of what people type and other programs send.

Each reaches a refusal that chance finds late. They are named slip-NN in corpus/.
"""

import json
import os

CORPUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")

WHERE = [
    "graph = maybe", "name", "name =", "= 3", "time ~ x", "graph < yes", "mean >= 2.5", "mean = x", "begin = 39s",
    "begin > 1 min and calls < 2", "kind of row = compute", "kind of thing = 1", "kind is", "name = none", "name < none",
    "calls = 1 calls", "(calls = 1", "calls = 1)", "calls = 1 or", "calls ! 1", "name !~ 'a", "name ~ '('", "name ~ gemm",
    "share >= 5 %", "size = 64 KiB", "rate > 12 GB/s", "time > 10 us", "time = 1 fortnight", "nme = 1", "calls = 1.5.2",
    "name = 'it''s' and not graph = no", "pid = 4711 and (share < 1 or graph = yes)", "SIZE > 1", "name ~ (?P<a>x)",
]

ESC = b"\x1b"
TERMINAL = [
    ESC + b"[A" + ESC + b"[1;5B" + ESC + b"[15~" + ESC + b"[24;2~" + ESC + b"[99~" + ESC + b"[3$" + ESC + b"[7^",
    ESC + b"[<0;3;4M" + ESC + b"[<0;3;4m" + ESC + b"[<32;5;6M" + ESC + b"[<35;5;6M" + ESC + b"[<64;1;1M" + ESC +
    b"[<65;1;1M" + ESC + b"[<66;1;1M" + ESC + b"[<2;900;900M" + ESC + b"[<3;0;0m" + ESC + b"[<64;1;1m",
    ESC + b"[M !!" + ESC + b"[M#!!" + ESC + b"[M@\"\"" + ESC + b"[M`!!",
    ESC + b"[[A" + ESC + b"[[E" + ESC + b"[[Z" + ESC + b"[[",
    ESC + b"OP" + ESC + b"O5Q" + ESC + b"Oa" + ESC + b"Oj" + ESC + b"OM" + ESC + b"O" + ESC + b"Ox",
    ESC + b"[27;5;97~" + ESC + b"[97;5u" + ESC + b"[13;2u" + ESC + b"[a" + ESC + b"[Z" + ESC + b"[1;99999999999A",
    ESC + b"]0;title\x07" + ESC + b"]0;t" + ESC + b"\\" + ESC + b"P1$r" + ESC + b"[A" + ESC + b"_" + b"x" * 200,
    ESC + b"]" + b"y" * 600 + ESC, ESC + ESC + b"[A" + ESC + b"a" + ESC + "ä".encode() + ESC, b"\x00\x01\x7f\t\r\n\xc3",
    b"\xe2\x82\xac\xff\xf0\x9f\x98\x80", b"\x00" + ESC, b"\x0f" + ESC + b"[1;2;3;4;5;6;7;8;9A" + ESC + b"[?1;2c",
    b"S-A-C-Left S-'a' click:x,1 click:1", b"drag:1,2,3 mclick:1,2", b"size:0x0 size:80", b"wheel:1,2 up:1,2 down:3,4",
    b"'unfinished", b"nokey", b"F1 F12 F13 C-a A-x Space Tab Esc Enter", b"wait:5 wait", b"click:99999999999,1",
]

CONVENTIONS = [
    [], {}, {"name": 3}, {"name": "m", "detect": "x"}, {"name": "m", "detect": [1]}, {"name": "m", "rank": ["re:("]},
    {"name": "m", "rank": ["re:(a)(b)"]}, {"name": "m", "stage": 1}, {"name": "m", "stage": {"pattern": 1}},
    {"name": "m", "stage": {"inside": "x"}}, {"name": "m", "stage": {"pattern": "x", "more": 1}}, {"name": "m", "stage": {}},
    {"name": "m", "purposes": []}, {"name": "m", "purposes": {"nothing": ["x"]}}, {"name": "m", "purposes": {"x": [1]}},
    {"name": "m", "purposes": {"x": "y"}}, {"name": "m", "anchor": ["re:["]}, {"name": "m", "comm": [None]},
    {"name": "m", "comm": ["a"], "description": "d", "extends": "pytorch"}, {"name": "", "detect": [""]},
    {"name": True}, {"name": "m", "a": {"b": {"c": [1, 2.5, None, True, False, "x"]}}},
]

RUN = {"format": "warplens run", "version": 1, "id": "r", "argv": ["a"], "directory": "/w",
       "timing": {"begin": "x", "begin_ms": 1, "end_ms": 2, "wall_ns": 3}, "exit": {"status": 0, "signal": None}}
SUM = "a" * 64
MANIFEST = [
    {"format": 1}, {"format": "x"}, {"version": 2}, {"id": "s"}, {"argv": []}, {"argv": "a"}, {"argv": [1]}, {"sweep": {"a": 1}},
    {"environment": []}, {"environment": {"A": None}}, {"timing": {"begin": "x"}}, {"timing": {"begin_ms": -1}},
    {"timing": dict(RUN["timing"], stages=[{"name": 1}])}, {"timing": dict(RUN["timing"], stages=[{"name": "a", "wall_ns": 1.5}])},
    {"timing": dict(RUN["timing"], stages=3)}, {"exit": {"status": 256}}, {"exit": {"status": "x"}},
    {"git": {"revision": "0", "dirty": 3}}, {"git": {"revision": "0", "dirty": False}}, {"git": []},
    {"outputs": [{"path": "a"}]}, {"outputs": [{"path": "a", "bytes": 1, "sha256": "x"}]}, {"outputs": [3]},
    {"outputs": [{"path": "a", "bytes": 1, "sha256": SUM, "gz": {"bytes": 1}}]}, {"outputs": [{"path": "/a", "bytes": 1, "sha256": SUM}]},
    {"outputs": [{"path": "a", "bytes": 1, "sha256": SUM, "gz": 3}]}, {"inputs": {}}, {"inputs": [{"path": "", "bytes": 1}]},
    {"failure": 3}, {"failure": "x" * 70}, {"host": 3}, {"gpus": "x"}, {"versions": {"nsys": 3}}, {"secrets_allowed": [3]},
    {"argv": ["a"] * 4100},
]


def ask(method, params=None, **more):
    message = {"jsonrpc": "2.0", "id": 1, "method": method}
    if params is not None:
        message["params"] = params
    message.update(more)
    return message


META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
MCP = [
    {"jsonrpc": "1.0", "id": 1, "method": "ping"}, {"jsonrpc": "2.0", "id": 1}, {"jsonrpc": "2.0", "id": 1, "result": {}},
    {"jsonrpc": "2.0", "id": "a", "error": {}}, ask("ping", id="text"), ask("ping", id=1.5), ask("ping", id={}), ask(3),
    ask("ping", 3), ask("ping", []), {"jsonrpc": "2.0", "method": "ping", "params": 3}, ask("nothing/here"),
    ask("ping", {"_meta": 3}), ask("ping", {"_meta": {}}), ask("tools/list", {"_meta": {"io.modelcontextprotocol/protocolVersion": 3}}),
    ask("tools/list", {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}),
    ask("tools/list", {"_meta": dict(META, **{"io.modelcontextprotocol/protocolVersion": "1999-01-01"})}),
    ask("initialize", {}), ask("initialize", {"protocolVersion": "1999-01-01"}), ask("initialize", {"protocolVersion": "2025-06-18"}),
    ask("tools/call", {"_meta": META}), ask("tools/call", {"_meta": META, "name": "findings", "arguments": 3}),
    ask("tools/call", {"_meta": META, "name": "no such tool", "arguments": {}}), ask("tools/call", {"_meta": META, "name": "findings"}),
    ask("tools/call", {"_meta": dict(META, progressToken="p"), "name": "findings", "arguments": {"trace": "t1"}}),
    {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}, 3, [], "x", None,
]

RULES = [
    {"mine": {"other": {"a": "b"}}}, {"mine": {}}, {"mine": 3}, {"mine": {"m": []}}, {"mine": {"m": {"a": 1}}}, [],
    {"mine": {"m": {"x%d" % i: "c%d" % i for i in range(80)}}}, {"mine": {"m": {"x%d" % i: "c" for i in range(600)}}},
    {"vllm": {"gpt-oss": {"zzz": "mine"}}}, {"vllm": {"gpt-oss": "x"}}, {"mine": {"m": {"(a+)+$": "slow"}}}, {"mine": {"m": {"": ""}}},
    {"generic": {"any": {"gemm": "x"}}},
]


def skill(**members):
    base = {"name": "s", "title": "t", "about": "a", "sql": {"q": "SELECT 1"}}
    base.update(members)
    return base


SKILLS = [
    skill(nam="x"), skill(name=3), skill(name="S p"), skill(title=3), skill(notes=3), skill(notes=[3]), skill(abstains={}),
    skill(parameters=3), skill(parameters=["limit (count, default 20): Rows."]), skill(parameters=["limit (count, default x): Rows."]),
    skill(parameters=["limit (nothing): Rows."]), skill(parameters=["limit count: Rows."]), skill(parameters=["trace (count): Rows."]),
    skill(parameters=["a b (count): Rows."]), skill(parameters=["a (count): Rows.", "a (count): Rows."]),
    skill(parameters=["a (choice): Rows."]), skill(parameters=["a (choice x|y, default z): Rows."]),
    skill(parameters=["a (count, optional): Rows."]), skill(parameters=["p%d (count): Rows." % i for i in range(80)]),
    skill(parameters=["a (time, default 1ms): T.", "b (seconds, default 1): T.", "c (bytes, default 1MB): T.", "d (ratio, default 0.5): T.",
                      "e (number, default 2.5): T.", "f (flag, default yes): T.", "g (text, default x): T.", "h (pattern, default .*): T.",
                      "i (choice a|b, required): T."]),
    skill(parameters=["e (number, default 2.5x): T."]), [], 3, {},
]
MARKDOWN = [b"# s\n\nt\n\n## Nothing\n", b"# s\xff\n", b"\n", b"# S s\n\nt\n", b"# s\n\nt\n\n## Parameters\n\n- a count: x\n", b"x" * 66000]


def save(kind, number, data):
    folder = os.path.join(CORPUS, kind)
    if isinstance(data, str):
        data = data.encode()
    elif not isinstance(data, bytes):
        data = json.dumps(data).encode()
    if len(data) < 60000:
        with open(os.path.join(folder, "slip-%02d" % number), "wb") as f:
            f.write(data)


def main():
    for kind, all_data in (("where", WHERE), ("terminal", TERMINAL), ("conventions", CONVENTIONS),
                           ("manifest", [dict(RUN, **slip) for slip in MANIFEST]), ("mcp", MCP), ("rules", RULES),
                           ("skill", SKILLS + MARKDOWN)):
        for i, data in enumerate(all_data):
            save(kind, i, data)


main()
