#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the page of two traces is told equals what "warplens diff" prints, cell by cell."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

from client import FIXTURES, WARPLENS, Server

GENERATOR = os.path.join(os.environ["WARPLENS_SOURCE"], "tests", "support", "gen_trace.py")
CORPUS = os.path.join(os.environ["WARPLENS_SHARED"], "corpus")
CORPUS_PAIRS = [
    ("nersc-sc22-ddp-4gpu-baseline", "nersc-sc22-ddp-4gpu-nobroadcast"),
    ("nsys-ai-mfu-2gpu-before", "nsys-ai-mfu-2gpu-after"),
    ("balinski-series-02-2025.5", "balinski-series-14-2025.5"),
]


def head_of(*args):
    """The head in the file that viewer writes."""
    with tempfile.TemporaryDirectory() as room:
        page = os.path.join(room, "both.html")
        subprocess.run([WARPLENS, "viewer", *args, "-o", page], capture_output=True, check=True)
        with open(page, encoding="utf-8") as file:
            return json.loads(re.search(r'<script type="application/json" id="head">(.*?)</script>', file.read(), re.S)[1])


def served_head_of(*args):
    server = Server(*args).wait()
    try:
        return server.json("meta")
    finally:
        server.stop()


def diff_of(*args):
    run = subprocess.run([WARPLENS, "diff", *args, "-f", "json", "-n", "0"], capture_output=True, text=True)
    return run.returncode, json.loads(run.stdout) if run.returncode == 0 else run.stderr


class Compare(unittest.TestCase):
    maxDiff = 4000

    def check_sums(self, tables):
        mean = dict(zip((c["key"] for c in tables["verdict"]["columns"]), tables["verdict"]["rows"][-1]))
        keys = [c["key"] for c in tables["budget"]["columns"]]
        for key in ("before", "after", "change"):
            self.assertEqual(sum(row[keys.index(key)] for row in tables["budget"]["rows"]), mean[key], key)

    def check(self, told, document):
        tables = {t["name"]: t for t in told["tables"]}
        self.assertEqual([t["name"] for t in told["tables"]], [s["analysis"] for s in document["sections"]])
        for section in document["sections"]:
            table = tables[section["analysis"]]
            keys = [c["key"] for c in table["columns"]]
            self.assertEqual(table["columns"], section["columns"])
            self.assertEqual(table["title"], section["title"])
            self.assertEqual(table["total"], section["rows_total"])
            self.assertEqual([dict(zip(keys, row)) for row in table["rows"]], section["rows"][:500])
        verdict = document["sections"][0]
        self.assertEqual(told["line"], told["lead"] + told["rest"])
        self.assertRegex(told["lead"], r"^[^:]+$")
        said = [told["line"]] + ([told["why"]] if told["why"] else []) + told["notes"]
        self.assertEqual(said, verdict["notes"])
        step = verdict["rows"][0]
        self.assertEqual(told["extent"], step["metric"])
        self.assertEqual(told["verdict"], step["verdict"] if step["metric"] == "step" else None)
        self.assertEqual([len(p) for p in told["periods"]], [step["n_before"] or 0, step["n_after"] or 0])
        self.check_sums(tables)
        if told["extent"] == "step":
            mean, = (row for row in verdict["rows"] if row["metric"] == "mean_step")
            for side, key in enumerate(("before", "after")):
                periods = told["periods"][side]
                self.assertLessEqual(abs(sum(periods) / len(periods) - mean[key]), 0.5)

    def check_pair(self, *args):
        status, document = diff_of(*args)
        head = head_of(*args)
        self.assertEqual(status, 0, document)
        self.check(head["compare"], document)
        self.assertEqual(served_head_of(*args)["compare"], head["compare"])

    def fixture(self, name):
        return os.path.join(FIXTURES, name + ".sqlite")

    def test_fixtures(self):
        for a, b in (("steps_before", "steps_after"), ("steps_after", "steps_before"), ("steps", "steps"), ("tiny", "steps_after"),
                     ("hostile", "hostile"), ("two_ranks", "two_ranks"), ("graphs", "nodes"), ("waits", "streams")):
            with self.subTest(a=a, b=b):
                self.check_pair(self.fixture(a), self.fixture(b))

    def test_selection_and_window(self):
        self.check_pair(self.fixture("steps_before"), self.fixture("steps_after"), "--window", "iter:3..7")
        self.check_pair(self.fixture("two_ranks"), self.fixture("two_ranks"), "--rank", "0")

    def test_generated(self):
        with tempfile.TemporaryDirectory() as room:
            pair = [os.path.join(room, name) for name in ("a.sqlite", "b.sqlite")]
            for path, options in zip(pair, (("--seed", "1"), ("--seed", "2", "--straggler", "1:1.2"))):
                subprocess.run([sys.executable, "-B", GENERATOR, "-o", path, "--ranks", "2", "--layers", "4", "--iters", "14",
                                *options], check=True, capture_output=True)
            self.check_pair(*pair)

    def test_corpus(self):
        if not os.path.isdir(CORPUS):
            self.skipTest("no corpus")
        with tempfile.TemporaryDirectory() as room:
            for names in CORPUS_PAIRS:
                pair = [os.path.join(room, name + ".sqlite") for name in names]
                for name, path in zip(names, pair):
                    with open(path, "wb") as out:
                        subprocess.run(["zstd", "-qdc", os.path.join(CORPUS, name, "trace.sqlite.zst")], stdout=out, check=True)
                with self.subTest(pair=names):
                    self.check_pair(*pair)

    def test_one_and_three_traces(self):
        one, three = [self.fixture("steps")], [self.fixture("steps")] * 3
        self.assertIsNone(head_of(*one)["compare"])
        self.assertIsNone(served_head_of(*three)["compare"])

    def test_a_refusal(self):
        for pair, side in ((("no_gpu", "steps"), "first"), (("steps", "no_gpu"), "second")):
            args = [self.fixture(name) for name in pair]
            status, said = diff_of(*args)
            error = head_of(*args)["compare"]["error"]
            self.assertEqual(status, 5)
            self.assertTrue(error.startswith("the %s trace: " % side), error)
            self.assertIn(error.partition(": ")[2], said)
            self.assertEqual(served_head_of(*args)["compare"], {"error": error})

    def test_redacted_names(self):
        args = [self.fixture("steps_before"), self.fixture("steps_after")]
        plain, told = head_of(*args)["compare"], head_of(*args, "--redact")["compare"]
        self.assertEqual((told["line"], told["periods"], told["verdict"]), (plain["line"], plain["periods"], plain["verdict"]))
        self.assertEqual((told["why"], told["notes"]), ("", []))
        secret = {cell for t in plain["tables"] if t["name"] in ("kernels", "ranges") for row in t["rows"]
                  for c, cell in zip(t["columns"], row) if c["type"] == "string" and cell and cell != "(others)"}
        self.assertTrue(secret)
        text = json.dumps(told)
        for name in secret:
            self.assertNotIn(name, text)
        for before, after in zip(plain["tables"], told["tables"]):
            numbers = [i for i, c in enumerate(before["columns"]) if c["type"] != "string"]
            self.assertEqual([[row[i] for i in numbers] for row in before["rows"]],
                             [[row[i] for i in numbers] for row in after["rows"]])
        ranges = next(t for t in told["tables"] if t["name"] == "ranges")
        for row in ranges["rows"]:
            self.assertRegex(row[0], r"^range~[0-9a-f]{8}( > range~[0-9a-f]{8})*$|^\(others\)$")


if __name__ == "__main__":
    unittest.main()
