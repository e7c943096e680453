#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Two different kernels never print alike: every verb with a column of kernels and the tree of tui, at 80 and 120 columns, on
the traces of the corpus, on generated ones and on the fixtures. The table is compared row by row with the JSON of the same answer.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import wl

# verb and options, and the column of kernels
VERBS = [(["kernels", "--by", "name"], "name"), (["kernels", "--by", "device"], "name"), (["ops"], "name"), (["launch"], "name"),
         (["nvtx-kernels"], "kernel"), (["gaps", "--min", "0"], "after"), (["search", ".", "--in", "kernels"], "name")]
WIDTHS = (80, 120)
LIMIT = "60"
GENERATED = {"train": "--ranks 2 --layers 4 --iters 5", "moe": "--ranks 4 --layers 2 --moe --iters 2",
             "serving": "--ranks 2 --layers 4 --serving --iters 20", "variants": "--ranks 1 --layers 2 --iters 2 --variants 50"}


def answer(arguments, path, form, width=None):
    environment = {**os.environ, "COLUMNS": str(width or 80), "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
    p = subprocess.run([wl.WARPLENS, *arguments, path, "-n", LIMIT, "-f", form], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                       env=environment, timeout=600, text=True)
    return p.stdout if p.returncode == 0 else None


def alike(arguments, path):
    """Names of one table that print alike, at each width."""
    verb, key = arguments
    document = answer(verb, path, "json")
    if document is None:
        return []
    document = json.loads(document)
    title = next(c["title"] for c in document["columns"] if c["key"] == key)
    names = [row[key] or "-" for row in document["rows"]]
    if not names:
        return []                                   # a table without rows has no titles either
    out = []
    for width in WIDTHS:
        printed = printed_names(answer(verb, path, "table", width), title, len(names))
        if len(printed) != len(names):
            out.append("%s at %d: %d rows, %d in JSON" % (" ".join(verb), width, len(printed), len(names)))
        seen = {}
        for name, text in zip(names, printed):
            if seen.setdefault(text, name) != name:
                out.append("%s at %d: %r is %r and %r" % (" ".join(verb), width, text, name[:200], seen[text][:200]))
    return out


def printed_names(text, title, n):
    """The cells below a title: text is aligned left, and cells are at least two spaces apart."""
    lines = text.split("\n")
    head = next(i for i, line in enumerate(lines) if re.search(r"(^|\s)%s(\s|$)" % title, line))
    begin = lines[head].index(title)
    return [re.split(r"\s\s", line[begin:])[0].rstrip() for line in lines[head + 1:head + 1 + n]]


def alike_in_tree(path):
    """Kernels below one range that look alike in the tree, all of which is unfolded: each is a row of its own name."""
    out = []
    for width in WIDTHS:
        p = subprocess.run([wl.WARPLENS, "tui", path, "--snapshot", "%dx400" % width, "--script", "9"], stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, env={**os.environ, "LC_ALL": "C.UTF-8"}, timeout=600, text=True)
        seen = {}                                   # by indent: kernels below the range that is open there
        for line in p.stdout.split("\n"):
            row = re.match(r"( *)([■▾▸·]) (.*?)(\s\s|$)", line)
            if not row:
                continue
            depth = len(row.group(1))
            seen = {d: names for d, names in seen.items() if d <= depth}
            names = seen.setdefault(depth, set())
            if row.group(2) == "■" and row.group(3) in names:
                out.append("tree at %d: %r twice below one range" % (width, row.group(3)))
            elif row.group(2) == "■":
                names.add(row.group(3))
    return out


def traces():
    if os.path.isdir(wl.CORPUS):
        yield from wl.corpus_traces(main_only=True)
    else:
        print("skipped: no corpus at", wl.CORPUS)
    for path in sorted(glob.glob(os.path.join(os.environ.get("WARPLENS_FIXTURES", "/nonexistent"), "*.sqlite"))):
        if not path.endswith("hostile.sqlite"):     # characters that are not shown are all replaced by the same one
            yield os.path.basename(path), path
    generator = os.path.join(wl.ROOT, "tests", "support", "gen_trace.py")
    with tempfile.TemporaryDirectory(prefix="wl-labels-") as scratch:
        for kind, options in GENERATED.items():
            path = os.path.join(scratch, kind + ".sqlite")
            subprocess.run([sys.executable, generator, "-o", path, *options.split()], stdout=subprocess.DEVNULL, check=True)
            yield kind, path


def main():
    tally = wl.Tally()
    for name, path in traces():
        for arguments in VERBS:
            tally.check("%s: %s" % (name, " ".join(arguments[0])), alike(arguments, path))
        tally.check("%s: tree" % name, alike_in_tree(path))
    tally.finish()


if __name__ == "__main__":
    main()
