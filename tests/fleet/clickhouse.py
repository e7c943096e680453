# SPDX-License-Identifier: MIT
"""Starts the real ClickHouse of Debian (18.16) on this machine: one server, or several as the shards of a cluster.

The package is unpacked below build/clickhouse by tools/get_debs.sh, once; WARPLENS_CLICKHOUSE_DIR names another place.
Servers listen on 127.0.0.1 only, keep everything in a directory of the caller, and end with stop() or kill()."""
import contextlib
import fcntl
import http.server
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TREE = os.environ.get("WARPLENS_CLICKHOUSE_DIR") or os.path.join(ROOT, "build", "clickhouse")
SERVER = os.path.join(TREE, "usr", "sbin", "clickhouse-server")
CLUSTER = "fleet"
USERS = """<yandex>
<profiles><default><max_memory_usage>2000000000</max_memory_usage></default></profiles>
<users>
<default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default>
<writer><password>s3cret word</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile>
<quota>default</quota></writer>
</users>
<quotas><default></default></quotas>
</yandex>"""


class Refused(Exception):
    """What the server says of a statement that failed."""


def get():
    """True when the server is at hand. Several tests ask at the same time, and the first one unpacks it for all."""
    os.makedirs(TREE, exist_ok=True)
    with open(os.path.join(TREE, ".lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(SERVER):
            subprocess.run([os.path.join(ROOT, "tools", "get_debs.sh"), TREE, "clickhouse-server", "clickhouse-client"],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return os.path.exists(SERVER)


def skip_without():
    if not get():
        print("skipped: no ClickHouse at", TREE, "(tools/get_debs.sh build/clickhouse clickhouse-server)")
        sys.exit(77)


def free_ports(n):
    """Ports that nothing listens on; all are held until all are known, so that they differ."""
    with contextlib.ExitStack() as held:
        ports = []
        for _ in range(n):
            s = held.enter_context(socket.socket())
            s.bind(("127.0.0.1", 0))
            ports.append(s.getsockname()[1])
        return ports


class Server:
    """One instance; its data outlive stop() and kill(), until start()."""

    def __init__(self, directory, http, tcp, between, shards):
        self.directory, self.http, self.process = directory, http, None
        os.makedirs(directory)
        members = "".join("<shard><internal_replication>true</internal_replication><replica><host>127.0.0.1</host><port>%d</port>"
                          "</replica></shard>" % port for port in shards)
        with open(os.path.join(directory, "users.xml"), "w", encoding="utf-8") as f:
            f.write(USERS)
        with open(os.path.join(directory, "config.xml"), "w", encoding="utf-8") as f:
            f.write("""<yandex>
<logger><level>warning</level><log>%(d)s/log</log><errorlog>%(d)s/errors</errorlog></logger>
<http_port>%(http)d</http_port><tcp_port>%(tcp)d</tcp_port><interserver_http_port>%(between)d</interserver_http_port>
<listen_host>127.0.0.1</listen_host><path>%(d)s/data/</path><tmp_path>%(d)s/tmp/</tmp_path>
<users_config>%(d)s/users.xml</users_config><default_profile>default</default_profile>
<default_database>default</default_database><mark_cache_size>100000000</mark_cache_size><timezone>UTC</timezone>
<remote_servers><%(cluster)s>%(members)s</%(cluster)s></remote_servers>
</yandex>""" % {"d": directory, "http": http, "tcp": tcp, "between": between, "members": members, "cluster": CLUSTER})

    @property
    def url(self):
        return "http://127.0.0.1:%d" % self.http

    def start(self):
        libraries = os.path.join(TREE, "usr", "lib", "x86_64-linux-gnu")
        environment = dict(os.environ, LD_LIBRARY_PATH=libraries, TZ="UTC", ASAN_OPTIONS="", LD_PRELOAD="")
        with open(os.path.join(self.directory, "out"), "ab") as out:
            self.process = subprocess.Popen([SERVER, "--config-file=" + os.path.join(self.directory, "config.xml")],
                                            stdout=out, stderr=out, env=environment, cwd=self.directory)
        until = time.monotonic() + 60
        while time.monotonic() < until:
            if self.process.poll() is not None:
                break
            with contextlib.suppress(OSError):
                if urllib.request.urlopen(self.url + "/ping", timeout=2).read() == b"Ok.\n":
                    return
            time.sleep(0.05)
        with open(os.path.join(self.directory, "out"), encoding="utf-8", errors="replace") as f:
            raise RuntimeError("ClickHouse does not start: " + f.read()[-2000:])

    def end(self, how):
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait(60)
        self.process = None

    def stop(self):
        self.end(signal.SIGTERM)

    def kill(self):
        self.end(signal.SIGKILL)

    def cpu_seconds(self):
        """What the process took since it started."""
        with open("/proc/%d/stat" % self.process.pid, encoding="ascii") as f:
            fields = f.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def ask(self, statement, data=b"", **settings):
        """The answer as text. Data are the rows of an INSERT."""
        query = urllib.parse.urlencode(dict(settings, query=statement)) if data else urllib.parse.urlencode(settings)
        body = data or statement.encode()
        try:
            with urllib.request.urlopen(self.url + "/?" + query, body, timeout=60) as reply:
                return reply.read().decode("utf-8", "replace")
        except urllib.error.HTTPError as e:
            raise Refused(e.read().decode("utf-8", "replace")) from None

    def rows(self, statement):
        """The answer as lists of texts."""
        return [line.split("\t") for line in self.ask(statement + " FORMAT TabSeparated").splitlines()]

    def number(self, statement):
        return int(self.ask(statement))


@contextlib.contextmanager
def servers(n=1):
    """That many running servers; from two on they are the shards of the cluster "fleet"."""
    skip_without()
    ports = free_ports(3 * n)
    with tempfile.TemporaryDirectory(prefix="wl-clickhouse-") as directory:
        shards = ports[n:2 * n]
        all_servers = [Server(os.path.join(directory, str(i)), ports[i], ports[n + i], ports[2 * n + i], shards)
                       for i in range(n)]
        try:
            for server in all_servers:
                server.start()
            yield all_servers
        finally:
            for server in all_servers:
                server.kill()


class Front(http.server.ThreadingHTTPServer):
    """Passes requests on to a server and lets a test break them: rule(statement, number) is called for each INSERT, counted
    from 1, and says what happens: None passes it on, "drop" closes the connection before, "forget" after the server has
    answered, "busy" answers that there are too many parts."""
    daemon_threads = True

    def __init__(self, server, rule=None):
        self.server, self.rule, self.n_inserts, self.lock = server, rule, 0, threading.Lock()
        super().__init__(("127.0.0.1", 0), Passing)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return "http://127.0.0.1:%d" % self.server_address[1]

    def __exit__(self, *exc):
        self.shutdown()
        self.server_close()


class Passing(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def reply(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        front = self.server
        body = self.rfile.read(int(self.headers["Content-Length"]))
        query = urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query).get("query", [""])[0]
        what = None
        if query.startswith("INSERT") and front.rule:
            with front.lock:
                front.n_inserts += 1
                what = front.rule(query, front.n_inserts)
        if what == "drop":
            self.close_connection = True
            return
        if what == "busy":
            self.reply(500, b"Code: 252, e.displayText() = DB::Exception: Too many parts (300), e.what() = DB::Exception")
            return
        headers = {k: v for k, v in self.headers.items() if k.lower().startswith("x-clickhouse")}
        request = urllib.request.Request(front.server.url + self.path, body, headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                status, said = answer.status, answer.read()
        except urllib.error.HTTPError as e:
            status, said = e.code, e.read()
        except OSError:
            self.close_connection = True
            return
        if what == "forget":
            self.close_connection = True
            return
        self.reply(status, said)
