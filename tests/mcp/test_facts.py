#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Facts where a trace is expected: the tools begin on them, SQL has the verbs that they answer, others say why not."""
import csv
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest

from client import WARPLENS, PipeTest, invalid

HERE = os.path.dirname(os.path.abspath(__file__))
ANSWERED = ["ranks", "nccl", "overlap", "iters", "findings"]


class Facts(PipeTest):
    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.TemporaryDirectory()
        path = cls.dir.name
        gen = os.path.join(HERE, "..", "support", "gen_trace.py")
        subprocess.run([sys.executable, "-B", gen, "--ranks", "4", "--layers", "2", "--iters", "6", "--seed", "3",
                        "--split", "-o", path + "/traces"], check=True, stdout=subprocess.DEVNULL)
        traces = sorted(os.path.join(path, "traces", f) for f in os.listdir(path + "/traces") if f.endswith(".sqlite"))
        cls.run_program("facts", *traces, "-o", path + "/facts")
        cls.run_program("facts", "merge", path + "/facts", "-o", path + "/job.wlfacts")
        single = sorted(f for f in os.listdir(path + "/facts") if f.endswith(".wlfacts"))[0]
        cls.paths = {"job": path + "/job.wlfacts", "directory": path + "/facts", "single": path + "/facts/" + single}

    @classmethod
    def tearDownClass(cls):
        cls.dir.cleanup()

    @staticmethod
    def run_program(*args):
        return subprocess.run([WARPLENS, *args], check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout.decode()

    def schema(self, tool):
        tools = self.pipe.ask("tools/list")["result"]["tools"]
        return next(t for t in tools if t["name"] == tool)["outputSchema"]

    def test_open_trace_says_what_facts_hold(self):
        schema = self.schema("open_trace")
        for path in self.paths.values():
            reply = self.pipe.call("open_trace", path=path)
            self.assertIsNone(invalid(reply, schema))
            self.assertIn("facts of ", reply["answer"])
            self.assertRegex(reply["answer"], r"a step takes [\d.]+ \w+ on average over \d of \d steps \(median of all: [\d.]+ \w+\): ")
            self.assertNotIn("TRACE", json.dumps(reply))
            self.assertTrue(reply["budget"] and reply["gpus"] and reply["cannot_answer"])
            calls = [n["call"] for n in reply["next"]]
            self.assertGreaterEqual(len(calls), 4)
            for call in calls:
                tool, *verb = call.split(" verb=")
                args = {"verb": verb[0]} if verb else {}
                self.assertIn("rows", self.pipe.call(tool, trace=reply["trace"], **args))

    def test_findings_have_no_empty_words(self):
        for path in self.paths.values():
            reply = self.pipe.call("findings", trace=path, options={"all": "true"})
            self.assertTrue(reply["rows"])
            self.assertRegex(reply["answer"], r"; the largest: \S")

    def test_sql_is_what_the_verb_prints(self):
        for path in self.paths.values():
            for verb in ANSWERED:
                for window in ("", "steady") if verb != "findings" else ("",):
                    option = ["--window", window] if window else []
                    want = list(csv.DictReader(io.StringIO(self.run_program(verb, path, "-f", "csv", *option))))
                    keys = ", ".join(f'"{k}"' for k in want[0]) if want else "*"
                    query = f"SELECT {keys} FROM {verb}" + (f"('{window}')" if window else "")
                    got = list(csv.DictReader(io.StringIO(self.run_program("sql", path, query))))
                    self.assertEqual(len(got), len(want), (path, query))
                    for a, b in zip(got, want):
                        self.assertEqual({k: self.number(v) for k, v in a.items()},
                                         {k: self.number(v) for k, v in b.items()}, (path, query))

    @staticmethod
    def number(text):
        try:
            return round(float(text), 9)
        except ValueError:
            return text

    def test_the_rest_says_why_not(self):
        for path in self.paths.values():
            for query, words in {"SELECT * FROM ops": "facts have no single events",
                                 "SELECT * FROM kernels": "facts",
                                 "SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL": "facts have no tables of an export"}.items():
                error = self.pipe.fail("sql", trace=path, query=query)["error"]
                self.assertIn(words, error)
                self.assertNotIn("TRACE", error)
            self.assertIn("facts", self.pipe.fail("analyze", trace=path, verb="kernels")["error"])

    def test_facts_beside_a_trace(self):
        trace = next(os.path.join(self.dir.name, "traces", f) for f in sorted(os.listdir(self.dir.name + "/traces"))
                     if f.endswith(".sqlite"))
        out = self.run_program("sql", self.paths["single"], trace, "SELECT count(DISTINCT trace), count(*) FROM iters")
        self.assertEqual(out.split("\n")[1], "2,12")
        out = self.run_program("sql", self.paths["single"], trace, "SELECT count(*) > 0 FROM CUPTI_ACTIVITY_KIND_KERNEL")
        self.assertEqual(out.split("\n")[1], "1")


if __name__ == "__main__":
    unittest.main()
