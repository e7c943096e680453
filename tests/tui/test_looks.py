#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The timeline as it looks on terminals of several sizes and kinds, the mouse, other sizes, and how it leaves.

ACCEPT=1 writes what is seen to tests/tui/golden, to be looked at before it is committed.
"""
import difflib
import os
import signal
import subprocess
import time

import tmux
from viewer import HERE, WARPLENS, ViewerTest

ACCEPT = os.environ.get("ACCEPT") == "1"
MAIN = "#{cursor_flag} #{alternate_on} #{mouse_any_flag} #{mouse_sgr_flag}"


class Goldens(ViewerTest):
    def settle(self, pane):
        """The screen, once nothing has changed for a while; only for who accepts it."""
        before, since = pane.text(), time.monotonic()
        while time.monotonic() - since < 1:
            text = pane.text()
            if text != before:
                before, since = text, time.monotonic()
            time.sleep(0.05)
        return before

    def compare(self, name, viewer):
        path = os.path.join(HERE, "golden", name + ".txt")
        if ACCEPT:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write(self.settle(viewer.pane))
            return
        with open(path, encoding="utf-8") as f:
            want = f.read()
        try:
            viewer.pane.wait(lambda: viewer.pane.text() == want, name)
        except AssertionError:
            diff = difflib.unified_diff(want.splitlines(), viewer.pane.text().splitlines(), name, "screen", lineterm="")
            raise AssertionError("\n".join(diff)) from None

    def check(self, name, *args, keys=(), **opts):
        viewer = self.open(*args, **opts).press(*keys)
        self.compare(name, viewer)
        cols = opts.get("cols", 80)
        self.assertTrue(all(len(line) <= cols for line in viewer.pane.text().split("\n")), name)
        viewer.press("C-c")

    def test_sizes(self):
        for cols, rows in ((80, 24), (120, 30), (200, 50), (40, 8)):
            self.check("timeline-%dx%d" % (cols, rows), cols=cols, rows=rows, keys=("Tab",))

    def test_kinds_of_terminals(self):
        for name, args, env in (("ascii", ("--ascii",), {}), ("no-color", (), {"NO_COLOR": "1"}), ("vt100", (), {"TERM": "vt100"}),
                                ("linux", (), {"TERM": "linux"}), ("c-locale", (), {"LC_ALL": "C"})):
            self.check("timeline-" + name, *args, keys=("Tab",), **env)

    def test_too_small(self):
        self.start(cols=39, rows=7).see(r"terminal too small \(need 40x8\)")

    def test_other_sizes_while_running(self):
        viewer = self.open().press("Tab")
        for cols, rows in ((120, 30), (40, 8), (200, 50), (20, 3), (80, 24)):
            viewer.pane.resize(cols, rows)
            if cols == 20:
                viewer.see("too small")
                continue
            viewer.pane.wait(lambda: viewer.pane.text().rstrip("\n").count("\n") == rows - 1, "%d lines" % rows)
            viewer.see(r"^▸.*S7")
            self.assertTrue(all(len(line) <= cols for line in viewer.pane.text().split("\n")))
        self.compare("timeline-80x24", viewer)


class Tree(Goldens):
    VERB = "tui"

    def test_sizes(self):
        for cols, rows in ((80, 24), (120, 30)):
            self.check("tree-%dx%d" % (cols, rows), cols=cols, rows=rows, keys=("J",))

    def test_kinds_of_terminals(self):
        self.check("tree-ascii", "--ascii", keys=("J",))

    test_too_small = test_other_sizes_while_running = None  # as in the timeline


class Mouse(ViewerTest):
    def at(self, viewer, text):
        """The cell where a text begins."""
        for y, line in enumerate(viewer.pane.text().split("\n")):
            if text in line:
                return line.index(text), y
        raise AssertionError("no %r on the screen" % text)

    def drag(self, viewer, button, x, y, to):
        viewer.pane.mouse(button, x, y)
        viewer.pane.mouse(32 + button, to, y)
        viewer.pane.mouse(button, to, y, released=True)

    def test_click(self):
        viewer = self.open()
        _, y = self.at(viewer, "G0 S20")
        viewer.pane.click(45, y)
        t = viewer.state()["timeline"]
        self.assertIn("Stream 20", t["row"])
        self.assertGreater(int(t["cursor"]), (int(t["begin"]) + int(t["end"])) // 2 - (int(t["end"]) - int(t["begin"])) // 8)

    def test_double_click(self):
        viewer = self.open()
        _, y = self.at(viewer, "G0 S7")
        viewer.pane.click(30, y, times=2)
        t = viewer.state()["timeline"]
        self.assertLess(int(t["end"]) - int(t["begin"]), 3000000)

    def test_wheel(self):
        before = self.open().state()["timeline"]
        span = int(before["end"]) - int(before["begin"])
        for code, larger in ((64, False), (65, True)):
            viewer = self.open().press("+")
            _, y = self.at(viewer, "G0 S7")
            viewer.pane.mouse(code, 40, y)
            t = viewer.state()["timeline"]
            now = int(t["end"]) - int(t["begin"])
            self.assertTrue(now >= span if larger else now < span / 1.6, (code, now, span))

    def test_wheel_with_a_modifier(self):
        viewer = self.open().press("+", "+", "+")
        _, y = self.at(viewer, "G0 S7")
        viewer.pane.mouse(65 + 4, 40, y)
        moved = viewer.state()["timeline"]
        still = self.open().press("+", "+", "+").state()["timeline"]
        self.assertNotEqual(moved["begin"], still["begin"])
        self.assertAlmostEqual(int(moved["end"]) - int(moved["begin"]), int(still["end"]) - int(still["begin"]), delta=2)

    def test_drag(self):
        viewer = self.open()
        _, y = self.at(viewer, "G0 S7")
        self.drag(viewer, 0, 30, y, 50)
        viewer.see("^─ range")
        t = viewer.state()["timeline"]
        self.assertLess(int(t["mark_a"]), int(t["mark_b"]))

    def test_right_drag(self):
        viewer = self.open().press("+", "+", "+", "S-Right")
        before = self.open().press("+", "+", "+", "S-Right").state()["timeline"]
        _, y = self.at(viewer, "G0 S7")
        self.drag(viewer, 2, 30, y, 40)
        self.assertLess(int(viewer.state()["timeline"]["begin"]), int(before["begin"]))

    def test_click_on_the_footer(self):
        viewer = self.open()
        viewer.see("h help")
        x, y = self.at(viewer, "h help")
        viewer.pane.mouse(0, x, y)
        viewer.see("─ Help")

    def test_no_mouse(self):
        viewer = self.open("--no-mouse")
        self.assertEqual(viewer.pane.get("#{mouse_any_flag}"), "0")


class Leaving(ViewerTest):
    def start_in(self, shell):
        shell.enter("XDG_STATE_HOME=%s %s timeline %s" % (self.server.path("leaving"), WARPLENS, self.trace))
        shell.wait_for("^TIME")
        self.assertEqual(shell.get(MAIN), "0 1 1 1")
        out = subprocess.run(["ps", "--no-headers", "-o", "pid", "--ppid", shell.get("#{pane_pid}")], capture_output=True, check=True).stdout
        return int(out.split()[0])

    def test_whatever_ends_it(self):
        shell = tmux.Shell(self.server)
        shell.tell("ulimit -c 0")
        modes = shell.modes()
        for end in (lambda pid: shell.keys("q"), lambda pid: os.kill(pid, signal.SIGINT), lambda pid: os.kill(pid, signal.SIGTERM),
                    lambda pid: os.kill(pid, signal.SIGSEGV), lambda pid: os.kill(pid, signal.SIGABRT)):
            end(self.start_in(shell))
            shell.wait(lambda: shell.get("#{alternate_on}") == "0", "the main screen")
            self.assertEqual(shell.modes(), modes)

    def test_stop_and_continue(self):
        shell = tmux.Shell(self.server)
        modes = shell.modes()
        self.start_in(shell)
        shell.keys("C-z")
        shell.wait_for("Stopped")
        self.assertEqual(shell.modes(), modes)
        shell.enter("fg")
        shell.wait_for("^TIME")
        shell.wait(lambda: shell.get(MAIN) == "0 1 1 1", "the timeline")
        shell.keys("a")
        shell.wait_for("^TIME abs")
        shell.keys("q")
        shell.wait(lambda: shell.get("#{alternate_on}") == "0", "the main screen")
        self.assertEqual(shell.modes(), modes)

    def test_a_trace_that_cannot_be_read(self):
        bad = self.server.path("bad.sqlite")
        with open(bad, "w", encoding="utf-8") as f:
            f.write("no database")
        pane = self.server.open([WARPLENS, "timeline", bad], **self.env())
        self.assertEqual(pane.status(), 3)
        self.assertIn("bad.sqlite is neither", pane.history())
        self.assertEqual(pane.get(MAIN), "1 0 0 0")


if __name__ == "__main__":
    tmux.main()
