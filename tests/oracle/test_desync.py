#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A communicator whose members get out of step: the finding `out-of-step` against what was planted: rank, kind and instance."""
import json
import os
import re
import tempfile

import planted
import wl

JOB = "--ranks 4 --layers 4 --iters 10 "
SPLIT = "--split --hosts 2 --clock-skew 1000000:10 "
JOBS = [
    "--desync 2:5:type --payloads 2.25", "--desync 1:5:size --payloads 2.25", "--desync 0:5:drop --payloads 2.25",
    "--desync 3:5:drop", "--desync 2:5:type",               # ends show them without payloads
    SPLIT + "--desync 2:4:size --payloads json", SPLIT + "--desync 1:6:drop --payloads 2.25",
    "--payloads 2.25", "--straggler 2:1.4", SPLIT + "--payloads 2.25", "--cut 3:40ms:25ms --split",     # in step: no finding
]


def desync_of(path):
    name = os.path.join(path, "split.truth.json") if os.path.isdir(path) else path + planted.TRUTH
    with open(name, encoding="utf-8") as f:
        return json.load(f)["job"].get("desync")


def check(path):
    want = desync_of(path)
    _, answer = wl.run("findings", "--where", "code = out-of-step", path)
    said = [row["finding"] for row in answer["rows"]]
    if want is None:
        return said
    text = "at %s number %d of GPUs " % (want["type"], want["instance_of_type"])
    who = r"^(Rank %d \(GPU %d\)|GPU %d) does not call the same collective as its group" % ((want["rank"],) * 3)
    return [] if len(said) == 1 and text in said[0] and re.match(who, said[0]) else ["%s, planted %s" % (said, want)]


def main():
    tally = wl.Tally()
    for number, options in enumerate(JOBS):
        if number % int(os.environ.get("ORACLE_PART", "1")) != 0:
            continue
        with tempfile.TemporaryDirectory(prefix="wl-desync-") as scratch:
            path = scratch if "--split" in options else os.path.join(scratch, "t.sqlite")
            planted.run("gen_trace.py", "-o", path, "--job-truth", *(JOB + options).split())
            tally.check(options, check(path))
    tally.finish()


if __name__ == "__main__":
    main()
