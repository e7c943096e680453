#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The protocol over HTTP: statuses, fields, several clients, streams of events, and who may ask."""
import base64
import http.client
import json
import signal
import socket
import subprocess
import threading
import time
import unittest
import urllib.parse

from client import FIXTURES, MODERN, WARPLENS


class Server:
    def __init__(self, *args):
        self.process = subprocess.Popen([WARPLENS, "mcp", "--http", "0", *args], stdout=subprocess.PIPE)
        self.url = urllib.parse.urlparse(self.process.stdout.readline().decode().strip())

    def post(self, message, fields=None, path=None, method="POST"):
        connection = http.client.HTTPConnection("127.0.0.1", self.url.port, timeout=60)
        body = message if isinstance(message, (bytes, type(None))) else json.dumps(message).encode()
        sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        sent.update(fields or {})
        connection.request(method, path or self.url.path, body, {k: v for k, v in sent.items() if v is not None})
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer.status, dict(answer.getheaders()), data

    def old(self, method, params=None, **how):
        status, _, data = self.post({"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}, **how)
        return status, json.loads(data)

    def new(self, method, params=None, fields=None, meta=None):
        params = dict(params or {}, _meta=MODERN if meta is None else meta)
        sent = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method}
        if "name" in params or "uri" in params:
            sent["Mcp-Name"] = params.get("name", params.get("uri"))
        sent.update(fields or {})
        status, _, data = self.post({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, sent)
        return status, json.loads(data)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(20)
        self.process.stdout.close()
        return status


def code(said):
    return said[0], said[1].get("error", {}).get("code")


class Http(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--no-token")

    @classmethod
    def tearDownClass(cls):
        assert cls.server.stop() == 128 + signal.SIGTERM

    def test_statuses(self):
        post = self.server.post
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        self.assertEqual(self.server.url.path, "/mcp")
        self.assertEqual(post(ping)[0], 200)
        self.assertEqual(post({"jsonrpc": "2.0", "method": "notifications/initialized"})[0::2], (202, b""))
        for method in ("GET", "DELETE", "PUT", "OPTIONS"):
            status, fields, _ = post(None, method=method)
            self.assertEqual((status, fields["Allow"]), (405, "POST"))
        self.assertEqual(post(ping, path="/")[0], 404)
        self.assertEqual(post(ping, path="/mcp/x")[0], 404)
        self.assertEqual(post(b"{")[0], 400)
        self.assertEqual(post([ping])[0], 400)
        for kind in ("text/plain", "application/jsonx", "application/json-patch+json", "application/jsonld; charset=utf-8", ""):
            self.assertEqual(post(ping, {"Content-Type": kind})[0], 415, kind)
        for kind in ("application/json; charset=utf-8", "Application/JSON", "application/json ;charset=utf-8"):
            self.assertEqual(post(ping, {"Content-Type": kind})[0], 200, kind)
        self.assertEqual(code(self.server.old("no/such")), (200, -32601))
        self.assertEqual(code(self.server.new("no/such")), (404, -32601))
        self.assertEqual(code(self.server.old("tools/call", {"name": "x"})), (200, -32602))

    def test_two_lengths_of_a_body(self):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
        chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
        for fields, sent, status in ((b"Transfer-Encoding: chunked\r\n", chunked, b"200"),
                                     (b"Content-Length: %d\r\n" % len(body), body, b"200"),
                                     (b"Transfer-Encoding: chunked\r\nContent-Length: %d\r\n" % len(body), chunked, b"400"),
                                     (b"Content-Length: %d\r\nTransfer-Encoding: chunked\r\n" % len(chunked), chunked, b"400")):
            with socket.create_connection(("127.0.0.1", self.server.url.port), timeout=30) as s:
                s.sendall(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\n%s\r\n%s"
                          % (self.server.url.port, fields, sent))
                self.assertEqual(s.recv(99).split()[1], status, fields)

    def test_who_may_ask(self):
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        port = self.server.url.port
        for fields, status in [({"Origin": "http://evil.example"}, 403), ({"Origin": "null"}, 403),
                               ({"Host": f"evil.example:{port}"}, 403), ({"Host": "127.0.0.1:1"}, 403),
                               ({"Host": f"localhost:{port}"}, 200), ({"Origin": f"http://localhost:{port}"}, 200),
                               ({"Sec-Fetch-Site": "cross-site"}, 403), ({"Sec-Fetch-Site": "same-origin"}, 200),
                               ({"Origin": f"http://127.0.0.1:{port}"}, 200)]:
            self.assertEqual(self.server.post(ping, fields)[0], status, fields)

    def test_fields_equal_the_body(self):
        new = self.server.new
        self.assertEqual(code(new("tools/list")), (200, None))
        self.assertEqual(code(new("tools/list", fields={"Mcp-Method": "  tools/list\t"})), (200, None))
        for wrong in ({"MCP-Protocol-Version": "2025-11-25"}, {"MCP-Protocol-Version": None}, {"Mcp-Method": "ping"},
                      {"Mcp-Method": None}, {"Mcp-Method": "Tools/List"}):
            self.assertEqual(code(new("tools/list", fields=wrong)), (400, -32020), wrong)
        call = {"name": "describe", "arguments": {}}
        name = "=?base64?" + base64.b64encode(b"describe").decode() + "?="
        self.assertEqual(code(new("tools/call", call)), (200, None))
        self.assertEqual(code(new("tools/call", call, {"Mcp-Name": name})), (200, None))
        for wrong in ({"Mcp-Name": None}, {"Mcp-Name": "analyze"}, {"Mcp-Name": name.upper()}):
            self.assertEqual(code(new("tools/call", call, wrong)), (400, -32020), wrong)
        self.assertEqual(code(new("tools/list", meta={})), (400, -32602))
        v = "1900-01-01"
        said = new("tools/list", fields={"MCP-Protocol-Version": v},
                   meta=dict(MODERN, **{"io.modelcontextprotocol/protocolVersion": v}))
        self.assertEqual(code(said), (400, -32022))
        self.assertEqual(said[1]["error"]["data"]["requested"], v)
        self.assertEqual(code(self.server.old("ping", fields={"MCP-Protocol-Version": "2025-06-18"})), (200, None))
        self.assertEqual(code(self.server.old("ping", fields={"MCP-Protocol-Version": "1900-01-01"})), (400, -32022))

    def test_progress_is_a_stream(self):
        message = {"jsonrpc": "2.0", "id": "s", "method": "tools/call",
                   "params": {"name": "open_trace", "arguments": {"path": FIXTURES + "/two_ranks.sqlite"},
                              "_meta": {"progressToken": 5}}}
        status, fields, data = self.server.post(message)
        self.assertEqual((status, fields["Content-Type"]), (200, "text/event-stream"))
        self.assertEqual(fields["X-Accel-Buffering"], "no")
        events = [json.loads(e.split("data: ", 1)[1]) for e in data.decode().split("\n\n") if e.startswith("event: message")]
        self.assertEqual(events[-1]["id"], "s")
        self.assertTrue(all(e["params"]["progressToken"] == 5 for e in events[:-1]))
        self.assertEqual(self.server.post(message, {"Accept": "application/json"})[1]["Content-Type"], "application/json")

    def test_several_clients(self):
        said, names = {}, ["steps", "streams", "two_ranks", "waits", "host", "nodes", "nested", "stages"]

        def ask(k):
            for name in names[k:] + names[:k]:
                args = {"verb": "kernels", "trace": f"{FIXTURES}/{name}.sqlite"}
                _, answer = self.server.old("tools/call", {"name": "analyze", "arguments": args})
                if answer["result"]["isError"]:
                    raise AssertionError((name, answer))
                del answer["result"]["structuredContent"]["trace"]
                said[k, name] = answer["result"]["structuredContent"]

        threads = [threading.Thread(target=ask, args=(k,)) for k in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        for name in names:
            self.assertTrue(all(said[k, name] == said[0, name] for k in range(8)), name)

    def test_a_client_that_leaves_is_forgotten(self):
        for k in range(40):
            s = socket.create_connection(("127.0.0.1", self.server.url.port))
            body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
                "name": "findings", "arguments": {"trace": FIXTURES + "/steps.sqlite"},
                "_meta": {"progressToken": 1} if k % 2 else {}}}).encode()
            s.sendall(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\n"
                      b"Accept: text/event-stream\r\nContent-Length: %d\r\n\r\n" % (self.server.url.port, len(body)))
            s.sendall(body if k % 3 else body[:10])
            s.close()
        time.sleep(0.3)
        self.assertEqual(code(self.server.old("ping")), (200, None))

    def test_silent_clients_make_room(self):
        """More connections than there may be, which send nothing or half a request: another one is served."""
        begin = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n" % self.server.url.port
        silent = []
        for k in range(200):
            silent.append(socket.create_connection(("127.0.0.1", self.server.url.port)))
            if k % 2:
                silent[-1].sendall(begin)
        for _ in range(8):
            self.assertEqual(code(self.server.old("ping")), (200, None))
        for s in silent:
            s.close()

    def test_a_large_body_is_refused(self):
        try:
            status = self.server.post(b" " * (5 << 20))[0]
        except (ConnectionError, http.client.HTTPException):
            status = None
        self.assertIn(status, (None, 400, 413))
        self.assertEqual(code(self.server.old("ping")), (200, None))


class Secret(unittest.TestCase):
    def test_the_address_has_a_secret(self):
        server = Server()
        try:
            ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
            self.assertRegex(server.url.path, r"^/t/[0-9a-f]{32}/mcp$")
            self.assertEqual(server.post(ping)[0], 200)
            for path in ("/mcp", "/t/" + "0" * 32 + "/mcp", server.url.path[:-1], server.url.path[:-4]):
                self.assertEqual(server.post(ping, path=path)[0], 404)
        finally:
            server.stop()


if __name__ == "__main__":
    unittest.main()
