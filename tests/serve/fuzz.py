# SPDX-License-Identifier: MIT
"""Requests that nobody should send, over real sockets, and what must hold whatever comes.

A connection is of one of four kinds. FAIR ones know the token and the host, and are mutated in everything else. The
others are forged: all that they send lacks the TOKEN, names another HOST, or comes from another ORIGIN, and nothing may
be given to them. Each carries one to four requests, whole, in pieces, cut off, or with an end that is not one.
"""
import collections
import random
import re
import socket
import struct
import threading

from client import TOKEN

FAIR, NO_TOKEN, NO_HOST, NO_ORIGIN = "fair", "no token", "no host", "no origin"
KNOWN = {100, 200, 204, 302, 400, 403, 404, 405, 408, 411, 413, 414, 417, 431, 501, 503, 505}
PATIENCE = 0.5  # seconds; some connections are only closed when they were idle for a while
GIVES = {200, 204, 206, 302}
ROUTES = ("", "progress", "meta", "merge?row=0", "view?a=0&b=90000&w=50&rows=0-3&by=duration", "events?row=0&a=0&b=90000&max=9&by=stream",
          "view?a=0&b=100000&w=300&rows=0-3", "view?a=0&b=100000&w=64&rows=1&lanes=2",
          "events?row=1&a=0&b=99999999&max=100", "names?from=0&n=50", "event?row=1&ref=0&at=0",
          "stats?a=0&b=100000&rows=0-5&by=name", "gaps?a=0&b=1000000&min=10", "search?q=a&mode=re&after=5&w=100",
          "search?q=k&mode=sub&min=1&max=100000&cat=0,1&gpu=0&trace=1", "table?verb=kernels&n=5", "table?verb=gaps&a=0&b=5000",
          "export?fmt=csv&a=0&b=5000&trace=1", "export?fmt=perfetto", "export/perfetto/0-9000/0.pftrace",
          "show?path=a.sqlite&from=0&to=90000", "show", "shown")
VALUES = ("", "-1", "0", "1", "-0", "00", "+5", "1e9", "0x10", " 1", "1.5", "2147483648", "4294967296", "9007199254740993",
          "9223372036854775807", "9223372036854775808", "18446744073709551616", "1" * 400, "%31", "%00", "%", "%f", "%zz", "%ff%fe",
          "\u00e9", "\U0001f4a5", "0-", "-", "0-4294967295", "1-0", ",,,", "0,0,0,0", "0-1023,0-1023", "re", "name", "nvtx", "stream", "(a+)+$", "[", "(?", "\\",
          "../../etc/passwd", "a" * 3000, "<script>", "'--", "nan", "null")
FIELDS = ("Content-Length: 5", "Content-Length: -1", "Content-Length: 99999999999999999999", "Content-Length: 0", "Content-Length: 3, 3",
          "Content-Length: 5\r\nContent-Length: 6", "Transfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 4",
          "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: \x0bchunked", "Expect: 100-continue", "Expect: 999", "Range: bytes=0-9",
          "Range: bytes=5-1,-9", "If-None-Match: *", "If-Modified-Since: x", "Upgrade: websocket\r\nConnection: Upgrade",
          "Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAAA", "Connection: close", "Connection: keep-alive, close, x",
          "Accept-Encoding: gzip", "Accept-Encoding: gzip;q=0, *;q=", "Cookie: a=b; c", "Cookie: " + "x=y;" * 500, "X-Forwarded-Host: evil.example",
          "Forwarded: host=evil.example", "Authorization: Digest x=" + "\"" * 50, "Authorization: Basic ////", "Content-Type: multipart/form-data; boundary=",
          "no colon at all", "X: " + "x" * 9000, "X: " + "x" * 70000, "\r\n".join("X%d: y" % i for i in range(1200)), "X: \x00\x01\x02", "X\x00Y: z",
          "X : blank before the colon", "X: a\rb", "X: a\nY: b", "X: \u00e9\U0001f4a5", "Origin: http://127.0.0.1:PORT")
# The library takes a line without a name for the end of the fields, and adds folded ones to a name: such a request says
# something else of its host and origin than it seems to. No browser sends them; others may say what they like anyway.
MISREAD = (": no name", "X: a\r\n folded", " begins with a blank: 1")
METHODS = ("GET",) * 12 + ("HEAD", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PATCH", "get", "G", "", "GET\x00", "X" * 5000, "\u00e9", "PRI")
VERSIONS = ("HTTP/1.1",) * 12 + ("HTTP/1.0", "HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "HTTP/1.9", "HTTP/9.9", "HTTP/1.1x", "http/1.1", "HTTP/", "", "HTTP/1.1 HTTP/1.1", "HTTP/99999999999.1")
BODIES = ("", "hello", "5\r\nhello\r\n0\r\n\r\n", "ffffffffffffffffff\r\nx", "-1\r\nx\r\n", "5;ext=\"\r\nhello\r\n0\r\nTrailer: x\r\n\r\n", "0\r\n\r\n", "zz\r\n", "\x00" * 300, "a=b&c=d" * 900)
OTHER_HOSTS = ("evil.example", "evil.example:PORT", "127.0.0.1", "127.0.0.1:1", "127.0.0.1:PORT0", "127.0.0.2:PORT", "localhost.evil.example:PORT", "[::2]:PORT",
               "0.0.0.0:PORT", "", "127.0.0.1:PORT,evil.example", "127.0.0.1:PORT evil.example", "user@127.0.0.1:PORT", "http://127.0.0.1:PORT", "127.0.0.1:0PORT",
               "127.0.0.1.:PORT", "2130706433:PORT", "0x7f.1:PORT", "127.1:PORT", "localhost:PORT/", "localhost:PORT\u00e9")
OTHER_ORIGINS = ("null", "", "http://evil.example", "https://ui.perfetto.dev", "http://127.0.0.1", "http://127.0.0.1:1", "http://127.0.0.1:PORT.evil.example",
                 "ftp://127.0.0.1:PORT", "127.0.0.1:PORT", "http://127.0.0.1:PORT http://evil.example", "file://", "HTTP://127.0.0.1:PORT@evil.example", "x" * 4000)
OTHER_TOKENS = (TOKEN[:-1], TOKEN + "0", TOKEN.upper(), TOKEN[::-1], "0" * 32, "", "%30" + TOKEN[1:], TOKEN[:16] + "/" + TOKEN[16:], TOKEN[:31] + "\x00", "..", TOKEN[1:] + TOKEN[0],
                "\u00e9" * 16, "*", "?" + TOKEN, "#" + TOKEN, TOKEN[:-1] + "g")


class Trouble(AssertionError):
    pass


class Fuzzer:
    def __init__(self, port, seed):
        self.port = port
        self.random = random.Random(seed)
        self.statuses = collections.Counter()

    def some(self, chance):
        return self.random.random() < chance

    def pick(self, texts):
        return self.random.choice(texts).replace("PORT", str(self.port))

    # ---- A request ----

    def route(self):
        route = self.pick(ROUTES)
        path, mark, query = route.partition("?")
        parameters = query.split("&") if query else []
        for _ in range(self.random.choice((0, 0, 0, 0, 1, 1, 2, 3))):
            what, at = self.random.random(), self.random.randrange(len(parameters) + 1)
            if what < 0.6 and at < len(parameters):
                parameters[at] = parameters[at].partition("=")[0] + "=" + self.pick(VALUES)
            elif what < 0.75:
                parameters.insert(at, self.pick(("a", "b", "w", "rows", "q", "trace", "zz", "A", "", "a" * 300)) + "=" + self.pick(VALUES))
            elif what < 0.9 and parameters:
                del parameters[at % len(parameters)]
            else:
                parameters.insert(at, self.pick(VALUES))
        if self.some(0.03):
            parameters += ["a=1"] * 900
        if self.some(0.1):
            path = self.pick((path + "/", "../" + path, "./" + path, path + "%00", path + ";x", "%6d" + path, path + "/../meta", "//" + path, path + "\\..", path.upper(),
                              path + "\x00", "..%2f..%2fetc%2fpasswd", path + "#x", path + "\u00e9", "x" * 9000, "export/perfetto/" + self.pick(VALUES) + "/0.pftrace"))
        return path + ("?" if mark or parameters else "") + "&".join(parameters)

    def request(self, kind):
        token = self.pick(OTHER_TOKENS) if kind == NO_TOKEN else TOKEN
        target = "/t/%s/%s" % (token, self.route())
        if self.some(0.05) and kind != NO_TOKEN:
            target = self.pick(("http://127.0.0.1:PORT" + target, "http://evil.example" + target, "//evil.example" + target, "*", target[1:], "/." + target, "\t" + target,
                                "127.0.0.1:PORT", "?" + target, target + " x"))
        fields = ["Host: " + self.pick(("127.0.0.1:PORT", "localhost:PORT", "[::1]:PORT"))]
        if kind == NO_HOST:
            fields = self.bad_host()
        if kind == NO_ORIGIN:
            fields.append("Origin: " + self.pick(OTHER_ORIGINS))
        if kind == FAIR and self.some(0.6):
            return "\r\n".join(["GET %s HTTP/1.1" % target, *fields, "", ""]).encode()
        for _ in range(self.random.choice((0, 0, 1, 1, 2, 4))):
            more = FIELDS + MISREAD if kind in (FAIR, NO_TOKEN) else FIELDS
            fields.insert(self.random.randrange(len(fields) + 1), self.pick(more))
        end = "\r\n" if self.some(0.97) else self.pick(("\n", "\r", "\r\r\n"))
        head = "%s %s %s" % (self.pick(METHODS), target, self.pick(VERSIONS))
        text = end.join([head, *fields, "", ""]) + (self.pick(BODIES) if self.some(0.15) else "")
        return text.encode()

    def bad_host(self):
        right = "Host: 127.0.0.1:%d" % self.port
        what = self.random.random()
        if what < 0.1:
            return []
        if what < 0.2:
            return [right, right]
        if what < 0.3:
            return [right, "Host: evil.example"]
        return ["Host: " + self.pick(OTHER_HOSTS)]

    def damage(self, data):
        """Bytes changed, doubled and taken away."""
        data = bytearray(data)
        for _ in range(self.random.choice((1, 1, 2, 8))):
            at, n = self.random.randrange(len(data) + 1), self.random.choice((1, 1, 2, 30))
            what = self.random.randrange(4)
            if what == 0:
                del data[at:at + n]
            elif what == 1:
                data[at:at] = self.random.randbytes(n)
            elif what == 2:
                data[at:at] = data[at:at + n]
            elif at < len(data):
                data[at] ^= 1 << self.random.randrange(8)
        return bytes(data)

    # ---- A connection ----

    def make(self, kind):
        n = self.random.choice((1, 1, 1, 1, 2, 3, 4))
        data = b"".join(self.request(kind) for _ in range(n))
        if kind in (FAIR, NO_TOKEN) and self.some(0.25):
            data = self.damage(data)
            if kind == NO_TOKEN and TOKEN.encode() in data:
                return self.make(kind)
        return n, data

    def send(self, s, data):
        """False where the end is not to be waited for."""
        how = self.random.random()
        if how < 0.15:
            cuts = sorted(self.random.randrange(len(data) + 1) for _ in range(3))
            for a, b in zip([0, *cuts], [*cuts, len(data)]):
                s.sendall(data[a:b])
        elif how < 0.25:
            s.sendall(data[:self.random.randrange(len(data) + 1)])
            if self.some(0.5):
                s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return False
        else:
            s.sendall(data)
        if how > 0.95:
            return False
        if how > 0.85:
            s.settimeout(0.05)  # the server waits for more, and the client for an answer
            return True
        s.settimeout(PATIENCE)
        s.shutdown(socket.SHUT_WR)
        return True

    def converse(self, data):
        got = b""
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=20) as s:
                if not self.send(s, data):
                    return got
                while True:
                    part = s.recv(1 << 16)
                    if not part:
                        break
                    got += part
        except OSError:  # late, or refused in the middle
            pass
        return got

    def check(self, kind, data, got):
        statuses = [int(x) for x in re.findall(rb"HTTP/1\.[01] (\d{3}) ", got)]
        self.statuses.update((kind, status) for status in statuses)
        wrong = set(statuses) - KNOWN
        if kind != FAIR:
            wrong |= set(statuses) & GIVES
            if b'"rows"' in got or TOKEN.encode() in got or b'<meta name="source"' in got or b"Access-Control-Allow" in got:
                wrong.add("data")
        if b"root:x:0" in got:
            wrong.add("a file")
        if wrong:
            raise Trouble("%s: %s after %r" % (kind, wrong, data[:2000]))

    def run(self, requests):
        while requests > 0:
            kind = self.random.choice((FAIR, FAIR, FAIR, NO_TOKEN, NO_HOST, NO_ORIGIN))
            n, data = self.make(kind)
            self.check(kind, data, self.converse(data))
            requests -= n


def run(port, requests, seed, threads=8):
    """Send so many; how often each status came, by kind of connection. Raises what went wrong."""
    fuzzers = [Fuzzer(port, "%s %d" % (seed, i)) for i in range(threads)]
    failures = []

    def work(fuzzer):
        try:
            fuzzer.run(requests // threads)
        except Exception as problem:  # told by the thread that started this one
            failures.append(problem)

    workers = [threading.Thread(target=work, args=(f,)) for f in fuzzers]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if failures:
        raise failures[0]
    return sum((f.statuses for f in fuzzers), collections.Counter())
