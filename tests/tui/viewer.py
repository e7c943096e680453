# SPDX-License-Identifier: MIT
"""viewer.py - the viewers on a terminal, over a small generated trace whose rows SQL knows, too."""
import itertools
import json
import os
import re
import sqlite3
import subprocess
import sys
import time
import unittest

import tmux

HERE = os.path.dirname(os.path.abspath(__file__))
WARPLENS = os.environ["WARPLENS"]
READY = {"timeline": r"^TIME .*\Z", "tui": r"^ find: .*\Z"}  # the last line of a view, once the rows are there


class Viewer:
    """A program on a pane. press() sends keys and does not wait; state() ends it and tells where it stood."""

    def __init__(self, pane):
        self.pane = pane

    def press(self, *keys):
        """Keys by name, as tmux has them; "'text" is typed."""
        together = []
        for key in keys:
            if key == "Escape":
                self.send(together)
                together = []
                # With the next key it would be Alt, if that came soon; so a report follows that nobody heeds.
                self.pane.bytes(b"\033\033[I")
            else:
                together += list(key[1:]) if key[:1] == "'" and key[1:] else [key]
        self.send(together)
        return self

    def send(self, keys):
        if keys:
            self.pane.keys(*({" ": "Space", ";": "\\;"}.get(key, key) for key in keys))

    def press_until(self, key, pattern):
        """A key that works only once something is loaded of which nothing is seen: press it until it does."""
        def look():
            self.press(key)
            end = time.monotonic() + 0.5
            while time.monotonic() < end:
                if re.search(pattern, self.pane.text(), re.M):
                    return True
            return False
        self.pane.wait(look, repr(pattern))

    def see(self, pattern):
        """Wait for this on the screen; returns the screen."""
        return self.pane.wait_for(pattern)

    def state(self):
        self.pane.keys("C-c")
        return self.pane.wait(self.printed, "the state")

    def printed(self):
        """What the program printed at its end, or None; the lines that the terminal wrapped are put together again."""
        found = re.search(r'^\{"view".*^\}', self.pane.history(), re.M | re.S)
        return json.loads(found.group(0).replace("\n", "")) if found else None


class ViewerTest(unittest.TestCase):
    """Each test has its programs, and a folder of its own where they keep what they keep."""
    VERB = "timeline"

    @classmethod
    def setUpClass(cls):
        cls.server = tmux.Server().__enter__()
        cls.addClassCleanup(cls.server.__exit__)
        cls.trace = cls.server.path("train.sqlite")
        subprocess.run([sys.executable, "-B", os.path.join(os.environ["WARPLENS_SOURCE"], "tests/support/gen_trace.py"),
                        "-o", cls.trace, "--ranks", "2", "--layers", "2", "--iters", "4", "--seed", "1"],
                       check=True, stdout=subprocess.DEVNULL)
        cls.numbers = itertools.count(1)

    def sql(self, query):
        with sqlite3.connect(self.trace) as db:
            return db.execute(query).fetchall()

    def env(self, **more):
        """What the program may know of its user; nothing is kept from one program to the next unless asked for."""
        return {"WARPLENS_TEST": "1", "XDG_STATE_HOME": self.server.path("state%d" % next(self.numbers)), "NO_COLOR": None,
                "COLUMNS": None, **more}

    def start(self, *args, cols=80, rows=24, keep=None, **env):
        environment = self.env(**env)
        if keep:
            environment["XDG_STATE_HOME"] = keep
        return Viewer(self.server.open([WARPLENS, self.VERB, self.trace, "--dump-state", *args], cols, rows, **environment))

    def wait_until_ready(self, viewer):
        pane = viewer.pane
        pane.wait(lambda: re.search(READY[self.VERB], pane.text().rstrip("\n"), re.M), "the view")

    def open(self, *args, **opts):
        viewer = self.start(*args, **opts)
        self.wait_until_ready(viewer)
        return viewer

    def states(self, *scripts, args=()):
        """The states after each of the lists of keys, in programs that run side by side."""
        viewers = [self.start(*args) for _ in scripts]
        for viewer, keys in zip(viewers, scripts):
            self.wait_until_ready(viewer)
            viewer.press(*keys)
        return [viewer.state() for viewer in viewers]
