#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The SQL shell on a real terminal: lines, history, completion, Ctrl-C, Ctrl-D, a change of size."""
import os
import re
import shutil
import sqlite3
import stat
import sys
import time
import unittest

import tmux

PROGRAM = os.environ["WARPLENS"]
TRACE = os.path.join(os.environ["WARPLENS_FIXTURES"], "steps.sqlite")
ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c;"


class SqlShell(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = tmux.Server().__enter__()
        cls.addClassCleanup(cls.server.__exit__)

    def open(self, *args, cols=100, rows=40, state=None, trace=TRACE, **env):
        """A shell whose state is its own, unless another test's is given."""
        self.state = state or self.server.path("state-%s" % self.id())
        # Ctrl-C reaches all that runs in the pane: the shell that tells the status must outlive it.
        wrapped = ["sh", "-c", 'trap : INT; "$@"; echo "status $?"; exec cat >/dev/null', "sh", PROGRAM, "sql", trace, *args]
        pane = self.server.open(wrapped, cols, rows, bare=True, XDG_STATE_HOME=self.state, **env)
        pane.wait_for(r"^warplens>$")
        return pane

    def enter(self, pane, *lines):
        for line in lines:
            pane.bytes(line.encode() + b"\r")

    def ready(self, pane):
        pane.wait_for(r"^warplens>\s*\Z")

    def history_file(self):
        return os.path.join(self.state, "warplens", "sql_history")

    def leave(self, pane):
        pane.keys("C-d")
        self.assertEqual(pane.status(), 0)


class Lines(SqlShell):
    def test_a_statement_of_several_lines_is_answered_in_a_box(self):
        pane = self.open()
        self.enter(pane, "SELECT kind, count(*) AS n, sum(duration) AS total")
        pane.wait_for(r"^     \.\.\.>$")
        self.enter(pane, "FROM ops GROUP BY kind", "ORDER BY kind;")
        text = pane.wait_for(r"^\(2 rows\)$")
        lines = text.split("\n")
        top = next(i for i, line in enumerate(lines) if line.startswith("┌"))
        self.assertRegex(lines[top + 1], r"^│ kind +│ +n │ +total │$")
        self.assertRegex(lines[top + 2], r"^│ enum +│ count │ +\w+ │$")
        self.assertRegex(lines[top + 4], r"^│ kernel │")
        self.assertRegex(lines[top + 5], r"^│ memcpy │")
        self.assertEqual(len({len(line) for line in lines[top:top + 7]}), 1, "the box is even")
        self.leave(pane)

    def test_two_statements_of_a_line_have_two_answers(self):
        pane = self.open()
        self.enter(pane, "SELECT 11 AS a; SELECT ';' AS b, 22 AS c;")
        text = pane.wait_for(r"(?s)\(1 row\).*\(1 row\)")
        self.assertRegex(text, r"│ +11 │")
        self.assertRegex(text, r"│ ; +│ +22 │")
        self.leave(pane)

    def test_many_rows_are_first_and_last(self):
        pane = self.open(rows=60)
        self.enter(pane, "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 12345) SELECT x FROM c;")
        text = pane.wait_for(r"^\(12,345 rows, 40 shown\)$")
        shown = [int(n.replace(",", "")) for n in re.findall(r"^│ +([\d,]+) │$", text, re.M)]
        self.assertEqual(shown, list(range(1, 21)) + list(range(12326, 12346)))
        self.leave(pane)

    def test_no_bar_stays_on_the_screen_when_the_trace_is_read_late(self):
        pane = self.open()
        time.sleep(1.2)  # a bar shows work of more than a second, and this is none
        self.enter(pane, "SELECT count(*) FROM ops;")
        self.assertNotIn("reading", pane.wait_for(r"^\(1 row\)$"))
        self.leave(pane)

    def test_text_that_a_terminal_would_obey_is_replaced(self):
        pane = self.open()
        self.enter(pane, "SELECT 'a' || char(27) || '[31mred' AS x, 'größer 你' AS y;")
        text = pane.wait_for(r"^\(1 row\)$")
        self.assertIn("a\ufffd[31mred", text)
        self.assertIn("größer 你", text)
        self.leave(pane)


class Hostile(SqlShell):
    def test_names_of_a_file_do_not_steer_the_terminal(self):
        path = self.server.path("hostile.sqlite")
        shutil.copy(TRACE, path)
        with sqlite3.connect(path) as db:
            db.execute('CREATE TABLE "evil\x1b]0;owned\x07\x1b[2J" ("col\x1b[31m" INTEGER)')
            db.execute('CREATE TABLE "two words" (a INTEGER, "b c" INTEGER)')
        db.close()
        pane = self.open(trace=path, cols=120, rows=100)
        self.enter(pane, ".tables *e*")
        text = pane.wait_for(r"Tables of the file:")
        self.assertIn("evil\ufffd]0;owned\ufffd\ufffd[2J", text)
        self.enter(pane, ".schema")
        text = pane.wait_for(r"^two words\(a, b c\)$")
        self.assertIn("(col\ufffd[31m)", text)
        pane.type("SELECT * FROM evi")
        pane.keys("Tab")
        pane.keys("C-c")
        self.ready(pane)
        pane.type("SELECT * FROM two")
        pane.keys("Tab")
        pane.wait_for(r'^warplens> SELECT \* FROM "two words"$')
        pane.keys("C-c")
        self.ready(pane)
        self.leave(pane)


class Keys(SqlShell):
    def test_ctrl_c_interrupts_a_query_and_stays(self):
        pane = self.open()
        self.enter(pane, ENDLESS)
        pane.wait_for(r"FROM c;$")
        pane.keys("C-c")
        pane.wait_for(r"^error: interrupted$")
        self.enter(pane, "SELECT 42 AS answer;")
        pane.wait_for(r"│ +42 │")
        self.leave(pane)

    def test_ctrl_c_drops_what_was_typed(self):
        pane = self.open()
        self.enter(pane, "SELECT 1,")
        pane.wait_for(r"^     \.\.\.>$")
        pane.type("2 AS dropped")
        pane.wait_for(r"dropped$")
        pane.keys("C-c")
        self.ready(pane)
        self.enter(pane, "SELECT 7 AS kept;")
        text = pane.wait_for(r"^\(1 row\)$")
        self.assertRegex(text, r"│ +7 │")
        self.assertNotIn("error", text)
        self.leave(pane)

    def test_ctrl_d_leaves_and_restores_the_terminal(self):
        shell = tmux.Shell(self.server, XDG_STATE_HOME=self.server.path("state-modes"))
        before = shell.modes()
        shell.enter("%s sql %s" % (PROGRAM, TRACE))
        shell.wait_for(r"^warplens>$")
        shell.keys("C-d")
        shell.wait_for(r"ready\$\s*\Z")
        self.assertEqual(shell.modes(), before)

    def test_a_signal_ends_it(self):
        pane = self.open()
        pids = self.server.run("list-panes", "-t", pane.name, "-F", "#{pane_pid}").split()
        os.kill(self.child(int(pids[0])), 15)
        self.assertEqual(pane.status(), 128 + 15)

    def child(self, pid):
        """The program below the shell that tmux started."""
        for path in sorted(os.listdir("/proc")):
            if path.isdigit():
                try:
                    with open("/proc/%s/stat" % path, encoding="utf-8") as f:
                        if int(f.read().rsplit(")", 1)[1].split()[1]) == pid:
                            return int(path)
                except (OSError, IndexError):
                    pass
        self.fail("no child of %d" % pid)

    def resize(self, pane, cols, rows):
        """tmux tells the terminal of a new size a little later."""
        pane.resize(cols, rows)
        with open(pane.get("#{pane_tty}"), encoding="utf-8") as tty:
            pane.wait(lambda: os.get_terminal_size(tty.fileno()) == (cols, rows), "the size")

    def test_a_change_of_size(self):
        pane = self.open(cols=120)
        self.enter(pane, "FROM ops LIMIT 2;")
        wide = pane.wait_for(r"^\(2 rows")
        self.assertIn(max(len(line) for line in wide.split("\n")), range(100, 121))
        self.enter(pane, ".rows 3")
        self.ready(pane)
        self.resize(pane, 60, 40)
        pane.type("FROM ops")
        pane.wait_for(r"^warplens> FROM ops$")
        self.resize(pane, 50, 30)
        self.enter(pane, " LIMIT 1;")
        text = pane.wait_for(r"^\(1 row; \d+ of \d+ columns\)$")
        last = text[text.rindex("┌"):]
        self.assertLessEqual(max(len(line) for line in last.split("\n")), 50)
        self.assertRegex(text, r"(?m)^warplens> FROM ops LIMIT 1;$")
        self.leave(pane)


class History(SqlShell):
    def test_statements_come_back_also_in_the_next_shell(self):
        pane = self.open()
        self.enter(pane, "SELECT 'first'", "AS a;")
        pane.wait_for(r"\(1 row\)")
        self.enter(pane, "SELECT 'second' AS b;")
        pane.wait_for(r"(?s)\(1 row\).*\(1 row\)")
        pane.keys("Up", "Up")
        pane.wait_for(r"^warplens> SELECT 'first' AS a;$")
        pane.keys("Down")
        pane.wait_for(r"^warplens> SELECT 'second' AS b;$")
        pane.keys("C-c")
        self.ready(pane)
        self.leave(pane)
        path = self.history_file()
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        with open(path, encoding="utf-8") as f:
            self.assertEqual(f.read(), "SELECT 'first' AS a;\nSELECT 'second' AS b;\n")
        again = self.open(state=self.state)
        again.keys("Up", "Up")
        again.wait_for(r"^warplens> SELECT 'first' AS a;$")
        again.keys("Enter")
        again.wait_for(r"^\(1 row\)$")
        again.keys("C-r")
        again.type("second")
        again.wait_for(r"SELECT 'second' AS b;")
        again.keys("C-c")
        self.ready(again)
        self.leave(again)

    def test_a_long_file_is_cut_and_a_link_is_not_followed(self):
        self.state = self.server.path("state-%s" % self.id())
        os.makedirs(os.path.dirname(self.history_file()))
        with open(self.history_file(), "w", encoding="utf-8") as f:
            f.writelines("SELECT %d;\n" % i for i in range(2500))
        pane = self.open(state=self.state)
        pane.keys("Up")
        pane.wait_for(r"^warplens> SELECT 2499;$")
        pane.keys("C-c")
        self.ready(pane)
        self.leave(pane)
        with open(self.history_file(), encoding="utf-8") as f:
            lines = f.read().splitlines()
        self.assertEqual((len(lines), lines[0], lines[-1]), (1000, "SELECT 1500;", "SELECT 2499;"))
        self.assertEqual(stat.S_IMODE(os.stat(self.history_file()).st_mode), 0o600)
        target = self.server.path("target")
        os.remove(self.history_file())
        os.symlink(target, self.history_file())
        pane = self.open(state=self.state)
        self.enter(pane, "SELECT 1;")
        pane.wait_for(r"\(1 row\)")
        self.leave(pane)
        self.assertFalse(os.path.exists(target))


class Completion(SqlShell):
    def completed(self, typed, becomes):
        pane = self.open()
        pane.type(typed)
        pane.wait_for(re.escape(typed[-20:]) + "$")
        pane.keys("Tab")
        pane.type("|")  # an end that can be seen
        pane.wait_for("^warplens> " + re.escape(becomes) + r"\|$")
        pane.keys("C-c")
        self.ready(pane)
        self.leave(pane)

    def test_tables(self):
        self.completed("SELECT * FROM nvtx_r", "SELECT * FROM nvtx_ranges ")

    def test_columns_of_the_table_that_is_named(self):
        self.completed("SELECT count(*) FROM ops WHERE lat", "SELECT count(*) FROM ops WHERE latency ")

    def test_columns_behind_a_dot(self):
        self.completed("SELECT launches.que", "SELECT launches.queue ")

    def test_a_column_that_is_a_word_of_sql_is_quoted(self):
        self.completed("SELECT ops.en", 'SELECT ops."end" ')

    def test_functions(self):
        self.completed("SELECT union_", "SELECT union_ns(")

    def test_words_of_sql_as_they_were_begun(self):
        self.completed("sele", "select ")

    def test_dot_commands_and_their_arguments(self):
        self.completed(".timeo", ".timeout ")
        self.completed(".mode js", ".mode json")

    def test_several_are_listed(self):
        pane = self.open()
        pane.type("SELECT interval_")
        pane.wait_for("interval_$")
        pane.keys("Tab")
        # The list, and below it the line again, which follows in a write of its own.
        pane.wait_for(r"interval_intersect\( +interval_ns\( +interval_subtract\( +interval_union\("
                      r"\s+warplens> SELECT interval_\s*\Z")
        pane.keys("C-c")
        self.ready(pane)
        self.leave(pane)


class Dots(SqlShell):
    def test_modes(self):
        pane = self.open(rows=50)
        self.enter(pane, ".mode csv", "SELECT 1 AS a, 'x,y' AS b, NULL AS c;")
        pane.wait_for(r'^a,b,c$\n^1,"x,y",$')
        self.enter(pane, ".mode line", "SELECT 1500000 AS a, NULL AS bcd;")
        pane.wait_for(r"^  a = 1500000$\n^bcd = NULL$")
        self.enter(pane, ".mode jsonl", "SELECT 2 AS two;")
        pane.wait_for(r'^\{"two":2\}$')
        self.enter(pane, ".mode boks")
        pane.wait_for(r'^error: no mode is called "boks"; did you mean box')
        self.enter(pane, ".mode")
        pane.wait_for(r"^jsonl$")
        self.leave(pane)

    def test_lists(self):
        pane = self.open(rows=100)
        self.enter(pane, ".tables *nvtx*")
        text = pane.wait_for(r"^Verbs:$")
        self.assertRegex(text, r"nvtx_ranges")
        self.assertRegex(text, r"NVTX_EVENTS")
        self.enter(pane, ".schema matches")
        text = pane.wait_for(r"^  trace +TEXT")
        self.assertRegex(text, r"(?m)^matches: Collectives matched across ranks")
        self.assertRegex(text, r"(?m)^  wait_all +INTEGER NS +Duration beyond the transfer, hidden by compute or not\.$")
        self.enter(pane, "DESCRIBE opps;")
        pane.wait_for(r'^error: no table is called "opps"; did you mean ops\?$')
        self.enter(pane, ".functions")
        pane.wait_for(r"^  human_bytes\(bytes\)")
        self.leave(pane)

    def test_did_you_mean(self):
        pane = self.open()
        self.enter(pane, "SELECT * FROM launchs;")
        pane.wait_for(r"^error: .*no such table: launchs; did you mean launches\?$")
        self.enter(pane, "SELECT duratoin FROM ops;")
        pane.wait_for(r"^error: .*no such column: duratoin; did you mean duration\?$")
        self.enter(pane, ".tabels")
        pane.wait_for(r"^error: no command is called \.tabels; did you mean \.tables\?$")
        self.leave(pane)

    def test_files(self):
        pane = self.open(cols=200)
        out = self.server.path("result.csv")
        script = self.server.path("script.sql")
        with open(script, "w", encoding="utf-8") as f:
            f.write("CREATE TEMP TABLE mine AS SELECT 5 AS n;\n-- a comment;\nSELECT n * 2 AS\n  doubled FROM mine")
        self.enter(pane, ".read %s" % script)
        pane.wait_for(r"│ +10 │")
        self.enter(pane, ".once %s" % out, "SELECT n FROM mine;", "SELECT 77 AS here;")
        pane.wait_for(r"│ +77 │")
        with open(out, encoding="utf-8") as f:
            self.assertEqual(f.read(), "n\n5\n")
        self.enter(pane, ".once %s" % TRACE)
        pane.wait_for(r"^error: .*this is the trace itself; give another$")
        self.enter(pane, ".timer on", "SELECT 1;")
        pane.wait_for(r"^run time: [\d.]+ [mu]?s$")
        self.enter(pane, ".read /nonexistent")
        pane.wait_for(r"^error: .*/nonexistent")
        self.enter(pane, ".quit")
        self.assertEqual(pane.status(), 0)

    def test_a_format_on_the_command_line(self):
        pane = self.open("-f", "csv")
        self.enter(pane, "SELECT 1 AS a, 2 AS b;")
        pane.wait_for(r"^a,b$\n^1,2$")
        self.leave(pane)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    tmux.main()
