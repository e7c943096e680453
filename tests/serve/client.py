# SPDX-License-Identifier: MIT
"""A server of warplens for a test, and clients that ask it: polite ones and others."""
import http.client
import json
import os
import signal
import socket
import struct
import subprocess
import time
import unittest

WARPLENS = os.environ["WARPLENS"]
FIXTURES = os.environ["WARPLENS_FIXTURES"]
TOKEN = "00112233445566778899aabbccddeeff"
MAGIC = 0x31564c57


class Server:
    def __init__(self, *args, token=TOKEN):
        environment = {**os.environ, "WARPLENS_TOKEN": token or ""}
        self.process = subprocess.Popen([WARPLENS, "serve", *args], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, env=environment)
        self.url = self.process.stdout.readline().strip()
        if not self.url.startswith("http://"):
            raise AssertionError("no address: %r %s" % (self.url, self.process.stderr.read()))
        self.second_line = "" if "--bind" in args else self.process.stdout.readline()
        host, _, rest = self.url[len("http://"):].partition("/")
        self.port = int(host.rpartition(":")[2])
        self.base = "/" + rest
        self.status = None

    def wait(self, seconds=60):
        until = time.monotonic() + seconds
        while True:
            progress = self.json("progress")
            if progress["stage"] == "ready":
                return self
            if progress["error"] or time.monotonic() > until:
                raise AssertionError(progress)
            time.sleep(0.02)

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)

    def ask(self, path, method="GET", headers=None, base=None):
        """Status, fields and bytes of an answer."""
        connection = self.connect()
        try:
            connection.request(method, (self.base if base is None else base) + path, headers=headers or {})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def get(self, path):
        status, _, body = self.ask(path)
        if status != 200:
            raise AssertionError("%s: %d %r" % (path, status, body[:200]))
        return body

    def json(self, path):
        return json.loads(self.get(path))

    def raw(self, data, wait=5.0):
        """All that is sent back to these bytes until the server closes, or for a while."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=wait) as s:
            got = b""
            try:
                s.sendall(data)
                while True:
                    part = s.recv(65536)
                    if not part:
                        break
                    got += part
            except (socket.timeout, ConnectionError):
                pass
            return got

    def stop(self, number=signal.SIGTERM):
        """0 if it ended as a signal ends a program, 128 + its number; the status otherwise."""
        if self.status is None:
            self.process.send_signal(number)
            _, self.errors = self.process.communicate(timeout=60)
            self.status = self.process.returncode
            if self.status == 128 + number:
                self.status = 0
        return self.status


def memory_mb(process):
    with open("/proc/%d/status" % process.pid, encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) // 1024


class ServerTest(unittest.TestCase):
    trace = os.path.join(FIXTURES, "two_ranks.sqlite")
    args = ()

    @classmethod
    def setUpClass(cls):
        cls.server = Server(cls.trace, *cls.args).wait()

    @classmethod
    def tearDownClass(cls):
        status = cls.server.stop()
        if status != 0:
            raise AssertionError("the server ended with %s: %s" % (status, cls.server.errors))

    def verb(self, *args):
        run = subprocess.run([WARPLENS, *args, "-f", "json"], capture_output=True, check=True)
        return json.loads(run.stdout)


def view_of(body):
    """The pictures of an answer to view: {row: [bytes of pairs, per lane]}, and w, a, b."""
    magic, version, w, n, a, b = struct.unpack_from("<IIIIqq", body)
    assert (magic, version) == (MAGIC, 1)
    at, rows = 32, {}
    for _ in range(n):
        row, lanes = struct.unpack_from("<II", body, at)
        at += 8
        rows[row] = [body[at + 2 * w * k:at + 2 * w * (k + 1)] for k in range(lanes)]
        at += 2 * w * lanes
    assert at == len(body)
    return rows, w, a, b


def events_of(body):
    """The events of an answer: a list of (start, dur, name, ref, lane), and its head. Those of NVTX rows
    have two more columns, parent and span, and those of the critical path targetRow: left out."""
    size, = struct.unpack_from("<I", body)
    head = json.loads(body[4:4 + size])
    n, at, columns = head["n"], 4 + size, []
    for kind in "ddIIH":
        columns.append(struct.unpack_from("<%d%s" % (n, kind), body, at))
        at += n * struct.calcsize("<" + kind)
    assert len(body) - at in (0, n * 4, n * 5)
    return list(zip(*columns)), head
