"""Makes traces by tests/support/gen_trace.py and plants causes and changes in them by plant.py; both return the truth."""
import json
import os
import subprocess
import sys

import wl

SUPPORT = os.path.join(wl.ROOT, "tests", "support")


def run(script, *arguments):
    subprocess.run([sys.executable, "-B", os.path.join(SUPPORT, script), *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


def truth_of(path):
    with open(path + ".truth.json", encoding="utf-8") as f:
        return json.load(f)


def generate(path, options):
    run("gen_trace.py", "-o", path, *options)
    return truth_of(path)


def plant(source, target, edit):
    """edit: the kind, then its arguments."""
    kind, *arguments = edit
    run("plant.py", kind, source, target, *arguments)
    return truth_of(target)
