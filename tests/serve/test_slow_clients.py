#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Clients that trickle, never read, crowd the door or leave: others are served, and what is held is bounded."""
import os
import select
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from client import TOKEN, WARPLENS, Server, ServerTest, memory_mb

TRICKLERS = 200
REQUEST_SECONDS = 30  # by then a request is whole, or the connection is closed
IDLE_SECONDS = 20  # after so long without a byte a connection is closed
HELD_MB = 256
SERVED_SECONDS = 10  # an answer takes milliseconds: the rest is for a busy machine, and less than IDLE_SECONDS


def is_plain_build():
    """Sanitizers keep memory that was freed."""
    with open(WARPLENS, "rb") as program:
        code = program.read()
    return b"__asan_init" not in code and b"__tsan_init" not in code


class Strangers(ServerTest):
    def connect(self):
        return socket.create_connection(("127.0.0.1", self.server.port), timeout=10)

    def asked(self, path):
        return b"GET %s%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % (self.server.base.encode(), path.encode(), self.server.port)

    def serves(self, seconds=SERVED_SECONDS):
        for path in ("meta", "search?q=a&w=100", "table?verb=kernels"):
            begin = time.monotonic()
            self.server.get(path)
            self.assertLess(time.monotonic() - begin, seconds, path)

    def test_tricklers(self):
        """200 clients that send a byte a second, for ever, in the line, in the fields and behind a whole request."""
        line = b"GET /t/" + TOKEN.encode() + b"/meta HTTP/1.1\r\nHost: x\r\nA: "
        begins = (b"", b"GET /t/" + TOKEN.encode() + b"/me", line, self.asked("progress") + line)
        open_ones, begin = [], time.monotonic()
        for i in range(TRICKLERS):
            s = self.connect()
            s.sendall(begins[i % len(begins)])
            open_ones.append(s)
        while open_ones and time.monotonic() < begin + REQUEST_SECONDS + 30:
            still = []
            for s in open_ones:
                try:
                    s.sendall(b"x")
                    if select.select([s], [], [], 0)[0] and not s.recv(65536):
                        s.close()
                    else:
                        still.append(s)
                except ConnectionError:
                    s.close()
            open_ones = still
            self.serves()
            time.sleep(1)
        self.assertEqual(len(open_ones), 0)
        self.assertGreater(time.monotonic() - begin, 5)

    def test_a_crowd_of_strangers(self):
        """More connections than there may be, which say nothing: the oldest make room."""
        crowd = []
        for _ in range(700):
            try:
                crowd.append(self.connect())
            except OSError:
                break
        self.assertGreater(len(crowd), 600)
        self.serves()
        for s in crowd:
            s.close()
        self.serves()

    def test_answers_that_nobody_reads(self):
        big = self.asked("view?a=0&b=1000000&w=8192&rows=" + "0," * 399 + "0")  # 6.5 MB
        deaf = []
        for _ in range(60):
            s = self.connect()
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            s.sendall(big)
            deaf.append(s)
        self.serves(20)  # they are computed first
        for _ in range(10):
            self.serves()
        if is_plain_build():
            self.assertLess(memory_mb(self.server.process), HELD_MB + 100)
        for s in deaf:
            s.close()
        until = time.monotonic() + 60
        while self.server.raw(big[:-2] + b"Connection: close\r\n\r\n", 10)[9:12] != b"200":
            self.assertLess(time.monotonic(), until)
            time.sleep(0.1)

    def test_a_crowd_that_knows_the_secret(self):
        """Slow readers that fill all places: one that comes with the secret has its answer."""
        page, crowd = self.asked("meta"), []
        for _ in range(420):
            s = self.connect()
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            s.sendall(page)
            crowd.append(s)
        for _ in range(20):
            self.serves()
        for s in crowd:
            s.close()
        self.serves()

    def test_one_connection_after_errors(self):
        """A refusal of a whole request is an answer like others; the connection goes on."""
        with self.connect() as s:
            for path, status in (("nothing", 404), ("view?a=1", 400), ("progress", 200), ("../meta", 404), ("meta", 200)):
                s.sendall(self.asked(path))
                head, _, body = b"", b"", b""
                while b"\r\n\r\n" not in head:
                    part = s.recv(65536)
                    self.assertTrue(part, path)
                    head += part
                head, _, body = head.partition(b"\r\n\r\n")
                self.assertEqual(int(head[9:12]), status, path)
                length = next(int(f.split(b":")[1]) for f in head.split(b"\r\n") if f.lower().startswith(b"content-length"))
                while len(body) < length:
                    body += s.recv(65536)
                self.assertEqual(len(body), length)

    def test_requests_in_one_packet(self):
        last = self.asked("progress")[:-2] + b"Connection: close\r\n\r\n"
        got = self.server.raw(self.asked("progress") + self.asked("search?q=a&w=10") + self.asked("nothing") + last)
        self.assertEqual([int(part[:3]) for part in got.split(b"HTTP/1.1 ")[1:]], [200, 200, 404, 200])

    def test_older_http(self):
        host = "Host: 127.0.0.1:%d\r\n" % self.server.port
        for fields, status in ((host, b"200"), ("", b"4"), ("Host: evil.example\r\n", b"4"), (host + host, b"4")):
            got = self.server.raw(("GET %sprogress HTTP/1.0\r\n%s\r\n" % (self.server.base, fields)).encode())
            self.assertEqual(got.split(b" ")[1][:len(status)], status, fields)


class LongQuestions(unittest.TestCase):
    """A trace whose export takes a while."""

    @classmethod
    def setUpClass(cls):
        cls.room = tempfile.TemporaryDirectory()
        cls.trace = os.path.join(cls.room.name, "run.sqlite")
        maker = os.path.join(os.environ["WARPLENS_SOURCE"], "tests/support/gen_trace.py")
        subprocess.run([sys.executable, "-B", maker, "-o", cls.trace, "--ranks", "2", "--layers", "8", "--kernels", "60000"],
                       check=True, capture_output=True)

    @classmethod
    def tearDownClass(cls):
        cls.room.cleanup()

    def setUp(self):
        self.scratch = os.path.join(self.room.name, self.id())
        os.mkdir(self.scratch)
        os.environ["TMPDIR"] = self.scratch
        self.server = Server(self.trace).wait()
        del os.environ["TMPDIR"]

    def tearDown(self):
        self.assertEqual(self.server.stop(), 0, self.server.errors if self.server.status else "")
        self.assertEqual(os.listdir(self.scratch), [])

    def ask(self, path):
        s = socket.create_connection(("127.0.0.1", self.server.port))
        s.sendall(b"GET %s%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % (self.server.base.encode(), path.encode(), self.server.port))
        return s

    def test_questions_of_those_who_left(self):
        """50 exports wait in the line; their clients leave, and the next one does not wait for them."""
        begin = time.monotonic()
        self.server.get("export?fmt=perfetto")
        one = time.monotonic() - begin
        for s in [self.ask("export?fmt=perfetto") for _ in range(50)]:
            s.close()
        begin = time.monotonic()
        self.server.get("table?verb=kernels")
        self.assertLess(time.monotonic() - begin, 5 + 10 * one)
        self.server.get("export?fmt=csv")

    def test_files_that_nobody_reads(self):
        """As many files are held as may be; a client that has read nothing for long makes room for another."""
        begin = time.monotonic()
        deaf = [self.ask("export?fmt=perfetto") for _ in range(18)]
        statuses = []
        for s in deaf:
            s.settimeout(60)
            statuses.append(s.recv(12)[9:12])
        self.assertIn(b"200", statuses)
        if time.monotonic() - begin < IDLE_SECONDS:  # it takes longer with sanitizers on a busy machine
            self.assertIn(b"503", statuses)
        self.assertEqual(os.listdir(self.scratch), [])
        self.server.get("progress")
        for s in deaf:
            s.close()

    def test_a_signal_while_it_answers(self):
        """Exports under way, in the line, half sent and never read, and a client in the middle of its request."""
        clients = [self.ask("export?fmt=" + fmt) for fmt in ("perfetto", "chrome", "json", "csv") * 5]
        clients.append(self.ask("view?a=0&b=1000000&w=8192&rows=" + "0," * 99 + "0"))
        clients.append(socket.create_connection(("127.0.0.1", self.server.port)))
        clients[-1].sendall(b"GET /t/")
        time.sleep(0.3)
        begin = time.monotonic()
        self.server.stop()
        self.assertLess(time.monotonic() - begin, 15)
        for s in clients:
            s.close()

    def test_clients_that_come_and_go(self):
        def run(k):
            for i in range(10):
                with self.ask(("search?q=e&w=500", "export?fmt=csv", "stats?a=0&b=900000000&rows=0-9&by=name")[(i + k) % 3]) as s:
                    if i % 3 == 0:
                        s.recv(100)

        threads = [threading.Thread(target=run, args=(k,)) for k in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.server.get("table?verb=kernels")


if __name__ == "__main__":
    unittest.main()
