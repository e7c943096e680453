#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mkseeds.py WARPLENS FIXTURES - write the seeds of fuzz_facts and fuzz_fingerprint that the program itself writes.

To be run when the format of facts or baselines changes: fuzz-coverage shows that by shares that fall. FIXTURES is the
folder of databases that the test setup.fixtures makes. Needs the zstd command.
"""

import json
import os
import struct
import subprocess
import sys
import tempfile

CORPUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")
MOST = 20000  # bytes of a seed
MOST_OF_BLOCK = 12000  # a larger one, of answers, is left empty
FACTS = ["tiny", "steps", "two_ranks", "waits", "mpi", "stacks"]
BASELINES = ["tiny", "steps", "two_ranks", "graphs", "files", "mpi", "memory", "stacks"]


def save(kind, name, data):
    with open(os.path.join(CORPUS, kind, name), "wb") as f:
        f.write(data)


def blocks(data):
    """The blocks of a file of facts as fuzz_facts reads them: rows, length, content."""
    head, _, packed = data.partition(b"\n")
    out = b""
    for block in json.loads(head)["blocks"]:
        raw = subprocess.run(["zstd", "-dqc"], input=packed[:block["size"]], stdout=subprocess.PIPE, check=True).stdout
        packed = packed[block["size"]:]
        if len(raw) > MOST_OF_BLOCK:
            block["rows"], raw = 0, b""
        out += struct.pack(">BH", block["rows"] & 255, len(raw)) + raw
    return out


def main():
    program, fixtures = sys.argv[1:]
    env = dict(os.environ, LC_ALL="C.UTF-8", HOME="/nonexistent")
    with tempfile.TemporaryDirectory() as room:
        for name in FACTS:
            trace, out = os.path.join(fixtures, name + ".sqlite"), os.path.join(room, name + ".wlfacts")
            subprocess.run([program, "facts", trace, "-o", room], check=True, env=env, stdout=subprocess.DEVNULL)
            with open(out, "rb") as f:
                data = f.read()
            if name == "tiny":
                save("facts", "whole", data)
                save("facts", "cut", data[:3000])
            if len(blocks(data)) <= MOST:
                save("facts", "blocks_" + name, blocks(data))
        for name in BASELINES:
            trace = os.path.join(fixtures, name + ".sqlite")
            subprocess.run([program, "baseline", "tag", name, trace, "--dir", room], check=True, env=env,
                           stdout=subprocess.DEVNULL)
            with open(os.path.join(room, name + ".json"), "rb") as f:
                data = f.read()
            # Schema and definitions are those of the program that is tested.
            save("fingerprint", name, data[data.index(b",\n"):])


main()
