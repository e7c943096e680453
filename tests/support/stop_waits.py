#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""stop_waits.py - seconds from Ctrl-C until a command has ended that waits for others, serves others or reads a trace.

stop_waits.py WARPLENS TRACE MOST: status 1 where one takes longer than MOST seconds: ask with a slow model, fleet with a
slow database, sql with statements that take long, mcp and serve in the midst of a trace, screens while they read it.
"""
import fcntl
import functools
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import threading
import time
import urllib.parse
import urllib.request

sys.dont_write_bytecode = True
import stop_times

HERE = os.path.dirname(os.path.abspath(__file__))
TRIES = 3  # of those that are late: another program may have had the machine
PAUSE = 0.05  # between the pieces of a reply that trickles
EVENTS = "CUPTI_ACTIVITY_KIND_KERNEL"
LONG = {
    "count": "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c",
    "pairs": f"SELECT count(*) FROM {EVENTS} a, {EVENTS} b WHERE a.start + b.start = 1",
    "order": f"SELECT start FROM {EVENTS} ORDER BY shortName || start, end DESC",
    "group": f"SELECT shortName || start AS n, count(*) FROM {EVENTS} GROUP BY n",
    "join": f"SELECT count(*) FROM {EVENTS} a JOIN {EVENTS} b ON a.start || 'x' = b.end || 'x'",
    "texts": f"SELECT length(group_concat(shortName || start || end)) FROM {EVENTS}",
    "verbs": "SELECT count(*) FROM path UNION ALL SELECT count(*) FROM whatif UNION ALL SELECT count(*) FROM findings",
}


class Slow:
    """A server that takes connections and answers nothing, only a head, or a body that trickles."""

    def __init__(self, way):
        self.way, self.held = way, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = "http://127.0.0.1:%d" % self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            peer, _ = self.listener.accept()
            self.held.append(peer)
            threading.Thread(target=self.answer, args=(peer,), daemon=True).start()

    def answer(self, peer):
        try:
            peer.recv(65536)
            if self.way != "silent":
                peer.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 9999999\r\n\r\n")
            while self.way == "trickle":
                peer.sendall(b": \n")
                time.sleep(PAUSE)
        except OSError:
            pass


class Unanswered:
    """A port whose queue is full: to connect takes as long as the client lets it."""

    def __init__(self):
        self.listener = socket.socket()
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(0)
        port = self.listener.getsockname()[1]
        self.url = "http://127.0.0.1:%d" % port
        self.held = [socket.socket() for _ in range(4)]
        for s in self.held:
            s.setblocking(False)
            s.connect_ex(("127.0.0.1", port))


def start(command, **how):
    how = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **how}
    return subprocess.Popen(command, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), **how)


def until_end(p, before, began, is_busy=True):
    """Seconds until p has ended since then, when it had used that much CPU: of CPU where p computes and others do, too."""
    killer = threading.Timer(10, p.kill)
    killer.start()
    _, p.returncode, used = os.wait4(p.pid, 0)
    killer.cancel()
    late = time.monotonic() - began
    return min(late, used.ru_utime + used.ru_stime - before) if is_busy and late < 10 else late


def ctrl_c(p, at, is_busy=True):
    """Seconds that p goes on after SIGINT at that time; None where it had ended."""
    try:
        p.wait(at)
        return None
    except subprocess.TimeoutExpired:
        before, began = stop_times.cpu_of(p.pid), time.monotonic()
        p.send_signal(signal.SIGINT)
        return until_end(p, before, began, is_busy)


def plain(command, at):
    return ctrl_c(start(command), at)


def waiting(command, at):
    return ctrl_c(start(command), at, False)


def own_terminal():
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def typed(command, at):
    """Ctrl-C as a key of a terminal."""
    ours, theirs = os.openpty()
    p = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, preexec_fn=own_terminal,
                         env={**os.environ, "TERM": "xterm"})
    os.close(theirs)
    threading.Thread(target=drain, args=(ours,), daemon=True).start()
    time.sleep(at)
    before, began = stop_times.cpu_of(p.pid), time.monotonic()
    os.write(ours, b"\x03")
    return until_end(p, before, began)


def drain(fd):
    try:
        while os.read(fd, 65536):
            pass
    except OSError:
        pass


def call(trace, verb):
    """What is asked of a tool: a verb, or a statement that sorts."""
    if verb == "sql":
        return {"name": "sql", "arguments": {"trace": trace, "query": LONG["order"]}}
    return {"name": "analyze", "arguments": {"trace": trace, "verb": verb}}


def mcp_signal(program, trace, verb, at):
    server = stop_times.Server(program)
    server.begin("tools/call", call(trace, verb))
    return ctrl_c(server.p, at)


def mcp_http(program, trace, verb, at):
    p = start([program, "mcp", "--http", "0"], stdout=subprocess.PIPE)
    url = p.stdout.readline().decode().split()[-1]
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call(trace, verb)}
    head = {"content-type": "application/json", "accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}
    ask = urllib.request.Request(url, json.dumps(body).encode(), head)
    threading.Thread(target=lambda: ignore(urllib.request.urlopen, ask, timeout=20), daemon=True).start()
    return ctrl_c(p, at)


def serve_asked(program, trace, path, at):
    """A server that reads, then answers a question that takes long."""
    p = start([program, "serve", trace, "--port", "0"], stdout=subprocess.PIPE)
    base = p.stdout.readline().decode().strip()
    until = time.monotonic() + 60
    while json.load(urllib.request.urlopen(base + "progress", timeout=20))["stage"] != "ready" and time.monotonic() < until:
        time.sleep(0.05)
    threading.Thread(target=lambda: ignore(urllib.request.urlopen, base + path, timeout=20), daemon=True).start()
    return ctrl_c(p, at)


def ignore(what, *args, **how):
    try:
        what(*args, **how)
    except OSError:
        pass


def ways(program, trace, place):
    """Name, function of a moment, and moments."""
    short, spread = (0.6, 1.1), (0.3, 0.7, 1.1, 1.6, 2.2)
    servers = {"silent": Slow("silent").url, "head": Slow("head").url, "trickle": Slow("trickle").url}
    full = Unanswered()
    servers["unanswered"] = full.url
    for kind, url in servers.items():
        for shape in "openai", "anthropic":
            command = [program, "ask", trace, "why is it slow?", "--llm", url, "--shape", shape]
            yield f"ask, {shape}, {kind} server", functools.partial(waiting, command), short
    for name, turns in MODELS.items():
        with open(os.path.join(place, name + ".json"), "w", encoding="ascii") as script:
            json.dump(turns, script)
    model = subprocess.Popen([sys.executable, "-B", os.path.join(HERE, "llm", "fake_llm.py"), place], stdout=subprocess.PIPE)
    url = "http://127.0.0.1:" + model.stdout.readline().decode().strip()
    for name in MODELS:
        command = [program, "ask", trace, "why is it slow?", "--llm", f"{url}/{name}", "--shape", "openai"]
        yield f"ask, {name}", functools.partial(plain, command), spread
    model.kill()
    facts = os.path.join(place, "facts")
    subprocess.run([program, "demo", "-o", os.path.join(place, "demo.sqlite")], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([program, "facts", os.path.join(place, "demo.sqlite"), "-o", facts], check=True, stdout=subprocess.DEVNULL)
    words = {"init": [], "push": [facts], "list": [], "show": ["abc"], "regressions": [], "gate": [],
             "report": [], "watch": [facts]}
    for kind, url in servers.items():
        for word, rest in words.items():
            yield f"fleet {word}, {kind} server", functools.partial(waiting, [program, "fleet", word, *rest, "--server", url]), short
    empty = os.path.join(place, "empty")
    os.mkdir(empty)
    yield "fleet watch, nothing new", functools.partial(waiting, [program, "fleet", "watch", empty, "--server", servers["silent"]]), short
    for name, statement in LONG.items():
        yield f"sql {name}", functools.partial(plain, [program, "sql", trace, statement]), spread
    for verb in "sql", "findings", "path", "whatif":
        yield f"mcp {verb}, SIGINT", functools.partial(mcp_signal, program, trace, verb), spread
        yield f"mcp --http {verb}, SIGINT", functools.partial(mcp_http, program, trace, verb), spread
    yield "serve", functools.partial(plain, [program, "serve", trace, "--port", "0"]), spread
    for path in "table?verb=whatif", "table?verb=findings", "sql?q=" + urllib.parse.quote(LONG["order"]), "export?fmt=json":
        yield f"serve {path[:19]}", functools.partial(serve_asked, program, trace, path), spread[:4]
    for verb in "timeline", "tui":
        yield f"{verb}, key", functools.partial(typed, [program, verb, trace]), (0.1, 0.3, *spread, 4)


MODELS = {
    "thinking-model": [{"wait": 30, "text": "x"}],
    "busy-model": [{"status": 429, "headers": {"retry-after": "30"}}],
    "failing-model": [{"status": 503}],
    "model-that-calls-path": [{"tool": "analyze", "args": {"verb": "path"}}, {"wait": 30, "text": "x"}],
    "model-that-calls-whatif": [{"tool": "analyze", "args": {"verb": "whatif"}, "parallel": 4}],
}


def worst(way, moments, most):
    """The longest time of these moments; None where the command had ended before each."""
    times = []
    for at in moments:
        tries = []
        while len(tries) < TRIES and (not tries or (tries[-1] or 0) > most):
            tries.append(way(at))
        times += [min(t for t in tries if t is not None)] if tries[0] is not None else []
    return max(times, default=None)


def main():
    program, trace, most = sys.argv[1], sys.argv[2], float(sys.argv[3])
    only = os.environ.get("STOP_WAITS", "")
    bad = 0
    with tempfile.TemporaryDirectory() as place:
        for name, way, moments in ways(program, trace, place):
            if not name.startswith(only):
                continue
            late = worst(way, moments, most)
            bad += late is None or late > most
            print(f"{name}: ended before" if late is None else f"{name}: {late:.3f} s{'  LATE' if late > most else ''}", flush=True)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
