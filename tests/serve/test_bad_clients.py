#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What clients get who are not the page: nothing that they should not have, and the server goes on."""
import base64
import hashlib
import random
import re
import threading
import unittest

from client import TOKEN, Server, ServerTest


class BadClients(ServerTest):
    def tearDown(self):
        self.assertEqual(self.server.json("progress")["stage"], "ready")

    def host(self):
        return "127.0.0.1:%d" % self.server.port

    def test_wrong_token(self):
        for base in ("/", "/t/", "/t/%s/" % ("0" * 32), "/t/%s/" % TOKEN[:-1], "/t/%s0/" % TOKEN, "/t/%s/" % TOKEN.upper(),
                     "/meta", "/t//%s/" % TOKEN, "/%s/" % TOKEN):
            for path in ("", "meta", "progress", "view?a=0&b=9&w=1"):
                status, _, body = self.server.ask(path, base=base)
                self.assertEqual(status, 404, base + path)
                self.assertNotIn(TOKEN.encode(), body)

    def test_path_tricks(self):
        base = "/t/%s" % TOKEN
        for path in ("/../meta", "/./meta", "//meta", "/meta/", "/%6deta", "/..%2fmeta", "/meta%00", "/../../etc/passwd",
                     "/..%2f..%2fetc%2fpasswd", "/etc/passwd", "/meta;x", "/meta#x", "/\\meta", "/view/../meta"):
            answer = self.server.raw(("GET %s%s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n" % (base, path, self.host())).encode())
            self.assertRegex(answer, rb"^HTTP/1\.1 40[04] ", path)
            self.assertNotIn(b"root:x:0", answer)
        for target in ("http://%s%s/meta" % (self.host(), base), "*", "meta", "//evil.example%s/meta" % base):
            answer = self.server.raw(("GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n" % (target, self.host())).encode())
            self.assertNotIn(b" 200 ", answer.split(b"\r\n")[0], target)

    def test_wrong_host_and_origin(self):
        for host in ("evil.example", "evil.example:%d" % self.server.port, "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:%d" % self.server.port):
            status, _, body = self.server.ask("meta", headers={"Host": host})
            self.assertEqual(status, 403, host)
            self.assertNotIn(b"rows", body)
        for host in ("localhost:%d" % self.server.port, "[::1]:%d" % self.server.port):
            self.assertEqual(self.server.ask("progress", headers={"Host": host})[0], 200)
        for origin in ("null", "http://evil.example", "https://ui.perfetto.dev", "file://", ""):
            self.assertEqual(self.server.ask("meta", headers={"Origin": origin})[0], 403, origin)
        status, fields, _ = self.server.ask("progress", headers={"Origin": "http://%s" % self.host()})
        self.assertEqual(status, 200)
        self.assertIsNone(fields["Access-Control-Allow-Origin"])
        # A script or picture of another page has no Origin.
        for site in ("cross-site", "same-site", "other", ""):
            status, _, body = self.server.ask("meta", headers={"Sec-Fetch-Site": site})
            self.assertEqual((status, b"rows" in body), (403, False), site)
            self.assertEqual(self.server.ask("", headers={"Sec-Fetch-Site": site})[0], 200, site)
        for site in ("same-origin", "none"):
            self.assertEqual(self.server.ask("meta", headers={"Sec-Fetch-Site": site})[0], 200, site)
        two = "GET /t/%s/meta HTTP/1.1\r\nHost: %s\r\nHost: evil.example\r\nConnection: close\r\n\r\n" % (TOKEN, self.host())
        self.assertNotIn(b" 200 ", self.server.raw(two.encode()).split(b"\r\n")[0])
        none = "GET /t/%s/meta HTTP/1.0\r\n\r\n" % TOKEN
        self.assertNotIn(b" 200 ", self.server.raw(none.encode()).split(b"\r\n")[0])

    def test_other_methods(self):
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT", "PROPFIND", "get"):
            status, fields, _ = self.server.ask("meta", method=method)
            self.assertEqual((status, fields["Allow"]), (405, "GET, HEAD"), method)
        status, fields, body = self.server.ask("meta", method="HEAD")
        self.assertEqual((status, body), (200, b""))
        self.assertEqual(int(fields["Content-Length"]), len(self.server.get("meta")))
        for field in ("Content-Length: 5\r\n\r\nhello", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"):
            asked = "GET /t/%s/meta HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n%s" % (TOKEN, self.host(), field)
            self.assertRegex(self.server.raw(asked.encode()), b"^HTTP/1.1 400 ")

    def test_fields_of_every_answer(self):
        for path in ("", "meta", "nothing", "view?a=1"):
            _, fields, _ = self.server.ask(path)
            self.assertIn("default-src 'none'", fields["Content-Security-Policy"])
            self.assertEqual(fields["X-Content-Type-Options"], "nosniff")
            self.assertEqual(fields["Referrer-Policy"], "no-referrer")
            self.assertEqual(fields["Cache-Control"], "no-store")
            self.assertEqual(fields["Cross-Origin-Opener-Policy"], None if path else "same-origin-allow-popups")
        # The page runs its one script and no other.
        _, fields, body = self.server.ask("")
        script = re.search(rb"<script>(.*?)</script>", body, re.DOTALL).group(1)
        source = "script-src 'sha256-%s';" % base64.b64encode(hashlib.sha256(script).digest()).decode()
        self.assertIn(source, fields["Content-Security-Policy"])
        self.assertIn(source, body.decode())
        self.assertNotIn("script-src 'unsafe", fields["Content-Security-Policy"])
        status, fields, _ = self.server.ask("", base="/t/%s" % TOKEN)
        self.assertEqual((status, fields["Location"]), (302, "/t/%s/" % TOKEN))

    def test_oversized(self):
        for n in (9000, 40000, 1000000):
            answer = self.server.raw(b"GET /t/" + TOKEN.encode() + b"/view?rows=" + b"1," * n + b" HTTP/1.1\r\nHost: "
                                     + self.host().encode() + b"\r\nConnection: close\r\n\r\n")
            self.assertNotIn(b" 200 ", answer.split(b"\r\n")[0])
            answer = self.server.raw(b"GET /t/" + TOKEN.encode() + b"/meta HTTP/1.1\r\nHost: " + self.host().encode()
                                     + b"\r\nX: " + b"x" * n * 5 + b"\r\nConnection: close\r\n\r\n")
            self.assertNotIn(b" 200 ", answer.split(b"\r\n")[0])
        for path in ("view?a=0&b=99999999&w=100000&rows=0", "view?a=0&b=99999999&w=8192&rows=0-4000000000", "events?row=0&a=0&b=9&max=99999999999",
                     "names?n=1000000000", "search?q=" + "a" * 2000):
            self.assertEqual(self.server.ask(path)[0], 400, path[:60])

    def test_malformed(self):
        for data in (b"\r\n\r\n", b"GET\r\n\r\n", b"\x00" * 100, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"GET / HTTP/9.9\r\n\r\n",
                     b"GET /t/" + TOKEN.encode() + b"/meta\r\n\r\n", b"A" * 200000, b"GET / HTTP/1.1\r\nHost\r\n\r\n"):
            self.assertNotIn(b" 200 ", self.server.raw(data, 1).split(b"\r\n")[0])

    def test_random_requests(self):
        random.seed(7)
        words = ["view", "events", "names", "event", "stats", "gaps", "search", "table", "export", "meta", "?", "&", "a=", "b=", "w=", "rows=", "row=",
                 "ref=", "q=", "mode=re", "by=nvtx", "fmt=csv", "0", "1", "-", ",", "700", "%", "%00", "99999999999999999999", "(", "*", "../", "\x7f"]
        connection = self.server.connect()
        for _ in range(3000):
            path = self.server.base + "".join(random.choice(words) for _ in range(random.randint(1, 12)))
            connection.putrequest("GET", path.replace("\x7f", "%7f"), skip_accept_encoding=True)
            connection.endheaders()
            answer = connection.getresponse()
            answer.read()
            self.assertIn(answer.status, (200, 400, 404, 503), path)
        connection.close()

    def test_many_clients_at_once(self):
        meta = self.server.json("meta")
        rows, failures = len(meta["rows"]), []
        want = {path: self.server.get(path) for path in (
            "view?a=0&b=1000000&w=800&rows=0-%d" % (rows - 1), "stats?a=0&b=1000000&rows=0-%d&by=name" % (rows - 1),
            "search?q=a&w=100", "table?verb=kernels", "meta")}

        def run():
            try:
                for _ in range(5):
                    for path, body in want.items():
                        if self.server.get(path) != body:
                            failures.append(path)
            except Exception as error:  # whatever it is, the test tells
                failures.append(repr(error))

        threads = [threading.Thread(target=run) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])


class Secrets(unittest.TestCase):
    def test_a_token_of_its_own(self):
        tokens = set()
        for _ in range(2):
            server = Server(ServerTest.trace, token=None)
            self.assertRegex(server.url, r"^http://127\.0\.0\.1:\d+/t/[0-9a-f]{32}/$")
            self.assertIn("ssh -L %d:127.0.0.1:%d " % (server.port, server.port), server.second_line)
            tokens.add(server.url)
            # The thread sanitizer's runtime loses a signal that comes while a thread blocks for the first time.
            self.assertEqual(server.wait().stop(), 0)
        self.assertEqual(len(tokens), 2)


if __name__ == "__main__":
    unittest.main()
