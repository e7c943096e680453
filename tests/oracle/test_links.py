#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""link_share of nccl on generated traces with payloads: busbw over what NVLink carries, by the model of the GPUs (links.py), and
empty where members are on several hosts, where the model does not show the link, and where bytes are not recorded."""
import os
import sqlite3
import subprocess
import sys
import tempfile

import links
import wl

NAMES = ("NVIDIA H100 80GB HBM3", "NVIDIA A100-SXM4-40GB", "NVIDIA A100 80GB PCIe", "NVIDIA H100 NVL", "NVIDIA GH200 480GB", "NVIDIA B200", None)


def make(path, *options):
    subprocess.run([sys.executable, os.path.join(wl.ROOT, "tests", "support", "gen_trace.py"), "-o", path, "--ranks", "4", "--layers", "2",
                    "--iters", "4", *options], check=True, stdout=subprocess.DEVNULL)


def rename(path, names):
    db = sqlite3.connect(path)
    for number, name in enumerate(names):
        db.execute("UPDATE TARGET_INFO_GPU SET name = ? WHERE id = ?", (name, number))
    db.commit()
    db.close()


def check(path, link, least=1):
    """Differences of both tables; at least so many rows have a bandwidth."""
    bad = []
    for arguments in ([], ["--list"]):
        rows = wl.run("nccl", path, *arguments)[1]["rows"]
        sized = [row for row in rows if row["busbw"]]
        for row in rows:
            want = row["busbw"] / link if link and row["busbw"] else None
            have = row["link_share"]
            if (have is None) != (want is None) or have is not None and abs(have / want - 1) > 1e-9:
                bad.append("%s %s: %r is not %r" % (arguments, row["type"], have, want))
        if len(sized) < least:
            bad.append("%s: %d rows have a bandwidth" % (arguments, len(sized)))
    return bad[:5]


def main():
    tally = wl.Tally()
    with tempfile.TemporaryDirectory(prefix="wl-links-") as scratch:
        path = os.path.join(scratch, "one.sqlite")
        make(path, "--payloads", "2.25")
        for name in NAMES:
            rename(path, [name] * 4)
            tally.check(str(name), check(path, links.nvlink(name)))
        rename(path, ["NVIDIA H100 80GB HBM3", "NVIDIA H100 80GB HBM3", "NVIDIA A100-SXM4-40GB", "NVIDIA H100 80GB HBM3"])
        tally.check("the slowest counts", check(path, 300e9))
        rename(path, ["NVIDIA H100 80GB HBM3", "NVIDIA H100 80GB HBM3", "NVIDIA H100 PCIe", "NVIDIA H100 80GB HBM3"])
        tally.check("one without the link", check(path, None))
        make(path)
        tally.check("without payloads", check(path, None, 0))
        make(os.path.join(scratch, "job"), "--payloads", "2.25", "--split", "--hosts", "2")
        tally.check("several hosts", check(os.path.join(scratch, "job"), None))
        make(os.path.join(scratch, "host"), "--payloads", "2.25", "--split", "--hosts", "1")
        tally.check("several files of one host", check(os.path.join(scratch, "host"), 450e9))
    tally.finish()


if __name__ == "__main__":
    main()
