# SPDX-License-Identifier: MIT
"""Traces in which the cause of lost time is known, with their truth: made by tests/support/causes.py, or by the shared plant.py."""
import json
import os
import subprocess
import sys

import wl

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPTS = (os.path.join(os.path.dirname(HERE), "support", "causes.py"), os.path.join(wl.SHARED, "tools", "plant.py"))
ALL = bool(os.environ.get("CAUSES_ALL"))


def script():
    """What writes the cases; without it the test is skipped."""
    found = next((s for s in SCRIPTS if os.path.exists(s)), None)
    if found is None:
        print("skipped: nothing writes traces with known causes, neither of", " ".join(SCRIPTS))
        sys.exit(77)
    return found


def write(scratch, names):
    """Writes the named cases; returns name -> (path, truth)."""
    subprocess.run([sys.executable, "-B", script(), "-o", scratch, *names], check=True, stdout=subprocess.DEVNULL)
    with open(os.path.join(scratch, "truth.json"), encoding="utf-8") as f:
        truth = json.load(f)

    def path(name):
        files = truth[name]["files"]
        return os.path.join(scratch, name) if len(files) > 1 else os.path.join(scratch, files[0])
    return {name: (path(name), truth[name]) for name in names}


def listed():
    """The names of all cases."""
    p = subprocess.run([sys.executable, "-B", script(), "--list"], stdout=subprocess.PIPE, check=True, text=True)
    return [line.split()[0] for line in p.stdout.splitlines()]


def part(names, few):
    """All names with CAUSES_ALL=1, else the few."""
    return list(names) if ALL else [n for n in names if n in few]
