#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""stop_times.py - the longest time from a request to stop until work has stopped, by verb and way.

stop_times.py WARPLENS TRACE MOST: status 1 where one takes longer than MOST seconds.
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import growth

STEP = 0.1  # between the moments at which a question is stopped


def whole(command):
    began = time.monotonic()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return time.monotonic() - began


def moments(length):
    return [STEP * i for i in range(1, int(length / STEP))]


def sql(program, trace, verb):
    """At the time limit of a query."""
    command = [program, "sql", trace, f"SELECT count(*) FROM {verb}"]
    worst = 0
    for at in moments(whole(command)):
        began = time.monotonic()
        done = subprocess.run(command + ["--timeout", f"{at * 1000:.0f}ms"], capture_output=True, check=False)
        if done.returncode == 6:
            worst = max(worst, time.monotonic() - began - at)
    return worst


def cpu_of(pid):
    """CPU seconds of a process."""
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def interrupted(command, at):
    """Seconds from Ctrl-C until the end: on the clock, or of CPU where others keep the machine busy; None if it was over."""
    p = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                         preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))  # ignored in the background
    until = time.monotonic() + 60
    while p.poll() is None and cpu_of(p.pid) < at and time.monotonic() < until:
        time.sleep(0.005)
    if p.poll() is not None:
        return None
    before, began = cpu_of(p.pid), time.monotonic()
    p.send_signal(signal.SIGINT)
    _, status, used = os.wait4(p.pid, 0)
    p.returncode = status
    return min(time.monotonic() - began, used.ru_utime + used.ru_stime - before) if status else None


def signalled(command, most=8):
    """At Ctrl-C, at moments spread over the CPU time of the command."""
    before = os.times()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    after = os.times()
    length = after.children_user + after.children_system - before.children_user - before.children_system
    times = [interrupted(command, length * (i + 0.5) / most) for i in range(most)]
    return max((t for t in times if t is not None), default=0), length


class Server:
    def __init__(self, program):
        self.p = subprocess.Popen([program, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True)
        self.n = 0
        self.call("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                 "clientInfo": {"name": "stop_times", "version": "1"}})

    def send(self, method, params, number=None):
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if number is not None:
            message["id"] = number
        self.p.stdin.write(json.dumps(message) + "\n")
        self.p.stdin.flush()

    def begin(self, method, params):
        self.n += 1
        self.send(method, params, self.n)

    def call(self, method, params):
        self.begin(method, params)
        while True:
            answer = json.loads(self.p.stdout.readline())
            if answer.get("id") == self.n:
                return answer

    def close(self):
        self.p.stdin.close()
        self.p.wait()


def cancelled(program, trace, verb):
    """At notifications/cancelled: a call of the same trace waits for the one before it."""
    ask = {"name": "analyze", "arguments": {"trace": trace, "verb": verb}}
    server = Server(program)
    began = time.monotonic()
    server.call("tools/call", ask)
    length = time.monotonic() - began
    server.close()
    worst = 0
    for at in moments(length):
        server = Server(program)
        server.begin("tools/call", ask)
        time.sleep(at)
        began = time.monotonic()
        server.send("notifications/cancelled", {"requestId": server.n})
        server.call("tools/call", {"name": "analyze", "arguments": {"trace": trace, "verb": "nosuch"}})
        server.p.stdin.close()
        server.p.wait()
        worst = max(worst, time.monotonic() - began)
    return worst


def main():
    program, trace, most = sys.argv[1], sys.argv[2], float(sys.argv[3])
    only = os.environ.get("STOP_VERBS", "").split(",") if os.environ.get("STOP_VERBS") else None
    is_late = False
    with tempfile.TemporaryDirectory() as place:
        for name, command in growth.commands(program, trace, os.path.join(place, "out")):
            if name == "serve" or (only and name not in only):
                continue
            late, length = signalled(command)
            subprocess.run(["rm", "-rf", trace + ".wlidx"], check=True)  # the next one reads the trace
            is_late |= late > most
            print(f"{name}: Ctrl-C {late:.3f} s of {length:.1f} s{'  LATE' if late > most else ''}", flush=True)
    for verb in () if only else ("findings", "path", "whatif", "kernels", "nccl"):
        times = [way(program, trace, verb) for way in (sql, cancelled)]
        is_late |= max(times) > most
        print(f"{verb}: SQL {times[0]:.3f} s, MCP {times[1]:.3f} s", flush=True)
    sys.exit(is_late)


if __name__ == "__main__":
    main()
