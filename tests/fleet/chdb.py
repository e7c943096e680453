# SPDX-License-Identifier: MIT
"""ClickHouse 26.7 for the modern dialect: the library chDB behind the HTTP interface that the program speaks.

The library is unpacked from npm below build/chdb, once (566 MB); WARPLENS_CHDB_DIR names another place. This file is also
the program that serves: chdb.py PORT DIRECTORY."""
import contextlib
import ctypes
import http.server
import os
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

import clickhouse

PACKAGE = "@chdb/lib-linux-x64-gnu@26.7.3-stable.1"
TREE = os.environ.get("WARPLENS_CHDB_DIR") or os.path.join(clickhouse.ROOT, "build", "chdb")
LIBRARY = os.path.join(TREE, "package", "libchdb.so")


def skip_without():
    if not os.path.exists(LIBRARY) and os.environ.get("WARPLENS_FETCH"):
        os.makedirs(TREE, exist_ok=True)
        subprocess.run("npm pack --silent %s && tar xzf *.tgz && rm -f *.tgz" % PACKAGE, shell=True, cwd=TREE,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    if not os.path.exists(LIBRARY):
        print("skipped: no chDB at", TREE, "(npm pack %s)" % PACKAGE)
        sys.exit(77)


class Engine:
    """Statements in this process."""

    def __init__(self, directory):
        lib = self.lib = ctypes.CDLL(LIBRARY)
        for name, result, arguments in (
                ("chdb_connect", ctypes.POINTER(ctypes.c_void_p), [ctypes.c_int, ctypes.POINTER(ctypes.c_char_p)]),
                ("chdb_query", ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p]),
                ("chdb_result_buffer", ctypes.c_void_p, [ctypes.c_void_p]),
                ("chdb_result_length", ctypes.c_size_t, [ctypes.c_void_p]),
                ("chdb_result_error", ctypes.c_char_p, [ctypes.c_void_p]),
                ("chdb_destroy_query_result", None, [ctypes.c_void_p])):
            function = getattr(lib, name)
            function.restype, function.argtypes = result, arguments
        arguments = [b"clickhouse", b"--path=" + directory.encode()]
        self.connection = lib.chdb_connect(len(arguments), (ctypes.c_char_p * len(arguments))(*arguments))
        self.directory = directory

    def query(self, statement):
        """(answer, None) or (None, what is wrong)."""
        result = self.lib.chdb_query(self.connection[0], statement.encode(), b"TabSeparated")
        try:
            error = self.lib.chdb_result_error(result)
            if error:
                return None, error
            n = self.lib.chdb_result_length(result)
            return (ctypes.string_at(self.lib.chdb_result_buffer(result), n) if n else b""), None
        finally:
            self.lib.chdb_destroy_query_result(result)

    def insert(self, statement, rows, settings):
        """Rows come from a file, whose columns are those of the table."""
        head, form = statement.rsplit(" FORMAT ", 1)
        target, columns = head[len("INSERT INTO "):].split(" (", 1)
        database, table = target.split(".")
        answer, error = self.query("SELECT name, type FROM system.columns WHERE database = '%s' AND table = '%s'"
                                   % (database, table))
        if error:
            return answer, error
        types = dict(line.replace("\\'", "'").split("\t") for line in answer.decode().splitlines())
        names = [name.strip(" `") for name in columns.rstrip(")").split(",")]
        structure = ", ".join("`%s` %s" % (name, types[name]) for name in names).replace("'", "\\'")
        path = os.path.join(self.directory, "rows")
        with open(path, "wb") as f:
            f.write(rows)
        with_settings = " SETTINGS " + ", ".join("%s = '%s'" % s for s in settings.items()) if settings else ""
        return self.query("%s%s SELECT * FROM file('%s', '%s', '%s')" % (head, with_settings, path, form, structure))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        settings = dict(urllib.parse.parse_qsl(urllib.parse.urlparse(self.path).query))
        statement = settings.pop("query", None)
        settings.pop("wait_end_of_query", None)
        if statement:
            answer, error = self.server.engine.insert(statement, body, settings)
        else:
            answer, error = self.server.engine.query(body.decode())
        said = error if error else answer
        self.send_response(500 if error else 200)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    do_GET = do_POST


class Server(clickhouse.Server):
    """Asked as the other one is."""

    def __init__(self, port):  # pylint: disable=super-init-not-called
        self.http, self.process = port, None


@contextlib.contextmanager
def server():
    skip_without()
    (port,) = clickhouse.free_ports(1)
    with tempfile.TemporaryDirectory(prefix="wl-chdb-") as directory:
        process = subprocess.Popen([sys.executable, "-B", os.path.abspath(__file__), str(port), directory],
                                   env=dict(os.environ, ASAN_OPTIONS="", LD_PRELOAD=""))
        try:
            one = Server(port)
            one.process = process
            until = time.monotonic() + 120
            while True:
                try:
                    one.ask("SELECT 1")
                    break
                except OSError:
                    if time.monotonic() > until or process.poll() is not None:
                        raise
                    time.sleep(0.1)
            yield one
        finally:
            process.kill()
            process.wait()


def main():
    listening = http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
    listening.engine = Engine(sys.argv[2])
    listening.serve_forever()


if __name__ == "__main__":
    main()
