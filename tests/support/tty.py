#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tty.py [OPTIONS] COMMAND... - run a command on a terminal and print what the terminal got.

  --on out,err   which of stdout and stderr are the terminal (default both); the others are inherited
  --size 24x80   rows and columns
  --freeze FILE  once the command has FILE open, stop it for a second and a bit
  --keys TEXT    type this once something has been printed; \\x03 is Ctrl-C
The exit status is that of the command, 128 + n for signal n.
"""
import argparse
import fcntl
import os
import select
import signal
import struct
import sys
import termios
import time

LONG_ENOUGH = 1.3  # seconds; a bar is drawn for what takes longer than one
DEADLINE = 90


def has_open(pid, path):
    try:
        return any(os.path.realpath("/proc/%d/fd/%s" % (pid, fd)) == path for fd in os.listdir("/proc/%d/fd" % pid))
    except OSError:
        return False


def freeze(pid, path):
    """False when the command ended before it could be seen with the file open."""
    end = time.time() + DEADLINE
    while not has_open(pid, path):
        if time.time() > end or os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            return False
        time.sleep(0.002)
    os.kill(pid, signal.SIGSTOP)
    time.sleep(LONG_ENOUGH)
    os.kill(pid, signal.SIGCONT)
    return True


def start(args, master, slave):
    pid = os.fork()
    if pid:
        os.close(slave)
        return pid
    os.close(master)
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    os.dup2(slave, 0)
    for name, fd in (("out", 1), ("err", 2)):
        if name in args.on.split(","):
            os.dup2(slave, fd)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    os.environ.setdefault("TERM", "xterm")  # it is one, whatever this was started from
    try:
        os.execvp(args.command[0], args.command)
    except OSError as e:
        os.write(2, str(e).encode())
    os._exit(127)


def collect(master, keys):
    got, end = b"", time.time() + DEADLINE
    while time.time() < end:
        if not select.select([master], [], [], 0.2)[0]:
            continue
        try:
            part = os.read(master, 65536)
        except OSError:  # the last process that had it open is gone
            break
        got += part
        if part and keys:
            os.write(master, keys)
            keys = b""
        if not part:
            break
    return got


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--on", default="out,err")
    p.add_argument("--size", default="24x80")
    p.add_argument("--freeze")
    p.add_argument("--keys", default="")
    p.add_argument("command", nargs=argparse.REMAINDER)
    args = p.parse_args()
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", *map(int, args.size.split("x")), 0, 0))
    mode = termios.tcgetattr(slave)
    mode[1] &= ~termios.OPOST  # no carriage returns of the terminal's own
    termios.tcsetattr(slave, termios.TCSANOW, mode)
    pid = start(args, master, slave)
    if args.freeze and not freeze(pid, os.path.realpath(args.freeze)):
        sys.stderr.write("tty.py: too fast to be frozen\n")
    got = collect(master, args.keys.encode().decode("unicode_escape").encode("latin-1"))
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    sys.stdout.buffer.write(got)
    sys.exit(status if status >= 0 else 128 - status)


if __name__ == "__main__":
    main()
