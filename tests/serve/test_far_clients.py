#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Clients that are not the page on this machine: on another one, and Perfetto's page."""
import gzip
import http.client
import socket
import unittest

from client import TOKEN, Server, ServerTest

PERFETTO = "https://ui.perfetto.dev"


def own_address():
    """An address of this machine that is not the loopback; None where there is none. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        try:
            s.connect(("192.0.2.1", 9))
            address = s.getsockname()[0]
        except OSError:
            return None
    return None if address.startswith("127.") or address == "0.0.0.0" else address


class Far(unittest.TestCase):
    def ask(self, address, server, path, **fields):
        connection = http.client.HTTPConnection(address, server.port, timeout=30)
        connection.request(fields.pop("method", "GET"), server.base + path, headers=fields)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, answer.headers, body

    def test_answers_are_compressed(self):
        address = own_address()
        if not address:
            self.skipTest("this machine has no address but the loopback")
        server = Server(ServerTest.trace, "--bind", "0.0.0.0", "--host", address)
        accept = {"Accept-Encoding": "gzip, deflate"}
        while b'"ready"' not in self.ask(address, server, "progress")[2]:
            pass
        paths = ["", "meta", "view?a=0&b=1000000&w=1000&rows=0-9", "search?q=a&w=1000", "names?from=0&n=1000", "table?verb=kernels"]
        for path in paths:
            status, fields, plain = self.ask(address, server, path)
            self.assertEqual((status, fields["Content-Encoding"]), (200, None), path)
            status, fields, small = self.ask(address, server, path, **accept)
            if len(plain) >= 2000:
                self.assertEqual((status, fields["Content-Encoding"]), (200, "gzip"), path)
                self.assertLess(len(small), len(plain))
                small = gzip.decompress(small)
            self.assertEqual(small, plain, path)
            # Bytes that go nowhere are not worth the time.
            status, fields, near = self.ask("127.0.0.1", server, path, **accept)
            self.assertEqual((status, fields["Content-Encoding"], near), (200, None, plain), path)
        status, fields, _ = self.ask(address, server, "meta", **accept)
        length = fields["Content-Length"]
        status, fields, body = self.ask(address, server, "meta", method="HEAD", **accept)
        self.assertEqual((status, fields["Content-Encoding"], fields["Content-Length"], body), (200, "gzip", length, b""))
        for refused in ("gzip;q=0", "br", "identity", ""):
            _, fields, _ = self.ask(address, server, "meta", **{"Accept-Encoding": refused})
            self.assertIsNone(fields["Content-Encoding"], refused)
        status, fields, _ = self.ask(address, server, "export?fmt=csv", **accept)
        self.assertEqual((status, fields["Content-Encoding"]), (200, None))
        self.assertEqual(self.ask(address, server, "meta", Host="evil.example")[0], 403)
        self.assertEqual(server.stop(), 0)

    def test_connections_of_one_machine_are_bounded(self):
        address = own_address()
        if not address:
            self.skipTest("this machine has no address but the loopback")
        server = Server(ServerTest.trace, "--bind", "0.0.0.0", "--host", address)
        crowd = [socket.create_connection((address, server.port), timeout=10) for _ in range(200)]
        for s in crowd[-40:]:
            self.assertEqual(s.recv(1), b"")  # closed without a word
        self.assertEqual(self.ask("127.0.0.1", server, "progress")[0], 200)
        for s in crowd:
            s.close()
        self.assertEqual(server.stop(), 0)


class Perfetto(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with socket.socket() as s:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                s.bind(("127.0.0.1", 9001))
            except OSError:
                raise unittest.SkipTest("port 9001 is taken") from None
        cls.server = Server(ServerTest.trace, "--port", "9001").wait()

    @classmethod
    def tearDownClass(cls):
        if cls.server.stop() != 0:
            raise AssertionError(cls.server.errors)

    def ask(self, path, method="GET", origin=PERFETTO, **fields):
        return self.server.ask(path, method, {"Origin": origin, **fields})

    def test_it_gets_an_export(self):
        file = "export/perfetto/0-1000000/0.pftrace"
        status, fields, body = self.ask(file)
        self.assertEqual((status, fields["Access-Control-Allow-Origin"]), (200, PERFETTO))
        self.assertEqual(body, self.server.get("export?fmt=perfetto&a=0&b=1000000"))
        self.assertEqual(self.ask(file, "HEAD")[0], 200)
        status, fields, body = self.ask(file, "OPTIONS", **{"Access-Control-Request-Method": "GET",
                                                            "Access-Control-Request-Private-Network": "true"})
        self.assertEqual((status, body), (204, b""))
        self.assertEqual(fields["Access-Control-Allow-Origin"], PERFETTO)
        self.assertEqual(fields["Access-Control-Allow-Private-Network"], "true")
        self.assertIsNone(self.ask(file, "OPTIONS")[1]["Access-Control-Allow-Private-Network"])
        # What is wrong with it is told to Perfetto's page, too.
        status, fields, _ = self.ask("export/perfetto/9-3/0.pftrace")
        self.assertEqual((status, fields["Access-Control-Allow-Origin"]), (400, PERFETTO))

    def test_it_gets_nothing_else(self):
        file = "export/perfetto/0-1000000/0.pftrace"
        for path in ("", "meta", "progress", "view?a=0&b=9&w=1", "export?fmt=perfetto&a=0&b=9", "export", "export/perfetto/",
                     "export/perfetto/0-9/0.pftrace?x=1", "export/chrome/0-9/0.pftrace", "export/perfetto/0-9/../../meta"):
            for method in ("GET", "HEAD", "OPTIONS"):
                status, fields, body = self.ask(path, method)
                self.assertIn(status, (403, 404), path)
                self.assertIsNone(fields["Access-Control-Allow-Origin"], path)
                self.assertLess(len(body), 200)
        for method in ("POST", "PUT", "DELETE"):
            self.assertEqual(self.ask(file, method)[0], 405)
        for base in ("/t/%s/" % TOKEN[::-1], "/"):
            status, fields, _ = self.server.ask(file, "GET", {"Origin": PERFETTO}, base)
            self.assertEqual((status, fields["Access-Control-Allow-Origin"]), (404, None))
        self.assertEqual(self.server.ask("", "GET", {"Origin": PERFETTO}, "/t/" + TOKEN)[0], 404)

    def test_other_pages_get_nothing(self):
        file = "export/perfetto/0-1000000/0.pftrace"
        for origin in ("http://ui.perfetto.dev", "https://ui.perfetto.dev.evil.example", "https://evil.example", "null", PERFETTO + "/"):
            for method in ("GET", "OPTIONS"):
                status, fields, _ = self.ask(file, method, origin)
                self.assertEqual((status, fields["Access-Control-Allow-Origin"]), (403, None), origin)
        status, fields, _ = self.server.ask(file)
        self.assertEqual((status, fields["Access-Control-Allow-Origin"]), (200, None))
        self.assertEqual(self.server.ask(file, "OPTIONS")[0], 405)
        self.assertEqual(self.ask(file, Host="evil.example:9001")[0], 403)


class AnotherPort(ServerTest):
    def test_perfetto_gets_nothing(self):
        for method in ("GET", "OPTIONS"):
            status, fields, _ = self.server.ask("export/perfetto/0-1000000/0.pftrace", method, {"Origin": PERFETTO})
            self.assertEqual((status, fields["Access-Control-Allow-Origin"]), (403, None))


if __name__ == "__main__":
    unittest.main()
