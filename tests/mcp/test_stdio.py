#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The protocol on pipes: both eras, progress, cancellation, hostile lines, and how it ends."""
import json
import signal
import subprocess
import unittest

from client import MODERN, WARPLENS, Pipe, PipeTest


class Stdio(PipeTest):
    def test_both_eras_on_one_pipe(self):
        discover = self.pipe.ask("server/discover", {"_meta": MODERN})["result"]
        self.assertEqual(discover["supportedVersions"][0], "2026-07-28")
        init = self.pipe.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                            "clientInfo": {"name": "t", "version": "1"}, "unknown": 1})["result"]
        self.assertEqual(init["protocolVersion"], "2025-11-25")
        self.assertLessEqual(len(init["instructions"]), 2048)
        self.pipe.send("notifications/initialized")
        self.assertEqual(self.pipe.ask("ping")["result"], {})
        modern = self.pipe.ask("tools/call", {"name": "describe", "arguments": {}, "_meta": MODERN})["result"]
        self.assertEqual(modern["resultType"], "complete")
        self.assertNotIn("resultType", self.pipe.ask("tools/call", {"name": "describe"})["result"])

    def test_hostile_lines(self):
        self.pipe.write("\n   \n{\n[1,2]\n\"x\"\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/none\"}\n")
        self.pipe.write(b"\xff\xfe\x00\n")
        self.pipe.write(b"[" * 100000 + b"\n")
        self.pipe.write(b'{"jsonrpc":"2.0","id":1,"method":"' + b"a" * (5 << 20) + b'"}\n')
        codes = [self.pipe.read()["error"]["code"] for _ in range(6)]
        self.assertEqual(codes, [-32700, -32600, -32600, -32700, -32700, -32600])
        self.assertEqual(self.pipe.ask("ping")["result"], {})

    def test_lists_are_of_one_revision(self):
        messages = [{"jsonrpc": "2.0", "id": 1, "method": "ping"},
                    {"jsonrpc": "2.0", "method": "notifications/none"},
                    {"jsonrpc": "2.0", "id": "call", "method": "tools/call", "params": {"name": "describe", "arguments": {}}},
                    {"jsonrpc": "2.0", "id": 3, "method": "none"}, 7, [], {"jsonrpc": "2.0", "id": 4, "method": "initialize"}]
        line = json.dumps(messages) + "\n"
        for version, takes in (("2025-06-18", False), ("2025-03-26", True), ("2025-11-25", False)):
            self.pipe.ask("initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})
            self.pipe.write(line)
            said = self.pipe.read()
            if not takes:
                self.assertEqual(said["error"]["code"], -32600)
                continue
            by_id = {one["id"]: one for one in said if one["id"] is not None}
            self.assertEqual(by_id[1]["result"], {})
            self.assertFalse(by_id["call"]["result"]["isError"])
            self.assertEqual([by_id[3]["error"]["code"], by_id[4]["error"]["code"]], [-32601, -32600])
            self.assertEqual([one["error"]["code"] for one in said if one["id"] is None], [-32600, -32600])
            self.pipe.write('[{"jsonrpc":"2.0","method":"notifications/none"}]\n[]\n')
            self.assertEqual(self.pipe.read()["error"]["code"], -32600)
            self.assertEqual(self.pipe.ask("ping")["result"], {})

    def test_answers_keep_their_ids(self):
        for id in ("a", "\u00e9\n\"", 0, -5, 9007199254740991):
            self.pipe.send("ping", None, id)
            self.assertEqual(self.pipe.wait(id)["result"], {})
        for id in range(200):
            self.pipe.send("tools/call", {"name": "describe", "arguments": {"name": "kernels"}}, f"c{id}")
        for id in range(200):
            self.assertFalse(self.pipe.wait(f"c{id}")["result"]["isError"])

    def test_an_id_is_free_once_it_is_answered(self):
        for _ in range(500):
            self.pipe.send("tools/call", {"name": "describe", "arguments": {"name": "gpus"}}, 3)
            self.assertIn("result", self.pipe.wait(3))

    def test_an_id_is_used_once_at_a_time(self):
        path = self.fixture("two_ranks")
        for _ in range(40):
            self.pipe.send("tools/call", {"name": "open_trace", "arguments": {"path": path}}, 7)
        said = [self.pipe.wait(7) for _ in range(40)]
        self.assertTrue(any("result" in s for s in said))
        self.assertTrue(all("result" in s or s["error"]["code"] == -32600 for s in said))

    def test_a_cancelled_call_says_nothing(self):
        path = self.fixture("two_ranks")
        for id in range(30):
            self.pipe.send("tools/call", {"name": "open_trace", "arguments": {"path": path}}, f"k{id}")
        self.pipe.send("notifications/cancelled", {"requestId": "k29", "reason": "x"})
        for bad in ({}, {"requestId": "nobody"}, {"requestId": None}, {"requestId": {}}):
            self.pipe.send("notifications/cancelled", bad)
        for id in range(29):
            self.pipe.wait(f"k{id}")
        self.assertEqual(self.pipe.ask("ping")["result"], {})
        self.assertFalse([m for m in self.pipe.apart if m.get("id") == "k29"])

    def test_progress_increases(self):
        self.pipe.send("tools/call", {"name": "open_trace", "arguments": {"path": self.fixture("two_ranks")},
                                      "_meta": {"progressToken": "p"}}, 1)
        self.pipe.wait(1)
        told = [m["params"] for m in self.pipe.apart if m.get("method") == "notifications/progress"]
        self.assertTrue(all(t["progressToken"] == "p" for t in told))
        self.assertEqual([t["progress"] for t in told], sorted({t["progress"] for t in told}))


class Ends(unittest.TestCase):
    def test_what_waits_is_answered_at_the_end(self):
        lines = "".join(json.dumps({"jsonrpc": "2.0", "id": i, "method": "tools/call",
                                    "params": {"name": "describe", "arguments": {}}}) + "\n" for i in range(20))
        done = subprocess.run([WARPLENS, "mcp"], input=lines.rstrip("\n").encode(), stdout=subprocess.PIPE, check=True)
        self.assertEqual([json.loads(x)["id"] for x in done.stdout.splitlines()], list(range(20)))

    def test_a_signal_ends_it(self):
        pipe = Pipe()
        pipe.ask("ping")
        pipe.process.send_signal(signal.SIGTERM)
        self.assertEqual(pipe.process.wait(30), 128 + signal.SIGTERM)
        pipe.process.stdin.close()
        pipe.process.stderr.close()


if __name__ == "__main__":
    unittest.main()
