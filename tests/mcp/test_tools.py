#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every tool's reply conforms to its schema and is what the command line in it prints."""
import json
import math
import shlex
import subprocess
import unittest

from client import WARPLENS, PipeTest, invalid

NAMES = ["steps", "two_ranks", "streams", "graphs", "waits", "host", "no_gpu", "hostile"]


class Tools(PipeTest):
    def setUp(self):
        super().setUp()
        tools = self.pipe.ask("tools/list")["result"]["tools"]
        self.tools = {t["name"]: t for t in tools}

    def check(self, tool, **args):
        self.assertIsNone(invalid(args, self.tools[tool]["inputSchema"]))
        reply = self.pipe.call(tool, **args)
        self.assertIsNone(invalid(reply, self.tools[tool]["outputSchema"]), (tool, args))
        self.assertLessEqual(len(json.dumps(reply, separators=(",", ":"), ensure_ascii=False).encode()), 40000)
        return reply

    def same(self, a, b):
        if isinstance(a, float) or isinstance(b, float):
            return math.isclose(a, b, rel_tol=1e-5)
        if isinstance(a, str) and a.endswith("…"):
            return isinstance(b, str) and b.startswith(a[:-1]) or "\ufffd" in a
        return a == b or isinstance(a, str) and "\ufffd" in a

    def compare(self, reply):
        """The rows of a reply, with those of its command line."""
        words = shlex.split(reply["how"])
        self.assertEqual(words[0], "warplens")
        out = json.loads(subprocess.run([WARPLENS, *words[1:]], check=True, stdout=subprocess.PIPE).stdout)
        self.assertEqual(out["rows_total"], reply["total_rows"])
        for row, want in zip(reply["rows"], out["rows"]):
            for key, cell in zip(reply["columns"], row):
                self.assertTrue(self.same(cell, want[key]), (reply["how"], key, cell, want[key]))
        for key, window in [("begin_ns", "begin"), ("end_ns", "end")]:
            if "window" in reply:
                self.assertEqual(reply["window"][key], out["window"][window])

    def test_schemas_are_portable(self):
        for tool in self.tools.values():
            for schema in (tool["inputSchema"], tool["outputSchema"]):
                self.assertEqual(schema["type"], "object")
                self.assertFalse({"anyOf", "oneOf", "allOf", "$ref"} & set(schema))
            self.assertLessEqual(len(tool["description"]), 2048)
            self.assertRegex(tool["name"], r"^[A-Za-z0-9_.-]{1,128}$")
        self.assertEqual([t["name"] for t in self.pipe.ask("tools/list")["result"]["tools"]], list(self.tools))

    def test_every_trace_opens_to_its_schema(self):
        for at, name in enumerate(NAMES):
            reply = self.check("open_trace", path=self.fixture(name))
            self.assertEqual(reply["trace"], f"t{at + 1}")

    def test_every_verb_equals_its_command_line(self):
        verbs = self.tools["analyze"]["inputSchema"]["properties"]["verb"]["enum"]
        n = 0
        for name in ("two_ranks", "host"):
            for verb in verbs:
                options = {"pattern": "e"} if verb == "search" else {"with": "no-host"} if verb == "whatif" else {}
                args = {"verb": verb, "trace": self.fixture(name), "options": options}
                said = self.pipe.ask("tools/call", {"name": "analyze", "arguments": args})["result"]
                if said["isError"]:
                    self.assertIn(json.loads(said["content"][0]["text"])["kind"], ("no_data", "usage"), (verb, said))
                    continue
                self.assertIsNone(invalid(said["structuredContent"], self.tools["analyze"]["outputSchema"]), verb)
                self.compare(said["structuredContent"])
                n += 1
        self.assertGreater(n, len(verbs))

    def test_options_reach_the_command_line(self):
        path = self.fixture("steps")
        for args in [{"verb": "kernels", "options": {"by": "name"}, "sort": "calls", "columns": "name,calls"},
                     {"verb": "kernels", "gpu": "0", "where": "calls > 1", "limit": 2},
                     {"verb": "overlap", "window": "steady", "options": {"by": "iteration"}},
                     {"verb": "nvtx", "options": {"exact_names": True}},
                     {"verb": "gaps", "options": {"min": "1us"}, "window": "iter:1..2"}]:
            self.compare(self.check("analyze", trace=path, **args))
        self.compare(self.check("findings", trace=path, options={"all": True}))
        self.check("describe", name="kernels")
        self.check("describe")

    def test_mistakes_are_results(self):
        self.assertEqual(self.pipe.fail("open_trace", path="/nowhere")["kind"], "io")
        self.assertEqual(self.pipe.fail("findings", trace="t9")["kind"], "usage")
        self.assertIn("did you mean", self.pipe.fail("analyze", verb="kernel")["error"])


if __name__ == "__main__":
    unittest.main()
