#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The terminal itself, by a small program that shows a screen and tells what happens."""
import os
import re
import signal
import shutil
import subprocess
import unittest

import tmux

DEMO = os.path.join(os.environ["WARPLENS_BUILD"], "term_demo")
with open(DEMO, "rb") as program:
    SANITIZED = b"__asan_init" in program.read()


class OnTerminal(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = tmux.Server().__enter__()
        cls.addClassCleanup(cls.server.__exit__)

    def open(self, *args, cols=80, rows=24, **env):
        pane = self.server.open([DEMO, *args], cols, rows, **env)
        pane.wait_for(r"demo %dx%d" % (cols, rows))
        return pane


class Input(OnTerminal):
    def test_keys_with_modifiers(self):
        pane = self.open()
        keys = {"a": "a", "Left": "Left", "S-Left": "S-Left", "C-Right": "C-Right", "M-x": "A-x", "Tab": "Tab", "BTab": "BTab",
                "Space": "Space", "Enter": "Enter", "Escape": "Esc", "BSpace": "Backspace", "PPage": "PgUp",
                "NPage": "PgDn", "Home": "Home", "End": "End", "F1": "F1", "F10": "F10", "C-t": "C-t", "C-c": "C-c",
                "C-s": "C-s", "M-Up": "A-Up", "DC": "Delete", "IC": "Insert"}
        for n, (sent, name) in enumerate(keys.items(), 1):
            pane.keys(sent)
            pane.wait_for(r"^%d: key %s$" % (n, re.escape(name)))
        pane.type("é")
        pane.wait_for("key é$")

    def test_esc_and_a_key_are_two(self):
        pane = self.open()
        pane.bytes(b"\033\033[A")
        pane.wait_for(r"1: key Esc\n2: key Up")

    def test_mouse_in_both_encodings(self):
        pane = self.open()
        pane.mouse(0, 59, 7)
        pane.mouse(32, 61, 7)
        pane.mouse(0, 61, 7, released=True)
        pane.wait_for(r"1: press button 1 clicks 1 at 59,7\n2: drag button 1 clicks 0 at 61,7\n3: release button 1 clicks 0 at 61,7")
        pane.bytes(b"\033[M`\\(\033[M !!\033[M#!!\033[M !!")
        pane.wait_for(r"4: wheelup button 0 clicks 0 at 59,7\n5: press button 1 clicks 1 at 0,0\n"
                      r"6: release button 1 clicks 0 at 0,0\n7: press button 1 clicks 2 at 0,0")
        pane.mouse(65 + 4, 300, 7)
        pane.wait_for(r"8: S-wheeldown button 0 clicks 0 at 300,7")

    def test_unknown_sequences_are_no_keys(self):
        pane = self.open()
        pane.bytes(b"\033[?1;2c\033[<0;1M\033]11;rgb:00/00/00\033\\\033P1$r0m\033\\\033[12;40$y\033[200~\033[I\xff\x9bz")
        self.assertNotIn("2:", pane.wait_for(r"1: key z"))

    def test_mouse_reports_can_be_switched(self):
        pane = self.open()
        flags = "#{mouse_button_flag} #{mouse_sgr_flag}"
        self.assertEqual(pane.get(flags), "1 1")
        pane.keys("V")
        pane.wait(lambda: pane.get(flags) == "0 0", "mouse off")
        pane.keys("V")
        pane.wait(lambda: pane.get(flags) == "1 1", "mouse on")
        pane = self.open("--no-mouse")
        self.assertEqual(pane.get(flags), "0 0")

    def test_resize(self):
        pane = self.open()
        for cols, rows in ((120, 30), (40, 8), (200, 50), (1, 1), (80, 24)):
            pane.resize(cols, rows)
            if cols > 20:
                text = pane.wait_for(r"demo %dx%d" % (cols, rows))
                self.assertTrue(all(len(line) <= cols for line in text.split("\n")), text)
                pane.wait(lambda: pane.text().rstrip("\n").split("\n")[-1].endswith("$"), "the last cell")
        pane.wait_for(r"size 80x24")

    def test_copy(self):
        pane = self.open()
        pane.keys("T")
        pane.wait(lambda: "copied text" in self.server.run("show-buffer", check=False), "the clipboard")


class Looks(OnTerminal):
    TEXT = r"^text ▇─▸ wide 一二\| esc �\[31m end$"

    def inks(self, pane):
        """By ink: its foreground and attributes, and the colours of the cell that has two."""
        pane.wait_for("esc")
        lines = pane.cells()
        return [(*lines[1][3 * ink][1:], *lines[2][3 * ink][1:3]) for ink in range(12)]

    def test_256_colours(self):
        pane = self.open()
        self.assertIn(" demo 80x24 utf8 colour", pane.wait_for(self.TEXT))
        inks = self.inks(pane)
        colours = ["5;%d" % n for n in (32, 214, 36, 166, 227, 74, 175, 252)]
        for ink, colour in enumerate(colours):
            self.assertEqual(inks[ink], (colour, "", frozenset(), colour, colours[(ink + 3) % 8]))
        self.assertEqual(pane.cells()[0][1], ("d", "", "", frozenset([7])))
        self.assertEqual(self.inks(self.open("--light"))[7][0], "5;240")

    def test_eight_colours(self):
        for term in ("linux", "screen"):
            pane = self.open(TERM=term)
            self.assertIn(" demo 80x24 utf8 colour", pane.wait_for(self.TEXT))
            inks = self.inks(pane)
            self.assertEqual([ink[0] for ink in inks[:8]], ["34", "33", "32", "31", "33", "36", "35", "37"])
            self.assertEqual([1 in ink[2] for ink in inks[:8]], [True, False, False, False, True, True, False, False])

    def test_direct_colours(self):
        if not shutil.which("tic"):
            self.skipTest("no tic")
        source = self.server.path("direct.ti")
        with open(source, "w", encoding="utf-8") as f:
            f.write("wl-direct|direct colours,\n\tRGB, colors#0x1000000, pairs#0x10000, "
                    "setaf=\\E[%?%p1%{8}%<%t3%p1%d%e38\\:2\\:\\:%p1%{65536}%/%d\\:%p1%{256}%/%{255}%&%d\\:%p1%{255}%&%d%;m, "
                    "setab=\\E[%?%p1%{8}%<%t4%p1%d%e48\\:2\\:\\:%p1%{65536}%/%d\\:%p1%{256}%/%{255}%&%d\\:%p1%{255}%&%d%;m, "
                    "use=tmux-256color,\n")
        subprocess.run(["tic", "-x", "-o", self.server.dir, source], check=True, capture_output=True)
        pane = self.open(TERM="wl-direct", TERMINFO=self.server.dir, COLORTERM="truecolor")
        self.assertEqual(self.inks(pane)[0][0], "2;0;114;178")
        pane = self.open(TERM="wl-direct", TERMINFO=self.server.dir)
        self.assertEqual(self.inks(pane)[0][0], "34")

    def is_mono(self, pane):
        return not any(cell[1] or cell[2] for line in pane.cells() for cell in line)

    def test_without_colour(self):
        for env in ({"TERM": "vt100"}, {"NO_COLOR": "1"}):
            pane = self.open(**env)
            self.assertIn(" demo 80x24 utf8 mono", pane.wait_for(self.TEXT))
            self.assertTrue(self.is_mono(pane), pane.ansi())
        pane = self.open()
        pane.keys("U")
        pane.wait_for("80x24 utf8 mono")
        pane.wait(lambda: self.is_mono(pane), "no colours")
        pane.keys("U")
        pane.wait(lambda: not self.is_mono(pane), "colours")

    def test_ascii(self):
        for args, env in (((), {"LC_ALL": "C"}), (("--ascii",), {})):
            text = self.open(*args, **env).wait_for(r"^text \*-> wide \?\?\?\?\| esc \?\[31m end$")
            self.assertTrue(text.isascii(), text)
            self.assertIn("ascii colour", text)

    def test_cursor(self):
        pane = self.open()
        self.assertEqual(pane.get("#{cursor_flag}"), "0")
        pane.keys("X")
        pane.wait(lambda: pane.get("#{cursor_flag} #{cursor_x},#{cursor_y}") == "1 7,3", "the cursor")
        pane.keys("X")
        pane.wait(lambda: pane.get("#{cursor_flag}") == "0", "no cursor")

    def test_redraw(self):
        pane = self.open()
        tty = pane.get("#{pane_tty}")
        with open(tty, "w", encoding="utf-8") as f:
            f.write("\033[2;1HRUBBISH")
        pane.wait_for("RUBBISH")
        pane.keys("C-l")
        pane.wait(lambda: "RUBBISH" not in pane.text(), "a clean screen")


class Leaving(OnTerminal):
    """Whatever ends the program, the shell finds its terminal as it was."""

    def start(self):
        shell = tmux.Shell(self.server)
        shell.enter("echo before")
        shell.wait_for("^before")
        return shell, shell.modes()

    def run_demo(self, shell):
        shell.enter(DEMO)
        shell.wait_for("demo 80x24")
        self.assertEqual(shell.get("#{cursor_flag} #{alternate_on} #{mouse_any_flag} #{mouse_sgr_flag}"), "0 1 1 1")
        pid = self.server.run("list-panes", "-t", shell.name, "-F", "#{pane_pid}").strip()
        return int(subprocess.run(["ps", "--no-headers", "-o", "pid", "--ppid", pid], capture_output=True, check=True).stdout.split()[0])

    def check(self, shell, modes, status):
        shell.wait(lambda: shell.get("#{alternate_on}") == "0", "the main screen")
        self.assertEqual(shell.tell("echo $?").strip(), str(status))
        self.assertEqual(shell.modes(), modes)

    def test_quit(self):
        shell, modes = self.start()
        self.run_demo(shell)
        shell.keys("q")
        shell.wait_for("^before")
        self.check(shell, modes, 0)
        self.assertIn("bye", shell.text())

    def test_signals_that_ask(self):
        shell, modes = self.start()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            os.kill(self.run_demo(shell), number)
            self.check(shell, modes, 0)

    def test_crash(self):
        shell, modes = self.start()
        shell.tell("ulimit -c 0")
        for key, number in (("G", signal.SIGSEGV), ("R", signal.SIGABRT), ("N", signal.SIGSEGV), ("", signal.SIGBUS)):
            pid = self.run_demo(shell)
            if key:
                shell.keys(key)
            else:
                os.kill(pid, number)
            if key == "N" and SANITIZED:
                shell.wait_for("AddressSanitizer: SEGV")
                shell.wait_for(r"ready\$$")
                shell.keys("C-l")
                self.assertEqual(shell.modes(), modes)
            else:
                self.check(shell, modes, 128 + number)

    def test_a_file_that_shrinks_is_no_crash(self):
        shell, modes = self.start()
        pid = self.run_demo(shell)
        shell.keys("W")
        shell.wait_for("repaired")
        self.assertEqual(shell.get("#{alternate_on}"), "1")
        os.kill(pid, signal.SIGBUS)
        shell.wait(lambda: shell.get("#{alternate_on}") == "0", "the main screen")
        self.assertEqual(shell.modes(), modes)

    def run_and_stop(self, shell, stop):
        pid = self.run_demo(shell)
        shell.keys("a")
        shell.wait_for("key a")
        stop(pid)
        shell.wait_for("Stopped")

    def test_stop_and_continue(self):
        shell, modes = self.start()
        for stop in (lambda pid: shell.keys("C-z"), lambda pid: os.kill(pid, signal.SIGTSTP)):
            self.run_and_stop(shell, stop)
            self.assertEqual(shell.modes(), modes)
            shell.enter("fg")
            shell.wait_for(r"size 80x24")
            shell.wait(lambda: shell.get("#{cursor_flag} #{alternate_on} #{mouse_any_flag} #{mouse_sgr_flag}") == "0 1 1 1", "the demo")
            shell.keys("b")
            shell.wait_for("key b")
            shell.keys("q")
            self.check(shell, modes, 0)

    def test_stopped_without_warning(self):
        shell, modes = self.start()
        self.run_and_stop(shell, lambda pid: os.kill(pid, signal.SIGSTOP))
        shell.enter("fg")
        shell.wait_for(r"size 80x24")
        shell.keys("b")
        shell.wait_for("key b")
        shell.keys("q")
        self.check(shell, modes, 0)


class Refusing(OnTerminal):
    def test_no_terminal(self):
        done = subprocess.run([DEMO], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (2, "demo: standard input and output must be a terminal\n"))

    def test_terminals_that_cannot(self):
        for term, message in (("dumb", 'a terminal of kind "dumb" cannot show this'), ("", "TERM is not set"), (None, "TERM is not set"),
                              ("nonsense", 'the terminal "nonsense" is not known here')):
            shell = tmux.Shell(self.server)
            change = "env -u TERM" if term is None else "env TERM=%s" % term
            before = shell.modes()
            # Curses itself forgets some bytes when it does not know a terminal.
            shell.enter("ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 %s %s; echo $?" % (change, DEMO))
            self.assertRegex(shell.wait_for(r"^2$"), "demo: " + re.escape(message))
            self.assertEqual(shell.modes(), before)


if __name__ == "__main__":
    tmux.main()
