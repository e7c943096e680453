#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""asked.py: oracles that never ask for their verb, or get no rows of it, fail; planted ones."""
import os
import subprocess
import sys
import tempfile

import wl

FIXTURES = os.environ.get("WARPLENS_FIXTURES") or os.path.join(wl.ROOT, "build", "dev", "fixtures")
ASKED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "asked.py")
HEAD = "import subprocess, sys\nask = lambda *a, **k: subprocess.run([%r, *a], stdout=subprocess.PIPE, **k).stdout\n"
# What the oracle of the verb kernels does; what is said of it, None for nothing.
PLANTED = (
    ("ask('kernels', %(trace)r, '-f', 'json')", None),
    ("ask('cuda_gpu_kern_sum', %(trace)r)", None),                      # another name of it
    ("ask('kernels', %(trace)r, '-f', 'json'); sys.exit(0)", None),
    ("pass", "kernels; it never did"),
    ("ask('transfers', %(trace)r)", "kernels; it never did"),
    ("subprocess.run(['echo', 'kernels'])", "kernels; it never did"),
    ("ask('kernels', %(trace)r, '-f', 'json', '--where', 'calls > 1000')", "kernels; no answer had rows"),
    ("ask('kernels', %(trace)r, '--where', 'calls > 1000', '-f', 'csv')", "kernels; no answer had rows"),
    ("ask('kernels', 'missing.sqlite', stderr=subprocess.DEVNULL)", "kernels; no answer had rows"),
)


def main():
    tally = wl.Tally()
    with tempfile.TemporaryDirectory(prefix="wl-asked-") as scratch:
        trace, test = os.path.join(FIXTURES, "tiny.sqlite"), os.path.join(scratch, "test_planted.py")
        with open(os.path.join(scratch, "ORACLES"), "w") as f:
            f.write("kernels: test_planted.py\ntransfers: test_other.py\n")
        for text, words in PLANTED:
            with open(test, "w") as f:
                f.write(HEAD % wl.WARPLENS + text % {"trace": trace} + "\n")
            p = subprocess.run([sys.executable, "-B", ASKED, test], stdout=subprocess.PIPE, text=True,
                               env={**os.environ, "WARPLENS": wl.WARPLENS})
            tally.equal(text, (p.returncode, p.stdout.split("it asks for ")[-1].strip()),
                        (1, words) if words else (0, p.stdout.strip()))
        with open(test, "w") as f:
            f.write("import sys\nsys.exit(3)\n")
        tally.equal("its own failure", subprocess.run([sys.executable, "-B", ASKED, test]).returncode, 3)
    tally.finish()


if __name__ == "__main__":
    main()
