#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Evidence as calls: a client makes every call that findings and notes carry, and gets the rows of the command beside it."""
import json
import math
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

from client import WARPLENS, PipeTest, invalid

SUPPORT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support")
FIXTURES = ["two_ranks", "steps", "host", "waits", "graphs", "memory", "mpi", "nested", "serving", "stacks", "hostile"]
SMALL = ["--ranks", "2", "--layers", "4", "--iters", "8", "--seed", "5"]
GENERATED = {"train": [], "moe": ["--moe"], "serving": ["--serving", "--iters", "40"], "slow": ["--straggler", "1:1.2"]}


class Evidence(PipeTest):
    def setUp(self):
        super().setUp()
        tools = self.pipe.ask("tools/list")["result"]["tools"]
        self.schema = {t["name"]: t for t in tools}

    def make(self, call, text):
        """The reply to a call as a finding has it, which must conform to the schemas."""
        self.assertEqual(sorted(call), ["arguments", "tool"], text)
        self.assertIsNone(invalid(call["arguments"], self.schema[call["tool"]]["inputSchema"]), text)
        return self.pipe.call(call["tool"], **call["arguments"])

    def compare(self, reply, line):
        """The rows of the reply are those of the command line of the finding."""
        out = subprocess.run([WARPLENS, *shlex.split(line)[1:], "-f", "json"], check=True, stdout=subprocess.PIPE).stdout
        want = json.loads(out)
        self.assertEqual(bool(reply["rows"]), bool(want["rows"]), line)
        for row, expected in zip(reply["rows"], want["rows"]):
            for key, cell in zip(reply["columns"], row):
                if isinstance(cell, (int, float)) and isinstance(expected.get(key), (int, float)):
                    self.assertTrue(math.isclose(cell, expected[key], rel_tol=1e-5), (line, key, cell, expected[key]))

    def check(self, path, is_tiny=False, **args):
        reply = self.pipe.call("findings", trace=path, options={"all": "true"}, **args)
        self.assertIsNone(invalid(reply, self.schema["findings"]["outputSchema"]))
        if not reply["rows"]:
            return 0
        at = reply["columns"].index("evidence") if "evidence" in reply["columns"] else None
        self.assertEqual(len(reply.get("evidence_calls", reply["rows"])), len(reply["rows"]))
        n = 0
        for row, call in zip(reply["rows"], reply.get("evidence_calls", [])):
            line = row[at] if at is not None else None
            if not call:
                continue
            self.assertEqual(call["arguments"]["verb"], shlex.split(line)[1])
            shown = self.make(call, line)
            self.assertTrue(shown["rows"] or is_tiny, line)
            self.compare(shown, line)
            n += 1
        for note in reply["notes"]:
            self.assertNotIn("warplens ", note)
        return n

    def check_notes(self, path):
        """Commands of notes are calls as well."""
        n = 0
        for args in ({}, {"gpu": "0"}):
            for note in self.pipe.call("findings", trace=path, **args)["notes"]:
                for found in re.finditer(r"analyze (?=\{)", note):
                    arguments, _ = json.JSONDecoder().raw_decode(note[found.end():])
                    self.assertTrue(self.make({"tool": "analyze", "arguments": {"trace": path, **arguments}}, note)["rows"])
                    n += 1
        return n

    def test_fixtures(self):
        n = 0
        for name in FIXTURES:
            said = self.pipe.ask("tools/call", {"name": "findings", "arguments": {"trace": self.fixture(name)}})["result"]
            if not said["isError"]:
                n += self.check(self.fixture(name), is_tiny=True)
        self.assertGreater(n, 10)

    def test_generated_traces(self):
        n = n_notes = 0
        with tempfile.TemporaryDirectory() as directory:
            for name, options in GENERATED.items():
                path = os.path.join(directory, name + ".sqlite")
                done = subprocess.run([sys.executable, "-B", SUPPORT + "/gen_trace.py", *SMALL, *options, "-o", path],
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                self.assertEqual(done.returncode, 0, done.stdout)
                n += self.check(path) + self.check(path, gpu="1", window="steady")
                n_notes += self.check_notes(path)
                opened = self.pipe.call("open_trace", path=path)
                for finding in opened["findings"]:
                    if "evidence_call" in finding:
                        self.assertTrue(self.make(finding["evidence_call"], finding["code"])["rows"], finding)
                        n += 1
        self.assertGreater(n, 12)
        self.assertGreater(n_notes, 3)

    def test_facts_lead_to_their_trace(self):
        """Evidence of facts are calls on the trace beside them; notes name arguments of tools."""
        n = 0
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "slow.sqlite")
            subprocess.run([sys.executable, "-B", SUPPORT + "/gen_trace.py", *SMALL, "--straggler", "1:1.2", "-o", path],
                           check=True, stdout=subprocess.PIPE)
            subprocess.run([WARPLENS, "facts", path, "-o", directory], check=True, stdout=subprocess.PIPE)
            facts = os.path.join(directory, "slow.wlfacts")
            reply = self.pipe.call("findings", trace=facts)
            at = reply["columns"].index("evidence")
            for row, call in zip(reply["rows"], reply["evidence_calls"]):
                # What facts answer themselves is asked of them.
                is_of_trace = path in shlex.split(row[at])
                self.assertEqual(call["arguments"]["trace"], path if is_of_trace else reply["trace"], row[at])
                self.assertTrue(self.make(call, row[at])["rows"])
                n += is_of_trace
            # The second answer is the one that was kept.
            self.assertEqual(self.pipe.call("findings", trace=facts)["evidence_calls"], reply["evidence_calls"])
            opened = self.pipe.call("open_trace", path=facts)
            for finding in opened["findings"]:
                self.assertIn(finding["evidence_call"]["arguments"]["trace"], (path, opened["trace"]))
            merged = os.path.join(directory, "all.wlfacts")
            subprocess.run([WARPLENS, "facts", "merge", facts, facts, "-o", merged], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            for name in (facts, merged):
                if os.path.exists(name):
                    for note in self.pipe.call("findings", trace=name)["notes"]:
                        self.assertNotIn("--", note)
        self.assertGreater(n, 0)

    def test_facts_without_their_trace(self):
        """Calls that facts cannot answer are on the trace where the argument says it is, and are not offered without."""
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "traces", "slow.sqlite")
            os.makedirs(os.path.join(directory, "far", "below"))
            os.makedirs(os.path.dirname(path))
            subprocess.run([sys.executable, "-B", SUPPORT + "/gen_trace.py", *SMALL, "--straggler", "1:1.2", "-o", path],
                           check=True, stdout=subprocess.PIPE)
            facts = os.path.join(directory, "far", "below", "slow.wlfacts")
            subprocess.run([WARPLENS, "facts", path, "-o", facts], check=True, stdout=subprocess.PIPE)
            for _ in range(2):
                lost = self.pipe.call("findings", trace=facts, options={"all": "true"})
                at = lost["columns"].index("evidence") if "evidence" in lost["columns"] else None
                for row, call in zip(lost["rows"], lost.get("evidence_calls", [])):
                    if call:
                        self.assertTrue(self.make(call, row[at])["rows"])
                self.assertTrue(any("needs the trace slow.sqlite" in note and '{"traces":"DIR"}' in note for note in lost["notes"]),
                                lost["notes"])
            for finding in self.pipe.call("open_trace", path=facts)["findings"]:
                if "evidence_call" in finding:
                    self.make(finding["evidence_call"], finding["code"])
            n = 0
            found = self.pipe.call("findings", trace=facts, options={"all": "true"}, traces=os.path.dirname(path))
            for row, call in zip(found["rows"], found["evidence_calls"]):
                self.assertTrue(self.make(call, row)["rows"])
                n += call["arguments"]["trace"] == path
            self.assertGreater(n, 0)
            self.assertEqual(self.pipe.fail("findings", trace=facts, traces=facts)["kind"], "io")


if __name__ == "__main__":
    unittest.main()
