# SPDX-License-Identifier: MIT
"""Makes traces by tests/support/gen_trace.py and plants causes and changes in them by plant.py; both return the truth.

The same options give the same trace, so one process generates it once and copies it.
"""
import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile

import wl

SUPPORT = os.path.join(wl.ROOT, "tests", "support")
sys.path.append(SUPPORT)
import plant as planting  # noqa: E402

TRUTH = ".truth.json"
made = {}                               # options: path


def run(script, *arguments):
    subprocess.run([sys.executable, "-B", os.path.join(SUPPORT, script), *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


def truth_of(path):
    with open(path + TRUTH, encoding="utf-8") as f:
        return json.load(f)


def generate(path, options):
    """A directory (--split) is always made again."""
    if "--split" in options:
        run("gen_trace.py", "-o", path, *options)
        return truth_of(path)
    key = tuple(map(str, options))
    if key not in made:
        if not made:
            made[None] = tempfile.mkdtemp(prefix="wl-made-")
            atexit.register(shutil.rmtree, made[None], ignore_errors=True)
        made[key] = os.path.join(made[None], "%d.sqlite" % len(made))
        run("gen_trace.py", "-o", made[key], *options)
    for suffix in ("", TRUTH):
        shutil.copyfile(made[key] + suffix, path + suffix)
    return truth_of(path)


def plant(source, target, edit):
    """edit: the kind, then its arguments."""
    kind, *arguments = edit
    planting.main([kind, source, target, *map(str, arguments)])
    return truth_of(target)
