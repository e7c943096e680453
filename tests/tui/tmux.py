"""tmux.py - programs on a real terminal: keys and mouse in, screen out.

Each server has its own socket in its own directory, so that tests run side by side, and
is ended, with all that runs in it, when the test is over. Nothing waits a fixed time:
what is expected is polled for.
"""
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

PATIENCE = float(os.environ.get("WARPLENS_PATIENCE", 20))  # seconds; only a test that fails waits that long


def need():
    """Skip the whole test where there is no tmux."""
    if not shutil.which("tmux"):
        print("skipped: no tmux")
        sys.exit(77)


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
        self.dir = tempfile.TemporaryDirectory(prefix="wl-tmux-")
        self.n_panes = 0
        return self

    def __exit__(self, *_):
        self.run("kill-server", check=False)
        self.dir.cleanup()

    def path(self, name):
        return os.path.join(self.dir.name, name)

    def run(self, *args, check=True, data=None):
        env = {k: v for k, v in os.environ.items() if k not in ("TMUX", "TERM", "NO_COLOR", "COLORTERM", "COLUMNS", "LINES")}
        env.update(LC_ALL="C.UTF-8", TERM="xterm-256color")
        done = subprocess.run(["tmux", "-u", "-S", self.path("socket"), "-f", "/dev/null", *args],
                              input=data, capture_output=True, env=env)
        if check and done.returncode:
            raise RuntimeError("tmux %s: %s" % (" ".join(args), done.stderr.decode(errors="replace")))
        return done.stdout.decode()

    def open(self, command, cols=80, rows=24, **env):
        """A command, as a list, on a terminal of its own. env changes its environment; None removes."""
        self.n_panes += 1
        name = "p%d" % self.n_panes
        settings = {"TERM": "tmux-256color", "LC_ALL": "C.UTF-8", "TMUX": None, **env}
        words = ["env"]
        for key, value in settings.items():
            words += ["-u", key] if value is None else []
        words += ["%s=%s" % (k, v) for k, v in settings.items() if v is not None]
        self.run("new-session", "-d", "-s", name, "-x", str(cols), "-y", str(rows),
                 " ".join(shlex.quote(w) for w in [*words, *command]))
        self.run("set-option", "-t", name, "status", "off", ";", "set-option", "-w", "-t", name, "remain-on-exit", "on",
                 ";", "set-option", "-s", "set-clipboard", "on", ";", "set-option", "-s", "escape-time", "0")
        self.run("resize-window", "-t", name, "-x", str(cols), "-y", str(rows))
        return Pane(self, name)


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
        self.bytes(b"\033[<%d;%d;%d%c" % (code, x + 1, y + 1, ord("m" if released else "M")))

    def resize(self, cols, rows):
        self.server.run("resize-window", "-t", self.name, "-x", str(cols), "-y", str(rows))

    def text(self):
        return self.server.run("capture-pane", "-p", "-t", self.name)

    def ansi(self):
        return self.server.run("capture-pane", "-pe", "-t", self.name)

    def cells(self):
        """Lines of cells (character, foreground, background, attributes); colours as in SGR, "" for none."""
        return [paint(line) for line in self.ansi().split("\n")]

    def get(self, fmt):
        return self.server.run("display-message", "-p", "-t", self.name, fmt).strip()

    def is_over(self):
        return self.get("#{pane_dead}") == "1"

    def status(self):
        """How the command of the pane ended: "0" or "signal 11"."""
        self.wait(self.is_over, "the end")
        return self.get("#{?pane_dead_signal,signal #{pane_dead_signal},#{pane_dead_status}}")

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
        pane = server.open(["bash", "--norc", "--noprofile", "-i"], cols, rows, PS1="ready$ ", HISTFILE=None, **env)
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
