#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Foreign code in the running server gets no data out, and the server goes on answering."""
import errno
import os
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from client import FIXTURES, WARPLENS, Server

INTRUDER = os.path.join(os.environ["WARPLENS_BUILD"], "libwl_intruder.so")
TRACE = os.path.join(FIXTURES, "two_ranks.sqlite")
OTHER = os.path.join(FIXTURES, "tiny.sqlite")


class Outside:
    """A server that would get what leaves."""
    def __init__(self):
        self.stream = socket.create_server(("127.0.0.1", 0))
        self.port = self.stream.getsockname()[1]
        self.datagram = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.datagram.bind(("127.0.0.1", self.port))

    def got(self):
        """What arrived: of the kernel's own machine, so at once."""
        came = []
        for name, s in (("stream", self.stream), ("datagram", self.datagram)):
            s.setblocking(False)
            try:
                came.append((name, s.accept() if name == "stream" else s.recv(9)))
            except BlockingIOError:
                pass
        return came

    def close(self):
        self.stream.close()
        self.datagram.close()


class Sandbox(unittest.TestCase):
    def tries(self, *args, **environment):
        """What the intruder could do: {way: errno value}, and what arrived."""
        with tempfile.TemporaryDirectory() as work:
            outside = Outside()
            go, tried = os.path.join(work, "go"), os.path.join(work, "tried")
            os.environ.update(LD_PRELOAD=INTRUDER, INTRUDER_GO=go, INTRUDER_TRIED=tried,
                              INTRUDER_PORT=str(outside.port), **environment)
            try:
                server = Server(*args).wait()
            finally:
                for name in ("LD_PRELOAD", "INTRUDER_GO", "INTRUDER_TRIED", "INTRUDER_PORT", *environment):
                    del os.environ[name]
            open(go, "w").close()
            until = time.monotonic() + 60
            lines = []
            while len(lines) < 14:
                self.assertLess(time.monotonic(), until, "the intruder does not end")
                time.sleep(0.05)
                if os.path.exists(tried):
                    with open(tried, encoding="ascii") as f:
                        lines = f.read().splitlines()
            self.assertIn(b"rows", server.get("meta"))
            self.assertEqual(server.stop(), 0, server.errors)
            came = outside.got()
            outside.close()
            return {name: int(value) for name, value in map(str.split, lines)}, came

    def refuses_all(self, *args, **environment):
        tried, came = self.tries(*args, **environment)
        io_uring = tried.pop("io_uring")
        self.assertEqual(tried, dict.fromkeys(tried, errno.EPERM), args)
        self.assertEqual((io_uring, came), (errno.ENOSYS, []), args)

    def test_nothing_leaves(self):
        self.refuses_all(TRACE)

    def test_two_files_that_are_no_job(self):
        self.refuses_all(TRACE, OTHER)

    def test_without_a_sandbox_it_leaves(self):
        tried, came = self.tries(TRACE, WARPLENS_SANDBOX="off")
        self.assertEqual((tried["udp"], tried["socket"]), (0, 0))
        self.assertIn("datagram", [name for name, _ in came])


if __name__ == "__main__":
    if not os.path.exists(INTRUDER):
        sys.exit(77)
    said = subprocess.run([WARPLENS, "kernels", TRACE, "--stats"], capture_output=True, text=True).stderr
    if "seccomp" not in said:
        print("SKIP: this build or kernel has no sandbox")
        sys.exit(77)
    unittest.main()
