#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fifty clients at once, who ask for everything that the page asks for: each gets what one alone got, and nothing is
left of them, neither memory nor files. CROWD_SECONDS (default 3) is how long they ask, CROWD_TRACE what of."""
import hashlib
import http.client
import os
import random
import threading
import time
import unittest

from client import FIXTURES, Server

CLIENTS = 50
SECONDS = float(os.environ.get("CROWD_SECONDS", "3"))
TRACE = os.environ.get("CROWD_TRACE", os.path.join(FIXTURES, "two_ranks.sqlite"))
VIEWS = 60
MORE_BYTES = 24 << 20   # that the allocator may keep of the threads that answered
# A sanitizer keeps what was freed for a while; that is not what grows here.
os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1:thread_local_quarantine_size_kb=16"


def digest(body):
    return hashlib.sha256(body).hexdigest()


def windows(meta, chance):
    """Times [a, b) of mixed zoom."""
    begin, end = meta["traces"][0]["begin"], meta["traces"][0]["end"]
    while True:
        span = max(1600, int((end - begin) * chance.choice([1, 0.1, 0.01, 0.001])))
        a = begin + chance.randrange(max(1, end - begin - span + 1))
        yield a, a + span


def questions(meta):
    """What is asked, most of it pictures; slow questions are few, as people ask them."""
    chance = random.Random(50)
    at = windows(meta, chance)
    filled = sorted({row for row, _ in meta["lanes"]})
    found = ["", "meta", "names?from=0&n=2000", "search?q=a&mode=sub&w=100", "search?q=kernel.*&mode=re&w=100"]
    for _ in range(VIEWS):
        rows = chance.sample(filled, min(len(filled), chance.choice([1, 8, 24])))
        found.append("view?a=%d&b=%d&w=1600&lanes=4&rows=%s" % (*next(at), ",".join(map(str, rows))))
    for row in chance.sample(filled, min(len(filled), 20)):
        found.append("events?row=%d&a=%d&b=%d&max=6000" % (row, *next(at)))
    for by in ("name", "category", "nvtx", "stream"):
        found.append("stats?a=%d&b=%d&rows=%d&by=%s" % (*next(at), chance.choice(filled), by))
    found.append("gaps?a=%d&b=%d&min=0" % next(at))
    found.append("table?verb=kernels&a=%d&b=%d&n=50" % next(at))
    found.append("export?fmt=perfetto&a=%d&b=%d" % (lambda a, b: (a, min(b, a + 1000000)))(*next(at)))
    return found


class Client(threading.Thread):
    """Asks until the time is over; every now and then from a new connection."""

    def __init__(self, server, number, wanted, until):
        super().__init__()
        self.server, self.wanted, self.until = server, wanted, until
        self.chance = random.Random(number)
        self.asked, self.errors = 0, []

    def ask(self, connection):
        path = self.chance.choice(list(self.wanted))
        connection.request("GET", self.server.base + path)
        answer = connection.getresponse()
        body = answer.read()
        self.asked += 1
        if answer.status != 200:
            self.errors.append("%s: %d %r" % (path, answer.status, body[:100]))
        elif digest(body) != self.wanted[path]:
            self.errors.append("%s: another answer than alone" % path)

    def run(self):
        try:
            while time.monotonic() < self.until and not self.errors:
                connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
                for _ in range(self.chance.randrange(1, 60)):
                    if time.monotonic() < self.until and not self.errors:
                        self.ask(connection)
                connection.close()
        except (OSError, http.client.HTTPException) as e:
            self.errors.append(repr(e))


class Crowd(unittest.TestCase):
    def setUp(self):
        self.server = Server(TRACE).wait(600)
        self.addCleanup(self.server.stop)

    def anonymous(self):
        with open("/proc/%d/status" % self.server.process.pid, encoding="ascii", errors="replace") as lines:
            return max(int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon"))

    def files(self):
        """Open files, once those of closed connections are gone."""
        least = 1 << 30
        for _ in range(100):
            least = min(least, len(os.listdir("/proc/%d/fd" % self.server.process.pid)))
            time.sleep(0.01)
        return least

    def crowd(self, wanted, seconds):
        until = time.monotonic() + seconds
        clients = [Client(self.server, i, wanted, until) for i in range(CLIENTS)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        self.assertEqual([e for client in clients for e in client.errors], [])
        return sum(client.asked for client in clients)

    def test_fifty_at_once(self):
        files = self.files()
        wanted = {path: digest(self.server.get(path)) for path in questions(self.server.json("meta"))}
        asked = self.crowd(wanted, SECONDS / 3)
        settled = self.anonymous()
        asked += self.crowd(wanted, SECONDS * 2 / 3)
        print("%d answers to %d clients, %.1f MB before and %.1f MB after" % (
            asked, CLIENTS, settled / 1e6, self.anonymous() / 1e6))
        self.assertGreater(asked, CLIENTS)
        self.assertEqual(self.files(), files)
        self.assertLess(self.anonymous(), settled + MORE_BYTES)
        self.assertEqual(self.server.stop(), 0)


if __name__ == "__main__":
    unittest.main()
