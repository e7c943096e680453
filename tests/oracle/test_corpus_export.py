#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every trace of the corpus as a Perfetto file: pfcheck accepts it, and every event is there with its own times and name."""
import gc
import os
import tempfile

import wl
from test_export import one


def main():
    wl.skip_without_corpus()
    gc.disable()                                            # thousands of times for nothing, with so many rows
    tally = wl.Tally()
    with tempfile.TemporaryDirectory(prefix="wl-export-") as scratch:
        for name, path in wl.corpus_traces():
            one(tally, "%s %s" % (name, os.path.basename(path)), path, scratch, projected=False)
            gc.collect()
    tally.finish()


if __name__ == "__main__":
    main()
