#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The tool show moves the page of a server: what pages ask for is the window that the call named."""
import json
import os
import signal
import subprocess
import time
import unittest
import urllib.error
import urllib.request

from client import FIXTURES, WARPLENS, Pipe

TRACE = os.path.join(FIXTURES, "steps.sqlite")


class Show(unittest.TestCase):
    def setUp(self):
        self.server = subprocess.Popen([WARPLENS, "serve", TRACE], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(self.stop)
        self.url = self.server.stdout.readline().decode().strip()
        while self.get("progress")["stage"] != "ready":
            time.sleep(0.05)
        self.pipe = Pipe("--page", self.url)

    def tearDown(self):
        self.assertEqual(self.pipe.close(), (0, ""))

    def stop(self):
        self.server.send_signal(signal.SIGTERM)
        self.server.communicate(timeout=20)

    def get(self, what):
        with urllib.request.urlopen(self.url + what, timeout=20) as answer:
            return json.load(answer)

    def test_the_page_moves(self):
        origin = int(self.get("meta")["traces"][0]["origin"])
        self.assertEqual(self.get("shown")["serial"], 0)
        for serial, window in enumerate(("iter:2", "steady", "all", "iter:1..2"), 1):
            reply = self.pipe.call("show", trace=TRACE, window=window)
            said = self.get("shown")
            self.assertEqual(said["serial"], serial)
            self.assertEqual((said["a"] + origin, said["b"] + origin),
                             (reply["window"]["begin_ns"], reply["window"]["end_ns"]))
            want = json.loads(subprocess.run([WARPLENS, "kernels", TRACE, "--window", window, "-f", "json"],
                                             stdout=subprocess.PIPE, check=True).stdout)["window"]
            self.assertEqual((reply["window"]["begin_ns"], reply["window"]["end_ns"]), (want["begin"], want["end"]))

    def test_mistakes(self):
        self.assertEqual(self.pipe.fail("show", trace=TRACE, window="iter:99")["kind"], "no_match")
        self.assertIn("another trace", self.pipe.fail("show", trace=os.path.join(FIXTURES, "tiny.sqlite"))["error"])
        self.assertEqual(self.get("shown")["serial"], 0)
        for query in ("show?from=5&to=4", "show?from=x", "show?from=9007199254740990", "show?zoom=1", "shown?a=1"):
            with self.assertRaises(urllib.error.HTTPError):
                self.get(query)


class Alone(unittest.TestCase):
    def test_without_a_page(self):
        pipe = Pipe()
        self.assertIn("warplens serve", pipe.fail("show", trace=TRACE)["error"])
        self.assertEqual(pipe.close(), (0, ""))

    def test_a_page_that_is_gone(self):
        pipe = Pipe("--page", "http://127.0.0.1:1/t/" + "0" * 32 + "/")
        self.assertEqual(pipe.fail("show", trace=TRACE)["kind"], "io")
        self.assertEqual(pipe.close(), (0, ""))

    def test_pages_of_this_machine_only(self):
        for page in ("http://example.com:80/t/" + "0" * 32 + "/", "file:///x", "http://127.0.0.1/t/x/", ""):
            done = subprocess.run([WARPLENS, "mcp", "--page", page], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
            self.assertEqual(done.returncode, 2, page)


if __name__ == "__main__":
    unittest.main()
