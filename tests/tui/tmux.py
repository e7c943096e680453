# SPDX-License-Identifier: MIT
"""tmux.py - programs on a real terminal: keys and mouse in, screen out.

Each server has its own socket in its own directory, so that tests run side by side, and
is ended, with all that runs in it, when the test is over. Nothing waits a fixed time:
what is expected is polled for.
"""
import concurrent.futures
import itertools
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

PATIENCE = float(os.environ.get("WARPLENS_PATIENCE", 20))  # seconds; only a test that fails waits that long
SIDE_BY_SIDE = 4


def tests_of(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from tests_of(test)
        else:
            yield test


def run_one(test):
    result = unittest.TestResult()
    test.run(result)
    return result


def main():
    """Run the tests of the script, several at a time, because they mostly wait. Without tmux they are skipped."""
    if not shutil.which("tmux"):
        print("skipped: no tmux")
        sys.exit(77)
    named = unittest.defaultTestLoader
    script = sys.modules["__main__"]
    suite = named.loadTestsFromNames(sys.argv[1:], script) if sys.argv[1:] else named.loadTestsFromModule(script)
    tests = list(tests_of(suite))
    classes = sorted({type(test) for test in tests}, key=lambda cls: cls.__name__)
    failed = []
    try:
        for cls in classes:
            cls.setUpClass()
        with concurrent.futures.ThreadPoolExecutor(max_workers=SIDE_BY_SIDE) as pool:
            for result in pool.map(run_one, tests):
                failed += result.failures + result.errors
                for test, why in result.skipped:
                    print("skipped: %s: %s" % (test, why))
    finally:
        for cls in classes:
            cls.doClassCleanups()
    for test, why in failed:
        print("FAIL: %s\n%s" % (test, why))
    print("%d tests, %d failed" % (len(tests), len(failed)))
    sys.exit(1 if failed or not tests else 0)


def paint(line):
    """The cells of a line that begins in the state in which tmux leaves the one before: none that matters here."""
    cells, fg, bg, attrs = [], "", "", set()
    for part in re.findall(r"\x1b\[[0-9;]*m|[^\x1b]", line):
        if not part.startswith("\x1b"):
            cells.append((part, fg, bg, frozenset(attrs)))
            continue
        codes = part[2:-1].split(";")
        while codes:
            code = int(codes.pop(0) or 0)
            if code == 0:
                fg, bg, attrs = "", "", set()
            elif code in (38, 48):
                n = 2 if codes[0] == "5" else 4
                colour, codes = ";".join(codes[:n]), codes[n:]
                fg, bg = (colour, bg) if code == 38 else (fg, colour)
            elif code in (39, 49):
                fg, bg = ("", bg) if code == 39 else (fg, "")
            elif 30 <= code < 38 or 90 <= code < 98:
                fg = str(code)
            elif 40 <= code < 48 or 100 <= code < 108:
                bg = str(code)
            else:
                attrs.add(code)
    return cells


class Server:
    def __enter__(self):
        self.dir = tempfile.mkdtemp(prefix="wl-tmux-")
        self.numbers = itertools.count(1)
        with open(self.path("conf"), "w", encoding="utf-8") as f:
            f.write("set -g status off\nset -s escape-time 0\nset -s set-clipboard on\n")
        return self

    def __exit__(self, *_):
        self.run("kill-server", check=False)
        shutil.rmtree(self.dir, ignore_errors=True)  # what was ended may still be writing

    def path(self, name):
        return os.path.join(self.dir, name)

    def run(self, *args, check=True, data=None):
        env = {k: v for k, v in os.environ.items() if k not in ("TMUX", "TERM", "NO_COLOR", "COLORTERM", "COLUMNS", "LINES")}
        env.update(LC_ALL="C.UTF-8", TERM="xterm-256color")
        done = subprocess.run(["tmux", "-u", "-S", self.path("socket"), "-f", self.path("conf"), *args],
                              input=data, capture_output=True, env=env)
        if check and done.returncode:
            raise RuntimeError("tmux %s: %s" % (" ".join(args), done.stderr.decode(errors="replace")))
        return done.stdout.decode()

    def open(self, command, cols=80, rows=24, bare=False, **env):
        """A command, as a list, on a terminal of its own, in the server's folder. env changes its environment; None removes. bare: it is a shell."""
        name = "p%d" % next(self.numbers)
        settings = {"TERM": "tmux-256color", "LC_ALL": "C.UTF-8", "TMUX": None, **env}
        words = ["env"]
        for key, value in settings.items():
            words += ["-u", key] if value is None else []
        words += ["%s=%s" % (k, v) for k, v in settings.items() if v is not None]
        # The shell outlives the command, because tmux may lose what was printed last in a pane that ends.
        words += command if bare else ["sh", "-c", '"$@"; echo "status $?"; exec cat >/dev/null', "sh", *command]
        self.run("new-session", "-d", "-s", name, "-c", self.dir, "-x", str(cols), "-y", str(rows), " ".join(shlex.quote(w) for w in words))
        return Pane(self, name)


def report(code, x, y, released=False):
    return b"\033[<%d;%d;%d%c" % (code, x + 1, y + 1, ord("m" if released else "M"))


class Pane:
    def __init__(self, server, name):
        self.server, self.name = server, name

    def keys(self, *names):
        """Keys as tmux names them."""
        self.server.run("send-keys", "-t", self.name, *names)

    def type(self, text):
        self.server.run("send-keys", "-t", self.name, "-l", "--", text)

    def bytes(self, data):
        """Any bytes, as if the terminal had sent them."""
        self.server.run("load-buffer", "-b", self.name, "-", data=data)
        self.server.run("paste-buffer", "-r", "-d", "-b", self.name, "-t", self.name)

    def mouse(self, code, x, y, released=False):
        """A report of the mouse at a cell from 0, in decimal (SGR)."""
        self.bytes(report(code, x, y, released))

    def click(self, x, y, times=1):
        """With the left button; all at once, because a second click may not come late."""
        self.bytes((report(0, x, y) + report(0, x, y, True)) * times)

    def resize(self, cols, rows):
        self.server.run("resize-window", "-t", self.name, "-x", str(cols), "-y", str(rows))

    def text(self):
        return self.server.run("capture-pane", "-p", "-t", self.name)

    def history(self):
        """What was printed, also what has left the screen, in the lines in which it was printed."""
        return self.server.run("capture-pane", "-p", "-J", "-S", "-", "-t", self.name)

    def ansi(self):
        return self.server.run("capture-pane", "-pe", "-t", self.name)

    def cells(self):
        """Lines of cells (character, foreground, background, attributes); colours as in SGR, "" for none."""
        return [paint(line) for line in self.ansi().split("\n")]

    def get(self, fmt):
        return self.server.run("display-message", "-p", "-t", self.name, fmt).strip()

    def status(self):
        """The exit status of the command, once it has ended; 128 + n for signal n."""
        return int(self.wait(lambda: re.search(r"^status (\d+)$", self.history(), re.M), "the end").group(1))

    def wait(self, happened, what):
        """Poll until happened() is true, and return what it returned."""
        end = time.monotonic() + PATIENCE
        while True:
            result = happened()
            if result:
                return result
            if time.monotonic() > end:
                raise AssertionError("waited in vain for %s; the screen is\n%s" % (what, self.text()))
            time.sleep(0.01)

    def wait_for(self, pattern):
        """Poll until the screen has this regular expression; returns the text of the screen."""
        def look():
            text = self.text()
            return text if re.search(pattern, text, re.M) else None
        return self.wait(look, repr(pattern))


class Shell(Pane):
    """An interactive shell with job control, in which programs are started, stopped and continued."""

    def __init__(self, server, cols=80, rows=24, **env):
        pane = server.open(["bash", "--norc", "--noprofile", "-i"], cols, rows, bare=True, PS1="ready$ ", HISTFILE=None, **env)
        super().__init__(server, pane.name)
        self.n_told = 0
        self.wait_for(r"ready\$")

    def enter(self, line):
        self.type(line)
        self.keys("Enter")

    def tell(self, command):
        """What a command prints; the screen is not looked at."""
        self.n_told += 1
        path = self.server.path("%s.%d" % (self.name, self.n_told))
        self.enter("{ %s; } >%s.part 2>&1; mv %s.part %s" % (command, path, path, path))
        self.wait(lambda: os.path.exists(path), command)
        with open(path, encoding="utf-8", errors="replace") as f:
            return f.read()

    def modes(self):
        """Everything that a program may have left behind. The shell itself shows the cursor."""
        return (self.tell("stty -a"), self.get("#{cursor_flag} #{alternate_on} #{mouse_any_flag} #{mouse_sgr_flag} "
                                               "#{keypad_flag} #{origin_flag} #{wrap_flag}"))
