#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The verb ncu against what the real ncu printed for the corpus, and its metrics against what chips have.

 * Every metric of a report equals the cell of the raw page, as far as ncu prints it: two or six decimals of its unit.
 * Every metric of the page is read as Python reads it.
 * The class of a kernel is that of ncu's own rule (SOLBottleneck) on the details page.
 * Each metric of src/known/gpus/ncu_metrics.def is on the chips that its line names, and operations of tensor cores are
   counted completely: ncu_chips.txt for Volta to Hopper, a report for Blackwell.

NCU_PAGES=DIR compares with pages DIR/NAME.csv instead of those of the corpus: soak.ncu makes them in base units.
"""
import csv
import io
import math
import os
import subprocess
import sys
import tempfile

import ncu_facts
import wl

SCALES = {"nsecond": 1, "usecond": 1e3, "msecond": 1e6, "second": 1e9, "byte": 1, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9,
          "Tbyte": 1e12}
PLACES = ("ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size",
          "Device", "CC")
RULES = (("grid is too small", {"small grid"}), ("low compute throughput", {"latency"}), ("well-balanced", {"balanced"}),
         ("Compute is more heavily", {"compute"}), ("Memory is more heavily", {"DRAM", "cache"}),
         ("greater than 80", {"compute", "DRAM", "cache", "balanced"}))


def scale(unit):
    above, _, below = unit.partition("/")
    s = SCALES.get(above, 1)
    return s * 1e9 / SCALES[below] if below in ("nsecond", "usecond", "msecond", "second") else s


def read_page(path):
    """Units and rows of a raw page; each row a dictionary."""
    text = "".join(line for line in open(path, encoding="utf-8", newline="") if not line.startswith("=="))
    rows = list(csv.reader(io.StringIO(text)))
    head = rows[0]
    return dict(zip(head, rows[1])), [dict(zip(head, row)) for row in rows[2:]]


def metrics(path):
    """What the program read: one dictionary per launch."""
    _, doc = wl.run("ncu", path, "--section", "metrics")
    launches = {}
    for row in doc["rows"]:
        value = row["text"] if row["text"] is not None else row["value"]
        launches.setdefault(row["launch"], {})[row["metric"]] = value
    return [launches[k] for k in sorted(launches)]


def step(cell):
    """Half of what the last printed digit is worth."""
    return 0.5 * 10.0 ** -len(cell.partition(".")[2]) if "." in cell else 0.5


def same(value, cell, unit, is_page):
    if isinstance(value, str):
        return value == cell
    try:
        shown = float(cell.replace(",", "")) * scale(unit)
    except ValueError:
        return False
    if value is None or not math.isfinite(shown):  # no number for either
        return value is None and not math.isfinite(shown)
    slack = abs(shown) * 1e-9 + (0 if is_page else 1.001 * step(cell) * scale(unit))
    return abs(value - shown) <= slack


def check_metrics(name, path, page, is_page):
    units, rows = read_page(page)
    launches = metrics(path)
    problems, n = [], 0
    if len(launches) != len(rows):
        return ["%s: %d launches, not %d" % (name, len(launches), len(rows))], 0
    for row, launch in zip(rows, launches):
        for metric, cell in row.items():
            if metric in PLACES or "Range:" in metric:
                continue
            if metric not in launch:
                if cell not in ("", "no data"):
                    problems.append("%s: %s is %s and was not read" % (name, metric, cell))
                continue
            n += 1
            if not same(launch[metric], cell, units[metric], is_page):
                problems.append("%s: %s is %r, not %s %s" % (name, metric, launch[metric], cell, units[metric]))
    return problems, n


def check_launches(name, path, page):
    _, rows = read_page(page)
    _, doc = wl.run("ncu", path, "--by", "launch")
    problems = []
    for row, got in zip(rows, doc["rows"]):
        want = (row["Kernel Name"], row["Grid Size"].strip("()").replace(" ", ""),
                row["Block Size"].strip("()").replace(" ", ""), int(row["Context"]), int(row["Stream"]), float(row["CC"]))
        have = tuple(got[k] for k in ("kernel", "grid", "block", "context", "stream", "cc"))
        if want != have or str(got["launch"]) != row["ID"]:
            problems.append("%s: launch %r, not %r" % (name, have, want))
    return problems


def check_classes(name, path, details):
    """The class by the words of ncu's rule, launch by launch."""
    text = "".join(line for line in open(details, encoding="utf-8", newline="") if not line.startswith("=="))
    said = {}
    for row in csv.DictReader(io.StringIO(text)):
        if row.get("Rule Name") == "SOLBottleneck":
            said[int(row["ID"])] = row["Rule Description"]
    _, doc = wl.run("ncu", path, "--by", "launch")
    problems, n = [], 0
    for row in doc["rows"]:
        for words, classes in RULES:
            if words in said.get(row["launch"], ""):
                n += 1
                if row["bound"] not in classes:
                    problems.append("%s: launch %s is %s; ncu says: %s" % (name, row["launch"], row["bound"],
                                                                          said[row["launch"]][:60]))
    return problems, n


def check_chips(report):
    """Lines of the table against the chips; the report is of a Blackwell GPU."""
    facts = {chip: set() for chip in ncu_facts.CHIPS}
    for line in open(os.path.join(ncu_facts.HERE, "ncu_chips.txt"), encoding="utf-8"):
        facts[line.split()[0]].add(line.split()[1])
    if report:
        facts["gb100"] = {m.split(".")[0] for m in metrics(report)[0]}
    problems = []
    for chip, names in facts.items():
        mine = {name for _, chips, name in ncu_facts.table() if chip in chips}
        totals = {n for n in names if ncu_facts.TOTAL.match(n)}
        made = {n for n in mine if n.startswith("launch__") or n.startswith("sm__maximum_warps")}
        missing = mine - names - (made if chip != "gb100" else set())
        problems += ["%s has no %s" % (chip, n) for n in sorted(missing - ({"dram__bytes"} if chip == "gb100" else set()))]
        problems += ["%s: %s is not counted" % (chip, n) for n in sorted(totals - mine)]
    return problems


def main():
    names = sorted(n for n in (os.listdir(wl.CORPUS) if os.path.isdir(wl.CORPUS) else [])
                   if os.path.exists(os.path.join(wl.CORPUS, n, "report.ncu-rep.zst")))
    pages = os.environ.get("NCU_PAGES")
    problems, n_metrics, n_classes, blackwell = [], 0, 0, None
    with tempfile.TemporaryDirectory() as work:
        for name in names:
            folder = os.path.join(wl.CORPUS, name)
            report = os.path.join(work, name + ".ncu-rep")
            page = os.path.join(pages, name + ".csv") if pages else os.path.join(folder, "raw.csv")
            subprocess.run(["zstd", "-dqf", os.path.join(folder, "report.ncu-rep.zst"), "-o", report], check=True)
            for path in (report, page):
                bad, n = check_metrics(name, path, page, path == page)
                problems += bad + check_launches(name, path, page)
                n_metrics += n
            bad, n = check_classes(name, report, os.path.join(folder, "details.csv"))
            problems += bad
            n_classes += n
            if read_page(page)[1][0]["CC"] == "10.0":
                blackwell = report
        problems += check_chips(blackwell)
    for p in problems[:40]:
        print("FAIL:", p)
    print("%d reports, %d metrics and %d classes compared, %d differ" % (len(names), n_metrics, n_classes, len(problems)))
    if problems:
        return 1
    return 0 if names else 77


if __name__ == "__main__":
    sys.exit(main())
