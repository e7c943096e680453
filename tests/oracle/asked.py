#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""asked.py TEST.py [ARGUMENT...] - runs an oracle, which fails if it never asked for a verb that ORACLES gives it.

An oracle that no longer reaches its verb would pass for ever. Every start of the program through subprocess is seen, whatever
module starts it; a verb counts once an answer to it had something in it: rows in JSON, else lines below a head.
"""
import json
import os
import runpy
import subprocess
import sys

import wl

VERBS, started, answered = {}, set(), set()


def has_rows(out):
    """Whether what the program printed, bytes or text, has more than heads."""
    text = out.decode("utf-8", "replace") if isinstance(out, bytes) else out
    try:
        document = json.loads(text)
    except ValueError:
        return len(text.split("\n")) > 2
    tables = document.get("sections", [document]) if isinstance(document, dict) else [document]
    return any(not isinstance(t, dict) or t.get("rows") for t in tables)


def names(program):
    """What a verb may be called on a command line: its name and others."""
    known = json.loads(subprocess.run([program, "--introspect"], stdout=subprocess.PIPE, check=True).stdout)["verbs"]
    other = {a["name"]: v["name"] for v in known for a in v["aliases"]}
    return {**other, **{v["name"]: v["name"] for v in known}}


def verb_of(command, program):
    """The verb of a command line of the program, as ORACLES has it; None for those of others."""
    words = [] if isinstance(command, (str, bytes)) else list(map(str, command))
    after = words[words.index(program) + 1:] if program in words else []
    return next((VERBS[w].replace("-", "_") for w in after if w in VERBS), None)


class Watched(subprocess.Popen):
    """What subprocess.run() and others start."""

    def __init__(self, args, *more, **options):
        self.verb = verb_of(args, wl.WARPLENS)
        started.add(self.verb)
        super().__init__(args, *more, **options)

    def communicate(self, *more, **options):
        out, err = super().communicate(*more, **options)
        if self.verb and self.verb not in answered and self.returncode == 0 and out and has_rows(out):
            answered.add(self.verb)
        return out, err


def wanted(path):
    """The verbs that ORACLES, the file beside the test, says it asks for."""
    with open(os.path.join(os.path.dirname(path), "ORACLES"), encoding="utf-8") as f:
        lines = [line.split(":") for line in f if ":" in line]
    return sorted(verb.strip() for verb, file in lines if file.strip() == os.path.basename(path))


def main():
    path = os.path.abspath(sys.argv[1])
    sys.argv = sys.argv[1:]
    sys.path.insert(0, os.path.dirname(path))
    VERBS.update(names(wl.WARPLENS))
    subprocess.Popen = Watched
    status = 0
    try:
        runpy.run_path(path, run_name="__main__")
    except SystemExit as end:
        status = end.code
    if status in (0, None):
        for verb in wanted(path):
            if verb not in answered:
                print("FAIL ORACLES: it asks for %s; %s" % (verb, "no answer had rows" if verb in started else "it never did"))
                status = 1
    sys.exit(status)


if __name__ == "__main__":
    main()
