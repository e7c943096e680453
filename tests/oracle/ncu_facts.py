#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ncu_facts.py NCU - print which of the metrics that src/known/gpus/ncu_metrics.def may use each chip has.

The answers of `ncu --query-metrics --chip` of ncu 2024.1.1 are in ncu_chips.txt: CHIP NAME, without suffixes.
"""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CHIPS = ("gv100", "tu102", "ga100", "ga102", "ad102", "gh100")
TOTAL = re.compile(r"sm__ops_path_tensor_src_(?!.*sparsity)")


def table():
    """Lines of the table: (meaning, set of chips, name without suffix)."""
    text = open(os.path.join(HERE, "../../src/known/gpus/ncu_metrics.def"), encoding="utf-8").read()
    every = set(CHIPS) | {"gb100"}
    sets = {"ALL": every, "TO_HOPPER": set(CHIPS)}
    lines = []
    for meaning, _, chips, name in re.findall(r'^WL_NCU_METRIC\((\w+), (\w+), ([^,]*),\s+"([^"]*)"\)', text, re.M):
        of = set().union(*(sets.get(c.strip(), {c.strip().lower()}) for c in chips.split("|")))
        lines.append((meaning, of, name.split(".")[0]))
    return lines


def ask(ncu, chip):
    """The names that a chip has, of those that matter here."""
    used = {name for _, _, name in table()}
    out = subprocess.run([ncu, "--query-metrics", "--chip", chip], stdout=subprocess.PIPE, check=True, timeout=120).stdout
    names = {line.split()[0] for line in out.decode().splitlines() if "__" in line.split(" ")[0]}
    return sorted(n for n in names if n in used or TOTAL.match(n))


def main():
    for chip in CHIPS:
        for name in ask(sys.argv[1], chip):
            print(chip, name)


if __name__ == "__main__":
    main()
